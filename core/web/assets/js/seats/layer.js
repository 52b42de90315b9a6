// All seats as dots on a canvas of their own. Drawing 60,000 seats takes too
// long for every frame of a pan; drawing this picture once a frame does not.
// It is painted whole once, and afterwards only where a seat changed.

import { AVAILABLE, HELD } from './codec.js';
import { colour } from './palette.js';

const LARGEST = 3072; // px a side: about 36 MB, which phones still give
const DOT = 0.46; // half a dot, in pitches: nearly touching, or a whole stand looks pale

export class Layer {
  // scale: wanted px per world unit; what the limit allows is in this.scale.
  constructor(v, scale) {
    const side = Math.max(v.box.x1 - v.box.x0, v.box.y1 - v.box.y0) + 2 * v.pitch;
    this.v = v;
    this.scale = Math.min(scale, LARGEST / side);
    this.x0 = v.box.x0 - v.pitch;
    this.y0 = v.box.y0 - v.pitch;
    this.canvas = document.createElement('canvas');
    this.canvas.width = Math.ceil((v.box.x1 - v.box.x0 + 2 * v.pitch) * this.scale);
    this.canvas.height = Math.ceil((v.box.y1 - v.box.y0 + 2 * v.pitch) * this.scale);
    this.ctx = this.canvas.getContext('2d');
    this.stale = true;
  }

  // paint draws everything. look(i) is the class to colour a seat with, or -1
  // for one that cannot be chosen.
  paint(states, shown, theme) {
    this.ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const groups = new Map();
    for (let i = 0; i < this.v.count; i++) {
      if (this.v.row[i] < 0) continue;
      const ink = this.ink(i, states, shown, theme);
      let list = groups.get(ink);
      if (!list) groups.set(ink, (list = []));
      list.push(i);
    }
    for (const [ink, list] of groups) {
      this.ctx.fillStyle = ink;
      const half = Math.max(0.5, this.v.pitch * DOT * this.scale);
      for (const i of list) this.dot(i, half);
    }
    this.stale = false;
  }

  // patch redraws single seats.
  patch(list, states, shown, theme) {
    const half = Math.max(0.5, this.v.pitch * DOT * this.scale);
    for (const i of list) {
      if (this.v.row[i] < 0) continue;
      const x = (this.v.x[i] - this.x0) * this.scale;
      const y = (this.v.y[i] - this.y0) * this.scale;
      this.ctx.clearRect(x - half - 0.5, y - half - 0.5, 2 * half + 1, 2 * half + 1);
      this.ctx.fillStyle = this.ink(i, states, shown, theme);
      this.dot(i, half);
    }
  }

  ink(i, states, shown, theme) {
    const cls = this.v.cls[i];
    if (states[i] === AVAILABLE && cls !== 255 && shown(cls)) return colour(cls, theme.dark);
    return states[i] === HELD ? theme['map-held'] : theme['map-gone'];
  }

  dot(i, half) {
    const x = (this.v.x[i] - this.x0) * this.scale;
    const y = (this.v.y[i] - this.y0) * this.scale;
    this.ctx.fillRect(x - half, y - half, 2 * half, 2 * half);
  }

  // show draws the picture through a camera.
  show(ctx, cam) {
    const k = cam.scale / this.scale;
    ctx.imageSmoothingEnabled = true;
    ctx.imageSmoothingQuality = k < 0.6 ? 'high' : 'low';
    ctx.drawImage(this.canvas, this.x0 * cam.scale + cam.x, this.y0 * cam.scale + cam.y, this.canvas.width * k, this.canvas.height * k);
  }
}
