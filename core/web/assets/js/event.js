// The page of one event: wires map, lists, filters, quantities and basket.

import { Problem, read } from './api.js';
import { renderBasket } from './basket.js';
import { Choice } from './choice.js';
import { span } from './clock.js';
import { byId, data } from './dom.js';
import { renderFilters } from './filters.js';
import { Holding } from './holding.js';
import { chosenLines, countersOf, heldLines, heldOf, placesOf, seatsOf, withPrices } from './lines.js';
import { money } from './format.js';
import { dismiss, explain, notify } from './notice.js';
import { count, list as names, sentences, t } from './say.js';
import { goOnAfterSignIn, goingOn, signedIn } from './signin.js';
import { renderPlaces } from './places.js';
import { setUpPresale } from './presale.js';
import { bestTogether } from './seats/best.js';
import { AVAILABLE, HELD, SOLD } from './seats/codec.js';
import { ready, setUpAccess, setUpBest, setUpZoom, tip } from './seats/controls.js';
import { follow } from './seats/feed.js';
import { SeatList } from './seats/list.js';
import { SeatMap } from './seats/map.js';
import { label, parseVenue } from './seats/venue.js';

const event = data();
let { sale } = byId('shop').dataset;
const levels = withPrices(event);
const choice = new Choice(event.id, event.max_per_account);
const holding = new Holding(event.id);
let counters = countersOf(event, levels);
let feed = { now() {} };
const kind = event.geometry ? 'Seats' : 'Tickets';
let venue = null; // these three only where there are seats
let map = null;
let list = null;
let presale = null; // where there is one
let busy = false; // an action is under way

function render() {
  const { hold } = holding;
  if (map) map.mark(choice.seats, seatsOf(hold));
  if (list) list.update();
  renderPlaces(counters, {
    chosen: (key) => choice.places.get(key) || 0, mine: (id) => heldOf(hold, id), step, room: choice.room, open: sale === 'open',
  });
  renderBasket(byId('basket'), {
    choice, hold, busy, sale, signedIn, max: choice.max, kind, holdFor: span(event.hold_seconds),
    same: Boolean(hold) && choice.equals(hold.lines), ...chosenLines({ choice, venue, counters, currency: event.currency }),
    lines: hold ? heldLines(hold, { venue, counters }) : [], heldTotal: hold ? money(hold.amount, hold.currency) : '',
  }, { take, release, checkout, undo: () => adopt(holding.hold), expired });
}

// ---- choosing

function full() {
  notify(count('tooMany', choice.max), { code: 'limit', tone: 'warn' });
}

function step(key, by) {
  if (by > 0 && choice.room < 1) full();
  else choice.setPlaces(key, (choice.places.get(key) || 0) + by);
}

// pick takes a seat into the choice, or out of it.
function pick(i) {
  if (choice.seats.has(i)) {
    choice.remove(i);
    speak(count('seatRemoved', choice.count, { seat: label(venue, i) }));
  } else if (sale !== 'open') {
    notify(t('problemNotOnSale'), { code: 'not_on_sale', tone: 'warn' });
  } else if (!mayBeChosen(i)) {
    speak(t('seatIs', { seat: label(venue, i), status: map.status(i) }));
  } else if (!choice.add(i)) {
    full();
  } else {
    dismiss('seat_taken');
    speak(count('seatAdded', choice.count, { seat: label(venue, i) }));
  }
}

function mayBeChosen(i) {
  return venue.cls[i] !== 255 && (map.scene.states[i] === AVAILABLE || seatsOf(holding.hold).has(i));
}

function speak(text) {
  byId('map-says').textContent = text;
}

// best replaces the chosen seats by n together. With "any price" it looks where
// the filter looks.
function best(n, cls) {
  const found = bestTogether(venue, map.scene.states, n, cls, (i) => (cls >= 0 || map.scene.shown(venue.cls[i])) && (choice.accessible || !venue.kind[i]));
  if (!found.length) {
    notify(count(cls < 0 ? 'bestNone' : 'bestNonePrice', n), { code: 'best', tone: 'warn' });
    return;
  }
  dismiss('best');
  const byKey = byId('best-pick').matches(':focus-visible');
  choice.set(found, choice.places);
  map.look(found);
  if (byKey) byId('basket').querySelector('[data-focus=main]')?.focus(); // the next step, and not past the whole map
  byId('map').scrollIntoView({ block: 'nearest' });
  speak(t('seatsPicked', { seats: names(found.map((i) => label(venue, i))) }));
}

// ---- holding

// working runs one action at a time and shows that it runs.
async function working(action) {
  if (busy) return;
  busy = true;
  render();
  try {
    await action();
  } catch (err) {
    refused(err);
  } finally {
    busy = false;
    render();
  }
}

// take holds what is chosen. Without an account it says so and goes on by itself
// after signing in, with the same key.
function take() {
  return working(async () => {
    if (!signedIn) goOnAfterSignIn(event.id);
    const before = holding.hold;
    const now = await holding.take(choice.request());
    counters = counters.map((c) => ({ ...c, available: c.available + heldOf(before, c.id) - heldOf(now, c.id) })); // until the next snapshot
    adopt(holding.hold);
    dismiss('seat_taken');
    dismiss('expired');
  });
}

function release() {
  return working(async () => {
    const seats = seatsOf(holding.hold);
    await holding.release();
    for (const i of seats) map.setState(i, AVAILABLE);
    choice.clear();
    feed.now();
  });
}

function checkout() {
  return working(async () => {
    const order = await holding.checkout();
    location.assign(`/checkout/${encodeURIComponent(order)}`);
    await new Promise(() => {}); // the page is going away: stay busy
  });
}

// adopt makes the choice what the hold holds.
function adopt(hold) {
  choice.set(seatsOf(hold), placesOf(hold));
}

function expired() {
  holding.forget();
  notify(t(`expired${kind}`), { code: 'expired', tone: 'warn' });
  render();
  feed.now();
}

function refused(err) {
  if (err instanceof Problem && err.code === 'seat_taken') {
    taken(err.body.seats);
    return;
  }
  if (err.code === 'not_on_sale' && presale) {
    sale = 'soon';
    presale.closed();
  }
  if (err.code === 'seat_kept' && !choice.accessible) {
    notify(t('problemKept'), { code: 'seat_kept', tone: 'warn' });
    byId('accessible').scrollIntoView({ block: 'center' }); // the message names it, and must not cover it
    byId('accessible').focus({ preventScroll: true });
    return;
  }
  if (err.code === 'hold_expired' || err.code === 'hold_released') holding.forget();
  if (!['line', 'unauthenticated', 'no_answer'].includes(err.code)) feed.now(); // what we showed was out of date
  explain(err);
}

// taken corrects the map in place, says which seats went, and keeps the rest.
function taken(gone) {
  for (const { seat, state } of gone) map.setState(seat - 1, state === 'held' ? HELD : SOLD);
  choice.remove(...gone.map(({ seat }) => seat - 1));
  const which = t('justTaken', { seats: names(gone.map(({ seat }) => label(venue, seat - 1))) });
  notify(sentences(which, choice.count && count('othersStay', choice.count)), { code: 'seat_taken', tone: 'warn' });
}

// over forgets the choice once it was bought or given back elsewhere, and says
// whether that was so. After a hold that ran out people want the same seats again.
function over() {
  const done = holding.ended === 'sold' || holding.ended === 'released';
  if (done) choice.clear();
  return done;
}

// received shows a new map of the seats.
function received(states, levels) {
  dismiss('no_answer');
  if (map && states) {
    map.setStates(states);
    ready();
    const mine = seatsOf(holding.hold);
    const gone = [...choice.seats].filter((i) => states[i] !== AVAILABLE && !mine.has(i));
    if (gone.length && !busy) taken(gone.map((i) => ({ seat: i + 1, state: states[i] === HELD ? 'held' : 'sold' })));
  }
  counters = counters.map((c) => ({ ...c, available: levels.get(c.id) ?? c.available }));
  render();
}

// ---- start

async function setUpMap() {
  venue = parseVenue(await read(event.geometry), levels);
  map = new SeatMap(byId('seat-map'), venue, { pick, say: speak, tip });
  list = new SeatList(venue, map.scene, { pick });
  renderFilters(venue.classes, (hidden) => {
    map.show(hidden);
    list.update();
  });
  setUpZoom(map);
  setUpBest(venue.classes, choice.max, best);
  setUpAccess(venue, choice);
}

async function start() {
  if (byId('presale')) presale = setUpPresale(event, () => { sale = 'open'; render(); });
  render();
  if (event.geometry) await setUpMap();
  choice.restore((i) => Boolean(venue) && venue.row[i] >= 0 && venue.cls[i] !== 255, (key) => counters.some((c) => c.key === key));
  const hold = await holding.restore();
  if (hold && !choice.count) adopt(hold);
  if (!hold) over();
  choice.onChange(render);
  render();
  feed = follow(event.seats, { map: received, problem: (p) => explain(p, { quiet: true }) });
  document.addEventListener('visibilitychange', again);
  addEventListener('focus', again);
  addEventListener('storage', (e) => { if (e.key === holding.name) again(); }); // another tab held, changed or gave back
  if (goingOn(event.id) && choice.count) await take();
}

// again looks what became of the hold while this tab was not in front.
async function again() {
  if (document.hidden || busy || !(holding.hold || holding.kept())) return;
  const before = holding.hold;
  const changed = before ? !choice.equals(before.lines) : choice.count > 0; // a wish of this tab stays
  const hold = await holding.restore();
  if (hold && hold.id !== before?.id && !changed) adopt(hold);
  else if (!hold && before && !over()) expired();
  else render();
}

// opening loads the page again when the sale starts, a little later for some, so
// that a crowd of open pages does not ask in one instant. A timer counts at most
// 2^31 ms; who waits longer loads the page again before that.
function opening() {
  const left = sale === 'soon' ? Date.parse(event.on_sale_at) - Date.now() : 0;
  if (left > 0 && left < 2 ** 31 - 3000) setTimeout(() => location.reload(), left + Math.random() * 3000);
}

// A page that comes back from the browser's memory shows an old basket.
addEventListener('pageshow', (e) => { if (e.persisted) location.reload(); });
opening();
start().catch((err) => {
  const wait = byId('map-wait');
  if (wait) wait.textContent = t('noMap');
  explain(err);
});
