// How far away the eye must be to see some points in the free part of the picture, as in framing.py.

/** @typedef {{left: number, right: number, bottom: number, top: number}} Area from -1 to 1 */
/** @typedef {{area: Area, sides: ("left" | "right" | "bottom" | "top")[]}} Cover a panel, and what may be given up to it */

const ROUNDS = 12; // of centring: each leaves a third of the error, or less
const LEAST = 0.25; // part of the picture's width and height that is never given up to panels
/** @type {Area} */
export const WHOLE_PICTURE = { left: -1, right: 1, bottom: -1, top: 1 };

/** @param {Area} area */
export const centreOf = ({ left, right, bottom, top }) => [(left + right) / 2, (bottom + top) / 2];

/** @param {Area} area */
const halfOf = ({ left, right, bottom, top }) => [(right - left) / 2, (top - bottom) / 2];

/**
 * The nearest eye that sees all points, given along the axes right, up and towards the eye.
 * @param {number[][]} points @param {number} aspect @param {Area} area
 * @param {number} slope half the picture's height at distance 1, of the part that is filled
 */
export function framed(points, aspect, area, slope) {
  const half = halfOf(area);
  const [wide, tall] = [slope * half[0] * aspect, slope * half[1]];
  const most = (/** @type {(point: number[]) => number} */ of) => Math.max(...points.map(of));
  const right = most(([x, , z]) => x + wide * z);
  const left = most(([x, , z]) => wide * z - x);
  const top = most(([, y, z]) => y + tall * z);
  const bottom = most(([, y, z]) => tall * z - y);
  const distance = Math.max((right + left) / (2 * wide), (top + bottom) / (2 * tall));
  const across = centred(points, 0, distance, (right - left) / 2);
  return { distance, right: across, up: centred(points, 1, distance, (top - bottom) / 2) };
}

/**
 * The eye's place on an axis from which the outermost points are seen equally far out.
 * @param {number[][]} points @param {number} axis @param {number} distance @param {number} start
 */
function centred(points, axis, distance, start) {
  const mean = points.reduce((sum, point) => sum + distance - point[2], 0) / points.length;
  for (let round = 0; round < ROUNDS; round++) {
    const seen = points.map((point) => (point[axis] - start) / (distance - point[2]));
    start += 0.5 * (Math.max(...seen) + Math.min(...seen)) * mean;
  }
  return start;
}

/** The areas that no panel covers, one for each choice of sides. @param {Cover[]} covers @returns {Area[]} */
export function freeAreas(covers) {
  let areas = [WHOLE_PICTURE];
  for (const { area, sides } of covers)
    areas = areas.flatMap((free) =>
      sides.map((side) => {
        const cut = { ...free };
        if (side === "left") cut.left = Math.max(free.left, area.right);
        if (side === "right") cut.right = Math.min(free.right, area.left);
        if (side === "bottom") cut.bottom = Math.max(free.bottom, area.top);
        if (side === "top") cut.top = Math.min(free.top, area.bottom);
        return cut;
      }),
    );
  const large = areas.filter((area) => Math.min(...halfOf(area)) >= LEAST);
  return large.length ? large : [WHOLE_PICTURE];
}
