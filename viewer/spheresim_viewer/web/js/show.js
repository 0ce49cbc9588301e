// What is shown at a time: the state of all balls, their colors, and the glyphs beside them.

import { MODES, dim, glowColor, roundedUp, scaleColor } from "./colors.js";
import { LEAST_BALL, TRAIL_MOMENTS, arrows, boxEdges, contact, flights } from "./glyphs.js";
import { halo, outlined, outlines, planeOfContact, rims, spinMarks, trails } from "./glyphs.js";
import { peculiarVelocity, wrapped } from "./images.js";
import { Motion } from "./motion.js";
import { Nearness } from "./nearness.js";
import { Spins } from "./spins.js";
import { States } from "./states.js";
import { minus, times } from "./vectors.js";
import { Walls, carried, inStage, movedAlong } from "./walls.js";

/** @typedef {import("./data.js").Data} Data */
/** @typedef {import("./impacts.js").Impact} Impact */

const MOST_TRAILS = 200; // of more balls only the picked one has a trail

export class Show {
  /** @param {Data} data @param {Motion} motion @param {number} glow how long an impact glows */
  constructor(data, motion, glow) {
    this.header = data.header;
    this.arrays = data.arrays;
    this.motion = motion;
    this.glow = glow;
    this.n = motion.n;
    this.time = NaN;
    this.state = new Uint8Array(this.n);
    this.position = new Float64Array(3 * this.n);
    this.velocity = new Float64Array(3 * this.n);
    this.centre = new Float32Array(3 * this.n);
    this.radius = Float32Array.from(data.arrays["ball.radius"], (r) => r / this.header.size);
    this.color = new Uint8Array(4 * this.n).fill(255);
    const { trails, ghosts } = data.header.view;
    this.options = { trails, arrows: false, ghosts, shadows: true, mode: 0 };
    this.states = new States(data.arrays, this.n);
    this.spins = "ball.spin" in data.arrays ? new Spins(data.arrays, this.n) : null;
    this.nearness = new Nearness(data.header, this.radius);
    this.picked = -1;
    this.scaleEnd = 0;
    this.walls = new Walls(data.header.motions, data.arrays);
    this.frames = new Map();
    this.outline = this.borders();
    this.edges = this.header.box ? boxEdges(this.header.corners) : null;
    this.old = { position: new Float64Array(3 * this.n), velocity: new Float64Array(3 * this.n) };
  }

  /**
   * Go to a time.
   * @param {number} time @param {Impact | null} impact that is looked at: other balls fade
   */
  at(time, impact) {
    if (time !== this.time) {
      this.motion.at(time, this.position, this.velocity);
      this.place(this.position, this.centre, time);
      this.state = this.states.at(time, this.velocity);
      this.time = time;
      if (this.header.motions.length) this.moveWalls(time);
    }
    this.paint();
    if (impact) dim(this.color, [impact.i, impact.j]);
  }

  /** The borders of obstacles, where these are now. */
  borders() {
    const { arrays, frames } = this;
    const ends = arrays["outline.ends"];
    const there = frames.size ? movedAlong(ends, arrays["outline.owner"], frames, carried) : ends;
    return outlines(there, arrays["outline.fade"], arrays["outline.enclosing"]);
  }

  /** Where obstacles that move are at a time. @param {number} time */
  moveWalls(time) {
    const { centre, size } = this.header;
    this.frames = this.walls.at(time);
    this.frames.forEach((frame, owner) => this.frames.set(owner, inStage(frame, centre, size)));
    this.outline = this.borders();
  }

  /**
   * World coordinates at a time in stage units; in a periodic box all inside it.
   * @param {Float64Array} from @param {Float32Array} to @param {number} time
   */
  place(from, to, time) {
    const { centre, size, box } = this.header;
    for (let ball = 0; ball < from.length / 3; ball++) {
      const there = from.subarray(3 * ball, 3 * ball + 3);
      const inside = box ? wrapped(box, time, there) : there;
      for (let k = 0; k < 3; k++) to[3 * ball + k] = (inside[k] - centre[k]) / size;
    }
  }

  /** The place of a ball, in stage units. @param {number} ball */
  centreOf(ball) {
    return Array.from(this.centre.subarray(3 * ball, 3 * ball + 3));
  }

  /** Its speed, in a sheared box beside the flow. @param {number} ball */
  speedOf(ball) {
    const [place, velocity] = [this.position, this.velocity].map((of) => of.subarray(3 * ball, 3 * ball + 3));
    return Math.hypot(...peculiarVelocity(this.header.box, place, velocity));
  }

  paint() {
    const { color, arrays, motion, header } = this;
    const mode = MODES[this.options.mode];
    this.scaleEnd = 0;
    if (mode === "own") {
      for (let ball = 0; ball < this.n; ball++)
        for (let k = 0; k < 3; k++) color[4 * ball + k] = arrays["ball.color"][3 * ball + k];
      return;
    }
    if (mode === "state") {
      this.state.forEach((state, ball) => {
        for (let k = 0; k < 3; k++) color[4 * ball + k] = 255 * header.stateColors[state][k];
      });
      return;
    }
    if (mode === "last impact") {
      for (let ball = 0; ball < this.n; ball++) {
        const place = motion.find(ball, this.time);
        const hit = place > motion.first[ball] && motion.given[place] < 0;
        glowColor(hit ? (this.time - motion.start[place]) / this.glow : Infinity, color, 4 * ball);
      }
      return;
    }
    const values = Float64Array.from({ length: this.n }, (_, ball) => {
      const speed = this.speedOf(ball);
      return mode === "speed" ? speed : 0.5 * arrays["ball.mass"][ball] * speed * speed;
    });
    this.scaleEnd = header.scaleEnds[mode];
    for (let ball = 0; ball < this.n; ball++)
      scaleColor(header.scale, values[ball] / (this.scaleEnd || 1), color, 4 * ball);
  }

  /**
   * Lines and rings around the balls.
   * @param {Impact | null} impact that is looked at @param {number} trailTime how long trails last
   * @param {number[]} eye
   */
  glyphs(impact, trailTime, eye) {
    const lines = [this.outline];
    const discs = rims(this.header.bowls, eye);
    if (this.edges) lines.push(this.edges);
    if (this.spins) discs.push(spinMarks(this.centre, this.radius, this.spins.at(this.time)));
    if (this.options.arrows) {
      const speeds = Float64Array.from({ length: this.n }, (_, ball) => this.speedOf(ball));
      const largest = this.header.scaleEnds.speed || roundedUp(nearlyLargest(speeds));
      lines.push(arrows(this.centre, this.velocity, this.radius, largest));
    }
    if (this.options.trails) lines.push(this.trail(trailTime));
    if (this.picked >= 0) discs.push(halo(this.centreOf(this.picked), this.radius[this.picked]));
    if (!impact) return { lines, discs, over: { lines: [], discs: [] } };
    // The impact: the plane of contact, and what nothing hides
    const struck = impact.flights.map((flight) => ({ ...flight, ...this.ballAt(flight.ball) }));
    const balls = [impact.i, impact.j].filter((ball) => ball >= 0).map((ball) => this.ballAt(ball));
    const at = new Float32Array(3);
    this.place(Float64Array.from(impact.point), at, this.time);
    const smallest = Math.max(Math.min(...balls.map(({ radius }) => radius)), LEAST_BALL);
    const mark = contact(Array.from(at), impact.normal, smallest);
    discs.push(planeOfContact(Array.from(at), impact.normal, balls[0].radius));
    const rings = balls.map(({ centre, radius }) => outlined(centre, radius));
    const over = { lines: [mark.lines, flights(struck, this.header.scaleEnds.speed)], discs: [mark.rings, ...rings] };
    return { lines, discs, over };
  }

  /** Centre and radius of a ball, in stage units. @param {number} ball */
  ballAt(ball) {
    return { centre: this.centreOf(ball), radius: this.radius[ball] };
  }

  /** The ways of the last while, through every impact. @param {number} long */
  trail(long) {
    const all = this.n <= MOST_TRAILS && this.picked < 0;
    const balls = all ? Array.from({ length: this.n }, (_, ball) => ball) : this.picked < 0 ? [] : [this.picked];
    const from = Math.max(0, this.time - long);
    const moments = Math.max(2, Math.ceil((TRAIL_MOMENTS * (this.time - from)) / long));
    const colors = new Uint8Array(4 * balls.length);
    balls.forEach((ball, k) => colors.set(this.color.subarray(4 * ball, 4 * ball + 4), 4 * k));
    const places = [];
    for (let m = 0; m <= moments; m++) {
      const time = from + ((this.time - from) * m) / moments;
      const world = new Float64Array(balls.flatMap((ball) => this.motion.ballAt(ball, time).slice(0, 3)));
      const units = new Float32Array(world.length);
      this.place(world, units, time);
      places.push(units);
    }
    return trails(places, colors);
  }

  /**
   * The nearest ball that a ray meets, or -1.
   * @param {number[]} eye @param {number[]} ray unit
   * @param {number} slack part of the distance by which a finger may miss
   */
  ballOn(eye, ray, slack) {
    let best = -1;
    let nearest = Infinity;
    for (let ball = 0; ball < this.n; ball++) {
      const away = minus(this.centreOf(ball), eye);
      const along = away[0] * ray[0] + away[1] * ray[1] + away[2] * ray[2];
      const missed = Math.hypot(...minus(away, times(ray, along)));
      if (along > 0 && along < nearest && missed < this.radius[ball] + slack * along) {
        best = ball;
        nearest = along;
      }
    }
    return best;
  }
}

/** The largest but for one in fifty, that one fast ball does not make all others slow. @param {Float64Array} values */
function nearlyLargest(values) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor(0.98 * (sorted.length - 1))];
}
