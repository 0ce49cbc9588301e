// Vectors of three numbers, and matrices of sixteen, column after column as WebGL takes them.

/** @typedef {number[]} Vector */

/** @param {Vector} a @param {Vector} b @returns {Vector} */
export const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
/** @param {Vector} a @param {Vector} b @returns {Vector} */
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
/** @param {Vector} a @param {number} s @returns {Vector} */
export const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
/** @param {Vector} a @param {Vector} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
/** @param {Vector} a @param {Vector} b @returns {Vector} */
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
/** @param {Vector} a */
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
/** @param {Vector} a @returns {Vector} */
export const unit = (a) => times(a, 1 / (length(a) || 1));

/**
 * The matrix whose rows are three axes, with a translation.
 * @param {Vector[]} rows @param {Vector} shift
 */
export function affine(rows, shift) {
  const [a, b, c] = rows;
  return new Float32Array([
    a[0], b[0], c[0], 0, a[1], b[1], c[1], 0, a[2], b[2], c[2], 0, ...shift, 1,
  ]);
}

/**
 * OpenGL's perspective: the eye looks along -z, which is seen at a place of the picture.
 * @param {number} half half the picture's height at distance 1
 * @param {number} aspect @param {number} near @param {number} far
 * @param {number[]} shift the place, from -1 to 1
 */
export function perspective(half, aspect, near, far, shift) {
  const matrix = new Float32Array(16);
  matrix[0] = 1 / (half * aspect);
  matrix[5] = 1 / half;
  matrix[8] = -shift[0];
  matrix[9] = -shift[1];
  matrix[10] = -(far + near) / (far - near);
  matrix[11] = -1;
  matrix[14] = (-2 * far * near) / (far - near);
  return matrix;
}

/**
 * Where a point is seen: x and y of the picture, from -1 to 1, each times w, and w, above 0 before the eye.
 * @param {Vector} point @param {{view: Float32Array, projection: Float32Array}} matrices
 */
export function project(point, { view, projection }) {
  const by = (/** @type {Float32Array} */ matrix, /** @type {number[]} */ column) =>
    [0, 1, 2, 3].map((row) => column.reduce((sum, x, k) => sum + matrix[4 * k + row] * x, 0));
  const [x, y, , w] = by(projection, by(view, [...point, 1]));
  return [x, y, w];
}
