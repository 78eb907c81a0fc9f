// Draws frames with WebGL 2, as Dear ImGui's OpenGL renderer does in the window.

const kVertexShader = `#version 300 es
uniform vec2 size;
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 uv;
layout(location = 2) in vec4 colour;
out vec2 fragUv;
out vec4 fragColour;
void main() {
  fragUv = uv;
  fragColour = colour;
  gl_Position = vec4(position.x / size.x * 2.0 - 1.0, 1.0 - position.y / size.y * 2.0, 0.0, 1.0);
}`;
const kFragmentShader = `#version 300 es
precision highp float;
uniform sampler2D atlas;
uniform bool isAlpha;
in vec2 fragUv;
in vec4 fragColour;
out vec4 result;
void main() {
  result = fragColour;
  // What has no texture has u below 0: half of the work where no GPU does it.
  if (fragUv.x >= 0.0) {
    vec4 texel = textureLod(atlas, fragUv, 0.0);
    result *= isAlpha ? vec4(1.0, 1.0, 1.0, texel.r) : texel;
  }
}`;

class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.spare = [];  // buffers that no list has
    this.owned = new Map();  // buffers by list
    this.frame = null;
    this.texture = null;
    this.begin();
    canvas.addEventListener('webglcontextlost', event => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', () => {
      this.begin();
      if (this.texture) this.setTexture(this.texture);
      this.draw(this.frame);
    });
  }

  begin() {
    const gl = this.gl = this.canvas.getContext('webgl2', {alpha: false, antialias: false, depth: false, stencil: false});
    if (!gl) throw new Error('This browser has no WebGL 2, with which the window is drawn.');
    this.spare = [];
    this.owned = new Map();
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, kVertexShader], [gl.FRAGMENT_SHADER, kFragmentShader]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error('This browser refuses what draws the window.');
    gl.useProgram(program);
    this.size = gl.getUniformLocation(program, 'size');
    this.isAlpha = gl.getUniformLocation(program, 'isAlpha');
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.LINEAR);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  }

  setTexture(texture) {
    const gl = this.gl;
    this.texture = texture;
    const [inside, outside] = texture.channels === 1 ? [gl.R8, gl.RED] : [gl.RGBA8, gl.RGBA];
    gl.texImage2D(gl.TEXTURE_2D, 0, inside, texture.width, texture.height, 0, outside, gl.UNSIGNED_BYTE, texture.pixels);
    gl.uniform1i(this.isAlpha, texture.channels === 1 ? 1 : 0);
  }

  buffersOf(list) {
    let own = this.owned.get(list);
    if (own) return own;
    const gl = this.gl;
    own = this.spare.pop();
    if (!own) {
      own = {array: gl.createVertexArray(), vertices: gl.createBuffer(), indices: gl.createBuffer()};
      gl.bindVertexArray(own.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, own.vertices);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, own.indices);
      for (const place of [0, 1, 2]) gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 20, 0);
      gl.vertexAttribPointer(1, 2, gl.FLOAT, false, 20, 8);
      gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, 20, 16);
    }
    gl.bindVertexArray(own.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, own.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, list.buffer, gl.STREAM_DRAW);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, list.indices, gl.STREAM_DRAW);
    this.owned.set(list, own);
    return own;
  }

  // The frame over all of the canvas; null: nothing.
  draw(frame) {
    this.frame = frame;
    if (!frame || !this.texture || this.gl.isContextLost()) return;
    const gl = this.gl, {width, height} = this.canvas;
    for (const [list, own] of this.owned) {
      if (frame.lists.includes(list)) continue;
      this.spare.push(own);
      this.owned.delete(list);
    }
    gl.viewport(0, 0, width, height);
    gl.disable(gl.SCISSOR_TEST);
    const channel = shift => (frame.background >>> shift & 255) / 255;
    gl.clearColor(channel(24), channel(16), channel(8), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    // A frame of another size than the canvas is stretched until the next one comes.
    gl.uniform2f(this.size, frame.width, frame.height);
    const sx = width / frame.width, sy = height / frame.height;
    for (const list of frame.lists) {
      const own = this.buffersOf(list);
      gl.bindVertexArray(own.array);
      for (const command of list.commands) {
        const x0 = command.x0 * sx, y1 = command.y1 * sy;
        const w = Math.trunc(command.x1 * sx - x0), h = Math.trunc(y1 - command.y0 * sy);
        if (command.count === 0 || w <= 0 || h <= 0) continue;
        gl.scissor(Math.trunc(x0), Math.trunc(height - y1), w, h);
        gl.drawElements(gl.TRIANGLES, command.count, gl.UNSIGNED_INT, command.first * 4);
      }
    }
  }

  // A PNG of a part of the window, in its layout units.
  async picture(x, y, width, height) {
    this.draw(this.frame);
    const sx = this.canvas.width / this.frame.width, sy = this.canvas.height / this.frame.height;
    const part = document.createElement('canvas');
    part.width = Math.round(width * sx);
    part.height = Math.round(height * sy);
    part.getContext('2d').drawImage(this.canvas, Math.round(x * sx), Math.round(y * sy), part.width, part.height, 0, 0,
                                    part.width, part.height);
    return new Promise(resolve => part.toBlob(resolve, 'image/png'));
  }
}
