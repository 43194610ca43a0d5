// SPDX-License-Identifier: Apache-2.0
// The viewer: takes a source (a replay in the page, or the program that serves it), and ties picture, plots and
// buttons to it. `window.affix` is for scripts and tests (docs/viewer.md).
import {BODY} from './pack.js';
import {Live} from './live.js';
import {Local} from './local.js';
import {Replay} from './replay.js';
import {Stage, VIEWS} from './stage.js';
import {Things} from './things.js';
import {Plots} from './plots.js';
import {Lane} from './lane.js';
import {Pointer} from './pointer.js';
import {LAYERS} from './overlay.js';
import {short} from './math.js';
import * as ui from './ui.js';

const PARTS = ['reactions', 'contacts', 'book']; // what the program has to be asked for
const {at} = ui;
const query = new URLSearchParams(location.search || location.hash.slice(1));
const root = document.documentElement;
const small = () => window.innerWidth <= 760;

/** @param {string} key @param {string} [value] a small memory that may be forbidden */
function remember(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(`affix-${key}`);
    localStorage.setItem(`affix-${key}`, value);
  } catch { /* a page from a file may have none */ }
  return null;
}

class Viewer {
  constructor() {
    this.stage = new Stage(at('view'));
    this.plots = new Plots(at('plots'), !at('affix-data')); // a replay does not know how long steps took
    this.lane = new Lane(at('lane'), (index) => { if (!this.source.live) { this.source.pause(); this.source.seek(index); } });
    /** @type {any} */ this.frame = null;
    this.picked = -1;
    this.rate = 0;
    this.setTheme(query.get('theme') || remember('theme') || (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark'));
    root.classList.toggle('bare', query.has('bare'));
    const inside = window !== window.parent; // of another page, a notebook say: the picture first
    root.classList.toggle('no-plots', small() || inside || query.get('plots') === '0');
    root.classList.toggle('no-panel', small() || inside || query.get('panel') === '0');
    const data = at('affix-data');
    this.source = data ? new Replay(JSON.parse(data.textContent))
        : window.affixEngine ? new Local(window.affixEngine)
        : new Live(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/socket`);
    if (data) data.remove();
    root.classList.toggle('live', this.source.live);
    this.layers = {ground: true, shadow: true, drawing: true};
    for (const name of (query.get('show') || '').split(',')) if (name in LAYERS) this.layers[name] = true;
    for (const name of (query.get('hide') || '').split(',')) this.layers[name] = false;
    for (const name of Object.keys(LAYERS)) this.stage.show(name, Boolean(this.layers[name]));
    this.plots.booked = Boolean(this.layers.book);
    this.pointer = new Pointer(this.stage, {
      canDrag: () => this.source.live && !this.watched,
      drag: (body, local, target) => this.source.drag(body, local, target),
      release: () => this.source.release(),
      pick: (body) => this.pick(body),
    });
    this.things = new Things({
      pick: (body) => this.mark(body),
      plot: (quantity) => this.plot(quantity),
      plotted: (key) => this.plots.has(key),
      setJoint: (joint, axis, value) => this.source.setJoint(joint, axis, value),
      setDrive: (drive, value) => this.source.setDrive(drive, value),
      live: () => this.source.live && !this.watched,
    });
    this.plots.changed = () => this.things.build();
    this.buildPage();
    if (query.get('camera') in VIEWS) this.setView(query.get('camera'), false);
    this.layout();
  }

  buildPage() {
    ui.buildHelp();
    ui.buildSpeeds();
    ui.buildViews(VIEWS, (name) => this.setView(name, true));
    at('follow').onclick = () => this.follow();
    ui.buildLayers((name, on) => this.show(name, on), this.layers);
    at('play').onclick = () => this.source.playing ? this.source.pause() : this.source.play();
    at('step').onclick = () => this.source.step(1);
    at('reset').onclick = () => this.reset();
    at('speed').onchange = () => this.source.setSpeed(Number(at('speed').value));
    at('fit').onclick = () => this.stage.fit();
    at('shot').onclick = () => this.savePicture();
    at('theme').onclick = () => this.setTheme(root.classList.contains('light') ? 'dark' : 'light');
    at('plots-toggle').onclick = () => this.toggle('no-plots', 'no-panel');
    at('panel-toggle').onclick = () => this.toggle('no-panel', 'no-plots');
    at('help-toggle').onclick = () => at('help').showModal();
    at('colour').onchange = () => this.setColour(at('colour').value);
    at('scrub').oninput = () => { this.source.pause(); this.source.seek(Number(at('scrub').value)); };
    window.addEventListener('resize', () => this.layout());
    window.addEventListener('keydown', (e) => this.key(e));
  }

  async start() {
    await this.source.start({
      plays: !query.has('still'),
      wanted: query.get('case'),
      hello: (hello) => this.hello(hello),
      look: (look, samples) => this.look(look, samples),
      state: (state) => this.state(state),
      frame: (frame) => this.show_(frame),
      error: (error) => this.error(error),
      notice: (notice) => this.notice(notice),
      lost: () => { ui.toast('Connection lost. Reconnecting …'); at('status').textContent = 'not connected'; },
    });
  }

  hello(hello) {
    this.greeting = hello;
    this.watched = Boolean(hello.watched); // another program steps it
    root.classList.toggle('watched', this.watched);
    at('title').textContent = hello.title || 'Affix';
    document.title = `${hello.title || 'run'} – Affix`;
    ui.buildCases(hello.cases || [], hello.case, (name) => this.source.choose(name));
    ui.buildParameters(hello.parameters || [], (name, value) => this.source.setParameter(name, value));
    const wanted = this.stage.mode !== 'own' ? this.stage.mode : query.get('colour') || 'own';
    ui.buildColours(hello.colours, hello.colours.includes(wanted) ? wanted : 'own');
    if (hello.colours.includes(wanted)) this.setColour(wanted);
    for (const part of PARTS) if (this.layers[part]) this.source.ask({[part]: true});
    this.layout();
  }

  look(look, samples) {
    const same = this.scene && this.scene.title === look.title;
    this.scene = look;
    this.frame = null;
    this.picked = -1;
    const own = (look.head.cameras || []).map((camera) => camera.name);
    ui.addViews(own);
    if (!same && own.length && !query.get('camera')) this.stage.view = `own:${own[0]}`;
    if (own.includes(query.get('camera')) && !same) this.stage.view = `own:${query.get('camera')}`;
    this.stage.setLook(look, samples, same && this.stage.touched);
    at('camera').value = this.stage.view;
    this.things.setLook(look);
    at('follow').setAttribute('aria-pressed', 'false');
    if (!same) this.plots.forget();
    this.plots.clear();
    this.lane.clear(look.head.reasons || []);
    if (this.source instanceof Replay) {
      this.plots.setAll(this.source.numbers);
      this.lane.setAll(this.source.numbers);
      at('scrub').max = String(this.source.frames - 1);
    }
    ui.showMessage(look.bodies ? null : {title: 'Empty scene', text: 'This scene has no bodies.'});
  }

  /** There is no scene. @param {any} error */
  error(error) {
    this.stage.clear();
    this.scene = this.frame = null;
    at('status').textContent = 'no scene';
    ui.showMessage({title: 'This scene cannot be loaded', ...error, bad: true}, this.source.live ? () => this.source.reload() : null);
  }

  state(state) {
    this.running = state.playing;
    if (state.hash) this.hash = {hash: state.hash, step: state.step};
    ui.showState(state);
  }

  notice(notice) {
    if (notice.parameter) at('parameter-error').textContent = `${notice.text}${notice.cure ? ` (${notice.cure})` : ''}`;
    else ui.toast([notice.element, notice.text, notice.cure].filter(Boolean).join(': '));
  }

  /** @param {any} frame */
  show_(frame) {
    if (!this.stage.bodies) return;
    if (this.frame && frame.time < this.frame.time && this.source.live) { this.plots.clear(); this.lane.clear(); }
    this.frame = this.things.frame = frame;
    ui.showLegend(this.stage.setFrame(frame), this.stage.mode);
    if (this.source.live) { this.plots.add(frame); this.lane.add(frame); }
    this.plots.mark(frame, !this.source.live);
    at('clock').textContent = `${frame.time.toFixed(2)} s`;
    if (!this.source.live) at('scrub').value = String(Math.round(frame.index));
    this.shownFrames = (this.shownFrames || 0) + 1;
  }

  status(now) {
    if (now - (this.statusTime || 0) < 250 || !this.frame || !this.scene) return;
    const span = (now - (this.statusTime || now)) / 1e3;
    this.statusTime = now;
    if (span > 0) this.rate = this.drawn / span;
    this.drawn = 0;
    const {step, seconds, touching} = this.frame;
    at('status').textContent = [`step ${step.toLocaleString('en')}`, `${this.scene.bodies.toLocaleString('en')} bodies`, touching ? `${touching.toLocaleString('en')} contacts` : '',
      seconds > 0 ? `${short(1e3 * seconds)} ms per step` : '', this.watched ? 'stepped by another program' : this.running ? `${Math.round(this.rate)} frames/s` : ''].filter(Boolean).join('  ·  ');
    this.things.show(this.frame);
  }

  /** A body was clicked. @param {number} body -1: none */
  pick(body) {
    if (body < 0) this.mark(-1);
    this.things.pickBody(body);
  }

  /** @param {number} body -1: none */
  mark(body) {
    this.picked = body;
    if (this.stage.followed >= 0 && this.stage.followed !== body) this.follow(false);
    this.stage.bodies?.mark(body);
    this.stage.dirty = true;
  }

  /** The camera goes with the chosen body, or no longer. @param {boolean} on */
  follow(on = this.stage.followed < 0) {
    const body = on ? this.picked : -1;
    if (this.stage.bodies) this.stage.setFollowed(body);
    at('follow').setAttribute('aria-pressed', String(body >= 0));
  }

  /** @param {string} name of a camera @param {boolean} now */
  setView(name, now) {
    this.stage.view = name;
    at('camera').value = name;
    if (now && this.stage.bodies) {
      this.follow(false);
      this.stage.fit();
    }
  }

  /** Plots a quantity, or no longer. @param {import('./quantity.js').Quantity} quantity */
  async plot(quantity) {
    if (this.plots.has(quantity.key)) {
      this.plots.remove(quantity.key);
      return;
    }
    if (quantity.needs && !this.layers[quantity.needs]) this.show(quantity.needs, true);
    root.classList.remove('no-plots');
    const {source} = this, every = this.plots.every;
    this.plots.addQuantity(quantity, source instanceof Replay ? await source.history(quantity, every) : null);
    if (this.frame) this.plots.mark(this.frame, !source.live);
    this.things.build();
    this.layout();
  }

  /** @param {string} name @param {boolean} on */
  show(name, on) {
    this.layers[name] = on;
    this.stage.show(name, on);
    at(`show-${name}`).checked = on;
    if (name === 'book') this.plots.setBooked(on, this.source.live ? null : this.source.numbers);
    if (PARTS.includes(name)) {
      this.source.ask({[name]: on});
      if (on && this.source.has && !this.source.has(name)) ui.toast(`This replay has no ${LAYERS[name].toLowerCase()}: a live view shows them.`);
    }
  }

  /** @param {string} mode */
  setColour(mode) {
    this.stage.mode = mode;
    at('colour').value = mode;
    if (mode === 'own') ui.showLegend(null, mode);
    this.source.ask({colour: mode});
    if (this.frame && this.stage.bodies) this.stage.colour();
    this.stage.dirty = true;
  }

  /** @param {string} theme */
  setTheme(theme) {
    const light = theme === 'light';
    root.classList.toggle('light', light);
    at('theme').textContent = light ? 'Dark' : 'Light';
    remember('theme', theme);
    this.stage.setTheme(!light);
    this.plots.build();
  }

  /** @param {string} name @param {string} other */
  toggle(name, other) {
    root.classList.toggle(name);
    if (small() && !root.classList.contains(name)) root.classList.add(other);
    this.layout();
  }

  layout() {
    const has = (id) => getComputedStyle(at(id)).display !== 'none';
    at('plots-toggle').setAttribute('aria-pressed', String(!root.classList.contains('no-plots')));
    at('panel-toggle').setAttribute('aria-pressed', String(!root.classList.contains('no-panel')));
    const bottom = has('plots') ? at('plots').offsetHeight + 72 : has('bar') ? 62 : 0;
    const below = small() && has('panel') ? at('panel').offsetHeight + 72 : 0;
    this.stage.insets = {right: has('panel') && !small() ? 276 : 0, bottom: Math.max(bottom, below), top: has('top') ? at('top').offsetHeight + 10 : 0};
    if (!small()) at('panel').style.maxHeight = `calc(100% - ${bottom + 84}px)`;
    this.stage.resize();
    this.plots.resize();
    this.lane.dirty = true;
    if (this.stage.bodies && !this.stage.touched) this.stage.fit();
  }

  reset() {
    this.stage.overlay?.forgetTracks();
    this.plots.dirty = true;
    return this.source.reset();
  }

  savePicture() {
    this.stage.dirty = true;
    this.stage.render(performance.now());
    at('view').toBlob((blob) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `${(this.scene?.title || 'affix').replace(/[^\w.=-]+/g, '_')}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const field = /** @type {HTMLElement} */ (e.target);
    if (field.matches('input:not([type=checkbox]):not([type=range]), select') || at('help').open && e.key !== 'Escape' && e.key !== '?') return;
    const layer = {j: 'joints', a: 'axes', m: 'markers', v: 'reactions', k: 'contacts', g: 'ground', s: 'shadow', d: 'drawing'}[e.key.toLowerCase()];
    const view = Object.keys(VIEWS)[Number(e.key) - 1];
    const press = {' ': 'play', '.': 'step', r: 'reset', f: 'fit', p: 'plots-toggle', o: 'panel-toggle', t: 'theme', c: 'shot'}[e.key.toLowerCase()];
    if (layer) this.show(layer, !this.layers[layer]);
    else if (view) this.setView(view, true);
    else if (e.key.toLowerCase() === 'y') { if (this.picked >= 0) this.follow(); }
    else if (e.key === '/') { root.classList.remove('no-panel'); this.layout(); at('search').focus(); }
    else if (press) at(press).click();
    else if (e.key === '?') at('help').open ? at('help').close() : at('help').showModal();
    else if (e.key === '+' || e.key === '-') this.nextSpeed(e.key === '+' ? 1 : -1);
    else if (e.key.toLowerCase() === 'h') { root.classList.toggle('bare'); this.layout(); }
    else if (e.key.toLowerCase() === 'l' && this.source.live) this.source.reload();
    else if (e.key.toLowerCase() === 'b') { const s = at('colour'); s.selectedIndex = (s.selectedIndex + 1) % s.length; this.setColour(s.value); }
    else if (!this.source.live && e.key === ',') this.source.step(-1);
    else if (!this.source.live && e.key === 'ArrowRight') this.jump(0.5);
    else if (!this.source.live && e.key === 'ArrowLeft') this.jump(-0.5);
    else return;
    e.preventDefault();
  }

  /** @param {number} seconds */
  jump(seconds) {
    this.source.seek(this.source.frameAt(this.frame.time + seconds));
  }

  /** @param {number} by */
  nextSpeed(by) {
    const now = ui.SPEEDS.findIndex((s) => s >= Number(at('speed').value));
    this.source.setSpeed(ui.SPEEDS[Math.max(0, Math.min(ui.SPEEDS.length - 1, (now < 0 ? ui.SPEEDS.length : now) + by))]);
  }

  /** @param {number} now ms */
  loop(now) {
    this.source.tick(now);
    this.stage.follow(now);
    this.pointer.update();
    if (this.stage.render(now)) {
      this.drawn = (this.drawn || 0) + 1;
      this.source.acknowledge?.();
    }
    this.plots.draw(now);
    this.lane.draw(now);
    this.status(now);
    requestAnimationFrame((t) => this.loop(t));
  }
}

function fail(error) {
  ui.showMessage({title: 'The viewer cannot start', text: String(error && error.message || error), bad: true,
    cure: 'It needs a browser with WebGL 2 and DecompressionStream: any of the last years.'});
}

let viewer;
try {
  ui.showMessage({title: 'Loading scene', text: ''});
  viewer = new Viewer();
  requestAnimationFrame((t) => viewer.loop(t));
  viewer.start().catch(fail);
} catch (error) {
  fail(error);
}

window.affix = {
  viewer,
  /** Frames that were shown. */
  get shown() { return viewer?.shownFrames || 0; },
  /** The frame that is shown: time, step, energy, residual ... */
  get frame() { return viewer?.frame; },
  /** x, y, z and quaternion w, x, y, z of a body as it is drawn. */
  pose(body) {
    const b = viewer.stage.bodies.frame, k = BODY * body;
    return [b[k], b[k + 1], b[k + 2], b[k + 7], b[k + 4], b[k + 5], b[k + 6]];
  },
  /** Where a point of the world is in the picture. */
  project: (point) => viewer.stage.project(point),
  /** Replay: shows the frame at a time, at once, and comes back when it is drawn. */
  async drawAt(time) {
    viewer.source.pause();
    await viewer.source.seek(viewer.source.frameAt(time));
    await viewer.stage.ready; // pictures on shapes
    viewer.stage.dirty = true;
    viewer.stage.render(Infinity);
    return viewer.frame.time;
  },
  /** Puts the camera where it sees what is shown now, and draws. */
  frameNow() {
    const {stage} = viewer;
    stage.box = stage.bodies.bounds();
    stage.points = stage.bodies.outline(20000, stage.box);
    stage.ground.fit(stage.box);
    stage.placeLights();
    stage.fit();
    stage.render(Infinity);
  },
  get duration() { const n = viewer.source.numbers; return n ? n[n.length - 1].time : 0; },
  get ready() { return Boolean(viewer?.frame); },
};
