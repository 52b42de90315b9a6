// One ticket, large, for the door. The screen stays on while it is shown.

import { Problem, read } from './api.js';
import { byId, data, h, replace } from './dom.js';
import { explain } from './notice.js';
import { parts, t as say } from './say.js';
import { stub } from './stub.js';

async function stayAwake() {
  try {
    await navigator.wakeLock.request('screen');
  } catch {
    // Not allowed or not there: the visitor taps now and then.
  }
}

async function start() {
  const box = byId('ticket');
  try {
    const t = await read(`/v1/tickets/${encodeURIComponent(data().ticket)}`);
    box.setAttribute('aria-busy', 'false');
    replace(box, stub(t), h('p.fine', null, parts('ticketNumber', { number: h('bdi', null, t.id) })));
    document.title = `${t.title} · Ropeline`;
  } catch (err) {
    if (!(err instanceof Problem) || err.status !== 404) throw err;
    replace(box, h('div.panel', null, h('h2', null, say('noTicket')), h('p', null, say('noTicketText'))));
    return;
  }
  if (navigator.wakeLock) {
    await stayAwake();
    document.addEventListener('visibilitychange', () => { if (!document.hidden) stayAwake(); });
  }
}

start().catch((err) => {
  byId('ticket').replaceChildren();
  explain(err);
});
