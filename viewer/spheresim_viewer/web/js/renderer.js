// Draws pictures in the order of the viewer's renderer (draw/renderer.py), with its shaders.

import { Buffers, FrameBlock, linked } from "./gl.js";
import { Relief } from "./relief.js";
import { affine, cross, dot, plus, times, unit } from "./vectors.js";
import { carried, movedAlong, turned } from "./walls.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/** @typedef {import("./glyphs.js").Lines} Lines */
/** @typedef {import("./glyphs.js").Discs} Discs */
/**
 * @typedef {object} Picture
 * @property {Float32Array} view
 * @property {Float32Array} projection
 * @property {Vector} eye
 * @property {Float32Array} centre stage units
 * @property {Float32Array} radius
 * @property {Uint8Array} color four bytes each
 * @property {Map<number, import("./walls.js").Frame>} frames of the obstacles that move, stage units
 * @property {boolean} ghosts
 * @property {boolean} shadows
 * @property {import("./nearness.js").Near} near
 * @property {Lines[]} lines
 * @property {Discs[]} discs
 * @property {{lines: Lines[], discs: Discs[]}} over what nothing hides
 */

const GHOST = [0, 0.36, 0.62, 0.16];
const GLASS = [0.42, 0.5, 0.58, 0.07];
const SHELL = [0.3, 0.37, 0.46, 0.05];
const STRAIGHT_DOWN = 0.42; // how dark the soft shadow below a ball is where no lamp casts another
const SHADOW_TEXELS = 1024;
const SHADOWS = "#define SHADOWS\n"; // what a shader begins with that looks the lamp's shadows up
const LINE_COLUMNS = { start: 3, end: 3, width: 2, start_color: 4, end_color: 4 };
const BLOB_COLUMNS = { shadowing: 4, reach: 4, normal: 3 };
const DISC_COLUMNS = { centre: 3, normal: 3, radius: 2, color: 4 };

/** The matrix from stage units into the lamp's shadow map. @param {Vector} up @param {Vector} lamp */
function lampView(up, lamp) {
  const across = unit(cross(up, lamp));
  const extent = 1 / 1.05; // the stage is a sphere of radius 1
  const rows = [times(across, extent), times(cross(lamp, across), extent), times(lamp, -0.5 * extent)];
  return affine(rows, [0, 0, 0.5]);
}

/** Numbers that come coordinate by coordinate, vertex by vertex. @param {Float32Array} values @param {number} width */
function byVertex(values, width) {
  const count = values.length / width;
  return values.map((_, k) => values[(k % width) * count + Math.floor(k / width)]);
}

export class Renderer {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {WebGL2RenderingContext} gl
   * @param {Record<string, string[]>} shaders vertex and fragment shader by name
   * @param {Record<string, any>} arrays the meshes of the surroundings
   * @param {Vector} up
   * @param {Vector} lamp the direction to it
   */
  constructor(canvas, gl, shaders, arrays, up, lamp) {
    this.canvas = canvas;
    this.gl = gl;
    this.up = up;
    this.lamp = { lamp, matrix: lampView(up, lamp) };
    /** @type {Record<string, WebGLProgram>} */
    this.programs = {};
    for (const [name, sources] of Object.entries(shaders)) this.programs[name] = linked(gl, sources);
    for (const name of ["sphere", "surface"])
      this.programs[`plain_${name}`] = linked(gl, shaders[name].map((source) => source.replace(SHADOWS, "")));
    this.frame = new FrameBlock(gl, this.programs.sphere);
    this.nothing = gl.createVertexArray();
    this.balls = new Buffers(gl);
    this.surfaces = this.mesh(arrays, "surfaces", "surface");
    // The near side of what encloses balls, which stands before them
    this.shells = { array: this.surfaces.ghostArray, triangles: this.surfaces.enclosing };
    this.panes = this.mesh(arrays, "panes", "ghost");
    this.ghosts = this.mesh(arrays, "ghosts", "ghost");
    this.lines = new Buffers(gl);
    this.discs = new Buffers(gl);
    this.blobs = new Buffers(gl);
    this.shadow = this.shadowMap();
    this.relief = new Relief(gl);
    /** @type {Record<string, WebGLVertexArrayObject>} */
    this.fed = {};
  }

  /** @param {Record<string, any>} arrays @param {string} group @param {string} program that draws it */
  mesh(arrays, group, program) {
    const { gl } = this;
    const buffers = new Buffers(gl);
    const widths = { position: 3, normal: 3, place: 2, fade: 2, look: 4 };
    /** @type {Record<string, Float32Array>} */
    const still = {};
    for (const [name, width] of Object.entries(widths)) {
      still[name] = byVertex(arrays[`${group}.${name}`], width);
      buffers.set(name, still[name], width);
    }
    /** @type {Uint32Array} */
    const triangles = arrays[`${group}.triangles`];
    const casting = arrays[`${group}.casting`];
    const enclosing = arrays[`${group}.enclosing`];
    const those = (/** @type {Uint8Array | undefined} */ marked) =>
      this.indices(triangles.filter((_, k) => marked?.[Math.floor(k / 3)] === 1));
    return {
      buffers,
      still,
      owner: arrays[`${group}.owner`] ?? [],
      array: buffers.array(this.programs[program], false),
      ghostArray: buffers.array(this.programs.ghost, false),
      reliefArray: buffers.array(this.programs.relief, false),
      shadowArray: buffers.array(this.programs.surface_shadow, false),
      triangles: this.indices(triangles),
      cast: those(casting),
      enclosing: those(enclosing),
    };
  }

  /** @param {Uint32Array} triangles */
  indices(triangles) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    return { buffer, count: triangles.length };
  }

  shadowMap() {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_TEXELS, SHADOW_TEXELS);
    for (const [which, value] of [
      [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
      [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE],
      [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL],
    ])
      gl.texParameteri(gl.TEXTURE_2D, which, value);
    const target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, target };
  }

  /** Take meshes to where their obstacles are. @param {Picture} picture */
  move({ frames }) {
    for (const { buffers, still, owner } of frames.size ? [this.surfaces, this.panes, this.ghosts] : []) {
      buffers.set("position", movedAlong(still.position, owner, frames, carried), 3);
      buffers.set("normal", movedAlong(still.normal, owner, frames, turned), 3);
    }
  }

  /** @param {Picture} picture */
  draw(picture) {
    const { gl, canvas } = this;
    this.setFrame(picture);
    this.move(picture);
    this.balls.set("color", picture.color, 4);
    this.balls.set("radius", picture.radius, 1);
    this.balls.set("centre", picture.centre, 3);
    this.balls.set("neighbours", picture.near.neighbours, 4);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    if (picture.shadows) this.drawShadows();
    if (!picture.ghosts) this.drawRelief(picture);
    // Opaque: surfaces, the background where none is, what balls darken of them, and the balls
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    gl.clear(gl.DEPTH_BUFFER_BIT | gl.COLOR_BUFFER_BIT);
    this.drawMesh(this.surfaces, picture.shadows ? "surface" : "plain_surface");
    gl.depthMask(false);
    gl.useProgram(this.programs.background);
    gl.bindVertexArray(this.nothing);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthMask(true);
    if (!picture.ghosts) this.drawBlobs(picture);
    this.drawBalls(picture);
    // Translucent: offset primitives and glyphs
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.drawMesh(this.panes, "ghost", GLASS);
    gl.cullFace(gl.FRONT); // seen from outside
    this.drawMesh(this.shells, "ghost", SHELL);
    gl.cullFace(gl.BACK);
    if (picture.ghosts) this.drawMesh(this.ghosts, "ghost");
    this.drawGlyphs(this.lines, "segment", picture.lines, LINE_COLUMNS);
    this.drawGlyphs(this.discs, "disc", picture.discs, DISC_COLUMNS);
    gl.disable(gl.DEPTH_TEST);
    this.drawGlyphs(this.discs, "disc", picture.over.discs, DISC_COLUMNS);
    this.drawGlyphs(this.lines, "segment", picture.over.lines, LINE_COLUMNS);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
  }

  /** @param {Picture} picture */
  setFrame({ view, projection, eye, shadows }) {
    const { canvas } = this;
    const inView = (/** @type {Vector} */ v) =>
      [0, 1, 2].map((row) => dot([view[row], view[4 + row], view[8 + row]], v));
    const pixel = 2 / (projection[5] * canvas.height);
    this.frame.set({
      view,
      projection,
      light_view: this.lamp.matrix,
      eye: [...eye, 0],
      light: [...inView(this.lamp.lamp), Number(shadows)],
      up: [...inView(this.up), pixel],
      screen: [canvas.width, canvas.height, window.devicePixelRatio || 1, 2 / SHADOW_TEXELS],
    });
  }

  /** The vertex array that feeds the balls to a program. @param {string} name */
  ballsFor(name) {
    this.fed[name] ??= /** @type {WebGLVertexArrayObject} */ (this.balls.array(this.programs[name], true));
    return this.fed[name];
  }

  drawShadows() {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.target);
    gl.viewport(0, 0, SHADOW_TEXELS, SHADOW_TEXELS);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.programs.sphere_shadow);
    gl.bindVertexArray(this.ballsFor("sphere_shadow"));
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.balls.count);
    gl.useProgram(this.programs.surface_shadow);
    gl.bindVertexArray(this.surfaces.shadowArray);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.surfaces.cast.buffer);
    if (this.surfaces.cast.count) gl.drawElements(gl.TRIANGLES, this.surfaces.cast.count, gl.UNSIGNED_INT, 0);
  }

  /** The relief of the room, unless it is that of the picture before. @param {Picture} picture */
  drawRelief({ view, projection, frames }) {
    const { gl, canvas } = this;
    const placed = Array.from(frames.values(), ({ offset, sine, cosine }) => [...offset, sine, cosine]);
    const seen = [...view, ...projection, ...placed.flat()].join();
    if (!this.relief.begin(canvas.width, canvas.height, seen)) return;
    this.drawMesh({ ...this.surfaces, array: this.surfaces.reliefArray }, "relief");
    gl.clearColor(0, 0, 0, 1);
  }

  /** Darken the room where balls are near it. @param {Picture} picture */
  drawBlobs({ near, shadows }) {
    const { gl } = this;
    const { blob } = this.programs;
    if (!near.shadowing.length || !this.relief.texture) return;
    gl.useProgram(blob);
    gl.uniform1f(gl.getUniformLocation(blob, "straight_down"), shadows ? 0 : STRAIGHT_DOWN);
    gl.bindTexture(gl.TEXTURE_2D, this.relief.texture);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ZERO, gl.SRC_COLOR);
    gl.disable(gl.DEPTH_TEST);
    const group = /** @type {any} */ (near);
    this.drawGlyphs(this.blobs, "blob", [group], BLOB_COLUMNS);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
  }

  /**
   * @param {Pick<ReturnType<Renderer["mesh"]>, "array" | "triangles">} mesh
   * @param {string} name of the program @param {number[]} tint of what is translucent
   */
  drawMesh({ array, triangles }, name, tint = GHOST) {
    const { gl } = this;
    const program = this.programs[name];
    if (!triangles.count) return;
    gl.useProgram(program);
    gl.uniform4fv(gl.getUniformLocation(program, "ghost"), tint); // ignored where there is none
    gl.enable(gl.CULL_FACE);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, triangles.buffer);
    gl.drawElements(gl.TRIANGLES, triangles.count, gl.UNSIGNED_INT, 0);
    gl.disable(gl.CULL_FACE);
  }

  /** The balls; beside offset primitives they are points. @param {Picture} picture */
  drawBalls({ ghosts, shadows }) {
    const { gl } = this;
    const program = this.programs[shadows ? "sphere" : "plain_sphere"];
    gl.useProgram(program);
    gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    gl.bindVertexArray(this.ballsFor("sphere"));
    for (const [scale, opacity] of ghosts ? [[0.16, 1], [1, 0.4]] : [[1, 1]]) {
      gl.uniform1f(gl.getUniformLocation(program, "scale"), scale);
      gl.uniform1f(gl.getUniformLocation(program, "opacity"), opacity);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.balls.count);
    }
    gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
  }

  /**
   * @param {Buffers} buffers @param {string} name
   * @param {(Lines | Discs)[]} groups @param {Record<string, number>} columns
   */
  drawGlyphs(buffers, name, groups, columns) {
    const { gl } = this;
    for (const [column, width] of Object.entries(columns)) {
      const values = groups.flatMap((/** @type {any} */ group) => [group[column]]);
      const joined = new Float32Array(values.reduce((sum, part) => sum + part.length, 0));
      let filled = 0;
      for (const part of values) {
        joined.set(part, filled);
        filled += part.length;
      }
      buffers.set(column, joined, width);
    }
    if (!buffers.count) return;
    this.fed[name] ??= /** @type {WebGLVertexArrayObject} */ (buffers.array(this.programs[name], true));
    gl.useProgram(this.programs[name]);
    gl.bindVertexArray(this.fed[name]);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, buffers.count);
  }
}
