// A presale: whoever has redeemed a code may buy before everybody. What was redeemed
// is the account's, and known to the server; the browser only remembers that it was,
// so that the page is open at once.
import { act } from './api.js';
import { byId } from './dom.js';
import { dateText } from './format.js';
import { dismiss, explain, notify } from './notice.js';
import { t } from './say.js';

// setUpPresale watches the form; opened() is called when this buyer may buy now.
export function setUpPresale(event, opened) {
  const form = byId('presale');
  const name = `rl.presale.${event.id}`;
  const wish = `rl.code.${event.id}`; // what was typed before signing in
  const input = byId('presale-code');
  let timer = 0;

  function enter({ starts_at: from, ends_at: until }) {
    const now = Date.now();
    if (until && Date.parse(until) <= now) return;
    if (Date.parse(from) > now) {
      notify(t('presaleGood', { when: dateText('short', from) }), { code: 'presale' });
      clearTimeout(timer);
      if (Date.parse(from) - now < 2 ** 31) timer = setTimeout(() => location.reload(), Date.parse(from) - now + 500);
      return;
    }
    form.hidden = true;
    dismiss('presale');
    opened();
  }

  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    const code = input.value.trim();
    if (!code) return;
    keep(sessionStorage, wish, code);
    try {
      const presale = await act(`presale:${event.id}`, 'POST', `/v1/events/${encodeURIComponent(event.id)}/presale`, { code });
      keep(localStorage, name, presale);
      keep(sessionStorage, wish, null);
      enter(presale);
    } catch (err) {
      explain(err);
    }
  });

  input.value = kept(sessionStorage, wish) || '';
  const presale = kept(localStorage, name);
  if (presale) enter(presale);
  // closed: the server knows better; another account is signed in here.
  return { closed() { keep(localStorage, name, null); form.hidden = false; } };
}

function kept(store, name) {
  try {
    return JSON.parse(store.getItem(name));
  } catch {
    return null; // not ours, or storage forbidden
  }
}

function keep(store, name, value) {
  try {
    if (value === null) store.removeItem(name);
    else store.setItem(name, JSON.stringify(value));
  } catch {
    // Storage forbidden: the page forgets when it is left.
  }
}
