// One ticket as a card: what, when, where, and the code for the door.

import { h } from './dom.js';
import { fareOf, routeText, when, where } from './occasion.js';

const STATES = { valid: 'Valid', revoked: 'No longer valid' };

// stub draws a ticket; link: the card leads to the large one.
export function stub(t, { link = false } = {}) {
  const good = t.state === 'valid';
  const inside = [
    h('div.stub-text', null,
      link ? h('h3', null, t.label) : [h('h2', null, t.title), h('p.stub-seat', null, t.label)],
      fareOf(t) && h('p.stub-fare', null, fareOf(t)),
      h('p.stub-when', null, when(t)),
      h('p.stub-where', { 'data-testid': 'ticket-where' }, routeText(t) && h('span', null, routeText(t), h('br')), where(t)),
      h('p', null, h('span.badge', { 'data-tone': good ? 'good' : 'bad' }, STATES[t.state] || t.state))),
    h('div.stub-code', null, good
      ? h('img', { src: `/v1/tickets/${encodeURIComponent(t.id)}/qr.svg`, width: link ? 168 : 320, height: link ? 168 : 320, alt: `Code of the ticket ${t.label}`, 'data-testid': 'ticket-qr' })
      : h('p.muted', null, 'No code'))];
  const props = { 'data-testid': 'ticket-card', 'data-state': t.state };
  return link ? h('a.stub', { href: `/tickets/${encodeURIComponent(t.id)}`, ...props }, inside) : h('article.stub.stub-large', props, inside);
}
