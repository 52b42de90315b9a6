// Seats as they look close by. Each look is drawn once per size and stamped,
// since stamping a picture is several times faster than filling a path.

import { corners, colour, trace } from './palette.js';

const KEPT = 160; // pictures; a pinch through all sizes starts over now and then

export class Sprites {
  constructor() {
    this.made = new Map();
  }

  forget() {
    this.made.clear();
  }

  // seat returns the picture of a look: 'open', 'dim', 'held', 'gone', 'chosen',
  // 'mine'. r is the radius in device pixels.
  seat(look, cls, r, theme) {
    const radius = Math.max(1, Math.round(r * 2) / 2);
    const key = `${look}|${cls}|${radius}`;
    let made = this.made.get(key);
    if (!made) {
      if (this.made.size > KEPT) this.made.clear();
      made = draw(look, cls, radius, theme);
      this.made.set(key, made);
    }
    return made;
  }
}

function draw(look, cls, r, theme) {
  const canvas = document.createElement('canvas');
  const size = Math.ceil(r * 3.2) + 2;
  canvas.width = canvas.height = size;
  const ctx = canvas.getContext('2d');
  const c = size / 2;
  ctx.lineJoin = 'round';
  ctx.beginPath();
  if (look === 'gone') {
    ctx.arc(c, c, r * 0.42, 0, Math.PI * 2);
    ctx.fillStyle = theme['map-gone'];
    ctx.fill();
    return canvas;
  }
  if (look === 'held') {
    ctx.arc(c, c, r * 0.68, 0, Math.PI * 2);
    ctx.lineWidth = Math.max(1, r * 0.24);
    ctx.strokeStyle = theme['map-held'];
    ctx.stroke();
    return canvas;
  }
  if (look === 'chosen' || look === 'mine') return chosen(canvas, ctx, c, r, look, theme);
  trace(ctx, cls, c, c, r * 0.92);
  ctx.globalAlpha = look === 'dim' ? 0.16 : 1;
  ctx.fillStyle = colour(cls, theme.dark);
  ctx.fill();
  if (corners(cls)) { // soft corners, like the rest of the page
    ctx.lineWidth = r * 0.16;
    ctx.strokeStyle = ctx.fillStyle;
    ctx.stroke();
  }
  return canvas;
}

function chosen(canvas, ctx, c, r, look, theme) {
  ctx.arc(c, c, r * 1.28, 0, Math.PI * 2);
  ctx.fillStyle = theme[look === 'mine' ? 'map-mine' : 'map-chosen'];
  ctx.fill();
  ctx.lineWidth = Math.max(1, r * 0.2);
  ctx.strokeStyle = theme['map-ground'];
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(c - r * 0.52, c + r * 0.04);
  ctx.lineTo(c - r * 0.12, c + r * 0.44);
  ctx.lineTo(c + r * 0.56, c - r * 0.4);
  ctx.lineWidth = Math.max(1.2, r * 0.26);
  ctx.lineCap = 'round';
  ctx.strokeStyle = theme['map-chosen-ink'];
  ctx.stroke();
  return canvas;
}
