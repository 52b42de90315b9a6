// What the visitor wants, before anything is held: seats by index, and how many
// places of each counter and ticket type (placeKey). Kept for the tab, so that signing in, a reload or a
// trip through the waiting room loses nothing.

// placeKey names a counter's places at its own price (its id) or as a ticket type.
export function placeKey(counter, type) {
  return type ? `${counter}-${type}` : counter;
}

// place takes a key apart; an id has only digits, a type may be any text.
function place(key, quantity) {
  const [counter, ...type] = String(key).split('-');
  const p = { counter: Number(counter), quantity };
  return type.length ? { ...p, class: type.join('-') } : p;
}

// inOrder: the same choice is the same request, in whatever order it was made.
function inOrder(a, b) {
  return a.counter - b.counter || ((a.class || '') < (b.class || '') ? -1 : 1);
}

export class Choice {
  constructor(event, max, store = sessionStorage) {
    this.name = `rl.choice.${event}`;
    this.max = max;
    this.store = store;
    this.seats = new Set();
    this.places = new Map();
    this.accessible = false; // for somebody who needs an accessible seat
    this.listeners = [];
  }

  // restore takes back what was kept, as far as there still are such seats
  // (index) and places (placeKey).
  restore(isSeat, isPlace) {
    try {
      const kept = JSON.parse(this.store.getItem(this.name)) || {};
      this.accessible = kept.accessible === true;
      for (const i of kept.seats || []) if (isSeat(i)) this.add(i);
      for (const [key, n] of kept.places || []) if (isPlace(key)) this.setPlaces(key, n);
    } catch {
      // Not ours or not there: start with nothing.
    }
  }

  get count() {
    let n = this.seats.size;
    for (const q of this.places.values()) n += q;
    return n;
  }

  get room() {
    return this.max - this.count;
  }

  setAccessible(yes) {
    this.accessible = yes;
    this.changed();
  }

  // add returns false when the limit is reached.
  add(i) {
    if (this.seats.has(i)) return true;
    if (this.room < 1) return false;
    this.seats.add(i);
    this.changed();
    return true;
  }

  remove(...list) {
    let any = false;
    for (const i of list) any = this.seats.delete(i) || any;
    if (any) this.changed();
  }

  setPlaces(key, n) {
    const most = this.room + (this.places.get(key) || 0);
    const q = Math.max(0, Math.min(n, most));
    if (q) this.places.set(key, q);
    else this.places.delete(key);
    this.changed();
  }

  // set replaces everything.
  set(seats, places = []) {
    this.seats = new Set(seats);
    this.places = new Map(places);
    this.changed();
  }

  clear() {
    this.set([]);
  }

  // equals compares with the lines of a hold.
  equals(lines) {
    const want = new Map(this.places);
    let seats = 0;
    for (const l of lines) {
      if (l.seat) {
        if (!this.seats.has(l.seat - 1)) return false;
        seats++;
      } else {
        const key = placeKey(l.counter, l.class);
        want.set(key, (want.get(key) || 0) - l.quantity);
      }
    }
    return seats === this.seats.size && [...want.values()].every((q) => q === 0);
  }

  // request is the body of POST holds.
  request() {
    const body = {};
    if (this.seats.size) body.seats = [...this.seats].map((i) => i + 1).sort((a, b) => a - b);
    if (this.places.size) body.places = [...this.places].map(([key, n]) => place(key, n)).sort(inOrder);
    if (this.accessible) body.accessible = true;
    return body;
  }

  onChange(f) {
    this.listeners.push(f);
  }

  changed() {
    try {
      if (this.count) this.store.setItem(this.name, JSON.stringify({ seats: [...this.seats], places: [...this.places], accessible: this.accessible || undefined }));
      else this.store.removeItem(this.name);
    } catch {
      // Storage forbidden: the choice lives as long as the page.
    }
    for (const f of this.listeners) f();
  }
}
