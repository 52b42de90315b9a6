// Checkout and order status: one page, drawn from the order's state.

import { Problem, act, read } from './api.js';
import { countdown } from './countdown.js';
import { byId, data, h, replace, svg } from './dom.js';
import { newKey } from './keys.js';
import { money } from './format.js';
import { dismiss, explain, lineFirst, notify } from './notice.js';
import { countOf, fareOf, kindOf, placeText, routeText, when, where } from './occasion.js';
import { describe } from './orderstate.js';
import { count, parts, sentences, t } from './say.js';
import { words } from './words.js';

const { order: id } = data();
const path = `/v1/orders/${encodeURIComponent(id)}`;
const cameFromLine = new URLSearchParams(location.search).get('from') === 'line';
const checkout = location.pathname.startsWith('/checkout/');
const box = byId('order');
let order = null;
let busy = false;
let timer = 0;

function show(o) {
  order = o;
  const view = describe(o);
  if (checkout && view.settled) return location.replace(`/orders/${encodeURIComponent(id)}`);
  box.dataset.state = o.state;
  box.dataset.tone = view.tone;
  box.setAttribute('aria-busy', 'false');
  document.title = `${view.title} · Ropeline`;
  byId('order-title').textContent = o.title || t('yourOrder');
  byId('order-where').textContent = [when(o), routeText(o), where(o)].filter(Boolean).join(' · ');
  replace(box,
    h('section.panel.verdict', { 'data-tone': view.tone },
      h('div.verdict-sign', { 'aria-hidden': 'true' }, sign(view.tone)),
      h('div', null,
        h('h2', { 'data-testid': 'order-status' }, view.title),
        h('p', null, view.text),
        o.state === 'pending_payment' && h('p.time-left', null, parts('timeLeft', { time: countdown(o.expires_at, refresh) })),
        h('p.actions', null, view.actions.map((a) => ACTIONS[a](o))))),
    h('section.panel', { 'aria-label': t('whatYouBuy') },
      h('ul.lines', null, (o.lines || []).map((l) => h('li.line', { 'data-testid': 'order-line' },
        h('span.line-text', null, h('b', null, l.quantity === 1 ? placeText(l) : t('times', { n: l.quantity, what: l.label })),
          fareOf(l) && h('span.muted', null, h('bdi', null, fareOf(l))), l.returned && h('span.muted', null, t('returned'))),
        h('span.line-price', null, money(l.price * l.quantity, o.currency))))),
      h('p.total', null, h('span', null, t('total')), h('b', null, money(o.amount, o.currency)))),
    h('p.fine', null, parts('orderNumber', { number: h('b', { 'data-testid': 'order-number', dir: 'ltr' }, o.number) }), ' · ', t('orderKeep')));
  plan(view.poll);
  return undefined;
}

const ACTIONS = {
  pay: (o) => payLink(o, t('pay', { price: money(o.amount, o.currency) })),
  retry: (o) => payLink(o, t('retry')),
  cancel: (o) => h('button.link', { type: 'button', 'data-testid': 'cancel-order', 'data-focus': 'cancel', disabled: busy, onclick: cancel }, count(`return${kindOf(o.lines || [])}`, countOf(o.lines || []))),
  tickets: (o) => h('a.button', { href: o.tickets && o.tickets.length === 1 ? `/tickets/${encodeURIComponent(o.tickets[0].id)}` : '/tickets', 'data-testid': 'see-tickets' }, count('seeTickets', (o.tickets || []).length)),
  giveBack: (o) => h('button.link', { type: 'button', 'data-testid': 'give-back', 'data-focus': 'give-back', disabled: busy, onclick: () => giveBack(o) }, count('refundFor', countOf(o.lines || []), { price: money(o.refund_offer.amount, o.currency) })),
  event: (o) => h('a.button', { href: `/events/${encodeURIComponent(o.event)}` }, t('backToEvent')),
};

// payLink leads to the card form, and tells it to come back to the checkout. Each
// link is a form of its own, used once: the Back button finds no live form.
function payLink(o, text) {
  const form = new URL(o.card_form, location.origin);
  form.searchParams.set('return', `${location.origin}/checkout/${encodeURIComponent(id)}`);
  form.searchParams.set('form', newKey());
  return h('a.button.full', { href: form.href, 'data-testid': 'pay', 'data-focus': 'pay' }, text);
}

function sign(tone) {
  if (tone === 'busy') return h('span.spinner');
  const d = { good: 'M5 12.5l4.5 4.5L19 7.5', bad: 'M7 7l10 10M17 7L7 17', warn: 'M12 6v8M12 17.5v.5', info: 'M12 11v7M12 6.5v.5' }[tone];
  return svg('svg', { viewBox: '0 0 24 24' }, svg('path', { d }));
}

async function refresh() {
  clearTimeout(timer);
  try {
    show(await read(path));
  } catch (err) {
    if (!(err instanceof Problem)) throw err;
    if (!order || err.code === 'unauthenticated') return fail(err);
    plan(5000); // what is shown stays true as far as we know; ask again
  }
  return undefined;
}

function plan(ms) {
  clearTimeout(timer);
  if (ms && !document.hidden) timer = setTimeout(refresh, ms * (0.85 + Math.random() * 0.3));
}

function fail(err) {
  if (err.code === 'unauthenticated') return explain(err);
  box.setAttribute('aria-busy', 'false');
  replace(box, h('section.panel', null, h('h2', null, t(err.status === 404 ? 'noOrder' : 'cannotOrder')),
    h('p', null, t(err.status === 404 ? 'noOrderText' : 'cannotOrderText')),
    h('p', null, h('a.button', { href: '/orders' }, t('yourOrders')))));
  return undefined;
}

// pay takes the token the card form sent back. The address keeps it until the
// answer is known, so that a trip through the waiting room or a reload goes on
// with the same token and the same key: paying twice is not possible that way.
async function pay(token) {
  box.dataset.tone = 'busy';
  try {
    const o = await act(`pay:${id}`, 'POST', `${path}/payments`, { card_token: token, expected_amount: order.amount }, { turn: true });
    forgetToken();
    show(o);
  } catch (err) {
    if (!(err instanceof Problem)) throw err;
    if (err.status >= 400 && err.status < 500 && err.code !== 'line' && err.code !== 'unauthenticated') {
      forgetToken();
      await refresh();
    }
    if (err.code === 'line') lineFirst(`/pay/${encodeURIComponent(id)}?card_token=${encodeURIComponent(token)}`, order.expires_at, { quiet: cameFromLine });
    else if (err.code === 'crowded') crowded(err, token);
    else if (err.code !== 'already_paid') explain(err);
  }
}

// crowded: the payment was not begun, and the card need not be typed again.
function crowded(err, token) {
  notify(t(words(err)), { code: err.code, tone: 'warn', button: { text: t('tryAgain'), act: () => { dismiss(err.code); pay(token); } } });
  refresh();
}

function forgetToken() {
  history.replaceState(null, '', location.pathname);
}

// giveBack asks once more: what is given back may be somebody else's a second later.
async function giveBack({ refund_offer: offer, currency }) {
  const ask = sentences(t('refundAsk', { price: money(offer.amount, currency) }), offer.kept > 0 && t('refundFee', { price: money(offer.kept, currency) }));
  if (window.confirm(ask)) await cancel();
}

async function cancel() {
  if (busy) return;
  busy = true;
  try {
    show(await act(`cancel:${id}`, 'DELETE', path));
  } catch (err) {
    explain(err);
    await refresh();
  } finally {
    busy = false;
  }
}

document.addEventListener('visibilitychange', () => { if (!document.hidden && order) refresh(); });

async function start() {
  const token = new URLSearchParams(location.search).get('card_token');
  await refresh();
  if (order && token && order.state === 'pending_payment') await pay(token);
  else if (order && location.search) forgetToken();
}

start().catch(explain);
