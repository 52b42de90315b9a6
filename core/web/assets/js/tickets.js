// The visitor's tickets, by event.

import { read } from './api.js';
import { byId, h, replace } from './dom.js';
import { explain } from './notice.js';
import { when, where } from './occasion.js';
import { t as say } from './say.js';
import { stub } from './stub.js';

async function start() {
  const { tickets } = await read('/v1/tickets');
  const box = byId('tickets');
  box.setAttribute('aria-busy', 'false');
  const events = new Map();
  for (const t of tickets) events.set(t.event, [...(events.get(t.event) || []), t]);
  if (!events.size) {
    replace(box, h('div.empty', null, h('p', null, say('noTickets')), h('p', null, h('a.button', { href: '/' }, say('allEvents')))));
    return;
  }
  replace(box, [...events.values()].map((list) => h('section.ticket-group', null,
    h('h2', null, h('bdi', null, list[0].title)),
    h('p.muted', null, `${when(list[0])} · ${where(list[0])}`),
    h('ul.stubs', null, list.map((t) => h('li', null, stub(t, { link: true })))))));
}

start().catch((err) => {
  byId('tickets').replaceChildren();
  explain(err);
});
