// SPDX-License-Identifier: Apache-2.0
// Blocks of bytes as src/out/look.h makes them: a JSON text and arrays that it names.

/**
 * @typedef {Object} Look a scene as it is drawn
 * @property {string} title
 * @property {string} program
 * @property {number} bodies
 * @property {number} dt
 * @property {number[]} gravity
 * @property {{positions: Float32Array, normals?: Float32Array, corners: Uint32Array, sides?: number}[]} meshes
 * @property {{body: number, place: Float32Array}[]} planes without bounds; place: x, y, z, quaternion x, y, z, w on the body
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
 * @returns {{body: number, place: Float32Array}[]}
 */
function takePlanes(arrays) {
  const {worn_plane: plane, worn_body: body, worn_place: places} = arrays, planes = [];
  if (!plane.includes(1)) return planes;
  const keeps = (size) => (_, k) => !plane[Math.floor(k / size)];
  plane.forEach((is, k) => { if (is) planes.push({body: body[k], place: places.slice(10 * k, 10 * k + 7)}); });
  for (const [name, size] of [['worn_body', 1], ['worn_mesh', 1], ['worn_place', 10], ['worn_colour', 1]]) {
    arrays[name] = arrays[name].filter(keeps(size));
  }
  return planes;
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
  const meshes = head.meshes.map((mesh) => ({
    positions: take(mesh.positions),
    normals: mesh.normals ? take(mesh.normals) : undefined,
    corners: take(mesh.corners),
    sides: mesh.sides,
  }));
  return {
    title: head.title, program: head.program, bodies: head.bodies, dt: head.dt, gravity: head.gravity, meshes, planes,
    palette: head.palette, bodyNames: head.body_names, markerNames: head.marker_names, jointKinds: head.joint_kinds,
    head, arrays,
  };
}
