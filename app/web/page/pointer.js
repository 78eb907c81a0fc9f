// Mouse, trackpad and fingers.

const kButtons = [0, 2, 1, 3, 4];  // left, middle, right, back, forward, as GLFW numbers them
const kLongPressMs = 550;
const kNotchPx = 40;      // a finger's way that scrolls as a notch of a wheel does
const kZoomPerNotch = 1.2;

function listenToPointer(canvas, typed, tell) {
  const move = event => tell(kEventMove, [0, event.clientX], [0, event.clientY]);
  const button = (number, action, modifiers) => tell(kEventButton, [1, number], [1, action], [1, modifiers]);
  const wheel = (x, y, modifiers) => {
    const bounded = value => Math.max(-50, Math.min(50, value));
    tell(kEventWheel, [0, bounded(x)], [0, bounded(y)], [1, modifiers]);
  };
  const touch = listenToTouch(move, button, wheel);

  canvas.addEventListener('pointerdown', event => {
    typed.focus({preventScroll: true});
    event.preventDefault();
    try { canvas.setPointerCapture(event.pointerId); } catch { /* made by a script */ }
    if (event.pointerType === 'touch') return touch.down(event);
    move(event);
    if (event.button >= 0 && event.button < 5) button(kButtons[event.button], 1, modifiersOf(event));
  });
  let pressed = 0;
  canvas.addEventListener('pointermove', event => {
    if (event.pointerType === 'touch') return touch.move(event);
    move(event);
    // A second button while one is held comes as a move.
    if (event.button >= 0 && event.button < 5) {
      const bit = [1, 4, 2, 8, 16][event.button];
      button(kButtons[event.button], event.buttons & bit ? 1 : 0, modifiersOf(event));
    }
    pressed = event.buttons;
  });
  const up = event => {
    if (event.pointerType === 'touch') return touch.up(event);
    move(event);
    if (event.button >= 0 && event.button < 5) button(kButtons[event.button], 0, modifiersOf(event));
    pressed = 0;
  };
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('pointerenter', () => tell(kEventEnter, [1, 1]));
  canvas.addEventListener('pointerleave', () => { if (!pressed) tell(kEventEnter, [1, 0]); });
  for (const kind of ['mousedown', 'mouseup', 'auxclick', 'contextmenu'])
    canvas.addEventListener(kind, event => event.preventDefault());
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    // 120 a notch, whatever the system's setting of lines; finer on trackpads.
    let x = (event.wheelDeltaX ?? -event.deltaX * 3) / 120, y = (event.wheelDeltaY ?? -event.deltaY * 3) / 120;
    // Browsers turn the wheel sideways for Shift; the window does that itself.
    if (event.shiftKey && y === 0 && !isMac) [x, y] = [0, x];
    // A pinch on a trackpad comes as a wheel with Ctrl.
    wheel(x, y, modifiersOf(event));
  }, {passive: false});
}

// One finger: a tap is a click, a longer press a right click, a move scrolls. Two: zoom between them, and move with them.
function listenToTouch(move, button, wheel) {
  const fingers = new Map();
  let start = null, last = null, hasMoved = false, timer = 0;
  const middle = () => {
    const all = [...fingers.values()];
    const [a, b] = [all[0], all[1] ?? all[0]];
    return {clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2,
            apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)};
  };
  const click = number => {
    move(start);
    button(number, 1, 0);
    button(number, 0, 0);
    hasMoved = true;  // no second click when the finger goes
  };
  return {
    down(event) {
      fingers.set(event.pointerId, event);
      last = middle();
      clearTimeout(timer);
      if (fingers.size > 1) return void (hasMoved = true);
      start = event;
      hasMoved = false;
      timer = setTimeout(() => { if (!hasMoved) click(1); }, kLongPressMs);
    },
    move(event) {
      if (!fingers.has(event.pointerId)) return;
      fingers.set(event.pointerId, event);
      const now = middle();
      if (!hasMoved && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < 8) return;
      if (!hasMoved) move(start);
      hasMoved = true;
      if (fingers.size > 1) {
        move(now);
        if (last.apart > 0 && now.apart > 0)
          wheel(0, Math.log(now.apart / last.apart) / Math.log(kZoomPerNotch), kControl);
      }
      wheel((now.clientX - last.clientX) / kNotchPx, (now.clientY - last.clientY) / kNotchPx, 0);
      last = now;
    },
    up(event) {
      clearTimeout(timer);
      if (!fingers.delete(event.pointerId)) return;
      if (!hasMoved && event.type === 'pointerup') click(0);
      if (fingers.size > 0) last = middle();
    }
  };
}
