// Small venues for tests.

export const LEVELS = [
  { class: 'A', name: 'Near', amount: 9000 },
  { class: 'B', name: 'Far', amount: 4000 },
];

// block is a section of straight rows; seat (r, k) is at (x + k * 10, y + r * 10).
export function block(name, rows, seats, first, { x = 0, y = 0, cls = 'A' } = {}) {
  let id = first;
  return {
    name,
    rows: Array.from({ length: rows }, (_, r) => ({
      name: String(r + 1),
      seats: Array.from({ length: seats }, (_, k) => [id++, String(k + 1), x + k * 10, y + r * 10, cls]),
    })),
  };
}

// hall: section Stalls (3 rows of 10, class A, seats 1-30), behind it Circle (2
// rows of 10, class B, 31-50); the stage is above.
export function hall() {
  return {
    venue: 'Hall', seat_count: 50, width: 100, height: 100,
    sections: [block('Stalls', 3, 10, 1), block('Circle', 2, 10, 31, { y: 60, cls: 'B' })],
    areas: [{ name: 'Stage', x: 20, y: -40, w: 50, h: 20 }],
  };
}

// stadium: a ring of 60,000 seats in 60 sections.
export function stadium() {
  const sections = [];
  let id = 1;
  for (let s = 0; s < 60; s++) {
    const rows = [];
    for (let r = 0; r < 25; r++) {
      const seats = [];
      for (let k = 0; k < 40; k++) {
        const a = ((s + (k + 0.5) / 42) / 60) * 2 * Math.PI;
        const radius = 4000 + r * 90;
        seats.push([id++, String(k + 1), radius * Math.cos(a), radius * Math.sin(a), r < 10 ? 'A' : 'B']);
      }
      rows.push({ name: String(r + 1), seats });
    }
    sections.push({ name: `Block ${s + 1}`, rows });
  }
  return { venue: 'Bowl', seat_count: 60000, width: 13000, height: 13000, sections, areas: [] };
}
