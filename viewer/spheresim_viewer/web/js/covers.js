// Which parts of the picture the page's panels cover, so that what is framed stays clear of them.

import { byId } from "./words.js";

/** @typedef {import("./framing.js").Cover} Cover */

const GAP = 8; // points between a panel and what is framed
/** @type {[string, Cover["sides"]][]} */
const PANELS = [
  ["head", ["left", "top"]],
  ["caption", ["bottom"]],
  ["counter", ["bottom"]],
  ["ball", ["right", "top"]],
  ["impact", ["right", "top"]],
  ["plots", ["right", "top"]],
];

/** @param {HTMLElement} picture @returns {Cover[]} */
export function covers(picture) {
  const frame = picture.getBoundingClientRect();
  const across = (/** @type {number} */ x) => (2 * (x - frame.left)) / frame.width - 1;
  const upwards = (/** @type {number} */ y) => 1 - (2 * (y - frame.top)) / frame.height;
  /** @type {Cover[]} */
  const found = [];
  for (const [id, sides] of PANELS) {
    const panel = byId(id).getBoundingClientRect();
    if (panel.width === 0 || panel.top >= frame.bottom) continue; // not shown, or below the picture
    const area = {
      left: across(panel.left - GAP),
      right: across(panel.right + GAP),
      bottom: upwards(panel.bottom + GAP),
      top: upwards(panel.top - GAP),
    };
    found.push({ area, sides });
  }
  return found;
}
