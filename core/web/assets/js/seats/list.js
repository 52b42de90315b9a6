// The map as three lists, for who does not want or cannot use a picture.

import { AVAILABLE } from './codec.js';
import { priceOf } from './venue.js';
import { byId, h } from '../dom.js';
import { count, t } from '../say.js';

export class SeatList {
  // on.pick(i) adds a seat; scene has states and chosen as the map has them.
  constructor(v, scene, on) {
    this.v = v;
    this.scene = scene;
    this.section = byId('list-section');
    this.row = byId('list-row');
    this.seat = byId('list-seat');
    this.section.addEventListener('change', () => this.fillRows());
    this.row.addEventListener('change', () => this.fillSeats());
    byId('list-add').addEventListener('click', () => {
      if (this.seat.value !== '') on.pick(Number(this.seat.value));
    });
    this.box = byId('aslist');
    this.box.addEventListener('toggle', () => { if (this.box.open) this.fillSections(); });
  }

  // update follows new states; the person's place in the lists stays.
  update() {
    if (this.box.open && !this.box.contains(document.activeElement)) this.fillSections();
    else if (this.box.open) this.fillSeats();
  }

  free(seats) {
    let n = 0;
    for (const i of seats) if (this.open(i)) n++;
    return n;
  }

  open(i) {
    return this.scene.states[i] === AVAILABLE && this.v.cls[i] !== 255 && this.scene.shown(this.v.cls[i]) && !this.scene.chosen.has(i);
  }

  fillSections() {
    const { v } = this;
    fill(this.section, v.sections.map((s, k) => {
      const n = s.rows.reduce((sum, r) => sum + this.free(v.rows[r].seats), 0);
      return { value: k, text: n ? count('listSection', n, { section: s.name }) : t('listSectionNone', { section: s.name }), off: !n };
    }));
    this.fillRows();
  }

  fillRows() {
    const s = this.v.sections[Number(this.section.value)];
    fill(this.row, s ? s.rows.map((r) => {
      const n = this.free(this.v.rows[r].seats);
      return { value: r, text: n ? count('listRow', n, { row: this.v.rows[r].name }) : t('listRowNone', { row: this.v.rows[r].name }), off: !n };
    }) : []);
    this.fillSeats();
  }

  fillSeats() {
    const row = this.v.rows[Number(this.row.value)];
    const open = row && this.row.value !== '' ? row.seats.filter((i) => this.open(i)) : [];
    fill(this.seat, open.map((i) => ({ value: i, text: t('listSeat', { seat: this.v.number[i], price: priceOf(this.v, i) }) })));
  }
}

// fill replaces the options and keeps the choice where it is still possible.
function fill(select, options) {
  const before = select.value;
  select.replaceChildren(...options.map((o) => h('option', { value: o.value, disabled: o.off }, o.text)));
  const again = options.find((o) => String(o.value) === before && !o.off) || options.find((o) => !o.off);
  select.value = again ? String(again.value) : '';
  select.disabled = !again;
}
