// How balls that spin are turned: the formulas of timeline/orientation.py. An orientation is a unit
// quaternion (w, x, y, z) that turns what is fixed to a ball from how it was at the start.

import { BALL, OBSTACLE, lastUntil } from "./motion.js";
import { cross, dot, length, plus, times } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */

export class Spins {
  /** @param {Record<string, any>} arrays of the page @param {number} n balls */
  constructor(arrays, n) {
    this.arrays = arrays;
    this.n = n;
    /** Where each ball's turns begin in the columns below: the first at the start, then one for each impact. */
    this.first = new Int32Array(n + 1);
    for (const [ball] of this.hits()) this.first[ball + 1]++;
    for (let ball = 0; ball < n; ball++) this.first[ball + 1] += this.first[ball] + 1;
    this.since = new Float64Array(this.first[n]);
    this.spin = new Float64Array(3 * this.first[n]);
    this.orientation = new Float64Array(4 * this.first[n]);
    this.build();
  }

  /** Ball and row of each impact of a ball, in order of time. @returns {Generator<[number, number]>} */
  *hits() {
    const { "row.kind": kinds, "row.i": i, "row.other": other } = this.arrays;
    for (let row = 0; row < kinds.length; row++) {
      if (kinds[row] <= OBSTACLE) yield [i[row], row];
      if (kinds[row] === BALL) yield [other[row], row];
    }
  }

  build() {
    const { arrays, since, spin, orientation } = this;
    const next = this.first.slice(0, this.n);
    for (let ball = 0; ball < this.n; ball++) {
      const place = next[ball]++;
      spin.set(arrays["ball.spin"].subarray(3 * ball, 3 * ball + 3), 3 * place);
      orientation[4 * place] = 1;
    }
    for (const [ball, row] of this.hits()) {
      const place = next[ball]++;
      since[place] = arrays["row.t"][row];
      orientation.set(this.turned(place - 1, since[place]), 4 * place);
      ["x", "y", "z"].forEach((axis, k) => {
        const change = arrays["ball.lever"][ball] * arrays[`row.twist${axis}`][row];
        spin[3 * place + k] = spin[3 * place - 3 + k] + change;
      });
    }
  }

  /** The orientations of all balls. @param {number} time @returns {number[][]} */
  at(time) {
    return Array.from({ length: this.n }, (_, ball) => this.turned(this.turnAt(ball, time), time));
  }

  /** The place of a ball's turn at a time. @param {number} ball @param {number} time */
  turnAt(ball, time) {
    const low = this.first[ball];
    return low + lastUntil(this.since.subarray(low, this.first[ball + 1]), time);
  }

  /** The energy of rotation of all balls: the lever is the radius over the moment of inertia. @param {number} time */
  energy(time) {
    const { "ball.radius": radius, "ball.lever": lever } = this.arrays;
    let sum = 0;
    for (let ball = 0; ball < this.n; ball++) {
      const place = this.turnAt(ball, time);
      const size = length(Array.from(this.spin.subarray(3 * place, 3 * place + 3)));
      sum += 0.5 * (radius[ball] / lever[ball]) * size * size;
    }
    return sum;
  }

  /** The orientation to which a turn has led by a time. @param {number} place @param {number} time */
  turned(place, time) {
    const angle = times(Array.from(this.spin.subarray(3 * place, 3 * place + 3)), time - this.since[place]);
    const size = length(angle);
    const w = Math.cos(0.5 * size);
    const v = times(angle, size > 0 ? Math.sin(0.5 * size) / size : 0.5);
    const [otherW, ...otherV] = this.orientation.subarray(4 * place, 4 * place + 4);
    const whole = plus(plus(times(otherV, w), times(v, otherW)), cross(v, otherV));
    const product = [w * otherW - dot(v, otherV), ...whole];
    const norm = Math.hypot(...product);
    return product.map((part) => part / norm);
  }
}

/** Where the axes x, y and z that are fixed to a ball are now. @param {number[]} orientation @returns {Vector[]} */
export function axesOf([w, ...v]) {
  return [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => {
    const across = times(cross(v, axis), 2);
    return plus(plus(axis, times(across, w)), cross(v, across));
  });
}
