// What is chosen or held, as lines a person reads: the same shape for both.

import { placeKey } from './choice.js';
import { money } from './format.js';
import { fareOf, placeText } from './occasion.js';
import { t } from './say.js';
import { label, levelOf } from './seats/venue.js';

// withPrices adds the text of the price to each level of an event.
export function withPrices({ levels, currency }) {
  return levels.map((l) => ({ ...l, price: money(l.amount, currency) }));
}

// countersOf lists what is bought by quantity: a counter at its own price, then as
// each of its ticket types, which share what is available. Where there is a seat map, a class
// is counted along with its seats and is not a choice of its own.
export function countersOf({ counters, geometry }, levels) {
  const byClass = new Map(levels.map((l) => [l.class, l]));
  return counters.filter((c) => c.kind === 'area' || !geometry)
    .flatMap((c) => ['', ...(c.types || []).filter((type) => byClass.has(type))].map((type) => {
      const { price = '', amount = 0, name: fare = '' } = byClass.get(type || c.class) || {};
      const name = type ? `${c.name}, ${fare}` : c.name; // as the core calls its lines (hold.CounterLabel)
      return { ...c, key: placeKey(c.id, type), type, name, price, amount, fare: fareOf({ label: name, fare }) };
    }));
}

// chosenLines returns {items, total} of a choice.
export function chosenLines({ choice, venue, counters, currency }) {
  let total = 0;
  const line = (key, text, note, amount, remove) => {
    total += amount;
    return { key, text, note, price: money(amount, currency), remove };
  };
  const items = [...choice.seats].map((i) => {
    const level = levelOf(venue, i);
    return line(`seat-${i}`, label(venue, i), level.name, level.amount, () => choice.remove(i));
  });
  for (const [key, n] of choice.places) {
    const c = counters.find((k) => k.key === key);
    items.push(line(`place-${key}`, t('times', { n, what: c.name }), c.fare, c.amount * n, () => choice.setPlaces(key, 0)));
  }
  return { items, total: money(total, currency) };
}

// heldLines returns the lines of a hold. The price in a line is of one place.
// venue and counters give the name of the price, where it is the place's own.
export function heldLines(hold, { venue = null, counters = [] } = {}) {
  const note = (l) => {
    if (l.seat) return venue ? levelOf(venue, l.seat - 1)?.name || '' : '';
    const c = counters.find((k) => k.key === placeKey(l.counter, l.class));
    return c && c.name === l.label ? c.fare : '';
  };
  return hold.lines.map((l) => ({
    key: `line-${l.line}`, text: l.seat ? placeText(l) : t('times', { n: l.quantity, what: l.label }), note: note(l), price: money(l.price * l.quantity, hold.currency),
  }));
}

// seatsOf and placesOf take a hold apart: seat indexes, and quantities by placeKey.
export function seatsOf(hold) {
  return new Set(hold ? hold.lines.filter((l) => l.seat).map((l) => l.seat - 1) : []);
}

export function placesOf(hold) {
  const places = new Map();
  for (const l of hold ? hold.lines : []) {
    if (l.seat) continue;
    const key = placeKey(l.counter, l.class);
    places.set(key, (places.get(key) || 0) + l.quantity);
  }
  return places;
}

// heldOf is how many places of a counter a hold has, whatever they are taken as.
export function heldOf(hold, counter) {
  return (hold ? hold.lines : []).reduce((n, l) => n + (!l.seat && l.counter === counter ? l.quantity : 0), 0);
}
