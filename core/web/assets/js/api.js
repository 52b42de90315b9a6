// The JSON API, as a browser uses it: the account is in a cookie, every action
// has an idempotency key, and an error is a Problem with a code.

import { clock } from './clock.js';
import { keyFor, settle } from './keys.js';

const TRIES = 5; // of one action, all with the same key
const PATIENCE = 15000; // ms until an answer counts as lost
const TURN = 35000; // the same for what may wait its turn inside: the API answers within 25 s and a few more
const SOON = 2000; // ms after which a visitor is told that it waits
const LONGEST_WAIT = 5000; // ms between tries, whatever Retry-After says

// Problem is an answer that is not what was asked for.
// code: the API's code, or 'line' (the waiting room answered), 'no_answer'.
export class Problem extends Error {
  constructor(status, code, detail, body = {}) {
    super(detail || code);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

// read fetches one resource.
export async function read(path, headers = {}) {
  return (await call('GET', path, undefined, headers)).body;
}

// act does something once. action names what the person did ("hold:night-of-lights").
// turn: it may have to wait its turn behind others, which the page then says.
export async function act(action, method, path, body, { turn = false } = {}) {
  const content = body === undefined ? '' : JSON.stringify(body);
  const key = keyFor(action, `${method} ${path} ${content}`);
  for (let n = 1; ; n++) {
    try {
      const answer = await (turn ? inTurn : call)(method, path, content || undefined, { 'Idempotency-Key': key });
      settle(action);
      return answer.body;
    } catch (err) {
      if (!(err instanceof Problem)) throw err;
      if (isFinal(err)) settle(action);
      if (!worthAgain(err) || n === TRIES) throw err;
      await pause(Math.min(err.retryAfter || 300 * 2 ** n, LONGEST_WAIT));
    }
  }
}

// inTurn is call for what may wait. Asking again before the answer would give the turn away.
async function inTurn(method, path, content, headers) {
  const timer = setTimeout(() => told.waits(true), SOON);
  try {
    return await call(method, path, content, headers, TURN);
  } finally {
    clearTimeout(timer);
    told.waits(false);
  }
}

// isFinal: the answer says what became of the action. After anything else the
// key stays, because the action may have happened.
export function isFinal({ status, code }) {
  if (code === 'line' || code === 'unauthenticated') return false; // asked before acting; an earlier try may have acted
  if (code === 'idempotency_in_progress') return false;
  return status >= 400 && status < 500 && status !== 408 && status !== 425;
}

// worthAgain: repeating by itself, without asking the person, makes sense.
export function worthAgain({ status, code }) {
  if (code === 'crowded') return false; // it has waited already: the person decides
  return code === 'no_answer' || code === 'idempotency_in_progress' || status === 502 || status === 503 || status === 504;
}

// told is what the page does when the API says that somebody else has come with
// this visitor's place in line, and was refused.
// waits(true): what was asked for stands in a line; waits(false): it is over.
export const told = { contested() {}, waits() {} };

// call sends one request; what is not a 2xx is thrown. A 304 is returned: only
// who sends If-None-Match sees one.
export async function call(method, path, content, headers = {}, patience = PATIENCE) {
  const sent = performance.now();
  let response;
  try {
    response = await fetch(path, {
      method,
      body: content,
      credentials: 'same-origin',
      signal: AbortSignal.timeout(patience),
      headers: { Accept: 'application/json', ...(content ? { 'Content-Type': 'application/json' } : {}), ...headers },
    });
  } catch (err) {
    throw new Problem(0, 'no_answer', '', { cause: String(err) });
  }
  if (response.status === 304) return { status: 304, body: null, response };
  if (response.headers.get('Session-Contested')) told.contested();
  const body = await json(response);
  if (body && body.server_time) clock.sync(body.server_time, sent);
  if (response.ok && body) return { status: response.status, body, response };
  throw problem(response, body || {});
}

async function json(response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

function problem(response, body) {
  const { status } = response;
  let code = body.code || `http_${status}`;
  if (code === 'pass_required' || code === 'admission_required' || response.headers.get('Ropeline-Answer') === 'wait') code = 'line';
  else if (status === 401) code = 'unauthenticated';
  else if (response.ok) code = 'no_answer'; // a 2xx that is not JSON came from something in between
  const p = new Problem(status, code, body.detail || body.title || '', body);
  const after = Number(response.headers.get('Retry-After'));
  if (after > 0) p.retryAfter = after * 1000;
  return p;
}

export function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
