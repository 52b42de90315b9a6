// Seat states, asked again every few seconds while somebody looks.

import { call, Problem } from '../api.js';
import { decodeStates } from './codec.js';

const EVERY = 4000; // ms; +-20 %, so that a crowd does not ask in step
const SLOWEST = 30000; // ms after errors

// follow calls on.states(Uint8Array, body) for each new snapshot and
// on.problem(problem) when asking fails; it returns {now()}.
export function follow(path, on) {
  let etag = '';
  let timer = 0;
  let failures = 0;
  let asking = false;
  let newest = -1; // version of the last snapshot shown

  async function ask() {
    if (asking) return;
    asking = true;
    clearTimeout(timer);
    try {
      const answer = await call('GET', path, undefined, etag ? { 'If-None-Match': etag } : {});
      failures = 0;
      if (answer.status === 200) {
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

  // An answer that was overtaken by a newer one is dropped.
  function take(body) {
    const version = Number(body.version) || 0;
    if (version < newest) return;
    newest = version;
    on.states(body.count ? decodeStates(body.states, body.count) : null, body);
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
