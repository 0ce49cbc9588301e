// The flight of a ball from one impact to the next, as spheresim/record/flight.py has it.

const WHOLE = 1e-9; // a time nearer than this to a whole number of steps is the end of a step

/** How time goes by: in parabolas, or in steps that begin with a kick of gravity. */
export class Clock {
  /** @param {number} step 0 for parabolas @param {number} end @param {number[]} gravity */
  constructor(step, end, gravity) {
    this.end = end;
    this.gravity = gravity;
    this.step = gravity.some((g) => g !== 0) ? step : 0;
  }

  /** How many steps have begun before a time. @param {number} time */
  kicksUntil(time) {
    const steps = time / this.step;
    return Math.ceil(steps - WHOLE * Math.max(1, steps));
  }

  /** The length of the step after which so many have begun. @param {number} number */
  lastStep(number) {
    return Math.min(this.step, this.end - (number - 1) * this.step);
  }

  /**
   * Take a ball from one time to another.
   * @param {Float64Array} from position and velocity, six numbers from `at` on
   * @param {number} at
   * @param {number} start
   * @param {number} stop
   * @param {Float64Array} to where the same six numbers are written
   * @param {number} there from which on
   */
  fly(from, at, start, stop, to, there) {
    const first = this.step === 0 ? 0 : this.kicksUntil(start);
    const last = this.step === 0 ? 0 : this.kicksUntil(stop);
    const span = stop - start;
    if (this.step === 0 || last === first) {
      const pull = this.step === 0 ? 1 : 0;
      for (let k = 0; k < 3; k++) {
        const g = this.gravity[k] * pull;
        const v = from[at + 3 + k];
        to[there + k] = from[at + k] + v * span + g * (0.5 * span * span);
        to[there + 3 + k] = v + g * span;
      }
      return;
    }
    // What is left of the step that has begun, whole steps, and the last one up to the time.
    const h = this.step;
    const whole = last - 1 - first;
    const kicks = whole * h + this.lastStep(last);
    for (let k = 0; k < 3; k++) {
      const g = this.gravity[k];
      const v = from[at + 3 + k];
      const x =
        from[at + k] + v * (first * h - start) + v * (whole * h) + g * (0.5 * h * h * whole * (whole + 1));
      to[there + k] = x + (v + g * kicks) * (stop - (last - 1) * h);
      to[there + 3 + k] = v + g * kicks;
    }
  }
}
