// SPDX-License-Identifier: Apache-2.0
// Pictures on shapes: decoded by the browser, and put on from all six sides, along the shape's axes.
import * as THREE from 'three';

/**
 * @param {{tile: number, bytes: Uint8Array}[]} list @param {() => void} changed when one has been decoded
 * @returns {{textures: {map: THREE.Texture, tile: number}[], ready: Promise<any>}}
 */
export function loadTextures(list, changed) {
  const waits = [];
  const textures = list.map(({tile, bytes}) => {
    const map = new THREE.DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1); // until it is decoded
    map.needsUpdate = true;
    const entry = {map: /** @type {THREE.Texture} */ (map), tile, users: []};
    waits.push(createImageBitmap(new Blob([bytes.slice()])).then((image) => {
      const texture = new THREE.Texture(image);
      texture.colorSpace = THREE.SRGBColorSpace;
      texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
      texture.anisotropy = 8;
      texture.flipY = false;
      texture.needsUpdate = true;
      entry.map = texture;
      for (const uniform of entry.users) uniform.value = texture;
      changed();
    }).catch(() => { /* a picture that is damaged: the shape is white */ }));
    return entry;
  });
  return {textures, ready: Promise.all(waits)};
}

/** A uniform that has the picture as soon as there is one. @param {{map: THREE.Texture, users: any[]}} entry */
export function mapUniform(entry) {
  const uniform = {value: entry.map};
  entry.users.push(uniform);
  return uniform;
}

/** The colour of a texture at a point of a shape, its normal telling the side; for shaders. */
export const SIDES = `
vec2 afxSide(vec3 at, vec3 normal) {
  vec3 n = abs(normal);
  vec2 uv = n.x > n.y && n.x > n.z ? vec2(at.y * sign(normal.x), at.z)
          : n.y > n.z ? vec2(-at.x * sign(normal.y), at.z) : vec2(at.x, at.y * sign(normal.z));
  return vec2(uv.x, -uv.y);
}
// Gradients of the point, not of the picture's coordinates, which jump from side to side.
vec3 afxPicture(sampler2D map, vec3 at, vec3 normal, float tile) {
  return textureGrad(map, afxSide(at, normal) / tile + 0.5, afxSide(dFdx(at), normal) / tile, afxSide(dFdy(at), normal) / tile).rgb;
}
`;
