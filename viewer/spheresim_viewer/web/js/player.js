// Time: running, either way, at some speed, and from impact to impact.

/** @typedef {import("./impacts.js").Impacts} Impacts */

const FRAMES_A_SECOND = 50; // of the scene, at the natural speed
const LADDER = [-3, -2, -1, 0, 1, 2].flatMap((power) => [1, 2, 5].map((m) => m * 10 ** power));

export class Player {
  /**
   * @param {Impacts} impacts @param {number} duration @param {number} frameEvery
   * @param {boolean} loops whether time begins again at its end
   */
  constructor(impacts, duration, frameEvery, loops) {
    this.loops = loops;
    this.impacts = impacts;
    this.duration = duration;
    this.frameEvery = frameEvery;
    this.natural = FRAMES_A_SECOND * frameEvery;
    this.rung = LADDER.indexOf(1);
    this.time = 0;
    this.running = false;
    this.direction = 1;
    /** The impact that was stepped to, or -1. */
    this.shown = -1;
  }

  get factor() {
    return LADDER[this.rung];
  }

  /** @param {number} seconds @returns {boolean} whether time went on */
  update(seconds) {
    if (!this.running) return false;
    const time = this.time + this.direction * Math.min(seconds, 0.1) * this.natural * this.factor;
    this.go(time);
    if (this.time === time) return true;
    if (this.loops) this.go(this.direction > 0 ? 0 : this.duration);
    else this.running = false;
    return true;
  }

  /** Go to a time; what is outside the run goes to its end. @param {number} time */
  go(time) {
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.shown = -1;
  }

  toggle() {
    if (!this.running && this.direction > 0 && this.time >= this.duration) this.go(0);
    if (!this.running && this.direction < 0 && this.time <= 0) this.go(this.duration);
    this.running = !this.running;
    this.shown = -1;
  }

  backwards() {
    this.direction = -this.direction;
    if (!this.running) this.toggle();
  }

  /** @param {number} steps */
  faster(steps) {
    this.rung = Math.min(Math.max(this.rung + steps, 0), LADDER.length - 1);
  }

  /** To a frame of the scene before or after. @param {number} steps */
  step(steps) {
    this.running = false;
    const frames = this.time / this.frameEvery;
    const next = steps > 0 ? Math.floor(frames + 1e-9) : Math.ceil(frames - 1e-9);
    this.go((next + steps) * this.frameEvery);
  }

  /** To the next impact, or to the one before. @param {number} direction 1 or -1 */
  stepImpact(direction) {
    this.running = false;
    let next;
    if (this.shown >= 0) next = this.shown + direction;
    else if (direction > 0) next = this.impacts.until(this.time);
    else next = this.impacts.before(this.time) - 1;
    if (next < 0 || next >= this.impacts.count) return false;
    this.go(this.impacts.times[next]);
    this.shown = next;
    return true;
  }
}
