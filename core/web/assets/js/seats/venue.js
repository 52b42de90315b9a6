// A venue as the map needs it: flat arrays by seat index (seat id - 1), because
// 60,000 small objects cost more memory and time than everything else here.

import { t } from '../say.js';

// KINDS of seats; all but the first are kept for who needs them.
const KINDS = ['standard', 'accessible', 'companion'];
const KIND_TEXTS = ['', 'seatAccessible', 'seatCompanion'];

// parseVenue turns the API's geometry and the event's price levels into
//   count, x, y, cls (index into classes), row, place (position in the row),
//   kind (index into KINDS), number, rows [{section, name, seats}], sections [{name, rows, seats, box}],
//   classes (the levels, dearest first), areas, pitch (distance of neighbours), box
export function parseVenue(geometry, levels) {
  const count = geometry.seat_count;
  const classes = levels.map((l) => ({ ...l })).sort((a, b) => b.amount - a.amount);
  const classIndex = new Map(classes.map((c, i) => [c.class, i]));
  const v = {
    name: geometry.venue, count, classes, areas: geometry.areas || [], rows: [], sections: [],
    x: new Float32Array(count), y: new Float32Array(count), cls: new Uint8Array(count).fill(255),
    row: new Int32Array(count).fill(-1), place: new Uint16Array(count), kind: new Uint8Array(count), number: new Array(count).fill(''),
  };
  for (const s of geometry.sections) {
    const section = { name: s.name, rows: [], seats: 0, box: emptyBox() };
    for (const r of s.rows) {
      const row = { section: v.sections.length, name: r.name, seats: [] };
      for (const [id, number, x, y, cls, kind] of r.seats) {
        const i = id - 1;
        if (!(i >= 0 && i < count)) throw new Error(`geometry: seat ${id} is not in 1..${count}`);
        v.x[i] = x;
        v.y[i] = y;
        v.number[i] = String(number);
        v.kind[i] = Math.max(0, KINDS.indexOf(kind));
        v.row[i] = v.rows.length;
        v.place[i] = row.seats.length;
        if (classIndex.has(cls)) v.cls[i] = classIndex.get(cls);
        row.seats.push(i);
        grow(section.box, x, y);
      }
      section.seats += row.seats.length;
      section.rows.push(v.rows.length);
      v.rows.push(row);
    }
    v.sections.push(section);
  }
  v.pitch = pitchOf(v);
  v.box = wholeBox(v, geometry);
  return v;
}

function emptyBox() {
  return { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
}

function grow(box, x, y) {
  box.x0 = Math.min(box.x0, x);
  box.y0 = Math.min(box.y0, y);
  box.x1 = Math.max(box.x1, x);
  box.y1 = Math.max(box.y1, y);
}

// pitchOf is the median distance of neighbours in a row; one wide aisle or one
// odd row does not change it.
function pitchOf(v) {
  const found = [];
  const step = Math.max(1, Math.floor(v.rows.length / 400));
  for (let r = 0; r < v.rows.length; r += step) {
    const { seats } = v.rows[r];
    for (let k = 1; k < seats.length; k++) found.push(distance(v, seats[k - 1], seats[k]));
  }
  if (!found.length) return 1;
  found.sort((a, b) => a - b);
  return found[found.length >> 1] || 1;
}

function wholeBox(v, geometry) {
  const box = emptyBox();
  for (const s of v.sections) {
    grow(box, s.box.x0, s.box.y0);
    grow(box, s.box.x1, s.box.y1);
  }
  for (const a of v.areas) {
    grow(box, a.x, a.y);
    grow(box, a.x + a.w, a.y + a.h);
  }
  if (box.x0 > box.x1) return { x0: 0, y0: 0, x1: geometry.width || 1, y1: geometry.height || 1 };
  return box;
}

export function distance(v, a, b) {
  return Math.hypot(v.x[a] - v.x[b], v.y[a] - v.y[b]);
}

// sectionOf and label say where a seat is, as a person would.
export function sectionOf(v, i) {
  return v.sections[v.rows[v.row[i]].section];
}

export function label(v, i) {
  const seat = t('seatLabel', { section: sectionOf(v, i).name, row: v.rows[v.row[i]].name, seat: v.number[i] });
  return v.kind[i] ? t(KIND_TEXTS[v.kind[i]], { seat }) : seat;
}

export function levelOf(v, i) {
  return v.classes[v.cls[i]] || null;
}

// priceOf names the price of a seat.
export function priceOf(v, i) {
  const level = levelOf(v, i);
  return level ? t('priceLevel', level) : t('statusNotForSale');
}

// hull is the convex outline of a section, counter-clockwise (Andrew's monotone
// chain); the first and last seats of its rows are enough to find it.
export function hull(v, section) {
  const points = [];
  for (const r of section.rows) {
    const { seats } = v.rows[r];
    const n = seats.length;
    for (const k of new Set([0, n >> 2, n >> 1, (3 * n) >> 2, n - 1])) {
      if (n) points.push([v.x[seats[k]], v.y[seats[k]]]);
    }
  }
  points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop();
      out.push(p);
    }
    out.pop();
    return out;
  };
  if (points.length < 3) return points;
  return half(points).concat(half(points.reverse()));
}

function turn(a, b, c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
