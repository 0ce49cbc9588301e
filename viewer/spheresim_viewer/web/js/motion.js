// Where every ball is at any time: its way as pieces, each of which is a formula.

import { Clock } from "./flight.js";

/** @typedef {import("./data.js").Data} Data */

export const BALL = 0;
export const OBSTACLE = 1;
const POWERS = 8; // of the polynomials in time that given pieces are
// What a ball does from a piece on, see motion.py: it flies, and impacts change that; the piece tells
// where it is; or the piece is a straight way to the next frame, which is only near.
const FLIES = 0;
const CHORD = 2;
const NEXT_CHORD = 3; // one that begins where the ball's last one ended

export class Motion {
  /** @param {Data} data */
  constructor(data) {
    const { header, arrays } = data;
    this.arrays = arrays;
    this.n = header.names.length;
    this.duration = header.duration;
    this.clock = new Clock(header, arrays["ball.acceleration"]);
    this.times = arrays["row.t"];
    this.count = this.times.length;
    this.coefficients = Array.from({ length: POWERS }, (_, power) => arrays[`piece.${power}`]);
    this.expandChords();
    /** The pieces before which each row was, of ball i and of ball j; -1 for none. */
    this.beforeI = new Int32Array(this.count).fill(-1);
    this.beforeJ = new Int32Array(this.count).fill(-1);
    /** Where the pieces of each ball begin in the columns below. */
    this.first = this.rooms();
    this.used = new Int32Array(this.n);
    const room = this.first[this.n];
    this.start = new Float64Array(room);
    this.state = new Float64Array(6 * room);
    /** The piece of the data that tells the way; -1 for a flight. */
    this.given = new Int32Array(room).fill(-1);
    this.build();
    this.cursor = Int32Array.from(this.first.subarray(0, this.n));
    this.work = new Float64Array(6);
  }

  /** Make room: one piece for each impact of a ball, and for each that is given. */
  rooms() {
    const room = new Int32Array(this.n + 1);
    const kinds = this.arrays["row.kind"];
    for (let row = 0; row < this.count; row++) {
      if (kinds[row] > OBSTACLE) continue;
      room[this.arrays["row.i"][row] + 1]++;
      if (kinds[row] === BALL) room[this.arrays["row.other"][row] + 1]++;
    }
    for (const ball of this.arrays["piece.ball"]) room[ball + 1]++;
    for (let ball = 0; ball < this.n; ball++) room[ball + 1] += room[ball];
    return room;
  }

  /** Straight ways as polynomials, from start, way, and shape: see straight_ways.py. */
  expandChords() {
    const mode = this.arrays["piece.mode"];
    const [start, way, square, cube] = this.coefficients;
    const ends = new Float64Array(3 * this.n);
    for (let piece = 0; piece < mode.length; piece++) {
      if (mode[piece] !== CHORD && mode[piece] !== NEXT_CHORD) continue;
      const ball = this.arrays["piece.ball"][piece];
      const [first, last, span] = square.slice(3 * piece, 3 * piece + 3);
      for (let axis = 0; axis < 3; axis++) {
        const k = 3 * piece + axis;
        const whole = way[k];
        if (mode[piece] === NEXT_CHORD) start[k] = ends[3 * ball + axis];
        ends[3 * ball + axis] = start[k] + whole;
        way[k] = (first / span) * whole;
        square[k] = ((3 - 2 * first - last) / span ** 2) * whole;
        cube[k] = ((first + last - 2) / span ** 3) * whole;
      }
      mode[piece] = CHORD;
    }
  }

  /** Go through all rows and given pieces in order of time. */
  build() {
    const pieceTimes = this.arrays["piece.t"];
    let piece = 0;
    for (let row = 0; row <= this.count; row++) {
      const until = row < this.count ? this.times[row] : Infinity;
      while (piece < pieceTimes.length && (pieceTimes[piece] < until || this.used[this.arrays["piece.ball"][piece]] === 0))
        this.addGiven(piece++);
      if (row < this.count && this.arrays["row.kind"][row] <= OBSTACLE) this.addImpact(row);
    }
  }

  /** @param {number} piece */
  addGiven(piece) {
    const { arrays } = this;
    const ball = arrays["piece.ball"][piece];
    const place = this.first[ball] + this.used[ball]++;
    this.start[place] = arrays["piece.t"][piece];
    for (let k = 0; k < 3; k++) {
      this.state[6 * place + k] = this.coefficients[0][3 * piece + k];
      this.state[6 * place + 3 + k] = this.coefficients[1][3 * piece + k];
    }
    if (arrays["piece.mode"][piece] !== FLIES) this.given[place] = piece;
  }

  /** @param {number} row */
  addImpact(row) {
    const { arrays } = this;
    const j = arrays["row.other"][row];
    this.beforeI[row] = this.hit(arrays["row.i"][row], row, 1);
    if (arrays["row.kind"][row] === BALL) this.beforeJ[row] = this.hit(j, row, -1);
  }

  /**
   * Give a ball the impulse of a row, or its opposite.
   * @param {number} ball @param {number} row @param {number} sign
   * @returns {number} the piece on which the ball came
   */
  hit(ball, row, sign) {
    const before = this.first[ball] + this.used[ball] - 1;
    if (this.given[before] >= 0) return before;
    const place = before + 1;
    const time = Math.max(this.times[row], this.start[before]);
    this.used[ball]++;
    this.start[place] = time;
    this.clock.fly(ball, this.state, 6 * before, this.start[before], time, this.state, 6 * place);
    const mass = this.arrays["ball.mass"][ball];
    this.state[6 * place + 3] += (sign * this.arrays["row.jx"][row]) / mass;
    this.state[6 * place + 4] += (sign * this.arrays["row.jy"][row]) / mass;
    this.state[6 * place + 5] += (sign * this.arrays["row.jz"][row]) / mass;
    return before;
  }

  /**
   * Positions and velocities of all balls, three numbers each.
   * @param {number} time @param {Float64Array} position @param {Float64Array} velocity
   */
  at(time, position, velocity) {
    const { work } = this;
    for (let ball = 0; ball < this.n; ball++) {
      this.follow(ball, this.find(ball, time), time, work, 0);
      for (let k = 0; k < 3; k++) {
        position[3 * ball + k] = work[k];
        velocity[3 * ball + k] = work[3 + k];
      }
    }
  }

  /** Where one ball is. @param {number} ball @param {number} time */
  ballAt(ball, time) {
    this.follow(ball, this.find(ball, time), time, this.work, 0);
    return Array.from(this.work);
  }

  /**
   * Go along a piece.
   * @param {number} ball @param {number} place @param {number} time
   * @param {Float64Array} to @param {number} there
   */
  follow(ball, place, time, to, there) {
    const piece = this.given[place];
    if (piece < 0) {
      this.clock.fly(ball, this.state, 6 * place, this.start[place], time, to, there);
      return;
    }
    const s = time - this.start[place];
    for (let k = 0; k < 3; k++) {
      let x = 0;
      let v = 0;
      for (let power = POWERS - 1; power >= 0; power--) { // Horner's scheme, and its derivative
        v = v * s + x;
        x = x * s + this.coefficients[power][3 * piece + k];
      }
      to[there + k] = x;
      to[there + 3 + k] = v;
    }
  }

  /** Whether a piece does not tell velocities to all digits. @param {number} place */
  isNear(place) {
    const piece = this.given[place];
    return piece >= 0 && this.arrays["piece.mode"][piece] === CHORD;
  }

  /** The piece of a ball at a time: the last that has begun. @param {number} ball @param {number} time */
  find(ball, time) {
    const { start } = this;
    const low = this.first[ball];
    const last = low + this.used[ball] - 1;
    let place = this.cursor[ball];
    if (start[place] > time || (place < last && start[place + 1] <= time)) {
      if (place < last && start[place + 1] <= time && (place + 2 > last || start[place + 2] > time)) place++;
      else place = low + lastUntil(start.subarray(low, last + 1), time);
      this.cursor[ball] = place;
    }
    return place;
  }
}

/**
 * The last index of sorted times that are not later than a time; at least 0.
 * @param {Float64Array} times @param {number} time
 */
export function lastUntil(times, time) {
  let low = 0;
  let high = times.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return low;
}
