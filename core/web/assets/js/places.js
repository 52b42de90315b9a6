// Areas and fare classes: a quantity each, and one for each of their ticket types.

import { byId, h } from './dom.js';
import { native } from './format.js';
import { count, t } from './say.js';

const FEW = 20; // below this the number left is exact, and worth knowing

// rows are kept by key: a button pressed again and again stays the same
// element, so that neither the focus nor a second press is lost.
const rows = new Map();

// renderPlaces draws counters [{key, id, type, name, fare, price, available}];
// those with one id share what is available. chosen(key) is the quantity wanted,
// step(key, by) changes it, mine(id) is what is held of all that share, room is how
// many more are possible, open whether it is on sale.
export function renderPlaces(counters, { chosen, mine, step, room, open }) {
  const box = byId('places');
  if (!box) return;
  for (const c of counters) if (!rows.has(c.key)) rows.set(c.key, makeRow(c));
  const wanted = counters.map((c) => rows.get(c.key).el);
  if (wanted.length !== box.children.length || wanted.some((el, k) => el !== box.children[k])) box.replaceChildren(...wanted);
  for (const c of counters) {
    const n = chosen(c.key);
    const there = c.available + mine(c.id);
    const wish = counters.reduce((sum, k) => sum + (k.id === c.id ? chosen(k.key) : 0), 0);
    const row = rows.get(c.key);
    put(row.price, c.type && there > 0 ? c.price : `${c.price} · ${status(there)}`); // "9 left" on each would read as 9 of each
    put(row.count, native(String(n)));
    row.press = (by) => {
      if (by < 0 ? n > 0 : open && there > wish) step(c.key, by);
    };
    row.less.setAttribute('aria-disabled', String(n === 0));
    row.more.setAttribute('aria-disabled', String(!open || there <= wish || room < 1));
  }
}

function makeRow(c) {
  const row = { press() {} };
  const button = (name, text, what, by) => h('button', {
    type: 'button', 'data-testid': `place-${c.key}-${name}`, 'aria-label': t(what, { name: c.name }), onclick: () => row.press(by),
  }, text);
  row.price = h('span.muted');
  row.less = button('less', '−', 'oneLess', -1);
  row.more = button('more', '+', 'oneMore', 1);
  row.count = h('output', { 'data-testid': `place-${c.key}-count`, 'aria-live': 'polite' });
  row.el = h('li.place', null,
    h('span.place-text', null, h('b', { dir: 'auto' }, c.name), c.fare && h('span.muted', { dir: 'auto' }, c.fare), row.price),
    h('span.stepper', { role: 'group', 'aria-label': c.name }, row.less, row.count, row.more));
  return row;
}

// put changes text only where it differs: an unchanged count is not read out again.
function put(el, text) {
  if (el.textContent !== text) el.textContent = text;
}

function status(available) {
  if (available <= 0) return t('noneLeft');
  return available < FEW ? count('someLeft', available) : t('available');
}
