// One ticket as a card: what, when, where, and the code for the door.

import { h } from './dom.js';
import { fareOf, placeText, routeText, when, where } from './occasion.js';
import { t as say } from './say.js';

const STATES = { valid: 'ticketValid', revoked: 'ticketRevoked' };

// stub draws a ticket; link: the card leads to the large one.
export function stub(t, { link = false } = {}) {
  const good = t.state === 'valid';
  const label = placeText(t);
  const inside = [
    h('div.stub-text', null,
      link ? h('h3', null, label) : [h('h2', null, h('bdi', null, t.title)), h('p.stub-seat', null, label)],
      fareOf(t) && h('p.stub-fare', null, h('bdi', null, fareOf(t))),
      h('p.stub-when', null, when(t)),
      h('p.stub-where', { 'data-testid': 'ticket-where' }, routeText(t) && h('span', null, routeText(t), h('br')), where(t)),
      h('p', null, h('span.badge', { 'data-tone': good ? 'good' : 'bad' }, STATES[t.state] ? say(STATES[t.state]) : t.state))),
    h('div.stub-code', null, good
      ? h('img', { src: `/v1/tickets/${encodeURIComponent(t.id)}/qr.svg`, width: link ? 168 : 320, height: link ? 168 : 320, alt: say('ticketCode', { seat: label }), 'data-testid': 'ticket-qr' })
      : h('p.muted', null, say('noCode')))];
  const props = { 'data-testid': 'ticket-card', 'data-state': t.state };
  return link ? h('a.stub', { href: `/tickets/${encodeURIComponent(t.id)}`, ...props }, inside) : h('article.stub.stub-large', props, inside);
}
