// The page of one event: wires map, lists, filters, quantities and basket.

import { Problem, read } from './api.js';
import { Choice } from './choice.js';
import { Holding } from './holding.js';
import { renderBasket } from './basket.js';
import { renderFilters } from './filters.js';
import { renderPlaces } from './places.js';
import { byId, data, h } from './dom.js';
import { span } from './clock.js';
import { asMoney, plural } from './money.js';
import { dismiss, explain, notify } from './notice.js';
import { AVAILABLE, HELD, SOLD } from './seats/codec.js';
import { bestTogether } from './seats/best.js';
import { follow } from './seats/feed.js';
import { SeatList } from './seats/list.js';
import { SeatMap } from './seats/map.js';
import { label, levelOf, parseVenue } from './seats/venue.js';

const event = data();
const sale = byId('shop').dataset.sale;
const levels = (event.levels || []).map((l) => ({ ...l, price: asMoney(l.amount, event.currency) })).map((l) => ({ ...l, amount: l.price.amount }));
const levelByClass = new Map(levels.map((l) => [l.class, l]));
const choice = new Choice(event.id, event.max_per_account || 6);
const holding = new Holding(event.id);
let counters = countersOf(event);
let venue = null;
let map = null;
let list = null;
let busy = false;

// countersOf: what is bought by quantity. Where there is a seat map, a class is
// counted along with its seats and is not a choice of its own.
function countersOf({ counters: all = [], geometry }) {
  return all.filter((c) => c.kind !== 'class' || !geometry)
    .map((c) => ({ ...c, price: (levelByClass.get(c.class) || {}).price, available: c.available ?? 0 }));
}

const mineSeats = () => new Set((holding.hold ? holding.hold.lines : []).filter((l) => l.seat).map((l) => l.seat - 1));
const minePlaces = (id) => (holding.hold ? holding.hold.lines : []).filter((l) => !l.seat && l.counter === id).reduce((n, l) => n + l.quantity, 0);

function render() {
  const { hold } = holding;
  if (map) map.mark(choice.seats, mineSeats());
  if (list) list.update();
  renderPlaces(counters, {
    chosen: (id) => choice.places.get(id) || 0, mine: minePlaces, room: choice.room, open: sale === 'open',
    step(id, by) {
      if (by > 0 && choice.room < 1) return full();
      return choice.setPlaces(id, (choice.places.get(id) || 0) + by);
    },
  });
  const items = chosenItems();
  renderBasket(byId('basket'), {
    choice, hold, busy, sale, noun: venue ? ['seat', 'seats'] : ['ticket', 'tickets'], max: choice.max, holdFor: span(event.hold_seconds),
    same: Boolean(hold) && choice.equals(hold.lines), items, lines: hold ? hold.lines.map(heldLine) : [], heldTotal: hold && asMoney(hold.amount, hold.currency),
    total: { amount: items.reduce((sum, i) => sum + i.price.amount, 0), currency: event.currency },
  }, { take, release, checkout, undo, expired });
}

function chosenItems() {
  const seats = [...choice.seats].map((i) => ({
    key: `seat-${i}`, text: label(venue, i), note: levelOf(venue, i)?.name, price: levelOf(venue, i)?.price || asMoney(0, event.currency), remove: () => choice.remove(i),
  }));
  const places = [...choice.places].map(([id, n]) => {
    const c = counters.find((k) => k.id === id) || { name: 'Place' };
    return { key: `place-${id}`, text: `${n} × ${c.name}`, price: asMoney((c.price ? c.price.amount : 0) * n, event.currency), remove: () => choice.setPlaces(id, 0) };
  });
  return seats.concat(places);
}

function heldLine(l) {
  return { key: `line-${l.line}`, text: l.seat ? l.label : `${l.quantity} × ${l.label}`, price: lineTotal(l) };
}

// lineTotal: price is of one place.
function lineTotal(l) {
  const price = asMoney(l.price, event.currency);
  return { ...price, amount: price.amount * (l.seat ? 1 : l.quantity) };
}

// ---- choosing

function full() {
  notify(`You can choose up to ${choice.max}. Remove one first.`, { code: 'limit', tone: 'warn' });
  return false;
}

function pick(i) {
  if (choice.seats.has(i)) {
    choice.remove(i);
    return speak(`${label(venue, i)} removed. ${plural(choice.count, 'seat', 'seats')} chosen.`);
  }
  if (sale !== 'open') {
    notify('This is not on sale right now.', { code: 'not_on_sale', tone: 'warn' });
    return undefined;
  }
  if (!(map.scene.states[i] === AVAILABLE || mineSeats().has(i)) || venue.cls[i] === 255) {
    return speak(`${label(venue, i)} is ${map.status(i)}.`);
  }
  if (!choice.add(i)) return full();
  dismiss('seat_taken');
  return speak(`${label(venue, i)} chosen. ${plural(choice.count, 'seat', 'seats')} chosen.`);
}

function speak(text) {
  byId('map-says').textContent = text;
}

function best(e) {
  e.preventDefault();
  const n = Number(byId('best-quantity').value);
  const cls = Number(byId('best-class').value);
  const mine = mineSeats();
  const found = bestTogether(venue, map.scene.states, n, cls, (i) => !mine.has(i) && (cls >= 0 || map.scene.shown(venue.cls[i])));
  if (!found.length) return notify(`There are no ${n} seats together${cls < 0 ? '' : ' at this price'} any more. Try fewer, or another price.`, { code: 'best', tone: 'warn' });
  dismiss('best');
  choice.set(found, choice.places);
  map.look(found);
  byId('map').scrollIntoView({ block: 'nearest' });
  return speak(`${found.map((i) => label(venue, i)).join('; ')} chosen.`);
}

// ---- holding

async function working(f) {
  if (busy) return;
  busy = true;
  render();
  try {
    await f();
  } catch (err) {
    if (!(err instanceof Problem)) console.error(err);
    refused(err);
  } finally {
    busy = false;
    render();
  }
}

function take() {
  return working(async () => {
    adopt(await holding.take(choice.request()));
    dismiss('seat_taken');
    dismiss('expired');
  });
}

function release() {
  return working(async () => {
    const lines = holding.hold.lines;
    await holding.release();
    lines.forEach((l) => l.seat && map && map.setState(l.seat - 1, AVAILABLE));
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
  const places = new Map();
  for (const l of hold.lines) if (!l.seat) places.set(l.counter, (places.get(l.counter) || 0) + l.quantity);
  choice.set(hold.lines.filter((l) => l.seat).map((l) => l.seat - 1), places);
}

function undo() {
  adopt(holding.hold);
}

function expired() {
  holding.forget();
  notify('Your time ran out, and the seats went back on sale. Your choice is still marked: press the button to try again.', { code: 'expired', tone: 'warn' });
  render();
  feed.now();
}

function refused(err) {
  if (err.code === 'seat_taken') return taken(err.body.seats || []);
  if (err.code === 'hold_expired' || err.code === 'hold_released') {
    holding.forget();
    feed.now();
  }
  if (err.code === 'not_enough_places') feed.now();
  return explain(err);
}

// taken corrects the map in place, says which seats went, and keeps the rest.
function taken(gone) {
  const was = gone.map(({ seat, state }) => ({ i: seat - 1, state })).filter(({ i }) => i >= 0 && i < venue.count);
  for (const { i, state } of was) map.setState(i, state === 'held' ? HELD : SOLD);
  choice.remove(...was.map(({ i }) => i));
  const names = was.map(({ i }) => label(venue, i)).join('; ');
  const rest = choice.count ? ` ${choice.count === 1 ? 'The other one is' : `The other ${choice.count} are`} still chosen.` : '';
  notify(`Just taken by someone else: ${names}.${rest}`, { code: 'seat_taken', tone: 'warn' });
}

// ---- start

let feed = { now() {} };

async function start() {
  choice.onChange(render);
  render();
  if (event.geometry) {
    const geometry = await read(event.geometry);
    venue = parseVenue(geometry, levels);
    map = new SeatMap(byId('seat-map'), venue, { pick, say: speak, tip });
    list = new SeatList(venue, map.scene, { pick });
    renderFilters(venue.classes, (hidden) => {
      map.show(hidden);
      list.update();
    });
    byId('zoom-in').addEventListener('click', () => map.zoomStep(1.8));
    byId('zoom-out').addEventListener('click', () => map.zoomStep(1 / 1.8));
    byId('zoom-fit').addEventListener('click', () => map.showAll());
    setUpBest();
  }
  choice.restore((i) => Boolean(venue) && i < venue.count && venue.row[i] >= 0);
  const hold = await holding.restore();
  if (hold && !choice.count) adopt(hold);
  if (!hold) over();
  feed = follow(event.seats, { states: received, problem: (p) => explain(p, { quiet: true }) });
  render();
  document.addEventListener('visibilitychange', async () => {
    if (document.hidden || !holding.hold || busy) return;
    if (!(await holding.restore()) && !over()) expired();
  });
}

// over forgets the choice once it was bought or given back elsewhere, and says
// whether that was so. After a hold that ran out people want the same seats again.
function over() {
  const done = holding.ended === 'sold' || holding.ended === 'released';
  if (done) choice.clear();
  return done;
}

function received(states, body) {
  dismiss('no_answer');
  if (map && states) {
    const first = byId('map').dataset.ready !== 'true';
    map.setStates(states);
    if (first) {
      byId('map').dataset.ready = 'true';
      byId('seat-map').dataset.ready = 'true';
      byId('map-wait').remove();
    }
    const mine = mineSeats();
    const gone = [...choice.seats].filter((i) => states[i] !== AVAILABLE && !mine.has(i));
    if (gone.length && !busy) taken(gone.map((i) => ({ seat: i + 1, state: states[i] === HELD ? 'held' : 'sold' })));
  }
  const available = new Map((body.counters || []).map((c) => [c.id, c.available]));
  counters = counters.map((c) => (available.has(c.id) ? { ...c, available: available.get(c.id) } : c));
  render();
}

function setUpBest() {
  byId('best-quantity').append(...Array.from({ length: choice.max }, (_, k) => h('option', { value: k + 1, selected: k === Math.min(1, choice.max - 1) }, String(k + 1))));
  byId('best-class').append(h('option', { value: -1 }, 'Any price'), ...venue.classes.map((c, k) => h('option', { value: k }, c.name)));
  byId('best').addEventListener('submit', best);
}

function tip(text, x, y) {
  const el = byId('map-tip');
  el.hidden = !text;
  if (!text) return;
  el.textContent = text;
  const room = byId('map').clientWidth;
  el.style.left = `${Math.max(8, Math.min(x - el.offsetWidth / 2, room - el.offsetWidth - 8))}px`;
  el.style.top = `${y > 70 ? y - el.offsetHeight - 18 : y + 22}px`;
}

// opening loads the page again when the sale starts, a little later for some, so
// that a crowd of open pages does not ask in one instant.
function opening() {
  const left = sale === 'soon' ? Date.parse(event.on_sale_at) - Date.now() : 0;
  if (left > 0 && left < 2 ** 31 - 10000) setTimeout(() => location.reload(), left + Math.random() * 3000);
}

// A page that comes back from the browser's memory shows an old basket.
addEventListener('pageshow', (e) => { if (e.persisted) location.reload(); });
opening();
start().catch((err) => {
  const wait = byId('map-wait');
  if (wait) wait.textContent = 'The map could not be drawn.';
  explain(err);
});
