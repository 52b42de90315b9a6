// The hold: taking, changing and giving back seats, and knowing of it again
// after a reload or in another tab.

import { Problem, act, read } from './api.js';

export class Holding {
  constructor(event) {
    this.event = event;
    this.path = `/v1/events/${encodeURIComponent(event)}/holds`;
    this.name = `rl.hold.${event}`;
    this.hold = null;
    this.order = '';
    this.ended = ''; // the state of the last hold that is over: expired, sold or released
  }

  // restore asks for the hold this browser made earlier, in this tab or another;
  // null if it is over. What this tab shows is asked for too: another tab that
  // gave it back has forgotten it for both.
  async restore() {
    const kept = this.kept() || (this.hold && { hold: this.hold.id, order: this.order });
    if (!kept) return null;
    try {
      const hold = await read(`${this.path}/${encodeURIComponent(kept.hold)}`);
      this.hold = hold;
      this.order = kept.order || '';
      if (hold.state !== 'active') this.forget(hold.state);
    } catch (err) {
      if (!(err instanceof Problem)) throw err;
      // Gone, or another account's: not ours to show. Anything else may pass.
      if (err.status === 404 || err.status === 410) this.forget();
    }
    return this.hold;
  }

  async take(request) {
    const body = this.hold ? { ...request, replace: this.hold.id } : request;
    this.keep(await act(`hold:${this.event}`, 'POST', this.path, body, { turn: true }), '');
    return this.hold;
  }

  async release() {
    const { id } = this.hold;
    await act(`release:${id}`, 'DELETE', `${this.path}/${encodeURIComponent(id)}`);
    this.forget('released');
  }

  // checkout makes the order of the hold; one that exists is the same one.
  async checkout() {
    if (this.order) return this.order;
    const order = await act(`order:${this.hold.id}`, 'POST', `/v1/events/${encodeURIComponent(this.event)}/orders`, { hold: this.hold.id });
    this.keep(this.hold, order.id);
    return order.id;
  }

  keep(hold, order) {
    this.hold = hold;
    this.order = order;
    try {
      localStorage.setItem(this.name, JSON.stringify({ hold: hold.id, order }));
    } catch {
      // Storage forbidden: the hold is known until the page is left.
    }
  }

  kept() {
    try {
      return JSON.parse(localStorage.getItem(this.name));
    } catch {
      return null;
    }
  }

  forget(ended = 'expired') {
    this.ended = ended;
    this.hold = null;
    this.order = '';
    try {
      localStorage.removeItem(this.name);
    } catch {
      // Nothing was kept.
    }
  }
}
