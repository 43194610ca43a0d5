// SPDX-License-Identifier: Apache-2.0
// A floor with a grid that fades into the background, for the eye only: nothing stands on it.
import * as THREE from 'three';

/** The largest of 1, 2, 5 times a power of ten that is at most x. @param {number} x */
function roundDown(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x >= 5 * power ? 5 : x >= 2 * power ? 2 : 1);
}

export class Ground {
  /** @param {THREE.Scene} scene */
  constructor(scene) {
    this.uniforms = {
      afxCell: {value: 1}, afxReach: {value: 10}, afxMiddle: {value: new THREE.Vector2()},
      afxLine: {value: new THREE.Color()},
    };
    const material = new THREE.MeshBasicMaterial({transparent: true, toneMapped: false, depthWrite: false});
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = 'varying vec2 afxAt;\n' + shader.vertexShader.replace('#include <begin_vertex>',
          '#include <begin_vertex>\nafxAt = (modelMatrix * vec4(position, 1.0)).xy;');
      shader.fragmentShader = `varying vec2 afxAt; uniform float afxCell, afxReach; uniform vec2 afxMiddle;
uniform vec3 afxLine;
float afxGrid(float cell) {
  vec2 c = afxAt / cell, w = fwidth(c);
  vec2 d = abs(fract(c - 0.5) - 0.5) / max(w, 1e-6);
  float fade = 1.0 - smoothstep(0.15, 0.6, max(w.x, w.y));
  return fade * (1.0 - min(min(d.x, d.y), 1.0));
}
` + shader.fragmentShader.replace('#include <color_fragment>', `
  float afxFar = length(afxAt - afxMiddle) / afxReach;
  diffuseColor.rgb = mix(diffuseColor.rgb, afxLine, max(0.4 * afxGrid(afxCell), afxGrid(afxCell * 5.0)));
  diffuseColor.a = 1.0 - smoothstep(0.06, 1.0, afxFar);`);
    };
    this.mesh = new THREE.Group();
    this.floor = new THREE.Mesh(new THREE.CircleGeometry(1, 64), material);
    this.floor.renderOrder = -2;
    this.shade = new THREE.Mesh(new THREE.CircleGeometry(1, 64), new THREE.ShadowMaterial({depthWrite: false}));
    this.shade.receiveShadow = true;
    this.shade.renderOrder = -1;
    this.mesh.add(this.floor, this.shade);
    scene.add(this.mesh);
    this.low = Infinity;
  }

  /** Puts the floor below a scene. @param {THREE.Box3} box */
  fit(box) {
    const size = box.getSize(new THREE.Vector3()), span = Math.max(size.length(), 1e-6);
    const centre = box.getCenter(new THREE.Vector3());
    this.span = span;
    this.low = box.min.z;
    this.mesh.position.set(centre.x, centre.y, this.low - 0.002 * span);
    this.mesh.scale.setScalar(6 * span);
    this.uniforms.afxReach.value = 5 * span;
    this.uniforms.afxMiddle.value.set(centre.x, centre.y);
    this.uniforms.afxCell.value = roundDown(span / 8);
  }

  /** What sinks takes the floor with it, but not for ever. @param {number} low */
  sink(low) {
    if (low < this.low && low > this.mesh.position.z - 2 * this.span) {
      this.low = low;
      this.mesh.position.z = low - 0.002 * this.span;
    }
  }

  /** @param {boolean} dark */
  paint(dark) {
    this.floor.material.color.set(dark ? 0x262b31 : 0xf7f8f9);
    this.uniforms.afxLine.value.set(dark ? 0x3d454e : 0xc3cad1);
    this.shade.material.opacity = dark ? 0.5 : 0.26;
  }
}
