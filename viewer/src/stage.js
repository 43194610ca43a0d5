// SPDX-License-Identifier: Apache-2.0
// Renderer, camera, lights, floor, and the bodies of the scene that is shown.
import * as THREE from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {Anchors} from './anchors.js';
import {Bodies} from './bodies.js';
import {Effects, Sky} from './effects.js';
import {Ground} from './ground.js';
import {Overlay} from './overlay.js';
import {loadTextures} from './texture.js';
import {MODES, rangeOf} from './colour.js';
import {BODY} from './pack.js';

const POINTS = 20000; // that the camera is placed by
const SLOW = 120; // ms that a picture takes, above which moving ones have no effects
const STILL = 400; // ms without a change, after which they come back
const LOOK_PAUSE = 300; // ms between looks at where the bodies went

const FOV = 32; // degrees, of the picture's height

/** Named cameras: label, and the way from the scene to the camera; without one it is chosen from the shape. */
export const VIEWS = {
  auto: {label: 'Automatic'},
  front: {label: 'Front', way: new THREE.Vector3(0, -1, 0.02)},
  right: {label: 'Right', way: new THREE.Vector3(1, 0, 0.02)},
  back: {label: 'Back', way: new THREE.Vector3(0, 1, 0.02)},
  left: {label: 'Left', way: new THREE.Vector3(-1, 0, 0.02)},
  top: {label: 'Top', way: new THREE.Vector3(0, -1e-3, 1)},
};

export class Stage {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({canvas, antialias: true, preserveDrawingBuffer: true});
    this.renderer.debug.checkShaderErrors = false; // it would wait for every shader
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.over = new THREE.Scene(); // drawn last, over everything
    this.effects = new Effects(this.renderer);
    this.renderer.info.autoReset = false;
    this.heaven = new Sky(this.scene);
    this.cameras = []; // of the scene
    this.camera = new THREE.PerspectiveCamera(FOV, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('start', () => { this.touched = true; });
    this.controls.addEventListener('change', () => {
      this.dirty = true;
      if (!this.bodies) return;
      this.bodies.moved = true;
      this.nearAndFar();
    });
    this.sky = new THREE.HemisphereLight(0xffffff, 0x555555, 1.5);
    this.sky.position.set(0, 0, 1);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.4);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 6;
    this.fill = new THREE.DirectionalLight(0xbfd4ff, 0.5);
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill, this.fill.target);
    this.ground = new Ground(this.scene);
    /** @type {Bodies|null} */ this.bodies = null;
    /** @type {Overlay|null} */ this.overlay = null;
    /** @type {Anchors|null} */ this.anchors = null;
    /** @type {any} */ this.frame = null;
    this.mode = 'own';
    this.insets = {right: 0, bottom: 0, top: 0};
    this.touched = false;
    this.view = 'auto';
    this.followed = -1; // the body that the camera goes with
    this.looked = 0;
    this.pace = 0; // ms that a picture takes, about
    this.coarse = false; // drawn without effects, to keep moving
    this.shown = {};
    this.setTheme(true);
    this.resize();
  }

  /** @param {boolean} dark */
  setTheme(dark) {
    this.dark = dark;
    this.heaven.paint(dark);
    this.sky.color.set(dark ? 0xbccbe0 : 0xf4f8ff);
    this.sky.groundColor.set(dark ? 0x4c4a48 : 0xc8c2ba);
    this.sky.intensity = dark ? 1.8 : 1.9;
    this.sun.color.set(0xfff3e2);
    this.sun.intensity = dark ? 3 : 2.9;
    this.effects.join.uniforms.dark.value = dark ? 0.9 : 0.75;
    this.paintStudio();
    this.ground.paint(dark);
    this.anchors?.paint(dark);
    this.dirty = true;
  }

  paintStudio() {
    const [low, high] = this.bodies?.uniforms.afxStudio.value || [];
    low?.set(this.dark ? 0x30343a : 0xb9b4ac);
    high?.set(this.dark ? 0x9fb0c4 : 0xffffff);
  }

  /** @param {import('./pack.js').Look} look @param {Float32Array[]|null} whole frames from all of a run, when they are known
   * @param {boolean} keep leave the camera where it is */
  setLook(look, whole, keep) {
    this.clear();
    this.cameras = look.head.cameras || [];
    if (!(this.view in VIEWS) && !this.cameras.some((camera) => this.view === `own:${camera.name}`)) this.view = 'auto';
    const pictures = loadTextures(look.textures, () => { this.dirty = true; });
    this.ready = pictures.ready;
    this.bodies = new Bodies(look, this.scene, pictures.textures);
    this.paintStudio();
    const box = this.bodies.bounds();
    this.points = whole ? [] : null;
    for (const frame of whole || []) {
      this.bodies.frame = frame;
      const now = this.bodies.bounds();
      box.union(now);
      this.points.push(...this.bodies.outline(Math.ceil(POINTS / whole.length), now));
    }
    this.first = this.bodies.frame = /** @type {Float32Array} */ (look.arrays.body_start);
    this.anchors = new Anchors(look, this.scene);
    this.anchors.paint(this.dark);
    this.anchors.group.visible = this.shown.ground !== false;
    if (box.isEmpty()) box.set(new THREE.Vector3(-0.5, -0.5, -0.5), new THREE.Vector3(0.5, 0.5, 0.5));
    this.whole = Boolean(whole);
    this.box = box;
    this.ground.setPlanes(look.planes, pictures.textures);
    this.ground.fit(box);
    this.ground.follow(this.bodies.frame);
    if (!whole && look.arrays.joint_kind.length) { // what hangs will swing: leave room for it
      const size = box.getSize(new THREE.Vector3()), span = size.length();
      box.expandByPoint(box.getCenter(new THREE.Vector3()).addScaledVector(
          new THREE.Vector3(...look.gravity).normalize(), Math.min(0.5 * span, Math.max(size.x, size.y))));
    }
    this.start = box.clone();
    this.overlay = new Overlay(look, this.scene, this.over, box.getSize(new THREE.Vector3()).length());
    Object.assign(this.overlay.shown, this.shown);
    this.frame = {bodies: this.bodies.frame, time: 0};
    this.placeLights();
    if (!keep) this.fit();
    this.resize();
    this.dirty = true;
  }

  clear() {
    this.followed = -1;
    this.cameras = [];
    this.bodies?.destroy();
    this.overlay?.destroy();
    this.anchors?.destroy();
    this.bodies = this.overlay = this.anchors = null;
    this.ground.setPlanes([]);
    this.dirty = true;
  }

  placeLights() {
    const centre = this.box.getCenter(new THREE.Vector3()), radius = 0.5 * this.box.getSize(new THREE.Vector3()).length();
    this.sun.position.copy(centre).add(new THREE.Vector3(-0.35, -0.55, 0.95).normalize().multiplyScalar(4 * radius));
    this.sun.target.position.copy(centre);
    this.fill.position.copy(centre).add(new THREE.Vector3(1, 0.3, 0.25).multiplyScalar(radius));
    this.fill.target.position.copy(centre);
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -1.35 * radius;
    shadow.right = shadow.top = 1.35 * radius;
    shadow.near = 0.5 * radius;
    shadow.far = 8 * radius;
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.014 * radius;
    this.sun.shadow.bias = -0.0012;
  }

  /** A flat mechanism is seen from its front, anything else from a corner. @returns {THREE.Vector3} */
  direction() {
    const size = this.box.getSize(new THREE.Vector3()), wide = Math.max(size.x, size.y, size.z);
    if (size.y < 0.3 * wide && size.y <= size.x) return new THREE.Vector3(0.32, -1, 0.22);
    if (size.x < 0.3 * wide) return new THREE.Vector3(1, -0.32, 0.22);
    if (size.z < 0.12 * wide) return new THREE.Vector3(0.55, -1, 0.85);
    return new THREE.Vector3(0.62, -1, 0.46);
  }

  /** Puts the camera where it just sees everything, from the side that `view` says. */
  fit() {
    const own = this.cameras.find((camera) => this.view === `own:${camera.name}`);
    this.camera.fov = own?.fov ? own.fov * 180 / Math.PI : FOV;
    this.camera.updateProjectionMatrix();
    if (own) {
      this.look(own);
      return;
    }
    this.touched = false;
    const back = (VIEWS[this.view].way?.clone() || this.direction()).normalize(), {eye, target} = this.solve(back);
    this.camera.position.copy(eye);
    this.controls.target.copy(target);
    this.nearAndFar();
    this.controls.update();
    this.dirty = true;
  }

  /** Takes a camera of the scene, and leaves it there. @param {{position: number[], target: number[], follow?: number}} own */
  look(own) {
    this.touched = true;
    this.camera.position.fromArray(own.position);
    this.controls.target.fromArray(own.target);
    if (own.follow !== undefined) { // where it stands is meant for the start
      const k = BODY * own.follow, start = this.first, now = this.frame.bodies;
      const way = new THREE.Vector3(now[k] - start[k], now[k + 1] - start[k + 1], now[k + 2] - start[k + 2]);
      this.camera.position.add(way);
      this.controls.target.add(way);
      this.followed = own.follow;
    }
    this.nearAndFar();
    this.controls.update();
    this.bodies.moved = this.dirty = true;
  }

  /** Corners of the box. */
  corners() {
    const {min, max} = this.box, list = [];
    for (let k = 0; k < 8; k++) list.push(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z);
    return list;
  }

  /**
   * The nearest camera that looks along -back and has all points in the free part of the picture. A point with
   * coordinates x (to the right), y (up) and z (to the camera) is seen when |x - cx| <= w (d - z) and |y - cy| <=
   * h (d - z), for a camera at (cx, cy, d): that gives cx, cy and d in closed form.
   * @param {THREE.Vector3} back
   */
  solve(back) {
    const points = this.points || this.corners();
    const right = new THREE.Vector3().crossVectors(this.camera.up, back).normalize();
    const up = new THREE.Vector3().crossVectors(back, right);
    const {width, height} = this.free(), margin = 0.88;
    const h = margin * Math.tan(this.camera.fov * Math.PI / 360) * height / this.height, w = h * width / height;
    const most = [-Infinity, -Infinity], least = [Infinity, Infinity], point = new THREE.Vector3();
    for (let k = 0; k < points.length; k += 3) {
      point.fromArray(points, k);
      const z = point.dot(back);
      [[point.dot(right), w], [point.dot(up), h]].forEach(([x, slope], axis) => {
        most[axis] = Math.max(most[axis], x + slope * z);
        least[axis] = Math.min(least[axis], x - slope * z);
      });
    }
    const d = Math.max((most[0] - least[0]) / (2 * w), (most[1] - least[1]) / (2 * h));
    const middle = this.box.getCenter(new THREE.Vector3()).dot(back);
    const at = right.multiplyScalar((most[0] + least[0]) / 2).addScaledVector(up, (most[1] + least[1]) / 2);
    const radius = 0.5 * this.box.getSize(new THREE.Vector3()).length();
    const eye = at.clone().addScaledVector(back, Math.max(d, middle + 0.1 * radius + 1e-9));
    return {eye, target: at.addScaledVector(back, middle)};
  }

  nearAndFar() {
    const radius = 0.5 * this.box.getSize(new THREE.Vector3()).length();
    const distance = this.camera.position.distanceTo(this.box.getCenter(new THREE.Vector3()));
    const looks = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(0.01 * Math.min(looks, distance + radius), distance - 30 * radius);
    this.camera.far = distance + 30 * radius;
    this.camera.updateProjectionMatrix();
  }

  /** The part of the picture that no panel covers. */
  free() {
    return {
      width: Math.max(0.35 * this.width, this.width - this.insets.right),
      height: Math.max(0.35 * this.height, this.height - this.insets.bottom - this.insets.top),
    };
  }

  resize() {
    this.width = Math.max(1, this.canvas.clientWidth);
    this.height = Math.max(1, this.canvas.clientHeight);
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(this.width, this.height, false);
    this.camera.aspect = this.width / this.height;
    const free = this.free();
    this.camera.setViewOffset(this.width, this.height, (this.width - free.width) / 2,
        (this.insets.bottom - this.insets.top) / 2, this.width, this.height);
    this.overlay?.resize(this.width, this.height, this.camera.fov);
    if (this.bodies) this.bodies.moved = true;
    this.dirty = true;
  }

  /** @param {any} frame @returns {[number, number]|null} the range of values, when bodies are coloured by one */
  setFrame(frame) {
    if (this.followed >= 0) this.goWith(this.frame.bodies, frame.bodies);
    this.frame = frame;
    this.bodies.setFrame(frame.bodies);
    this.ground.follow(frame.bodies);
    this.dirty = true;
    return this.colour();
  }

  colour() {
    const mode = MODES[this.mode];
    if (this.mode === 'own' || this.frame.colour !== this.mode) {
      this.bodies.setRange(0, 0, 1);
      return null;
    }
    const [low, high] = rangeOf(this.frame.bodies, BODY, Boolean(mode.logarithmic));
    // The scale widens at once and narrows slowly, so that colours do not flicker.
    if (!this.range || this.rangeMode !== this.mode) this.range = [low, high];
    this.rangeMode = this.mode;
    const top = Math.max(high, this.range[1] * 0.99);
    this.range = [mode.logarithmic ? Math.max(Math.min(low, this.range[0] * 1.01), top / 1e4) : 0, top];
    this.bodies.setRange(mode.logarithmic ? 2 : 1, this.range[0], this.range[1]);
    return /** @type {[number, number]} */ (this.range);
  }

  /** @param {string} layer @param {boolean} on */
  show(layer, on) {
    this.shown[layer] = on;
    if (this.overlay) this.overlay.shown[layer] = on;
    if (layer === 'ground') this.ground.group.visible = on;
    if (layer === 'ground' && this.anchors) this.anchors.group.visible = on;
    if (layer === 'shadow') this.sun.castShadow = this.fine = on;
    this.dirty = true;
  }

  /** Moves the camera as the followed body moved. @param {Float32Array} before @param {Float32Array} now */
  goWith(before, now) {
    const k = BODY * this.followed, way = new THREE.Vector3(now[k] - before[k], now[k + 1] - before[k + 1], now[k + 2] - before[k + 2]);
    if (!Number.isFinite(way.lengthSq())) return;
    this.camera.position.add(way);
    this.controls.target.add(way);
    this.nearAndFar();
  }

  /** Goes with a body, which comes to the middle of the picture; -1: with none. @param {number} body */
  setFollowed(body) {
    this.followed = body;
    if (body < 0) return;
    const way = new THREE.Vector3().fromArray(this.frame.bodies, BODY * body).sub(this.controls.target);
    this.touched = true;
    this.camera.position.add(way);
    this.controls.target.add(way);
    this.nearAndFar();
    this.bodies.moved = this.dirty = true;
  }

  /** Follows what leaves the picture, unless somebody has taken the camera. @param {number} now ms */
  follow(now) {
    if (this.whole || !this.bodies || now - this.looked < LOOK_PAUSE * Math.max(1, this.bodies.itemCount / 20000)) return;
    this.looked = now;
    const box = this.bodies.bounds();
    if (box.isEmpty()) return;
    this.ground.sink(box.min.z);
    if (this.box.containsBox(box)) return;
    const span = (b) => b.getSize(new THREE.Vector3()).length();
    const both = this.box.clone().union(box);
    this.box = span(both) < 4 * span(this.start) ? both : box;
    this.placeLights();
    if (!this.touched) this.wanted = true;
  }

  /** Moves the camera a little towards where it sees everything. */
  ease() {
    if (!this.wanted || this.touched) return;
    const back = this.camera.position.clone().sub(this.controls.target).normalize();
    this.points = null;
    const {eye, target} = this.solve(back);
    this.camera.position.lerp(eye, 0.1);
    this.controls.target.lerp(target, 0.1);
    this.nearAndFar();
    this.wanted = eye.distanceTo(this.camera.position) > 0.01 * eye.distanceTo(target);
    this.bodies.moved = true;
    this.dirty = true;
  }

  /** Draws when something changed. @param {number} now ms @returns {boolean} whether it drew */
  render(now) {
    this.controls.update();
    this.ease();
    this.stayAbove();
    this.clock(now);
    const still = this.coarse && !this.dirty && now - this.drawnAt > STILL;
    if (!this.dirty && !still) return false;
    this.dirty = false;
    this.coarse = Number.isFinite(now) && !still && (this.coarse || this.pace > SLOW);
    this.drawnAt = now;
    this.drew = true;
    this.camera.updateMatrixWorld();
    if (this.bodies) {
      this.bodies.pixelRatio = this.renderer.getPixelRatio();
      if (!this.bodies.sort(this.camera, this.height, now) && this.bodies.moved) this.dirty = true;
      this.overlay.update(this.frame);
    }
    const radius = 0.5 * (this.box?.getSize(new THREE.Vector3()).length() || 1);
    this.effects.draw(this.scene, this.over, this.camera, this.camera.position.distanceTo(this.controls.target) + 2 * radius,
        this.fine && !this.coarse);
    return true;
  }

  /** Measures how long pictures take: until the browser asks for the next one. @param {number} now ms; Infinity: at once */
  clock(now) {
    const took = now - (this.asked ?? now);
    this.asked = Number.isFinite(now) ? now : undefined;
    if (this.drew && took > 0) this.pace = 0.7 * this.pace + 0.3 * Math.min(took, 2000);
    this.drew = false;
  }

  /** Keeps the camera above level ground. */
  stayAbove() {
    const floor = this.ground.level();
    if (!this.box || floor === null || this.controls.target.z < floor) return;
    const least = floor + 0.02 * this.camera.position.distanceTo(this.controls.target);
    if (this.camera.position.z >= least) return;
    this.camera.position.z = least;
    this.camera.lookAt(this.controls.target);
    this.dirty = true;
    if (this.bodies) this.bodies.moved = true;
  }

  /** @param {number} x @param {number} y in CSS pixels @returns {THREE.Ray} */
  ray(x, y) {
    const caster = new THREE.Raycaster();
    this.camera.updateMatrixWorld();
    caster.setFromCamera(new THREE.Vector2(2 * x / this.width - 1, 1 - 2 * y / this.height), this.camera);
    return caster.ray;
  }

  /** Where a point of the world is in the picture, in CSS pixels. @param {number[]} point */
  project(point) {
    this.camera.updateMatrixWorld();
    const v = new THREE.Vector3().fromArray(point).project(this.camera);
    return [(v.x + 1) / 2 * this.width, (1 - v.y) / 2 * this.height];
  }
}
