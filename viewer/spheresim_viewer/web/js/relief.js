// What is in front at each place of the room without its balls, half as fine as its pixels: normal
// and distance, from which shaders/blob.frag knows what a ball darkens. Kept while the camera stands.

export class Relief {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    /** Without floating-point targets, which hardly any device lacks, balls darken nothing. */
    this.isPossible = gl.getExtension("EXT_color_buffer_float") !== null;
    /** @type {WebGLTexture | null} */
    this.texture = null;
    this.target = gl.createFramebuffer();
    this.depth = gl.createRenderbuffer();
    this.size = "";
    this.seen = "";
  }

  /**
   * Make ready to be drawn into; false where it is what it would be, or cannot be had.
   * @param {number} width of the picture @param {number} height @param {string} seen what tells views apart
   */
  begin(width, height, seen) {
    const { gl } = this;
    if (!this.isPossible) return false;
    const [wide, high] = [(width + 1) >> 1, (height + 1) >> 1];
    if (this.size !== `${wide} ${high}`) this.allocate(wide, high);
    else if (this.seen === seen) return false;
    this.size = `${wide} ${high}`;
    this.seen = seen;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, wide, high);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    return true;
  }

  /** @param {number} wide @param {number} high */
  allocate(wide, high) {
    const { gl } = this;
    gl.deleteTexture(this.texture);
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, wide, high);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindRenderbuffer(gl.RENDERBUFFER, this.depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, wide, high);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.texture, 0);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, this.depth);
  }
}
