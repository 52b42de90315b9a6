var c = JSON.parse(document.getElementById('rl').textContent), t = c.t, base = c.base, lang = c.lang;
var doc = null, off = c.now - Date.now(), place = c.place, index = c.index, state = c.state, rank = c.rank; // at the door of a full room: people before; else -1
var timers = {}, busy = false, leaving = false, fails = 0, beat = 0, first = -1, least = -1, said = null, toldAt = 0, audio = null;
document.documentElement.className = 'js';

// An operator's own template may lack any of our elements.
function $(id) { return document.getElementById(id) || document.createElement('i'); }
function now() { return Date.now() + off; }
function later(name, ms, f) { clearTimeout(timers[name]); timers[name] = setTimeout(f, ms); }
function put(id, s) { var e = $(id); if (e.textContent !== s) e.textContent = s; }
function show(id, s) { var e = $(id); if (e.parentNode) e.parentNode.hidden = !s; if (s) put(id, s); }
function store(k, v) { try { return v === undefined ? sessionStorage.getItem(k) : sessionStorage.setItem(k, v); } catch (e) { return null; } }
function recall(k) { try { return JSON.parse(store(k)); } catch (e) { return null; } }
var mem = 'rl-' + c.room + '-' + c.epoch + '-' + index;

function rope(f) {
  var r = $('rope');
  r.toggleAttribute('hidden', f < 0);
  f = Math.max(0.03, Math.min(1, f));
  $('go').style.strokeDashoffset = String(100 - 100 * f);
  $('me').removeAttribute('transform');
  $('me').style.transform = 'translate(' + (24 + 352 * f) + 'px,' + (22 * (1 - f) * (1 - f) + 172 * f * (1 - f) + 22 * f * f) + 'px)';
  r.setAttribute('aria-valuenow', Math.round(100 * f));
}
function big(word, unit, isWord) { put('num', word); put('unit', unit); $('num').className = isWord ? 'w' : ''; }
function when(at) {
  var e = $('opens');
  if (e.parentNode) e.parentNode.parentNode.hidden = !at;
  if (!at) return;
  var d = new Date(at), near = Math.abs(at - now()) < 432e5;
  put('opens', native(d.toLocaleString(lang + '-u-nu-latn', near ? { hour: '2-digit', minute: '2-digit' } : { dateStyle: 'medium', timeStyle: 'short' }), t));
  e.setAttribute('datetime', d.toISOString());
}

function draw() {
  if (leaving) return;
  var open = state === 'waiting', a = rank >= 0 ? rank : place >= 0 && doc ? before(doc, place, now()) : -1;
  put('head', t[state]); put('text', t[state + 'Text']);
  var box = document.querySelector('main');
  if (box) box.dataset.state = state;
  $('act').className = state === 'fresh' || state === 'cookies' ? 'act' : 'act n';
  $('ring').hidden = !/^(waiting|scheduled|prequeue|drawing|paused|merging|sold_out)$/.test(state);
  var title = t[state + 'Big'] || t[state], why = '';
  if (open && a >= 0 && doc) {
    if (least < 0) { var kept = recall(mem) || {}; first = kept.first || a; least = kept.least === undefined ? a : kept.least; said = kept.said || null; }
    first = Math.max(first, a); least = Math.min(least, a); // the number shown never grows
    said = promise(said, rank < 0 ? estimate(doc, least) : estimate({ rate: 0 }), doc.rate);
    store(mem, JSON.stringify({ first: first, least: least, said: said }));
    var n = rank < 0 ? least : rank;
    title = number(n, t);
    big(title, n === 0 ? t.ahead0 : fill(form(t.ahead, n, lang), { n: title }));
    rope(first > 0 ? 1 - n / first : 1);
    show('wait', span(said.low, said.high, t, lang));
    why = left(doc, least, now(), t) || said.why && t[said.why];
    if (Date.now() - toldAt > 60000) { if (toldAt) put('told', title + ' ' + $('unit').textContent + '. ' + $('wait').textContent); toldAt = Date.now(); }
  } else if (open && c.index >= 0 && !doc) return; // the server's word stands until the first document
  else if (state === 'scheduled') {
    title = clock((doc ? doc.prequeue_at : c.begin) - now(), t);
    big(title, t.scheduledBig); rope(-1);
  } else if (state === 'prequeue') {
    var at = doc ? doc.opens_at : c.opens;
    if (at && at - now() <= 0) return set('drawing'); // by its own clock: nobody has to ask at this moment
    title = at ? clock(at - now(), t) : t.prequeueHand;
    big(title, at ? t.prequeueBig : '', !at); rope(-1);
  } else if (state !== 'work') {
    big(title, '', true); rope(state === 'next' ? 1 : -1);
  }
  if (!(open && a >= 0)) show('wait', '');
  document.title = (state === 'next' ? '\u25cf ' : '') + title + ' \u00b7 ' + c.title;
  $('why').hidden = !why; if (why) put('why', why);
  show('place', place >= 0 && /^(waiting|next|paused|sold_out)$/.test(state) ? number(place + 1, t) : '');
  var per = doc ? Math.round(doc.rate * 60) : 0;
  show('rate', open && per > 0 ? fill(form(t.rateValue, per, lang), { n: number(per, t) }) : '');
  when(state === 'scheduled' ? doc ? doc.prequeue_at : c.begin : state === 'prequeue' ? doc ? doc.opens_at : c.opens : 0);
  show('joined', state === 'prequeue' && doc ? number(doc.waiting, t) : '');
  if (doc) { put('say', doc.message); $('say').hidden = !doc.message; if (/[1-9a-f]/.test(doc.commit)) put('commit', doc.commit); if (c.rule) rule(); }
}
function set(s) { if (s === 'next' && state !== 'next') ring(); state = s; draw(); }

// ---- told when called: only who asked for it is, and only once
function bell() {
  var on = store('rl-bell') === '1', asks = on && window.Notification && Notification.permission === 'granted';
  $('bell').setAttribute('aria-pressed', on);
  put('bell', on ? asks ? t.bellBoth : t.bellOn : t.bell);
}
function sound() { try { audio = audio || new (window.AudioContext || window.webkitAudioContext)(); audio.resume(); } catch (e) { /* no sound here */ } }
function ring() {
  if (store('rl-bell') !== '1') return;
  if (audio) [660, 880, 1320].forEach(function (hz, i) {
    var o = audio.createOscillator(), g = audio.createGain(), at = audio.currentTime + i * 0.22;
    o.frequency.value = hz; o.connect(g); g.connect(audio.destination);
    g.gain.setValueAtTime(0.0001, at); g.gain.exponentialRampToValueAtTime(0.3, at + 0.02); g.gain.exponentialRampToValueAtTime(0.0001, at + 0.6);
    o.start(at); o.stop(at + 0.65);
  });
  try { if (Notification.permission === 'granted') new Notification(t.next, { body: c.title, tag: 'rl-' + c.room }).onclick = function () { window.focus(); this.close(); }; } catch (e) { /* phones allow it to service workers only */ }
  if (navigator.vibrate) navigator.vibrate([200, 100, 200]);
}
$('bell').addEventListener('click', function () {
  var on = store('rl-bell') !== '1';
  store('rl-bell', on ? '1' : '0');
  if (on) { sound(); try { Notification.requestPermission().then(bell); } catch (e) { /* a sound alone */ } }
  bell();
});
['pointerdown', 'keydown'].forEach(function (e) { addEventListener(e, function () { if (store('rl-bell') === '1') sound(); }); });

// ---- talking to the edge
function call(route, f) {
  fetch(base + route, { method: 'POST', credentials: 'same-origin', headers: { Accept: 'application/json' }, cache: 'no-store' }).then(function (r) {
    if (r.status === 401) { set(index >= 0 ? 'cookies' : 'fresh'); return null; } // a place was given, and its ticket does not come back
    if (r.status === 429 || r.status >= 500) { later('knock', 2000 + Math.random() * 2000, tick); return null; }
    return r.json();
  }).then(function (b) { if (b) f(b); }).catch(function () { set('retry'); later('poll', 3000 + Math.random() * 2000, poll); });
}
// Only a knock decides whose turn it is; the status document says no more than when to ask.
function knock() { busy = true; call('knock', answer); }
function answer(b) {
  busy = false; rank = b.full ? b.rank : -1;
  if (b.place >= 0) place = b.place;
  switch (b.state) {
    case 'in': return enter();
    case 'granted': busy = true; set('next'); return later('knock', b.entry_in_ms, enter);
    case 'door': case 'retry': busy = true; set(b.full ? 'waiting' : 'next'); return later('knock', b.retry_in_ms || 1000, knock);
    case 'used': store('rl-used', 1); return go();
    case 'paused': case 'closed': case 'sold_out': return set(b.state);
  }
  later('knock', b.retry_in_ms || 2000, tick);
}
function enter() { busy = true; call('enter', function (b) { if (b.state === 'in') go(true); else answer(b); }); }
// A reload is the exact URL with its fragment. Should cookies be refused, it would go round for ever: three times is enough.
function go(inside) {
  if (c.kept && inside) { leaving = true; clearTimeout(timers.poll); state = 'kept'; put('head', t.kept); put('text', t.keptText); big(t.keptBig, '', true); rope(1); var b = document.querySelector('#kept button'); if (b) { b.parentNode.hidden = false; b.focus(); } return; }
  var n = (recall('rl-go') || []).filter(function (at) { return Date.now() - at < 20000; });
  if (n.length >= 3) return set('cookies');
  n.push(Date.now()); store('rl-go', JSON.stringify(n));
  leaving = true;
  if (inside) { put('head', t.entering); put('text', ''); big(t.nextBig, '', true); rope(1); }
  if (c.to && inside) location.replace(location.origin + c.to); else if (c.post) location.replace(location.pathname + location.search); else location.reload();
  later('stuck', 15000, function () { leaving = false; busy = false; poll(); });
}
// A document that a cache kept from before must not take anybody back.
function older(d) { return doc && (d.epoch < doc.epoch || d.epoch === doc.epoch && d.gen === doc.gen && d.seq < doc.seq); }
function poll() {
  if (leaving) return;
  var sent = Date.now();
  fetch(base + 'status', { credentials: 'omit' }).then(function (r) { if (!r.ok) throw 0; return r.json(); }).then(function (d) {
    fails = 0;
    if (!older(d)) {
      if (c.epoch && d.epoch > c.epoch) return go(); // a new line: this ticket's is over
      // A cached copy is up to a second old: the largest difference seen is the nearest to the truth.
      off = doc ? Math.max(off - 5, d.now - Date.now()) : d.now - (sent + Date.now()) / 2;
      doc = d;
    }
    tick();
  }).catch(function () { if (++fails > 2 && !busy) set('retry'); later('poll', Math.min(20000, 1000 * Math.pow(2, fails)) * (0.7 + Math.random() * 0.6), poll); });
}
var names = { open: 'waiting', scheduled: 'scheduled', prequeue: 'prequeue', drawing: 'drawing', paused: 'paused', closed: 'closed', merging: 'merging', sold_out: 'sold_out', passthrough: 'waiting' };
function tick() {
  if (leaving || !doc || state === 'cookies') return;
  var s = names[doc.state] || 'retry';
  if (s === 'prequeue' && state === 'drawing' && doc.opens_at && doc.opens_at <= now()) s = 'drawing';
  if (!busy && state !== 'fresh') set(s);
  if (state === 'fresh') return;
  // Whoever has no place yet joins now. All who come before the opening are drawn alike, so there is no hurry.
  if (index < 0 && (s === 'prequeue' || s === 'waiting') && !timers.join) timers.join = setTimeout(function () { timers.join = 0; go(); }, 500 + Math.random() * 9500);
  if (s === 'waiting' && index >= 0) {
    if (place < 0) { if (!timers.learn) timers.learn = setTimeout(function () { timers.learn = 0; heartbeat(); }, Math.random() * 1500); }
    else if (place < doc.x1 && !busy) {
      busy = true; if (rank < 0) set('next');
      var d = doc.x1 - doc.x0, at = place < doc.x0 || !d ? 0 : doc.at + 1000 * (place - doc.x0) / d - now();
      later('knock', Math.max(0, Math.min(1500, at)), knock);
    }
  } else if ((s === 'retry' || s === 'merging') && index < 0) later('knock', 4000 + Math.random() * 4000, go);
  later('poll', interval(doc, s, place, place < 0 ? 0 : before(doc, place, now()), document.hidden) * (0.9 + Math.random() * 0.2), poll);
}
// Presence: it says that somebody still waits, and brings the place once it has been drawn.
function heartbeat() {
  if (leaving || index < 0 || /^(fresh|closed|cookies)$/.test(state)) return;
  beat = Date.now();
  call('heartbeat', function (b) { if (b.place >= 0 && b.place !== place) { place = b.place; if (!busy) tick(); } });
}
function wake() { if (/^(kept|work|limited|fresh|cookies|invited|identify|joining)$/.test(state)) return; if (!leaving || Date.now() - beat > 15000) { leaving = false; busy = false; clearTimeout(timers.knock); poll(); } }
addEventListener('pageshow', function (e) { if (e.persisted) { leaving = false; wake(); } });
document.addEventListener('visibilitychange', function () { if (!document.hidden) wake(); });
addEventListener('online', wake);
$('btn').addEventListener('click', function (e) { e.preventDefault(); location.reload(); });

// ---- joining by proof of work
var human = c.human ? new Promise(function (ok) { window.ropelineCaptcha = ok; }) : Promise.resolve('');
function work() {
  rope(0);
  var parts = 16, give = function (found) {
    rope(1);
    human.then(function (token) {
      var body = new URLSearchParams({ challenge: c.work, work: found.join('.'), captcha: token });
      return fetch(base + 'join', { method: 'POST', credentials: 'same-origin', headers: { Accept: 'application/json' }, body: body });
    }).then(function (r) {
      if (!r.ok && r.status !== 403) throw 0;
      var f = document.getElementById('kept');
      if (r.ok && f) HTMLFormElement.prototype.submit.call(f); else go();
    }).catch(function () { later('work', 3000 + Math.random() * 3000, function () { give(found); }); });
  };
  try {
    var w = new Worker(URL.createObjectURL(new Blob(['(' + solver + ')(function(f){postMessage(f)})(' + [JSON.stringify(c.work), c.bits, parts] + ',function(n){postMessage(n)})'], { type: 'text/javascript' })));
    w.onmessage = function (e) { if (typeof e.data === 'number') rope(e.data); else { w.terminate(); give(e.data); } };
    w.onerror = function () { solver(rope)(c.work, c.bits, parts, give); };
  } catch (e) { solver(rope)(c.work, c.bits, parts, give); }
}

beat = Date.now() - 45000 + Math.random() * 15000;
setInterval(function () {
  var near = doc && place >= 0 && doc.rate > 0 && before(doc, place, now()) / doc.rate < 120;
  if (Date.now() - beat >= (document.hidden ? 58000 : near ? 20000 : 45000)) heartbeat();
  if (!document.hidden && !/^(kept|work|invited|identify|joining)$/.test(state)) draw();
}, 1000);
bell();
switch (state) {
  case 'kept': leaving = true; break;
  case 'work': work(); break;
  case 'joining': join(); break;
  case 'invited': case 'identify': var m = /^#invitation=([\w.~-]+)$/.exec(location.hash); if (m && $('code').form) { $('code').value = m[1]; history.replaceState(null, '', location.pathname + location.search); $('code').form.submit(); } break;
  case 'limited': draw(); setTimeout(function () { location.reload(); }, 5000 + Math.random() * 10000); break;
  case 'fresh': if (!store('rl-fresh')) { store('rl-fresh', 1); location.reload(); } draw(); break;
  default: draw(); poll();
}
