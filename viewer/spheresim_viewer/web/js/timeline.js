// The time line: a slider over marks of all impacts, darker where there are more.

import { paper } from "./plots.js";
import { timeWords } from "./panels.js";
import { byId } from "./words.js";

/** @typedef {import("./impacts.js").Impacts} Impacts */

const INSET = 7; // half the slider's thumb, which stays inside the line

export class Timeline {
  /** @param {Impacts} impacts @param {number} duration @param {number} begins the time shown at the start */
  constructor(impacts, duration, begins) {
    this.impacts = impacts;
    this.begins = begins;
    this.duration = duration;
    /** @type {HTMLInputElement} */
    this.slider = byId("time");
    this.slider.max = String(duration);
    this.drawn = "";
  }

  /** @param {number} time */
  update(time) {
    this.slider.value = String(time);
    const [now, end] = [time, this.duration].map((t) => timeWords(this.begins + t, this.duration));
    const words = `${now} of ${end}`;
    this.slider.setAttribute("aria-valuetext", words);
    const canvas = /** @type {HTMLCanvasElement} */ (byId("marks"));
    const size = `${canvas.clientWidth} ${window.devicePixelRatio}`;
    if (size !== this.drawn) this.drawMarks();
    this.drawn = size;
  }

  drawMarks() {
    const { context, width, height } = paper("marks");
    const long = width - 2 * INSET;
    context.fillStyle = "rgb(31 41 51 / 10%)";
    context.fillRect(INSET, height / 2 - 2, long, 4);
    const counts = new Uint32Array(Math.max(1, Math.round(long)) + 1);
    for (const t of this.impacts.times) counts[Math.round((long * t) / this.duration)]++;
    const most = Math.max(...counts);
    counts.forEach((count, x) => {
      if (!count) return;
      const part = Math.log1p(count) / Math.log1p(Math.max(most, 3)); // a profile, as in the window
      context.fillStyle = `rgb(200 96 20 / ${25 + 55 * part}%)`;
      const tall = 2 + 10 * part;
      context.fillRect(INSET + x - 0.5, height / 2 - 2 - tall, 1, tall);
    });
  }
}
