// What is drawn beside the balls, as in the viewer's glyphs.py: outlines, trails, velocities, the
// contact of an impact, a ring around the picked ball, marks that turn. All lengths in stage units.

import { axesOf } from "./spins.js";
import { length, minus, plus, times, unit } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/**
 * Straight lines, with widths in points and colors from 0 to 1.
 * @typedef {{start: number[] | Float32Array, end: number[] | Float32Array, width: number[] | Float32Array,
 *   start_color: number[] | Float32Array, end_color: number[] | Float32Array}} Lines
 * Discs and rings; a normal of 0 faces the eye.
 * @typedef {{centre: number[], normal: number[], radius: number[], color: number[]}} Discs
 */

const OUTLINE = [0.3, 0.35, 0.42, 0.55];
const ENCLOSING = [0.22, 0.27, 0.34, 0.9]; // the borders of what balls are inside of
const RIM = 0.003; // half the width of a bowl's outline
const LARGE = 0.03; // the radius from which on a ball gets an arrow of full width
const TRAIL = 0.82; // trails are that much darker than their balls: thin lines look paler
const ARROW = [0.13, 0.17, 0.22, 0.95];
const CONTACT = [0.55, 0.05, 0.3, 1];
const STRUCK = [0.86, 0.3, 0.02, 1];
const TOUCHED = [0.55, 0.05, 0.3, 0.16];
const CAME = [0.38, 0.42, 0.48, 0.9];
const GOES = [0.05, 0.3, 0.6, 1];
export const LEAST_BALL = 0.015; // the radius of the balls for which glyphs of smaller ones are drawn
const LONGEST = 0.22; // the arrow of the fastest ball of an impact
const PICKED = [0.05, 0.35, 0.65, 1];
const SPIN_MARK = [0.13, 0.17, 0.22, 0.55];
const SPIN_MARK_RADIUS = 0.24; // in radii of the ball
export const TRAIL_MOMENTS = 48;

/** @returns {Record<"start" | "end" | "width" | "start_color" | "end_color", number[]>} */
function noLines() {
  return { start: [], end: [], width: [], start_color: [], end_color: [] };
}

/**
 * The borders of obstacles; those of what balls are inside of are thicker.
 * @param {Float32Array} ends @param {Float32Array} fade @param {Uint8Array} enclosing
 * @returns {Lines}
 */
export function outlines(ends, fade, enclosing) {
  const count = fade.length / 2;
  const lines = noLines();
  for (let k = 0; k < count; k++) {
    lines.start.push(...ends.subarray(6 * k, 6 * k + 3));
    lines.end.push(...ends.subarray(6 * k + 3, 6 * k + 6));
    const color = enclosing[k] ? ENCLOSING : OUTLINE;
    const least = enclosing[k] ? 0.7 : 0.2; // of walls, a hint of where they were
    lines.width.push(...(enclosing[k] ? [2, 2] : [1.2, 1.2]));
    [lines.start_color, lines.end_color].forEach((column, end) => {
      column.push(...color.slice(0, 3), color[3] * Math.max(1 - fade[2 * k + end], least));
    });
  }
  return lines;
}

/** The edges of a periodic box, from its eight corners. @param {number[][]} corners */
export function boxEdges(corners) {
  /** @type {number[]} */
  const ends = [];
  for (let i = 0; i < 8; i++)
    for (const bit of [1, 2, 4]) if (!(i & bit)) ends.push(...corners[i], ...corners[i | bit]);
  return outlines(new Float32Array(ends), new Float32Array(ends.length / 3), new Uint8Array(ends.length / 6));
}

/** The outlines of bowls, from an eye outside of them. @param {number[][]} bowls @param {Vector} eye @returns {Discs[]} */
export function rims(bowls, eye) {
  return bowls.flatMap(([x, y, z, radius]) => {
    const away = minus(eye, [x, y, z]);
    const part = radius / length(away);
    if (part >= 1) return [];
    const size = radius * Math.sqrt(1 - part * part);
    const centre = plus([x, y, z], times(away, part * part));
    return [{ centre, normal: unit(away), radius: [size + RIM, size - RIM], color: ENCLOSING }];
  });
}

/**
 * Paths of some balls, paler where older; jumps across a periodic box are left out.
 * @param {Float32Array[]} places at one moment after the other, three numbers a ball
 * @param {Uint8Array} colors four bytes a ball
 * @returns {Lines}
 */
export function trails(places, colors) {
  const moments = places.length;
  const balls = moments ? places[0].length / 3 : 0;
  const count = Math.max(0, moments - 1) * balls;
  const lines = {
    start: new Float32Array(3 * count),
    end: new Float32Array(3 * count),
    width: new Float32Array(2 * count).fill(2),
    start_color: new Float32Array(4 * count),
    end_color: new Float32Array(4 * count),
  };
  for (let m = 0, at = 0; m < moments - 1; m++) {
    const [old, next] = [m, m + 1].map((k) => (0.85 * k) / (moments - 1)).map((age) => age ** 1.5);
    for (let ball = 0; ball < balls; ball++, at++) {
      const here = places[m].subarray(3 * ball, 3 * ball + 3);
      const there = places[m + 1].subarray(3 * ball, 3 * ball + 3);
      const jumps = here.some((x, k) => Math.abs(x - there[k]) > 0.3);
      lines.start.set(here, 3 * at);
      lines.end.set(there, 3 * at);
      for (let k = 0; k < 3; k++)
        lines.start_color[4 * at + k] = lines.end_color[4 * at + k] = (TRAIL * colors[4 * ball + k]) / 255;
      lines.start_color[4 * at + 3] = jumps ? 0 : old;
      lines.end_color[4 * at + 3] = jumps ? 0 : next;
    }
  }
  return lines;
}

/** Which balls have glyphs, one in so many: more would hide each other. @param {number} balls */
const apartOf = (balls) => 1 + Math.floor(balls / 500);

/**
 * Arrows of velocity; at the `largest` speed one is a fifth of the stage long.
 * @param {Float32Array} centre @param {Float64Array} velocity
 * @param {Float32Array} radius @param {number} largest
 * @returns {Lines}
 */
export function arrows(centre, velocity, radius, largest) {
  const lines = noLines();
  const balls = radius.length;
  const apart = apartOf(balls);
  for (let ball = 0; ball < balls && largest > 0; ball += apart) {
    const along = times(Array.from(velocity.subarray(3 * ball, 3 * ball + 3)), 0.4 / largest);
    const far = length(along);
    if (far < 1e-6) continue;
    const start = plus(Array.from(centre.subarray(3 * ball, 3 * ball + 3)), times(along, radius[ball] / far));
    const bold = Math.min(Math.max(radius[ball] / LARGE, 0.4), balls > 50 ? 0.6 : 1); // heads no wider than balls
    const neck = plus(start, times(along, Math.max(0, 1 - (0.03 * bold) / far)));
    arrow(lines, start, neck, plus(start, along), 0.9 * bold, ARROW);
  }
  return lines;
}

/**
 * @param {ReturnType<typeof noLines>} lines @param {Vector} start @param {Vector} neck
 * @param {Vector} tip @param {number} bold @param {number[]} color
 */
function arrow(lines, start, neck, tip, bold, color) {
  lines.start.push(...start, ...neck);
  lines.end.push(...neck, ...tip);
  lines.width.push(2 * bold, 2 * bold, 8 * bold, 0);
  for (const column of [lines.start_color, lines.end_color]) column.push(...color, ...color);
}

/**
 * A ring in the tangent plane at a contact, and an arrow along its normal.
 * @param {Vector} point @param {Vector} normal @param {number} size
 */
export function contact(point, normal, size) {
  const lines = noLines();
  const neck = plus(point, times(normal, 2.4 * size));
  arrow(lines, point, neck, plus(point, times(normal, 2.8 * size + 0.02)), 1.1, CONTACT);
  const rings = { centre: point, normal: unit(normal), radius: [0.55 * size, 0.42 * size], color: CONTACT };
  return { lines, rings };
}

/** A ring around a ball of an impact, which nothing hides. @param {Vector} centre @param {number} radius @returns {Discs} */
export function outlined(centre, radius) {
  const size = Math.max(radius, LEAST_BALL);
  return { centre, normal: [0, 0, 0], radius: [1.05 * size + 0.011, 1.04 * size + 0.003], color: STRUCK };
}

/** The plane of contact, as a pale disc. @param {Vector} point @param {Vector} normal @param {number} radius @returns {Discs} */
export function planeOfContact(point, normal, radius) {
  return { centre: point, normal: unit(normal), radius: [2 * Math.max(radius, LEAST_BALL), 0], color: TOUCHED };
}

/**
 * Arrows of balls that are struck: grey, to the ball, as it came; blue, from the ball, as it goes.
 * @param {{centre: Vector, radius: number, before: Vector, after: Vector}[]} struck
 * @param {number} speed what is fast in the scene; where all are slow, arrows are short
 * @returns {Lines}
 */
export function flights(struck, speed) {
  const lines = noLines();
  const fastest = Math.max(...struck.flatMap(({ before, after }) => [length(before), length(after)]), 0.1 * speed);
  for (const { centre, radius, before, after } of struck) {
    const rim = 1.25 * Math.max(radius, LEAST_BALL);
    for (const [velocity, color, comes] of /** @type {[Vector, number[], boolean][]} */ ([
      [before, CAME, true],
      [after, GOES, false],
    ])) {
      const along = times(velocity, LONGEST / (fastest || 1));
      const far = length(along);
      if (far < 1e-4) continue;
      const from = plus(centre, times(along, (comes ? -rim - far : rim) / far));
      arrow(lines, from, plus(from, times(along, Math.max(0, 1 - 0.03 / far))), plus(from, along), 1.3, color);
    }
  }
  return lines;
}

/** A ring around the picked ball. @param {Vector} centre @param {number} radius @returns {Discs} */
export function halo(centre, radius) {
  const rings = [1.16 * radius + 0.004, 1.08 * radius + 0.001];
  return { centre, normal: [0, 0, 0], radius: rings, color: PICKED };
}

/**
 * Marks on balls that show how they are turned: discs at the corners of a cube inside, of which one is a ring.
 * @param {Float32Array} centre @param {Float32Array} radius @param {number[][]} orientation
 * @returns {Discs}
 */
export function spinMarks(centre, radius, orientation) {
  /** @type {Discs} */
  const discs = { centre: [], normal: [], radius: [], color: [] };
  const signs = [1, -1];
  const corners = signs.flatMap((a) => signs.flatMap((b) => signs.map((c) => [a, b, c])));
  for (let ball = 0; ball < radius.length; ball += apartOf(radius.length)) {
    const [x, y, z] = axesOf(orientation[ball]);
    const here = Array.from(centre.subarray(3 * ball, 3 * ball + 3));
    const outer = SPIN_MARK_RADIUS * radius[ball];
    corners.forEach(([a, b, c], k) => {
      const normal = times(plus(plus(times(x, a), times(y, b)), times(z, c)), 1 / Math.sqrt(3));
      discs.centre.push(...plus(here, times(normal, 1.02 * radius[ball]))); // a little off the surface
      discs.normal.push(...normal);
      discs.radius.push(outer, k === 0 ? 0.6 * outer : 0);
      discs.color.push(...SPIN_MARK);
    });
  }
  return discs;
}
