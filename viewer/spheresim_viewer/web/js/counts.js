// The number of balls in each of the scene's cells, written over the cell, as in cell_counts.py.

import { project } from "./vectors.js";
import { byId, setText } from "./words.js";

// Points by which the plates of two labels may overlap, across and upwards: their digits do not meet then.
const ACROSS = 8;
const UP = 9;

export class Counts {
  /** @param {import("./data.js").View["counts"]} counts */
  constructor(counts) {
    this.counts = counts;
    this.labels = (counts?.tops ?? []).map(() => byId("counts").appendChild(document.createElement("span")));
  }

  /** How many centres are in each cell. @param {Float32Array} centre of all balls, three numbers each */
  found(centre) {
    const { low, high, cells } = /** @type {NonNullable<typeof this.counts>} */ (this.counts);
    const found = new Uint32Array(cells[0] * cells[1] * cells[2]);
    for (let ball = 0; ball < centre.length; ball += 3) {
      let cell = 0;
      for (let k = 0; k < 3; k++) {
        const x = centre[ball + k];
        if (!(low[k] <= x && x <= high[k])) cell = NaN;
        const along = Math.floor((cells[k] * (x - low[k])) / (high[k] - low[k]));
        cell = cell * cells[k] + Math.min(along, cells[k] - 1);
      }
      if (cell >= 0) found[cell]++;
    }
    return found;
  }

  /** @param {Float32Array} centre @param {{view: Float32Array, projection: Float32Array}} matrices */
  update(centre, matrices) {
    if (!this.counts) return;
    const found = this.found(centre);
    this.counts.tops.forEach((top, k) => {
      const [x, y, w] = project(top, matrices);
      const label = this.labels[k];
      label.hidden = w <= 0; // behind the eye
      label.style.left = `${50 * (1 + x / w)}%`;
      label.style.bottom = `${50 * (1 + y / w)}%`;
      setText(label, String(found[k]));
    });
    this.keepApart(found);
  }

  /** Hide labels that lie over another: of two the one with the smaller number. @param {Uint32Array} found */
  keepApart(found) {
    const shown = this.labels.map((label, k) => ({ label, k, box: label.getBoundingClientRect() }));
    shown.sort((a, b) => found[b.k] - found[a.k]);
    /** @type {DOMRect[]} */
    const kept = [];
    for (const { label, box } of shown) {
      if (label.hidden) continue;
      const overlaps = (/** @type {DOMRect} */ { left, right, top, bottom }) =>
        box.left < right - ACROSS && left < box.right - ACROSS && box.top < bottom - UP && top < box.bottom - UP;
      label.hidden = kept.some(overlaps);
      if (!label.hidden) kept.push(box);
    }
  }
}
