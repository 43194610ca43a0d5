// SPDX-License-Identifier: Apache-2.0
// The pointer over the picture: a press on a body of a live run drags it, in the plane that faces the camera; anything
// else is left to the camera. A click tells about a body.
import * as THREE from 'three';
import {place} from './math.js';

const CLICK = 4; // pixels that a pointer may move in a click
const SEND_PAUSE = 25; // ms

export class Pointer {
  /**
   * @param {import('./stage.js').Stage} stage
   * @param {{canDrag: () => boolean, drag: (body: number, local: number[], target: number[]) => void,
   *          release: () => void, pick: (body: number) => void}} act
   */
  constructor(stage, act) {
    this.stage = stage;
    this.act = act;
    /** @type {any} */ this.held = null;
    this.pressed = null;
    const canvas = stage.canvas;
    canvas.addEventListener('pointerdown', (e) => this.down(e), {capture: true});
    window.addEventListener('pointermove', (e) => this.move(e));
    window.addEventListener('pointerup', (e) => this.up(e));
    window.addEventListener('pointercancel', (e) => this.up(e));
  }

  /** @param {PointerEvent} e */
  down(e) {
    if (e.button !== 0 || !this.stage.bodies || !e.isPrimary) return;
    this.pressed = {x: e.clientX, y: e.clientY};
    const hit = this.stage.bodies.pick(this.stage.ray(e.clientX, e.clientY));
    this.pressed.hit = hit;
    const fixed = hit && this.stage.bodies.look.arrays.body_kind[hit.body] !== 0;
    if (!hit || fixed || e.shiftKey || !this.act.canDrag()) return;
    this.stage.controls.enabled = false;
    e.stopPropagation();
    const normal = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.held = {body: hit.body, local: hit.local, target: hit.point.toArray(), sent: 0,
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point)};
    this.stage.bodies.mark(hit.body);
    this.stage.canvas.classList.add('holding');
    this.send(true);
  }

  /** @param {PointerEvent} e */
  move(e) {
    if (!this.held) return;
    const to = this.stage.ray(e.clientX, e.clientY).intersectPlane(this.held.plane, new THREE.Vector3());
    if (!to) return;
    this.held.target = to.toArray();
    this.held.moved = true;
    this.send(false);
  }

  /** @param {boolean} now */
  send(now) {
    const time = performance.now();
    if (!now && time - this.held.sent < SEND_PAUSE) return;
    this.held.sent = time;
    this.held.moved = false;
    this.act.drag(this.held.body, this.held.local, this.held.target);
  }

  /** @param {PointerEvent} e */
  up(e) {
    const pressed = this.pressed;
    this.pressed = null;
    if (this.held) {
      this.held = null;
      this.act.release();
      this.stage.controls.enabled = true;
      this.stage.canvas.classList.remove('holding');
      if (this.stage.overlay) this.stage.overlay.hand = null;
      this.stage.dirty = true;
    }
    if (pressed && Math.hypot(e.clientX - pressed.x, e.clientY - pressed.y) < CLICK) {
      this.act.pick(pressed.hit ? pressed.hit.body : -1);
    }
  }

  /** Draws the hand where it is now, and sends what was not sent because it came too soon. */
  update() {
    if (this.held?.moved) this.send(false);
    if (!this.held || !this.stage.overlay || !this.stage.frame) return;
    const from = [0, 0, 0];
    place(this.stage.frame.bodies, this.held.body, ...this.held.local, from, 0);
    this.stage.overlay.hand = {from, to: this.held.target};
    this.stage.dirty = true;
  }
}
