// "Best seats together": n neighbours of a price, as near to the stage as there
// are, without leaving one lonely seat beside them. A helper for choosing; the
// seats are held like any others and may be gone by then.

import { AVAILABLE } from './codec.js';
import { distance } from './venue.js';

const GAP = 1.7; // neighbours further apart than this many pitches have an aisle between them
const LONELY = 6; // leaving a single seat counts like being this many pitches further back

// bestTogether returns seat indexes, or [] when no row has that many together.
// cls: index of a class, or -1 for any. free(i) may exclude more seats.
export function bestTogether(v, states, n, cls = -1, free = () => true) {
  const focus = stageOf(v);
  let best = [];
  let least = Infinity;
  const open = (i) => states[i] === AVAILABLE && v.cls[i] !== 255 && (cls < 0 || v.cls[i] === cls) && free(i);
  for (const row of v.rows) {
    for (const run of runs(v, row.seats, open)) {
      for (let k = 0; k + n <= run.length; k++) {
        const left = k;
        const right = run.length - n - k;
        const cost = reach(v, run, k, n, focus) + ((left === 1) + (right === 1)) * LONELY * v.pitch;
        if (cost < least) {
          least = cost;
          best = run.slice(k, k + n);
        }
      }
    }
  }
  return best;
}

// runs cuts a row into stretches of open neighbours.
export function runs(v, seats, open) {
  const out = [];
  let run = [];
  for (const i of seats) {
    const follows = run.length && distance(v, run[run.length - 1], i) <= GAP * v.pitch && v.cls[run[run.length - 1]] === v.cls[i];
    if (run.length && !(open(i) && follows)) {
      out.push(run);
      run = [];
    }
    if (open(i)) run.push(i);
  }
  if (run.length) out.push(run);
  return out;
}

function reach(v, run, k, n, focus) {
  const a = run[k];
  const b = run[k + n - 1];
  return Math.hypot((v.x[a] + v.x[b]) / 2 - focus.x, (v.y[a] + v.y[b]) / 2 - focus.y);
}

// stageOf is what people came to look at: the area that says so, else the first
// area, else the middle of the top edge.
export function stageOf(v) {
  const a = v.areas.find((area) => /stage|field|pitch|court|screen|ring|rink/i.test(area.name)) || v.areas[0];
  if (a) return { x: a.x + a.w / 2, y: a.y + a.h / 2 };
  return { x: (v.box.x0 + v.box.x1) / 2, y: v.box.y0 };
}
