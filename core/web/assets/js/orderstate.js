// What an order's state means, in plain words. Pure: the order in, words and
// possible steps out. It promises nothing the core has not said.

import { money } from './format.js';
import { countOf, kindOf } from './occasion.js';
import { count, sentences, t } from './say.js';

const AGAIN = 1000; // ms; how often to ask while something is under way
const SLOW = 4000;

// describe returns {tone, title, text, actions, poll, settled}.
// actions: pay, retry, cancel, tickets, event. poll: ms, or 0 when nothing will
// change by itself. settled: there is nothing to check out any more.
export function describe(o) {
  const f = STATES[o.state];
  if (!f) return { tone: 'info', title: t('yourOrder'), text: t('stateOther', { state: o.state }), actions: [], poll: SLOW };
  return f(o);
}

// OFF says why payments are paused, without the details that are nobody's business.
const OFF = { money_unknown: 'pausedMoney', amounts_differ: 'pausedAmounts', by_staff: 'pausedStaff' };

const STATES = {
  pending_payment(o) {
    if (o.payments_off) {
      return { tone: 'warn', title: t('pausedTitle'), text: sentences(t(OFF[o.payments_off] || OFF.by_staff), about(o, 'paused')), actions: ['cancel'], poll: SLOW };
    }
    if (!o.payment) {
      return { tone: 'info', title: t('readyTitle'), text: about(o, 'ready'), actions: ['pay', 'cancel'], poll: 0 };
    }
    const title = t(o.payment.phase === 'abandoned' ? 'abandonedTitle' : 'declinedTitle');
    const left = o.attempts_left;
    if (left === 0) return { tone: 'bad', title, text: about(o, 'declinedNoTries'), actions: ['cancel'], poll: 0 };
    return { tone: 'warn', title, text: sentences(why(o), about(o, 'stillHeld'), count('triesLeft', left)), actions: ['retry', 'cancel'], poll: 0 };
  },

  verifying(o) {
    if (o.payment_unknown) return { tone: 'warn', title: t('unknownTitle'), text: t('unknownText'), actions: [], poll: SLOW };
    return { tone: 'busy', title: t('verifyingTitle'), text: t('verifyingText'), actions: [], poll: AGAIN };
  },

  confirmed(o) {
    return { tone: 'good', title: yours(o), text: about(o, 'confirmed'), actions: ['tickets'], poll: SLOW, settled: true };
  },

  captured(o) {
    // All given back, and the money not yet sent: the order is paid for a moment longer, and nobody's any more.
    if (o.lines?.length && o.lines.every((l) => l.returned)) return { tone: 'busy', title: t('givenBackTitle'), text: t('givenBackText'), actions: [], poll: SLOW, settled: true };
    return { tone: 'good', title: yours(o), text: count('capturedText', places(o), { price: price(o) }), actions: returnable(o), poll: 0, settled: true };
  },

  expired(o) {
    const late = o.payment && !declined(o);
    return { tone: 'bad', title: t('expiredTitle'), text: sentences(about(o, 'backOnSale'), t(late ? 'ifItArrives' : 'nothingCharged')), actions: ['event'], poll: late ? SLOW : 0, settled: true };
  },

  expired_refunded(o) {
    return { tone: 'info', title: t('returnedTitle'), text: about(o, 'returned'), actions: ['event'], poll: 0, settled: true };
  },

  cancelled(o) {
    let text = sentences(about(o, 'gaveBack'), t(o.payment ? 'ifCharged' : 'nothingCharged'));
    if (o.reason === 'capture_failed') text = about(o, 'captureFailed');
    if (o.reason === 'event_cancelled') text = t('eventCancelled');
    return { tone: 'info', title: t('cancelledTitle'), text, actions: ['event'], poll: 0, settled: true };
  },

  partly_refunded(o) {
    return { tone: 'info', title: t('partlyTitle'), text: t('partlyText'), actions: returnable(o), poll: 0, settled: true };
  },

  refunded(o) {
    const text = o.reason === 'chargeback' ? t('chargebackText') : t('refundedText', { price: price(o) });
    return { tone: 'info', title: t('refundedTitle'), text, actions: ['event'], poll: 0, settled: true };
  },
};

// returnable: what can be done with tickets, giving them back too while something of
// their price comes back.
function returnable(o) {
  return o.refund_offer ? ['tickets', 'giveBack'] : ['tickets'];
}

// declined: the last try to pay ended without money.
function declined({ payment }) {
  return Boolean(payment) && (payment.phase === 'declined' || payment.phase === 'abandoned');
}

function why({ payment }) {
  if (payment.phase === 'abandoned') return t('whyAbandoned');
  return t(/insufficient/.test(payment.reason) ? 'whyMoney' : 'whyBank');
}

// about is the sentence about this order's places, which are seats or tickets,
// one or several.
function about(o, key) {
  return count(`${key}${kindOf(o.lines || [])}`, places(o), { price: price(o) });
}

function places(o) {
  return countOf(o.lines || []);
}

function yours(o) {
  return count('yoursTitle', places(o));
}

function price({ amount, currency }) {
  return money(amount, currency);
}

// STATE_WORDS are the texts for lists, where one or two words must do.
export const STATE_WORDS = {
  pending_payment: 'statePending', verifying: 'stateVerifying', confirmed: 'stateConfirmed', captured: 'stateCaptured', partly_refunded: 'statePartly',
  refunded: 'stateRefunded', expired: 'stateExpired', expired_refunded: 'stateExpiredRefunded', cancelled: 'stateCancelled',
};
