// The camera: a turntable around a target, with the horizon always level, as in camera.py and
// pose.py. All in stage units: the middle of the stage is the origin, its corners are at 1.

import { WHOLE_PICTURE, centreOf, framed } from "./framing.js";
import { affine, cross, dot, length, minus, perspective, plus, times, unit } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/** @typedef {import("./framing.js").Area} Area */
/** @typedef {{yaw: number, pitch: number, distance: number, offset: Vector, shift: number[]}} Pose */

const HALF = Math.tan((35 * Math.PI) / 360); // half the picture's height at distance 1
const EASING = 0.08; // s, of an exponential approach to the goal
const FILLED = 0.94; // part of the free area that a framed stage fills
const USUAL_ASPECT = 1.6; // in narrower pictures the eye is further away than a scene says
const VIEWS = {
  front: { yaw: 0, pitch: 0 },
  right: { yaw: Math.PI / 2, pitch: 0 },
  top: { yaw: 0, pitch: Math.PI / 2 },
};

export class Camera {
  /**
   * @param {Vector} up @param {Vector[]} subject what is framed at first, as points
   * @param {number[]} opening yaw and pitch of the first view
   */
  constructor(up, subject, opening) {
    const level = Math.abs(up[2]) < 0.9 ? [0, 0, 1] : [0, -1, 0];
    this.up = up;
    this.front = unit(minus(level, times(up, dot(level, up))));
    this.side = cross(up, this.front);
    this.stage = subject;
    this.views = { ...VIEWS, corner: { yaw: opening[0], pitch: opening[1] } };
    this.aspect = 1;
    /** @type {Area[]} */
    this.areas = [WHOLE_PICTURE];
    /** What is kept framed, until the user looks otherwise. @type {Vector[] | null} */
    this.subject = subject;
    /** From where to where a scene wants to be looked at, until the user looks otherwise. */
    this.said = /** @type {{eye: Vector, target: Vector} | null} */ (null);
    /** @type {Vector} */
    this.anchor = [0, 0, 0];
    /** @type {Pose} */
    this.goal = this.framing(this.views.corner);
    this.pose = this.goal;
  }

  /** Right, upward and towards the eye. @param {Pose} pose @returns {Vector[]} */
  axes(pose) {
    const { front, side, up } = this;
    const outward = plus(times(front, Math.cos(pose.yaw)), times(side, Math.sin(pose.yaw)));
    return [
      minus(times(side, Math.cos(pose.yaw)), times(front, Math.sin(pose.yaw))),
      minus(times(up, Math.cos(pose.pitch)), times(outward, Math.sin(pose.pitch))),
      plus(times(outward, Math.cos(pose.pitch)), times(up, Math.sin(pose.pitch))),
    ];
  }

  get target() {
    return plus(this.anchor, this.pose.offset);
  }

  get eye() {
    return plus(this.target, times(this.axes(this.pose)[2], this.pose.distance));
  }

  matrices() {
    const axes = this.axes(this.pose);
    const { eye } = this;
    const shift = axes.map((axis) => -dot(axis, eye));
    const far = 100 * (1 + length(eye));
    const projection = perspective(HALF, this.aspect, 0.05 * this.pose.distance, far, this.pose.shift);
    return { view: affine(axes, shift), projection, eye };
  }

  /** From the eye through a place of the picture, from -1 to 1. @param {number} x @param {number} y */
  ray(x, y) {
    const [right, upward, away] = this.axes(this.pose);
    const [middle, height] = this.pose.shift;
    const across = plus(times(right, (x - middle) * HALF * this.aspect), times(upward, (y - height) * HALF));
    return unit(minus(across, away));
  }

  /**
   * What is framed, seen from a side, in the best of the free areas.
   * @param {{yaw: number, pitch: number}} angles @param {Vector[]} points @returns {Pose}
   */
  framing({ yaw, pitch }, points = this.subject ?? this.stage) {
    const axes = this.axes({ yaw, pitch, distance: 1, offset: [0, 0, 0], shift: [0, 0] });
    const seen = points.map((point) => axes.map((axis) => dot(axis, point)));
    const fits = this.areas.map((area) => ({ area, eye: framed(seen, this.aspect, area, HALF * FILLED) }));
    const { area, eye } = fits.reduce((best, fit) => (fit.eye.distance < best.eye.distance ? fit : best));
    const offset = plus(times(axes[0], eye.right), times(axes[1], eye.up));
    return { yaw, pitch, distance: eye.distance, offset, shift: centreOf(area) };
  }

  /**
   * @param {number} aspect width over height @param {Area[]} areas that panels leave free
   */
  resize(aspect, areas) {
    const isAsBefore = aspect === this.aspect;
    if (isAsBefore && JSON.stringify(areas) === JSON.stringify(this.areas)) return;
    this.aspect = aspect;
    this.areas = areas;
    const fit = this.framing(this.goal);
    this.goal = this.subject ? fit : { ...this.goal, shift: fit.shift };
    if (this.said) this.goal = this.looking(this.said.eye, this.said.target);
    if (!isAsBefore) this.pose = this.goal;
  }

  /** @param {Vector} eye @param {Vector} target @returns {Pose} */
  looking(eye, target) {
    const away = minus(eye, target);
    const [x, y, z] = [this.front, this.side, this.up].map((axis) => dot(away, axis));
    const angles = { yaw: Math.atan2(y, x), pitch: Math.atan2(z, Math.hypot(x, y)) };
    // But no further than where all of the stage is seen.
    const furthest = Math.max(length(away), this.framing(angles).distance + length(target));
    const distance = Math.min(length(away) * Math.max(1, USUAL_ASPECT / this.aspect), furthest);
    return { ...angles, distance, offset: target, shift: this.goal.shift };
  }

  /**
   * Look as a scene says; what it leaves open is as where all of the stage is seen.
   * @param {Vector | null} eye @param {Vector | null} target
   */
  look(eye, target) {
    this.view("corner");
    if (!eye && !target) return;
    const { distance } = this.goal;
    this.said = { eye: eye ?? times(this.axes(this.goal)[2], distance), target: target ?? [0, 0, 0] };
    this.goal = this.looking(this.said.eye, this.said.target);
    this.subject = null;
  }

  /** The user, or a ball that is followed, decides from now on. */
  leave() {
    this.subject = null;
    this.said = null;
  }

  /** @param {keyof Camera["views"]} name */
  view(name) {
    this.show(this.stage, this.views[name]);
  }

  /**
   * Frame some points, from a side.
   * @param {Vector[]} points @param {{yaw: number, pitch: number}} angles
   */
  show(points, angles) {
    this.unfollow();
    this.subject = points;
    this.goal = this.framing(angles);
    this.said = null;
  }

  /** Turn the picture. @param {number} dx radians @param {number} dy */
  orbit(dx, dy) {
    const pitch = Math.min(Math.max(this.goal.pitch - dy, -Math.PI / 2), Math.PI / 2);
    this.goal = { ...this.goal, yaw: this.goal.yaw - dx, pitch };
    this.leave();
  }

  /** Move the picture by parts of its height. @param {number} dx @param {number} dy */
  pan(dx, dy) {
    const [right, upward] = this.axes(this.goal);
    const wide = 2 * HALF * this.goal.distance;
    const offset = minus(this.goal.offset, plus(times(right, dx * wide), times(upward, dy * wide)));
    this.goal = { ...this.goal, offset };
    this.leave();
  }

  /** @param {number} factor above 1: nearer */
  zoom(factor) {
    const distance = Math.min(Math.max(this.goal.distance / factor, 1e-3), 1e3);
    this.goal = { ...this.goal, distance };
    this.leave();
  }

  /** Keep a place in the middle, from now on. @param {Vector} place */
  follow(place) {
    this.pose = { ...this.pose, offset: minus(this.target, place) };
    this.goal = { ...this.goal, offset: [0, 0, 0] };
    this.anchor = place;
    this.leave();
  }

  /** Be where the camera is going. */
  settle() {
    this.pose = this.goal;
  }

  unfollow() {
    this.pose = { ...this.pose, offset: this.target };
    this.goal = { ...this.goal, offset: plus(this.anchor, this.goal.offset) };
    this.anchor = [0, 0, 0];
  }

  /** Let time pass; whether the view still moves. @param {number} seconds */
  update(seconds) {
    const left = Math.exp(-seconds / EASING);
    const { pose, goal } = this;
    const off =
      Math.abs(pose.yaw - goal.yaw) +
      Math.abs(pose.pitch - goal.pitch) +
      Math.abs(pose.distance - goal.distance) / goal.distance +
      length(minus(pose.offset, goal.offset)) +
      Math.hypot(pose.shift[0] - goal.shift[0], pose.shift[1] - goal.shift[1]);
    if (off < 1e-4) {
      this.pose = goal;
      return off > 0;
    }
    this.pose = {
      yaw: goal.yaw + (pose.yaw - goal.yaw) * left,
      pitch: goal.pitch + (pose.pitch - goal.pitch) * left,
      distance: goal.distance + (pose.distance - goal.distance) * left,
      offset: plus(goal.offset, times(minus(pose.offset, goal.offset), left)),
      shift: goal.shift.map((place, k) => place + (pose.shift[k] - place) * left),
    };
    return true;
  }
}
