// The colors of balls: each its own, or by speed, energy or last impact, as in coloring.py.

const COLD = [0.66, 0.69, 0.73];
const HOT = [0.835, 0.369, 0];

const DIMMED = [232, 234, 238];
const DIM = 0.72; // how far the other balls fade at an impact that is looked at

export const MODES = ["own", "speed", "energy", "last impact", "state"];

/** What colors mean that are no scale. @type {Record<string, string>} */
export const LEGENDS = {
  "last impact": "orange: just hit",
  state: "blue: flies, orange: slides, grey: rests",
};

/** The next 1, 2 or 5 times a power of ten. @param {number} value */
export function roundedUp(value) {
  if (!(value > 0 && value < Infinity)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((n) => value <= n * power * (1 + 1e-9)) ?? 10) * power;
}

/** @param {number[][]} scale @param {number} part from 0 to 1 @param {Uint8Array} to @param {number} at */
export function scaleColor(scale, part, to, at) {
  const place = Math.min(Math.max(part, 0), 1) * (scale.length - 1);
  const low = Math.min(Math.floor(place), scale.length - 2);
  for (let k = 0; k < 3; k++)
    to[at + k] = 255 * (scale[low][k] + (scale[low + 1][k] - scale[low][k]) * (place - low));
}

/** Let all balls but some fade. @param {Uint8Array} color four bytes each @param {number[]} lit */
export function dim(color, lit) {
  for (let ball = 0; ball < color.length / 4; ball++) {
    if (lit.includes(ball)) continue;
    for (let k = 0; k < 3; k++) color[4 * ball + k] = (1 - DIM) * color[4 * ball + k] + DIM * DIMMED[k];
  }
}

/** Orange at an impact, fading to grey. @param {number} age from 0 to 1 and on @param {Uint8Array} to @param {number} at */
export function glowColor(age, to, at) {
  const glow = Math.exp(-3 * Math.min(age, 10));
  for (let k = 0; k < 3; k++) to[at + k] = 255 * (COLD[k] * (1 - glow) + HOT[k] * glow);
}
