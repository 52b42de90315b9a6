// The basket: what is chosen, what is held, how long, and the next step.

import { countdown } from './countdown.js';
import { differs, h, replace } from './dom.js';
import { count, t } from './say.js';

// On a wide screen the list is always open; on a phone it opens when asked, so
// that the map stays in sight.
const wide = matchMedia('(min-width: 981px)');
let opened = false;

// renderBasket draws into el. m: {choice, hold, same (choice equals hold), busy,
// max, holdFor, kind ('Seats' or 'Tickets'), signedIn, sale, items [{key, text, note, price,
// remove()}] chosen, lines [same] held, total, heldTotal; amounts as text}.
// on: take, release, checkout, undo, expired.
export function renderBasket(el, m, on) {
  const state = stateOf(m);
  if (!differs(el, [state, m.busy, m.sale, m.items, m.total, m.hold])) return;
  el.dataset.state = state;
  replace(el, PARTS[state](m, on));
}

function stateOf({ hold, same, choice }) {
  if (hold) return same ? 'held' : 'changing';
  return choice.count ? 'chosen' : 'empty';
}

const PARTS = {
  empty: ({ max, sale }) => [
    h('h3', null, t('yourChoice')),
    h('p.muted', null, sale === 'open' ? count('emptyBasket', max) : t('emptyClosed')),
  ],

  chosen: (m, on) => [
    list(count(`chosen${m.kind}`, m.choice.count), 'chosen', 'chosen-item', m.items),
    pay(m.total, main('hold', t(m.signedIn ? 'hold' : 'holdSignIn'), m.busy, on.take)),
    h('p.fine', null, count(m.signedIn ? 'notYours' : 'notYoursSignIn', m.choice.count, { time: m.holdFor })),
  ],

  held: (m, on) => [
    countdown(m.hold.expires_at, on.expired),
    list(t('held'), 'basket', 'basket-line', m.lines),
    pay(m.heldTotal, main('checkout', t('checkOut'), m.busy, on.checkout)),
    link('release', count('giveBack', m.choice.count), m.busy, on.release),
  ],

  changing: (m, on) => [
    countdown(m.hold.expires_at, on.expired),
    m.choice.count ? list(t('change'), 'chosen', 'chosen-item', m.items) : h('h3', null, t('change')),
    m.choice.count ? pay(m.total, main('hold', t('changeTo'), m.busy, on.take)) : main('release', t('giveAllBack'), m.busy, on.release),
    link('undo', t('keep'), m.busy, on.undo),
    h('p.fine', null, t('changeNote')),
  ],
};

function list(title, name, each, items) {
  return h('details.basket-more', { open: wide.matches || opened, ontoggle: (e) => { if (!wide.matches) opened = e.target.open; } },
    h('summary', { 'data-focus': 'more', tabindex: wide.matches ? '-1' : null, onclick: (e) => { if (wide.matches) e.preventDefault(); } }, h('h3', null, title)),
    h('ul.lines', { 'data-testid': name }, items.map((item) => h('li.line', { 'data-testid': each },
      h('span.line-text', null, h('b', null, item.text), item.note && h('span.muted', null, h('bdi', null, item.note))),
      h('span.line-price', null, item.price),
      item.remove && h('button.close', { type: 'button', 'aria-label': t('remove', { what: item.text }), 'data-focus': item.key, onclick: item.remove }, '×')))));
}

function pay(total, button) {
  return h('div.basket-pay', null, h('p.total', null, h('span', null, t('total')), h('b', null, total)), button);
}

// main is the next step. While it runs it keeps the focus: aria-disabled, since
// a disabled button would drop it.
function main(name, text, busy, act) {
  return h('button.button.full', { type: 'button', 'data-testid': name, 'data-focus': 'main', 'data-focus-rest': true, 'aria-disabled': busy ? 'true' : null, onclick: () => busy || act() },
    busy ? t('moment') : text);
}

function link(name, text, busy, act) {
  return h('button.link', { type: 'button', 'data-testid': name, 'data-focus': name, 'aria-disabled': busy ? 'true' : null, onclick: () => busy || act() }, text);
}
