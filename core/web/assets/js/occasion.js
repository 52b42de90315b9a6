// When, where and at which price, as people read it: of an event, an order or a
// ticket, which all carry starts_at, time_zone, place, venue and route.

// when is in the event's own zone, with the year. The zone is named for a trip,
// whose buyer may be elsewhere, and where it is not the visitor's own.
export function when(o, locale = 'en-GB') {
  const format = { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const at = new Date(o.starts_at);
  try {
    const text = new Intl.DateTimeFormat(locale, { ...format, timeZone: o.time_zone }).format(at);
    return zoneMatters(o) ? `${text} ${zoneName(o.time_zone)}` : text;
  } catch {
    return new Intl.DateTimeFormat(locale, { ...format, timeZoneName: 'short' }).format(at); // a zone this browser does not know
  }
}

function zoneMatters({ route, time_zone: zone }) {
  return Boolean(route) || zone !== Intl.DateTimeFormat().resolvedOptions().timeZone;
}

// zoneName says a zone as people do: "Lisbon time", not WEST or GMT+1.
export function zoneName(zone) {
  return zone.includes('/') ? `${zone.split('/').pop().replaceAll('_', ' ')} time` : zone;
}

// where is the place to go to. Of a trip it is where it departs.
export function where({ place, venue, route }) {
  if (route) return `From ${place}`;
  if (!venue) return place;
  const city = place.startsWith(venue.city) ? place : venue.city;
  return `${venue.name}, ${city}`;
}

export function routeText({ route }) {
  return route ? `${route.from} → ${route.to}` : '';
}

// fareOf is what the name of the price says beyond the label: "no changes" of
// "Saver, no changes" where the label is "Saver".
export function fareOf({ label, fare }) {
  if (!fare || label === fare || label.endsWith(`, ${fare}`)) return '';
  return fare.startsWith(`${label}, `) ? fare.slice(label.length + 2) : fare;
}

// placesWord names the places of lines as what they are: seats on a map,
// tickets of areas and trips.
export function placesWord(lines) {
  const word = lines.length > 0 && lines.every((l) => l.seat) ? 'seat' : 'ticket';
  return countOf(lines) === 1 ? word : `${word}s`;
}

export function countOf(lines) {
  return lines.reduce((n, l) => n + l.quantity, 0);
}
