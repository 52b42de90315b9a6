// A test module exports functions named by what they show; runAll calls each and
// reports what was thrown.

export function equal(got, want, what = '') {
  const g = JSON.stringify(got);
  const w = JSON.stringify(want);
  if (g !== w) throw new Error(`${what ? `${what}: ` : ''}got ${g}, want ${w}`);
}

export function ok(value, what) {
  if (!value) throw new Error(what);
}

export function near(got, want, by, what = '') {
  if (!(Math.abs(got - want) <= by)) throw new Error(`${what ? `${what}: ` : ''}got ${got}, want ${want} within ${by}`);
}

export function throws(f, pattern) {
  try {
    f();
  } catch (err) {
    if (!pattern.test(err.message)) throw new Error(`threw "${err.message}", want ${pattern}`);
    return;
  }
  throw new Error(`did not throw, want ${pattern}`);
}

// store is a sessionStorage that belongs to the test.
export function store() {
  const kept = new Map();
  return {
    getItem: (k) => (kept.has(k) ? kept.get(k) : null),
    setItem: (k, v) => kept.set(k, String(v)),
    removeItem: (k) => kept.delete(k),
  };
}

export async function runAll(tests) {
  const out = [];
  for (const [name, test] of Object.entries(tests)) {
    let error = '';
    try {
      await test();
    } catch (err) {
      error = err.stack || String(err);
    }
    out.push({ name, error });
  }
  return out;
}
