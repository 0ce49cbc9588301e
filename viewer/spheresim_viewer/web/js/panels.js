// Numbers beside the picture: of the run, of the picked ball, of the impact that is looked at.

import { RESTING, SLIDING } from "./states.js";
import { byId, number, setRows, setText, vectorWords, whole } from "./words.js";

/** @typedef {import("./show.js").Show} Show */
/** @typedef {import("./impacts.js").Impact} Impact */
/** @typedef {import("./impacts.js").Impacts} Impacts */

const LINE_END = /(\S)\n(?=[^\s*-])/g; // inside a paragraph, which is broken anew to fit
const ENGINES = { events: "exact", steps: "fixed step" };

export class Panels {
  /** @param {Show} show @param {Impacts} impacts */
  constructor(show, impacts) {
    this.show = show;
    this.impacts = impacts;
    setText(byId("title"), show.header.title);
    setText(byId("about"), this.about());
    const { caption, counter } = show.header.view;
    setText(byId("caption"), caption ?? "");
    byId("caption").hidden = !caption;
    byId("counter").hidden = !counter;
  }

  about() {
    const { header } = this.show;
    const pieces = [header.comment.replace(LINE_END, "$1 ")];
    pieces.push("The page holds the impacts of a run of spheresim, and computes the flights between them.");
    if (header.curves)
      pieces.push(
        `The path of a ball that slides on a curved surface has no such formula: ${whole(header.curves)} curves ` +
          `stand for these paths, and differ from them in their middles by at most ${number(header.deviation, 2)}.`,
      );
    if (header.chords)
      pieces.push(
        "Balls in contact change each other's velocity between impacts, which the run does not record. The page " +
          `moves them straight to the next recorded state, ${whole(header.chords)} times in all: there it is approximate.`,
      );
    return pieces.filter(Boolean).join("\n\n");
  }

  /** @param {number} k the impact that is looked at, or -1 @param {Impact | null} impact */
  update(k, impact) {
    const { show, impacts } = this;
    const { header } = show;
    setText(byId("clock"), `t = ${timeWords(header.begins + show.time, header.duration)}`);
    setRows(byId("numbers"), [
      ["engine", ENGINES[/** @type {keyof typeof ENGINES} */ (header.engine)] ?? header.engine],
      ["balls", whole(show.n)],
      ...this.held(),
      ["impacts", `${whole(k >= 0 ? k + 1 : impacts.until(show.time))} of ${whole(impacts.count)}`],
    ]);
    if (header.view.counter) setText(byId("counter"), whole(impacts.until(show.time)));
    this.ball();
    this.impact(k, impact);
  }

  /** How many balls rest and slide, if any do. @returns {[string, string][]} */
  held() {
    const counts = [0, 0, 0];
    for (const state of this.show.state) counts[state]++;
    if (!counts[RESTING] && !counts[SLIDING]) return [];
    return [
      ["resting", whole(counts[RESTING])],
      ["sliding", whole(counts[SLIDING])],
    ];
  }

  ball() {
    const { show } = this;
    const ball = show.picked;
    const card = byId("ball");
    card.hidden = ball < 0;
    if (ball < 0) return;
    const [position, velocity] = [show.position, show.velocity].map((of) => Array.from(of.subarray(3 * ball, 3 * ball + 3)));
    const speed = Math.hypot(...velocity);
    const mass = show.arrays["ball.mass"][ball];
    setText(card.children[0], show.header.names[ball]);
    setRows(/** @type {HTMLElement} */ (card.children[1]), [
      ["state", show.header.states[show.state[ball]]],
      ["position", vectorWords(position, 5, show.header.size)],
      ["velocity", vectorWords(velocity, 4)],
      ["speed", number(speed)],
      ["kinetic energy", number(0.5 * mass * speed * speed)],
      ["radius", number(show.arrays["ball.radius"][ball])],
      ["mass", number(mass)],
    ]);
  }

  /** @param {number} k @param {Impact | null} impact */
  impact(k, impact) {
    const card = byId("impact");
    card.hidden = impact === null;
    if (impact === null) return;
    setText(card.children[0], this.words(impact));
    setRows(/** @type {HTMLElement} */ (card.children[1]), [
      ["impact", `${whole(k + 1)} of ${whole(this.impacts.count)}`],
      ["time", number(this.show.header.begins + impact.t, 10)],
      ["point", vectorWords(impact.point, 4, this.show.header.size)],
      ["normal", vectorWords(impact.normal, 4)],
      .../** @type {[string, string][]} */ (
        Number.isNaN(impact.vnBefore)
          ? [["impulse", number(impact.impulse, 4)]]
          : [
              ["normal velocity before", number(impact.vnBefore)],
              ["normal velocity after", number(impact.vnAfter)],
              ["impulse", number(impact.impulse)],
            ]
      ),
    ]);
  }

  /** Who met whom. @param {Impact} impact */
  words(impact) {
    const { names, obstacles } = this.show.header;
    const other = impact.j >= 0 ? names[impact.j] : obstacles[impact.obstacle];
    return `${names[impact.i]} and ${other}`;
  }
}

/** A time with as many decimals as its run needs. @param {number} time @param {number} duration */
export function timeWords(time, duration) {
  const decimals = Math.min(Math.max(4 - Math.ceil(Math.log10(duration)), 0), 12);
  return time.toFixed(decimals);
}
