// Periodic boxes, whose images may slide past each other: see periodic_wrap.py and shear_flow.py in
// spheresim/model/.

/** @typedef {NonNullable<import("./data.js").Header["box"]>} Box */

/** How far the image above a box has slid along x, less whole periods. @param {Box} box @param {number} time */
export function slide(box, time) {
  const slid = box.shearRate * box.size[1] * time;
  return slid - Math.round(slid / box.size[0]) * box.size[0];
}

/**
 * The image of a place that is inside a box.
 * @param {Box} box @param {number} time @param {ArrayLike<number>} place @returns {number[]}
 */
export function wrapped(box, time, place) {
  const inside = Array.from(place);
  if (box.shearRate)
    inside[0] -= Math.floor((inside[1] - box.low[1]) / box.size[1]) * slide(box, time);
  return inside.map((x, k) => (box.periodic[k] ? x - Math.floor((x - box.low[k]) / box.size[k]) * box.size[k] : x));
}

/**
 * A velocity beside that of the flow in a box.
 * @param {Box | null} box @param {ArrayLike<number>} place @param {ArrayLike<number>} velocity
 * @returns {number[]}
 */
export function peculiarVelocity(box, place, velocity) {
  return [velocity[0] - (box ? box.shearRate * place[1] : 0), velocity[1], velocity[2]];
}
