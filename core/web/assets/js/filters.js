// Prices: the legend of the map, and a filter at the same time.

import { byId, h, replace, svg } from './dom.js';
import { colour, swatch } from './seats/palette.js';
import { onThemeChange } from './seats/theme.js';

// renderFilters draws one switch a class; change(hidden: Set of class indexes).
export function renderFilters(classes, change) {
  const hidden = new Set();
  const box = byId('filters');

  const draw = () => {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    replace(box, classes.map((c, k) => h('button.filter', {
      type: 'button', 'aria-pressed': String(!hidden.has(k)), 'data-focus': `filter-${k}`,
      onclick: () => {
        toggle(k);
        draw();
        change(hidden);
      },
    }, svg('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('path', { d: swatch(k), fill: colour(k, dark) })),
    h('span', { dir: 'auto' }, c.name), h('b', null, c.price))));
  };

  // The first press shows only that price, which is what people mean by it; the
  // last one hidden shows all again.
  const toggle = (k) => {
    if (hidden.size === 0 && classes.length > 1) classes.forEach((_, j) => j !== k && hidden.add(j));
    else if (hidden.has(k)) hidden.delete(k);
    else hidden.add(k);
    if (hidden.size === classes.length) hidden.clear();
  };

  onThemeChange(draw);
  draw();
}
