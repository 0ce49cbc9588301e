// Who flies, slides and rests at a time, as timeline/rest.py tells it.

import { lastUntil } from "./motion.js";

export const FLYING = 0;
export const SLIDING = 1;
export const RESTING = 2;

export class States {
  /** @param {Record<string, any>} arrays of the page @param {number} n balls */
  constructor(arrays, n) {
    this.times = arrays["state.t"];
    this.balls = arrays["state.ball"];
    this.after = arrays["state.after"];
    this.now = new Uint8Array(n);
    this.known = 0; // so many changes are in `now`
    this.begun = new Uint8Array(n); // by the rows alone
  }

  /**
   * The states of all balls; the array is used again by the next call.
   * @param {number} time @param {Float64Array} velocity of all balls then
   */
  at(time, velocity) {
    const count = this.times.length && this.times[0] <= time ? lastUntil(this.times, time) + 1 : 0;
    if (count < this.known) {
      this.begun.fill(FLYING);
      this.known = 0;
    }
    for (; this.known < count; this.known++) this.begun[this.balls[this.known]] = this.after[this.known];
    this.begun.forEach((state, ball) => {
      const moves = velocity[3 * ball] || velocity[3 * ball + 1] || velocity[3 * ball + 2];
      this.now[ball] = state === RESTING && moves ? SLIDING : state;
    });
    return this.now;
  }
}
