// Keys by their place on the keyboard, as GLFW numbers them, and characters as they are typed.

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);

const kKeyNumbers = (() => {
  const numbers = {
    Space: 32, Quote: 39, Comma: 44, Minus: 45, Period: 46, Slash: 47, Semicolon: 59, Equal: 61, BracketLeft: 91,
    Backslash: 92, BracketRight: 93, Backquote: 96, IntlBackslash: 161, Escape: 256, Enter: 257, Tab: 258, Backspace: 259,
    Insert: 260, Delete: 261, ArrowRight: 262, ArrowLeft: 263, ArrowDown: 264, ArrowUp: 265, PageUp: 266, PageDown: 267,
    Home: 268, End: 269, CapsLock: 280, ScrollLock: 281, NumLock: 282, PrintScreen: 283, Pause: 284, NumpadDecimal: 330,
    NumpadDivide: 331, NumpadMultiply: 332, NumpadSubtract: 333, NumpadAdd: 334, NumpadEnter: 335, NumpadEqual: 336,
    ShiftLeft: 340, ControlLeft: 341, AltLeft: 342, MetaLeft: 343, ShiftRight: 344, ControlRight: 345, AltRight: 346,
    MetaRight: 347, ContextMenu: 348
  };
  for (let i = 0; i < 26; ++i) numbers['Key' + String.fromCharCode(65 + i)] = 65 + i;
  for (let i = 0; i < 10; ++i) {
    numbers['Digit' + i] = 48 + i;
    numbers['Numpad' + i] = 320 + i;
  }
  for (let i = 1; i <= 12; ++i) numbers['F' + i] = 289 + i;
  if (isMac) Object.assign(numbers, {MetaLeft: 341, MetaRight: 345});
  return numbers;
})();

// What the keyboard's layout has at a place, where the browser tells.
let layout = null;
navigator.keyboard?.getLayoutMap?.().then(map => layout = map, () => {});

// On a Mac the command key is what Ctrl is elsewhere.
function modifiersOf(event) {
  if (event.getModifierState?.('AltGraph')) return event.shiftKey ? kShift : 0;
  return (event.shiftKey ? kShift : 0) | (event.ctrlKey || (isMac && event.metaKey) ? kControl : 0) |
         (event.altKey ? kAlt : 0);
}

function characterOf(event) {
  let text = layout?.get(event.code) ?? (event.shiftKey && !/^[a-z]$/i.test(event.key) ? '' : event.key);
  text = text.length === 1 ? text.toLowerCase() : '';
  const code = text ? text.charCodeAt(0) : 0;
  return code > 32 && code < 127 ? code : 0;
}

// Keys that stay the browser's: its own reload, and its tools.
const kOfTheBrowser = new Set(['F5', 'F12']);

function listenToKeys(typed, tell) {
  let isComposing = false;
  const sendKey = (number, character, action, modifiers) =>
      tell(kEventKey, [2, number], [1, character], [1, action], [1, modifiers]);
  const sendText = text => {
    for (const character of text) tell(kEventCharacter, [4, character.codePointAt(0)]);
  };

  const send = (event, action) => {
    const number = kKeyNumbers[event.code];
    if (number === undefined) return;
    let modifiers = modifiersOf(event);
    // Browsers close their tab by Ctrl+W before the page hears of it.
    if (event.code === 'KeyW' && modifiers === kAlt) modifiers = kControl;
    sendKey(number, action ? characterOf(event) : 0, action, modifiers);
  };

  typed.addEventListener('keydown', event => {
    if (event.isComposing || event.keyCode === 229 || kOfTheBrowser.has(event.code)) return;
    const modifiers = modifiersOf(event);
    const pastes = (event.code === 'KeyV' && modifiers === kControl) || (event.code === 'Insert' && modifiers === kShift);
    if (pastes) return;  // the paste event follows, with the text
    send(event, event.repeat ? 2 : 1);
    const isTyped = event.key === 'Dead' || ([...event.key].length === 1 && !(modifiers & (kControl | kAlt)));
    if (!isTyped) event.preventDefault();
  });
  typed.addEventListener('keyup', event => {
    if (event.isComposing || kOfTheBrowser.has(event.code)) return;
    send(event, 0);
    event.preventDefault();
  });
  typed.addEventListener('paste', event => {
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    tell(kEventClipboard, [-1, text.slice(0, kLongestPaste)]);
    sendKey(kKeyNumbers.KeyV, 118, 1, kControl);
    sendKey(kKeyNumbers.KeyV, 0, 0, kControl);
  });
  typed.addEventListener('compositionstart', () => isComposing = true);
  typed.addEventListener('compositionend', event => {
    isComposing = false;
    sendText(event.data ?? '');
    typed.value = '';
  });
  typed.addEventListener('input', event => {
    if (isComposing || event.isComposing) return;
    if (event.inputType === 'insertText' && event.data) sendText(event.data);
    typed.value = '';
  });
}
