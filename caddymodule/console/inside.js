const stateChip = { fresh: ['fresh', 'good'], warn: ['late', 'warn'], stale: ['stale', 'bad'], never: ['never heard', ''] };
function signalChip(state) { const c = stateChip[state] || [state, '']; return chip(c[0], c[1]); }

function showResources(doc) {
  put($('resources'), (doc.resources || []).map(r => {
    const notes = [];
    if (r.blind) notes.push('It tells nothing; its limit is found by trying.');
    if (r.doubted) notes.push('It reports less than the gate sees and is not believed.');
    if (r.trim < 0.995) notes.push('Used to ' + pct(r.trim) + ' only, because answers were slow beyond that.');
    return el('article', { class: 'card res' + (r.name === doc.reason ? ' least' : '') },
      el('h3', null, el('span', null, r.name), signalChip(r.state)),
      el('p', { class: 'soft' }, r.rate === undefined ? 'limits nothing now' : 'bears ' + num(r.rate) + ' people a second' + (r.name === doc.reason ? ', the smallest limit' : '')),
      ahead(r),
      el('dl', { class: 'facts' }, facts([
        ['busy now', pct(r.utilisation)], ['capacity', r.capacity ? num(r.capacity) : 'not known'], ['a person brings', num(r.person) + ' units'],
        r.cost && ['a unit takes', secs(r.cost)], r.work !== undefined && ['may do', num(r.work) + ' /s'], r.within && ['tightest in', secs(r.within)]])),
      notes.length ? el('p', { class: 'note' }, notes.join(' ')) : null);
  }));
}

function showPeople(doc) {
  const p = doc.pipeline, q = doc.quality;
  put($('people'), facts([
    ['waiting in line', count(p.waiting)], ['called, on their way', count(p.pending)],
    ['inside', count(p.inside) + (p.cap && p.cap < 1e6 ? ' of ' + count(p.cap) : '')], ['arriving', num(p.arriving) + ' /s'],
    ['of those called come', pct(p.show) + ' ± ' + pct(p.show_dev)], ['no-shows', pct(1 - p.show)],
    q && ['p99', secs(q.p99) + ' of ' + secs(q.objective.p99)], q && ['errors', pct(q.errors)], q && ['requests', num(q.requests) + ' /s'],
    q && q.payment > 0 && ['a payment takes', secs(q.payment)], q && q.lock_wait > 0 && ['waits for locks', secs(q.lock_wait)]]));
  const by = Math.max(1, Math.round(30 / (p.age_step || 5))), ages = merge(p.ages, by), step = by * (p.age_step || 5);
  put($('ages'), ages.length ? columns(ages, 'People inside by minutes since they came: ' + ages.map((n, i) => count(n) + ' after ' + num(i * step / 60)).slice(0, 20).join(', '),
    i => i * step % 120 ? '' : i * step / 60 + ' min') : el('p', { class: 'soft' }, 'Nobody is inside.'));
}

function showStock(doc) {
  const s = doc.stock;
  if (!s) { put($('stock'), el('p', { class: 'soft' }, 'The origin does not tell what can be sold, so seats limit nothing.')); return; }
  const all = Math.max(1, s.sold + s.held + s.available), part = (cls, n) => wide(el('i', { class: cls }), 100 * n / all);
  const by = Math.max(1, Math.round(20 / (s.step || 5))), ends = merge(s.expiring, by), step = by * (s.step || 5), sum = ends.reduce((a, b) => a + b, 0);
  put($('stock'), [
    el('div', { class: 'stack', role: 'img', 'aria-label': count(s.sold) + ' sold, ' + count(s.held) + ' in baskets, ' + count(s.available) + ' free' }, part('sold', s.sold), part('held', s.held), part('free', s.available)),
    el('ul', { class: 'key' }, el('li', null, el('i', { class: 'sold' }), count(s.sold) + ' sold'), el('li', null, el('i', { class: 'held' }), count(s.held) + ' in baskets'), el('li', null, el('i', { class: 'free' }), count(s.available) + ' free')),
    el('dl', { class: 'facts' }, facts([
      ['state', stockWords[s.state] || words(s.state)], ['people inside will want', count(s.need)], ['free, less what was just taken', count(s.free)],
      s.back_in !== undefined && ['next hold may return in', secs(s.back_in)]])),
    el('h3', null, 'Holds that end, if nobody pays'),
    sum > 0 ? columns(ends, count(sum) + ' seats return within ' + num(ends.length * step / 60) + ' minutes if nobody pays', i => i * step % 120 ? '' : i * step / 60 + ' min', 'col ret')
      : el('p', { class: 'soft' }, 'No hold is near its end.')
  ]);
}

function showSignals(doc) {
  put($('signals').tBodies[0], (doc.signals || []).map(s => el('tr', null,
    el('td', null, words(s.name)), el('td', null, signalChip(s.state)), el('td', null, s.age === undefined ? 'never' : secs(s.age)),
    el('td', null, s.if_dead), el('td', null, s.detail || '–'))));
  const l = doc.leader || {}, edges = doc.edges || [];
  say('foot', 'Decided by edge ' + (l.edge || 'none') + (l.since ? ' since ' + clock(l.since) : '') + ' (fence ' + (l.fence || 0) + '), from the counts of ' + edges.length + (edges.length === 1 ? ' edge' : ' edges') +
    edges.map(e => ' · ' + e.name + ' ' + secs(e.age) + ' ago').join('') + '. Epoch ' + doc.epoch + '.');
}
