// The colours of the map's ground, taken from the style sheet so that the two
// never disagree, and read again when the visitor's theme changes.

const NAMES = ['map-ground', 'map-section', 'map-edge', 'map-area', 'map-area-ink', 'map-ink', 'map-label', 'map-gone', 'map-held', 'map-chosen', 'map-chosen-ink', 'map-mine', 'focus'];

export function readTheme(el) {
  const style = getComputedStyle(el);
  const theme = { dark: matchMedia('(prefers-color-scheme: dark)').matches, font: style.fontFamily };
  for (const name of NAMES) theme[name] = style.getPropertyValue(`--${name}`).trim();
  return theme;
}

export function onThemeChange(f) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', f);
}
