// The page as a whole: a loop that draws when something changed, and what buttons and keys do.

import { Camera } from "./camera.js";
import { LEGENDS, MODES, scaleColor } from "./colors.js";
import { Counts } from "./counts.js";
import { covers } from "./covers.js";
import { freeAreas } from "./framing.js";
import { isSoftware } from "./gl.js";
import { Impacts } from "./impacts.js";
import { actOf, writeHelp } from "./keys.js";
import { Motion } from "./motion.js";
import { Panels, timeWords } from "./panels.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { Pointer } from "./pointer.js";
import { Renderer } from "./renderer.js";
import { Show } from "./show.js";
import { Timeline } from "./timeline.js";
import { clearestSide } from "./visibility.js";
import { byId, number, setText } from "./words.js";

const MOST_PIXELS = 2; // for one point of the page: finer screens get no finer picture
const TRAIL_SECONDS = 1.2; // at the natural speed
const GLOW_SECONDS = 0.6;
const BUTTONS = [
  ...["run", "back", "next", "slower", "faster", "follow"],
  ...["trails", "arrows", "ghosts", "shadows", "charts", "color", "help"],
];
const AROUND_IMPACT = 5; // radii around the balls that are looked at
const TURN = 0.12; // radians for each press of a key

export class Page {
  /** @param {import("./data.js").Data} data @param {Record<string, string[]>} shaders */
  constructor(data, shaders) {
    const { header } = data;
    this.data = data;
    this.shaders = shaders;
    this.motion = new Motion(data);
    this.impacts = new Impacts(this.motion);
    this.player = new Player(this.impacts, header.duration, header.frameEvery, header.view.end === "loop");
    this.show = new Show(data, this.motion, GLOW_SECONDS * this.player.natural);
    this.camera = new Camera(header.up, header.subject, header.view.opening);
    this.panels = new Panels(this.show, this.impacts);
    this.plots = new Plots(this.show);
    this.counts = new Counts(header.view.counts);
    this.timeline = new Timeline(this.impacts, header.duration, header.begins);
    this.following = false;
    this.changed = true;
    this.before = 0;
    /** @type {HTMLCanvasElement} */
    this.canvas = byId("picture");
    this.renderer = this.makeRenderer();
    this.show.options.shadows = !isSoftware(this.renderer.gl); // as in the viewer's window
    this.listen();
    this.lookAsSaid();
    this.camera.settle();
    for (const name of /** @type {const} */ (["trails", "ghosts", "shadows"])) press(name, this.show.options[name]);
    writeHelp(/** @type {HTMLElement} */ (byId("keys").querySelector("dl")));
    requestAnimationFrame((now) => this.frame(now));
  }

  makeRenderer() {
    const gl = this.canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) throw new NoWebGL();
    return new Renderer(this.canvas, gl, this.shaders, this.data.arrays, this.data.header.up, this.data.header.lamp);
  }

  listen() {
    const { canvas, camera } = this;
    new Pointer(canvas, {
      orbit: (dx, dy) => this.after(() => camera.orbit(dx, dy)),
      pan: (dx, dy) => this.after(() => camera.pan(dx, dy)),
      zoom: (factor) => this.after(() => camera.zoom(factor)),
      pick: (x, y, isTouch) => {
        const ball = this.show.ballOn(camera.matrices().eye, camera.ray(x, y), isTouch ? 0.015 : 0.004);
        this.after(() => this.pick(ball));
      },
    });
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => this.after(() => (this.renderer = this.makeRenderer())));
    window.addEventListener("resize", () => (this.changed = true));
    document.addEventListener("keydown", (event) => this.key(event));
    this.timeline.slider.addEventListener("input", () => {
      const time = this.timeline.slider.valueAsNumber;
      this.after(() => this.player.go(time));
    });
    for (const name of BUTTONS)
      byId(name).addEventListener("click", () => this.act(name));
    byId("view").addEventListener("click", () => this.act("asSaid"));
    byId("look").addEventListener("click", () => this.act("lookAtImpact"));
    byId("let-go").addEventListener("click", () => this.act("letGo"));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const act = actOf(event);
    const target = /** @type {HTMLElement} */ (event.target);
    if (!act || /** @type {HTMLDialogElement} */ (byId("keys")).open) return;
    if (event.key === " " && target.tagName === "BUTTON") return; // it presses the button
    event.preventDefault();
    this.act(act);
  }

  /** Do something, and draw. @param {() => void} work */
  after(work) {
    work();
    this.changed = true;
  }

  /** @param {string} name */
  act(name) {
    const acts = this.acts();
    if (name in acts) this.after(acts[name]);
  }

  /** @returns {Record<string, () => void>} */
  acts() {
    const { player, camera, show } = this;
    const toggle = (/** @type {"trails" | "arrows" | "ghosts" | "shadows"} */ name) => {
      show.options[name] = !show.options[name];
      press(name, show.options[name]);
    };
    return {
      run: () => player.toggle(),
      stepOn: () => player.step(1),
      stepBack: () => player.step(-1),
      next: () => this.stepImpact(1),
      back: () => this.stepImpact(-1),
      faster: () => player.faster(1),
      slower: () => player.faster(-1),
      backwards: () => player.backwards(),
      leapOn: () => player.go(player.time + player.duration / 20),
      leapBack: () => player.go(player.time - player.duration / 20),
      restart: () => player.go(0),
      follow: () => this.setFollowing(!this.following),
      asSaid: () => this.lookAsSaid(),
      showAll: () => this.look("corner"),
      lookAtImpact: () => this.lookAtImpact(),
      viewCorner: () => this.look("corner"),
      viewFront: () => this.look("front"),
      viewRight: () => this.look("right"),
      viewTop: () => this.look("top"),
      nearer: () => camera.zoom(1.15),
      further: () => camera.zoom(1 / 1.15),
      turnLeft: () => camera.orbit(TURN, 0),
      turnRight: () => camera.orbit(-TURN, 0),
      turnUp: () => camera.orbit(0, -TURN),
      turnDown: () => camera.orbit(0, TURN),
      pickOn: () => this.pick((show.picked + 1) % show.n),
      pickBack: () => this.pick((Math.max(show.picked, 0) + show.n - 1) % show.n),
      color: () => {
        show.options.mode = (show.options.mode + 1) % MODES.length;
        setText(byId("color"), `Color: ${MODES[show.options.mode]}`);
      },
      trails: () => toggle("trails"),
      arrows: () => toggle("arrows"),
      ghosts: () => toggle("ghosts"),
      shadows: () => toggle("shadows"),
      charts: () => {
        byId("plots").hidden = !byId("plots").hidden;
        press("charts", !byId("plots").hidden);
      },
      letGo: () => this.pick(-1),
      help: () => /** @type {HTMLDialogElement} */ (byId("keys")).showModal(),
    };
  }

  /** @param {number} direction */
  stepImpact(direction) {
    if (!this.player.stepImpact(direction)) {
      setText(byId("spoken"), direction > 0 ? "There is no later impact." : "There is no earlier impact.");
      return;
    }
    const impact = this.impacts.of(this.player.shown);
    const speed = Number.isNaN(impact.vnBefore) ? "" : `, normal velocity ${number(impact.vnBefore, 4)}`;
    setText(byId("spoken"), `At ${number(this.data.header.begins + impact.t)}: ${this.panels.words(impact)}${speed}.`);
  }

  /** @param {number} ball or -1 */
  pick(ball) {
    this.setFollowing(false);
    this.show.picked = ball;
    if (ball >= 0) setText(byId("spoken"), `Picked ${this.show.header.names[ball]}.`);
  }

  /** @param {boolean} on */
  setFollowing(on) {
    const { show, camera } = this;
    if (on && show.picked >= 0 && !this.following) camera.follow(show.centreOf(show.picked));
    if (!on && this.following) camera.unfollow();
    this.following = on && show.picked >= 0;
    press("follow", this.following);
  }

  /** Look as the scene says, or at all of it. */
  lookAsSaid() {
    const { camera, target, follow } = this.data.header.view;
    this.setFollowing(false);
    this.camera.look(camera, target);
    if (follow === null) return;
    this.pick(follow);
    this.show.at(this.player.time, null);
    this.setFollowing(true);
  }

  /** Look at the balls of the impact that was stepped to, from where they can be seen. */
  lookAtImpact() {
    const { player, show, camera } = this;
    if (player.shown < 0) {
      setText(byId("spoken"), "There is no impact now: N goes to the next one.");
      return;
    }
    const { i, j } = this.impacts.of(player.shown);
    const balls = [i, j].filter((ball) => ball >= 0).map((ball) => show.ballAt(ball));
    const room = AROUND_IMPACT * Math.max(...balls.map(({ radius }) => radius));
    const points = balls.flatMap(({ centre }) => cornersAround(centre, room));
    this.setFollowing(false);
    camera.show(points, clearestSide(camera, this.data.arrays, balls, points));
  }

  /** @param {"corner" | "front" | "right" | "top"} name */
  look(name) {
    this.setFollowing(false);
    this.camera.view(name);
  }

  /** One picture, if anything changed. @param {number} now in milliseconds */
  frame(now) {
    requestAnimationFrame((next) => this.frame(next));
    const seconds = this.before ? (now - this.before) / 1000 : 0;
    this.before = now;
    const went = this.player.update(seconds);
    const turned = this.camera.update(Math.min(seconds, 0.1));
    if (went || turned || this.changed || this.resized()) this.draw();
  }

  resized() {
    const ratio = Math.min(window.devicePixelRatio || 1, MOST_PIXELS);
    const { canvas } = this;
    const size = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.max(1, Math.round(side * ratio)));
    if (canvas.width === size[0] && canvas.height === size[1]) return false;
    [canvas.width, canvas.height] = size;
    return true;
  }

  draw() {
    const { player, show, camera } = this;
    this.changed = false;
    this.resized();
    const impact = player.shown >= 0 ? this.impacts.of(player.shown) : null;
    show.at(player.time, impact);
    this.panels.update(player.shown, impact); // first: what they cover moves the picture
    if (this.following) camera.anchor = show.centreOf(show.picked);
    camera.resize(this.canvas.width / this.canvas.height, freeAreas(covers(this.canvas)));
    const { lines, discs, over } = show.glyphs(impact, TRAIL_SECONDS * player.natural, camera.eye);
    this.renderer.draw({
      ...camera.matrices(),
      centre: show.centre,
      radius: show.radius,
      color: show.color,
      frames: show.frames,
      ghosts: show.options.ghosts,
      shadows: show.options.shadows,
      near: show.nearness.of(show.centre),
      lines,
      discs,
      over,
    });
    this.counts.update(show.centre, camera.matrices());
    this.timeline.update(player.time);
    if (!byId("plots").hidden) this.plots.draw();
    this.say();
  }

  /** Say on buttons and to screen readers how things are. */
  say() {
    const { player, show } = this;
    const run = byId("run");
    run.classList.toggle("runs", player.running);
    run.setAttribute("aria-label", player.running ? "Pause" : "Run");
    setText(byId("speed"), `${player.direction < 0 ? "\u2212" : ""}${player.factor}\u00d7`);
    if (!player.running) {
      const time = timeWords(show.header.begins + player.time, player.duration);
      this.canvas.setAttribute("aria-label", `${show.n} balls at time ${time}`);
    }
    const scale = byId("scale");
    const mode = MODES[show.options.mode];
    const legend = LEGENDS[mode] ?? "";
    scale.hidden = !legend && show.scaleEnd === 0;
    const canvas = /** @type {HTMLCanvasElement} */ (scale.children[1]);
    canvas.hidden = legend !== "";
    setText(scale.children[0], legend || `${mode} 0`);
    setText(scale.children[2], legend ? "" : number(show.scaleEnd, 3));
    if (legend || scale.hidden) return;
    this.drawScale(canvas);
  }

  /** @param {HTMLCanvasElement} canvas */
  drawScale(canvas) {
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const color = new Uint8Array(3);
    for (let x = 0; x < canvas.width; x++) {
      scaleColor(this.data.header.scale, x / (canvas.width - 1), color, 0);
      context.fillStyle = `rgb(${color.join(" ")})`;
      context.fillRect(x, 0, 1, canvas.height);
    }
  }
}

/** WebGL 2 cannot be had. */
export class NoWebGL extends Error {}

/** The corners of a cube. @param {number[]} centre @param {number} half */
function cornersAround([x, y, z], half) {
  const signs = [-half, half];
  return signs.flatMap((a) => signs.flatMap((b) => signs.map((c) => [x + a, y + b, z + c])));
}

/** @param {string} id @param {boolean} on */
function press(id, on) {
  byId(id).setAttribute("aria-pressed", String(on));
}
