// SPDX-License-Identifier: Apache-2.0
// A recorded run out of the page itself (src/out/replay.h). Chunks of frames are inflated when they are needed, and a few
// are kept; their frames are unpacked one by one (unpack.js).
import {BODY, unpackLook} from './pack.js';
import {splitDrawings} from './drawing.js';
import {Reader} from './quantity.js';
import {Chunk, Guide, inflate, undoReactions, undoTouches} from './unpack.js';

const KEPT = 4; // chunks
const SAMPLES = 8; // frames that the camera is placed by
const MANY = 5000; // bodies; of more, only the first frames of chunks are sampled
const NUMBERS = ['time', 'step', 'kinetic', 'potential', 'elastic', 'total', 'residual', 'rotationError', 'solves', 'flags', 'touching', 'reason'];

const BOOK = [...Array(15).keys()]; // the energy book, behind those

/** What comes with chunks when it is asked for: name in the page, and how it is unpacked. */
const EXTRAS = {
  contacts: {from: 'touches', undo: undoTouches},
  reactions: {from: 'reactions', undo: undoReactions},
};

export class Replay {
  /** @param {any} data what the page holds */
  constructor(data) {
    this.data = data;
    this.live = false;
    this.frames = data.frames;
    /** @type {Map<number, Promise<Chunk>|Chunk>} */
    this.chunks = new Map();
    /** @type {Object<string, {asked: boolean, chunks: Map<number, Promise<Float32Array[]>|Float32Array[]>}>} */
    this.extras = {contacts: {asked: false, chunks: new Map()}, reactions: {asked: false, chunks: new Map()}};
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
    this.guide = new Guide(this.data, await inflate(this.data.scales), this.data.ties ? await inflate(this.data.ties) : null);
    const columns = new Float64Array(await inflate(this.data.numbers));
    this.numbers = [];
    for (let k = 0; k < this.frames; k++) {
      const row = {};
      NUMBERS.forEach((name, n) => { row[name] = columns[n * this.frames + k]; });
      row.energy = [row.kinetic, row.potential, row.elastic, row.total];
      const book = BOOK.map((n) => columns[(NUMBERS.length + n) * this.frames + k]);
      if (!Number.isNaN(book[0])) row.book = book;
      row.drawn = columns[(NUMBERS.length + BOOK.length) * this.frames + k];
      this.numbers.push(row);
    }
    this.drawings = this.data.drawings ? splitDrawings(await inflate(this.data.drawings)) : [];
    this.look = look;
    handlers.hello({title: look.title, source: 'replay', parameters: [], colours: ['own', 'stress', 'speed']});
    handlers.look(look, await this.samples());
    handlers.state({playing: this.playing, speed: this.speed});
    await this.seek(0);
    if (handlers.plays) await this.play();
  }

  /** Some frames from all of the run, for the camera. */
  async samples() {
    const {chunk, bodies} = this.data, list = [], wanted = new Set();
    const count = bodies > MANY ? SAMPLES / 2 : SAMPLES;
    for (let k = 0; k < count; k++) {
      const f = Math.round(k * (this.frames - 1) / (count - 1));
      wanted.add(bodies > MANY ? f - f % chunk : f);
    }
    for (const f of wanted) {
      list.push(this.expand(await this.load(Math.floor(f / chunk)), f % chunk, new Float32Array(bodies * BODY)));
    }
    return list;
  }

  /** @param {number} k @returns {Chunk|null} the chunk, when it is there; else it is fetched */
  chunk(k) {
    const known = this.chunks.get(k);
    if (known instanceof Chunk) {
      this.chunks.delete(k);
      this.chunks.set(k, known); // the newest
      return known;
    }
    if (!known) this.load(k);
    return null;
  }

  /** @param {number} k @returns {Promise<Chunk>} */
  async load(k) {
    const known = this.chunks.get(k);
    if (known) return known;
    const count = Math.min(this.data.chunk, this.frames - k * this.data.chunk);
    const promise = inflate(this.data.chunks[k]).then((buffer) => new Chunk(this.guide, buffer, count));
    this.chunks.set(k, promise);
    const chunk = await promise;
    this.chunks.set(k, chunk);
    for (const old of this.chunks.keys()) {
      if (this.chunks.size <= KEPT) break;
      if (this.chunks.get(old) instanceof Chunk && old !== k) this.chunks.delete(old);
    }
    return chunk;
  }

  /** Unpacks contacts or reactions of the chunk that has a frame, when they are asked for. @param {string} name
   * @param {number} f */
  async loadExtra(name, f) {
    const {asked, chunks} = this.extras[name], list = this.data[EXTRAS[name].from], {chunk} = this.data;
    const k = Math.min(Math.floor(f / chunk), this.data.chunks.length - 1);
    if (!asked || !list) return;
    if (!chunks.has(k)) {
      const count = Math.min(chunk, this.frames - k * chunk);
      chunks.set(k, inflate(list[k]).then((buffer) => EXTRAS[name].undo(buffer, count, this.data)));
    }
    chunks.set(k, await chunks.get(k));
    for (const old of chunks.keys()) if (Math.abs(old - k) > 1) chunks.delete(old);
  }

  /** Contacts or reactions of a frame, when they are there; else they are fetched. @param {string} name @param {number} f
   * @returns {Float32Array|undefined} */
  extraAt(name, f) {
    const {asked, chunks} = this.extras[name], {chunk} = this.data;
    if (!asked) return undefined;
    const list = chunks.get(Math.floor(f / chunk));
    this.loadExtra(name, list ? f + chunk : f); // the next ones will be needed
    return Array.isArray(list) ? list[f % chunk] : undefined;
  }

  /** A frame's bodies into out. @param {Chunk} chunk @param {number} f in the chunk @param {Float32Array} out */
  expand(chunk, f, out) {
    const {low, step, octave} = this.data, numbers = chunk.frame(f);
    for (let k = 0; k < numbers.length; k += BODY) {
      for (let n = 0; n < 3; n++) out[k + n] = low[n] + step * numbers[k + n];
      out[k + 3] = 2 ** (numbers[k + 3] / octave) - 1;
      let square = 0;
      for (let n = 4; n < 8; n++) square += numbers[k + n] ** 2;
      const scale = square > 0 ? 1 / Math.sqrt(square) : 1;
      for (let n = 4; n < 8; n++) out[k + n] = numbers[k + n] * scale;
    }
    return out;
  }

  /**
   * A quantity at some of the frames.
   * @param {import('./quantity.js').Quantity} quantity @param {number} every @returns {Promise<(number|null)[]>}
   */
  async history(quantity, every) {
    const {chunk, low, step} = this.data, reader = new Reader(quantity), values = [];
    const bodies = new Float32Array(this.data.bodies * BODY), list = quantity.needs && this.data[EXTRAS[quantity.needs].from];
    let extra = null, extraOf = -1;
    for (let f = 0; f < this.frames; f += every) {
      const k = Math.floor(f / chunk), numbers = (await this.load(k)).frame(f % chunk);
      if (list && extraOf !== k) {
        extra = EXTRAS[quantity.needs].undo(await inflate(list[k]), Math.min(chunk, this.frames - k * chunk), this.data);
        extraOf = k;
      }
      for (const body of quantity.bodies) {
        const b = BODY * body, size = Math.hypot(...numbers.subarray(b + 4, b + 8));
        for (let n = 0; n < 3; n++) bodies[b + n] = low[n] + step * numbers[b + n];
        for (let n = 4; n < 8; n++) bodies[b + n] = numbers[b + n] / size;
      }
      values.push(reader.next({bodies, time: this.numbers[f].time, reactions: extra ? extra[f % chunk] : undefined}));
    }
    return values;
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
    this.handlers.frame({...row, time, bodies, index: at, colour: this.colour, contacts: this.extraAt('contacts', nearest),
      drawing: row.drawn ? this.drawings[row.drawn - 1] : undefined, reactions: this.extraAt('reactions', nearest)});
    return true;
  }

  /** Goes to a frame and waits until it is shown. @param {number} at */
  async seek(at) {
    this.at = Math.max(0, Math.min(this.frames - 1, at));
    const size = this.data.chunk;
    const last = this.data.chunks.length - 1;
    await this.load(Math.floor(Math.floor(this.at) / size));
    await this.load(Math.min(last, Math.floor((Math.floor(this.at) + 1) / size)));
    for (const name of Object.keys(EXTRAS)) await this.loadExtra(name, Math.round(this.at));
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

  /** Whether the page has contacts or reactions. @param {string} name */
  has(name) { return name === 'book' ? Boolean(this.numbers[0].book) : Boolean(this.data[EXTRAS[name].from]); }

  /** @param {{colour?: string, contacts?: boolean, reactions?: boolean, book?: boolean}} what */
  ask({colour, book, ...parts}) {
    if (colour) this.colour = colour;
    for (const [name, on] of Object.entries(parts)) if (on !== undefined) this.extras[name].asked = on;
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
