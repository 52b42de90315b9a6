// What part of the venue is seen: screen = world * scale + (x, y). Pure; every
// function returns a new camera.

// fit shows a box in the middle of a w x h screen.
export function fit(box, w, h, pad) {
  const bw = Math.max(box.x1 - box.x0, 1e-6);
  const bh = Math.max(box.y1 - box.y0, 1e-6);
  const scale = Math.max(1e-6, Math.min((w - 2 * pad) / bw, (h - 2 * pad) / bh));
  return { scale, x: w / 2 - ((box.x0 + box.x1) / 2) * scale, y: h / 2 - ((box.y0 + box.y1) / 2) * scale };
}

// zoom keeps the world point under (px, py) where it is.
export function zoom(cam, factor, px, py, least, most) {
  const scale = Math.min(most, Math.max(least, cam.scale * factor));
  const f = scale / cam.scale;
  return { scale, x: px - (px - cam.x) * f, y: py - (py - cam.y) * f };
}

// keep holds at least part of the venue on the screen: its box may not leave
// the middle of it, and a box smaller than the screen stays whole.
export function keep(cam, box, w, h) {
  const hold = (at, low, high, size) => {
    const a = low * cam.scale;
    const b = high * cam.scale;
    if (b - a <= size) return Math.min(size - b, Math.max(-a, at));
    return Math.min(size / 2 - a, Math.max(size / 2 - b, at));
  };
  return { scale: cam.scale, x: hold(cam.x, box.x0, box.x1, w), y: hold(cam.y, box.y0, box.y1, h) };
}

export function toWorld(cam, px, py) {
  return { x: (px - cam.x) / cam.scale, y: (py - cam.y) / cam.scale };
}

export function toScreen(cam, x, y) {
  return { x: x * cam.scale + cam.x, y: y * cam.scale + cam.y };
}

// between goes from a to b, t in 0..1: zoom in equal ratios, and the point in
// the middle of the screen along a straight line.
export function between(a, b, t, w, h) {
  if (t >= 1) return b;
  const scale = a.scale * (b.scale / a.scale) ** t;
  const ca = toWorld(a, w / 2, h / 2);
  const cb = toWorld(b, w / 2, h / 2);
  const f = Math.abs(b.scale - a.scale) < 1e-9 ? t : (1 - a.scale / scale) / (1 - a.scale / b.scale);
  const x = ca.x + (cb.x - ca.x) * f;
  const y = ca.y + (cb.y - ca.y) * f;
  return { scale, x: w / 2 - x * scale, y: h / 2 - y * scale };
}
