// SPDX-License-Identifier: Apache-2.0
// Frames of a replay from their bytes. src/out/replay_code.c says how they are packed; the operations here are the same
// in the same order, so that both guess the same.
import {BODY, CONTACT} from './pack.js';
import {rotate} from './math.js';

const NONE = 0xffffffff, WORLD = 0xfffffffe, TIE = 7; // of ties: body, point on it, point on one's own

/** @param {string} text base64 @returns {Promise<ArrayBuffer>} */
export async function inflate(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

const limit = (x, low, high) => Number.isFinite(x) ? Math.min(high, Math.max(low, x)) : 0;

/** What guesses need to know. */
export class Guide {
  /** @param {any} data of the page @param {ArrayBuffer} scales @param {ArrayBuffer|null} ties */
  constructor(data, scales, ties) {
    this.low = data.low;
    this.step = data.step;
    this.bodies = data.bodies;
    this.scales = new Uint16Array(scales);
    this.tied = ties ? new Uint32Array(ties) : null;
    this.points = ties ? new Float32Array(ties) : null;
    this.turned = new Float64Array(4);
    this.at = new Float64Array(6);
  }

  /** A point turned by whole numbers that stand for a quaternion. @param {Int32Array} n @param {number} k
   * @param {Float32Array} v @param {number} i @param {number} to where in this.at */
  turn(n, k, v, i, to) {
    const q = this.turned;
    let square = 0;
    for (let c = 0; c < 4; c++) square += n[k + c] * n[k + c];
    const size = Math.sqrt(square);
    for (let c = 0; c < 4; c++) q[c] = square > 0 ? n[k + c] / size : 0;
    rotate(q, 0, v[i], v[i + 1], v[i + 2], this.at, to);
  }

  /** Where a joint says that a body is. @param {Int32Array} n of the frame @param {number} frame where it begins in n
   * @param {number} body @param {Int32Array} guess */
  place(n, frame, body, guess) {
    const {at, points, low, step} = this, t = TIE * body, other = this.tied[t];
    if (other === WORLD) {
      for (let c = 0; c < 3; c++) at[c] = points[t + 1 + c];
    } else {
      const k = frame + BODY * other;
      this.turn(n, k + 4, points, t + 1, 0);
      for (let c = 0; c < 3; c++) at[c] = low[c] + step * n[k + c] + at[c];
    }
    this.turn(n, frame + BODY * body + 4, points, t + 4, 3);
    for (let c = 0; c < 3; c++) guess[c] = limit(Math.floor((at[c] - at[3 + c] - low[c]) / step + 0.5), 0, 65535);
  }

  /** @param {number} body */
  isTied(body) {
    return this.tied !== null && this.tied[TIE * body] !== NONE;
  }
}

/** A chunk of frames, unpacked one after the other as they are asked for. */
export class Chunk {
  /** @param {Guide} guide @param {ArrayBuffer} buffer @param {number} count frames */
  constructor(guide, buffer, count) {
    this.guide = guide;
    this.planes = new Uint8Array(buffer);
    this.count = count;
    this.size = guide.bodies * BODY;
    this.numbers = new Int32Array(count * this.size);
    this.done = 0;
    this.guess = new Int32Array(BODY);
  }

  /** The whole numbers of a frame, [bodies][BODY]. @param {number} f @returns {Int32Array} */
  frame(f) {
    while (this.done <= f) this.undo(this.done++);
    if (this.done === this.count) this.planes = null;
    return this.numbers.subarray(f * this.size, (f + 1) * this.size);
  }

  /** @param {number} f whose predecessors are known */
  undo(f) {
    const {numbers: n, guide, guess, size} = this, now = f * size, last = now - size, before = last - size;
    for (let body = 0; body < guide.bodies; body++) {
      const k = BODY * body;
      for (let c = 0; c < BODY; c++) {
        guess[c] = f > 1 && c !== 3 ? 2 * n[last + k + c] - n[before + k + c] : f ? n[last + k + c] : body ? n[now + k + c - BODY] : 0;
      }
      this.undoTurn(f, body, f ? last + k : -1);
      if (guide.isTied(body)) guide.place(n, now, body, guess);
      for (let c = 0; c < 4; c++) n[now + k + c] = guess[c] + this.rest(f, body, c) & 0xffff;
    }
  }

  /** What is kept of a number. @param {number} f @param {number} body @param {number} c */
  rest(f, body, c) {
    const at = (c * this.guide.bodies + body) * this.count + f;
    const zigzag = this.planes[at] | this.planes[this.planes.length / 2 + at] << 8;
    return zigzag >> 1 ^ -(zigzag & 1);
  }

  /** The quaternion; its largest component of the last frame follows from the others. @param {number} f
   * @param {number} body @param {number} last where the last frame has the body, or -1 */
  undoTurn(f, body, last) {
    const {numbers: n, guess} = this, k = f * this.size + BODY * body, scale = this.guide.scales[body];
    let largest = -1;
    if (last >= 0) {
      largest = 4;
      for (let c = 5; c < 8; c++) if (Math.abs(n[last + c]) > Math.abs(n[last + largest])) largest = c;
    }
    let left = scale * scale;
    for (let c = 4; c < 8; c++) {
      if (c === largest) continue;
      n[k + c] = guess[c] + this.rest(f, body, c) << 16 >> 16;
      left -= n[k + c] * n[k + c];
    }
    if (largest < 0) return;
    const size = Math.floor(Math.sqrt(Math.max(left, 0)) + 0.5);
    n[k + largest] = (n[last + largest] < 0 ? -size : size) + this.rest(f, body, largest) << 16 >> 16;
  }
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

/**
 * The reactions of the frames of a chunk, [frame][joint][6] (src/out/replay_load.c).
 * @param {ArrayBuffer} buffer @param {number} frames @param {{joints: number, load: number}} units @returns {Float32Array[]}
 */
export function undoReactions(buffer, frames, {joints, load}) {
  const scales = new Float32Array(buffer, 0, 2), planes = new Uint8Array(buffer, 8), half = planes.length / 2;
  const list = Array.from({length: frames}, () => new Float32Array(6 * joints));
  let from = 0;
  for (let c = 0; c < 6; c++) {
    for (let k = 0; k < joints; k++) {
      let now = 0;
      for (let f = 0; f < frames; f++, from++) {
        const zigzag = planes[from] | planes[half + from] << 8;
        now = now + (zigzag >> 1 ^ -(zigzag & 1)) & 0xffff;
        list[f][6 * k + c] = (now << 16 >> 16) / load * scales[c < 3 ? 0 : 1];
      }
    }
  }
  return list;
}
