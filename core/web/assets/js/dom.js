// Elements without innerHTML: text stays text, and the content policy (Trusted
// Types) would refuse anything else.

const SVG = 'http://www.w3.org/2000/svg';

// h('a.button', {href: '/x', onclick: f}, 'text', child, ...)
// Properties: on* are listeners, true sets an empty attribute, null/false omits.
export function h(spec, props, ...children) {
  const [tag, ...classes] = spec.split('.');
  const el = document.createElement(tag || 'div');
  if (classes.length) el.className = classes.join(' ');
  return fill(el, props, children);
}

export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(el, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) el.addEventListener(name.slice(2), value);
    else el.setAttribute(name, value === true ? '' : value);
  }
  el.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return el;
}

export function byId(id) {
  return document.getElementById(id);
}

// data reads the block the server put into the page.
export function data() {
  const block = byId('page-data');
  return block ? JSON.parse(block.textContent) : {};
}

// replace changes the content of el and keeps the focus on the element with the
// same data-focus, which a rebuilt panel would otherwise drop to the body.
export function replace(el, ...children) {
  const active = document.activeElement;
  const held = active && el.contains(active) ? active.dataset.focus : null;
  el.replaceChildren(...children.flat(3).filter(Boolean));
  if (!held) return;
  const again = el.querySelector(`[data-focus="${CSS.escape(held)}"]`) || el.querySelector('[data-focus-rest]');
  if (again) again.focus({ preventScroll: true });
}

// differs says whether what el shows has to be drawn again. A panel rebuilt for
// nothing would swallow a click whose button went away between down and up.
const shown = new WeakMap();

export function differs(el, model) {
  const now = JSON.stringify(model);
  if (shown.get(el) === now) return false;
  shown.set(el, now);
  return true;
}
