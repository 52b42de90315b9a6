// One frame of the map.

import { AVAILABLE, HELD } from './codec.js';
import { Layer } from './layer.js';
import { Sprites } from './sprites.js';
import { toWorld } from './camera.js';
import { hull } from './venue.js';

const CLOSE = 7000; // up to this many seats on the screen are drawn one by one
const RADIUS = 0.38; // of a seat, in pitches
const NAMED = 13; // px a seat must be wide to show its number
const ROWS = 16; // px from seat to seat from which rows are named
const SECTIONS = 9; // px from seat to seat up to which sections are named: closer, a name would cover seats

export class Painter {
  constructor(canvas, v, grid) {
    this.canvas = canvas;
    this.ctx = canvas.getContext('2d');
    this.v = v;
    this.grid = grid;
    this.sprites = new Sprites();
    this.layers = [];
    this.paths = v.sections.map((s) => sectionPath(hull(v, s)));
    this.bySize = [...v.sections].sort((a, b) => b.seats - a.seats);
    // A name across seats cannot be read, and their sections have names.
    this.bare = v.areas.filter((a) => grid.nearest(a.x + a.w / 2, a.y + a.h / 2, Math.min(a.w, a.h) / 3) < 0);
  }

  // resize: w, h in CSS px.
  resize(w, h, ratio) {
    this.w = w;
    this.h = h;
    this.ratio = ratio;
    this.canvas.width = Math.round(w * ratio);
    this.canvas.height = Math.round(h * ratio);
    this.layers = [];
  }

  restyle(theme) {
    this.theme = theme;
    this.sprites.forget();
    this.refresh();
  }

  refresh() {
    for (const l of this.layers) if (l) l.stale = true;
  }

  patch(list, scene) {
    for (const l of this.layers) if (l && !l.stale) l.patch(list, scene.states, scene.shown, this.theme);
  }

  // frame draws scene: {cam, base (scale of the whole map), states, shown(cls),
  // chosen, mine (sets of seats), cursor, focused}.
  frame(scene) {
    const { ctx, theme, ratio } = this;
    const { cam } = scene;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.fillStyle = theme['map-ground'];
    ctx.fillRect(0, 0, this.w, this.h);
    this.ground(cam);
    const a = toWorld(cam, 0, 0);
    const b = toWorld(cam, this.w, this.h);
    const px = this.v.pitch * cam.scale;
    const close = this.grid.about(a.x, a.y, b.x, b.y) <= CLOSE && px > 4;
    if (close) this.seats(scene, a, b, px);
    else this.layer(scene).show(ctx, cam);
    this.marks(scene, px, close);
    if (px >= ROWS) this.rowNames(cam, a, b, px);
    else if (px < SECTIONS) this.sectionNames(cam, px);
  }

  // layer picks the picture whose size is nearest above what the screen needs.
  layer(scene) {
    const need = (scene.cam.scale / scene.base) > 1.3 ? 1 : 0;
    let l = this.layers[need];
    if (!l) l = this.layers[need] = new Layer(this.v, scene.base * this.ratio * (need ? 2.6 : 1.2));
    if (l.stale) l.paint(scene.states, scene.shown, this.theme);
    return l;
  }

  ground(cam) {
    const { ctx, theme } = this;
    ctx.save();
    ctx.translate(cam.x, cam.y);
    ctx.scale(cam.scale, cam.scale);
    for (const area of this.v.areas) {
      ctx.beginPath();
      ctx.roundRect(area.x, area.y, area.w, area.h, Math.min(area.w, area.h) * 0.12);
      ctx.fillStyle = theme['map-area'];
      ctx.fill();
    }
    ctx.lineJoin = 'round';
    for (const path of this.paths) {
      ctx.strokeStyle = theme['map-edge'];
      ctx.lineWidth = this.v.pitch * 1.5 + 2 / cam.scale;
      ctx.stroke(path);
    }
    for (const path of this.paths) {
      ctx.fillStyle = ctx.strokeStyle = theme['map-section'];
      ctx.lineWidth = this.v.pitch * 1.5;
      ctx.stroke(path);
      ctx.fill(path);
    }
    ctx.restore();
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = theme['map-area-ink'];
    for (const area of this.bare) {
      const size = Math.min(28, area.h * cam.scale * 0.4, (area.w * cam.scale * 1.5) / Math.max(4, area.name.length));
      if (size < 8) continue;
      ctx.font = `600 ${size}px ${theme.font}`;
      ctx.fillText(area.name, (area.x + area.w / 2) * cam.scale + cam.x, (area.y + area.h / 2) * cam.scale + cam.y);
    }
  }

  seats(scene, a, b, px) {
    const { ctx, v, sprites, theme, ratio } = this;
    const { cam, states, shown } = scene;
    const r = px * RADIUS * ratio;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    this.grid.within(a.x - v.pitch, a.y - v.pitch, b.x + v.pitch, b.y + v.pitch, (i) => {
      let look = 'gone';
      if (states[i] === AVAILABLE && v.cls[i] !== 255) look = shown(v.cls[i]) ? 'open' : 'dim';
      else if (states[i] === HELD) look = 'held';
      const img = sprites.seat(look, v.cls[i], r, theme);
      const half = img.width / 2;
      ctx.drawImage(img, Math.round((v.x[i] * cam.scale + cam.x) * ratio - half), Math.round((v.y[i] * cam.scale + cam.y) * ratio - half));
    });
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (px * RADIUS * 2 < NAMED) return;
    ctx.font = `600 ${Math.min(14, px * 0.3)}px ${theme.font}`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = theme['map-ground'];
    this.grid.within(a.x, a.y, b.x, b.y, (i) => {
      if (states[i] !== AVAILABLE || v.cls[i] === 255 || !shown(v.cls[i]) || scene.chosen.has(i)) return;
      ctx.fillText(v.number[i], v.x[i] * cam.scale + cam.x, v.y[i] * cam.scale + cam.y);
    });
  }

  // marks: what is chosen or held by this visitor, and where the keyboard is.
  marks({ cam, chosen, mine, cursor, focused }, px, close) {
    const { ctx, v, sprites, theme, ratio } = this;
    const r = Math.max(px * RADIUS, close ? 0 : 5);
    const stamp = (i, look) => {
      const img = sprites.seat(look, 0, r * ratio, theme);
      ctx.drawImage(img, (v.x[i] * cam.scale + cam.x) * ratio - img.width / 2, (v.y[i] * cam.scale + cam.y) * ratio - img.height / 2);
    };
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    for (const i of mine) if (!chosen.has(i)) stamp(i, 'mine');
    for (const i of chosen) stamp(i, 'chosen');
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (cursor < 0) return;
    const size = Math.max(px * 0.62, 9);
    ctx.beginPath();
    ctx.arc(v.x[cursor] * cam.scale + cam.x, v.y[cursor] * cam.scale + cam.y, size, 0, Math.PI * 2);
    ctx.lineWidth = 5;
    ctx.strokeStyle = theme['map-ground'];
    ctx.stroke();
    ctx.lineWidth = focused ? 3 : 1.5;
    ctx.strokeStyle = theme.focus;
    ctx.stroke();
  }

  // sectionNames writes names where there is room: larger sections first, and
  // none over another.
  sectionNames(cam, px) {
    const { ctx, theme } = this;
    const size = Math.max(10, Math.min(15, px * 3.2));
    const taken = [];
    ctx.font = `650 ${size}px ${theme.font}`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    for (const s of this.bySize) {
      const x = ((s.box.x0 + s.box.x1) / 2) * cam.scale + cam.x;
      const y = ((s.box.y0 + s.box.y1) / 2) * cam.scale + cam.y;
      if (x < -60 || y < -20 || x > this.w + 60 || y > this.h + 20) continue;
      const text = shortName(s.name, (s.box.x1 - s.box.x0) * cam.scale, (t) => ctx.measureText(t).width);
      if (!text) continue;
      const w = ctx.measureText(text).width + size * 0.8;
      const tall = size * 1.56;
      if (taken.some((t) => Math.abs(t.x - x) < (t.w + w) / 2 && Math.abs(t.y - y) < tall)) continue;
      taken.push({ x, y, w });
      ctx.beginPath();
      ctx.roundRect(x - w / 2, y - tall / 2, w, tall, tall / 2);
      ctx.fillStyle = theme['map-label'];
      ctx.fill();
      ctx.fillStyle = theme['map-ink'];
      ctx.fillText(text, x, y + size * 0.05);
    }
  }

  rowNames(cam, a, b, px) {
    const { ctx, v, theme } = this;
    ctx.font = `600 ${Math.max(9, Math.min(13, px * 0.42))}px ${theme.font}`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = theme['map-ink'];
    for (const row of v.rows) {
      const n = row.seats.length;
      if (n < 1) continue;
      for (const [end, next] of [[row.seats[0], row.seats[1]], [row.seats[n - 1], row.seats[n - 2]]]) {
        if (v.x[end] < a.x || v.x[end] > b.x || v.y[end] < a.y || v.y[end] > b.y) continue;
        const dx = next === undefined ? v.pitch : v.x[end] - v.x[next];
        const dy = next === undefined ? 0 : v.y[end] - v.y[next];
        const d = Math.hypot(dx, dy) || 1;
        ctx.fillText(row.name, (v.x[end] + (dx / d) * v.pitch * 0.95) * cam.scale + cam.x, (v.y[end] + (dy / d) * v.pitch * 0.95) * cam.scale + cam.y);
      }
    }
  }
}

function sectionPath(points) {
  const path = new Path2D();
  points.forEach(([x, y], k) => (k ? path.lineTo(x, y) : path.moveTo(x, y)));
  if (points.length) path.closePath();
  return path;
}

// shortName is the name, its last word, or nothing, whichever fits. A short one
// may stand out a little over its section.
export function shortName(name, room, width) {
  if (width(name) <= room * 0.9) return name;
  const last = name.split(/\s+/).pop();
  return width(last) <= room * 1.25 ? last : '';
}
