// Seat states as the API packs them: two bits a seat, seat 1 in the low bits of
// byte 0, base64.

export const AVAILABLE = 0;
export const HELD = 1;
export const SOLD = 2;
export const BLOCKED = 3;

// decodeStates returns one byte a seat; index 0 is seat 1.
export function decodeStates(text, count) {
  const packed = atob(text);
  if (packed.length !== Math.ceil(count / 4)) {
    throw new Error(`seat states: ${packed.length} bytes for ${count} seats, want ${Math.ceil(count / 4)}`);
  }
  const states = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    states[i] = (packed.charCodeAt(i >> 2) >> ((i & 3) * 2)) & 3;
  }
  return states;
}

// changes lists the seats (indexes) in which two snapshots differ.
export function changes(before, after) {
  const out = [];
  for (let i = 0; i < after.length; i++) if (!before || before[i] !== after[i]) out.push(i);
  return out;
}
