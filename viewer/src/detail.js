// SPDX-License-Identifier: Apache-2.0
// Levels of detail of a mesh. Round shapes come as rings of points (src/out/mesh.c): a coarser one leaves out rings and
// points. Other shapes are drawn in full, or as the box around them where they are small.
import * as THREE from 'three';

// From near to far: points and rings that are skipped, and the radius in pixels from which on the level is used.
const ROUND = [{sides: 1, rings: 1, pixels: 20}, {sides: 2, rings: 3, pixels: 9}, {sides: 4, rings: 6, pixels: 3.5},
  {sides: 8, rings: 12, pixels: 0}];
const FULL = [{pixels: 0}];
const HEAVY = [{pixels: 9}, {box: true, pixels: 0}];
const HEAVY_TRIANGLES = 200;

/** Rings that are kept: both ends of each half and every `skip`-th between; all where there are few.
 * @param {number} count @param {number} skip @returns {number[]} */
function ringsKept(count, skip) {
  if (count <= 8) return [...Array(count).keys()];
  const half = count % 2 ? (count - 1) / 2 : count / 2 - 1; // rings from a pole to the equator
  const kept = [];
  for (let k = 0; k <= half; k += skip) kept.push(k);
  for (let k = count % 2 ? half + skip : half + 1; k < count; k += skip) kept.push(k);
  return kept;
}

/** @param {import('./pack.js').Look['meshes'][0]} mesh @param {{sides: number, rings: number}} level */
function roundCorners(mesh, level) {
  const width = mesh.sides + 1, rings = ringsKept(mesh.positions.length / 3 / width, level.rings);
  const corners = [];
  const p = mesh.positions;
  const same = (a, b) => mesh.ends?.[a] === mesh.ends?.[b] && p[3 * a] === p[3 * b] && p[3 * a + 1] === p[3 * b + 1] && p[3 * a + 2] === p[3 * b + 2];
  for (let r = 0; r + 1 < rings.length; r++) {
    for (let k = 0; k < mesh.sides; k += level.sides) {
      const a = rings[r] * width + k, b = a + level.sides, c = rings[r + 1] * width + k, d = c + level.sides;
      if (same(a, c) && same(b, d)) continue; // an edge
      if (!same(a, b)) corners.push(a, c, b);
      if (!same(c, d)) corners.push(b, c, d);
    }
  }
  return new Uint32Array(corners);
}

/** @param {THREE.BufferGeometry} full @returns {THREE.BufferGeometry} */
function boxAround(full) {
  full.computeBoundingBox();
  const size = full.boundingBox.getSize(new THREE.Vector3()), centre = full.boundingBox.getCenter(new THREE.Vector3());
  const box = new THREE.BoxGeometry(size.x, size.y, size.z);
  box.translate(centre.x, centre.y, centre.z);
  return box;
}

/** @param {import('./pack.js').Look['meshes'][0]} mesh @returns {THREE.BufferGeometry} */
export function fullGeometry(mesh) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(mesh.positions, 3));
  geometry.setIndex(new THREE.BufferAttribute(mesh.corners, 1));
  if (mesh.ends) geometry.setAttribute('end', new THREE.BufferAttribute(mesh.ends, 1));
  if (mesh.normals) {
    geometry.setAttribute('normal', new THREE.BufferAttribute(mesh.normals, 3));
    return geometry;
  }
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

/**
 * The levels of a mesh, from near to far.
 * @param {import('./pack.js').Look['meshes'][0]} mesh
 * @returns {{geometry: THREE.BufferGeometry, pixels: number}[]}
 */
export function levelsOf(mesh) {
  const full = fullGeometry(mesh);
  const list = mesh.sides ? ROUND : mesh.corners.length / 3 > HEAVY_TRIANGLES ? HEAVY : FULL;
  return list.map((level) => {
    let geometry = full;
    if (level.box) {
      geometry = boxAround(full);
    } else if (level.sides > 1) {
      geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', full.getAttribute('position'));
      geometry.setAttribute('normal', full.getAttribute('normal'));
      if (mesh.ends) geometry.setAttribute('end', full.getAttribute('end'));
      geometry.setIndex(new THREE.BufferAttribute(roundCorners(mesh, level), 1));
    }
    return {geometry, pixels: level.pixels};
  });
}
