(function () {
'use strict';
var c = JSON.parse(document.getElementById('rl').textContent), t = c.t, base = c.base;
var $ = function (id) { return document.getElementById(id); };
var nf = new Intl.NumberFormat(c.lang), doc = null, off = c.now - Date.now(), place = c.place, index = c.index;
var state = c.state, timers = {}, busy = false, leaving = false, fails = 0, beat = 0, first = -1;
document.documentElement.className = 'js';

function now() { return Date.now() + off; }
function later(name, ms, f) { clearTimeout(timers[name]); timers[name] = setTimeout(f, ms); }
function say(s, o) { return s.replace(/\{(\w)\}/g, function (_, k) { return o[k]; }); }
function put(id, s) { var e = $(id); if (e.textContent !== s) e.textContent = s; }
function show(id, s) { $(id).parentNode.hidden = !s; if (s) put(id, s); }
function store(k, v) { try { return v === undefined ? sessionStorage.getItem(k) : sessionStorage.setItem(k, v); } catch (e) { return null; } }
var mem = 'rl-' + c.room + '-' + c.epoch + '-' + index;

// x moves evenly from x0 to x1 within the second after `at`; after `until` nothing is assumed.
function x() {
  if (!doc) return c.x;
  var f = doc.until && now() > doc.until ? 1 : Math.max(0, Math.min(1, (now() - doc.at) / 1000));
  return Math.floor(doc.x0 + (doc.x1 - doc.x0) * f);
}
// gaps are indexes that were never given: nobody stands there. Who is called and stands at the door is ahead, too.
function ahead() {
  var from = x(), a = place - from;
  (doc ? doc.gaps : []).forEach(function (g) { a -= Math.max(0, Math.min(g[1], place) - Math.max(g[0], from)); });
  return a < 0 ? 0 : a + (doc ? doc.door : 0);
}
function wait(a) {
  if (!doc || doc.rate <= 0) return t.waitUnknown;
  var share = doc.ahead_share > 0 && doc.ahead_share <= 1 ? doc.ahead_share : 1;
  var low = a * share / doc.rate, slow = doc.pace === null ? doc.rate : Math.min(doc.rate, doc.pace);
  return span(low, slow > 0 ? (a + 1) / slow * 1.2 + 5 : -1);
}
function span(low, high) {
  var a = Math.floor(low / 60), b = Math.ceil(high / 60);
  if (high < 0) return a < 1 ? t.waitUnknown : say(t.waitAtLeast, { a: nf.format(a) });
  if (high < 60) return t.waitUnder;
  if (b > 120) return say(t.waitHours, { a: nf.format(Math.floor(low / 3600)), b: nf.format(Math.ceil(high / 3600)) });
  if (a < 1) return say(t.waitUpTo, { b: nf.format(b) });
  return say(a === b ? t.waitSame : t.waitRange, { a: nf.format(a), b: nf.format(b) });
}
function rope(f, hidden) {
  $('rope').toggleAttribute('hidden', !!hidden);
  f = Math.max(0.03, Math.min(1, f));
  $('go').style.strokeDashoffset = String(100 - 100 * f);
  $('me').style.transform = 'translate(' + (24 + 352 * f) + 'px,' + (26 * (1 - f) * (1 - f) + 184 * f * (1 - f) + 26 * f * f) + 'px)';
  $('me').removeAttribute('transform');
  $('rope').setAttribute('aria-valuenow', Math.round(100 * f));
}
function clock(ms) {
  var s = Math.max(0, Math.ceil(ms / 1000)), p = function (n) { return (n < 10 ? '0' : '') + n; };
  return (s >= 3600 ? Math.floor(s / 3600) + ':' : '') + p(Math.floor(s / 60) % 60) + ':' + p(s % 60);
}
function big(word, unit, isWord) { put('num', word); put('unit', unit); $('num').className = isWord ? 'w' : ''; }

function draw() {
  if (leaving) return;
  var open = state === 'waiting', a = place >= 0 ? ahead() : -1;
  put('head', t[state]); put('text', t[state + 'Text']);
  document.querySelector('main').className = state === 'next' || state === 'drawing' ? 'pulse' : '';
  $('act').className = state === 'fresh' || state === 'closed' ? 'act' : 'act n';
  if (open && a >= 0) {
    if (first < a) { first = Math.max(a, +(store(mem) || 0)); store(mem, first); }
    big(nf.format(a), a === 0 ? t.ahead0 : a === 1 ? t.ahead1 : t.aheadN);
    rope(first > 0 ? 1 - a / first : 1);
    document.title = nf.format(a) + ' · ' + c.title;
  } else if (state === 'scheduled') {
    big(clock((doc ? doc.prequeue_at : c.begin) - now()), t.scheduledBig); rope(0, true);
    document.title = clock((doc ? doc.prequeue_at : c.begin) - now()) + ' · ' + c.title;
  } else if (state === 'prequeue') {
    var at = doc ? doc.opens_at : c.opens, left = at - now();
    if (at) big(clock(left), t.prequeueBig); else big(t.prequeueHand, '', true);
    rope(0, true);
    document.title = (at ? clock(left) + ' · ' : '') + c.title;
    if (at && left < -300) later('poll', Math.random() * 1500, poll);
  } else {
    big(t[state + 'Big'] || '...', '', true);
    rope(state === 'next' ? 1 : 0, state !== 'next');
    document.title = (t[state + 'Big'] || t[state]) + ' · ' + c.title;
  }
  show('wait', open && a >= 0 ? wait(a) : '');
  show('place', place >= 0 && (open || state === 'paused' || state === 'next') ? nf.format(place + 1) : '');
  show('rate', open && doc && doc.rate > 0 ? say(t.rateValue, { n: nf.format(Math.round(doc.rate * 60)) }) : '');
  var pre = state === 'prequeue' && doc, at1 = state === 'scheduled' ? doc ? doc.prequeue_at : c.begin : pre ? doc.opens_at : 0;
  if (at1) put('opens', new Date(at1).toLocaleTimeString(c.lang, { hour: '2-digit', minute: '2-digit' }));
  $('opens').parentNode.parentNode.hidden = !at1;
  show('joined', pre ? nf.format(doc.joined) : '');
  if (doc) { put('say', doc.message); $('say').hidden = !doc.message; if (+('0x' + doc.commit.slice(0, 12))) put('commit', doc.commit); }
}
function set(s) { state = s; draw(); }

function call(route, f) {
  fetch(base + route, { method: 'POST', credentials: 'same-origin', headers: { Accept: 'application/json' }, cache: 'no-store' }).then(function (r) {
    if (r.status === 401) { set('fresh'); return null; }
    if (r.status === 429 || r.status >= 500) { later('knock', 2000 + Math.random() * 2000, tick); return null; }
    return r.json();
  }).then(function (b) { if (b) f(b); }).catch(function () { set('retry'); later('poll', 3000 + Math.random() * 2000, poll); });
}
// Only a knock decides whose turn it is; the status document says no more than when to ask.
function knock() { busy = true; call('knock', answer); }
function answer(b) {
  busy = false;
  if (b.place >= 0) place = b.place;
  switch (b.state) {
    case 'in': return enter();
    case 'granted': busy = true; set('next'); return later('knock', b.entry_in_ms, enter);
    case 'door': case 'retry': busy = true; set('next'); return later('knock', b.retry_in_ms || 1000, knock);
    case 'used': return go();
    case 'paused': case 'closed': return set(b.state);
  }
  later('knock', b.retry_in_ms || 2000, tick);
}
function enter() { busy = true; call('enter', function (b) { if (b.state === 'in') go(true); else answer(b); }); }
// A reload is the exact URL with its fragment. Should cookies be refused, it would go round for ever: three times is enough.
function go(inside) {
  if (c.kept && inside) { leaving = true; clearTimeout(timers.poll); state = 'kept'; put('head', t.kept); put('text', t.keptText); big(t.keptBig, '', true); rope(1, true); $('kept').querySelector('button').focus(); return; }
  var n = JSON.parse(store('rl-go') || '[]').filter(function (at) { return Date.now() - at < 20000; });
  if (n.length >= 3) return set('fresh');
  n.push(Date.now()); store('rl-go', JSON.stringify(n));
  leaving = true; put('head', t.entering); put('text', ''); put('num', t.nextBig); put('unit', ''); rope(1);
  if (c.post) location.replace(location.pathname + location.search); else location.reload();
  later('stuck', 15000, function () { leaving = false; busy = false; poll(); });
}

function older(d) {
  if (!doc) return false;
  if (d.epoch !== doc.epoch) return d.epoch < doc.epoch;
  return d.gen === doc.gen ? d.seq < doc.seq : d.now < doc.now;
}
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
var names = { open: 'waiting', scheduled: 'scheduled', prequeue: 'prequeue', drawing: 'drawing', paused: 'paused', closed: 'closed' };
function tick() {
  if (leaving || !doc) return;
  var s = names[doc.state] || 'retry';
  if (!busy && state !== 'fresh') set(s);
  if (state === 'fresh') return;
  // The pre-queue has begun. All are drawn alike, so there is no hurry: they join over some seconds.
  if (index < 0 && (s === 'prequeue' || s === 'waiting') && !timers.join) timers.join = setTimeout(function () { timers.join = 0; go(); }, 500 + Math.random() * 8000);
  if (s === 'waiting' && index >= 0) {
    if (place < 0) { if (!timers.learn) { timers.learn = setTimeout(function () { timers.learn = 0; heartbeat(); }, Math.random() * 1500); } }
    else if (place < doc.x1 && !busy) {
      busy = true; set('next');
      var d = doc.x1 - doc.x0, when = place < doc.x0 || !d ? 0 : doc.at + 1000 * (place - doc.x0) / d - now();
      later('knock', Math.max(0, Math.min(1500, when)), knock);
    }
  } else if (s === 'retry' && index < 0) later('knock', 4000 + Math.random() * 4000, go);
  later('poll', interval(s), poll);
}
function interval(s) {
  var ms = 5000;
  if (s === 'waiting' && place >= 0) ms = doc.rate > 0 ? Math.max(1000, Math.min(15000, ahead() / doc.rate * 125)) : 5000;
  if (s === 'drawing' || s === 'waiting' && place < 0) ms = 1000;
  if (s === 'scheduled') ms = Math.max(500, Math.min(20000, doc.prequeue_at - now() + 200));
  if (s === 'prequeue') ms = !doc.opens_at ? 3000 : Math.max(500, Math.min(10000, doc.opens_at - now() + 200));
  return ms * (0.9 + Math.random() * 0.2);
}
// Presence: it says that somebody still waits, and brings the place once it has been drawn.
function heartbeat() {
  if (leaving || index < 0 || state === 'fresh' || state === 'closed') return;
  beat = Date.now();
  call('heartbeat', function (b) { if (b.place >= 0 && b.place !== place) { place = b.place; if (!busy) tick(); } });
}
setInterval(function () {
  var near = doc && place >= 0 && doc.rate > 0 && ahead() / doc.rate < 120;
  if (Date.now() - beat >= (document.hidden ? 55000 : near ? 20000 : 45000)) heartbeat();
  if (!document.hidden) draw();
}, 1000);
function wake() { if (state === 'kept') return; if (!leaving || Date.now() - beat > 15000) { leaving = false; busy = false; clearTimeout(timers.knock); poll(); } }
addEventListener('pageshow', function (e) { if (e.persisted) { leaving = false; wake(); } });
document.addEventListener('visibilitychange', function () { if (!document.hidden) wake(); });
addEventListener('online', wake);
$('btn').addEventListener('click', function (e) { e.preventDefault(); location.reload(); });
beat = Date.now() - 45000 + Math.random() * 15000;
if (state === 'kept') { leaving = true; } else if (state === 'limited') { draw(); setTimeout(function () { location.reload(); }, 5000 + Math.random() * 10000); } else if (state === 'fresh') { if (!store('rl-fresh')) { store('rl-fresh', 1); location.reload(); } draw(); } else { draw(); poll(); }
})();
