// A count-down by the server's clock.

import { clock, clockText, spoken } from './clock.js';
import { h } from './dom.js';

const URGENT = 60000; // ms; from here the colour says so as well

// countdown returns an element that counts to an instant and calls over() once.
// It stops by itself when it is no longer in the page.
export function countdown(until, over) {
  const time = h('b', { 'data-testid': 'countdown' }, clockText(clock.left(until)));
  const voice = h('span.sr', { role: 'status', 'aria-live': 'polite' });
  const el = h('span.countdown', null, time, voice);
  let before = clock.left(until);
  let was = false; // has been in the page
  const timer = setInterval(() => {
    if (!el.isConnected) {
      if (was) clearInterval(timer);
      return;
    }
    was = true;
    const left = clock.left(until);
    time.textContent = clockText(left);
    el.classList.toggle('urgent', left <= URGENT);
    const say = spoken(before, left);
    if (say) voice.textContent = say;
    before = left;
    if (left === 0) {
      clearInterval(timer);
      over();
    }
  }, 250);
  return el;
}
