// SPDX-License-Identifier: Apache-2.0
// Geometry of the caller's own: lines, arrows, points and texts (src/out/drawing.h). Texts are sprites, so that pictures
// and videos have them too.
import * as THREE from 'three';

const ITEM = 36; // bytes
export const LINE = 0, ARROW = 1, POINT = 2, TEXT = 3;
const INK = [0.98, 0.78, 0.30]; // of what has no colour
const HEIGHT = 15, FONT = `${2 * HEIGHT}px system-ui, sans-serif`; // CSS pixels of a text; drawn at twice its size
const TEXTS_MOST = 2000;

/**
 * All drawings of a page: their number, the size of each, then the drawings.
 * @param {ArrayBuffer} buffer @returns {Uint8Array[]}
 */
export function splitDrawings(buffer) {
  const view = new DataView(buffer), count = view.getUint32(0, true), list = [];
  for (let k = 0, at = 4 + 4 * count; k < count; k++) {
    const size = view.getUint32(4 + 4 * k, true);
    list.push(new Uint8Array(buffer, at, size));
    at += size;
  }
  return list;
}

/**
 * @param {Uint8Array} bytes of one drawing
 * @returns {{kind: number, rgb: number[], from: number[], to: number[], text: string}[]}
 */
export function readDrawing(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), count = view.getUint32(0, true), items = [];
  let texts = 4 + ITEM * count;
  for (let k = 0; k < count; k++) {
    const at = 4 + ITEM * k, length = view.getUint32(at + 4, true), color = view.getUint32(at + 8, true);
    const three = (from) => [0, 4, 8].map((n) => view.getFloat32(at + from + n, true));
    items.push({
      kind: view.getUint32(at, true), from: three(12), to: three(24),
      rgb: color ? [color >> 16 & 255, color >> 8 & 255, color & 255].map((x) => x / 255) : INK,
      text: length ? new TextDecoder().decode(bytes.subarray(texts, texts + length)) : '',
    });
    texts += length;
  }
  return items;
}

/** Texts in the picture, of one size whatever their distance. */
export class Labels {
  /** @param {THREE.Scene} parent */
  constructor(parent) {
    this.group = new THREE.Group();
    this.group.renderOrder = 12;
    this.known = new Map(); // what has been written before
    this.used = 0;
    this.pixel = 1;
    parent.add(this.group);
  }

  clear() {
    this.used = 0;
    this.group.clear();
  }

  /** @param {string} text @param {number[]} rgb */
  write(text, rgb) {
    const key = `${rgb}|${text}`;
    let known = this.known.get(key);
    if (!known) {
      if (this.known.size > TEXTS_MOST) this.forget();
      const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
      pen.font = FONT;
      canvas.width = Math.min(2048, Math.ceil(pen.measureText(text).width) + 16);
      canvas.height = 2 * HEIGHT + 16;
      pen.font = FONT;
      pen.textBaseline = 'middle';
      pen.lineJoin = 'round';
      pen.lineWidth = 6;
      pen.strokeStyle = 'rgba(15, 18, 22, 0.85)'; // readable on every ground
      pen.fillStyle = `rgb(${rgb.map((x) => Math.round(255 * x))})`;
      pen.strokeText(text, 8, canvas.height / 2);
      pen.fillText(text, 8, canvas.height / 2);
      const map = new THREE.CanvasTexture(canvas);
      map.colorSpace = THREE.SRGBColorSpace;
      const material = new THREE.SpriteMaterial({map, depthTest: false, depthWrite: false, sizeAttenuation: false, toneMapped: false});
      known = {material, map, width: canvas.width / 2, height: canvas.height / 2};
      this.known.set(key, known);
    }
    return known;
  }

  /** @param {string} text @param {number[]} at @param {number[]} rgb */
  add(text, at, rgb) {
    if (!text || this.used++ > TEXTS_MOST) return;
    const {material, width, height} = this.write(text, rgb), sprite = new THREE.Sprite(material);
    sprite.center.set(-6 / width, 0.5);
    sprite.position.fromArray(at);
    sprite.scale.set(width * this.pixel, height * this.pixel, 1);
    this.group.add(sprite);
  }

  /** @param {number} height of the picture in CSS pixels @param {number} fov degrees */
  resize(height, fov) {
    this.pixel = 2 * Math.tan(fov * Math.PI / 360) / height;
  }

  forget() {
    for (const {material, map} of this.known.values()) {
      material.dispose();
      map.dispose();
    }
    this.known.clear();
  }

  destroy() {
    this.group.removeFromParent();
    this.forget();
  }
}
