// SPDX-License-Identifier: Apache-2.0
// What is drawn over the bodies: springs, joints and their free axes, frames of bodies, markers with their tracks,
// reaction forces, contacts, and the hand that drags.
import {BODY, CONTACT} from './pack.js';
import {place, rotate, turn} from './math.js';
import {ARROW, Labels, POINT as SPOT, TEXT, readDrawing} from './drawing.js';
import {Sticks} from './sticks.js';

const AXES = [[0.90, 0.30, 0.27], [0.35, 0.72, 0.35], [0.30, 0.52, 0.95]];
const TURNS = [0.98, 0.66, 0.22], SLIDES = [0.25, 0.75, 0.88], POINT = [0.95, 0.95, 0.95], EDGE = [0.1, 0.12, 0.15];
const FORCE = [0.93, 0.36, 0.55], SPRING = [0.62, 0.66, 0.70], TRACK = [0.98, 0.78, 0.30], HAND = [1, 0.62, 0.2];
const TOUCH = [0.45, 0.85, 0.35], RUB = [0.98, 0.66, 0.22];
const MOST = 40000; // of a kind; more cannot be told apart
const TRACK_LENGTH = 400;

/** What can be switched: name, label. */
export const LAYERS = {
  joints: 'Joints', axes: 'Body frames', markers: 'Markers', reactions: 'Reaction forces', contacts: 'Contacts',
  ground: 'Ground', shadow: 'Shadow', drawing: 'Drawings', book: 'Energy book',
};

export class Overlay {
  /** @param {import('./pack.js').Look} look @param {import('three').Scene} scene with the bodies
   * @param {import('three').Scene} over drawn after it @param {number} size of the scene */
  constructor(look, scene, over, size) {
    this.look = look;
    this.size = size;
    /** @type {Object<string, boolean>} */
    this.shown = {};
    this.springs = new Sticks(scene, {width: 2.5, depth: true});
    this.lines = new Sticks(over, {width: 2.5, opacity: 0.9});
    this.rims = new Sticks(over, {width: 8, opacity: 0.75});
    this.dots = new Sticks(over, {width: 5});
    this.tracks = new Sticks(over, {width: 2, opacity: 0.8});
    this.labels = new Labels(over);
    this.all = [this.springs, this.tracks, this.lines, this.rims, this.dots];
    /** @type {{from: number[], to: number[]}|null} */
    this.hand = null;
    this.unit = this.typicalSize();
    this.forgetTracks();
  }

  /** Lengths of axes: of the order of a body. */
  typicalSize() {
    const count = Math.max(1, this.look.bodies);
    return Math.max(this.size / 60, Math.min(this.size / 14, this.size / Math.cbrt(count)));
  }

  forgetTracks() {
    this.past = [];
    this.pastTime = -Infinity;
  }

  /** @param {{bodies: Float32Array, time: number, reactions?: Float32Array, contacts?: Float32Array, drawing?: Uint8Array}} frame */
  update(frame) {
    for (const sticks of this.all) sticks.clear();
    this.labels.clear();
    this.addSprings(frame.bodies);
    if (this.shown.axes) this.addAxes(frame.bodies);
    if (this.shown.joints) this.addJoints(frame.bodies);
    if (this.shown.markers) this.addMarkers(frame);
    if (this.shown.reactions && frame.reactions) this.addReactions(frame.bodies, frame.reactions);
    if (this.shown.contacts && frame.contacts) this.addContacts(frame.contacts);
    if (this.shown.drawing && frame.drawing) this.addDrawing(frame.drawing);
    if (this.hand) {
      this.lines.add(this.hand.from, 0, this.hand.to, 0, HAND);
      this.dot(this.hand.to, HAND);
    }
    for (const sticks of this.all) sticks.finish();
  }

  /** @param {number[]} at @param {number[]} rgb */
  dot(at, rgb) {
    this.rims.add(at, 0, at, 0, EDGE);
    this.dots.add(at, 0, at, 0, rgb);
  }

  /** @param {Float32Array} bodies */
  addSprings(bodies) {
    const pairs = this.look.arrays.spring_bodies, points = this.look.arrays.spring_points, a = [0, 0, 0], b = [0, 0, 0];
    for (let k = 0; k < Math.min(pairs.length / 2, MOST); k++) {
      place(bodies, pairs[2 * k], points[6 * k], points[6 * k + 1], points[6 * k + 2], a, 0);
      place(bodies, pairs[2 * k + 1], points[6 * k + 3], points[6 * k + 4], points[6 * k + 5], b, 0);
      this.springs.add(a, 0, b, 0, SPRING);
    }
  }

  /** @param {Float32Array} bodies */
  addAxes(bodies) {
    const tip = [0, 0, 0], length = 0.6 * this.unit;
    for (let k = 0; k < Math.min(this.look.bodies, MOST); k++) {
      for (let axis = 0; axis < 3; axis++) {
        place(bodies, k, axis === 0 ? length : 0, axis === 1 ? length : 0, axis === 2 ? length : 0, tip, 0);
        this.lines.add(bodies, BODY * k, tip, 0, AXES[axis]);
      }
    }
  }

  /** A joint's point and axis in the world. @param {Float32Array} bodies @param {number} k @param {number} end 0 base, 1
   * follower @param {number} axis 0 to 2; -1: the point only @param {number[]} point @param {number[]} direction */
  jointFrame(bodies, k, end, axis, point, direction) {
    const frames = this.look.arrays.joint_frames, at = 14 * k + 7 * end;
    const body = this.look.arrays.joint_bodies[2 * k + end];
    place(bodies, body, frames[at], frames[at + 1], frames[at + 2], point, 0);
    if (axis < 0) return;
    rotate(frames, at + 3, axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0, direction, 0);
    turn(bodies, body, direction[0], direction[1], direction[2], direction, 0);
  }

  /** @param {Float32Array} bodies */
  addJoints(bodies) {
    const kinds = this.look.arrays.joint_kind, point = [0, 0, 0], way = [0, 0, 0], a = [0, 0, 0], b = [0, 0, 0];
    const half = 0.35 * this.unit;
    for (let k = 0; k < Math.min(kinds.length, MOST); k++) {
      const [, slides, turns] = this.look.jointKinds[kinds[k]];
      for (const [axes, rgb] of [[slides, SLIDES], [turns, TURNS]]) {
        if (axes.length > 2) continue; // all directions alike: the dot says it
        for (const letter of axes) {
          this.jointFrame(bodies, k, 0, 'xyz'.indexOf(letter), point, way);
          for (let n = 0; n < 3; n++) {
            a[n] = point[n] - half * way[n];
            b[n] = point[n] + half * way[n];
          }
          this.lines.add(a, 0, b, 0, rgb);
        }
      }
      this.jointFrame(bodies, k, 1, -1, point, way);
      this.dot(point, turns ? TURNS : slides ? SLIDES : POINT);
    }
  }

  /** @param {{bodies: Float32Array, time: number}} frame */
  addMarkers(frame) {
    const {marker_body: body, marker_point: points} = this.look.arrays, count = Math.min(body.length, MOST);
    const now = new Float32Array(3 * count), at = [0, 0, 0];
    for (let k = 0; k < count; k++) {
      place(frame.bodies, body[k], points[3 * k], points[3 * k + 1], points[3 * k + 2], now, 3 * k);
    }
    if (frame.time < this.pastTime) this.forgetTracks();
    if (frame.time > this.pastTime) this.past.push(now);
    this.pastTime = frame.time;
    const long = Math.max(2, Math.floor(TRACK_LENGTH * Math.min(1, 50 / Math.max(1, count))));
    while (this.past.length > long) this.past.shift();
    for (let n = 0; n + 1 < this.past.length; n++) {
      for (let k = 0; k < count; k++) this.tracks.add(this.past[n], 3 * k, this.past[n + 1], 3 * k, TRACK);
    }
    for (let k = 0; k < count; k++) {
      for (let n = 0; n < 3; n++) at[n] = now[3 * k + n];
      this.dot(at, TRACK);
    }
  }

  /** Arrows; the largest of a while is as long as a few bodies. @param {Float32Array} bodies
   * @param {Float32Array} reactions [joints][6] force and torque on the follower, world axes */
  addReactions(bodies, reactions) {
    const count = Math.min(reactions.length / 6, MOST), from = [0, 0, 0], to = [0, 0, 0];
    let largest = 0;
    for (let k = 0; k < count; k++) {
      largest = Math.max(largest, Math.hypot(reactions[6 * k], reactions[6 * k + 1], reactions[6 * k + 2]));
    }
    this.largest = Math.max(largest, 0.995 * (this.largest || 0));
    if (!(this.largest > 0)) return;
    const scale = 2.5 * this.unit / this.largest;
    for (let k = 0; k < count; k++) {
      this.jointFrame(bodies, k, 1, -1, from, to);
      for (let n = 0; n < 3; n++) to[n] = from[n] + scale * reactions[6 * k + n];
      this.arrow(from, to, FORCE);
    }
  }

  /** A dot at each point, an arrow for what pushes along the normal, and a line for friction; the largest force of a
   * while is as long as a few bodies. @param {Float32Array} contacts [contacts][CONTACT] */
  addContacts(contacts) {
    const count = Math.min(contacts.length / CONTACT, MOST), from = [0, 0, 0], to = [0, 0, 0];
    let largest = 0;
    for (let k = 0; k < count; k++) largest = Math.max(largest, Math.abs(contacts[CONTACT * k + 6]));
    this.largestContact = Math.max(largest, 0.995 * (this.largestContact || 0));
    const scale = this.largestContact > 0 ? 2 * this.unit / this.largestContact : 0;
    for (let k = 0; k < count; k++) {
      const c = CONTACT * k, push = contacts[c + 6];
      for (let n = 0; n < 3; n++) {
        from[n] = contacts[c + n];
        to[n] = from[n] + scale * push * contacts[c + 3 + n];
      }
      this.arrow(from, to, TOUCH);
      for (let n = 0; n < 3; n++) to[n] = from[n] + scale * contacts[c + 7 + n];
      this.lines.add(from, 0, to, 0, RUB);
      this.dot(from, TOUCH);
    }
  }

  /** Geometry of the caller's own. @param {Uint8Array} bytes */
  addDrawing(bytes) {
    if (this.drawn !== bytes) this.items = readDrawing(bytes);
    this.drawn = bytes;
    for (const {kind, from, to, rgb, text} of this.items) {
      if (kind === TEXT) this.labels.add(text, from, rgb);
      else if (kind === SPOT) this.dot(from, rgb);
      else if (kind === ARROW) this.arrow(from, to, rgb);
      else this.lines.add(from, 0, to, 0, rgb);
    }
  }

  /** @param {number[]} from @param {number[]} to @param {number[]} rgb */
  arrow(from, to, rgb) {
    const way = [to[0] - from[0], to[1] - from[1], to[2] - from[2]], length = Math.hypot(...way);
    if (!(length > 0)) return;
    const head = Math.min(0.3 * length, 0.25 * this.unit);
    const up = Math.abs(way[2]) < 0.9 * length ? [0, 0, 1] : [1, 0, 0];
    const side = [way[1] * up[2] - way[2] * up[1], way[2] * up[0] - way[0] * up[2], way[0] * up[1] - way[1] * up[0]];
    const wide = Math.hypot(...side), barb = [0, 0, 0];
    this.lines.add(from, 0, to, 0, rgb);
    for (const s of [-0.5, 0.5]) {
      for (let n = 0; n < 3; n++) barb[n] = to[n] - head * (way[n] / length + s * side[n] / wide);
      this.lines.add(to, 0, barb, 0, rgb);
    }
  }

  /** @param {number} width @param {number} height @param {number} fov degrees */
  resize(width, height, fov) {
    this.labels.resize(height, fov);
    for (const sticks of this.all) sticks.resize(width, height);
  }

  destroy() {
    this.labels.destroy();
    for (const sticks of this.all) sticks.destroy();
  }
}
