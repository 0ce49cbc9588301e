// What balls hide of the sky, from the surfaces near them and from each other, as nearness.py tells
// it, with its constants: cos θ (r/d)² of a sphere (I. Quilez, Sphere ambient occlusion, 2006).
// All in stage units.

const NEAR = 3; // radii between a ball's centre and a surface, up to which it darkens it
const FEW = 60; // up to so many balls each darkens the floor below it, however high it is
const CROWD = 5000; // of more, each is too small on the screen to show who is beside it
const LEVEL = 0.3; // least cosine of a floor's slope

/** @typedef {{shadowing: number[], reach: number[], normal: number[], neighbours: Float32Array}} Near */

export class Nearness {
  /** @param {import("./data.js").Header} header @param {Float32Array} radius of the balls */
  constructor(header, radius) {
    this.up = header.up;
    this.radius = radius;
    this.planes = header.darkened.planes;
    this.cylinders = header.darkened.cylinders;
    this.bounds = header.darkened.bounds;
    /** The lengths of a periodic box, 0 where space is open. */
    this.period = [0, 1, 2].map((k) => (header.box && header.box.periodic[k] ? header.box.size[k] / header.size : 0));
    this.neighbours = new Float32Array(4 * radius.length);
    this.reach = 4 * Float32Array.from(radius).sort()[radius.length >> 1];
    this.curved = new Uint8Array(radius.length);
  }

  /** What balls darken, and how they are darkened. @param {Float32Array} centre @returns {Near} */
  of(centre) {
    const { neighbours, radius, curved } = this;
    /** @type {Near} */
    const near = { shadowing: [], reach: [], normal: [], neighbours };
    neighbours.forEach((_, k) => (neighbours[k] = k % 4 === 3 ? 1 : 0));
    curved.fill(0);
    for (const plane of this.planes) this.onPlane(plane, centre, near);
    for (const cylinder of this.cylinders) this.nearCylinder(cylinder, centre);
    for (const bounds of this.bounds) this.nearBounds(bounds, centre);
    curved.forEach((is, ball) => {
      const at = centre.subarray(3 * ball, 3 * ball + 3);
      if (is) add(near, at, radius[ball], at, 3.6 * radius[ball], [0, 0, 0]);
    });
    if (radius.length > 1 && radius.length <= CROWD) this.eachOther(centre);
    return near;
  }

  /** @param {number[]} plane normal and distance @param {Float32Array} centre @param {Near} near */
  onPlane([nx, ny, nz, d], centre, near) {
    const { up, radius } = this;
    const slope = nx * up[0] + ny * up[1] + nz * up[2];
    const below = slope >= LEVEL && radius.length <= FEW;
    for (let ball = 0; ball < radius.length; ball++) {
      const at = centre.subarray(3 * ball, 3 * ball + 3);
      const r = radius[ball];
      const gap = nx * at[0] + ny * at[1] + nz * at[2] - d;
      if (gap <= 0) continue;
      const isNear = gap < (1 + NEAR) * r;
      if (isNear) this.hide(ball, nx, ny, nz, -strength(Math.max(gap / r - 1, 0)));
      if (!below && !isNear) continue;
      const along = below ? up : [nx, ny, nz];
      const far = below ? gap / slope : gap;
      const wide = below ? (isNear ? 2.7 : 1.4 + 0.14 * Math.min(gap / r, 8)) / slope : 2.7;
      add(near, at, r, along.map((x, k) => at[k] - far * x), wide * r, [nx, ny, nz]);
    }
  }

  /** @param {number[]} cylinder point, axis, radius @param {Float32Array} centre */
  nearCylinder([px, py, pz, ax, ay, az, wide], centre) {
    const { radius, period } = this;
    for (let ball = 0; ball < radius.length; ball++) {
      const apart = [px, py, pz].map((foot, k) => nearest(centre[3 * ball + k] - foot, period[k]));
      const along = apart[0] * ax + apart[1] * ay + apart[2] * az;
      const out = [ax, ay, az].map((a, k) => apart[k] - along * a);
      const from = Math.hypot(...out);
      const gap = from - wide;
      if (Math.abs(gap) >= (1 + NEAR) * radius[ball]) continue;
      this.curved[ball] = 1;
      const much = -Math.sign(gap) * strength(Math.max(Math.abs(gap) / radius[ball] - 1, 0));
      this.hide(ball, out[0], out[1], out[2], much / (from || 1));
    }
  }

  /** @param {number[]} bounds low, high, and whether balls are inside @param {Float32Array} centre */
  nearBounds(bounds, centre) {
    const { radius, curved } = this;
    for (let ball = 0; ball < radius.length; ball++) {
      const margin = (bounds[6] ? 1 : 1 + NEAR) * radius[ball];
      const isNear = [0, 1, 2].every((k) => {
        const x = centre[3 * ball + k];
        return x > bounds[k] - margin && x < bounds[3 + k] + margin;
      });
      if (isNear) curved[ball] = 1;
    }
  }

  /** Hide a part of a ball's sky. @param {number} ball @param {number} x @param {number} y @param {number} z @param {number} much */
  hide(ball, x, y, z, much) {
    this.neighbours[4 * ball] += much * x;
    this.neighbours[4 * ball + 1] += much * y;
    this.neighbours[4 * ball + 2] += much * z;
  }

  /** Add what each ball's neighbours hide, found in cells as wide as they reach. @param {Float32Array} centre */
  eachOther(centre) {
    const { radius, reach, neighbours } = this;
    const all = new Float32Array(radius.length);
    const place = (/** @type {number} */ ball, /** @type {number} */ k) => Math.floor(centre[3 * ball + k] / reach);
    /** @type {Map<number, number[]>} */
    const cells = new Map();
    for (let ball = 0; ball < radius.length; ball++) {
      const [x, y, z] = [place(ball, 0), place(ball, 1), place(ball, 2)];
      for (let cell = 0; cell < 27; cell++) {
        const key = keyOf(x + (cell % 3) - 1, y + (Math.floor(cell / 3) % 3) - 1, z + Math.floor(cell / 9) - 1);
        for (const other of cells.get(key) ?? []) this.pair(centre, ball, other, all);
      }
      const own = cells.get(keyOf(x, y, z));
      if (own) own.push(ball);
      else cells.set(keyOf(x, y, z), [ball]);
    }
    all.forEach((sum, ball) => (neighbours[4 * ball + 3] -= Math.min(0.06 * sum, 0.35)));
  }

  /** @param {Float32Array} centre @param {number} i @param {number} j @param {Float32Array} all */
  pair(centre, i, j, all) {
    const { radius, reach } = this;
    const x = centre[3 * j] - centre[3 * i];
    const y = centre[3 * j + 1] - centre[3 * i + 1];
    const z = centre[3 * j + 2] - centre[3 * i + 2];
    const distance = Math.sqrt(x * x + y * y + z * z);
    if (distance >= reach) return;
    const window = Math.min((2 * (reach - distance)) / reach, 1);
    const by = (/** @type {number} */ own, /** @type {number} */ other) =>
      0.7 * window * (other / Math.max(distance - own, other)) ** 2;
    const ofI = by(radius[i], radius[j]);
    const ofJ = by(radius[j], radius[i]);
    const far = distance || 1;
    this.hide(i, x, y, z, ofI / far);
    this.hide(j, x, y, z, -ofJ / far);
    all[i] += ofI;
    all[j] += ofJ;
  }
}

/** How much of the sky a surface hides that is so many radii away from a ball's. @param {number} between */
const strength = (between) => (0.75 * Math.max(1 - between / NEAR, 0)) / (1 + between) ** 2;

/** A difference of coordinates, to the nearest image. @param {number} x @param {number} period 0: none */
const nearest = (x, period) => (period ? x - Math.round(x / period) * period : x);

/** One number for a cell; far cells may share one. @param {number} x @param {number} y @param {number} z */
const keyOf = (x, y, z) => (x & 1023) | ((y & 1023) << 10) | ((z & 1023) << 20);

/**
 * One more place that a ball darkens.
 * @param {Near} near @param {ArrayLike<number>} ball @param {number} radius
 * @param {ArrayLike<number>} at @param {number} wide @param {number[]} normal of a plane, or 0
 */
function add(near, ball, radius, at, wide, normal) {
  near.shadowing.push(ball[0], ball[1], ball[2], radius);
  near.reach.push(at[0], at[1], at[2], wide);
  near.normal.push(...normal);
}
