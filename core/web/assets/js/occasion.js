// When, where and at which price, as people read it: of an event, an order or a
// ticket, which all carry starts_at, time_zone, place, venue and route.

import { dateText } from './format.js';
import { isolated, t } from './say.js';

// when is in the event's own zone, with the year. The zone is named for a trip,
// whose buyer may be elsewhere, and where it is not the visitor's own.
export function when(o) {
  try {
    const text = dateText('year', o.starts_at, o.time_zone);
    return zoneMatters(o) ? inZone(text, o.time_zone) : text;
  } catch {
    return inZone(dateText('year', o.starts_at, 'UTC'), 'UTC'); // a zone this browser does not know
  }
}

function zoneMatters({ route, time_zone: zone }) {
  return Boolean(route) || zone !== Intl.DateTimeFormat().resolvedOptions().timeZone;
}

// inZone says a zone as people do: "Lisbon time", not WEST or GMT+1.
function inZone(text, zone) {
  return zone.includes('/') ? t('zoneTime', { when: text, city: zone.split('/').pop().replaceAll('_', ' ') }) : `${text} ${zone}`;
}

// where is the place to go to. Of a trip it is where it departs.
export function where({ place, venue, route }) {
  if (route) return t('departsAt', { place });
  if (!venue) return isolated(place);
  const city = place.startsWith(venue.city) ? place : venue.city;
  return isolated(`${venue.name}, ${city}`);
}

export function routeText({ route }) {
  return route ? t('routeText', route) : '';
}

// fareOf is what the name of the price says beyond the label: "no changes" of
// "Saver, no changes" where the label is "Saver".
export function fareOf({ label, fare }) {
  if (!fare || label === fare || label.endsWith(`, ${fare}`)) return '';
  return fare.startsWith(`${label}, `) ? fare.slice(label.length + 2) : fare;
}

// placeText is the label of a line or ticket in the visitor's language. The core
// calls a seat "Stalls, row 1, seat 3" everywhere (hold.Label); whatever else a
// label says is a name, and stays.
const SEAT = /^(.+), row ([^,]+), seat ([^,]+)$/;

export function placeText({ seat, label }) {
  const found = seat === null ? null : SEAT.exec(label);
  return found ? t('seatLabel', { section: found[1], row: found[2], seat: found[3] }) : isolated(label);
}

// kindOf names the places of lines as what they are, for the names of texts:
// seats on a map, tickets of areas and trips.
export function kindOf(lines) {
  return lines.length > 0 && lines.every((l) => l.seat) ? 'Seats' : 'Tickets';
}

export function countOf(lines) {
  return lines.reduce((n, l) => n + l.quantity, 0);
}
