const base = location.pathname.replace(/\/console.*$/, ''), every = 1000, lateAfter = 6000, mostRooms = 100;
let room = decodeURIComponent(location.hash.slice(1)), rooms = [], heardAt = 0, spoken = '', asked = 0;

async function ask(path) {
  const r = await fetch(base + path, { headers: { Accept: 'application/json' }, cache: 'no-store', signal: AbortSignal.timeout(5000) });
  const doc = await r.json();
  if (!r.ok) throw new Error(doc.error || 'the edge answers ' + r.status);
  return doc;
}
function trouble(text) { $('trouble').hidden = !text; say('trouble', text || ''); }

async function findRooms() {
  rooms = (await ask('/rooms?limit=' + mostRooms)).map(r => r.room);
  if (!rooms.includes(room)) room = rooms[0] || '';
  put($('rooms'), rooms.map(name => el('a', { href: '#' + encodeURIComponent(name), 'aria-current': name === room ? 'true' : false }, name)));
  if (!room) trouble('This edge has no room yet.');
}

function show(doc) {
  measure();
  if (doc.room !== room) return; // an answer to an older question
  $('main').hidden = false;
  const off = doc.mode === 'off';
  for (const s of document.querySelectorAll('main > section:not(.hero), main > .two')) s.hidden = off;
  if (off) doc = Object.assign({ limits: {}, sentence: doc.sentence || 'This room has a fixed rate: no pace block in its configuration.' }, doc);
  showWhy(doc);
  if (!off) {
    showHistory(doc); showResources(doc); showPeople(doc); showStock(doc); showSignals(doc); showSteer(doc);
  }
  heard(doc);
}

// What changes each second is not read out; a new reason is.
function heard(doc) {
  heardAt = Date.now();
  const key = doc.room + doc.mode + doc.reason;
  if (spoken && spoken !== key) say('said', doc.room + ': ' + doc.sentence);
  spoken = key;
  trouble('');
  age();
}
function age() {
  const old = Date.now() - heardAt;
  $('live').className = 'live ' + (!heardAt ? '' : old < lateAfter ? 'on' : old < 3 * lateAfter ? 'late' : 'off');
  say('heard', !heardAt ? 'connecting' : old < lateAfter ? 'live' : 'last heard ' + secs(Math.round(old / 1000)) + ' ago');
}

async function turn() {
  const mine = ++asked;
  try {
    if (!rooms.length || mine % 10 === 0) await findRooms();
    if (room) {
      const doc = await ask('/rooms/' + encodeURIComponent(room) + '/pace');
      if (mine === asked) show(doc);
    }
  } catch (e) {
    trouble('The edge does not answer: ' + e.message + '. What is shown is old; asking again.');
    age();
  }
  if (mine === asked) setTimeout(turn, document.hidden ? 10 * every : every);
}
addEventListener('hashchange', () => {
  room = decodeURIComponent(location.hash.slice(1));
  inForce = ''; previewed = ''; spoken = '';
  if (form) { tell(false); changed(); }
  for (const a of $('rooms').children) a.toggleAttribute('aria-current', false), a.textContent === room && a.setAttribute('aria-current', 'true');
  turn();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden) turn(); });
setInterval(age, 1000);
turn();
