// Arrow keys on the map: from seat to seat as it looks on the screen. Rows may
// be curved, turned or numbered from either side, so the neighbour is chosen by
// direction and not by number.

import { distance } from './venue.js';

const WAY = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ALONG = 0.55; // cosine: at most about 56 degrees off the arrow
const FAR = 40; // pitches searched for a seat of another section

// step returns the seat one arrow away from i, or i where there is none.
export function step(v, grid, i, key) {
  const way = WAY[key];
  if (!way) return i;
  const near = [...inRow(v, i), ...inNextRows(v, i)];
  const best = pick(v, i, way, near);
  if (best >= 0) return best;
  const reach = FAR * v.pitch;
  const found = [];
  grid.within(v.x[i] - reach, v.y[i] - reach, v.x[i] + reach, v.y[i] + reach, (k) => found.push(k));
  const far = pick(v, i, way, found);
  return far >= 0 ? far : i;
}

function inRow(v, i) {
  const { seats } = v.rows[v.row[i]];
  return [seats[v.place[i] - 1], seats[v.place[i] + 1]].filter((k) => k !== undefined);
}

function inNextRows(v, i) {
  const r = v.row[i];
  return [r - 1, r + 1]
    .filter((k) => v.rows[k] && v.rows[k].section === v.rows[r].section)
    .map((k) => closest(v, i, v.rows[k].seats))
    .filter((k) => k >= 0);
}

function closest(v, i, seats) {
  let best = -1;
  for (const k of seats) if (best < 0 || distance(v, i, k) < distance(v, i, best)) best = k;
  return best;
}

// pick takes the seat that lies best in the way: near, and straight ahead.
function pick(v, i, way, seats) {
  let best = -1;
  let least = Infinity;
  for (const k of seats) {
    const dx = v.x[k] - v.x[i];
    const dy = v.y[k] - v.y[i];
    const d = Math.hypot(dx, dy);
    if (d === 0) continue;
    const cos = (dx * way[0] + dy * way[1]) / d;
    if (cos < ALONG) continue;
    const cost = d / (cos * cos);
    if (cost < least) {
      least = cost;
      best = k;
    }
  }
  return best;
}
