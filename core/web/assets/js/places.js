// Areas and fare classes: a quantity each.

import { byId, h } from './dom.js';
import { native } from './format.js';
import { count, t } from './say.js';

const FEW = 20; // below this the number left is exact, and worth knowing

// rows are kept by counter: a button pressed again and again stays the same
// element, so that neither the focus nor a second press is lost.
const rows = new Map();

// renderPlaces draws counters [{id, name, fare, price, available}]. chosen(id)
// and mine(id) are the quantities wanted and held, step(id, by) changes the
// first, room is how many more are possible, open whether it is on sale.
export function renderPlaces(counters, { chosen, mine, step, room, open }) {
  const box = byId('places');
  if (!box) return;
  for (const c of counters) if (!rows.has(c.id)) rows.set(c.id, makeRow(c));
  const wanted = counters.map((c) => rows.get(c.id).el);
  if (wanted.length !== box.children.length || wanted.some((el, k) => el !== box.children[k])) box.replaceChildren(...wanted);
  for (const c of counters) {
    const n = chosen(c.id);
    const there = c.available + mine(c.id);
    const row = rows.get(c.id);
    put(row.price, `${c.price} · ${status(there)}`);
    put(row.count, native(String(n)));
    row.press = (by) => {
      if (by < 0 ? n > 0 : open && there > n) step(c.id, by);
    };
    row.less.setAttribute('aria-disabled', String(n === 0));
    row.more.setAttribute('aria-disabled', String(!open || there <= n || room < 1));
  }
}

function makeRow(c) {
  const row = { press() {} };
  const button = (name, text, what, by) => h('button', {
    type: 'button', 'data-testid': `place-${c.id}-${name}`, 'aria-label': t(what, { name: c.name }), onclick: () => row.press(by),
  }, text);
  row.price = h('span.muted');
  row.less = button('less', '−', 'oneLess', -1);
  row.more = button('more', '+', 'oneMore', 1);
  row.count = h('output', { 'data-testid': `place-${c.id}-count`, 'aria-live': 'polite' });
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
