// What comes over the line: frames of draw lists (app/web/wire/list_encoder.h writes them). Nothing here touches the page.

const kFrame = 1, kTexture = 2;
const kParts = 64;  // of a device pixel
const kMostVertices = 1 << 24;
const kFill = 0, kGlyph = 1, kQuad = 2;
const kNoFills = new Int32Array(0);

// Numbers of bytes, the lowest byte first. What is beyond their end is an error.
class WireReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }
  byte() {
    if (this.at >= this.bytes.length) throw new Error('a frame is cut off');
    return this.bytes[this.at++];
  }
  uint16() { const value = this.view.getUint16(this.at, true); this.at += 2; return value; }
  uint32() { const value = this.view.getUint32(this.at, true); this.at += 4; return value; }
  real() { const value = this.view.getFloat32(this.at, true); this.at += 4; return value; }
  varint() {
    const bytes = this.bytes;
    let value = 0, factor = 1, byte;
    do {
      if (this.at >= bytes.length || factor > 2 ** 49) throw new Error('a frame is cut off');
      byte = bytes[this.at++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte > 127);
    return value;
  }
  zigzag() {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  count(most) {
    const value = this.varint();
    if (value > most) throw new Error('a frame claims to have more than it may');
    return value;
  }
  block() {
    const size = this.count(this.bytes.length - this.at);
    this.at += size;
    return new WireReader(this.bytes.subarray(this.at - size, this.at));
  }
}

// The draw lists of a connection, as the last frame left them.
class WireDecoder {
  constructor() {
    this.lists = [];
    this.forgetGlyphs();
  }

  forgetGlyphs() {
    this.glyphs = new Float32Array(5 * 1024);  // u0 v0 u1 v1, and the size as two numbers
    this.sizes = new Int32Array(2 * 1024);
    this.glyphCount = 0;
  }

  // A frame: {width, height, density, background, lists}; a list that did not change is the same object. Throws where
  // the bytes are no frame; what was decoded before is of no use then.
  decode(bytes) {
    const reader = new WireReader(bytes);
    const frame = {width: reader.real(), height: reader.real(), density: reader.real(), background: reader.uint32()};
    if (reader.byte() & 1) {
      this.forgetGlyphs();
      this.lists = [];
    }
    this.whiteU = reader.real();
    this.whiteV = reader.real();  // where the texture is white: what lies there needs none
    this.unit = 1 / (kParts * frame.density);
    this.readGlyphs(reader);
    const lists = [];
    for (let left = reader.count(4096); left > 0; --left) {
      const known = reader.varint();
      if (known > this.lists.length) throw new Error('a frame names a list that is not there');
      lists.push(known > 0 ? this.lists[known - 1] : this.readList(reader, this.lists[lists.length]));
    }
    frame.lists = this.lists = lists;
    return frame;
  }

  readGlyphs(reader) {
    for (let left = reader.count(1 << 20); left > 0; --left) {
      const at = this.glyphCount++;
      if (at * 4 + 4 > this.glyphs.length) {
        const glyphs = new Float32Array(this.glyphs.length * 2);
        glyphs.set(this.glyphs);
        this.glyphs = glyphs;
      }
      if (at * 2 + 2 > this.sizes.length) {
        const sizes = new Int32Array(this.sizes.length * 2);
        sizes.set(this.sizes);
        this.sizes = sizes;
      }
      for (let i = 0; i < 4; ++i) this.glyphs[at * 4 + i] = reader.real();
      if (this.glyphs[at * 4] === this.whiteU && this.glyphs[at * 4 + 1] === this.whiteV) this.glyphs[at * 4] = -1;
      this.sizes[at * 2] = reader.zigzag();
      this.sizes[at * 2 + 1] = reader.zigzag();
    }
  }

  // `before`: the list that stood in its place, if any.
  readList(reader, before) {
    const commands = [];
    let elements = 0;
    for (let left = reader.count(1 << 16); left > 0; --left) {
      const count = reader.count(kMostVertices);
      commands.push({first: elements, count, x0: reader.real(), y0: reader.real(), x1: reader.real(), y1: reader.real()});
      elements += count;
    }
    if (elements > kMostVertices) throw new Error('a frame claims to have more than it may');
    const shapes = reader.block();
    const kinds = [];
    let vertices = 0, meshes = 0;
    while (shapes.at < shapes.bytes.length) {
      const word = shapes.varint();
      const kind = word % 4, count = (word - kind) / 4;
      kinds.push(kind, count);
      if (kind < 3) vertices += 4 * count;
      else ++meshes;
    }
    const colourCounts = reader.block(), colours = reader.block();
    const fills = this.readFills(reader, before?.fills ?? kNoFills);
    const glyphShift = reader.byte() & 31;
    const glyphNumbers = reader.block(), glyphX = reader.block(), glyphY = reader.block();
    const freeShift = reader.byte() & 31;
    const freeGlyphs = reader.block(), freeX = reader.block(), freeY = reader.block();
    const meshSizes = reader.block(), meshIndices = reader.block();
    for (let i = 0; i < meshes; ++i) {
      vertices += meshSizes.count(kMostVertices);
      meshSizes.varint();
    }
    if (vertices > kMostVertices) throw new Error('a frame claims to have more than it may');
    meshSizes.at = 0;

    const buffer = new ArrayBuffer(vertices * 20);
    const reals = new Float32Array(buffer), words = new Uint32Array(buffer);
    const indices = new Uint32Array(elements);
    let v = 0, n = 0;  // vertices and indices so far
    let colour = 0, colourLeft = 0;
    const nextColour = () => {
      while (colourLeft === 0) {
        colourLeft = colourCounts.varint();
        colour = colours.uint32();
      }
      --colourLeft;
      return colour;
    };
    const vertex = (x, y, u, w, c) => {
      const at = v++ * 5;
      reals[at] = x;
      reals[at + 1] = y;
      reals[at + 2] = u;
      reals[at + 3] = w;
      words[at + 4] = c;
    };
    const quadIndices = () => {
      indices[n] = indices[n + 3] = v;
      indices[n + 1] = v + 1;
      indices[n + 2] = indices[n + 4] = v + 2;
      indices[n + 5] = v + 3;
      n += 6;
    };
    const {glyphs, sizes, unit} = this;
    const glyphUnit = unit * 2 ** glyphShift, freeUnit = unit * 2 ** freeShift;
    let f = 0, glyphRight = 0, glyphTop = 0, freeLeft = 0, freeTop = 0;
    const freeVertex = () => {
      const glyph = this.known(freeGlyphs.varint());
      freeLeft += freeX.zigzag();
      freeTop += freeY.zigzag();
      vertex(freeLeft * freeUnit, freeTop * freeUnit, glyphs[glyph * 4], glyphs[glyph * 4 + 1], nextColour());
    };
    for (let k = 0; k < kinds.length; k += 2) {
      const kind = kinds[k], count = kinds[k + 1];
      if (kind === kFill) {
        for (let i = 0; i < count; ++i) {
          if (f >= fills.length) throw new Error('a frame has fewer rectangles than it says');
          const x0 = fills[f] * unit, y0 = fills[f + 1] * unit, x1 = (fills[f] + fills[f + 2]) * unit,
                y1 = (fills[f + 1] + fills[f + 3]) * unit, c = fills[f + 4];
          f += 5;
          quadIndices();
          vertex(x0, y0, -1, 0, c);
          vertex(x1, y0, -1, 0, c);
          vertex(x1, y1, -1, 0, c);
          vertex(x0, y1, -1, 0, c);
        }
      } else if (kind === kGlyph) {
        for (let i = 0; i < count; ++i) {
          const glyph = this.known(glyphNumbers.varint());
          const left = glyphRight + glyphX.zigzag();
          glyphTop += glyphY.zigzag();
          const width = sizes[glyph * 2];
          glyphRight = left + (width >> glyphShift);
          const x0 = left * glyphUnit, y0 = glyphTop * glyphUnit;
          const x1 = x0 + width * unit, y1 = y0 + sizes[glyph * 2 + 1] * unit;
          const c = nextColour();
          quadIndices();
          const g = glyph * 4;
          vertex(x0, y0, glyphs[g], glyphs[g + 1], c);
          vertex(x1, y0, glyphs[g + 2], glyphs[g + 1], c);
          vertex(x1, y1, glyphs[g + 2], glyphs[g + 3], c);
          vertex(x0, y1, glyphs[g], glyphs[g + 3], c);
        }
      } else if (kind === kQuad) {
        for (let i = 0; i < count; ++i) {
          quadIndices();
          for (let corner = 0; corner < 4; ++corner) freeVertex();
        }
      } else {
        const ownVertices = meshSizes.varint(), ownIndices = meshSizes.varint();
        let index = v;
        for (let i = 0; i < ownIndices; ++i) {
          index += meshIndices.zigzag();
          if (index < 0 || index >= vertices) throw new Error('a frame names a vertex that is not there');
          if (n >= elements) throw new Error('a frame has more indices than it says');
          indices[n++] = index;
        }
        for (let i = 0; i < ownVertices; ++i) freeVertex();
      }
    }
    return {commands, buffer, indices, fills};
  }

  // Rectangles of one colour: x, y, width, height, colour of each. Those that the list had before, too, are named by
  // runs: at the same place, or shifted sideways with what rounding made of that.
  readFills(reader, before) {
    const shift = reader.zigzag();
    const runs = reader.block(), moved = reader.block(), lefts = reader.block(), tops = reader.block(),
          widths = reader.block(), heights = reader.block(), counts = reader.block(), colours = reader.block();
    let count = 0;
    while (runs.at < runs.bytes.length) {
      const word = runs.varint();
      count += Math.floor(word / 4);
      if (word % 4 > 0) runs.varint();
    }
    if (count > kMostVertices / 4) throw new Error('a frame claims to have more than it may');
    runs.at = 0;
    const fills = new Int32Array(count * 5);
    let at = 0, next = 0, x = 0, y = 0, width = 0, height = 0, colour = 0, colourLeft = 0;
    while (runs.at < runs.bytes.length) {
      const word = runs.varint(), source = word % 4, length = Math.floor(word / 4);
      if (source === 0) {
        for (let i = 0; i < length; ++i) {
          x += width + lefts.zigzag();
          y += tops.zigzag();
          width += widths.zigzag();
          height += heights.zigzag();
          while (colourLeft === 0) {
            colourLeft = counts.varint();
            colour = colours.uint32();
          }
          --colourLeft;
          fills[at++] = x;
          fills[at++] = y;
          fills[at++] = width;
          fills[at++] = height;
          fills[at++] = colour;
        }
        continue;
      }
      const first = next + runs.zigzag();
      next = first + length;
      if (first < 0 || next * 5 > before.length) throw new Error('a frame names a rectangle that is not there');
      fills.set(before.subarray(first * 5, next * 5), at);
      if (source === 1) {
        for (let i = 0; i < length; ++i) {
          const rounded = moved.byte();
          fills[at + i * 5] += shift + Math.floor(rounded / 3) - 1;
          fills[at + i * 5 + 2] += rounded % 3 - 1;
        }
      }
      at += length * 5;
    }
    return fills;
  }

  known(glyph) {
    if (glyph >= this.glyphCount) throw new Error('a frame names a glyph that is not there');
    return glyph;
  }
}

// Raw deflate, by the browser.
async function inflate(bytes) {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  writer.write(bytes).catch(() => {});  // the reader tells of it
  writer.close().catch(() => {});
  return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

// The font's texture: {width, height, channels, pixels}.
async function readTexture(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const width = view.getUint16(0, true), height = view.getUint16(2, true), channels = bytes[4];
  const pixels = await inflate(bytes.subarray(5));
  if ((channels !== 1 && channels !== 4) || pixels.length !== width * height * channels) throw new Error('no texture');
  return {width, height, channels, pixels};
}
