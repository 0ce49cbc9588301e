// The keys, as in the viewer's window. The help is made of this table.

import { setRows } from "./words.js";

/** @typedef {{keys: string[], shown: string, words: string, act: string}} Binding */

/** @type {Binding[]} */
const BINDINGS = [
  { keys: [" "], shown: "space", words: "run, pause", act: "run" },
  { keys: ["ArrowRight"], shown: "right", words: "one step on", act: "stepOn" },
  { keys: ["ArrowLeft"], shown: "left", words: "one step back", act: "stepBack" },
  { keys: ["n"], shown: "N", words: "to the next impact", act: "next" },
  { keys: ["N"], shown: "shift N", words: "to the impact before", act: "back" },
  { keys: ["+", "="], shown: "+", words: "faster", act: "faster" },
  { keys: ["-"], shown: "\u2212", words: "slower", act: "slower" },
  { keys: ["z"], shown: "Z", words: "run backwards", act: "backwards" },
  { keys: ["PageDown"], shown: "page down", words: "forward by 5 %", act: "leapOn" },
  { keys: ["PageUp"], shown: "page up", words: "back by 5 %", act: "leapBack" },
  { keys: ["Backspace"], shown: "backspace", words: "back to the start", act: "restart" },
  { keys: ["j"], shown: "J", words: "look at the impact", act: "lookAtImpact" },
  { keys: ["0"], shown: "0", words: "show all", act: "showAll" },
  { keys: ["f"], shown: "F", words: "follow the picked ball", act: "follow" },
  { keys: ["Home"], shown: "home", words: "view as at the start", act: "asSaid" },
  { keys: ["1"], shown: "1", words: "view from a corner", act: "viewCorner" },
  { keys: ["2"], shown: "2", words: "from the front", act: "viewFront" },
  { keys: ["3"], shown: "3", words: "from the right", act: "viewRight" },
  { keys: ["4"], shown: "4", words: "from above", act: "viewTop" },
  { keys: ["ArrowUp"], shown: "up", words: "nearer", act: "nearer" },
  { keys: ["ArrowDown"], shown: "down", words: "further", act: "further" },
  { keys: ["a"], shown: "A", words: "turn left", act: "turnLeft" },
  { keys: ["d"], shown: "D", words: "turn right", act: "turnRight" },
  { keys: ["w"], shown: "W", words: "turn up", act: "turnUp" },
  { keys: ["s"], shown: "S", words: "turn down", act: "turnDown" },
  { keys: [","], shown: ",", words: "pick the ball before", act: "pickBack" },
  { keys: ["."], shown: ".", words: "pick the next ball", act: "pickOn" },
  { keys: ["c"], shown: "C", words: "colors: own, speed, energy, last impact, state", act: "color" },
  { keys: ["t"], shown: "T", words: "trails", act: "trails" },
  { keys: ["v"], shown: "V", words: "velocities", act: "arrows" },
  { keys: ["o"], shown: "O", words: "offset primitives", act: "ghosts" },
  { keys: ["l"], shown: "L", words: "shadows that the lamp casts", act: "shadows" },
  { keys: ["p"], shown: "P", words: "plots", act: "charts" },
  { keys: ["Escape"], shown: "esc", words: "let go", act: "letGo" },
  { keys: ["?"], shown: "?", words: "all keys", act: "help" },
];

const BY_HAND = [
  ["drag", "orbit"],
  ["right drag, two fingers", "shift"],
  ["wheel, pinch", "zoom"],
  ["click, tap", "pick a ball"],
  ["drag the line", "to any moment"],
];

/** What a key does, or undefined. @param {KeyboardEvent} event */
export function actOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const key = event.key;
  const found = BINDINGS.find((binding) => binding.keys.includes(key));
  return found?.act;
}

/** Fill the help. @param {HTMLElement} list */
export function writeHelp(list) {
  const rows = BINDINGS.map(({ shown, words }) => /** @type {[string, string]} */ ([shown, words]));
  setRows(list, [...rows, .../** @type {[string, string][]} */ (BY_HAND)]);
}
