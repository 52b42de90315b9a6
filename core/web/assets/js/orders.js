// The visitor's orders.

import { read } from './api.js';
import { byId, h, replace } from './dom.js';
import { money } from './format.js';
import { explain } from './notice.js';
import { fareOf, placeText, when, where } from './occasion.js';
import { STATE_WORDS, describe } from './orderstate.js';
import { isolated, parts, t } from './say.js';

function row(o) {
  const { tone } = describe(o);
  return h('li', null, h('a.panel.order-row', { href: `/orders/${encodeURIComponent(o.id)}`, 'data-testid': 'order-row', 'data-state': o.state },
    h('span.order-row-text', null, h('b', null, h('bdi', null, o.title)), h('span.muted', null, `${when(o)} · ${where(o)}`),
      h('span.muted', null, parts('orderNumber', { number: h('bdi', { dir: 'ltr' }, o.number) }), (o.lines || []).map((l) => [' · ', lineText(l)]))),
    h('span.order-row-end', null, h('b', null, money(o.amount, o.currency)), h('span.badge', { 'data-tone': tone }, STATE_WORDS[o.state] ? t(STATE_WORDS[o.state]) : o.state))));
}

function lineText(l) {
  const fare = fareOf(l);
  return `${l.quantity === 1 ? placeText(l) : t('times', { n: l.quantity, what: l.label })}${fare && ` (${isolated(fare)})`}`;
}

async function start() {
  const { orders } = await read('/v1/orders');
  const box = byId('orders');
  box.setAttribute('aria-busy', 'false');
  if (orders.length) replace(box, h('ul.plain', null, orders.map(row)));
  else replace(box, h('div.empty', null, h('p', null, t('noOrders')), h('p', null, h('a.button', { href: '/' }, t('allEvents')))));
}

start().catch((err) => {
  byId('orders').replaceChildren();
  explain(err);
});
