function $(id) { return document.getElementById(id); }

// Text goes in as text, whoever wrote it: names of rooms, reasons of operators, errors of origins.
function fill(node, attrs, kids) {
  for (const k in attrs || {}) if (attrs[k] !== undefined && attrs[k] !== false) node.setAttribute(k, attrs[k] === true ? '' : attrs[k]);
  for (const kid of kids.flat()) if (kid !== null && kid !== undefined) node.append(kid);
  return node;
}
function el(tag, attrs, ...kids) { return fill(document.createElement(tag), attrs, kids); }
function sv(tag, attrs, ...kids) { return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attrs, kids); }

// A width from data is set through the style object: the policy refuses style attributes.
function wide(node, percent) { node.style.width = Math.max(0, Math.min(100, percent)).toFixed(2) + '%'; return node; }

// put replaces only what is different, so that what somebody is reading or has selected stays.
function put(parent, kids) {
  kids = [].concat(kids).filter(k => k);
  kids.forEach((kid, i) => {
    const old = parent.children[i];
    if (!old) parent.append(kid);
    else if (!old.isEqualNode(kid)) old.replaceWith(kid);
  });
  while (parent.children.length > kids.length) parent.lastElementChild.remove();
}
function say(id, text) { if ($(id).textContent !== text) $(id).textContent = text; }

function num(v) {
  if (v === undefined || v === null) return '–';
  if (Math.abs(v) >= 1000) return Math.round(v).toLocaleString('en');
  if (Math.abs(v) >= 100) return String(Math.round(v));
  if (v === 0) return '0';
  return String(+v.toPrecision(3));
}
function count(v) { return Math.round(v || 0).toLocaleString('en'); }
function pct(v) { return (100 * (v || 0)).toFixed(v < 0.1 && v > 0 ? 1 : 0) + ' %'; }
function secs(v) { return v < 1 ? Math.round(v * 1000) + ' ms' : v < 120 ? num(v) + ' s' : Math.round(v / 60) + ' min'; }
function clock(t) { return new Date(t).toLocaleTimeString('en-GB'); }
function words(name) { return String(name).replace(/_/g, ' '); }
function least(doc) { return doc.reason; }

function facts(list) {
  return list.filter(f => f).map(f => el('div', null, el('dt', null, f[0]), el('dd', null, f[1])));
}
function chip(text, kind) { return el('span', { class: 'chip ' + (kind || '') }, text); }

// W is the width of a chart in its own units: on a phone fewer, so that what is written in it can still be read.
const narrow = matchMedia('(max-width: 40rem)');
let W = 600;
function measure() { W = narrow.matches ? 340 : 600; }

function frame(h, label, ...kids) {
  return sv('svg', { class: 'chart', viewBox: '0 0 ' + W + ' ' + (h + 18), role: 'img', 'aria-label': label }, ...kids);
}
function mark(x, y, text, anchor) { return sv('text', { x: x, y: y, 'text-anchor': anchor || 'start' }, text); }
function level(y, cls) { return sv('line', { x1: 0, x2: W, y1: y.toFixed(1), y2: y.toFixed(1), class: cls }); }
function path(values, h, top, cls, closed) {
  const step = W / Math.max(1, values.length - 1);
  let d = values.map((v, i) => (i ? 'L' : 'M') + (i * step).toFixed(1) + ' ' + (h - h * Math.min(1, v / top)).toFixed(1)).join('');
  if (closed) d += 'L' + W + ' ' + h + 'L0 ' + h + 'Z';
  return sv('path', { d: d, class: cls });
}

// ahead draws what is coming to one resource against what it may do.
function ahead(r) {
  const h = 120, load = r.load || [], any = r.load_anyway || [], peak = Math.max(0, ...load);
  if (!load.length) return null;
  const top = 1.15 * Math.max(peak, r.work || 0, 1e-9), end = load.length * r.load_step;
  const at = load.indexOf(peak) * r.load_step;
  const label = r.name + ': predicted load is highest in ' + at + ' s with ' + num(peak) + ' units a second' + (r.work ? ' of ' + num(r.work) + ' that may be done' : '');
  const kids = [path(any, h, top, 'any', true), path(load, h, top, 'load')];
  if (r.work) {
    const y = h - h * r.work / top;
    kids.push(level(y, 'cap'), mark(W, y - 5, num(r.work) + ' /s', 'end'));
  }
  kids.push(level(h, 'grid'));
  for (let m = 0; m * 60 <= end; m++) kids.push(mark(m * 60 / end * W, h + 14, m ? '+' + m + ' min' : 'now', m ? (m * 60 === end ? 'end' : 'middle') : 'start'));
  return frame(h, label, ...kids);
}

// columns draws a histogram; names say what stands below a column.
function columns(values, label, name, cls) {
  const h = 90, top = Math.max(1e-9, ...values), step = W / Math.max(1, values.length);
  const kids = values.map((v, i) => sv('rect', { x: (i * step + 1).toFixed(1), width: Math.max(1, step - 2).toFixed(1), y: (h - h * v / top).toFixed(1), height: (h * v / top).toFixed(1), class: cls || 'col' }));
  kids.push(level(h, 'grid'), mark(0, 10, count(top)));
  values.forEach((v, i) => { const n = name(i); if (n) kids.push(mark(i * step, h + 14, n)); });
  return frame(h, label, ...kids);
}
function merge(values, by) {
  const out = [];
  (values || []).forEach((v, i) => { out[Math.floor(i / by)] = (out[Math.floor(i / by)] || 0) + v; });
  return out;
}
