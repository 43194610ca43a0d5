// SPDX-License-Identifier: Apache-2.0
// Blocks of bytes as src/out/look.h makes them: a JSON text and arrays that it names.

/**
 * @typedef {Object} Look a scene as it is drawn
 * @property {string} title
 * @property {string} program
 * @property {number} bodies
 * @property {number} dt
 * @property {number[]} gravity
 * @property {{positions: Float32Array, normals?: Float32Array, corners: Uint32Array, sides?: number, ends?: Float32Array}[]} meshes
 *   ends: of a capsule (vertexOf)
 * @property {{body: number, place: Float32Array, texture: number}[]} planes without bounds; place: x, y, z, quaternion x, y, z, w
 *   on the body; texture: its number from 1 on, 0: none
 * @property {{tile: number, bytes: Uint8Array}[]} textures
 * @property {number[][]} palette
 * @property {string[]} bodyNames
 * @property {string[]} markerNames
 * @property {string[][]} jointKinds name, free translations, free rotations
 * @property {Object<string, any>} head all of the text
 * @property {Object<string, Float32Array|Uint32Array|Uint8Array>} arrays
 */

/** Numbers of a body in a frame: x, y, z, value, quaternion x, y, z, w. */
export const BODY = 8;
/** Numbers of a contact: point, normal, force along it, friction. */
export const CONTACT = 10;
/** The body index that means the world. */
export const WORLD = 0xffffffff;

const TYPES = {f32: Float32Array, u32: Uint32Array, u8: Uint8Array};

/**
 * Takes planes out of what bodies wear: they have no bounds, and are drawn as ground.
 * @param {Object<string, any>} arrays
 * @returns {{body: number, place: Float32Array, texture: number}[]}
 */
function takePlanes(arrays) {
  const {worn_plane: plane, worn_body: body, worn_place: places} = arrays, planes = [];
  if (!plane.includes(1)) return planes;
  const keeps = (size) => (_, k) => !plane[Math.floor(k / size)];
  plane.forEach((is, k) => {
    if (is) planes.push({body: body[k], place: places.slice(10 * k, 10 * k + 7), texture: arrays.worn_texture?.[k] || 0});
  });
  for (const [name, size] of [['worn_body', 1], ['worn_mesh', 1], ['worn_place', 10], ['worn_colour', 1], ['worn_texture', 1]]) {
    if (arrays[name]) arrays[name] = arrays[name].filter(keeps(size));
  }
  return planes;
}

const NO_MESH = {positions: new Float32Array(0), corners: new Uint32Array(0)};
const SIDES = 32, RINGS = 12; // a capsule's, from a pole to the equator

/** The mesh of all capsules: a ball of radius 1, and for each vertex the end that it belongs to, up or down.
 * @returns {Look['meshes'][0]} */
function makeCapsule() {
  const positions = [], corners = [], ends = [];
  for (const end of [0.5, -0.5]) {
    for (let k = 0; k <= RINGS; k++) {
      const angle = Math.PI / 2 * (k / RINGS + (end < 0 ? 1 : 0)), r = (end > 0 ? k > 0 : k < RINGS) ? Math.sin(angle) : 0;
      for (let n = 0; n <= SIDES; n++) {
        const turn = 2 * Math.PI * (n % SIDES) / SIDES;
        positions.push(r * Math.cos(turn), r * Math.sin(turn), Math.cos(angle));
        ends.push(end);
      }
    }
  }
  for (let ring = 0; ring < 2 * RINGS + 1; ring++) {
    for (let n = 0; n < SIDES; n++) {
      const top = ring * (SIDES + 1) + n, bottom = top + SIDES + 1;
      if (ring > 0) corners.push(top, bottom, top + 1);
      if (ring < 2 * RINGS) corners.push(top + 1, bottom, bottom + 1);
    }
  }
  const points = Float32Array.from(positions);
  return {positions: points, normals: points, corners: Uint32Array.from(corners), sides: SIDES, ends: Float32Array.from(ends)};
}

/** Capsules of all sizes wear one mesh; their scale is radius, radius and length. @param {any[]} meshes
 * @param {Object<string, any>} arrays */
function joinCapsules(meshes, arrays) {
  const common = meshes.findIndex((mesh) => mesh.capsule);
  if (common < 0) return;
  const sizes = meshes.map((mesh) => mesh.capsule);
  arrays.worn_mesh = arrays.worn_mesh.map((mesh, k) => {
    if (!sizes[mesh]) return mesh;
    const [radius, length] = sizes[mesh];
    arrays.worn_place.set([radius, radius, length], 10 * k + 7);
    return common;
  });
  meshes[common] = makeCapsule();
}

/** A vertex of a mesh on an item of a size, into out. @param {Look['meshes'][0]} mesh @param {number} k
 * @param {ArrayLike<number>} size at `from` @param {number} from @param {number[]} out */
export function vertexOf(mesh, k, size, from, out) {
  const p = mesh.positions, radius = size[from];
  out[0] = p[3 * k] * radius;
  out[1] = p[3 * k + 1] * size[from + 1];
  out[2] = mesh.ends ? p[3 * k + 2] * radius + mesh.ends[k] * size[from + 2] : p[3 * k + 2] * size[from + 2];
}

/**
 * @param {ArrayBuffer} buffer
 * @param {number} from
 * @returns {Look}
 */
export function unpackLook(buffer, from = 0) {
  const view = new DataView(buffer, from);
  if (view.getUint32(0, false) !== 0x4146584c) throw new Error('these bytes are no scene');
  const size = view.getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, from + 8, size)));
  const first = from + Math.ceil((8 + size) / 8) * 8;
  const take = (entry) => new TYPES[entry.type](buffer, first + entry.at, entry.count);
  const arrays = {};
  for (const name of Object.keys(head.arrays)) arrays[name] = take(head.arrays[name]);
  const planes = takePlanes(arrays);
  const meshes = head.meshes.map((mesh) => mesh.capsule ? {...NO_MESH, capsule: mesh.capsule} : ({
    positions: take(mesh.positions),
    normals: mesh.normals ? take(mesh.normals) : undefined,
    corners: take(mesh.corners),
    sides: mesh.sides,
  }));
  arrays.worn_place = arrays.worn_place.slice();
  joinCapsules(meshes, arrays);
  return {
    title: head.title, program: head.program, bodies: head.bodies, dt: head.dt, gravity: head.gravity, meshes, planes,
    palette: head.palette, bodyNames: head.body_names, markerNames: head.marker_names, jointKinds: head.joint_kinds,
    textures: (head.textures || []).map((entry) => ({tile: entry.tile, bytes: take(entry.data)})), head, arrays,
  };
}
