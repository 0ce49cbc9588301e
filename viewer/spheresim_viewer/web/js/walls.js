// Where obstacles are that move: the formulas of spheresim/obstacles/driven_walls/placement.py.

import { cross, dot, plus, times } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/**
 * A frame that is displaced by `offset`, or turned about an axis through `point`.
 * @typedef {{offset: number[], point: number[], axis: number[], cosine: number, sine: number}} Frame
 */

const PIECEWISE = 1;
const OSCILLATION = 2;
const ROTATION = 3;
const ORIGIN = [0, 0, 0];
const KNOT = 7; // numbers: a time, the displacement and the velocity from then on

export class Walls {
  /**
   * @param {{owner: number, kind: number, numbers: number[]}[]} motions
   * @param {Record<string, any>} arrays knots, and pistons after their impacts
   */
  constructor(motions, arrays) {
    this.motions = motions;
    this.arrays = arrays;
  }

  /** The frames of all that move at a time, by the obstacle's index. @param {number} time */
  at(time) {
    return new Map(this.motions.map((motion) => [motion.owner, this.frame(motion, time)]));
  }

  /** @param {{owner: number, kind: number, numbers: number[]}} motion @param {number} time @returns {Frame} */
  frame({ owner, kind, numbers }, time) {
    const axis = numbers.slice(0, 3);
    const turns = (/** @type {number} */ rate) => 2 * Math.PI * (rate * time - Math.floor(rate * time));
    if (kind === ROTATION) {
      const angle = turns(numbers[3]);
      return { offset: ORIGIN, point: numbers.slice(4, 7), axis, cosine: Math.cos(angle), sine: Math.sin(angle) };
    }
    let offset;
    if (kind === PIECEWISE) offset = this.alongKnots(numbers[0], numbers[1], time);
    else if (kind === OSCILLATION)
      offset = times(axis, numbers[3] * (Math.sin(turns(numbers[4]) + numbers[5]) - numbers[6]));
    else offset = times(axis, this.pistonAt(owner, numbers[3], time));
    return { offset, point: ORIGIN, axis: ORIGIN, cosine: 1, sine: 0 };
  }

  /** @param {number} first knot @param {number} end the one behind the last @param {number} time */
  alongKnots(first, end, time) {
    const { knots } = this.arrays;
    let last = first;
    while (last + 1 < end && knots[KNOT * (last + 1)] <= time) last++;
    const [begun, ...rest] = knots.subarray(KNOT * last, KNOT * (last + 1));
    return plus(rest.slice(0, 3), times(rest.slice(3), time - begun));
  }

  /** How far a piston has moved. @param {number} owner @param {number} pull @param {number} time */
  pistonAt(owner, pull, time) {
    const of = (/** @type {string} */ name) => this.arrays[`piston.${name}`];
    let last = 0;
    of("t").forEach((/** @type {number} */ t, /** @type {number} */ row) => {
      if (of("owner")[row] === owner && t <= time) last = row;
    });
    const since = time - of("t")[last];
    return of("place")[last] + (of("speed")[last] + 0.5 * pull * since) * since;
  }
}

/** The same frame in stage units. @param {Frame} frame @param {Vector} centre @param {number} size @returns {Frame} */
export function inStage(frame, centre, size) {
  const point = times(plus(frame.point, times(centre, -1)), 1 / size);
  return { ...frame, offset: times(frame.offset, 1 / size), point };
}

/** A direction turned with a frame (Rodrigues' formula). @param {Frame} frame @param {number[]} d */
export function turned({ axis, cosine, sine }, d) {
  const along = times(axis, dot(axis, d) * (1 - cosine));
  return plus(plus(times(d, cosine), times(cross(axis, d), sine)), along);
}

/** A point of the obstacle at t = 0, taken along with its frame. @param {Frame} frame @param {number[]} x */
export function carried(frame, x) {
  return plus(plus(frame.offset, frame.point), turned(frame, plus(x, times(frame.point, -1))));
}

/**
 * Points, or directions, three numbers each, of which those move that belong to frames.
 * @param {Float32Array} values @param {ArrayLike<number>} owner of each @param {Map<number, Frame>} frames
 * @param {(frame: Frame, x: number[]) => number[]} move
 */
export function movedAlong(values, owner, frames, move) {
  const there = Float32Array.from(values);
  for (let k = 0; k < owner.length; k++) {
    const frame = frames.get(owner[k]);
    if (frame) there.set(move(frame, Array.from(values.subarray(3 * k, 3 * k + 3))), 3 * k);
  }
  return there;
}
