// The impacts of a run one by one: which are next, and the numbers of each.

import { BALL, OBSTACLE, lastUntil } from "./motion.js";
import { cross, dot, minus, plus, times, unit } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/** @typedef {import("./motion.js").Motion} Motion */
/**
 * @typedef {object} Impact
 * @property {number} row
 * @property {number} t
 * @property {number} i
 * @property {number} j ball, or -1
 * @property {number} obstacle or -1
 * @property {Vector} normal unit, from the other towards ball i
 * @property {Vector} point of contact, world coordinates
 * @property {number} vnBefore negative: approaching; NaN where the ways are only near
 * @property {number} vnAfter
 * @property {number} impulse along the normal
 * @property {Flight[]} flights of the balls that are struck
 *
 * @typedef {{ball: number, before: Vector, after: Vector}} Flight velocities just before and after
 */

export class Impacts {
  /** @param {Motion} motion */
  constructor(motion) {
    this.motion = motion;
    const kinds = motion.arrays["row.kind"];
    let count = 0;
    for (const kind of kinds) if (kind <= OBSTACLE) count++;
    this.rows = new Int32Array(count);
    this.times = new Float64Array(count);
    for (let row = 0, k = 0; row < kinds.length; row++) {
      if (kinds[row] > OBSTACLE) continue;
      this.rows[k] = row;
      this.times[k++] = motion.times[row];
    }
  }

  get count() {
    return this.rows.length;
  }

  /** How many there were until a time. @param {number} time */
  until(time) {
    if (this.count === 0 || this.times[0] > time) return 0;
    return lastUntil(this.times, time) + 1;
  }

  /** How many there were before a time. @param {number} time */
  before(time) {
    let count = this.until(time);
    while (count > 0 && this.times[count - 1] === time) count--;
    return count;
  }

  /** The numbers of an impact. @param {number} k counted from 0 @returns {Impact} */
  of(k) {
    const { motion } = this;
    const row = this.rows[k];
    const { arrays } = motion;
    const t = this.times[k];
    const i = arrays["row.i"][row];
    const isBall = arrays["row.kind"][row] === BALL;
    const other = arrays["row.other"][row];
    const [push, twist] = ["j", "twist"].map((name) =>
      ["x", "y", "z"].map((axis) => arrays[`row.${name}${axis}`]?.[row] ?? 0), // no twists without spins
    );
    const { normal, impulse } = alongNormal(push, twist);
    const [centre, velocity] = this.justBefore(i, motion.beforeI[row], t);
    let relative = velocity;
    let rate = 1 / arrays["ball.mass"][i];
    const flights = [{ ball: i, before: velocity, after: plus(velocity, times(push, rate)) }];
    if (isBall) {
      const [, its] = this.justBefore(other, motion.beforeJ[row], t);
      const itsRate = 1 / arrays["ball.mass"][other];
      flights.push({ ball: other, before: its, after: minus(its, times(push, itsRate)) });
      relative = minus(velocity, its);
      rate += itsRate;
    }
    const pieces = isBall ? [motion.beforeI[row], motion.beforeJ[row]] : [motion.beforeI[row]];
    const isNear = pieces.some((piece) => motion.isNear(piece));
    const vnBefore = isNear ? NaN : dot(relative, normal);
    return {
      row,
      t,
      i,
      j: isBall ? other : -1,
      obstacle: isBall ? -1 : other,
      normal,
      point: plus(centre, times(normal, -arrays["ball.radius"][i])),
      vnBefore,
      vnAfter: vnBefore + impulse * rate,
      impulse,
      flights: isNear ? [] : flights,
    };
  }

  /** Position and velocity at the end of a piece. @param {number} ball @param {number} place @param {number} t */
  justBefore(ball, place, t) {
    const state = new Float64Array(6);
    this.motion.follow(ball, place < 0 ? this.motion.find(ball, t) : place, t, state, 0);
    return [Array.from(state.subarray(0, 3)), Array.from(state.subarray(3))];
  }
}

/**
 * The normal of an impact and the impulse J along it, from the whole impulse P = J n + T, with T along the
 * surfaces, and the twist T × n: for P × (T × n) = J T - T² n.
 * @param {Vector} push @param {Vector} twist
 */
export function alongNormal(push, twist) {
  const impulse = Math.sqrt(Math.max(0, dot(push, push) - dot(twist, twist)));
  return { impulse, normal: unit(minus(times(push, impulse), cross(push, twist))) };
}
