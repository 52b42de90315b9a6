const modes = [
  ['auto', 'Automatic', 'the controller decides'], ['pin', 'Pin', 'your rate, tracked: the return is no leap'], ['pause', 'Pause', 'nobody enters'],
  ['drain', 'Drain', 'nobody enters, those inside finish'], ['shadow', 'Shadow', 'computed and recorded, the configured rate applies']
];
let form = null, previewed = '', inForce = '';

function field(label, name, attrs, cls) {
  return el('label', { class: cls || false }, label, el('input', Object.assign({ name: name, autocomplete: 'off' }, attrs)));
}

// buildSteer makes the form once: what somebody is typing must survive the next answer.
function buildSteer() {
  const radios = modes.map(([value, name, text], i) => el('label', null, el('input', { type: 'radio', name: 'mode', value: value, checked: i === 1 }), el('span', null, el('b', null, name), el('span', null, text))));
  const lengths = el('select', { name: 'for' }, ...[['5m', '5 minutes'], ['15m', '15 minutes'], ['30m', '30 minutes'], ['1h', '1 hour'], ['3h', '3 hours']].map(([v, t]) => el('option', { value: v, selected: v === '15m' }, t)));
  form = el('form', { novalidate: true, 'aria-labelledby': 'h-steer' },
    el('fieldset', null, el('legend', null, 'What should decide the rate'), el('div', { class: 'modes' }, ...radios)),
    el('div', { class: 'fields' },
      field('People a second', 'rate', { inputmode: 'decimal', placeholder: '4.5' }), el('label', null, 'For', lengths),
      field('Who you are', 'who', { maxlength: 100 }), field('Why (for those who come after you)', 'why', { maxlength: 300 }, 'long')),
    el('div', { class: 'acts' }, el('button', { type: 'submit' }, 'Preview'), el('button', { type: 'button', class: 'go', id: 'apply', disabled: true }, 'Apply')));
  form.elements.who.value = remembered();
  const told = el('div', { id: 'told', role: 'status' });
  $('steer').append(el('div', { id: 'inforce' }), form, told);
  form.addEventListener('submit', e => { e.preventDefault(); preview(); });
  form.addEventListener('input', changed);
  $('apply').addEventListener('click', apply);
  changed();
}
function remembered() { try { return localStorage.getItem('rl-who') || ''; } catch (e) { return ''; } }

function order() {
  const f = form.elements, mode = f.mode.value, o = { mode: mode, who: f.who.value.trim(), why: f.why.value.trim() };
  if (mode === 'pin') o.rate = Number(f.rate.value.replace(',', '.'));
  if (mode !== 'auto') o.for = f.for.value;
  return o;
}
function changed() {
  const mode = form.elements.mode.value;
  form.elements.rate.closest('label').hidden = mode !== 'pin';
  form.elements.for.closest('label').hidden = mode === 'auto';
  $('apply').disabled = JSON.stringify(order()) !== previewed;
}
function tell(no, ...kids) { put($('told'), kids.length ? el('div', { class: 'told' + (no ? ' no' : '') }, ...kids) : []); }

// missing says what a person has to fill in, and puts the cursor there.
function missing(o) {
  const need = (name, text) => { form.elements[name].setAttribute('aria-invalid', 'true'); form.elements[name].focus(); return text; };
  for (const n of ['rate', 'who', 'why']) form.elements[n].removeAttribute('aria-invalid');
  if (o.mode === 'pin' && !(o.rate > 0)) return need('rate', 'Write how many people a second: a number above 0. To let nobody in, pause.');
  if (!o.who) return need('who', 'Say who you are: it is kept with the decision.');
  if (!o.why && o.mode !== 'auto') return need('why', 'Say why, for those who come after you.');
  return '';
}

async function send(o, query) {
  const r = await fetch(base + '/rooms/' + encodeURIComponent(room) + '/pace/override' + query, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(o) });
  const answer = await r.json().catch(() => ({}));
  if (!r.ok) throw new Error(answer.error || 'the edge answers ' + r.status);
  return answer;
}

async function preview() {
  const o = order(), lacks = missing(o);
  previewed = '';
  changed();
  if (lacks) { tell(true, lacks); return; }
  try {
    const p = await send(o, '?preview=1');
    if (p.refused) { tell(true, p.refused); return; }
    const peaks = Object.entries(p.peak || {}).map(([n, v]) => el('li', null, n + ': at most ' + pct(v) + ' of what may be done' + (v > 1 ? ', too much' : '')));
    tell(Object.values(p.peak || {}).some(v => v > 1), el('p', null, p.sentence),
      el('p', null, 'From ' + num(p.rate) + ' to ' + num(p.new_rate) + ' people a second' + (p.follows ? '; those inside follow within ' + secs(p.follows) : '') + (p.until ? '; until ' + clock(p.until) : '') + '.'),
      peaks.length ? el('ul', null, ...peaks) : null);
    previewed = JSON.stringify(o);
    changed();
  } catch (e) { tell(true, 'It cannot be previewed: ' + e.message); }
}

async function apply() {
  const o = order();
  if (JSON.stringify(o) !== previewed) return;
  await decide(o, 'Done: ');
}

async function decide(o, word) {
  try {
    show(await send(o, ''));
    try { localStorage.setItem('rl-who', o.who); } catch (e) { /* a browser that keeps nothing */ }
    tell(false, word + (o.mode === 'auto' ? 'the controller decides again.' : words(o.mode) + ' is in force.'));
    previewed = '';
    form.elements.why.value = '';
    changed();
    form.elements.mode.value === 'auto' || form.querySelector('button').focus();
  } catch (e) { tell(true, 'Nothing was changed: ' + e.message); }
}

function showSteer(doc) {
  if (!form) buildSteer();
  const o = doc.override, now = JSON.stringify(o || null);
  if (now === inForce) return;
  inForce = now;
  put($('inforce'), o && o.mode !== 'auto' ? el('div', { class: 'inforce' },
    el('span', null, (modeWords[o.mode] || o.mode) + (o.rate ? ' to ' + num(o.rate) + ' people a second' : '') + ' by ' + o.who + ' until ' + clock(o.until) + ': ' + o.why),
    el('button', { type: 'button', id: 'back' }, 'Return to automatic')) : []);
  if ($('back')) $('back').addEventListener('click', () => {
    const who = form.elements.who.value.trim();
    if (!who) { tell(true, missing({ mode: 'auto', who: '' })); return; }
    decide({ mode: 'auto', who: who, why: form.elements.why.value.trim() }, '');
  });
}
