// SPDX-License-Identifier: Apache-2.0
// A simulation that is running, over a WebSocket (docs/viewer.md, "The socket").
import {BODY, unpackLook} from './pack.js';

const REACTIONS = 0x43414552, EFFORTS = 0x4f464645, CONTACTS = 0x544e4f43, BOOK = 0x4b4f4f42, // "REAC", "EFFO", "CONT", "BOOK"
  DRAWING = 0x57415244; // "DRAW"
const HEAD = 112;
export const COLOURS = ['own', 'stress', 'speed', 'residual'];

/**
 * A frame from its bytes (src/view/frame.h).
 * @param {ArrayBuffer} buffer
 */
export function readFrame(buffer) {
  const view = new DataView(buffer);
  const number = (at) => view.getFloat64(at, true), whole = (at) => view.getUint32(at, true);
  const bodies = whole(8);
  const frame = {
    generation: whole(4), step: Number(view.getBigUint64(16, true)), time: number(24),
    energy: [number(32), number(40), number(48), number(56)], residual: number(64), rotationError: number(72),
    seconds: number(80), solves: whole(88), flags: whole(92), colour: COLOURS[whole(12)], steps: whole(96),
    touching: whole(104), reason: whole(108),
    bodies: new Float32Array(buffer, HEAD, BODY * bodies),
    /** @type {Float32Array|undefined} */ reactions: undefined,
    /** @type {Float32Array|undefined} */ efforts: undefined,
    /** @type {Float32Array|undefined} */ contacts: undefined,
    /** @type {Float32Array|undefined} */ book: undefined,
    /** @type {Uint8Array|undefined} */ drawing: undefined,
  };
  let at = HEAD + 4 * BODY * bodies;
  while (at + 8 <= buffer.byteLength) {
    const size = whole(at + 4);
    if (whole(at) === REACTIONS) frame.reactions = new Float32Array(buffer, at + 8, size / 4);
    if (whole(at) === EFFORTS) frame.efforts = new Float32Array(buffer, at + 8, size / 4);
    if (whole(at) === BOOK) frame.book = new Float32Array(buffer, at + 8, size / 4);
    if (whole(at) === DRAWING) frame.drawing = new Uint8Array(buffer, at + 8, size);
    if (whole(at) === CONTACTS) frame.contacts = new Float32Array(buffer, at + 8, size / 4);
    at += 8 + size;
  }
  return frame;
}

export class Live {
  /** @param {string} url */
  constructor(url) {
    this.url = url;
    this.live = true;
    this.playing = false;
    this.generation = -1;
    this.retry = 500;
  }

  async start(handlers) {
    this.handlers = handlers;
    this.connect();
  }

  connect() {
    const socket = this.socket = new WebSocket(this.url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => { this.retry = 500; };
    socket.onmessage = (event) => {
      try {
        if (typeof event.data === 'string') this.readText(JSON.parse(event.data));
        else this.readBytes(event.data);
      } catch (error) {
        this.handlers.error({title: 'The program sent something that this page cannot read', text: String(error)});
      }
    };
    socket.onclose = () => {
      this.handlers.lost();
      setTimeout(() => this.connect(), this.retry);
      this.retry = Math.min(8000, 2 * this.retry);
    };
  }

  readText(message) {
    switch (message.type) {
      case 'hello': this.handlers.hello({...message, colours: COLOURS}); break;
      case 'state': this.playing = message.playing; this.handlers.state(message); break;
      case 'error': this.handlers.error(message); break;
      case 'notice': this.handlers.notice(message); break;
    }
  }

  /** @param {ArrayBuffer} buffer */
  readBytes(buffer) {
    const magic = new DataView(buffer).getUint32(0, false);
    if (magic === 0x4146584c) { // "AFXL"
      const look = unpackLook(buffer);
      this.generation = look.head.generation;
      this.handlers.look(look, null);
    } else if (magic === 0x41465846) { // "AFXF"
      const frame = readFrame(buffer);
      this.owed = true;
      if (frame.generation === this.generation) this.handlers.frame(frame);
      else this.acknowledge();
    }
  }

  /** @param {any} message */
  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** The last frame is drawn: the program may send more. */
  acknowledge() {
    if (this.owed) this.send({type: 'ack'});
    this.owed = false;
  }

  tick() {}
  play() { this.send({type: 'play'}); }
  pause() { this.send({type: 'pause'}); }
  step(n = 1) { this.send({type: 'step', count: n}); }
  reset() { this.send({type: 'reset'}); }
  reload() { this.send({type: 'reload'}); }
  setSpeed(value) { this.send({type: 'speed', value}); }
  setParameter(name, value) { this.send({type: 'set', name, value: String(value)}); }
  ask({colour, reactions, contacts, book}) { this.send({type: 'show', colour, reactions, contacts, book}); }
  drag(body, point, target) { this.send({type: 'drag', body, point, target}); }
  release() { this.send({type: 'release'}); }
  setJoint(joint, axis, value) { this.send({type: 'joint', joint, axis, value}); }
  setDrive(drive, value) { this.send({type: 'drive', drive, value}); }
  hash() { this.send({type: 'hash'}); }
}
