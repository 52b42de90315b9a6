// What the page says and when it asks: no DOM, no clock of its own, so that tests run it with chosen times.

// Numbers have the digits and groups of the texts, as on the server.
function number(n, t) {
  var s = String(Math.max(0, n)), out = '', sizes = t.grouping.split(',');
  if (s.length >= +t.groupFrom) for (var i = 0, size = +sizes[0]; s.length > size; size = +sizes[Math.min(++i, sizes.length - 1)]) { out = t.group + s.slice(-size) + out; s = s.slice(0, -size); }
  return native(s + out, t);
}
function native(s, t) { return s.replace(/\d/g, function (d) { return t.digits[d]; }); }
function form(text, n, lang) { return typeof text === 'string' ? text : text[new Intl.PluralRules(lang).select(n)] || text.other; }
function fill(s, o) { return s.replace(/\{(\w)\}/g, function (_, k) { return o[k]; }); }
function clock(ms, t) {
  var s = Math.max(0, Math.ceil(ms / 1000)), p = function (n) { return (n < 10 ? '0' : '') + n; };
  return native((s >= 3600 ? Math.floor(s / 3600) + ':' : '') + p(Math.floor(s / 60) % 60) + ':' + p(s % 60), t);
}

// A wait of low to high seconds in words; below 0 is unknown.
function span(low, high, t, lang) {
  var a = Math.floor(low / 60), b = Math.ceil(high / 60);
  var say = function (key, a, b) { return fill(form(t[key], b, lang), { a: number(a, t), b: number(b, t) }); };
  if (high < 0) return a < 1 ? t.waitUnknown : say('waitAtLeast', 0, a);
  if (high < 60) return t.waitUnder;
  if (b > 120) return say('waitHours', Math.floor(low / 3600), Math.ceil(high / 3600));
  if (a < 1) return say('waitUpTo', 0, b);
  return say(a === b ? 'waitSame' : 'waitRange', a, b);
}

// x moves evenly from x0 to x1 within the second after `at`; after `until` nothing is assumed.
function front(doc, now) {
  var f = doc.until && now > doc.until ? 1 : Math.max(0, Math.min(1, (now - doc.at) / 1000));
  return Math.floor(doc.x0 + (doc.x1 - doc.x0) * f);
}
// gaps are indexes that were never given: nobody stands there. Who is called and stands at the door is ahead, too.
function before(doc, place, now) {
  var from = front(doc, now), a = place - from;
  doc.gaps.forEach(function (g) { a -= Math.max(0, Math.min(g[1], place) - Math.max(g[0], from)); });
  return a < 0 ? 0 : a + doc.door;
}
function estimate(doc, ahead) {
  if (doc.rate <= 0) return { low: 0, high: -1, why: 'whyStop' };
  var share = doc.ahead_share > 0 && doc.ahead_share <= 1 ? doc.ahead_share : 1;
  var pace = doc.pace === null || doc.pace === undefined ? doc.rate : doc.pace, slow = Math.min(doc.rate, pace);
  var low = 0.7 * Math.min(ahead * share / doc.rate, ahead / Math.max(doc.rate, pace)); // as on the server
  return slow > 0 ? { low: low, high: (ahead + 1) / slow * 1.2 + 5, why: slow < doc.rate ? 'whySlow' : '' } : { low: low, high: -1, why: 'whyStop' };
}
// The range that was said stands: it never rises but for a reason, which stays in sight until the range is down again
// where it was. Noise of the estimate is no reason. `said` is what was shown last, or null.
function promise(said, e, rate) {
  var now = { low: e.low, high: e.high, why: '', was: -1, rate: rate };
  if (e.high < 0) { now.why = e.why; now.was = said ? said.high < 0 ? said.was : said.high : -1; return now; }
  if (!said || said.high < 0) { // what was said before it stopped still binds
    if (!said || said.was < 0) return now;
    said = { low: e.low, high: said.was, why: '', was: -1, rate: said.rate };
  }
  if (e.high > said.high) {
    if (e.high <= said.high * 1.2 + 20) { now.high = said.high; now.low = Math.min(e.low, said.low); now.why = said.why; now.was = said.was; return now; }
    now.why = rate < said.rate ? 'whyRate' : 'whySlow';
    now.was = said.why && said.was >= 0 ? said.was : said.high;
    return now;
  }
  now.low = Math.min(e.low, said.low);
  if (said.why && e.high > said.was) { now.why = said.why; now.was = said.was; }
  return now;
}

// What is left, in a sentence; nothing is said of what is plenty or was told too long ago. A seat in a basket is not sold.
function left(doc, ahead, now, t) {
  var s = doc.stock;
  if (!s || now > s.until) return '';
  if (s.state === 'last_seats') return fill(t.leftSome, { n: number(s.available, t), a: number(ahead, t) });
  if (s.state === 'all_held') return t.leftHeld + (s.back_at > now ? ' ' + fill(t.leftBack, { c: clock(s.back_at - now, t) }) : '');
  return s.state === 'sold_out' ? t.sold_outText : '';
}

// How long until the next look at the status document, before jitter. A large crowd looks every ten seconds and goes on
// doing so through the opening: nobody hurries, and so nobody calls at once. A small one may look more often.
function interval(doc, s, place, ahead, hidden) {
  var crowd = Math.max(2000, Math.min(10000, doc.joined * 2));
  if (s === 'waiting' && place < 0 || s === 'drawing' || s === 'prequeue' || s === 'scheduled') return crowd;
  if (s !== 'waiting') return 5000;
  var near = doc.rate > 0 ? ahead / doc.rate * 125 : 5000;
  return Math.max(1000, Math.min(hidden ? 20000 : 15000, near));
}
