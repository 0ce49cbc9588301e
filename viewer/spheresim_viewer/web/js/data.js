// The packed data of the page: see pack.py, which writes it.

/**
 * @typedef {object} Header
 * @property {string} title
 * @property {string} comment the scene's own words
 * @property {string} engine
 * @property {number} duration the time of the last frame, counted from the first
 * @property {number} begins the time that is shown at the first frame; all other times are counted from there
 * @property {number} step of the fixed-step engine; 0 where balls fall along parabolas
 * @property {number} clockEnd where a last step may be shorter
 * @property {number} frameEvery
 * @property {number[]} gravity
 * @property {{frequency: number, centre: number[]} | null} trap
 * @property {string[]} names of balls
 * @property {string[]} obstacles their names
 * @property {string[]} kinds of rows: ball, obstacle, rest, wake, slide
 * @property {string[]} states of balls: flying, sliding, resting
 * @property {number[][]} stateColors
 * @property {number[][]} scale colors from small to large
 * @property {Record<string, number>} scaleEnds where the scales of speed and energy end
 * @property {{low: number[], size: number[], periodic: boolean[], shearRate: number} | null} box
 * @property {number} curves pieces that approximate a way without a formula
 * @property {number} deviation by how much they miss it at the worst
 * @property {number} chords straight ways to the next frame
 * @property {number[]} centre of the stage, world coordinates
 * @property {number} size of the stage: half its diagonal
 * @property {number[]} up
 * @property {number[]} lamp the direction to it
 * @property {number[][]} corners of the stage, in its units
 * @property {number[][]} subject corners of what a picture must show
 * @property {number[][]} bowls centre and radius of spheres that are seen from inside
 * @property {View} view
 * @property {{planes: number[][], cylinders: number[][], bounds: number[][]}} darkened obstacles:
 *   normal and distance; point, axis, radius; low, high, and whether balls are inside
 * @property {{owner: number, kind: number, numbers: number[]}[]} motions of obstacles: see walls.js
 * @property {number} ghostRadius of the balls whose offset primitives are shown
 * @property {[string, string, number][]} arrays name, type, length
 *
 * How the scene wants to be seen; places in stage units.
 * @typedef {object} View
 * @property {number[]} opening yaw and pitch of the first view
 * @property {number[] | null} camera
 * @property {number[] | null} target
 * @property {number | null} follow a ball
 * @property {boolean} trails
 * @property {boolean} ghosts
 * @property {"stop" | "loop" | "go on"} end
 * @property {string | null} caption
 * @property {boolean} counter
 * @property {{low: number[], high: number[], cells: number[], tops: number[][]} | null} counts cells
 *   of a box in which balls are counted, and where the numbers stand
 *
 * @typedef {Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array} Column
 * @typedef {{header: Header, arrays: Record<string, any>}} Data
 */

/** @type {Record<string, any>} */
const COLUMN_TYPES = {
  f8: Float64Array,
  f4: Float32Array,
  i4: Int32Array,
  u4: Uint32Array,
  u1: Uint8Array,
};

/**
 * @param {string} text base64 of deflated bytes
 * @returns {Promise<Data>}
 */
export async function unpack(text) {
  const bytes = await inflate(bytesOf(text.trim()));
  const headerLength = new DataView(bytes.buffer).getUint32(0, true);
  /** @type {Header} */
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength)));
  /** @type {Record<string, Column>} */
  const arrays = {};
  let offset = 4 + headerLength;
  for (const [name, kind, length] of header.arrays) {
    const Type = COLUMN_TYPES[kind];
    arrays[name] = fromPlanes(bytes, offset, length, Type);
    offset += length * Type.BYTES_PER_ELEMENT;
  }
  return { header, arrays };
}

/** @param {string} text base64 */
function bytesOf(text) {
  const symbols = atob(text);
  const bytes = new Uint8Array(symbols.length);
  for (let k = 0; k < symbols.length; k++) bytes[k] = symbols.charCodeAt(k);
  return bytes;
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Numbers whose first bytes come first, then their second bytes, and so on.
 * @param {Uint8Array} bytes @param {number} offset @param {number} length @param {any} Type
 */
function fromPlanes(bytes, offset, length, Type) {
  const column = new Type(length);
  const wide = Type.BYTES_PER_ELEMENT;
  const whole = new Uint8Array(column.buffer);
  for (let plane = 0; plane < wide; plane++) {
    const first = offset + plane * length;
    for (let k = 0; k < length; k++) whole[k * wide + plane] = bytes[first + k];
  }
  return column;
}
