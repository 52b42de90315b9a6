import { equal, ok, store } from './check.js';
const { act, isFinal, Problem, told } = await import(`${self.assets}/js/api.js`);
const { keyFor, newKey, settle } = await import(`${self.assets}/js/keys.js`);

const json = (status, body, headers = {}) => new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

// server answers with a script of answers and remembers what was asked.
function server(...answers) {
  const asked = [];
  self.fetch = async (path, init) => {
    asked.push({ path, method: init.method, key: init.headers['Idempotency-Key'], body: init.body });
    const next = answers.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  return asked;
}

async function refused(promise) {
  try {
    await promise;
  } catch (err) {
    ok(err instanceof Problem, `a Problem, got ${err}`);
    return err;
  }
  throw new Error('was not refused');
}

export function aPendingActionKeepsItsKey() {
  const s = store();
  let n = 0;
  const fresh = () => `k${++n}`;
  equal(keyFor('hold', 'a', s, fresh), 'k1');
  equal(keyFor('hold', 'a', s, fresh), 'k1', 'same content');
  equal(keyFor('pay', 'a', s, fresh), 'k2', 'other action');
  equal(keyFor('hold', 'b', s, fresh), 'k3', 'other content');
  settle('hold', s);
  equal(keyFor('hold', 'b', s, fresh), 'k4', 'after the answer');
}

export function keysWorkWithoutStorage() {
  const broken = { getItem() { throw new Error('no'); }, setItem() { throw new Error('no'); }, removeItem() { throw new Error('no'); } };
  equal(keyFor('x', 'y', broken, () => 'k'), 'k');
  settle('x', broken);
}

export function keysAreNotRepeated() {
  ok(newKey() !== newKey() && newKey().length >= 32, 'random');
}

export async function aLostAnswerIsAskedForWithTheSameKey() {
  const asked = server(new TypeError('network'), json(503, { code: 'outcome_unknown' }), json(201, { id: 'h1' }));
  equal(await act('hold:lost', 'POST', '/v1/x', { seats: [1] }), { id: 'h1' });
  equal(asked.length, 3);
  ok(asked[0].key && asked.every((a) => a.key === asked[0].key && a.body === '{"seats":[1]}'), 'one key, one body');
}

export async function theNextActionHasANewKey() {
  const asked = server(json(201, {}), json(201, {}));
  await act('hold:two', 'POST', '/v1/x', { seats: [1] });
  await act('hold:two', 'POST', '/v1/x', { seats: [1] });
  ok(asked[0].key !== asked[1].key, 'new key');
}

export async function aRefusalIsFinal() {
  const asked = server(json(409, { code: 'seat_taken', seats: [{ seat: 1, state: 'held' }] }), json(201, {}));
  const err = await refused(act('hold:taken', 'POST', '/v1/x', { seats: [1] }));
  equal([err.code, err.body.seats[0].seat, asked.length], ['seat_taken', 1, 1]);
  await act('hold:taken', 'POST', '/v1/x', { seats: [1] });
  ok(asked[0].key !== asked[1].key, 'the refused action is over');
}

export async function theLineIsRecognisedAndKeepsTheKey() {
  for (const answer of [json(403, { code: 'pass_required' }), json(429, { code: 'admission_required' }), new Response('<html>', { status: 503, headers: { 'Ropeline-Answer': 'wait' } })]) {
    const again = answer.status === 503; // a 503 is tried again first
    const asked = again ? server(answer, json(403, { code: 'pass_required' })) : server(answer);
    const err = await refused(act('hold:line', 'POST', '/v1/x', { seats: [2] }));
    equal(err.code, 'line');
    self.lineKeys = (self.lineKeys || new Set()).add(asked[0].key);
  }
  equal(self.lineKeys.size, 1, 'one key through the whole wait');
}

export async function aPageInsteadOfAnAnswerIsNoSuccess() {
  server(...Array.from({ length: 5 }, () => new Response('<html>hello', { status: 200 })));
  const before = self.setTimeout;
  self.setTimeout = (f) => before(f, 0); // do not wait between tries
  try {
    equal((await refused(act('hold:page', 'POST', '/v1/x', {}))).code, 'no_answer');
  } finally {
    self.setTimeout = before;
  }
}

export function onlyAnAnswerAboutTheActionIsFinal() {
  const cases = [
    [409, 'seat_taken', true], [422, 'limit_exceeded', true], [410, 'hold_expired', true], [404, 'not_found', true],
    [409, 'idempotency_in_progress', false], [503, 'overloaded', false], [0, 'no_answer', false], [403, 'line', false], [401, 'unauthenticated', false], [500, 'http_500', false],
  ];
  for (const [status, code, want] of cases) equal(isFinal({ status, code }), want, code);
}

export async function whoWaitsItsTurnIsToldSo() {
  const said = [];
  told.waits = (yes) => said.push(yes);
  let answer;
  self.fetch = () => new Promise((done) => { answer = () => done(json(201, { id: 'h1' })); });
  const held = act('hold:turn', 'POST', '/v1/x', { seats: [1] }, { turn: true });
  while (!said.length) await new Promise((done) => setTimeout(done, 50));
  equal(said, [true]);
  answer();
  equal(await held, { id: 'h1' });
  equal(said, [true, false]);
}

export async function aTurnThatDidNotComeIsNotTakenAgainByItself() {
  const asked = server(json(503, { code: 'crowded', why: 'time' }, { 'Retry-After': '5' }), json(201, { id: 'h2' }));
  const err = await refused(act('hold:crowd', 'POST', '/v1/x', { seats: [1] }, { turn: true }));
  equal([err.code, asked.length], ['crowded', 1]);
  equal(await act('hold:crowd', 'POST', '/v1/x', { seats: [1] }, { turn: true }), { id: 'h2' });
  equal(asked[0].key, asked[1].key, 'the key');
}
