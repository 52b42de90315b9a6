// The server's clock. A count-down by the visitor's own clock would promise
// minutes that are not there whenever that clock is wrong.
//
// performance.now() measures the distance from the last answer: nobody can set
// it. It may stand still while the machine sleeps, so pages ask again when they
// become visible.

import { native } from './format.js';
import { count, t } from './say.js';

export class Clock {
  constructor(now = () => performance.now()) {
    this.tick = now;
    this.best = Infinity; // the round trip of the sample in use
    this.offset = Date.now() - now();
  }

  // sync takes the server's time (RFC 3339) and when the question left. The
  // server read its clock somewhere in between; half is the best guess, and the
  // quickest answer gives the smallest error. Old samples age, so that a clock
  // that was corrected is followed.
  sync(serverTime, sent, received = this.tick()) {
    const server = Date.parse(serverTime);
    const trip = received - sent;
    if (Number.isNaN(server) || trip < 0) return;
    if (trip <= this.best * 1.5) {
      this.offset = server - (sent + received) / 2;
      this.best = trip;
    }
    this.best += 20;
  }

  now() {
    return this.tick() + this.offset;
  }

  // left is how many ms remain until an instant (RFC 3339), at least 0.
  left(instant) {
    return Math.max(0, Date.parse(instant) - this.now());
  }
}

export const clock = new Clock();

// clockText writes a remaining time as 7:05. It rounds up, so 0:00 means over.
export function clockText(ms) {
  const s = Math.ceil(ms / 1000);
  return native(`${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`);
}

// span writes a length of time in seconds as people say it.
export function span(seconds) {
  if (seconds < 120 && seconds !== 60) return count('seconds', seconds);
  return count('minutes', Math.round(seconds / 60));
}

// spoken is what a screen reader hears, and only at these moments: a voice that
// counts every second is no help.
const MOMENTS = [300, 120, 60, 30];

export function spoken(beforeMs, afterMs) {
  for (const s of MOMENTS) {
    if (beforeMs > s * 1000 && afterMs <= s * 1000) {
      return t('left', { time: span(s) });
    }
  }
  return '';
}
