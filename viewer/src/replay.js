// SPDX-License-Identifier: Apache-2.0
// A recorded run out of the page itself. src/out/replay.h says how frames are packed; chunks of them are unpacked when
// they are needed, and a few are kept.
import {BODY, CONTACT, unpackLook} from './pack.js';

const KEPT = 6; // chunks
const SAMPLED = 2e6; // bodies in the frames that the camera is placed by
const NUMBERS = ['time', 'step', 'kinetic', 'potential', 'elastic', 'total', 'residual', 'rotationError', 'solves', 'flags', 'seconds', 'touching'];

/** @param {string} text base64 @returns {Promise<ArrayBuffer>} */
async function inflate(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

/**
 * The whole numbers of a chunk, [frame][body][BODY].
 * @param {Uint8Array} planes @param {number} bodies @param {number} count frames @returns {Int32Array}
 */
export function undoPlanes(planes, bodies, count) {
  const numbers = new Int32Array(count * bodies * BODY), half = planes.length / 2;
  for (let c = 0; c < BODY; c++) {
    const unsigned = c < 4; // positions and values
    for (let b = 0; b < bodies; b++) {
      let last = 0, before = 0, from = (c * bodies + b) * count;
      for (let f = 0; f < count; f++, from++) {
        const zigzag = planes[from] | planes[half + from] << 8;
        const rest = zigzag >> 1 ^ -(zigzag & 1);
        const now = (f > 1 ? 2 * last - before : last) + rest & 0xffff;
        numbers[(f * bodies + b) * BODY + c] = unsigned ? now : now << 16 >> 16;
        before = last;
        last = now;
      }
    }
  }
  return numbers;
}

/**
 * The contacts of the frames of a chunk, [frame][contact][CONTACT] (src/out/replay_touch.c).
 * @param {ArrayBuffer} buffer @param {number} frames
 * @param {{low: number[], step: number, normal: number, force: number}} units @returns {Float32Array[]}
 */
export function undoTouches(buffer, frames, {low, step, normal, force}) {
  const counts = new Uint32Array(buffer, 0, frames), scales = new Float32Array(buffer, 4 * frames, frames);
  const planes = new Uint8Array(buffer, 8 * frames), half = planes.length / 2, total = half / CONTACT, list = [];
  let at = 0;
  for (let f = 0; f < frames; f++) {
    const out = new Float32Array(CONTACT * counts[f]);
    for (let c = 0; c < CONTACT; c++) {
      let now = 0, from = c * total + at;
      for (let k = 0; k < counts[f]; k++, from++) {
        const zigzag = planes[from] | planes[half + from] << 8;
        now = now + (zigzag >> 1 ^ -(zigzag & 1)) & 0xffff;
        const signed = now << 16 >> 16;
        out[CONTACT * k + c] = c < 3 ? low[c] + step * now : c < 6 ? signed / normal : signed / force * scales[f];
      }
    }
    at += counts[f];
    list.push(out);
  }
  return list;
}

export class Replay {
  /** @param {any} data what the page holds */
  constructor(data) {
    this.data = data;
    this.live = false;
    this.frames = data.frames;
    /** @type {Map<number, Promise<Int32Array>|Int32Array>} */
    this.chunks = new Map();
    this.contacts = false; // asked for
    /** @type {Map<number, Promise<Float32Array[]>|Float32Array[]>} */
    this.touches = new Map();
    this.at = 0; // frame, with a fraction
    this.playing = false;
    this.speed = 1;
    this.colour = 'own';
    this.values = null;
    /** @type {any} */ this.handlers = {};
  }

  async start(handlers) {
    this.handlers = handlers;
    const look = unpackLook(await inflate(this.data.look));
    const columns = new Float64Array(await inflate(this.data.numbers));
    this.numbers = [];
    for (let k = 0; k < this.frames; k++) {
      const row = {};
      NUMBERS.forEach((name, n) => { row[name] = columns[n * this.frames + k]; });
      row.energy = [row.kinetic, row.potential, row.elastic, row.total];
      this.numbers.push(row);
    }
    this.look = look;
    handlers.hello({title: look.title, source: 'replay', parameters: [], colours: ['own', 'stress', 'speed']});
    handlers.look(look, await this.samples());
    handlers.state({playing: this.playing, speed: this.speed});
    await this.seek(0);
    if (handlers.plays) await this.play();
  }

  /** Some frames from all of the run, for the camera: one for each chunk and the last. */
  async samples() {
    const {chunk, bodies} = this.data, list = [], every = Math.max(1, Math.ceil(this.frames * bodies / SAMPLED / chunk));
    for (let k = 0; k < this.data.chunks.length; k += every) {
      const numbers = await this.load(k), count = numbers.length / (bodies * BODY);
      for (const f of new Set([0, count >> 2, count >> 1, 3 * count >> 2, count - 1])) {
        list.push(this.expand(numbers, f, new Float32Array(bodies * BODY)));
      }
    }
    return list;
  }

  /** @param {number} k @returns {Int32Array|null} the chunk, when it is there; else it is fetched */
  chunk(k) {
    const known = this.chunks.get(k);
    if (known instanceof Int32Array) {
      this.chunks.delete(k);
      this.chunks.set(k, known); // the newest
      return known;
    }
    if (!known) this.load(k);
    return null;
  }

  /** @param {number} k @returns {Promise<Int32Array>} */
  async load(k) {
    const known = this.chunks.get(k);
    if (known) return known;
    const count = Math.min(this.data.chunk, this.frames - k * this.data.chunk);
    const promise = inflate(this.data.chunks[k])
        .then((buffer) => undoPlanes(new Uint8Array(buffer), this.data.bodies, count));
    this.chunks.set(k, promise);
    const numbers = await promise;
    this.chunks.set(k, numbers);
    for (const old of this.chunks.keys()) {
      if (this.chunks.size <= KEPT) break;
      if (this.chunks.get(old) instanceof Int32Array && old !== k) this.chunks.delete(old);
    }
    return numbers;
  }

  /** Unpacks the contacts of the chunk that has a frame, when they are asked for. @param {number} f */
  async loadTouches(f) {
    const {chunk, touches} = this.data, k = Math.min(Math.floor(f / chunk), this.data.chunks.length - 1);
    if (!this.contacts || !touches) return;
    if (!this.touches.has(k)) {
      const count = Math.min(chunk, this.frames - k * chunk);
      this.touches.set(k, inflate(touches[k]).then((buffer) => undoTouches(buffer, count, this.data)));
    }
    this.touches.set(k, await this.touches.get(k));
    for (const old of this.touches.keys()) if (Math.abs(old - k) > 1) this.touches.delete(old);
  }

  /** The contacts of a frame, when they are there; else they are fetched. @param {number} f
   * @returns {Float32Array|undefined} */
  touchesAt(f) {
    if (!this.contacts) return undefined;
    const {chunk} = this.data, list = this.touches.get(Math.floor(f / chunk));
    this.loadTouches(list ? f + chunk : f); // the next ones will be needed
    return Array.isArray(list) ? list[f % chunk] : undefined;
  }

  /** A frame's bodies into out. @param {Int32Array} chunk @param {number} f in the chunk @param {Float32Array} out */
  expand(chunk, f, out) {
    const {low, step, quaternion, octave} = this.data, size = this.data.bodies * BODY;
    for (let k = 0, from = f * size; k < size; k += BODY, from += BODY) {
      for (let n = 0; n < 3; n++) out[k + n] = low[n] + step * chunk[from + n];
      out[k + 3] = 2 ** (chunk[from + 3] / octave) - 1;
      let square = 0;
      for (let n = 4; n < 8; n++) square += chunk[from + n] ** 2;
      const scale = square > 0 ? 1 / Math.sqrt(square) : 1 / quaternion;
      for (let n = 4; n < 8; n++) out[k + n] = chunk[from + n] * scale;
    }
    return out;
  }

  /** Shows frame `at`, or what is between two; false when it is still being unpacked. @param {number} at */
  show(at) {
    const first = Math.min(Math.floor(at), this.frames - 1), next = Math.min(first + 1, this.frames - 1);
    const size = this.data.chunk, chunk = this.chunk(Math.floor(first / size));
    const ahead = this.chunk(Math.min(Math.floor(next / size), this.data.chunks.length - 1));
    this.chunk(Math.min(Math.floor(first / size) + 1, this.data.chunks.length - 1)); // will be needed
    const part = at - first;
    if (!chunk || (part > 0 && !ahead)) return false;
    const length = this.data.bodies * BODY;
    const bodies = this.expand(chunk, first % size, new Float32Array(length));
    const wantsSpeed = this.colour === 'speed';
    if ((part > 0 || wantsSpeed) && ahead) {
      const other = this.expand(ahead, next % size, new Float32Array(length));
      const span = this.numbers[next].time - this.numbers[first].time;
      for (let k = 0; k < length; k += BODY) {
        if (wantsSpeed) {
          bodies[k + 3] = span > 0 ? Math.hypot(other[k] - bodies[k], other[k + 1] - bodies[k + 1], other[k + 2] - bodies[k + 2]) / span : 0;
        }
        if (part > 0) mix(bodies, other, k, part);
      }
    }
    const nearest = part < 0.5 ? first : next, row = this.numbers[nearest];
    const time = this.numbers[first].time + part * (this.numbers[next].time - this.numbers[first].time);
    this.handlers.frame({...row, time, bodies, index: at, colour: this.colour, contacts: this.touchesAt(nearest)});
    return true;
  }

  /** Goes to a frame and waits until it is shown. @param {number} at */
  async seek(at) {
    this.at = Math.max(0, Math.min(this.frames - 1, at));
    const size = this.data.chunk;
    const last = this.data.chunks.length - 1;
    await this.load(Math.floor(Math.floor(this.at) / size));
    await this.load(Math.min(last, Math.floor((Math.floor(this.at) + 1) / size)));
    await this.loadTouches(Math.round(this.at));
    this.show(this.at);
  }

  /** The frame, with a fraction, of a time. @param {number} time */
  frameAt(time) {
    let low = 0, high = this.frames - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.numbers[middle].time <= time) low = middle; else high = middle;
    }
    if (this.frames < 2) return 0;
    const span = this.numbers[high].time - this.numbers[low].time;
    return Math.min(high, Math.max(low, low + (span > 0 ? (time - this.numbers[low].time) / span : 0)));
  }

  /** @param {number} now ms */
  tick(now) {
    const passed = Math.min(0.1, (now - (this.clock ?? now)) / 1e3);
    this.clock = now;
    if (!this.playing || !this.numbers || this.frames < 2) return;
    const time = this.numbers[Math.floor(this.at)].time + (this.at % 1) *
        (this.numbers[Math.min(this.frames - 1, Math.floor(this.at) + 1)].time - this.numbers[Math.floor(this.at)].time);
    let goal = this.frameAt(time + passed * Math.min(this.speed, 1e6));
    if (goal >= this.frames - 1) {
      goal = this.frames - 1;
      this.pause();
    }
    if (this.show(goal)) this.at = goal; // else wait for it
  }

  async play() {
    if (this.frames < 2) return;
    if (this.at >= this.frames - 1) await this.seek(0);
    this.playing = true;
    this.handlers.state({playing: true, speed: this.speed});
  }

  pause() {
    this.playing = false;
    this.handlers.state({playing: false, speed: this.speed});
  }

  step(n = 1) {
    this.pause();
    return this.seek(Math.round(this.at) + n);
  }

  reset() { return this.seek(0); }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    this.handlers.state({playing: this.playing, speed});
  }

  /** @param {{colour?: string, contacts?: boolean}} what */
  ask({colour, contacts}) {
    if (colour) this.colour = colour;
    if (contacts !== undefined) this.contacts = contacts;
    return this.seek(this.at);
  }
}

/** Part of the way from a to b, for the body at k. @param {Float32Array} a @param {Float32Array} b */
function mix(a, b, k, part) {
  for (let n = 0; n < 3; n++) a[k + n] += part * (b[k + n] - a[k + n]);
  let dot = 0, square = 0;
  for (let n = 4; n < 8; n++) dot += a[k + n] * b[k + n];
  for (let n = 4; n < 8; n++) {
    a[k + n] += part * ((dot < 0 ? -b[k + n] : b[k + n]) - a[k + n]);
    square += a[k + n] ** 2;
  }
  for (let n = 4; n < 8; n++) a[k + n] /= Math.sqrt(square);
}
