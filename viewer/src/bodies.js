// SPDX-License-Identifier: Apache-2.0
// All bodies of a scene: one instanced mesh for each shape and level of detail.
import * as THREE from 'three';
import {BODY, vertexOf} from './pack.js';
import {place, rotate} from './math.js';
import {ownColours} from './colour.js';
import {levelsOf} from './detail.js';
import {ROW, bodyMaterial, bodyUniforms, dotMaterial, shadowMaterial} from './shade.js';

const SHADOWS_MOST = 150000; // items that cast shadows
const SORT_EACH_FRAME = 60000; // items that are sorted into levels at every frame; more: a few times a second
const SORT_PAUSE = 120; // ms
const DOT_PIXELS = 1.2; // radius below which a body is a dot
const THINNEST = [1.5, 0.7]; // pixels, half of the least thickness, of few and of many items: what is thinner would come
const FEW_AND_MANY = [1000, 20000]; // and go with the pixels, and a chain of some hundred links not be seen as one
const NEAR = 0.2; // of the size of what moves: so far from it the camera looks for what does not
const LEVELS = 5; // four of shapes, and dots

/** A texture of float numbers, four in a texel, with room for `texels`. @param {number} texels */
function floatTexture(texels) {
  const rows = Math.max(1, Math.ceil(texels / ROW));
  const texture = new THREE.DataTexture(new Float32Array(4 * ROW * rows), ROW, rows, THREE.RGBAFormat, THREE.FloatType);
  texture.needsUpdate = true;
  return texture;
}

const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** Whether a ball is outside one of four planes. @param {number[]} planes @param {number[]} at @param {number} r */
function isOutside(planes, at, r) {
  for (let n = 0; n < 16; n += 4) {
    if (planes[n] * at[0] + planes[n + 1] * at[1] + planes[n + 2] * at[2] + planes[n + 3] < -r) return true;
  }
  return false;
}

export class Bodies {
  /** @param {import('./pack.js').Look} look @param {THREE.Scene} scene @param {{map: THREE.Texture, tile: number}[]} textures */
  constructor(look, scene, textures) {
    this.look = look;
    this.textures = textures;
    this.group = new THREE.Group();
    this.uniforms = bodyUniforms();
    /** @type {Float32Array} of the frame that is shown */
    this.frame = /** @type {Float32Array} */ (look.arrays.body_start).slice();
    this.sorted = 0;
    this.pixelRatio = 1;
    this.counts = [];
    this.makeItems();
    this.makeMeshes();
    scene.add(this.group);
    this.setFrame(this.frame);
  }

  makeItems() {
    const {look} = this, count = look.arrays.worn_body.length, places = look.arrays.worn_place;
    const items = floatTexture(3 * count), to = items.image.data;
    const colourOf = ownColours(look);
    this.bodyTexture = floatTexture(2 * look.bodies);
    for (let k = 0; k < count; k++) {
      const rgb = colourOf(k).map((x) => Math.round(255 * x));
      to.set([places[10 * k], places[10 * k + 1], places[10 * k + 2], look.arrays.worn_body[k]], 12 * k);
      to.set(places.subarray(10 * k + 3, 10 * k + 7), 12 * k + 4);
      to.set([places[10 * k + 7], places[10 * k + 8], places[10 * k + 9], rgb[0] * 65536 + rgb[1] * 256 + rgb[2]],
          12 * k + 8);
    }
    this.items = to;
    this.itemCount = count;
    const [few, many] = FEW_AND_MANY.map(Math.log), share = Math.min(1, Math.max(0, (Math.log(count) - few) / (many - few)));
    this.thinnest = THINNEST[0] + share * (THINNEST[1] - THINNEST[0]);
    this.uniforms.afxItems.value = items;
    this.uniforms.afxThin.value = floatTexture(count / 4);
    this.uniforms.afxBodies.value = this.bodyTexture;
  }

  /** Items by their mesh and by what is painted on them. */
  kinds() {
    const {look} = this, textures = look.arrays.worn_texture, kinds = new Map();
    look.arrays.worn_mesh.forEach((m, k) => {
      const texture = textures?.[k] || 0, tile = texture ? this.textures[texture - 1].tile || this.longest(k) : 0;
      const key = texture ? `${m}:${texture}:${tile}` : m;
      if (!kinds.has(key)) kinds.set(key, {mesh: look.meshes[m], texture, tile, items: []});
      kinds.get(key).items.push(k);
    });
    return [...kinds.values()];
  }

  /** The longest edge of an item's box, along its own axes. @param {number} k */
  longest(k) {
    const {look} = this, mesh = look.meshes[look.arrays.worn_mesh[k]], at = [0, 0, 0], low = [0, 0, 0], high = [0, 0, 0];
    for (let n = 0; n < mesh.positions.length / 3; n++) {
      vertexOf(mesh, n, look.arrays.worn_place, 10 * k + 7, at);
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis], at[axis]);
        high[axis] = Math.max(high[axis], at[axis]);
      }
    }
    return Math.max(...high.map((x, axis) => x - low[axis])) || 1;
  }

  makeMeshes() {
    const {look} = this, shadows = this.itemCount <= SHADOWS_MOST;
    const cast = shadowMaterial(this.uniforms), smooth = bodyMaterial(this.uniforms, null);
    this.radius = new Float32Array(this.itemCount);
    this.groups = this.kinds().map(({mesh, texture, tile, items}) => {
      const list = Uint32Array.from(items);
      const paint = texture ? bodyMaterial(this.uniforms, {entry: this.textures[texture - 1], tile}) : smooth;
      const levels = list.length ? levelsOf(mesh) : [];
      const meshes = levels.map(({geometry, pixels}) => {
        const instanced = new THREE.InstancedBufferGeometry();
        instanced.setIndex(geometry.getIndex());
        instanced.setAttribute('position', geometry.getAttribute('position'));
        instanced.setAttribute('normal', geometry.getAttribute('normal'));
        if (mesh.ends) instanced.setAttribute('end', geometry.getAttribute('end') || new THREE.BufferAttribute(mesh.ends, 1));
        const item = new THREE.InstancedBufferAttribute(new Float32Array(list.length), 1);
        item.setUsage(THREE.DynamicDrawUsage);
        instanced.setAttribute('item', item);
        instanced.instanceCount = 0;
        const drawn = new THREE.Mesh(instanced, paint);
        drawn.frustumCulled = false;
        drawn.castShadow = drawn.receiveShadow = shadows;
        drawn.customDepthMaterial = cast;
        this.group.add(drawn);
        return {drawn, item, instanced, pixels};
      });
      if (levels.length) this.measure(list, levels[0].geometry, mesh);
      return {list, meshes};
    });
    this.makeDots(shadows ? cast : null);
  }

  /** All items that are small, whatever their shape. @param {THREE.Material|null} cast */
  makeDots(cast) {
    const geometry = new THREE.BufferGeometry();
    const attribute = () => new THREE.BufferAttribute(new Float32Array(this.itemCount), 1).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute('item', attribute());
    geometry.setAttribute('size', attribute());
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * this.itemCount), 3));
    geometry.setDrawRange(0, 0);
    this.dots = new THREE.Points(geometry, dotMaterial(this.uniforms));
    this.dots.frustumCulled = false;
    if (cast) {
      this.dots.castShadow = true;
      this.dots.customDepthMaterial = cast;
    }
    this.group.add(this.dots);
  }

  /** Half the box and the radius of each item about its place. @param {Uint32Array} list @param {THREE.BufferGeometry} geometry
   * @param {import('./pack.js').Look['meshes'][0]} mesh */
  measure(list, geometry, mesh) {
    const p = geometry.getAttribute('position').array;
    let square = 0;
    for (let k = 0; k < p.length; k += 3) square = Math.max(square, p[k] ** 2 + p[k + 1] ** 2 + p[k + 2] ** 2);
    const box = new THREE.Box3().setFromBufferAttribute(geometry.getAttribute('position'));
    const edge = new THREE.Vector3();
    this.half = this.half || new Float32Array(3 * this.itemCount);
    this.dotSize = this.dotSize || new Float32Array(this.itemCount);
    const thin = this.uniforms.afxThin.value.image.data;
    for (const k of list) {
      const [x, y, z] = this.items.subarray(12 * k + 8, 12 * k + 11);
      edge.set(Math.max(-box.min.x, box.max.x) * x, Math.max(-box.min.y, box.max.y) * y,
          Math.max(-box.min.z, box.max.z) * z);
      if (mesh.ends) edge.set(x, x, x + z / 2);
      edge.toArray(this.half, 3 * k);
      this.dotSize[k] = Math.max(edge.x, edge.y, edge.z); // links of a chain touch each other, and so do their dots
      this.radius[k] = mesh.ends ? edge.z : Math.min(edge.length(), Math.sqrt(square) * Math.max(x, y, z));
      thin[k] = Math.min(edge.x, edge.y, edge.z);
    }
  }

  /** @param {Float32Array} frame [bodies][BODY] */
  setFrame(frame) {
    this.frame = frame;
    this.bodyTexture.image.data.set(frame);
    this.bodyTexture.needsUpdate = true;
    this.moved = true;
  }

  /**
   * Puts every item that can be seen into its level of detail.
   * @param {THREE.PerspectiveCamera} camera @param {number} height of the picture in pixels @param {number} now ms
   */
  sort(camera, height, now) {
    if (!this.moved || (this.itemCount > SORT_EACH_FRAME && now - this.sorted < SORT_PAUSE)) return false;
    this.moved = false;
    this.sorted = now;
    const focal = height / (2 * Math.tan(camera.fov * Math.PI / 360));
    const {x: ex, y: ey, z: ez} = camera.position;
    const matrix = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    const planes = new THREE.Frustum().setFromProjectionMatrix(matrix).planes.slice(0, 4)
        .flatMap((p) => [p.normal.x, p.normal.y, p.normal.z, p.constant]);
    const cull = this.itemCount > SHADOWS_MOST; // what is outside may throw its shadow inside
    const {items, frame, radius} = this, at = [0, 0, 0];
    const dots = this.dots.geometry.getAttribute('item'), sizes = this.dots.geometry.getAttribute('size');
    const small = DOT_PIXELS / focal;
    let dotted = 0;
    this.counts = Array(LEVELS).fill(0);
    for (const {list, meshes} of this.groups) {
      const counts = meshes.map(() => 0), last = meshes.length - 1;
      for (let n = 0; n < list.length; n++) {
        const k = list[n], r = radius[k];
        place(frame, items[12 * k + 3], items[12 * k], items[12 * k + 1], items[12 * k + 2], at, 0);
        if (cull && isOutside(planes, at, r)) continue;
        const distance = Math.hypot(at[0] - ex, at[1] - ey, at[2] - ez);
        if (r < small * distance) {
          dots.array[dotted] = k;
          sizes.array[dotted++] = this.dotSize[k];
          continue;
        }
        const pixels = r * focal / Math.max(distance - r, 1e-9 * r);
        let level = 0;
        while (level < last && pixels < meshes[level].pixels) level++;
        meshes[level].item.array[counts[level]++] = k;
      }
      meshes.forEach(({item, instanced}, level) => {
        instanced.instanceCount = counts[level];
        item.clearUpdateRanges();
        item.addUpdateRange(0, counts[level]);
        item.needsUpdate = true;
        this.counts[level] += counts[level];
      });
    }
    this.dots.geometry.setDrawRange(0, dotted);
    this.dots.material.uniforms.focal.value = focal * this.pixelRatio;
    this.uniforms.afxThinnest.value = this.thinnest / focal;
    this.dots.visible = dotted > 0;
    for (const attribute of [dots, sizes]) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, dotted);
      attribute.needsUpdate = true;
    }
    this.counts[LEVELS - 1] = dotted;
    return true;
  }

  /** Whether an item is on a body that moves. @param {number} k */
  moves(k) {
    return this.look.arrays.body_kind[this.items[12 * k + 3]] !== 1;
  }

  /**
   * The box that a camera should see, as things are now: around what moves, and what is fixed near it.
   * @returns {THREE.Box3}
   */
  bounds() {
    const all = this.around(() => true);
    if (!this.look.arrays.body_kind.includes(1)) return all;
    const moving = this.around((k) => this.moves(k));
    if (moving.isEmpty() || all.isEmpty()) return all;
    return all.intersect(moving.expandByScalar(NEAR * moving.getSize(new THREE.Vector3()).length()));
  }

  /** The box around some items. @param {(k: number) => boolean} takes @returns {THREE.Box3} */
  around(takes) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const at = [0, 0, 0], edge = [0, 0, 0], reach = [0, 0, 0];
    for (let k = 0; k < this.itemCount; k++) {
      if (!takes(k)) continue;
      const o = 12 * k, body = this.items[o + 3];
      place(this.frame, body, this.items[o], this.items[o + 1], this.items[o + 2], at, 0);
      if (!Number.isFinite(at[0] + at[1] + at[2])) continue;
      reach.fill(0);
      for (let axis = 0; axis < 3; axis++) { // of the item's box, turned
        const half = this.half[3 * k + axis];
        rotate(this.items, o + 4, axis === 0 ? half : 0, axis === 1 ? half : 0, axis === 2 ? half : 0, edge, 0);
        rotate(this.frame, BODY * body + 4, edge[0], edge[1], edge[2], edge, 0);
        for (let n = 0; n < 3; n++) reach[n] += Math.abs(edge[n]);
      }
      for (let n = 0; n < 3; n++) {
        const r = Math.min(reach[n], this.radius[k]);
        low[n] = Math.min(low[n], at[n] - r);
        high[n] = Math.max(high[n], at[n] + r);
      }
    }
    return new THREE.Box3(new THREE.Vector3(...low), new THREE.Vector3(...high));
  }

  /**
   * Corners of the boxes of some items, as they are now; those of fixed ones are moved into a box.
   * @param {number} most points, about @param {THREE.Box3} box
   * @returns {number[]} x, y, z of each
   */
  outline(most, box) {
    const {min, max} = box, list = [], every = Math.max(1, Math.ceil(8 * this.itemCount / most)), at = [0, 0, 0], edge = [0, 0, 0];
    for (let k = 0; k < this.itemCount; k += every) {
      const o = 12 * k, body = this.items[o + 3];
      for (let corner = 0; corner < 8; corner++) {
        const [x, y, z] = [0, 1, 2].map((n) => (corner >> n & 1 ? 1 : -1) * this.half[3 * k + n]);
        rotate(this.items, o + 4, x, y, z, edge, 0);
        place(this.frame, body, this.items[o] + edge[0], this.items[o + 1] + edge[1], this.items[o + 2] + edge[2], at, 0);
        if (this.moves(k)) list.push(at[0], at[1], at[2]);
        else list.push(clamp(at[0], min.x, max.x), clamp(at[1], min.y, max.y), clamp(at[2], min.z, max.z));
      }
    }
    return list;
  }

  /**
   * What a ray meets first.
   * @param {THREE.Ray} ray
   * @returns {{body: number, point: THREE.Vector3, local: number[]}|null} local: in the body's frame
   */
  pick(ray) {
    const at = [0, 0, 0], near = [];
    const centre = new THREE.Vector3(), closest = new THREE.Vector3();
    for (let k = 0; k < this.itemCount; k++) {
      const o = 12 * k;
      place(this.frame, this.items[o + 3], this.items[o], this.items[o + 1], this.items[o + 2], at, 0);
      centre.fromArray(at);
      if (ray.distanceSqToPoint(centre) > this.radius[k] ** 2) continue;
      near.push({k, from: ray.origin.distanceTo(centre) - this.radius[k]});
    }
    near.sort((a, b) => a.from - b.from);
    let best = Infinity, found = null;
    for (const {k, from} of near) {
      if (from > best) break;
      const hit = this.pickItem(ray, k, closest);
      if (hit < best) {
        best = hit;
        found = {body: this.items[12 * k + 3], point: closest.clone(), local: [0, 0, 0]};
      }
    }
    if (found) {
      const b = BODY * found.body, f = this.frame;
      rotate([-f[b + 4], -f[b + 5], -f[b + 6], f[b + 7]], 0, found.point.x - f[b], found.point.y - f[b + 1],
          found.point.z - f[b + 2], found.local, 0);
    }
    return found;
  }

  /** Distance along the ray to the surface of an item, or Infinity. @param {THREE.Ray} ray @param {number} k
   * @param {THREE.Vector3} out where */
  pickItem(ray, k, out) {
    const o = 12 * k, items = this.items, at = [0, 0, 0];
    place(this.frame, items[o + 3], items[o], items[o + 1], items[o + 2], at, 0);
    const b = BODY * items[o + 3] + 4;
    const turn = new THREE.Quaternion(this.frame[b], this.frame[b + 1], this.frame[b + 2], this.frame[b + 3])
        .multiply(new THREE.Quaternion(items[o + 4], items[o + 5], items[o + 6], items[o + 7]));
    const matrix = new THREE.Matrix4().compose(new THREE.Vector3().fromArray(at), turn, new THREE.Vector3(1, 1, 1));
    const local = ray.clone().applyMatrix4(matrix.clone().invert());
    const mesh = this.look.meshes[this.look.arrays.worn_mesh[k]], vertex = [0, 0, 0];
    const [p, q, r, hit] = [0, 1, 2, 3].map(() => new THREE.Vector3());
    let best = Infinity;
    for (let c = 0; c < mesh.corners.length; c += 3) {
      [p, q, r].forEach((to, n) => {
        vertexOf(mesh, mesh.corners[c + n], items, o + 8, vertex);
        to.fromArray(vertex);
      });
      if (!local.intersectTriangle(p, q, r, false, hit)) continue;
      hit.applyMatrix4(matrix);
      const distance = hit.distanceTo(ray.origin);
      if (distance < best) {
        best = distance;
        out.copy(hit);
      }
    }
    return best;
  }

  /** @param {number} body -1: none */
  mark(body) {
    this.uniforms.afxPicked.value = body;
  }

  /** @param {number} kind 0 own colours, 1 linear, 2 logarithmic @param {number} low @param {number} high */
  setRange(kind, low, high) {
    this.uniforms.afxRange.value.set(kind, low, high, 0);
  }

  destroy() {
    this.group.removeFromParent();
    for (const {meshes} of this.groups) {
      for (const {instanced, drawn} of meshes) {
        instanced.dispose();
        drawn.material.dispose();
        drawn.customDepthMaterial.dispose();
      }
    }
    this.dots.geometry.dispose();
    this.dots.material.dispose();
    this.bodyTexture.dispose();
    this.uniforms.afxItems.value.dispose();
    this.uniforms.afxThin.value.dispose();
  }
}
