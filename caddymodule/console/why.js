// What each limit that is no resource means, for the line below the table.
const meaning = {
  inventory: 'seats that are free or about to return, less what the people inside will want', active_cap: 'the most live sessions',
  slew: 'the rate rises step by step', confidence: 'too few people were seen', stale: 'a signal has stopped', brake: 'the origin fails',
  ceiling: 'set by an operator', floor: 'let in whatever is measured', pin: 'an operator decided'
};
const modeWords = {
  auto: 'automatic', pin: 'pinned', pause: 'paused', drain: 'draining', shadow: 'shadow: computed, not applied', off: 'fixed rate'
};
const stockWords = { open: 'seats available', last_seats: 'last seats', all_held: 'all seats in baskets', sold_out: 'sold out' };

function showWhy(doc) {
  say('title', 'Room ' + doc.room);
  document.title = num(doc.in_force) + '/s ' + doc.room + ' · Ropeline console';
  const mode = doc.mode === 'auto' ? 'good' : doc.mode === 'shadow' || doc.mode === 'off' ? '' : 'warn';
  put($('badges'), [
    chip(modeWords[doc.mode] || doc.mode, mode),
    doc.blind && chip('flies without instruments', 'bad'),
    doc.stock && doc.stock.state && chip(stockWords[doc.stock.state] || words(doc.stock.state), doc.stock.state === 'open' ? 'good' : 'warn'),
    doc.quality && quality(doc.quality)
  ]);
  say('rate', num(doc.applied === false ? doc.rate : doc.in_force));
  say('unit', doc.applied === false ? 'people a second, if it were applied' : 'people a second');
  say('sentence', sentence(doc.sentence));
  const besides = [];
  if (doc.applied === false) besides.push('The door lets in ' + num(doc.in_force) + ' a second, as configured.');
  else if (Math.abs(doc.in_force - doc.rate) > 0.01 * Math.max(1, doc.rate)) besides.push('The door lets in ' + num(doc.in_force) + ', decided were ' + num(doc.rate) + '.');
  if (doc.release > doc.rate * 1.01) besides.push(num(doc.release) + ' places a second are called, for not everybody comes.');
  say('besides', besides.join(' '));
  showLimits(doc);
}

// The number stands above the sentence already.
function sentence(text) {
  const s = String(text || '').replace(/^[\d.,]+ people a second: /, '');
  return s ? s[0].toUpperCase() + s.slice(1) + (/[.!?]$/.test(s) ? '' : '.') : '';
}

function quality(q) {
  const worst = Math.max(q.p99_share, q.errors_share, q.lock_wait_share);
  return worst > 1 ? chip('objectives missed', 'bad') : worst > 0.7 ? chip('near its objectives', 'warn') : chip('objectives met', 'good');
}

// The scale ends at four times the rate, or at the second smallest limit: a limit far away must not flatten those that matter.
function showLimits(doc) {
  const all = Object.entries(doc.limits || {}).sort((a, b) => a[1] - b[1] || (a[0] === doc.reason ? -1 : 1));
  const second = all.length > 1 ? all[1][1] : 0;
  const top = Math.max(4 * doc.rate, 1.2 * second, 1e-9);
  put($('limits').tBodies[0], all.map(([name, v]) => {
    const beyond = v > top;
    return el('tr', { class: name === doc.reason ? 'least' : false },
      el('th', { scope: 'row' }, words(name)), el('td', null, el('div', { class: 'bar' }, wide(el('i'), 100 * v / top))),
      el('td', null, num(v), beyond ? el('span', { class: 'v' }, ', beyond the scale') : null));
  }));
  $('limits').hidden = !all.length;
  const named = all.filter(([n]) => meaning[n]).map(([n]) => words(n) + ': ' + meaning[n]);
  say('unbound', named.join(' · '));
}

const colours = {};
function colourOf(reason) {
  if (colours[reason] === undefined) colours[reason] = Object.keys(colours).length % 8;
  return colours[reason];
}

function showHistory(doc) {
  const list = doc.history || [], h = 130;
  if (list.length < 2) { put($('history'), el('p', { class: 'soft' }, 'The first minutes are still to come.')); put($('history-key'), []); return; }
  const from = Date.parse(list[0].at), till = Date.parse(list[list.length - 1].at), x = t => (Date.parse(t) - from) / Math.max(1, till - from) * W;
  const top = 1.15 * Math.max(1e-9, ...list.map(m => m.rate)), bands = [], minutes = {};
  list.forEach((m, i) => {
    const next = list[i + 1];
    if (!next) return;
    minutes[m.reason] = (minutes[m.reason] || 0) + (Date.parse(next.at) - Date.parse(m.at)) / 60000;
    const last = bands[bands.length - 1];
    if (last && last.reason === m.reason) last.to = x(next.at);
    else bands.push({ reason: m.reason, from: x(m.at), to: x(next.at) });
  });
  const line = (values, height, most) => values.map((v, i) => (i ? 'L' : 'M') + x(list[i].at).toFixed(1) + ' ' + (height - height * Math.min(1, v / most)).toFixed(1)).join('');
  const p99 = list.map(m => m.p99), goal = doc.quality && doc.quality.objective ? doc.quality.objective.p99 : 1, most = Math.max(goal * 1.2, ...p99);
  const order = Object.entries(minutes).sort((a, b) => b[1] - a[1]);
  put($('history'), [el('div', null, el('h3', null, 'Rate, people a second'), frame(h, 'Rate over the last ten minutes: now ' + num(list[list.length - 1].rate) + ', highest ' + num(top / 1.15) + ' people a second; decided by ' + order.map(o => words(o[0]) + ' for ' + num(o[1]) + ' minutes').join(', '),
      ...bands.map(b => sv('rect', { x: b.from.toFixed(1), y: h - 10, width: Math.max(1, b.to - b.from).toFixed(1), height: 10, class: 's' + colourOf(b.reason) })),
      sv('path', { d: line(list.map(m => m.rate), h - 12, top), class: 'rate-line' }), mark(0, 10, 'highest ' + num(top / 1.15)),
      mark(0, h + 14, clock(list[0].at)), mark(W, h + 14, clock(list[list.length - 1].at), 'end'))),
  el('div', null, el('h3', null, 'p99 of the answers'), frame(h, 'p99 of the answers: now ' + secs(p99[p99.length - 1]) + ', objective ' + secs(goal),
      level(h - h * goal / most, 'cap'), level(h, 'grid'), sv('path', { d: line(p99, h, most), class: 'p99-line' }), mark(W, h - h * goal / most - 5, 'objective ' + secs(goal), 'end'),
    mark(0, h + 14, clock(list[0].at)), mark(W, h + 14, clock(list[list.length - 1].at), 'end')))
  ]);
  put($('history-key'), order.map(([reason, m]) => el('li', null, el('i', { class: 'b' + colourOf(reason) }), words(reason) + ' decided for ' + num(m) + ' min')));
}
