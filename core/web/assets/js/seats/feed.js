// The seat map, asked for again every few seconds while somebody looks: whole
// at first, then only what changed.

import { call, Problem } from '../api.js';
import { advance, newer, snapshot, statesOf } from './codec.js';

const EVERY = 4000; // ms; +-20 %, so that a crowd does not ask in step
const SLOWEST = 30000; // ms after errors

// follow calls on.map(states, levels) for each new map, states one byte a seat or
// null without seats, levels a Map by counter, and on.problem(problem) when asking
// fails; it returns {now()}.
export function follow(path, on) {
  let map = null;
  let asked = ''; // the address of the last answer, and its tag
  let etag = '';
  let timer = 0;
  let failures = 0;
  let asking = false;

  async function ask() {
    if (asking) return;
    asking = true;
    clearTimeout(timer);
    try {
      const url = map ? `${path}/since/${map.version}` : path;
      const answer = await call('GET', url, undefined, etag && url === asked ? { 'If-None-Match': etag } : {});
      failures = 0;
      if (answer.status === 200) {
        asked = url;
        etag = answer.response.headers.get('ETag') || '';
        take(answer.body);
      }
    } catch (err) {
      failures++;
      if (err instanceof Problem) on.problem(err);
      else throw err;
    } finally {
      asking = false;
      plan();
    }
  }

  // A whole map that is older than ours came late through a cache; a delta that does
  // not fit means that we missed something.
  function take(body) {
    const before = map;
    if (body.kind === 'delta') {
      if (body.from === body.to && map?.version === body.to) return;
      map = map && advance(map, body);
    } else if (!map || newer(body.version, map.version)) {
      map = snapshot(body);
    }
    if (map && map !== before) on.map(map.seats ? statesOf(map) : null, map.counters);
  }

  function plan() {
    if (document.hidden) return;
    const wait = Math.min(SLOWEST, EVERY * 2 ** Math.min(failures, 4));
    timer = setTimeout(ask, wait * (0.8 + Math.random() * 0.4));
  }

  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) ask();
  });
  ask();
  return { now: ask };
}
