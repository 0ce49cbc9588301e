// Starts the page, and offers `spheresim` to other scripts and to tests:
//
//   await spheresim.ready            when the page can be used
//   spheresim.at(t)                  {position, velocity}: all balls at a time, three numbers each
//   spheresim.go(t)                  show a time
//   spheresim.begins, .duration, .balls, .impacts, .time   begins: the first time; duration: from there on

import { unpack } from "./data.js";
import { NoWebGL, Page } from "./page.js";
import { byId, setText } from "./words.js";

/** @type {Record<string, string[]>} */
// @ts-ignore: the shaders are put before this script when the page is made
const ALL_SHADERS = SHADERS;

const NO_WEBGL =
  "This page draws with WebGL 2, which this browser does not have, or has switched off. " +
  "Any browser since 2021 has it; it may have to be allowed in the settings, under graphics or hardware acceleration.";

const TOO_OLD = "it was made for browsers since 2023, and this one is older.";

async function start() {
  if (!("DecompressionStream" in window)) throw new Error(TOO_OLD);
  const text = byId("data").textContent ?? "";
  const data = await unpack(text);
  byId("data").remove();
  const page = new Page(data, ALL_SHADERS);
  const { begins } = data.header;
  Object.defineProperties(offered, {
    time: { get: () => begins + page.player.time },
    begins: { value: begins },
    duration: { value: page.motion.duration },
    balls: { value: page.motion.n },
    impacts: { value: page.impacts.count },
    at: {
      value: (/** @type {number} */ time) => {
        const position = new Float64Array(3 * page.motion.n);
        const velocity = new Float64Array(3 * page.motion.n);
        page.motion.at(time - begins, position, velocity);
        return { position, velocity };
      },
    },
    go: { value: (/** @type {number} */ time) => page.after(() => page.player.go(time - begins)) },
  });
  // Alone in a window it runs at once; one of many, in a notebook or a lesson, when asked to.
  const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (window.parent === window && !isCalm) page.act("run");
}

const offered = {};
Object.assign(window, { spheresim: offered });
const ready = start().catch((fault) => {
  const words = fault instanceof NoWebGL ? NO_WEBGL : `This page cannot be shown: ${fault.message ?? fault}`;
  setText(byId("notice"), words);
  byId("notice").hidden = false;
  if (!(fault instanceof NoWebGL)) throw fault;
});
Object.assign(offered, { ready });
