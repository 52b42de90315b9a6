// What stands around the map: zoom buttons, the tip at the pointer, and the form
// that finds seats together.

import { byId, h } from '../dom.js';
import { native } from '../format.js';
import { count, t } from '../say.js';

const ZOOM = 1.8; // one press of a button
const EDGE = 8; // px a tip stays away from the edge of the map

export function setUpZoom(map) {
  byId('zoom-in').addEventListener('click', () => map.zoomStep(ZOOM));
  byId('zoom-out').addEventListener('click', () => map.zoomStep(1 / ZOOM));
  byId('zoom-fit').addEventListener('click', () => map.showAll());
}

// setUpBest fills the form; find(n, cls) is called with class -1 for any price.
export function setUpBest(classes, most, find) {
  const usual = Math.min(2, most);
  byId('best-quantity').append(...Array.from({ length: most }, (_, k) => h('option', { value: k + 1, selected: k + 1 === usual }, native(String(k + 1)))));
  byId('best-class').append(h('option', { value: -1 }, t('anyPrice')), ...classes.map((c, k) => h('option', { value: k }, t('priceLevel', { name: c.name, price: c.price }))));
  const name = () => { byId('best-pick').textContent = count('bestPick', Number(byId('best-quantity').value)); };
  byId('best-quantity').addEventListener('change', name);
  name();
  byId('best').addEventListener('submit', (e) => {
    e.preventDefault();
    find(Number(byId('best-quantity').value), Number(byId('best-class').value));
  });
}

// setUpAccess offers what is kept for people who need it, where there is such.
export function setUpAccess(venue, choice) {
  if (!venue.kind.some(Boolean)) return;
  byId('access').hidden = false;
  const box = byId('accessible');
  box.checked = choice.accessible;
  box.addEventListener('change', () => choice.setAccessible(box.checked));
}

// tip shows text beside a point of the map, or nothing.
export function tip(text, x, y) {
  const el = byId('map-tip');
  el.hidden = !text;
  if (!text) return;
  el.textContent = text;
  const most = byId('map').clientWidth - el.offsetWidth - EDGE;
  el.style.left = `${Math.max(EDGE, Math.min(x - el.offsetWidth / 2, most))}px`;
  el.style.top = `${y > 70 ? y - el.offsetHeight - 18 : y + 22}px`; // above the pointer, unless there is no room
}

// ready takes away what stood in place of the map.
export function ready() {
  byId('seat-map').dataset.ready = 'true';
  const wait = byId('map-wait');
  if (wait) wait.remove();
}
