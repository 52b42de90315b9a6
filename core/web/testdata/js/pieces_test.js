import { equal, near, ok, store } from './check.js';
const { Clock, clockText, span, spoken } = await import(`${self.assets}/js/clock.js`);
const { Choice } = await import(`${self.assets}/js/choice.js`);
const { money, number } = await import(`${self.assets}/js/format.js`);
const { count, parts, t } = await import(`${self.assets}/js/say.js`);
const { describe, STATE_WORDS } = await import(`${self.assets}/js/orderstate.js`);
const { words } = await import(`${self.assets}/js/words.js`);
const { colour, shape } = await import(`${self.assets}/js/seats/palette.js`);
const { shortName } = await import(`${self.assets}/js/seats/paint.js`);

export function clockFollowsTheServerNotTheVisitor() {
  let t = 1000;
  const c = new Clock(() => t);
  c.sync('2030-01-01T00:00:10.000Z', 900, 1100); // at t=1000 it is :10
  near(c.now(), Date.parse('2030-01-01T00:00:10Z'), 1e-6);
  t = 4000;
  near(c.left('2030-01-01T00:00:20.000Z'), 7000, 1e-6);
  equal(c.left('2030-01-01T00:00:01.000Z'), 0);
}

export function clockPrefersTheQuickestAnswer() {
  const c = new Clock(() => 0);
  c.sync('2030-01-01T00:00:10.000Z', -10, 10);
  const good = c.now();
  c.sync('2030-01-01T00:00:13.000Z', -4000, 0); // slow: may be wrong by seconds
  equal(c.now(), good);
  c.sync('rubbish', 0, 1);
  equal(c.now(), good);
}

export function countDownText() {
  equal([clockText(480000), clockText(59001), clockText(999), clockText(0)], ['8:00', '1:00', '0:01', '0:00']);
  equal([span(4), span(60), span(480)], ['4 seconds', '1 minute', '8 minutes']);
  equal(spoken(121000, 119900), '2 minutes left');
  equal(spoken(61000, 60000), '1 minute left');
  equal(spoken(30100, 29900), '30 seconds left');
  equal(spoken(59000, 58000), '');
}

export function choiceKeepsToTheLimit() {
  const c = new Choice('e', 2, store());
  equal([c.add(1), c.add(2), c.add(3), c.add(2)], [true, true, false, true]);
  c.setPlaces(9, 5);
  equal(c.count, 2, 'no room for places');
  c.remove(1);
  c.setPlaces(9, 5);
  equal([c.count, c.places.get(9)], [2, 1]);
  equal(c.request(), { seats: [3], places: [{ counter: 9, quantity: 1 }] });
}

export function choiceSurvivesAReload() {
  const s = store();
  const before = new Choice('e', 6, s);
  before.add(4);
  before.add(7);
  before.setPlaces(2, 3);
  const after = new Choice('e', 6, s);
  after.restore((i) => i !== 7, () => true);
  equal([[...after.seats], [...after.places]], [[4], [[2, 3]]]);
  after.clear();
  const empty = new Choice('e', 6, s);
  empty.restore(() => true, () => true);
  equal(empty.count, 0);
}

export function choiceComparesWithAHold() {
  const c = new Choice('e', 6, store());
  c.set([0, 4], [[2, 3]]);
  const lines = [{ seat: 1 }, { seat: 5 }, { counter: 2, quantity: 2 }, { counter: 2, quantity: 1 }];
  equal(c.equals(lines), true);
  equal(c.equals(lines.slice(1)), false);
  equal(c.equals([...lines, { counter: 3, quantity: 1 }]), false);
  equal(c.equals([{ seat: 2 }, ...lines.slice(1)]), false);
}

export function amountsAsText() {
  equal(money(18900, 'EUR'), '€189');
  equal(money(1490, 'EUR'), '€14.90');
  equal(money(12000, 'JPY'), '¥12,000');
  equal(money(1500, 'KWD').replace(/\s/, ' '), 'KWD 1.500');
  equal(money(49900, 'PLN'), 'zł\u00a0499');
  equal(money(49900, 'CHF'), 'CHF\u00a0499');
  equal(number(1234567), '1,234,567');
}

export function aTextIsFilled() {
  equal([count('chosenSeats', 1), count('chosenSeats', 2000)], ['1 seat chosen', '2,000 seats chosen']);
  equal(t('pay', { price: '€90' }), 'Pay €90');
  equal(t('no such text'), 'no such text', 'seen by the test of texts');
  equal(parts('timeLeft', { time: 7 }), ['Time left ', 7, '']);
}

const order = (state, more = {}) => ({ state, amount: 100, currency: 'EUR', attempts_left: 3, payment: null, ...more });

export function everyStateHasWords() {
  for (const [state, text] of Object.entries(STATE_WORDS)) {
    const d = describe(order(state));
    ok(d.title && d.text.length > 20 && d.tone && t(text) !== text, state);
  }
  ok(describe(order('something_new')).text.includes('something_new'), 'an unknown state is shown as it is');
}

export function notKnowingIsSaidAndPayingAgainIsNotOffered() {
  const d = describe(order('verifying', { payment_unknown: true, payment: { phase: 'unknown' } }));
  equal([d.tone, d.actions], ['warn', []]);
  ok(/Do not pay again/.test(d.text) && d.poll > 0, d.text);
}

export function aDeclinedCardMayBeReplaced() {
  const d = describe(order('pending_payment', { payment: { phase: 'declined', reason: 'insufficient_funds' } }));
  equal(d.actions[0], 'retry');
  ok(/not enough money/.test(d.text) && /3 tries/.test(d.text), d.text);
  equal(describe(order('pending_payment', { attempts_left: 0, payment: { phase: 'declined', reason: '' } })).actions, ['cancel']);
}

export function onlyASettledOrderOffersTickets() {
  for (const state of Object.keys(STATE_WORDS)) {
    const d = describe(order(state));
    equal(d.actions.includes('tickets'), ['confirmed', 'captured', 'partly_refunded'].includes(state), state);
  }
}

export function whatWasGivenBackIsNotCalledYours() {
  const d = describe(order('captured', { lines: [{ seat: 1, quantity: 1, returned: true }] }));
  equal([d.title, d.actions, d.poll > 0], ['Given back', [], true]);
  equal(describe(order('captured', { lines: [{ seat: 1, quantity: 1, returned: true }, { seat: 2, quantity: 1, returned: false }] })).actions, ['tickets']);
}

export function expiryAfterAPaymentDoesNotClaimThatNothingWasCharged() {
  ok(/Nothing was charged/.test(describe(order('expired')).text), 'never paid');
  ok(!/Nothing was charged/.test(describe(order('expired', { payment: { phase: 'unknown' } })).text), 'a payment may arrive');
}

export function problemsInWords() {
  ok(/twice/.test(t(words({ code: 'payment_unknown', status: 409 }))), 'by code');
  equal(words({ code: 'invalid_x', status: 422, message: 'Seat 9 is not there.' }), 'problemRefused', 'an answer in English is not for people');
  ok(/our side/.test(t(words({ code: 'http_500', status: 500, message: 'pq: relation' }))), 'no inner text of a 5xx');
  equal([words({ code: 'too_many_attempts', status: 429 }), words({ code: 'too_many_attempts', status: 409 })], ['problemOften', 'problemCards']);
  equal(words({}), 'problemPage', 'a mistake of ours');
}

// luminance and contrast as in WCAG 2.2.
function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}

export function classesCanBeToldApart() {
  equal(new Set(Array.from({ length: 6 }, (_, k) => shape(k))).size, 6, 'shapes');
  for (let k = 0; k < 6; k++) {
    ok(contrast(colour(k, false), '#eeecf1') >= 3, `light ${k}: ${contrast(colour(k, false), '#eeecf1')}`);
    ok(contrast(colour(k, true), '#211e28') >= 3, `dark ${k}: ${contrast(colour(k, true), '#211e28')}`);
    ok(contrast(colour(k, false), '#fbfafc') >= 4.5, `number on light ${k}: ${contrast(colour(k, false), '#fbfafc')}`);
    ok(contrast(colour(k, true), '#17151c') >= 4.5, `number on dark ${k}`);
  }
}

export function sectionNamesAreShortenedOrLeftOut() {
  const width = (t) => t.length * 10;
  equal([shortName('Floor A1', 100, width), shortName('Floor A1', 30, width), shortName('Floor A1', 12, width)], ['Floor A1', 'A1', '']);
}
