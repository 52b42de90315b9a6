// The basket: what is chosen, what is held, how long, and the next step.

import { countdown } from './countdown.js';
import { h, replace } from './dom.js';
import { money, plural } from './money.js';

// renderBasket draws into el. m: {choice, hold, same (choice equals hold), busy,
// max, minutes, items [{key, text, note, price, remove()}], lines [same, of the
// hold], total, sale}; on: take, release, checkout, undo, expired.
export function renderBasket(el, m, on) {
  el.dataset.state = m.hold ? (m.same ? 'held' : 'changing') : m.choice.count ? 'chosen' : 'empty';
  if (m.hold && m.same) return replace(el, held(m, on));
  if (m.hold) return replace(el, changing(m, on));
  if (m.choice.count) return replace(el, chosen(m, on));
  return replace(el, empty(m));
}

function empty({ max, sale }) {
  return [
    h('h3', null, 'Your choice'),
    h('p.muted', null, sale === 'open' ? `Nothing yet. You can choose up to ${max}.` : 'You can look around; choosing opens with the sale.'),
  ];
}

function chosen(m, on) {
  return [
    h('h3', null, plural(m.choice.count, 'seat', 'seats').replace(/seats?/, (w) => (m.seated ? w : w.replace('seat', 'ticket'))), ' chosen'),
    list('chosen', 'chosen-item', m.items),
    total(m.total),
    h('button.button.main', { type: 'button', 'data-testid': 'hold', 'data-focus': 'main', 'data-focus-rest': true, disabled: m.busy, onclick: on.take },
      m.busy ? 'One moment…' : 'Hold for me'),
    h('p.fine', null, `Not yours yet. Held for ${m.minutes} minutes once you press the button.`),
  ];
}

function held(m, on) {
  return [
    h('div.basket-head', null, h('h3', null, 'Held for you'), countdown(m.hold.expires_at, on.expired)),
    list('basket', 'basket-line', m.lines),
    total(m.hold.amount, m.hold.currency),
    h('button.button.main', { type: 'button', 'data-testid': 'checkout', 'data-focus': 'main', 'data-focus-rest': true, disabled: m.busy, onclick: on.checkout },
      m.busy ? 'One moment…' : 'Check out'),
    h('button.link', { type: 'button', 'data-testid': 'release', 'data-focus': 'release', disabled: m.busy, onclick: on.release }, 'Give them back'),
  ];
}

function changing(m, on) {
  return [
    h('div.basket-head', null, h('h3', null, 'Change your hold'), countdown(m.hold.expires_at, on.expired)),
    m.choice.count ? list('chosen', 'chosen-item', m.items) : h('p.muted', null, 'Nothing chosen.'),
    m.choice.count ? total(m.total) : null,
    m.choice.count
      ? h('button.button.main', { type: 'button', 'data-testid': 'hold', 'data-focus': 'main', 'data-focus-rest': true, disabled: m.busy, onclick: on.take },
        m.busy ? 'One moment…' : 'Change to these')
      : h('button.button.main', { type: 'button', 'data-testid': 'release', 'data-focus': 'main', 'data-focus-rest': true, disabled: m.busy, onclick: on.release }, 'Give them back'),
    h('button.link', { type: 'button', 'data-focus': 'undo', disabled: m.busy, onclick: on.undo }, 'Keep what I have'),
    h('p.fine', null, 'What you hold stays yours until the change has worked.'),
  ];
}

function list(name, each, items) {
  return h('ul.lines', { 'data-testid': name }, items.map((item) => h('li.line', { 'data-testid': each },
    h('span.line-text', null, h('b', null, item.text), item.note && h('span.muted', null, item.note)),
    h('span.line-price', null, money(item.price)),
    item.remove && h('button.close', { type: 'button', 'aria-label': `Remove ${item.text}`, 'data-focus': item.key, onclick: item.remove }, '×'))));
}

function total(amount, currency) {
  const value = currency && typeof amount !== 'object' ? { amount, currency } : amount;
  return h('p.total', null, h('span', null, 'Total'), h('b', null, money(value)));
}
