// ---- the page that a cache gives to everybody: it asks for its place by one request
function join() {
  var body = new URLSearchParams({ page: '1' });
  if (store('rl-used')) body.set('again', '1');
  c.to = aim(location.hash, location.origin);
  fetch(base + 'join', { method: 'POST', credentials: 'same-origin', headers: { Accept: 'application/json' }, cache: 'no-store', body: body }).then(function (r) {
    return r.json().then(function (b) { store('rl-used', ''); joined(r, b); });
  }).catch(function () { set('retry'); later('join', 3000 + Math.random() * 3000, join); });
}
function joined(r, b) {
  var wait = (Number(r.headers.get('Retry-After')) || 5) * 1000 * (1 + Math.random() / 2);
  if (b.state === 'in') return go(true);
  if (r.ok) {
    index = b.index; place = b.place; c.epoch = b.epoch; mem = 'rl-' + c.room + '-' + c.epoch + '-' + index;
    state = 'waiting'; draw(); return poll();
  }
  switch (b.code) {
    case 'work_required':
      if (b.captcha) return line();
      c.work = b.challenge; c.bits = b.bits; set('work'); big(t.workBig, '', true); return work();
    case 'identity_required': case 'invitation_required': return line();
    case 'join_limited': case 'slow_down': set('limited'); return later('join', wait, join);
    case 'closed': case 'not_open': return poll();
  }
  set('retry'); later('join', wait, join);
}
// The edge's own page, for what has to be filled in.
function line() { location.replace(base + 'line?to=' + encodeURIComponent(c.to)); }
// The rule of the draw, once it is known that there is one.
function rule() {
  var drawn = /[1-9a-f]/.test(doc.commit) && (doc.n > 0 || /^(prequeue|scheduled|drawing)$/.test(state)), none = !doc.entropy_source || doc.entropy_source === 'none';
  $('draw').hidden = !drawn;
  if (drawn) put('rule', none ? c.rule[0] : c.rule[1] + ' ' + c.rule[2] + ': ' + doc.entropy_source);
}
