// Messages to the visitor, in one place, read out by screen readers.

import { byId, h } from './dom.js';
import { timeOfDay } from './format.js';
import { t } from './say.js';
import { words } from './words.js';

const LEAVING = 2500; // ms to read why the page goes away
const MOST = 3; // messages at once; the oldest goes

// notify shows a message until it is closed or another with the same code comes.
export function notify(text, { code = '', tone = 'info', button = null } = {}) {
  const box = byId('notices');
  const same = [...box.children].find((n) => n.dataset.code === code && n.firstChild.textContent === text);
  if (same) return; // said already; saying it again would only be read out again
  dismiss(code);
  const el = h('div.notice', { 'data-testid': 'notice', 'data-code': code, 'data-tone': tone },
    h('p', null, text),
    button && h('button.button.small', { type: 'button', onclick: button.act }, button.text),
    h('button.close', { type: 'button', 'aria-label': t('close'), onclick: () => el.remove() }, '×'));
  box.append(el);
  while (box.children.length > MOST) box.firstElementChild.remove();
}

export function dismiss(code) {
  for (const old of byId('notices').querySelectorAll('.notice')) {
    if (old.dataset.code === code) old.remove();
  }
}

// explain tells the visitor about a Problem. quiet: nobody clicked, so the page
// does not go away by itself.
export function explain(problem, { quiet = false } = {}) {
  if (problem.code === 'line') return rejoin(quiet);
  if (problem.code === 'unauthenticated') return signIn();
  notify(t(words(problem)), { code: problem.code || 'error', tone: 'bad' });
  if (!problem.code) console.error(problem); // a mistake of ours: keep the stack
}

// rejoin: the time inside has ended. Loading the page again asks the waiting
// room, which puts the visitor into the line and comes back to this address.
function rejoin(quiet) {
  const again = () => location.reload();
  if (quiet) {
    notify(t('lineEnded'), { code: 'line', tone: 'warn', button: { text: t('lineBack'), act: again } });
    return;
  }
  notify(t('lineTaking'), { code: 'line', tone: 'warn' });
  setTimeout(again, LEAVING);
}

// lineFirst: paying needs a place inside, and this browser has none (any more).
// way is an address behind the waiting room that comes back, until: how long the
// order waits (RFC 3339). quiet: it was just tried, so the visitor decides
// whether to try again.
export function lineFirst(way, until, { quiet = false } = {}) {
  const go = () => location.assign(way);
  notify(t('linePay', { time: timeOfDay(until) }), { code: 'line', tone: 'warn', button: { text: t('lineGo'), act: go } });
  if (!quiet) setTimeout(go, LEAVING);
}

export function signIn() {
  location.assign(`/sign-in?return=${encodeURIComponent(location.pathname + location.search)}`);
}
