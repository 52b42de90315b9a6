// Areas and fare classes: a quantity each.

import { byId, differs, h, replace } from './dom.js';

const FEW = 50; // from here on the number left is worth knowing

// renderPlaces draws counters [{id, name, available, price}]. chosen(id) and
// mine(id) are the quantities wanted and held, step(id, by) changes the first,
// room is how many more are possible, open whether it is on sale.
export function renderPlaces(counters, { chosen, mine, step, room, open }) {
  const box = byId('places');
  if (!box || !differs(box, [room, open, counters.map((c) => [c, chosen(c.id), mine(c.id)])])) return;
  replace(box, counters.map((c) => {
    const n = chosen(c.id);
    const left = Math.max(0, c.available + mine(c.id) - n);
    return h('li.place', null,
      h('span.place-text', null, h('b', null, c.name), c.fare && h('span.muted', null, c.fare), h('span.muted', null, `${c.price}${status(c.available + mine(c.id))}`)),
      h('span.stepper', { role: 'group', 'aria-label': c.name },
        h('button', { type: 'button', 'data-testid': `place-${c.id}-less`, 'data-focus': `less-${c.id}`, 'aria-label': `One less: ${c.name}`, 'aria-disabled': n === 0, onclick: () => n > 0 && step(c.id, -1) }, '−'),
        h('output', { 'data-testid': `place-${c.id}-count`, 'aria-live': 'polite' }, String(n)),
        h('button', { type: 'button', 'data-testid': `place-${c.id}-more`, 'data-focus': `more-${c.id}`, 'aria-label': `One more: ${c.name}`, 'aria-disabled': !open || left === 0 || room < 1, onclick: () => open && left > 0 && step(c.id, 1) }, '+')));
  }));
}

function status(available) {
  if (available <= 0) return ' · none left';
  return available <= FEW ? ` · ${available} left` : ' · available';
}
