// What the page tells the window (app/web/wire/page_events.h reads it).

const kVersion = 1;
const kEventHello = 1, kEventKey = 2, kEventCharacter = 3, kEventButton = 4, kEventMove = 5, kEventWheel = 6,
      kEventEnter = 7, kEventFocus = 8, kEventResize = 9, kEventAnswer = 10, kEventClipboard = 11, kEventPing = 12;
const kShift = 1, kControl = 2, kAlt = 4;
const kLongestPaste = 1 << 20;  // characters, of up to 3 bytes

// Puts fields together: [size in bytes, value]; size 0: a real number; size -1: text.
function eventBytes(kind, ...fields) {
  const texts = fields.map(([size, value]) => size === -1 ? new TextEncoder().encode(value) : null);
  let length = 1;
  fields.forEach(([size], i) => length += size === -1 ? 4 + texts[i].length : size || 4);
  const view = new DataView(new ArrayBuffer(length));
  view.setUint8(0, kind);
  let at = 1;
  fields.forEach(([size, value], i) => {
    if (size === -1) {
      view.setUint32(at, texts[i].length, true);
      new Uint8Array(view.buffer).set(texts[i], at + 4);
      at += texts[i].length + 4;
    } else if (size === 0) {
      view.setFloat32(at, value, true);
      at += 4;
    } else {
      if (size === 1) view.setUint8(at, value);
      else if (size === 2) view.setUint16(at, value, true);
      else view.setUint32(at, value, true);
      at += size;
    }
  });
  return new Uint8Array(view.buffer);
}
