// SPDX-License-Identifier: Apache-2.0
// Numbers of a frame that can be told and plotted: of bodies, joints and markers. Joint coordinates are measured between
// the frames of the joint, from the poses that are shown.
import {BODY, WORLD} from './pack.js';
import {place} from './math.js';

/**
 * @typedef {Object} Quantity
 * @property {string} key unique in a scene
 * @property {string} label short, beside others of the same thing
 * @property {string} title in full
 * @property {string} unit
 * @property {number[]} bodies that have to be known
 * @property {string} [needs] 'reactions'
 * @property {boolean} [angle] goes on from the last value over half a turn
 * @property {boolean} [rate] is the change of `read` with time, the size of it when that is a list
 * @property {(frame: any) => number|number[]} read
 */

/** a b, both x, y, z, w. */
const multiply = (a, b) => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
  a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]];
const inverse = (q) => [-q[0], -q[1], -q[2], q[3]];

/** Where one end of a joint is: its point and its quaternion in the world. */
function jointEnd(look, bodies, joint, end) {
  const body = look.arrays.joint_bodies[2 * joint + end], from = 14 * joint + 7 * end, frames = look.arrays.joint_frames;
  const point = [0, 0, 0], own = [...frames.subarray(from + 3, from + 7)];
  place(bodies, body, frames[from], frames[from + 1], frames[from + 2], point, 0);
  return {point, turn: body === WORLD ? own : multiply([...bodies.subarray(BODY * body + 4, BODY * body + 8)], own)};
}

/** Shift and rotation vector of a joint's follower, in the axes of its base. @returns {{shift: number[], turn: number[]}} */
export function jointValues(look, bodies, joint) {
  const a = jointEnd(look, bodies, joint, 0), b = jointEnd(look, bodies, joint, 1), back = inverse(a.turn);
  const off = [0, 1, 2].map((n) => b.point[n] - a.point[n]);
  const shift = multiply(multiply(back, [...off, 0]), a.turn).slice(0, 3);
  const q = multiply(back, b.turn), size = Math.hypot(q[0], q[1], q[2]);
  const factor = size > 1e-12 ? 2 * Math.atan2(size, q[3]) / size : 2;
  return {shift, turn: q.slice(0, 3).map((x) => x * factor)};
}

/** Free axes of a joint: kind, letter, number among them. @returns {{turns: boolean, letter: string, axis: number}[]} */
export function freeAxes(look, joint) {
  const [, slides, turns] = look.jointKinds[look.arrays.joint_kind[joint]];
  return [...[...slides].map((letter) => ({turns: false, letter})), ...[...turns].map((letter) => ({turns: true, letter}))]
      .map((one, axis) => ({...one, axis}));
}

/** @param {import('./pack.js').Look} look @param {number} body */
export const bodyName = (look, body) => body === WORLD ? 'world' : look.bodyNames[body] || `body ${body}`;
/** @param {import('./pack.js').Look} look @param {number} joint */
export const jointName = (look, joint) => look.head.joint_names?.[joint] || `joint ${joint}`;

/** @param {import('./pack.js').Look} look @param {number} body @returns {Quantity[]} */
export function bodyQuantities(look, body) {
  const name = bodyName(look, body), k = BODY * body, at = (frame) => frame.bodies.subarray(k, k + 3);
  const list = ['x', 'y', 'z'].map((letter, n) => ({key: `b${body}${letter}`, label: letter, title: `${name}: ${letter}`,
    unit: 'm', bodies: [body], read: (frame) => frame.bodies[k + n]}));
  return [...list, {key: `b${body}v`, label: 'speed', title: `${name}: speed`, unit: 'm/s', bodies: [body], rate: true,
    read: (frame) => [...at(frame)]}];
}

/** @param {import('./pack.js').Look} look @param {number} joint @returns {Quantity[]} */
export function jointQuantities(look, joint) {
  const name = jointName(look, joint);
  const bodies = [...look.arrays.joint_bodies.subarray(2 * joint, 2 * joint + 2)].filter((body) => body !== WORLD);
  const list = freeAxes(look, joint).map(({turns, letter}) => {
    const n = 'xyz'.indexOf(letter), label = `${turns ? 'angle' : 'shift'} ${letter}`;
    return {key: `j${joint}${turns ? 'a' : 's'}${letter}`, label, title: `${name}: ${label}`, unit: turns ? 'rad' : 'm', bodies,
      angle: turns, read: (frame) => jointValues(look, frame.bodies, joint)[turns ? 'turn' : 'shift'][n]};
  });
  const load = (label, first, unit) => ({key: `j${joint}${label}`, label, title: `${name}: reaction ${label}`, unit, bodies,
    needs: 'reactions', read: (frame) => frame.reactions
      ? Math.hypot(...frame.reactions.subarray(6 * joint + first, 6 * joint + first + 3)) : NaN});
  const axes = freeAxes(look, joint), efforts = [];
  (look.head.drives || []).forEach((drive, k) => {
    if (drive.joint !== joint) return;
    const label = `effort of ${drive.name || `drive ${k}`}`;
    efforts.push({key: `d${k}`, label, title: `${name}: ${label}`, unit: axes[drive.axis]?.turns ? 'Nm' : 'N', bodies: [], needs: 'reactions',
      read: (frame) => frame.efforts ? frame.efforts[k] : NaN});
  });
  return [...list, load('force', 0, 'N'), load('torque', 3, 'Nm'), ...efforts];
}

/** @param {import('./pack.js').Look} look @param {number} marker @returns {Quantity[]} */
export function markerQuantities(look, marker) {
  const {marker_body: body, marker_point: points} = look.arrays, name = look.markerNames[marker] || `marker ${marker}`;
  const at = [0, 0, 0], from = points.subarray(3 * marker, 3 * marker + 3);
  return ['x', 'y', 'z'].map((letter, n) => ({key: `m${marker}${letter}`, label: letter, title: `${name}: ${letter}`, unit: 'm',
    bodies: body[marker] === WORLD ? [] : [body[marker]], read: (frame) => {
      place(frame.bodies, body[marker], from[0], from[1], from[2], at, 0);
      return at[n];
    }}));
}

/** Values one after the other: angles go on over half a turn, rates are differences. */
export class Reader {
  /** @param {Quantity} quantity */
  constructor(quantity) {
    this.quantity = quantity;
    this.last = null;
  }

  /** @param {any} frame later than the last @returns {number|null} */
  next(frame) {
    const {rate, angle, read} = this.quantity, value = read(frame), last = this.last;
    this.last = {time: frame.time, value};
    if (rate) {
      const span = last ? frame.time - last.time : 0;
      return span > 0 ? Math.hypot(...value.map((x, n) => x - last.value[n])) / span : null;
    }
    if (angle && last) this.last.value = value + 2 * Math.PI * Math.round((last.value - value) / (2 * Math.PI));
    const now = this.last.value;
    return Number.isFinite(now) ? now : null;
  }
}
