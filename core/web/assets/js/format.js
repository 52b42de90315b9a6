// Numbers, money and times as the server writes them (core/locale): the same
// values and the same few rules, so that nothing changes its face when a script
// takes over, in any browser.

import { format } from './texts.js';

const digits = [...format.digits];

// native writes digits as the language does.
export function native(text) {
  return digits[0] === '0' ? text : text.replace(/[0-9]/g, (d) => digits[d]);
}

export function number(n) {
  if (n < 0) return `-${number(-n)}`;
  let rest = String(n);
  if (rest.length < format.groupFrom) return native(rest);
  const groups = [];
  for (let i = 0; ; i++) {
    const size = format.grouping[Math.min(i, format.grouping.length - 1)];
    if (rest.length <= size) break;
    groups.unshift(rest.slice(-size));
    rest = rest.slice(0, -size);
  }
  return native([rest, ...groups].join(format.group));
}

// money writes an amount in minor units, which are integers; they become text
// here and nowhere else.
export function money(amount, currency) {
  const decimals = format.minorUnits[currency] ?? 2;
  const unit = 10 ** decimals;
  const whole = Math.abs(amount);
  const sign = (format.rtl ? '\u200f' : '') + (amount < 0 ? '-' : '');
  const rest = whole % unit;
  const text = number(Math.floor(whole / unit)) + (rest ? format.decimal + native(String(rest).padStart(decimals, '0')) : '');
  const symbol = format.symbols[currency] ?? currency;
  const gap = /[a-zA-Z]$|[łč.]/.test(symbol) ? '\u00a0' : format.symbolGap;
  return format.symbolLast ? sign + text + gap + symbol : sign + symbol + gap + text;
}

// wall reads the clock on a wall of a zone at an instant (RFC 3339). It throws
// where the browser does not know the zone.
function wall(instant, timeZone) {
  const read = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone, weekday: 'short', year: 'numeric', month: 'numeric', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23',
  });
  return Object.fromEntries(read.formatToParts(new Date(instant)).map((p) => [p.type, p.value]));
}

const WEEK = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

// dateText writes an instant by a pattern of the format: 'full', 'year' or
// 'short'. Without a zone it is the visitor's own.
export function dateText(pattern, instant, timeZone) {
  const w = wall(instant, timeZone);
  const day = WEEK.indexOf(w.weekday);
  const values = {
    weekday: format.days[day], wd: format.daysCut[day], month: format.months[w.month - 1], mon: format.monthsCut[w.month - 1],
    d: native(w.day), m: native(w.month), y: native(w.year), time: native(`${w.hour}:${w.minute}`),
  };
  return format[pattern].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// timeOfDay writes the visitor's own time of an instant.
export function timeOfDay(instant) {
  const w = wall(instant);
  return native(`${w.hour}:${w.minute}`);
}
