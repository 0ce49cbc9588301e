// Plots: the energies over the whole run, with a line at now, and a histogram of speeds.

import { roundedUp } from "./colors.js";
import { energyCurves } from "./energy.js";
import { byId, number, setText } from "./words.js";

/** @typedef {import("./show.js").Show} Show */

const KINETIC = "#b3461f";
const POTENTIAL = "#1f68a8";
const INK = "#1f2933";
const BAR = "#428cb7";
const BINS = 24;

export class Plots {
  /** @param {Show} show */
  constructor(show) {
    this.show = show;
    /** @type {ReturnType<typeof energyCurves> | null} */
    this.curves = null;
  }

  draw() {
    this.drawEnergies();
    this.drawSpeeds();
  }

  drawEnergies() {
    const { show } = this;
    this.curves ??= energyCurves(show.motion, show.header, show.spins);
    const { kinetic, potential } = this.curves;
    const total = kinetic.map((value, k) => value + potential[k]);
    const all = [...kinetic, ...potential, ...total, 0];
    const [low, high] = [Math.min(...all), Math.max(...all)];
    setText(byId("energies-end"), `${number(low, 3)} to ${number(high, 3)}`);
    const { context, width, height } = paper("energies");
    const curve = (/** @type {Float64Array} */ values, /** @type {string} */ color) => {
      context.beginPath();
      values.forEach((value, k) => {
        const x = (width * k) / (values.length - 1);
        context.lineTo(x, height - 2 - ((value - low) / (high - low || 1)) * (height - 4));
      });
      context.strokeStyle = color;
      context.lineWidth = 1.5;
      context.stroke();
    };
    if (potential.some((value) => value !== 0)) curve(potential, POTENTIAL);
    curve(kinetic, KINETIC);
    curve(total, INK);
    const now = (width * show.time) / show.motion.duration;
    context.fillStyle = "rgb(31 41 51 / 50%)";
    context.fillRect(now - 0.5, 0, 1, height);
  }

  drawSpeeds() {
    const { show } = this;
    const speeds = Array.from({ length: show.n }, (_, ball) => show.speedOf(ball));
    const end = roundedUp(speeds.reduce((a, b) => Math.max(a, b), 0)) || 1;
    const counts = new Array(BINS).fill(0);
    for (const speed of speeds) counts[Math.min(BINS - 1, Math.floor((BINS * speed) / end))]++;
    const { context, width, height } = paper("speeds");
    const tallest = Math.max(...counts);
    context.fillStyle = BAR;
    counts.forEach((count, k) => {
      const tall = ((height - 4) * count) / tallest;
      context.fillRect((width * k) / BINS, height - tall, width / BINS - 1, tall);
    });
    context.fillStyle = "rgb(31 41 51 / 30%)";
    context.fillRect(0, height - 1, width, 1);
    setText(byId("speeds-end"), `0 to ${number(end, 3)}`);
  }
}

/** A canvas made as fine as the screen, empty. @param {string} id */
export function paper(id) {
  const canvas = /** @type {HTMLCanvasElement} */ (byId(id));
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}
