// Colours of the price classes. The order is for telling neighbours apart with
// any colour vision (blue, orange, green, purple, gold, slate differ in
// lightness as well), each keeps 3:1 against its ground, and each class has a
// shape of its own besides, so that colour is never the only sign.

const LIGHT = ['#0b5fa5', '#c2500a', '#0a7d5e', '#8e4a9e', '#8a6a00', '#56636f'];
const DARK = ['#5fb0f2', '#ff9a5c', '#3fcf9f', '#d79be6', '#ecc53f', '#a3b1be'];
const SHAPES = ['circle', 'square', 'diamond', 'triangle', 'hexagon', 'plus'];

export function colour(cls, dark) {
  const set = dark ? DARK : LIGHT;
  return set[cls % set.length];
}

export function shape(cls) {
  return SHAPES[cls % SHAPES.length];
}

// outline is the shape in a box from -1 to 1, as corners; null is a circle.
const CORNERS = {
  circle: null,
  square: [[-0.86, -0.86], [0.86, -0.86], [0.86, 0.86], [-0.86, 0.86]],
  diamond: [[0, -1.12], [1.12, 0], [0, 1.12], [-1.12, 0]],
  triangle: [[0, -1.05], [1.08, 0.88], [-1.08, 0.88]],
  hexagon: [[-1.05, 0], [-0.52, -0.92], [0.52, -0.92], [1.05, 0], [0.52, 0.92], [-0.52, 0.92]],
  plus: [[-0.36, -1], [0.36, -1], [0.36, -0.36], [1, -0.36], [1, 0.36], [0.36, 0.36], [0.36, 1], [-0.36, 1], [-0.36, 0.36], [-1, 0.36], [-1, -0.36], [-0.36, -0.36]],
};

export function corners(cls) {
  return CORNERS[shape(cls)];
}

// trace adds the shape of a class around (x, y) to a canvas path.
export function trace(ctx, cls, x, y, r) {
  const points = corners(cls);
  if (!points) {
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, Math.PI * 2);
    return;
  }
  points.forEach(([px, py], k) => (k ? ctx.lineTo(x + px * r, y + py * r) : ctx.moveTo(x + px * r, y + py * r)));
  ctx.closePath();
}

// swatch is the shape as SVG path data in a box of 20 x 20, for the legend.
export function swatch(cls) {
  const points = corners(cls);
  if (!points) return 'M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16z';
  return `M${points.map(([x, y]) => `${(10 + x * 8).toFixed(1)} ${(10 + y * 8).toFixed(1)}`).join('L')}z`;
}
