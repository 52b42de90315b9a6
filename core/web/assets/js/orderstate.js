// What an order's state means, in plain words. Pure: the order in, words and
// possible steps out. It promises nothing the core has not said.

import { money } from './money.js';
import { countOf, placesWord } from './occasion.js';

const AGAIN = 1000; // ms; how often to ask while something is under way
const SLOW = 4000;

// describe returns {tone, title, text, actions, poll, settled}.
// actions: pay, retry, cancel, tickets, event. poll: ms, or 0 when nothing will
// change by itself. settled: there is nothing to check out any more.
export function describe(o) {
  const f = STATES[o.state];
  if (!f) return { tone: 'info', title: 'Your order', text: `State: ${o.state}.`, actions: [], poll: SLOW };
  return f(o);
}

// OFF says why payments are paused, without the details that are nobody's business.
const OFF = {
  money_unknown: 'Our payment service holds money that we cannot match to an order, so we check before we take more.',
  amounts_differ: 'Amounts in our records and at our payment service do not agree, so we check before we take more.',
  by_staff: 'We have paused payments for a moment.',
};

const STATES = {
  pending_payment(o) {
    if (o.payments_off) {
      return { tone: 'warn', title: 'Payments are paused', text: `${OFF[o.payments_off] || OFF.by_staff} Nothing was charged. ${are(o)} held for you until the time runs out, and you can pay as soon as it goes on.`, actions: ['cancel'], poll: SLOW };
    }
    if (!o.payment) {
      return { tone: 'info', title: 'Ready to pay', text: `Pay ${price(o)} before the time runs out. ${are(o)} held until then.`, actions: ['pay', 'cancel'], poll: 0 };
    }
    const title = o.payment.phase === 'abandoned' ? 'The payment did not go through' : 'Your card was declined';
    const left = o.attempts_left;
    if (left === 0) {
      return { tone: 'bad', title, text: `Nothing was charged. This order has no tries left; give the ${word(o)} back and choose again.`, actions: ['cancel'], poll: 0 };
    }
    const tries = left === 1 ? 'one try' : `${left} tries`;
    return { tone: 'warn', title, text: `${why(o)} Nothing was charged, and your ${word(o)} ${be(o)} still held. Try another card: you have ${tries} left.`, actions: ['retry', 'cancel'], poll: 0 };
  },

  verifying(o) {
    if (o.payment_unknown) {
      return { tone: 'warn', title: 'We do not know yet', text: 'The payment service has not told us whether your payment went through. We keep asking. Do not pay again: whatever comes, you get either your tickets or your money.', actions: [], poll: SLOW };
    }
    return { tone: 'busy', title: 'Checking your payment', text: 'We are asking your bank. This usually takes a few seconds. You can leave this page; the answer will be here.', actions: [], poll: AGAIN };
  },

  confirmed(o) {
    return { tone: 'good', title: yours(o), text: `Your bank approved ${price(o)} and the ${word(o)} ${be(o)} yours. The money is being collected now.`, actions: ['tickets'], poll: SLOW, settled: true };
  },

  captured(o) {
    return { tone: 'good', title: yours(o), text: `Paid: ${price(o)}. Your ${one(o) ? 'ticket is' : 'tickets are'} ready.`, actions: returnable(o), poll: 0, settled: true };
  },

  expired(o) {
    const late = o.payment && !declined(o);
    return { tone: 'bad', title: 'Time ran out', text: `The ${word(o)} went back on sale.${late ? ' If your payment still arrives, you get the money back by itself.' : ' Nothing was charged.'}`, actions: ['event'], poll: late ? SLOW : 0, settled: true };
  },

  expired_refunded(o) {
    return { tone: 'info', title: 'Time ran out, money returned', text: `Your payment arrived after the ${word(o)} had gone. We sent all of it back; your bank may take a few days to show it.`, actions: ['event'], poll: 0, settled: true };
  },

  cancelled(o) {
    const text = {
      capture_failed: `Your bank approved the payment and then did not pay it. The ${word(o)} went back on sale, and nothing was charged.`,
      event_cancelled: 'The event was cancelled. Whatever you paid goes back to you.',
    }[o.reason] || `You gave the ${word(o)} back.${o.payment ? ' If anything was charged, it is returned by itself.' : ' Nothing was charged.'}`;
    return { tone: 'info', title: 'Cancelled', text, actions: ['event'], poll: 0, settled: true };
  },

  partly_refunded(o) {
    return { tone: 'info', title: 'Partly refunded', text: 'Part of this order was refunded. The tickets that are still valid are below.', actions: returnable(o), poll: 0, settled: true };
  },

  refunded(o) {
    const text = o.reason === 'chargeback' ? 'Your bank took the payment back, so the tickets are no longer valid.' : `${price(o)} went back to you; your bank may take a few days to show it. The tickets are no longer valid.`;
    return { tone: 'info', title: 'Refunded', text, actions: ['event'], poll: 0, settled: true };
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
  if (payment.phase === 'abandoned') return 'Your payment did not go through.';
  return /insufficient/.test(payment.reason) ? 'There is not enough money on the card.' : 'The bank said no.';
}

function word(o) {
  return placesWord(o.lines || []);
}

function one(o) {
  return countOf(o.lines || []) === 1;
}

function be(o) {
  return one(o) ? 'is' : 'are';
}

function are(o) {
  return `Your ${word(o)} ${be(o)}`;
}

function yours(o) {
  return one(o) ? 'It is yours' : 'They are yours';
}

function price({ amount, currency }) {
  return money(amount, currency);
}

// STATE_WORDS are for lists, where one or two words must do.
export const STATE_WORDS = {
  pending_payment: 'Not paid yet', verifying: 'Checking payment', confirmed: 'Yours', captured: 'Paid', partly_refunded: 'Partly refunded',
  refunded: 'Refunded', expired: 'Time ran out', expired_refunded: 'Money returned', cancelled: 'Cancelled',
};
