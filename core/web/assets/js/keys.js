// Idempotency keys. One action of a person has one key, from the click until its
// answer is known. A lost answer, a reload or a trip through the waiting room
// repeats the action with the same key, and the core gives the first answer
// again instead of acting twice.
//
// Kept in sessionStorage: it survives a reload and is not shared between tabs,
// where the same click would be a second action.

const PREFIX = 'rl.key.';

// keyFor returns the key of an action: the pending one if the action was started
// with the same content and its answer is not known, else a new one.
export function keyFor(action, content, store = sessionStorage, fresh = newKey) {
  const kept = read(store, PREFIX + action);
  if (kept && kept.content === content) return kept.key;
  const key = fresh();
  write(store, PREFIX + action, { key, content });
  return key;
}

// settle forgets the key: the answer is known.
export function settle(action, store = sessionStorage) {
  try {
    store.removeItem(PREFIX + action);
  } catch {
    // Storage may be forbidden; then nothing was kept either.
  }
}

function read(store, name) {
  try {
    return JSON.parse(store.getItem(name));
  } catch {
    return null;
  }
}

function write(store, name, value) {
  try {
    store.setItem(name, JSON.stringify(value));
  } catch {
    // Forbidden or full: the action still works, only a reload makes a new key.
  }
}

// newKey: randomUUID exists on https and localhost only, and a phone tries the
// demo over plain http.
export function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const b = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(b, (v) => v.toString(16).padStart(2, '0')).join('');
}
