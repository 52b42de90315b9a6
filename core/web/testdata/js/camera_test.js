import { equal, near, ok } from './check.js';
const { between, fit, keep, toScreen, toWorld, zoom } = await import(`${self.assets}/js/seats/camera.js`);

const BOX = { x0: 100, y0: 50, x1: 300, y1: 150 };

export function fitShowsTheWholeBoxInTheMiddle() {
  const cam = fit(BOX, 400, 400, 20);
  near(cam.scale, 1.8, 1e-9);
  const middle = toScreen(cam, 200, 100);
  near(middle.x, 200, 1e-9);
  near(middle.y, 200, 1e-9);
  ok(toScreen(cam, 100, 50).x >= 20 - 1e-9, 'within the edge');
}

export function zoomKeepsThePointUnderTheFinger() {
  const cam = fit(BOX, 400, 400, 0);
  const before = toWorld(cam, 70, 330);
  const after = toWorld(zoom(cam, 3, 70, 330, 0.1, 100), 70, 330);
  near(after.x, before.x, 1e-9);
  near(after.y, before.y, 1e-9);
}

export function zoomStaysWithinItsLimits() {
  const cam = { scale: 2, x: 0, y: 0 };
  equal(zoom(cam, 100, 0, 0, 1, 8).scale, 8);
  equal(zoom(cam, 0.001, 0, 0, 1, 8).scale, 1);
}

export function keepNeverLosesTheVenue() {
  for (const cam of [{ scale: 1, x: 9999, y: -9999 }, { scale: 10, x: 9999, y: 9999 }, { scale: 10, x: -99999, y: -99999 }]) {
    const k = keep(cam, BOX, 400, 300);
    const a = toScreen(k, BOX.x0, BOX.y0);
    const b = toScreen(k, BOX.x1, BOX.y1);
    ok(a.x <= 200 + 1e-6 && b.x >= 200 - 1e-6 || (a.x >= 0 && b.x <= 400), `x ${a.x}..${b.x}`);
    ok(a.y <= 150 + 1e-6 && b.y >= 150 - 1e-6 || (a.y >= 0 && b.y <= 300), `y ${a.y}..${b.y}`);
  }
}

export function glideStartsAndEndsWhereItShould() {
  const a = { scale: 1, x: 10, y: 20 };
  const b = { scale: 4, x: -300, y: -100 };
  const start = between(a, b, 0, 400, 300);
  near(start.x, a.x, 1e-6);
  near(start.y, a.y, 1e-6);
  equal(between(a, b, 1, 400, 300), b);
  const almost = between(a, b, 0.999999, 400, 300);
  near(almost.x, b.x, 0.01);
  near(almost.y, b.y, 0.01);
  const same = between(a, { scale: 1, x: 30, y: 20 }, 0.5, 400, 300);
  near(same.x, 20, 1e-6, 'a pan without zoom is straight');
}
