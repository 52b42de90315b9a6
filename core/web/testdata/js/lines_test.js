import { equal, store } from './check.js';
import { LEVELS, hall } from './venues.js';
const { chosenLines, countersOf, heldLines, heldOf, placesOf, seatsOf, withPrices } = await import(`${self.assets}/js/lines.js`);
const { Choice } = await import(`${self.assets}/js/choice.js`);
const { parseVenue } = await import(`${self.assets}/js/seats/venue.js`);

const EVENT = {
  currency: 'EUR', geometry: '/v1/geometry/x', levels: LEVELS,
  counters: [{ id: 1, kind: 'class', name: 'Near', class: 'A', available: 5 }, { id: 2, kind: 'area', name: 'Field', class: 'B', available: 9 }],
};

const HOLD = {
  currency: 'EUR', amount: 17000,
  lines: [{ line: 0, seat: 3, label: 'Stalls, row 1, seat 3', counter: null, quantity: 1, price: 9000 }, { line: 1, seat: null, label: 'Field', counter: 2, quantity: 2, price: 4000 }],
};

export function aClassIsChosenByItsSeatsWhereThereAreSome() {
  const levels = withPrices(EVENT);
  equal(countersOf(EVENT, levels).map((c) => c.name), ['Field']);
  equal(countersOf({ ...EVENT, geometry: null }, levels).map((c) => [c.name, c.price]), [['Near', '€90'], ['Field', '€40']]);
}

export function chosenLinesAddUp() {
  const levels = withPrices(EVENT);
  const choice = new Choice('e', 6, store());
  choice.set([2, 30], [[2, 3]]);
  const { items, total } = chosenLines({ choice, venue: parseVenue(hall(), levels), counters: countersOf(EVENT, levels), currency: 'EUR' });
  equal(items.map((i) => [i.text, i.price]), [['Stalls, row 1, seat 3', '€90'], ['Circle, row 1, seat 1', '€40'], ['3 × Field', '€120']]);
  equal(total, '€250');
  items[2].remove();
  items[0].remove();
  equal(choice.request(), { seats: [31] });
}

export function ticketTypesAreChosenBesideTheCountersOwnPrice() {
  const event = { ...EVENT, levels: [...LEVELS, { class: 'under-12', name: 'Child', amount: 500 }], counters: [{ ...EVENT.counters[1], types: ['under-12', 'unpriced'] }] };
  const counters = countersOf(event, withPrices(event));
  equal(counters.map((c) => [c.key, c.name, c.price, c.fare]), [[2, 'Field', '€40', 'Far'], ['2-under-12', 'Field, Child', '€5', '']]);
  const choice = new Choice('e', 6, store());
  choice.set([], [['2-under-12', 2], [2, 1]]);
  equal(chosenLines({ choice, venue: null, counters, currency: 'EUR' }).total, '€50');
  equal(choice.request(), { places: [{ counter: 2, quantity: 1 }, { counter: 2, quantity: 2, class: 'under-12' }] });
  const hold = { currency: 'EUR', lines: [{ line: 0, seat: null, label: 'Field', counter: 2, quantity: 1, price: 4000 }, { line: 1, seat: null, label: 'Field, Child', counter: 2, class: 'under-12', quantity: 2, price: 500 }] };
  equal([choice.equals(hold.lines), heldOf(hold, 2), [...placesOf(hold)]], [true, 3, [[2, 1], ['2-under-12', 2]]]);
  equal(choice.equals([hold.lines[0], { ...hold.lines[1], class: undefined }]), false, 'three adults are another choice');
  equal(heldLines(hold, { counters }).map((l) => [l.text, l.note, l.price]), [['1 × Field', 'Far', '€40'], ['2 × Field, Child', '', '€10']]);
}

export function aHoldIsTakenApart() {
  equal(heldLines(HOLD).map((l) => [l.text, l.price]), [['Stalls, row 1, seat 3', '€90'], ['2 × Field', '€80']]);
  equal([[...seatsOf(HOLD)], [...placesOf(HOLD)]], [[2], [[2, 2]]]);
  equal([seatsOf(null).size, placesOf(null).size], [0, 0]);
}
