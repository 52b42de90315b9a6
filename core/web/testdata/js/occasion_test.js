import { equal, ok } from './check.js';
const { fareOf, kindOf, placeText, routeText, when, where } = await import(`${self.assets}/js/occasion.js`);
const { describe } = await import(`${self.assets}/js/orderstate.js`);

const GIG = { starts_at: '2027-03-01T19:00:00.000Z', time_zone: 'Europe/Brussels', place: 'Ghent', venue: { name: 'Hall', city: 'Ghent' }, route: null };
const BUS = { starts_at: '2027-05-14T06:15:00.000Z', time_zone: 'Europe/Berlin', place: 'Berlin, central bus station', venue: null, route: { from: 'Berlin', to: 'Prague' } };

export function theDateHasItsYearAndTheEventsOwnTime() {
  ok(when(GIG).startsWith('Mon 1 Mar 2027, 20:00'), when(GIG));
  ok(when(BUS).endsWith('2027, 08:15 Berlin time'), when(BUS));
  ok(when({ ...GIG, time_zone: 'Mars/Base' }).includes('2027'), 'an unknown zone');
}

export function thePlaceIsWhereToGo() {
  equal([where(GIG), routeText(GIG)], ['Hall, Ghent', '']);
  equal([where(BUS), routeText(BUS)], ['From Berlin, central bus station', 'Berlin → Prague']);
  equal(where({ ...GIG, place: 'Ghent, east gate' }), 'Hall, Ghent, east gate');
}

export function thePriceIsNamedOnce() {
  equal(fareOf({ label: 'Saver', fare: 'Saver, no changes' }), 'no changes');
  equal(fareOf({ label: 'Field', fare: 'Festival pass' }), 'Festival pass');
  equal([fareOf({ label: 'Standing, Child', fare: 'Child' }), fareOf({ label: 'Economy', fare: 'Economy' }), fareOf({ label: 'x' })], ['', '', '']);
}

export function aSeatIsCalledInTheVisitorsWords() {
  equal(placeText({ seat: 3, label: 'Block 3, north, row A, seat 12' }), 'Block 3, north, row A, seat 12');
  equal(placeText({ seat: null, label: 'Field, row 1, seat 2' }), 'Field, row 1, seat 2', 'a name of the organiser stays');
  equal(placeText({ label: 'Field' }), 'Field');
}

export function placesAreCalledWhatTheyAre() {
  const seat = { seat: 1, quantity: 1 };
  const pass = { seat: null, quantity: 2 };
  equal([kindOf([seat]), kindOf([pass]), kindOf([seat, pass]), kindOf([])], ['Seats', 'Tickets', 'Tickets', 'Tickets']);
  const said = (lines) => describe({ state: 'pending_payment', payment: null, amount: 100, currency: 'EUR', lines }).text;
  ok(said([seat]).includes('Your seat is held'), said([seat]));
  ok(said([pass]).includes('Your tickets are held'), said([pass]));
  ok(describe({ state: 'confirmed', amount: 100, currency: 'EUR', lines: [pass] }).title === 'They are yours', 'plural');
}
