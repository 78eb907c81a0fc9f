// The page: a canvas that shows the window, and a line to it that is made again when it breaks.

const kCursors = ['default', 'text', 'move', 'ns-resize', 'ew-resize', 'nesw-resize', 'nwse-resize', 'pointer',
                  'not-allowed'];
const kRetryMs = [200, 500, 1000, 2000, 5000];
const kSleptMs = 20000;
const kAnswerMs = 4000;

const canvas = document.getElementById('window'), typed = document.getElementById('typed');
const messageBox = document.getElementById('message');
// For tests and measurements.
const figures = {frames: 0, drawn: 0, bytes: 0, textBytes: 0, decodeMs: 0, drawMs: 0, sizes: [], numbers: []};
globalThis.lacunaFigures = figures;

// What the tab remembers: reloading it brings the same window back.
const memory = {
  get(key) { try { return sessionStorage.getItem('lacuna-' + key) ?? ''; } catch { return ''; } },
  set(key, value) { try { sessionStorage.setItem('lacuna-' + key, value); } catch { /* a frame without storage */ } }
};
const address = new URL(location.href);
if (address.searchParams.has('token')) {
  memory.set('token', address.searchParams.get('token'));
  if (memory.get('token')) history.replaceState(null, '', address.pathname);
}
const token = memory.get('token') || address.searchParams.get('token') || '';
let windowId = memory.get('window');

function say(text, retry) {
  messageBox.hidden = !text;
  messageBox.querySelector('p').textContent = text;
  const again = messageBox.querySelector('button');
  again.hidden = !retry;
  again.onclick = retry ?? null;
}

let socket = null, tries = 0, decoder = null, drawing = null, pending = null, isScheduled = false;
let lastNews = 0;  // when the server was last heard of
try {
  drawing = new Drawing(canvas);
  figures.redraw = () => drawing.draw(drawing.frame);
} catch (error) {
  say(error.message);
}

function tell(kind, ...fields) {
  if (socket?.readyState !== WebSocket.OPEN) return;
  socket.send(eventBytes(kind, ...fields));
}

function tellSize() {
  tell(kEventResize, [0, canvas.width / devicePixelRatio], [0, canvas.height / devicePixelRatio], [0, devicePixelRatio]);
}

function drawPending() {
  isScheduled = false;
  if (!pending) return;
  const {frame, number, came} = pending;
  pending = null;
  const start = performance.now();
  drawing.draw(frame);
  figures.drawMs += performance.now() - start;
  ++figures.drawn;
  figures.numbers.push([number, performance.now()]);
  if (figures.numbers.length > 4000) figures.numbers.splice(0, 2000);
  tell(kEventAnswer, [4, number], [2, Math.min(65535, Math.round(performance.now() - came))]);
}

async function takeBinary(bytes, came) {
  figures.bytes += bytes.length;
  if (bytes[0] === kTexture) return drawing.setTexture(await readTexture(bytes.subarray(1)));
  if (bytes[0] !== kFrame) throw new Error('The server sent what this page does not know.');
  figures.sizes.push(bytes.length);
  if (figures.sizes.length > 4000) figures.sizes.splice(0, 2000);
  const number = new DataView(bytes.buffer).getUint32(1, true);
  const body = await inflate(bytes.subarray(5));
  const start = performance.now();
  const frame = decoder.decode(body);
  figures.decodeMs += performance.now() - start;
  ++figures.frames;
  pending = {frame, number, came};
  if (!isScheduled) requestAnimationFrame(drawPending);
  isScheduled = true;
}

function takeText(json) {
  figures.textBytes += json.length;
  const news = JSON.parse(json);
  if (news.window) {
    windowId = news.window;
    memory.set('window', windowId);
    tries = 0;
    say('');
  }
  if (news.title !== undefined) {
    document.title = news.title;
    canvas.style.cursor = news.cursor < 0 ? 'none' : kCursors[news.cursor] ?? 'default';
    typed.style.left = news.caret[0] + 'px';
    typed.style.top = news.caret[1] + 'px';
  }
  if (news.copy !== undefined) copyText(news.copy, typed);
  if (news.fullscreen) {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen().then(() => navigator.keyboard?.lock?.(), () => {});
  }
  if (news.download) download(news.download, news.name, token).catch(error => say(error.message, () => say('')));
  if (news.picture) drawing.picture(...news.part).then(blob => saveBlob(blob, news.picture));
}

function connect() {
  if (!drawing) return;
  if (!token) return say('Open the address that lacuna web printed: it ends with a token.');
  const place = new URL('socket', location.href);
  place.protocol = place.protocol === 'https:' ? 'wss:' : 'ws:';
  place.search = place.hash = '';
  const line = socket = new WebSocket(place, ['lacuna', 'token.' + token]);
  line.binaryType = 'arraybuffer';
  decoder = new WireDecoder();
  let chain = Promise.resolve();  // messages are taken in order, though unpacking them waits
  line.onopen = () => {
    socket.send(eventBytes(kEventHello, [4, kVersion], [-1, windowId]));
    tellSize();
    tell(kEventFocus, [1, document.hasFocus() ? 1 : 0]);
  };
  line.onmessage = event => {
    const came = lastNews = performance.now();
    chain = chain.then(() => {
      if (line !== socket) return undefined;
      return event.data instanceof ArrayBuffer ? takeBinary(new Uint8Array(event.data), came) : takeText(event.data);
    }).catch(error => {
      console.error(error);
      line.close();  // and from the beginning
    });
  };
  line.onclose = event => {
    if (line !== socket) return;
    socket = null;
    if (event.code === 1008 && event.reason) return say(event.reason, () => location.reload());
    retry();
  };
}

async function retry() {
  const wait = kRetryMs[Math.min(tries++, kRetryMs.length - 1)];
  if (tries > 2) {
    const status = await fetch('download?id=', {headers: {Authorization: 'Bearer ' + token}})
                       .then(answer => answer.status, () => 0);
    if (status === 403) return say('The server was started anew. Open the address that it printed.', () => location.reload());
    say('Lacuna does not answer: it was ended, or the line to it is broken.\nTrying again\u2026', () => location.reload());
  }
  setTimeout(connect, wait);
}

// A laptop that slept, or changed its network, may have a line that looks alive and is not: made anew, it shows the same
// view.
function checkLine() {
  const line = socket, asked = performance.now();
  if (!line) return;
  tell(kEventPing);
  setTimeout(() => {
    if (line !== socket || lastNews >= asked) return;
    line.close();
    line.onclose({});  // the browser would wait for an answer to that, too
  }, kAnswerMs);
}
let lastTick = Date.now();
setInterval(() => {
  const now = Date.now();
  if (now - lastTick > kSleptMs) checkLine();
  lastTick = now;
}, 4000);
addEventListener('online', checkLine);

new ResizeObserver(entries => {
  const box = entries[0].devicePixelContentBoxSize?.[0];
  const width = box?.inlineSize ?? Math.round(canvas.clientWidth * devicePixelRatio);
  const height = box?.blockSize ?? Math.round(canvas.clientHeight * devicePixelRatio);
  if (width === 0 || height === 0) return;
  canvas.width = width;
  canvas.height = height;
  tellSize();
  if (drawing) drawing.draw(drawing.frame);
}).observe(canvas);

listenToKeys(typed, tell);
listenToPointer(canvas, typed, tell);
listenToDrops(files => uploadAll(files, windowId, token, say).catch(error => say(error.message, () => say(''))));
addEventListener('focus', () => {
  typed.focus({preventScroll: true});
  tell(kEventFocus, [1, 1]);
});
addEventListener('blur', () => tell(kEventFocus, [1, 0]));
typed.focus({preventScroll: true});
connect();
