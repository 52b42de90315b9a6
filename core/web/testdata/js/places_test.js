import { equal } from './check.js';
const { renderPlaces } = await import(`${self.assets}/js/places.js`);

const COUNTERS = [
  { key: 1, id: 1, type: '', name: 'Field', price: '€40', available: 3 },
  { key: '1-child', id: 1, type: 'child', name: 'Field, Child', price: '€5', available: 3 },
  { key: 2, id: 2, type: '', name: 'Hill', price: '€20', available: 1 },
];

// shown draws the counters and says which of them cannot have one more, and the prices.
function shown(chosen, { mine = 0, counters = COUNTERS } = {}) {
  const steps = [];
  if (!document.getElementById('places')) document.body.append(Object.assign(document.createElement('ul'), { id: 'places' }));
  renderPlaces(counters, { chosen: (key) => chosen[key] || 0, mine: (id) => (id === 1 ? mine : 0), step: (key) => steps.push(key), room: 9, open: true });
  const more = [...document.querySelectorAll('[data-testid$=-more]')];
  for (const button of more) button.click();
  return { full: more.filter((b) => b.ariaDisabled === 'true').map((b) => b.dataset.testid), steps, prices: [...document.querySelectorAll('.place-text')].map((e) => e.lastChild.textContent) };
}

export function typesShareWhatIsLeft() {
  equal(shown({ 1: 1, '1-child': 1 }).steps, [1, '1-child', 2]);
  const { full, steps } = shown({ 1: 1, '1-child': 2 });
  equal([full, steps], [['place-1-more', 'place-1-child-more'], [2]]);
  equal(shown({ 1: 1, '1-child': 2 }, { mine: 1 }).full, [], 'what is held is there for its holder');
}

export function whatIsSharedIsCountedOnce() {
  equal(shown({}).prices, ['€40 · 3 left', '€5', '€20 · 1 left']);
  equal(shown({}, { counters: COUNTERS.map((c) => ({ ...c, available: 0 })) }).prices, ['€40 · none left', '€5 · none left', '€20 · none left']);
}
