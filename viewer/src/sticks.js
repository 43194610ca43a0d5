// SPDX-License-Identifier: Apache-2.0
// Lines and dots of a width in pixels, as instances of one square: WebGL's own lines are a pixel wide. A dot is a line
// whose ends are one point.
import * as THREE from 'three';

const VERTEX = `
attribute vec3 begin; attribute vec3 end; attribute vec4 paint;
uniform vec2 screen;
varying vec2 across; varying float reach; varying vec3 tint;
void main() {
  vec4 a = projectionMatrix * modelViewMatrix * vec4(begin, 1.0), b = projectionMatrix * modelViewMatrix * vec4(end, 1.0);
  float near = 1e-4;
  if (a.w < near && b.w < near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 pa = a.xy / a.w * screen * 0.5, pb = b.xy / b.w * screen * 0.5, along = pb - pa;
  float size = length(along), radius = paint.w * 0.5 + 1.0;
  along = size > 1e-3 ? along / size : vec2(1.0, 0.0);
  vec2 side = vec2(-along.y, along.x);
  vec4 here = position.x < 0.0 ? a : b;
  vec2 shift = along * radius * position.x + side * radius * position.y;
  across = vec2(position.x < 0.0 ? -radius : size + radius, position.y * radius);
  reach = size; tint = paint.rgb;
  gl_Position = here + vec4(shift / screen * 2.0 * here.w, 0.0, 0.0);
  gl_PointSize = paint.w;
}`;

const FRAGMENT = `
varying vec2 across; varying float reach; varying vec3 tint;
uniform float opacity; uniform float width;
void main() {
  float x = across.x < 0.0 ? across.x : max(across.x - reach, 0.0);
  float d = length(vec2(x, across.y));
  float cover = clamp(width * 0.5 - d + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  gl_FragColor = vec4(pow(tint, vec3(2.2)), opacity * cover);
  #include <colorspace_fragment>
}`;

export class Sticks {
  /** @param {THREE.Object3D} parent @param {{width: number, opacity?: number, depth?: boolean}} style */
  constructor(parent, {width, opacity = 1, depth = false}) {
    this.capacity = 0;
    this.width = width;
    this.geometry = new THREE.InstancedBufferGeometry();
    this.geometry.setAttribute('position',
        new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
    this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.geometry.instanceCount = 0;
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthTest: depth, depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {screen: {value: new THREE.Vector2(1, 1)}, opacity: {value: opacity}, width: {value: width}},
    });
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 10;
    parent.add(this.mesh);
    this.clear();
  }

  clear() {
    this.count = 0;
  }

  /** @param {number} count sticks in all */
  reserve(count) {
    if (count <= this.capacity) return;
    this.capacity = Math.max(64, 2 * count);
    const old = this.data;
    this.data = {};
    for (const [name, size] of [['begin', 3], ['end', 3], ['paint', 4]]) {
      const array = new Float32Array(size * this.capacity);
      if (old) array.set(old[name]);
      this.data[name] = array;
      this.geometry.setAttribute(name, new THREE.InstancedBufferAttribute(array, size).setUsage(THREE.DynamicDrawUsage));
    }
  }

  /**
   * @param {ArrayLike<number>} a @param {number} i where in a @param {ArrayLike<number>} b @param {number} j
   * @param {number[]} rgb as on a screen
   */
  add(a, i, b, j, rgb) {
    this.reserve(this.count + 1);
    const k = this.count++, {begin, end, paint} = this.data;
    for (let n = 0; n < 3; n++) {
      begin[3 * k + n] = a[i + n];
      end[3 * k + n] = b[j + n];
      paint[4 * k + n] = rgb[n];
    }
    paint[4 * k + 3] = this.width;
  }

  /** Shows what was added since clear(). */
  finish() {
    this.geometry.instanceCount = this.count;
    this.mesh.visible = this.count > 0;
    if (!this.count) return;
    for (const name of ['begin', 'end', 'paint']) this.geometry.getAttribute(name).needsUpdate = true;
  }

  /** @param {number} width @param {number} height of the picture in CSS pixels */
  resize(width, height) {
    this.material.uniforms.screen.value.set(width, height);
  }

  destroy() {
    this.mesh.removeFromParent();
    this.geometry.dispose();
    this.material.dispose();
  }
}
