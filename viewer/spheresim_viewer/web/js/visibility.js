// Which side shows some balls best: rays to five points of each, against the surfaces as drawn.

import { cross, dot, minus, plus, times } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/** @typedef {{yaw: number, pitch: number}} Angles */

const TURNS = [0, 25, -25, 50, -50, 80, -80, 110, -110, 145, -145, 180]; // degrees about the upright axis
const RISES = [0, 20, 45]; // and upwards: the first that shows all is taken
const HIGHEST = 85;
const AROUND = [[0, 0], [0.7, 0], [-0.7, 0], [0, 0.7], [0, -0.7]]; // radii across the line of sight
const RADIAN = Math.PI / 180;

/**
 * The angles near those of now from which least hides some balls.
 * @param {import("./camera.js").Camera} camera
 * @param {Record<string, any>} arrays the meshes of the surroundings
 * @param {{centre: Vector, radius: number}[]} balls
 * @param {Vector[]} points that are framed
 * @returns {Angles}
 */
export function clearestSide(camera, arrays, balls, points) {
  let best = camera.goal;
  let fewest = Infinity;
  for (const rise of RISES)
    for (const turn of TURNS) {
      const yaw = camera.goal.yaw + turn * RADIAN;
      const pitch = Math.min(camera.goal.pitch + rise * RADIAN, HIGHEST * RADIAN);
      const pose = camera.framing({ yaw, pitch }, points);
      const axes = camera.axes(pose);
      const eye = plus(pose.offset, times(axes[2], pose.distance));
      const looked = balls.flatMap(({ centre, radius }) =>
        AROUND.map(([x, y]) => plus(centre, plus(times(axes[0], x * radius), times(axes[1], y * radius)))),
      );
      const hidden = looked.filter((point) => isHidden(arrays, eye, point)).length;
      if (hidden < fewest) [best, fewest] = [pose, hidden];
      if (fewest === 0) return best;
    }
  return best;
}

/**
 * Whether a triangle that faces the eye is before a point. After T. Möller and B. Trumbore, 1997.
 * @param {Record<string, any>} arrays @param {Vector} eye @param {Vector} point
 */
function isHidden(arrays, eye, point) {
  const places = arrays["surfaces.position"];
  const corners = arrays["surfaces.triangles"];
  const count = places.length / 3;
  const at = (/** @type {number} */ k) => [places[k], places[count + k], places[2 * count + k]];
  const way = minus(point, eye);
  for (let k = 0; k < corners.length; k += 3) {
    const a = at(corners[k]);
    const ab = minus(at(corners[k + 1]), a);
    const ac = minus(at(corners[k + 2]), a);
    const across = cross(way, ac);
    const facing = dot(ab, across);
    if (facing <= 0) continue;
    const shift = minus(eye, a);
    const u = dot(shift, across);
    if (u < 0 || u > facing) continue;
    const turned = cross(shift, ab);
    const v = dot(turned, way);
    if (v < 0 || u + v > facing) continue;
    const t = dot(ac, turned);
    if (t > 0 && t < facing) return true;
  }
  return false;
}
