// Which seats are near a point, or in a rectangle: a uniform grid, since seats
// are spread evenly. Built once; two arrays, no objects per cell.

const CELL = 4; // cells are this many pitches wide

export class Grid {
  constructor(v) {
    this.v = v;
    this.size = v.pitch * CELL;
    this.x0 = v.box.x0;
    this.y0 = v.box.y0;
    this.cols = Math.max(1, Math.ceil((v.box.x1 - v.box.x0) / this.size) + 1);
    this.rows = Math.max(1, Math.ceil((v.box.y1 - v.box.y0) / this.size) + 1);
    const start = new Uint32Array(this.cols * this.rows + 1);
    for (let i = 0; i < v.count; i++) if (v.row[i] >= 0) start[this.cell(i) + 1]++;
    for (let c = 1; c < start.length; c++) start[c] += start[c - 1];
    const next = start.slice();
    const items = new Uint32Array(start[start.length - 1]);
    for (let i = 0; i < v.count; i++) if (v.row[i] >= 0) items[next[this.cell(i)]++] = i;
    this.start = start;
    this.items = items;
  }

  cell(i) {
    return this.line(this.v.y[i]) * this.cols + this.column(this.v.x[i]);
  }

  column(x) {
    return Math.min(this.cols - 1, Math.max(0, Math.floor((x - this.x0) / this.size)));
  }

  line(y) {
    return Math.min(this.rows - 1, Math.max(0, Math.floor((y - this.y0) / this.size)));
  }

  // within calls visit(i) for every seat in the cells the rectangle touches: a
  // few outside come along, which is cheaper than testing each.
  within(x0, y0, x1, y1, visit) {
    for (let r = this.line(y0); r <= this.line(y1); r++) {
      const from = this.start[r * this.cols + this.column(x0)];
      const to = this.start[r * this.cols + this.column(x1) + 1];
      for (let k = from; k < to; k++) visit(this.items[k]);
    }
  }

  // about is how many seats the rectangle's cells hold.
  about(x0, y0, x1, y1) {
    let n = 0;
    for (let r = this.line(y0); r <= this.line(y1); r++) {
      n += this.start[r * this.cols + this.column(x1) + 1] - this.start[r * this.cols + this.column(x0)];
    }
    return n;
  }

  // nearest seat within reach of a point that accept(i) takes, or -1.
  nearest(x, y, reach, accept = () => true) {
    let best = -1;
    let least = reach * reach;
    this.within(x - reach, y - reach, x + reach, y + reach, (i) => {
      const d = (this.v.x[i] - x) ** 2 + (this.v.y[i] - y) ** 2;
      if (d <= least && accept(i)) {
        least = d;
        best = i;
      }
    });
    return best;
  }
}
