// On every page: keep the visitor's pass alive while the visitor does something.
//
// A pass lives five minutes, a hold eight. The waiting room renews it on a
// navigation; somebody who looks for seats on the map does not navigate, so the
// page asks. Only after a sign of life: a forgotten tab must not keep a place
// that somebody in the line is waiting for.

import { told } from './api.js';
import { dismiss, notify } from './notice.js';
import { t } from './say.js';

const EVERY = 165000; // ms; the second half of a pass's five minutes

const room = document.body.dataset.room;

if (room) {
  let alive = true; // loading the page is a sign of life
  for (const sign of ['pointerdown', 'keydown', 'wheel']) {
    addEventListener(sign, () => { alive = true; }, { passive: true, capture: true });
  }
  const timer = setInterval(async () => {
    if (!alive || document.hidden) return;
    alive = false;
    try {
      const answer = await fetch(`/.well-known/ropeline/${encodeURIComponent(room)}/renew`, { method: 'POST', credentials: 'same-origin' });
      // No waiting room in front, or the session is over: the next page decides.
      if (answer.status === 404 || answer.status === 403) clearInterval(timer);
    } catch {
      alive = true; // no connection: the next round tries again
    }
  }, EVERY);
}

// Somebody else has come with a copy of this visitor's place in line, and was refused.
told.contested = () => notify(t('contested'), { code: 'contested', tone: 'warn' });

// Very many people are buying: what was asked for waits behind others.
told.waits = (yes) => {
  if (yes) notify(t('waitsTurn'), { code: 'turn' });
  else dismiss('turn');
};

// A search's address is shared and kept: fields left empty have no business in it.
const search = document.querySelector('form[role=search]');
if (search) {
  search.addEventListener('submit', () => {
    const empty = [...search.elements].filter((e) => e.name && !e.value);
    for (const e of empty) e.disabled = true; // a disabled field is not sent
    setTimeout(() => { for (const e of empty) e.disabled = false; }); // for who comes back to this page
  });
}

// The menus of the header close like any other.
for (const menu of document.querySelectorAll('.menu')) {
  addEventListener('click', (e) => { if (!menu.contains(e.target)) menu.open = false; });
  menu.addEventListener('focusout', (e) => { if (e.relatedTarget && !menu.contains(e.relatedTarget)) menu.open = false; });
  addEventListener('keydown', (e) => {
    if (e.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.firstElementChild.focus();
  });
}
