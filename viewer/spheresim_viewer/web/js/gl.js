// A little of WebGL 2: programs, vertex arrays, the uniform block that all shaders share.

const SOFTWARE = ["swiftshader", "llvmpipe", "softpipe", "swrast", "software", "basic render"];

/** Whether the processor draws, because there is no graphics card. @param {WebGL2RenderingContext} gl */
export function isSoftware(gl) {
  let name = String(gl.getParameter(gl.RENDERER));
  if (name === "WebKit WebGL") { // Chromium and Safari say it elsewhere, where Firefox warns
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    if (info) name = String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
  }
  return SOFTWARE.some((word) => name.toLowerCase().includes(word));
}

/** A shader program. @param {WebGL2RenderingContext} gl @param {string[]} sources vertex, fragment */
export function linked(gl, [vertex, fragment]) {
  const program = /** @type {WebGLProgram} */ (gl.createProgram());
  const shaders = [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].map((kind, k) => {
    const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(shader, [vertex, fragment][k]);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    return shader;
  });
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    const said = shaders.map((shader) => gl.getShaderInfoLog(shader)).join(" ");
    throw new Error(`a shader does not compile: ${said} ${gl.getProgramInfoLog(program)}`);
  }
  const block = gl.getUniformBlockIndex(program, "Frame");
  if (block !== gl.INVALID_INDEX) gl.uniformBlockBinding(program, block, 1);
  return program;
}

/** Buffers by the names of a shader's attributes. */
export class Buffers {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    /** @type {Record<string, {buffer: WebGLBuffer, width: number, bytes: boolean, size: number}>} */
    this.columns = {};
    this.count = 0;
  }

  /**
   * Replace the numbers of an attribute.
   * @param {string} name @param {Float32Array | Uint8Array} values @param {number} width
   */
  set(name, values, width) {
    const { gl } = this;
    const column = (this.columns[name] ??= {
      buffer: /** @type {WebGLBuffer} */ (gl.createBuffer()),
      width,
      bytes: values instanceof Uint8Array,
      size: -1,
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, column.buffer);
    if (column.size === values.byteLength) gl.bufferSubData(gl.ARRAY_BUFFER, 0, values);
    else gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    column.size = values.byteLength;
    this.count = values.length / width;
  }

  /**
   * A vertex array that feeds a program. @param {WebGLProgram} program @param {boolean} perInstance
   */
  array(program, perInstance) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    for (const [name, { buffer, width, bytes }] of Object.entries(this.columns)) {
      const place = gl.getAttribLocation(program, name);
      if (place < 0) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, width, bytes ? gl.UNSIGNED_BYTE : gl.FLOAT, bytes, 0, 0);
      if (perInstance) gl.vertexAttribDivisor(place, 1);
    }
    gl.bindVertexArray(null);
    return array;
  }
}

/** The uniform block `Frame`, laid out as a program has it. */
export class FrameBlock {
  /** @param {WebGL2RenderingContext} gl @param {WebGLProgram} program one that has the block */
  constructor(gl, program) {
    this.gl = gl;
    this.buffer = gl.createBuffer();
    /** @type {Record<string, number>} */
    this.offsets = {};
    const block = gl.getUniformBlockIndex(program, "Frame");
    const members = gl.getActiveUniformBlockParameter(program, block, gl.UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES);
    const offsets = gl.getActiveUniforms(program, members, gl.UNIFORM_OFFSET);
    Array.from(members).forEach((/** @type {number} */ index, /** @type {number} */ k) => {
      const name = gl.getActiveUniform(program, index)?.name ?? "";
      this.offsets[name.replace(/^Frame\./, "")] = offsets[k] / 4;
    });
    const size = gl.getActiveUniformBlockParameter(program, block, gl.UNIFORM_BLOCK_DATA_SIZE);
    this.values = new Float32Array(size / 4);
  }

  /** @param {Record<string, ArrayLike<number>>} members */
  set(members) {
    const { gl } = this;
    for (const [name, value] of Object.entries(members))
      if (name in this.offsets) this.values.set(value, this.offsets[name]);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, 1, this.buffer);
    gl.bufferData(gl.UNIFORM_BUFFER, this.values, gl.DYNAMIC_DRAW);
  }
}
