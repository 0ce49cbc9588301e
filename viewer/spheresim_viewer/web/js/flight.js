// The flight of a ball from one impact to the next, as spheresim/record/flight.py has it.

const WHOLE = 1e-9; // a time nearer than this to a whole number of steps is the end of a step

/** How time goes by: in parabolas, on ellipses in a trap, or in steps that begin with a kick. */
export class Clock {
  /** @param {import("./data.js").Header} header @param {Float64Array | undefined} own accelerations, three a ball */
  constructor(header, own) {
    const { trap, gravity } = header;
    this.end = header.clockEnd;
    this.gravity = gravity;
    this.own = own;
    this.step = trap || own || gravity.some((g) => g !== 0) ? header.step : 0;
    this.frequency = trap ? trap.frequency : 0;
    /** Where a ball can rest in the trap. */
    this.centre = trap ? trap.centre.map((c, k) => c + gravity[k] / trap.frequency ** 2) : [];
  }

  /** The constant acceleration of a ball along an axis. @param {number} ball @param {number} k */
  pull(ball, k) {
    return this.own ? this.own[3 * ball + k] : this.gravity[k];
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
   * Take a ball from one time to another in a trap.
   * @param {Float64Array} from @param {number} at @param {number} start @param {number} stop
   * @param {Float64Array} to @param {number} there as for `fly`
   */
  swing(from, at, start, stop, to, there) {
    const w = this.frequency;
    const first = this.step === 0 ? 0 : this.kicksUntil(start);
    const last = this.step === 0 ? 0 : this.kicksUntil(stop);
    for (let k = 0; k < 3; k++) {
      let x = from[at + k];
      let v = from[at + 3 + k];
      if (this.step === 0) {
        const angle = w * (stop - start);
        const away = x - this.centre[k];
        x = this.centre[k] + (away * Math.cos(angle) + v * (Math.sin(angle) / w));
        v = v * Math.cos(angle) - away * (w * Math.sin(angle));
      } else {
        let time = start;
        for (let number = first; number < last; number++) {
          x += v * (number * this.step - time);
          v += (this.centre[k] - x) * (w * w * this.lastStep(number + 1));
          time = number * this.step;
        }
        x += v * (stop - time);
      }
      to[there + k] = x;
      to[there + 3 + k] = v;
    }
  }

  /**
   * Take a ball from one time to another.
   * @param {number} ball
   * @param {Float64Array} from position and velocity, six numbers from `at` on
   * @param {number} at
   * @param {number} start
   * @param {number} stop
   * @param {Float64Array} to where the same six numbers are written
   * @param {number} there from which on
   */
  fly(ball, from, at, start, stop, to, there) {
    if (this.frequency > 0) {
      this.swing(from, at, start, stop, to, there);
      return;
    }
    const first = this.step === 0 ? 0 : this.kicksUntil(start);
    const last = this.step === 0 ? 0 : this.kicksUntil(stop);
    const span = stop - start;
    if (this.step === 0 || last === first) {
      const falls = this.step === 0 ? 1 : 0;
      for (let k = 0; k < 3; k++) {
        const g = this.pull(ball, k) * falls;
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
      const g = this.pull(ball, k);
      const v = from[at + 3 + k];
      const x =
        from[at + k] + v * (first * h - start) + v * (whole * h) + g * (0.5 * h * h * whole * (whole + 1));
      to[there + k] = x + (v + g * kicks) * (stop - (last - 1) * h);
      to[there + 3 + k] = v + g * kicks;
    }
  }
}
