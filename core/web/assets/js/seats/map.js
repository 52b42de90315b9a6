// The seat map: holds what is seen, takes input, asks the painter for frames.

import { AVAILABLE, HELD, SOLD, changes } from './codec.js';
import { between, fit, keep, toWorld, zoom } from './camera.js';
import { listen } from './gestures.js';
import { Grid } from './grid.js';
import { Painter } from './paint.js';
import { onThemeChange, readTheme } from './theme.js';
import { step } from './steps.js';
import { t } from '../say.js';
import { label, priceOf } from './venue.js';

const PAD = 18; // px around the whole map
const GLIDE = 260; // ms of a zoom by button
const TAP = 22; // px: a finger's reach
const PICKABLE = 8; // px a seat must be apart from the next before a tap means a seat
const CLOSEST = 44; // px between seats at most

export class SeatMap {
  // on: pick(i) toggles a seat; say(text) speaks; tip(text, x, y) or tip(null).
  constructor(canvas, v, on) {
    this.canvas = canvas;
    this.v = v;
    this.on = on;
    this.grid = new Grid(v);
    this.painter = new Painter(canvas, v, this.grid);
    this.hidden = new Set(); // classes filtered out
    this.scene = {
      cam: null, base: 1, states: new Uint8Array(v.count).fill(SOLD), shown: (cls) => !this.hidden.has(cls),
      chosen: new Set(), mine: new Set(), cursor: -1, focused: false,
    };
    this.painter.restyle(readTheme(canvas));
    onThemeChange(() => {
      this.painter.restyle(readTheme(canvas));
      this.draw();
    });
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
    listen(canvas, {
      pan: (dx, dy) => this.move({ ...this.scene.cam, x: this.scene.cam.x + dx, y: this.scene.cam.y + dy }),
      pinch: (f, x, y) => this.zoomBy(f, x, y),
      tap: (x, y, kind) => this.tap(x, y, kind),
      hover: (x, y) => this.hover(x, y),
      leave: () => this.on.tip(null),
    });
    canvas.addEventListener('keydown', (e) => this.key(e));
    canvas.addEventListener('focus', () => this.focus(canvas.matches(':focus-visible')));
    canvas.addEventListener('blur', () => this.focus(false));
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
    if (!w || !h || (w === this.w && h === this.h)) return;
    const first = !this.scene.cam;
    const whole = first || Math.abs(this.scene.cam.scale - this.scene.base) < 1e-6;
    const centre = first ? null : toWorld(this.scene.cam, this.w / 2, this.h / 2);
    this.w = w;
    this.h = h;
    this.painter.resize(w, h, Math.min(3, window.devicePixelRatio || 1));
    const all = fit(this.v.box, w, h, PAD);
    this.scene.base = all.scale;
    if (whole) this.scene.cam = all;
    else this.scene.cam = { ...this.scene.cam, x: w / 2 - centre.x * this.scene.cam.scale, y: h / 2 - centre.y * this.scene.cam.scale };
    this.draw();
  }

  // setStates takes a snapshot and returns the seats that changed.
  setStates(states) {
    const list = changes(this.scene.states, states);
    this.scene.states = states;
    if (list.length > 4000) this.painter.refresh();
    else this.painter.patch(list, this.scene);
    this.draw();
    return list;
  }

  setState(i, state) {
    this.scene.states[i] = state;
    this.painter.patch([i], this.scene);
    this.draw();
  }

  show(hidden) {
    this.hidden = hidden;
    this.painter.refresh();
    this.draw();
  }

  mark(chosen, mine) {
    this.scene.chosen = chosen;
    this.scene.mine = mine;
    this.draw();
  }

  draw() {
    if (this.asked) return;
    this.asked = true;
    this.canvas.dataset.still = 'false'; // tests wait for the end of a glide
    requestAnimationFrame(() => {
      this.asked = false;
      if (this.scene.cam) this.painter.frame(this.scene);
      if (!this.gliding && !this.asked) this.canvas.dataset.still = 'true';
    });
  }

  move(cam) {
    this.gliding = 0;
    this.scene.cam = keep(cam, this.v.box, this.w, this.h);
    this.on.tip(null);
    this.draw();
  }

  most() {
    return Math.max(this.scene.base * 1.5, CLOSEST / this.v.pitch);
  }

  zoomBy(f, x = this.w / 2, y = this.h / 2) {
    this.move(zoom(this.scene.cam, f, x, y, this.scene.base, this.most()));
  }

  // glide moves to a camera in a moment, or at once for who asked for less motion.
  glide(to) {
    const target = keep(to, this.v.box, this.w, this.h);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return this.move(target);
    const from = this.scene.cam;
    const start = performance.now();
    const mine = (this.gliding = (this.glides = (this.glides || 0) + 1));
    const frame = (now) => {
      if (this.gliding !== mine) return;
      const t = Math.min(1, Math.max(0, (now - start) / GLIDE));
      this.scene.cam = between(from, target, 1 - (1 - t) ** 3, this.w, this.h);
      if (t === 1) this.gliding = 0;
      this.draw();
      if (t < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  zoomStep(f) {
    this.glide(zoom(this.scene.cam, f, this.w / 2, this.h / 2, this.scene.base, this.most()));
  }

  showAll() {
    this.glide(fit(this.v.box, this.w, this.h, PAD));
  }

  // look brings seats to the middle, near enough to see them.
  look(seats) {
    if (!seats.length) return;
    const xs = seats.map((i) => this.v.x[i]);
    const ys = seats.map((i) => this.v.y[i]);
    const r = this.v.pitch * 9;
    const box = { x0: Math.min(...xs) - r, x1: Math.max(...xs) + r, y0: Math.min(...ys) - r, y1: Math.max(...ys) + r };
    const cam = fit(box, this.w, this.h, 0);
    this.glide(cam.scale > this.most() ? zoom(cam, 0, this.w / 2, this.h / 2, this.most(), this.most()) : cam);
  }

  hit(x, y) {
    const p = toWorld(this.scene.cam, x, y);
    const px = this.v.pitch * this.scene.cam.scale;
    const reach = Math.max(this.v.pitch * 0.6, Math.min(TAP / this.scene.cam.scale, this.v.pitch * 1.2));
    return px < 4 ? -1 : this.grid.nearest(p.x, p.y, reach);
  }

  tap(x, y, kind) {
    const px = this.v.pitch * this.scene.cam.scale;
    if (px < (kind === 'mouse' ? PICKABLE : PICKABLE * 2)) {
      const p = toWorld(this.scene.cam, x, y);
      const wanted = (kind === 'mouse' ? 20 : 30) / px;
      if (px * wanted > this.most() * this.v.pitch) return this.zoomStep(2);
      const at = zoom(this.scene.cam, wanted, x, y, this.scene.base, this.most());
      return this.glide({ scale: at.scale, x: this.w / 2 - p.x * at.scale, y: this.h / 2 - p.y * at.scale });
    }
    const i = this.hit(x, y);
    if (i < 0) return undefined;
    this.scene.cursor = i;
    this.on.pick(i);
    return this.draw();
  }

  hover(x, y) {
    const i = this.hit(x, y);
    this.canvas.dataset.over = i >= 0 ? 'seat' : '';
    if (i >= 0 && this.v.pitch * this.scene.cam.scale >= PICKABLE) this.on.tip(this.describe(i), x, y);
    else this.on.tip(null);
  }

  describe(i) {
    return t('seatAbout', { seat: label(this.v, i), price: priceOf(this.v, i), status: this.status(i) });
  }

  status(i) {
    if (this.scene.chosen.has(i)) return t('statusChosen');
    if (this.scene.mine.has(i)) return t('statusMine');
    return t({ [AVAILABLE]: 'statusAvailable', [HELD]: 'statusHeld', [SOLD]: 'statusTaken' }[this.scene.states[i]] || 'statusNotForSale');
  }

  focus(on) {
    this.scene.focused = on;
    if (on && this.scene.cursor < 0) this.scene.cursor = this.start();
    if (on && this.scene.cursor >= 0) this.on.say(this.describe(this.scene.cursor));
    this.draw();
  }

  // start is the seat nearest to the middle of the screen, an open one if there is one.
  start() {
    const p = toWorld(this.scene.cam, this.w / 2, this.h / 2);
    const reach = Math.max(this.w, this.h) / this.scene.cam.scale;
    const open = this.grid.nearest(p.x, p.y, reach, (i) => this.scene.states[i] === AVAILABLE);
    return open >= 0 ? open : this.grid.nearest(p.x, p.y, reach);
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === '+' || e.key === '=') this.zoomStep(1.6);
    else if (e.key === '-') this.zoomStep(1 / 1.6);
    else if (e.key === '0') this.showAll();
    else if (e.key.startsWith('Arrow')) this.arrow(e.key);
    else if ((e.key === 'Enter' || e.key === ' ') && this.scene.cursor >= 0) this.on.pick(this.scene.cursor);
    else return;
    e.preventDefault();
  }

  arrow(key) {
    if (this.scene.cursor < 0) this.scene.cursor = this.start();
    else this.scene.cursor = step(this.v, this.grid, this.scene.cursor, key);
    this.scene.focused = true;
    const i = this.scene.cursor;
    if (i < 0) return;
    const x = this.v.x[i] * this.scene.cam.scale + this.scene.cam.x;
    const y = this.v.y[i] * this.scene.cam.scale + this.scene.cam.y;
    const near = this.v.pitch * this.scene.cam.scale >= 12;
    if (!near || x < 40 || y < 40 || x > this.w - 40 || y > this.h - 40) this.look([i]);
    this.on.say(this.describe(i));
    this.draw();
  }
}
