// Seat maps: snapshots, deltas and their order.

import { equal, throws } from './check.js';

const { advance, changes, crc32c, newer, snapshot, statesOf } = await import(`${self.assets}/js/seats/codec.js`);

// The snapshot and the delta are the golden files of package seatmap.
const WHOLE = { format: 1, kind: 'snapshot', version: '41.1760000000', seats: 11, states: '5FAC', counters: [{ id: 3, level: 150 }, { id: 900, level: 7 }] };
const DELTA = { format: 1, kind: 'delta', from: '41.1760000000', to: '44.1760000009', seats: 11, changes: [[2, 2], [5, 1], [7, 0], [11, 1]], counters: [{ id: 3, level: 100 }, { id: 901, level: 20 }], sum: 3907221722 };

export function aDeltaLeadsFromOneMapToTheNext() {
  const map = snapshot(WHOLE);
  equal([...statesOf(map)], [0, 1, 2, 3, 0, 0, 1, 1, 2, 0, 0]);
  const next = advance(map, DELTA);
  equal([...statesOf(next)], [0, 2, 2, 3, 1, 0, 0, 1, 2, 0, 1]);
  equal(next.version, '44.1760000009');
  equal([...next.counters], [[3, 100], [900, 7], [901, 20]]);
  equal(map.version, '41.1760000000', 'the old map stays');
}

export function aMapOfAnotherLengthIsRefused() {
  throws(() => snapshot({ ...WHOLE, seats: 13 }), /3 bytes for 13 seats, want 4/);
  throws(() => snapshot({ ...WHOLE, states: null }), /0 bytes/);
  equal([...statesOf(snapshot({ ...WHOLE, seats: 0, states: '' }))], []);
}

export function changesAreListedByIndex() {
  equal(changes(new Uint8Array([0, 1, 2]), new Uint8Array([0, 2, 2])), [1]);
  equal(changes(null, new Uint8Array([0, 1])), [0, 1]);
}

export function whatDoesNotFitIsNotApplied() {
  const map = snapshot(WHOLE);
  equal(advance(map, { ...DELTA, from: '40.0' }), null);
  equal(advance(map, { ...DELTA, sum: 1 }), null);
  equal(advance(map, { ...DELTA, seats: 12 }), null);
}

export function versionsAreComparedAsNumbers() {
  equal(newer('10.0', '9.5'), true);
  equal(newer('9.6', '9.5'), true);
  equal(newer('9.5', '9.5'), false);
  equal(newer('9.9', '10.0'), false);
}

export function theChecksumIsCastagnolis() {
  equal(crc32c(new TextEncoder().encode('123456789')), 0xe3069283);
}
