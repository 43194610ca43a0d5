// SPDX-License-Identifier: Apache-2.0
// What makes a picture readable: ambient occlusion where surfaces come close, lines where a surface ends or bends, and
// the sky. The scene is drawn into a target with its depth; a pass of half the size finds the occlusion, and the last
// one joins them. Where that takes too long, moving pictures are drawn without
// (Stage.render).
import * as THREE from 'three';

const SAMPLES = 9; // of the occlusion of a pixel
const SCREEN = 'varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }';

// Distance along the view and the point in view space of a pixel.
const DEPTH = `
varying vec2 at;
uniform highp sampler2D depth; uniform vec2 range, full; uniform mat4 unproject;
float away(vec2 p) {
  float d = texture2D(depth, p).r;
  return range.x * range.y / (range.y - d * (range.y - range.x));
}
vec3 spot(vec2 p) {
  p = (floor(p * full) + 0.5) / full; // where the depth was taken: beside it, a slope would seem to be a step
  vec4 far = unproject * vec4(2.0 * p - 1.0, 1.0, 1.0);
  vec3 ray = far.xyz / far.w;
  return ray * (away(p) / -ray.z);
}`;

// Scalable ambient obscurance: what of a disc around the pixel stands above its tangent plane. The normal comes from the
// nearer neighbours on both axes.
const OCCLUDE = `${DEPTH}
uniform vec2 size; uniform float radius; uniform float focal;
void main() {
  if (texture2D(depth, at).r >= 1.0) { gl_FragColor = vec4(1.0, range.y, 0.0, 1.0); return; }
  vec2 px = 1.0 / size;
  vec3 p = spot(at), e = spot(at + vec2(px.x, 0.0)) - p, w = p - spot(at - vec2(px.x, 0.0));
  vec3 n = spot(at + vec2(0.0, px.y)) - p, s = p - spot(at - vec2(0.0, px.y));
  vec3 normal = normalize(cross(abs(e.z) < abs(w.z) ? e : w, abs(n.z) < abs(s.z) ? n : s));
  float reach = radius * -p.z, sum = 0.0;
  float turn = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  for (int k = 0; k < ${SAMPLES}; k++) {
    float part = (float(k) + 0.5) / ${SAMPLES}.0, angle = turn + float(k) * 2.399963;
    vec3 v = spot(at + vec2(cos(angle) * size.y / size.x, sin(angle)) * part * radius * focal) - p;
    float square = dot(v, v), fall = max(0.0, 1.0 - square / (reach * reach));
    sum += fall * max(0.0, dot(v, normal) - 0.0012 * -p.z) / (sqrt(square) + 1e-3 * reach);
  }
  gl_FragColor = vec4(clamp(1.0 - 2.6 * sum / ${SAMPLES}.0, 0.0, 1.0), -p.z, 0.0, 1.0);
}`;

// Evens out the noise of the samples, over pixels at like distances.
const SMOOTH = `varying vec2 at; uniform highp sampler2D occlusion; uniform vec2 size;
void main() {
  vec2 here = texture2D(occlusion, at).rg;
  float sum = 0.0, weight = 1e-4;
  for (int y = -2; y < 2; y++) for (int x = -2; x < 2; x++) {
    vec2 there = texture2D(occlusion, at + (vec2(x, y) + 0.5) / size).rg;
    float alike = 1.0 / (1.0 + 80.0 * abs(there.g - here.g) / here.g);
    sum += alike * there.r;
    weight += alike;
  }
  gl_FragColor = vec4(sum / weight, 0.0, 0.0, 1.0);
}`;

// The inverse of the distance is linear in the picture on a plane: its second difference is 0 there, and tells edges.
const JOIN = `${DEPTH}
uniform sampler2D picture; uniform sampler2D occlusion; uniform vec2 size; uniform float pixel; uniform float dark;
uniform float reach;
void main() {
  vec4 colour = texture2D(picture, at);
  float here = away(at), open = texture2D(occlusion, at).r;
  vec2 px = 1.0 / size;
  float c = 1.0 / here, l = 1.0 / away(at - vec2(px.x, 0.0)), r = 1.0 / away(at + vec2(px.x, 0.0));
  float u = 1.0 / away(at + vec2(0.0, px.y)), d = 1.0 / away(at - vec2(0.0, px.y));
  vec2 bend = vec2(l + r - 2.0 * c, u + d - 2.0 * c) / (c * pixel);
  float edge = smoothstep(0.5, 2.2, max(abs(bend.x), abs(bend.y))) * 0.22;
  edge = max(edge, 0.42 * smoothstep(6.0, 24.0, max(bend.x, bend.y))); // something nearer ends here
  edge *= 1.0 - smoothstep(reach, 1.6 * reach, 1.0 / max(c, max(max(l, r), max(u, d)))); // the ground's end is none
  open = mix(open, 1.0, smoothstep(0.7 * reach, 1.3 * reach, here));
  colour.rgb *= mix(vec3(1.0), vec3(open), dark) * (1.0 - edge);
  gl_FragColor = colour;
  #include <colorspace_fragment>
}`;

/** A pass over the whole picture. */
class Pass {
  /** @param {string} fragment @param {Object<string, THREE.IUniform>} uniforms */
  constructor(fragment, uniforms) {
    this.uniforms = uniforms;
    this.material = new THREE.ShaderMaterial({vertexShader: SCREEN, fragmentShader: fragment, uniforms, depthTest: false,
      depthWrite: false});
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.material);
    this.mesh.frustumCulled = false;
    this.camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  }

  /** @param {THREE.WebGLRenderer} renderer @param {THREE.WebGLRenderTarget|null} target */
  draw(renderer, target) {
    renderer.setRenderTarget(target);
    renderer.render(this.mesh, this.camera);
  }
}

export class Effects {
  /** @param {THREE.WebGLRenderer} renderer */
  constructor(renderer) {
    this.renderer = renderer;
    const depth = {value: null}, range = {value: new THREE.Vector2()}, unproject = {value: new THREE.Matrix4()};
    const size = {value: new THREE.Vector2()}, half = {value: new THREE.Vector2()};
    this.shared = {depth, range, unproject, size, half};
    this.occlude = new Pass(OCCLUDE, {depth, range, full: size, unproject, size: half, radius: {value: 0.065}, focal: {value: 1}});
    this.smooth = new Pass(SMOOTH, {occlusion: {value: null}, size: half});
    this.join = new Pass(JOIN, {depth, range, full: size, unproject, size, reach: {value: 1}, picture: {value: null}, occlusion: {value: null},
      pixel: {value: 1e-3}, dark: {value: 0.8}});
  }

  resize() {
    const full = this.renderer.getDrawingBufferSize(new THREE.Vector2());
    if (this.target && full.equals(this.shared.size.value)) return;
    this.target?.dispose();
    this.small?.dispose();
    this.smoothed?.dispose();
    this.target = new THREE.WebGLRenderTarget(full.x, full.y, {samples: 4, type: THREE.HalfFloatType});
    this.target.depthTexture = new THREE.DepthTexture(full.x, full.y, THREE.FloatType);
    this.small = new THREE.WebGLRenderTarget(Math.ceil(full.x / 2), Math.ceil(full.y / 2), {depthBuffer: false, type: THREE.FloatType,
      minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter});
    this.smoothed = new THREE.WebGLRenderTarget(this.small.width, this.small.height, {depthBuffer: false});
    this.shared.size.value.copy(full);
    this.shared.half.value.set(this.small.width, this.small.height);
    this.shared.depth.value = this.target.depthTexture;
    this.join.uniforms.picture.value = this.target.texture;
    this.smooth.uniforms.occlusion.value = this.small.texture;
    this.join.uniforms.occlusion.value = this.smoothed.texture;
  }

  /** Draws the scene, and what lies over it. @param {THREE.Scene} scene @param {THREE.Scene} over
   * @param {THREE.PerspectiveCamera} camera @param {number} reach how far away the scene ends @param {boolean} full */
  draw(scene, over, camera, reach, full) {
    const {renderer} = this;
    renderer.info.reset();
    if (!full) {
      renderer.setRenderTarget(null);
      renderer.render(scene, camera);
    } else {
      this.resize();
      renderer.setRenderTarget(this.target);
      renderer.render(scene, camera);
      this.shared.range.value.set(camera.near, camera.far);
      this.shared.unproject.value.copy(camera.projectionMatrixInverse);
      const slope = Math.tan(camera.fov * Math.PI / 360);
      this.occlude.uniforms.focal.value = 0.5 / slope; // of the height of the picture
      this.join.uniforms.pixel.value = 2 * slope / this.shared.size.value.y;
      this.join.uniforms.reach.value = reach;
      this.occlude.draw(renderer, this.small);
      this.smooth.draw(renderer, this.smoothed);
      this.join.draw(renderer, null);
    }
    renderer.autoClear = false;
    renderer.render(over, camera);
    renderer.autoClear = true;
  }
}

/** The sky: a gradient from the horizon up, and down to the haze that the ground fades into. */
export class Sky {
  /** @param {THREE.Scene} scene */
  constructor(scene) {
    this.uniforms = {zenith: {value: new THREE.Color()}, horizon: {value: new THREE.Color()}, below: {value: new THREE.Color()}};
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShaderMaterial({
      uniforms: this.uniforms, depthTest: false, depthWrite: false, toneMapped: false,
      vertexShader: `varying vec3 way;
void main() {
  vec4 far = inverse(projectionMatrix) * vec4(position.xy, 1.0, 1.0);
  way = transpose(mat3(viewMatrix)) * (far.xyz / far.w);
  gl_Position = vec4(position.xy, 1.0, 1.0);
}`,
      fragmentShader: `varying vec3 way; uniform vec3 zenith, horizon, below;
void main() {
  float up = normalize(way).z;
  gl_FragColor = vec4(up > 0.0 ? mix(horizon, zenith, smoothstep(0.0, 0.7, up)) : mix(horizon, below, smoothstep(0.0, 0.5, -up)), 1.0);
  #include <colorspace_fragment>
}`,
    }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -10;
    scene.add(this.mesh);
  }

  /** @param {boolean} dark */
  paint(dark) {
    this.uniforms.zenith.value.set(dark ? 0x0e1116 : 0xbfd3e6);
    this.uniforms.horizon.value.set(dark ? 0x262c34 : 0xf3f6f9);
    this.uniforms.below.value.set(dark ? 0x1a1f25 : 0xe3e8ec);
  }
}
