// SPDX-License-Identifier: Apache-2.0
// A simulation in the page itself: the engine as WebAssembly (viewer/wasm/bridge.c), stepped between pictures.
import {COLOURS, readFrame} from './live.js';
import {unpackLook} from './pack.js';

const BUDGET = 12; // ms of steps for a picture
const FIRST = 'pulley';

export class Local {
  /** @param {(options?: any) => Promise<any>} load the engine's script */
  constructor(load) {
    this.load = load;
    this.live = true;
    this.local = true;
    this.playing = false;
    this.speed = 1;
    this.shows = {colour: 'own', reactions: false, contacts: false, book: false};
    /** @type {Object<string, string>} */ this.values = {};
  }

  /** @param {string} name @param {string} kind of what it returns @param {any[]} list */
  call(name, kind = null, ...list) {
    return this.engine.ccall(`bridge_${name}`, kind, list.map((x) => typeof x), list);
  }

  async start(handlers) {
    this.handlers = handlers;
    this.engine = await this.load();
    this.cases = JSON.parse(this.call('cases', 'string'));
    this.playing = handlers.plays;
    this.choose(handlers.wanted && this.cases.some((c) => c.name === handlers.wanted) ? handlers.wanted : FIRST);
  }

  /** @param {string} name of a case */
  choose(name) {
    this.case = this.cases.find((one) => one.name === name);
    this.values = Object.fromEntries(this.case.parameters.map((p) => [p.name, p.value]));
    const problem = this.build();
    if (problem) this.handlers.error(problem);
  }

  /** The case and what differs from its defaults. */
  title() {
    const changed = this.case.parameters.filter((p) => this.values[p.name] !== p.value);
    return [this.case.name, ...changed.map((p) => `${p.name}=${this.values[p.name]}`)].join(' ');
  }

  /** Builds the case with its values. @returns {any} why that is not possible, or null */
  build() {
    const words = Object.entries(this.values).map(([name, value]) => `${name}=${value}`).join('\n');
    const problem = this.call('open', 'string', this.case.name, words, this.title());
    if (problem) return JSON.parse(problem);
    const at = this.call('look', 'number'), size = this.call('look_size', 'number');
    const parameters = this.case.parameters.map((p) => ({...p, value: this.values[p.name]}));
    this.handlers.hello({title: this.title(), parameters, colours: COLOURS, cases: this.cases, case: this.case.name});
    this.handlers.look(unpackLook(this.engine.HEAPU8.slice(at, at + size).buffer), null);
    this.goal = 0;
    this.show();
    this.tell();
    return null;
  }

  /** Shows the state as it is. */
  show() {
    const {colour, reactions, contacts, book} = this.shows;
    const at = this.call('frame', 'number', COLOURS.indexOf(colour), Number(reactions), Number(contacts), Number(book));
    if (!at) return;
    const size = this.call('frame_size', 'number');
    this.handlers.frame(readFrame(this.engine.HEAPU8.slice(at, at + size).buffer));
  }

  tell() {
    this.handlers.state({playing: this.playing, speed: this.speed, step: 0});
  }

  /** @param {number} now ms */
  tick(now) {
    const passed = Math.min(0.1, (now - (this.clock ?? now)) / 1e3);
    this.clock = now;
    if (!this.playing || !this.engine) return;
    const dt = this.call('dt', 'number'), begin = performance.now();
    let time = this.call('time', 'number'), moved = false;
    this.goal = Math.max(time, this.goal + passed * this.speed);
    while (time + dt <= this.goal + 1e-9 * dt && performance.now() - begin < BUDGET) {
      if (!this.advance()) break;
      time = this.call('time', 'number');
      moved = true;
    }
    this.goal = Math.min(this.goal, time + dt); // too slow for the speed that was asked for: no debts
    if (moved) this.show();
  }

  /** @returns {boolean} whether a step was taken */
  advance() {
    if (this.call('step', 'number')) return true;
    this.handlers.notice({text: 'the step failed: the solver diverged', cure: 'reset, or change a parameter'});
    this.pause();
    return false;
  }

  play() {
    this.playing = true;
    this.goal = this.call('time', 'number');
    this.tell();
  }

  pause() {
    this.playing = false;
    this.tell();
  }

  step(n = 1) {
    this.pause();
    for (let k = 0; k < n && this.advance(); k++);
    this.show();
  }

  reset() {
    this.call('reset');
    this.goal = 0;
    this.show();
  }

  reload() {
    const problem = this.build();
    if (problem) this.handlers.error(problem);
  }

  setSpeed(value) {
    this.speed = value;
    this.tell();
  }

  setParameter(name, value) {
    const before = this.values[name];
    this.values[name] = String(value);
    const problem = this.build();
    if (!problem) return;
    this.values[name] = before;
    this.handlers.notice({...problem, parameter: true});
  }

  ask({colour, reactions, contacts, book}) {
    if (colour) this.shows.colour = colour;
    if (reactions !== undefined) this.shows.reactions = reactions;
    if (contacts !== undefined) this.shows.contacts = contacts;
    if (book !== undefined) this.shows.book = book;
    if (this.engine) this.show();
  }

  drag(body, point, target) { this.call('drag', null, body, ...point, ...target); }
  release() { this.call('release'); }

  /** Places a joint. @param {number} joint @param {number} axis @param {number} value */
  setJoint(joint, axis, value) {
    if (!this.call('joint', 'number', joint, axis, value)) this.handlers.notice({text: 'the joints cannot be assembled with this value'});
    this.show();
  }

  /** @param {number} drive @param {number} value */
  setDrive(drive, value) { this.call('drive', 'number', drive, value); }
}
