// SPDX-License-Identifier: Apache-2.0
// The ground: planes of the scene, without bounds, as discs with a grid that fade into the background. Where the scene has
// none, there is a floor below it, for the eye only: nothing stands on it.
import * as THREE from 'three';
import {BODY, WORLD} from './pack.js';
import {mapUniform} from './texture.js';

const PLANES_MOST = 16;

/** The largest of 1, 2, 5 times a power of ten that is at most x. @param {number} x */
function roundDown(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x >= 5 * power ? 5 : x >= 2 * power ? 2 : 1);
}

/** A disc with a grid, and the shadows on it. */
class Floor {
  /** @param {THREE.Group} group @param {any} [picture] that is painted on it, in the place of the grid */
  constructor(group, picture) {
    this.uniforms = {
      afxCell: {value: 1}, afxReach: {value: 10}, afxSize: {value: 1}, afxMiddle: {value: new THREE.Vector2()},
      afxLine: {value: new THREE.Color()},
      ...picture && {afxMap: mapUniform(picture), afxTile: {value: picture.tile || 1}},
    };
    const material = new THREE.MeshBasicMaterial({transparent: true, toneMapped: false, depthWrite: true,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1});
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = 'varying vec2 afxAt; uniform float afxSize; uniform vec2 afxMiddle;\n' +
          shader.vertexShader.replace('#include <begin_vertex>',
              '#include <begin_vertex>\nafxAt = position.xy * afxSize + afxMiddle;');
      shader.fragmentShader = `${picture ? 'uniform sampler2D afxMap; uniform float afxTile;' : ''}
varying vec2 afxAt; uniform float afxCell, afxReach; uniform vec2 afxMiddle;
uniform vec3 afxLine;
float afxGrid(float cell) {
  vec2 c = afxAt / cell, w = fwidth(c);
  vec2 d = abs(fract(c - 0.5) - 0.5) / max(w, 1e-6);
  float fade = 1.0 - smoothstep(0.15, 0.6, max(w.x, w.y));
  return fade * (1.0 - min(min(d.x, d.y), 1.0));
}
` + shader.fragmentShader.replace('#include <color_fragment>', `
  float afxFar = length(afxAt - afxMiddle) / afxReach;
  ${picture ? 'diffuseColor.rgb = 0.85 * texture2D(afxMap, vec2(afxAt.x, -afxAt.y) / afxTile + 0.5).rgb;'
    : 'diffuseColor.rgb = mix(diffuseColor.rgb, afxLine, max(0.4 * afxGrid(afxCell), afxGrid(afxCell * 5.0)));'}
  diffuseColor.a = 1.0 - smoothstep(0.06, 1.0, afxFar);
  if (diffuseColor.a <= 0.0) discard;`);
    };
    material.customProgramCacheKey = () => `afx-floor-${Boolean(picture)}`;
    this.floor = new THREE.Mesh(new THREE.CircleGeometry(1, 64), material);
    this.floor.renderOrder = -2;
    this.shade = new THREE.Mesh(new THREE.CircleGeometry(1, 64), new THREE.ShadowMaterial({depthWrite: false}));
    this.shade.receiveShadow = true;
    this.shade.renderOrder = -1;
    this.mesh = new THREE.Group();
    this.mesh.add(this.floor, this.shade);
    group.add(this.mesh);
  }

  /** @param {number} span of the scene */
  scale(span) {
    this.mesh.scale.setScalar(6 * span);
    this.uniforms.afxSize.value = 6 * span;
    this.uniforms.afxReach.value = 5 * span;
    this.uniforms.afxCell.value = roundDown(span / 8);
  }

  /**
   * Puts the disc into the plane z = 0 of a frame, as near to the scene as it can be.
   * @param {THREE.Vector3} origin @param {THREE.Quaternion} turn @param {THREE.Vector3} centre of the scene
   */
  place(origin, turn, centre) {
    const local = centre.clone().sub(origin).applyQuaternion(turn.clone().invert());
    local.z = 0;
    this.uniforms.afxMiddle.value.set(local.x, local.y);
    this.mesh.quaternion.copy(turn);
    this.mesh.position.copy(local.applyQuaternion(turn).add(origin));
  }

  /** @param {boolean} dark */
  paint(dark) {
    this.floor.material.color.set(dark ? 0x2a3037 : 0xf4f4f3);
    this.uniforms.afxLine.value.set(dark ? 0x39414a : 0xd9dcdf);
    this.shade.material.opacity = dark ? 0.55 : 0.34;
  }

  destroy() {
    this.mesh.removeFromParent();
    for (const part of [this.floor, this.shade]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}

export class Ground {
  /** @param {THREE.Scene} scene */
  constructor(scene) {
    this.group = new THREE.Group();
    this.below = new Floor(this.group);
    /** @type {{floor: Floor, body: number, place: Float32Array}[]} */
    this.planes = [];
    this.low = Infinity;
    this.span = 1;
    this.dark = true;
    this.centre = new THREE.Vector3();
    scene.add(this.group);
  }

  /** @param {{body: number, place: Float32Array, texture?: number}[]} planes of the scene @param {any[]} [textures] */
  setPlanes(planes, textures) {
    for (const {floor} of this.planes) floor.destroy();
    this.planes = planes.slice(0, PLANES_MOST).map((plane) => ({floor: new Floor(this.group, textures?.[plane.texture - 1]), ...plane}));
    this.below.mesh.visible = planes.length === 0;
    /** @type {Float32Array|null} */
    this.bodies = null;
    this.paint(this.dark);
  }

  /** Fits the ground to a scene. @param {THREE.Box3} box */
  fit(box) {
    this.span = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-6);
    box.getCenter(this.centre);
    for (const floor of [this.below, ...this.planes.map((plane) => plane.floor)]) floor.scale(this.span);
    this.setLow(box.min.z);
    if (this.bodies) this.follow(this.bodies);
  }

  /** @param {number} low */
  setLow(low) {
    this.low = low;
    this.below.place(new THREE.Vector3(0, 0, low - 0.002 * this.span), new THREE.Quaternion(), this.centre);
  }

  /** What sinks takes the floor with it, but not for ever. @param {number} low */
  sink(low) {
    if (low < this.low && low > this.below.mesh.position.z - 2 * this.span) this.setLow(low);
  }

  /** Puts planes where their bodies are. @param {Float32Array} bodies [bodies][BODY] */
  follow(bodies) {
    this.bodies = bodies;
    const origin = new THREE.Vector3(), turn = new THREE.Quaternion(), own = new THREE.Quaternion();
    for (const {floor, body, place} of this.planes) {
      origin.set(place[0], place[1], place[2]);
      own.set(place[3], place[4], place[5], place[6]);
      turn.identity();
      if (body !== WORLD) {
        const k = BODY * body;
        turn.set(bodies[k + 4], bodies[k + 5], bodies[k + 6], bodies[k + 7]);
        origin.applyQuaternion(turn).add(new THREE.Vector3(bodies[k], bodies[k + 1], bodies[k + 2]));
      }
      floor.place(origin, turn.multiply(own), this.centre);
    }
  }

  /** The height of level ground, or null. @returns {number|null} */
  level() {
    if (!this.group.visible) return null;
    if (this.below.mesh.visible) return this.below.mesh.position.z;
    const up = new THREE.Vector3();
    const levels = this.planes.map((plane) => plane.floor.mesh)
        .filter((mesh) => up.set(0, 0, 1).applyQuaternion(mesh.quaternion).z > 0.999).map((mesh) => mesh.position.z);
    return levels.length ? Math.max(...levels) : null;
  }

  /** @param {boolean} dark */
  paint(dark) {
    this.dark = dark;
    for (const floor of [this.below, ...this.planes.map((plane) => plane.floor)]) floor.paint(dark);
  }
}
