// SPDX-License-Identifier: Apache-2.0
// Where the scene is held: pins at hinges, and balls at ball joints, that hold a body to the world. A linkage without them hangs in
// the air; fixed bodies show by themselves what they hold.
import * as THREE from 'three';
import {WORLD} from './pack.js';
import {rotate} from './math.js';

const MOST = 200; // joints; of more, bodies that stand still show where they are held
const PIN_RADIUS = 0.5, PIN_HALF = 1.6, BALL = 1.2; // times how thick the body is there
const LIGHT = 0x8d8a85, DARK = 0xa9a49c;

/** Half of the least extent of a body's shapes, of the thinnest one. @param {import('./pack.js').Look} look @param {number} body */
function thickness(look, body) {
  const {worn_body: who, worn_mesh: mesh, worn_place: places} = look.arrays;
  let thin = Infinity;
  for (let k = 0; k < who.length; k++) {
    if (who[k] !== body) continue;
    const {positions, ends} = look.meshes[mesh[k]], half = [0, 0, 0];
    for (let n = 0; n < positions.length; n++) half[n % 3] = Math.max(half[n % 3], Math.abs(positions[n]) * places[10 * k + 7 + n % 3]);
    thin = Math.min(thin, ends ? places[10 * k + 7] : Math.min(...half));
  }
  return thin;
}

export class Anchors {
  /** @param {import('./pack.js').Look} look @param {THREE.Object3D} parent */
  constructor(look, parent) {
    this.group = new THREE.Group();
    this.material = new THREE.MeshStandardMaterial({roughness: 0.55, metalness: 0.1});
    this.pin = new THREE.CylinderGeometry(1, 1, 2, 24);
    this.ball = new THREE.SphereGeometry(1, 24, 16);
    parent.add(this.group);
    const pairs = look.arrays.joint_bodies, list = [];
    for (let k = 0; k < pairs.length && list.length <= MOST; k++) if (pairs[k] === WORLD && pairs[k ^ 1] !== WORLD) list.push(k);
    if (list.length <= MOST) for (const k of list) this.add(look, k >> 1, k & 1);
  }

  /** @param {import('./pack.js').Look} look @param {number} k joint @param {number} end which of its frames is the world's */
  add(look, k, end) {
    const {joint_kind: kinds, joint_bodies: pairs, joint_frames: frames} = look.arrays;
    const [, slides, turns] = look.jointKinds[kinds[k]], thick = thickness(look, pairs[2 * k + 1 - end]), balls = turns.length > 1;
    if (slides.length || !turns.length || !Number.isFinite(thick)) return;
    const mesh = new THREE.Mesh(balls ? this.ball : this.pin, this.material), way = [0, 0, 0], at = 14 * k + 7 * end;
    mesh.position.fromArray(frames, at);
    if (balls) {
      mesh.scale.setScalar(BALL * thick);
    } else {
      const axis = 'xyz'.indexOf(turns);
      rotate(frames, at + 3, axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0, way, 0);
      mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3().fromArray(way).normalize());
      mesh.scale.set(PIN_RADIUS * thick, PIN_HALF * thick, PIN_RADIUS * thick);
    }
    mesh.castShadow = mesh.receiveShadow = true;
    this.group.add(mesh);
  }

  /** @param {boolean} dark */
  paint(dark) { this.material.color.set(dark ? DARK : LIGHT); }

  destroy() {
    this.group.removeFromParent();
    this.pin.dispose();
    this.ball.dispose();
    this.material.dispose();
  }
}
