// SPDX-License-Identifier: Apache-2.0
// The list of bodies, joints and markers with its search, and the panel of the one that is chosen: what it is, where,
// how fast, joint values, sliders, and what of it can be plotted.
import {BODY, WORLD} from './pack.js';
import {short} from './math.js';
import {Reader, bodyName, bodyQuantities, freeAxes, jointName, jointQuantities, jointValues, markerQuantities} from './quantity.js';
import {at} from './ui.js';

const MOST = 200; // lines of the list
const KINDS = ['moving', 'fixed', 'kinematic'];

/** An element. @param {string} tag @param {Object<string, any>} with @param {...(Node|string)} inside */
function make(tag, props = {}, ...inside) {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...inside);
  return element;
}

export class Things {
  /** @param {{pick: (body: number) => void, plot: (quantity: any) => void, plotted: (key: string) => boolean,
   *   setJoint: (joint: number, axis: number, value: number) => void, setDrive: (drive: number, value: number) => void,
   *   live: () => boolean}} act */
  constructor(act) {
    this.act = act;
    this.look = null;
    this.chosen = null;
    at('search').addEventListener('input', () => this.fill());
    at('things').addEventListener('keydown', (e) => this.key(e));
  }

  /** @param {import('./pack.js').Look|null} look */
  setLook(look) {
    this.look = look;
    this.chosen = this.frame = null;
    this.items = look ? this.sort(look) : [];
    this.fill();
    this.show(null);
  }

  /** Bodies below those that they hang on, joints below their followers, markers last. */
  sort(look) {
    const {joint_bodies: pairs, marker_body: markers} = look.arrays, below = new Map(), parent = new Map(), items = [];
    const push = (map, key, value) => map.has(key) ? map.get(key).push(value) : map.set(key, [value]);
    const joints = new Map();
    for (let k = 0; k < pairs.length / 2; k++) {
      const [base, follower] = [pairs[2 * k], pairs[2 * k + 1]];
      push(joints, follower === WORLD ? base : follower, k);
      if (base === WORLD || follower === WORLD || parent.has(follower) || base > follower) continue;
      parent.set(follower, base);
      push(below, base, follower);
    }
    const stack = [];
    for (let k = look.bodies - 1; k >= 0; k--) if (!parent.has(k)) stack.push([k, 0]);
    while (stack.length) {
      const [body, depth] = stack.pop();
      items.push({type: 'body', index: body, depth, text: bodyName(look, body)});
      for (const joint of joints.get(body) || []) {
        const kind = look.jointKinds[look.arrays.joint_kind[joint]][0];
        items.push({type: 'joint', index: joint, depth: depth + 1, text: `${jointName(look, joint)} (${kind})`});
      }
      for (const child of (below.get(body) || []).reverse()) stack.push([child, depth + 1]);
    }
    for (let k = 0; k < markers.length; k++) {
      items.push({type: 'marker', index: k, depth: 0, text: look.markerNames[k] || `marker ${k}`});
    }
    return items;
  }

  fill() {
    const words = at('search').value.trim().toLowerCase().split(/\s+/), list = at('things');
    const found = this.items.filter((item) => words.every((word) => `${item.type} ${item.text}`.toLowerCase().includes(word)));
    list.textContent = '';
    for (const item of found.slice(0, MOST)) {
      const line = make('button', {type: 'button', className: `thing ${item.type}`}, item.text);
      line.setAttribute('role', 'treeitem');
      line.setAttribute('aria-level', String(item.depth + 1));
      line.style.paddingLeft = `${8 + 10 * Math.min(item.depth, 8)}px`;
      line.onclick = () => this.choose(item);
      item.line = line;
      list.append(line);
    }
    const rest = found.length - MOST;
    at('things-rest').textContent = rest > 0 ? `and ${rest.toLocaleString('en')} more: search` : found.length ? '' : 'Nothing has that name.';
  }

  /** Arrows go up and down the list. @param {KeyboardEvent} e */
  key(e) {
    const way = {ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling'}[e.key];
    if (!way) return;
    /** @type {any} */ (document.activeElement)?.[way]?.focus();
    e.preventDefault();
    e.stopPropagation();
  }

  /** @param {{type: string, index: number}} item */
  choose(item) {
    this.chosen = item;
    for (const line of at('things').children) line.removeAttribute('aria-selected');
    item.line?.setAttribute('aria-selected', 'true');
    const {joint_bodies: pairs, marker_body: markers} = this.look.arrays;
    const body = item.type === 'body' ? item.index : item.type === 'marker' ? markers[item.index]
        : pairs[2 * item.index + 1] !== WORLD ? pairs[2 * item.index + 1] : pairs[2 * item.index];
    this.act.pick(body === WORLD ? -1 : body);
    this.build();
  }

  /** A body was clicked. @param {number} body -1: none */
  pickBody(body) {
    if (body < 0) {
      this.chosen = null;
      this.build();
      return;
    }
    this.choose(this.items.find((item) => item.type === 'body' && item.index === body));
    at('body-info').scrollIntoView({block: 'nearest'});
  }

  quantities() {
    const {type, index} = this.chosen;
    return type === 'body' ? bodyQuantities(this.look, index) : type === 'joint' ? jointQuantities(this.look, index)
        : markerQuantities(this.look, index);
  }

  /** The panel of what is chosen. */
  build() {
    at('chosen-tools').textContent = '';
    at('follow').hidden = !this.chosen;
    if (!this.chosen) {
      this.show(null);
      return;
    }
    const {type, index} = this.chosen, tools = at('chosen-tools');
    this.readers = this.quantities().map((quantity) => new Reader(quantity));
    if (type === 'joint' && this.act.live()) {
      for (const free of freeAxes(this.look, index)) tools.append(this.slider(index, free));
      (this.look.head.drives || []).forEach((drive, k) => {
        if (drive.joint === index && drive.input) tools.append(this.driveSlider(drive, k));
      });
    }
    const chips = make('div', {className: 'chips'}, 'Plot ');
    for (const {quantity} of this.readers) {
      const chip = make('button', {type: 'button'}, quantity.label);
      chip.setAttribute('aria-pressed', String(this.act.plotted(quantity.key)));
      chip.onclick = () => {
        this.act.plot(quantity);
        chip.setAttribute('aria-pressed', String(this.act.plotted(quantity.key)));
      };
      chips.append(chip);
    }
    tools.append(chips);
    this.show(this.frame);
  }

  /** @param {number} joint @param {{turns: boolean, letter: string, axis: number}} free */
  slider(joint, {turns, letter, axis}) {
    const reach = turns ? Math.PI : 1, input = make('input', {type: 'range', min: -reach, max: reach, step: reach / 500});
    const n = 'xyz'.indexOf(letter), values = this.frame && jointValues(this.look, this.frame.bodies, joint);
    input.value = values ? values[turns ? 'turn' : 'shift'][n] : 0;
    input.oninput = () => this.act.setJoint(joint, axis, Number(input.value));
    return make('label', {}, `${turns ? 'angle' : 'shift'} ${letter}`, input);
  }

  /** @param {{name: string}} drive @param {number} k its number */
  driveSlider(drive, k) {
    const input = make('input', {type: 'range', min: -Math.PI, max: Math.PI, step: 0.01, value: 0});
    input.oninput = () => this.act.setDrive(k, Number(input.value));
    return make('label', {}, drive.name || 'target', input);
  }

  /** Tells about what is chosen, as it is in a frame. @param {any} frame */
  show(frame) {
    this.frame = frame || this.frame;
    const text = at('body-text');
    if (!this.chosen || !this.frame || !this.look) {
      text.textContent = 'Click a body, or select one in the list.';
      return;
    }
    const {type, index} = this.chosen, {bodies} = this.frame, list = (values) => [...values].map((x) => x.toFixed(3)).join('  ');
    const lines = [];
    if (type === 'body') {
      const k = BODY * index;
      lines.push(`${bodyName(this.look, index)} (${KINDS[this.look.arrays.body_kind[index]]})`,
          `mass  ${short(this.look.arrays.body_mass?.[index] ?? NaN)} kg`, `x y z  ${list(bodies.subarray(k, k + 3))} m`,
          `quaternion w x y z  ${list([bodies[k + 7], bodies[k + 4], bodies[k + 5], bodies[k + 6]])}`);
    } else if (type === 'joint') {
      const {joint_bodies: pairs, joint_kind: kinds} = this.look.arrays;
      lines.push(`${jointName(this.look, index)} (${this.look.jointKinds[kinds[index]][0]})`,
          `${bodyName(this.look, pairs[2 * index])} – ${bodyName(this.look, pairs[2 * index + 1])}`);
    } else {
      lines.push(this.look.markerNames[index] || `marker ${index}`);
    }
    for (const reader of this.readers || []) {
      const {quantity} = reader;
      if (type === 'body' && !quantity.rate || reader.last?.time >= this.frame.time && quantity.rate) continue;
      const value = reader.next(this.frame);
      reader.text = value === null ? quantity.needs && !this.frame.reactions ? 'show reactions (V)' : '–' : `${short(value)} ${quantity.unit}`;
    }
    for (const {quantity, text: told} of this.readers || []) if (told) lines.push(`${quantity.label}  ${told}`);
    text.textContent = lines.join('\n');
  }
}
