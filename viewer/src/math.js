// SPDX-License-Identifier: Apache-2.0
// Poses in flat arrays, without objects: they are many.
import {BODY, WORLD} from './pack.js';

/**
 * Rotates (x, y, z) by the quaternion at q[k..k+3] (x, y, z, w) into out[at..].
 * @param {ArrayLike<number>} q @param {number} k
 * @param {number} x @param {number} y @param {number} z
 * @param {number[]|Float32Array|Float64Array} out @param {number} at
 */
export function rotate(q, k, x, y, z, out, at) {
  const a = q[k], b = q[k + 1], c = q[k + 2], w = q[k + 3];
  const tx = 2 * (b * z - c * y), ty = 2 * (c * x - a * z), tz = 2 * (a * y - b * x);
  out[at] = x + w * tx + b * tz - c * ty;
  out[at + 1] = y + w * ty + c * tx - a * tz;
  out[at + 2] = z + w * tz + a * ty - b * tx;
}

/**
 * World position of a point of a body (or of the world).
 * @param {Float32Array} bodies @param {number} body
 * @param {number} x @param {number} y @param {number} z
 * @param {number[]|Float32Array|Float64Array} out @param {number} at
 */
export function place(bodies, body, x, y, z, out, at) {
  if (body === WORLD) {
    out[at] = x; out[at + 1] = y; out[at + 2] = z;
    return;
  }
  const k = BODY * body;
  rotate(bodies, k + 4, x, y, z, out, at);
  out[at] += bodies[k]; out[at + 1] += bodies[k + 1]; out[at + 2] += bodies[k + 2];
}

/**
 * World direction of a direction in a body's frame.
 * @param {Float32Array} bodies @param {number} body
 * @param {number} x @param {number} y @param {number} z
 * @param {number[]|Float32Array|Float64Array} out @param {number} at
 */
export function turn(bodies, body, x, y, z, out, at) {
  if (body === WORLD) {
    out[at] = x; out[at + 1] = y; out[at + 2] = z;
    return;
  }
  rotate(bodies, BODY * body + 4, x, y, z, out, at);
}

/** A number that a reader can take in. @param {number} value @returns {string} */
export function short(value) {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return '–';
  if (size === 0) return '0';
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace('e+', 'e');
  return value.toLocaleString('en', {maximumSignificantDigits: 3});
}
