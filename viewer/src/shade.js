// SPDX-License-Identifier: Apache-2.0
// Materials whose instances find their place by themselves: an instance is a number, and two textures say which body it
// is on, where on it, and where the body is. A new frame is one upload, whatever wears what.
import * as THREE from 'three';
import {scaleGlsl} from './colour.js';
import {SIDES, mapUniform} from './texture.js';

// Shadows are as soft as a wide lamp makes them: that takes more samples than three.js has by itself.
const TAPS = 12;
THREE.ShaderChunk.shadowmap_pars_fragment = THREE.ShaderChunk.shadowmap_pars_fragment.replace(
    /shadow = \(\s*texture\( shadowMap[\s\S]*?\) \* 0\.2;/, `shadow = 0.0;
for (int k = 0; k < ${TAPS}; k++) shadow += texture(shadowMap, vec3(shadowCoord.xy + vogelDiskSample(k, ${TAPS}, phi) * radius, shadowCoord.z)) / ${TAPS}.0;`);

/** Texels in a row of the textures. */
export const ROW = 2048;

const HEAD = `
attribute float item;
attribute float end; // of a capsule, whose size is radius, radius and length; else 0
uniform highp sampler2D afxItems;
uniform highp sampler2D afxBodies;
uniform highp sampler2D afxThin;
uniform float afxThinnest;
uniform float afxPicked;
uniform vec4 afxRange;
varying vec3 afxTint;
${scaleGlsl()}
vec4 afxFetch(highp sampler2D from, int k) { return texelFetch(from, ivec2(k % ${ROW}, k / ${ROW}), 0); }
vec3 afxTurn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec3 afxLocal(vec3 size) { return end == 0.0 ? position * size : position * size.x + vec3(0.0, 0.0, end * size.z); }
void afxPlace(out vec4 at, out vec4 turn, out vec4 size, out vec4 body, out vec4 spin) {
  int k = 3 * int(item + 0.5);
  at = afxFetch(afxItems, k);
  turn = afxFetch(afxItems, k + 1);
  size = afxFetch(afxItems, k + 2);
  int b = 2 * int(at.w + 0.5);
  body = afxFetch(afxBodies, b);
  spin = afxFetch(afxBodies, b + 1);
}
`;

const PLACE = `
vec4 afxAt, afxQ, afxSize, afxBody, afxSpin;
afxPlace(afxAt, afxQ, afxSize, afxBody, afxSpin);
`;

const POINT = `
vec3 transformed = afxTurn(afxSpin, afxTurn(afxQ, afxLocal(afxSize.xyz)) + afxAt.xyz) + afxBody.xyz;
`;

// What is thinner than a pixel or so is drawn a little thicker, along its normals.
const THICKEN = `
int afxK = int(item + 0.5);
float afxHalf = afxFetch(afxThin, afxK / 4)[afxK % 4];
transformed += objectNormal * max(0.0, afxThinnest * distance(transformed, cameraPosition) - afxHalf);
`;

const TINT = `
vec3 afxRgb = mod(floor(vec3(afxSize.w / 65536.0, afxSize.w / 256.0, afxSize.w)), 256.0) / 255.0;
afxTint = pow(afxRgb, vec3(2.2));
if (afxRange.x > 0.5) {
  float afxV = max(afxBody.w, afxRange.y);
  float afxT = afxRange.x > 1.5 ? log(afxV / afxRange.y) / log(afxRange.z / afxRange.y)
                                : (afxV - afxRange.y) / (afxRange.z - afxRange.y);
  afxTint = afxScale(clamp(afxT, 0.0, 1.0));
}
if (abs(afxPicked - afxAt.w) < 0.5) afxTint = mix(afxTint, vec3(1.0, 0.62, 0.2), 0.55);
`;

/** @returns {Object<string, THREE.IUniform>} shared by all materials of a scene */
export function bodyUniforms() {
  return {
    afxItems: {value: null},
    afxBodies: {value: null},
    afxThin: {value: null}, // half of the least extent of every item, four in a texel
    afxThinnest: {value: 0}, // half of the least thickness that is drawn, at the distance 1
    afxPicked: {value: -1},
    afxStudio: {value: [new THREE.Color(), new THREE.Color()]}, // mirrored from below and from above
    afxRange: {value: new THREE.Vector4(0, 0, 1, 0)}, // 0 own colours, 1 linear, 2 logarithmic; low, high
  };
}

// Bright light loses its strength, then its colour, instead of being cut off (after Khronos' neutral tone mapping).
const TONE = `
float afxPeak = max(gl_FragColor.r, max(gl_FragColor.g, gl_FragColor.b)), afxFree = 1.0 - 0.72;
if (afxPeak > 0.72) {
  float afxNew = 1.0 - afxFree * afxFree / (afxPeak + afxFree - 0.72);
  gl_FragColor.rgb = mix(vec3(afxNew), gl_FragColor.rgb * afxNew / afxPeak, 1.0 / (0.12 * (afxPeak - afxNew) + 1.0));
}
`;

// A studio that is mirrored in the bodies: bright above, the ground's tone below, and a wide lamp where the sun is.
const STUDIO = `
vec3 afxWay = inverseTransformDirection(reflect(-geometryViewDir, geometryNormal), viewMatrix);
float afxGraze = pow(1.0 - saturate(dot(geometryNormal, geometryViewDir)), 5.0);
float afxLamp = smoothstep(0.72, 0.98, dot(afxWay, normalize(vec3(-0.35, -0.55, 0.95))));
vec3 afxMirrored = mix(afxStudio[0], afxStudio[1], smoothstep(-0.3, 0.6, afxWay.z)) + 1.6 * afxLamp * afxStudio[1];
reflectedLight.indirectSpecular += afxMirrored * (0.045 + 0.4 * afxGraze);
`;

/** @param {Object<string, THREE.IUniform>} uniforms @param {{entry: any, tile: number}|null} picture what is painted on it
 * @returns {THREE.Material} */
export function bodyMaterial(uniforms, picture) {
  const material = new THREE.MeshStandardMaterial({roughness: 0.46, metalness: 0});
  const keeps = picture ? 'afxShape = afxLocal(afxSize.xyz); afxFace = end == 0.0 ? normal / afxSize.xyz : normal;' : '';
  const own = picture ? {afxMap: mapUniform(picture.entry), afxTile: {value: picture.tile}} : {};
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms, own);
    const varying = picture ? 'varying vec3 afxShape, afxFace;\n' : '';
    shader.vertexShader = HEAD + varying + shader.vertexShader
        .replace('#include <beginnormal_vertex>',
            `${PLACE} ${keeps} vec3 objectNormal = afxTurn(afxSpin, afxTurn(afxQ, normalize(end == 0.0 ? normal / afxSize.xyz : normal)));`)
        .replace('#include <begin_vertex>', POINT + THICKEN + TINT)
        // Parts that touch in a surface, as links at a joint often do: one of them is drawn.
        .replace('#include <project_vertex>', '#include <project_vertex>\ngl_Position.z -= mod(afxAt.w, 7.0) * 6e-6 * gl_Position.w;');
    const paints = picture ? `${varying}uniform sampler2D afxMap; uniform float afxTile; uniform vec4 afxRange;\n${SIDES}` : '';
    shader.fragmentShader = `varying vec3 afxTint; uniform vec3 afxStudio[2];\n${paints}` + shader.fragmentShader
        .replace('#include <tonemapping_fragment>', TONE)
        .replace('#include <lights_fragment_end>', '#include <lights_fragment_end>' + STUDIO)
        .replace('#include <color_fragment>', `diffuseColor.rgb *= afxTint;
${picture ? 'if (afxRange.x < 0.5) diffuseColor.rgb *= afxPicture(afxMap, afxShape, afxFace, afxTile);' : ''}`);
  };
  material.customProgramCacheKey = () => `afx-body-${Boolean(picture)}`;
  return material;
}

/**
 * Bodies that are too small for shapes: round dots, lit as a ball would be on the whole.
 * @param {Object<string, THREE.IUniform>} uniforms @returns {THREE.ShaderMaterial}
 */
export function dotMaterial(uniforms) {
  return new THREE.ShaderMaterial({
    uniforms: {...uniforms, focal: {value: 1}, light: {value: 1}},
    vertexShader: `${HEAD} attribute float size; uniform float focal;
void main() {
  ${PLACE}
  vec4 seen = viewMatrix * vec4(afxTurn(afxSpin, afxAt.xyz) + afxBody.xyz, 1.0);
  ${TINT}
  gl_Position = projectionMatrix * seen;
  gl_PointSize = max(1.0, 2.0 * size * focal / -seen.z);
}`,
    fragmentShader: `varying vec3 afxTint; uniform float light;
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  float r = dot(p, p);
  if (r > 1.0) discard;
  gl_FragColor = vec4(afxTint * light * (0.55 + 0.45 * clamp(0.7 - 0.5 * p.y + 0.3 * p.x, 0.0, 1.0)), 1.0);
  #include <colorspace_fragment>
}`,
  });
}

/** What casts the shadow. @param {Object<string, THREE.IUniform>} uniforms @returns {THREE.Material} */
export function shadowMaterial(uniforms) {
  const material = new THREE.MeshDepthMaterial({depthPacking: THREE.RGBADepthPacking});
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = HEAD + shader.vertexShader
        .replace('#include <begin_vertex>', PLACE + POINT + 'afxTint = vec3(0.0); gl_PointSize = 2.0;');
  };
  material.customProgramCacheKey = () => 'afx-shadow';
  return material;
}
