// Seat maps as the API sends them: two bits a seat, seat 1 in the low bits of
// byte 0, and the changes from one version to the next.

export const AVAILABLE = 0;
export const HELD = 1;
export const SOLD = 2;
export const BLOCKED = 3;

// snapshot reads a whole map: {version, packed, seats, counters: Map of levels}.
export function snapshot(body) {
  const text = atob(body.states || '');
  if (text.length !== Math.ceil(body.seats / 4)) {
    throw new Error(`seat map: ${text.length} bytes for ${body.seats} seats, want ${Math.ceil(body.seats / 4)}`);
  }
  return { version: body.version, packed: Uint8Array.from(text, (c) => c.charCodeAt(0)), seats: body.seats, counters: levels(body.counters) };
}

// advance gives the map that a delta leads to, or null where the delta is not from
// this map: then a snapshot is needed. The old map stays as it is.
export function advance(map, delta) {
  if (delta.from !== map.version || delta.seats !== map.seats) return null;
  const packed = map.packed.slice();
  for (const [seat, state] of delta.changes) {
    const shift = ((seat - 1) & 3) * 2;
    packed[(seat - 1) >> 2] = (packed[(seat - 1) >> 2] & ~(3 << shift)) | (state << shift);
  }
  if (crc32c(packed) !== delta.sum) return null;
  return { version: delta.to, packed, seats: map.seats, counters: new Map([...map.counters, ...levels(delta.counters)]) };
}

// statesOf returns one byte a seat; index 0 is seat 1.
export function statesOf({ packed, seats }) {
  const states = new Uint8Array(seats);
  for (let i = 0; i < seats; i++) states[i] = (packed[i >> 2] >> ((i & 3) * 2)) & 3;
  return states;
}

// newer compares versions "v.e", v first.
export function newer(a, b) {
  const [av, ae] = a.split('.').map(Number);
  const [bv, be] = b.split('.').map(Number);
  return av > bv || (av === bv && ae > be);
}

// changes lists the seats (indexes) in which two snapshots differ.
export function changes(before, after) {
  const out = [];
  for (let i = 0; i < after.length; i++) if (!before || before[i] !== after[i]) out.push(i);
  return out;
}

function levels(counters) {
  return new Map(counters.map((c) => [c.id, c.level]));
}

// The checksum of RFC 3720 (Castagnoli).
const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0x82f63b78 : n >>> 1;
  return n >>> 0;
});

export function crc32c(bytes) {
  let c = ~0;
  for (const b of bytes) c = table[(c ^ b) & 255] ^ (c >>> 8);
  return ~c >>> 0;
}
