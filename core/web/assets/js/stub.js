// One ticket as a card: what, when, where, and the code for the door.

import { h } from './dom.js';

const STATES = { valid: 'Valid', revoked: 'No longer valid' };

// stub draws a ticket; link: the card leads to the large one.
export function stub(t, { link = false } = {}) {
  const good = t.state === 'valid';
  const inside = [
    h('div.stub-text', null,
      h('p.stub-when', null, when(t)),
      link ? h('h3', null, t.label) : [h('h2', null, t.title), h('p.stub-seat', null, t.label)],
      h('p', null, h('span.badge', { 'data-tone': good ? 'good' : 'bad' }, STATES[t.state] || t.state))),
    h('div.stub-code', null, good
      ? h('img', { src: `/v1/tickets/${encodeURIComponent(t.id)}/qr.svg`, width: link ? 112 : 300, height: link ? 112 : 300, alt: `Code of the ticket ${t.label}`, 'data-testid': 'ticket-qr' })
      : h('p.muted', null, 'No code'))];
  const props = { 'data-testid': 'ticket-card', 'data-state': t.state };
  return link ? h('a.stub', { href: `/tickets/${encodeURIComponent(t.id)}`, ...props }, inside) : h('article.stub.stub-large', props, inside);
}

// when is in the event's own zone; without one in the visitor's, and then says so.
function when(t) {
  const format = { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const zone = t.time_zone ? { timeZone: t.time_zone } : { timeZoneName: 'short' };
  return new Intl.DateTimeFormat('en-GB', { ...format, ...zone }).format(new Date(t.starts_at));
}
