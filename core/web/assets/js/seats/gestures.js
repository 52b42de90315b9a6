// Fingers, mouse and wheel, turned into: pan(dx, dy), pinch(factor, x, y),
// tap(x, y), hover(x, y), leave(). Keys are the map's own.

const SLOP = 6; // px a finger may tremble and still tap

export function listen(canvas, on) {
  const down = new Map(); // pointer id -> last position
  let moved = 0;
  let many = false;

  const at = (e) => {
    const box = canvas.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };

  canvas.addEventListener('pointerdown', (e) => {
    if (e.button > 0) return;
    canvas.setPointerCapture(e.pointerId);
    if (down.size === 0) {
      moved = 0;
      many = false;
    }
    down.set(e.pointerId, at(e));
    if (down.size > 1) many = true;
  });

  canvas.addEventListener('pointermove', (e) => {
    const now = at(e);
    const before = down.get(e.pointerId);
    if (!before) {
      if (e.pointerType === 'mouse') on.hover(now.x, now.y);
      return;
    }
    if (down.size === 1) {
      const dx = now.x - before.x;
      const dy = now.y - before.y;
      moved += Math.hypot(dx, dy);
      if (moved > SLOP) on.pan(dx, dy);
      down.set(e.pointerId, now);
      return;
    }
    const other = [...down].find(([id]) => id !== e.pointerId)[1];
    const was = span(before, other);
    const is = span(now, other);
    if (was.d > 0) on.pinch(is.d / was.d, is.x, is.y);
    on.pan(is.x - was.x, is.y - was.y);
    down.set(e.pointerId, now);
  });

  const end = (e) => {
    const pos = down.get(e.pointerId);
    down.delete(e.pointerId);
    if (e.type === 'pointerup' && pos && moved <= SLOP && !many) on.tap(pos.x, pos.y, e.pointerType);
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  canvas.addEventListener('pointerleave', (e) => { if (!down.size && e.pointerType === 'mouse') on.leave(); });

  canvas.addEventListener('wheel', (e) => {
    e.preventDefault();
    const { x, y } = at(e);
    const unit = e.deltaMode === 1 ? 16 : 1; // lines or pixels
    on.pinch(Math.exp(-Math.max(-240, Math.min(240, e.deltaY * unit)) * 0.0022), x, y);
  }, { passive: false });
}

function span(a, b) {
  return { d: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
