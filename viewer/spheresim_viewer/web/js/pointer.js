// Mouse and touch on the picture: orbit, shift, zoom, pick.

/**
 * @typedef {object} Hand what is done with the picture, in parts of its height
 * @property {(dx: number, dy: number) => void} orbit
 * @property {(dx: number, dy: number) => void} pan
 * @property {(factor: number) => void} zoom
 * @property {(x: number, y: number, isTouch: boolean) => void} pick from -1 to 1, y up
 */

const CLICK = 6; // pixels that a click may move

export class Pointer {
  /** @param {HTMLElement} picture @param {Hand} hand */
  constructor(picture, hand) {
    this.picture = picture;
    this.hand = hand;
    /** @type {Map<number, {x: number, y: number}>} */
    this.down = new Map();
    this.moved = 0;
    picture.addEventListener("pointerdown", (event) => this.press(event));
    picture.addEventListener("pointermove", (event) => this.move(event));
    picture.addEventListener("pointerup", (event) => this.release(event));
    picture.addEventListener("pointercancel", (event) => this.down.delete(event.pointerId));
    picture.addEventListener("contextmenu", (event) => event.preventDefault());
    picture.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (this.down.size === 0) this.moved = 0;
    else this.moved = Infinity; // with a second finger it is no click
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.picture.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const before = this.down.get(event.pointerId);
    if (!before) return;
    const height = this.picture.clientHeight;
    const dx = (event.clientX - before.x) / height;
    const dy = (before.y - event.clientY) / height;
    const others = [...this.down].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.moved += Math.abs(dx * height) + Math.abs(dy * height);
    if (others.length > 0) {
      const [other] = others;
      const was = Math.hypot(before.x - other.x, before.y - other.y);
      const is = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      if (was > 0 && is > 0) this.hand.zoom(is / was);
      this.hand.pan(dx / 2, dy / 2);
    } else if (this.moved > CLICK) {
      if (event.buttons & 2 || event.shiftKey) this.hand.pan(dx, dy);
      else this.hand.orbit(dx * Math.PI, dy * Math.PI);
    }
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  /** @param {PointerEvent} event */
  release(event) {
    const was = this.down.delete(event.pointerId);
    if (!was || this.moved > CLICK || event.button !== 0) return;
    const place = this.picture.getBoundingClientRect();
    const x = (2 * (event.clientX - place.left)) / place.width - 1;
    const y = 1 - (2 * (event.clientY - place.top)) / place.height;
    this.hand.pick(x, y, event.pointerType === "touch");
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 20 : 1);
    this.hand.zoom(Math.exp(-0.0015 * pixels));
  }
}
