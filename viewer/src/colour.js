// SPDX-License-Identifier: Apache-2.0
// Colours of bodies: their own, or by a value over a scale from cold to hot.

/** Stops of the scale, red, green and blue as on a screen. */
export const SCALE = [[0.16, 0.24, 0.52], [0.13, 0.52, 0.66], [0.42, 0.72, 0.45], [0.95, 0.76, 0.25], [0.84, 0.24, 0.16]];

/** The scale for CSS. @returns {string} */
export function scaleCss() {
  const stops = SCALE.map((c) => `rgb(${c.map((x) => Math.round(255 * x)).join(',')})`);
  return `linear-gradient(90deg,${stops.join(',')})`;
}

/** The scale as a function of the shader. @returns {string} */
export function scaleGlsl() {
  const stop = (c) => `vec3(${c.map((x) => Math.pow(x, 2.2).toFixed(4)).join(',')})`;
  let code = `vec3 c=${stop(SCALE[0])};`;
  for (let k = 1; k < SCALE.length; k++) {
    code += `c=mix(c,${stop(SCALE[k])},clamp(t*${(SCALE.length - 1).toFixed(1)}-${(k - 1).toFixed(1)},0.,1.));`;
  }
  return `vec3 afxScale(float t){${code}return c;}`;
}

// Many bodies: quiet tones, told apart from their neighbours by lightness.
const QUIET = [[0.15, 0.36, 0.58], [0.62, 0.72, 0.80], [0.22, 0.44, 0.62], [0.72, 0.78, 0.83]];
// So many that neighbours cannot be told apart anyway.
const MANY = 8000;
const CROWD = [[0.24, 0.42, 0.56], [0.36, 0.52, 0.64], [0.29, 0.47, 0.60], [0.42, 0.57, 0.68]];
const STILL = [0.70, 0.70, 0.69]; // what never moves
const PALETTE = 10; // colours before those that the scene gives
const FEW = 24;
const COUNTED = 100000; // items; among more, one body does not show
const SPECIAL = 200; // items that are bright among many

/** Which items are like few others, if they are not too many. @param {import('./pack.js').Look} look
 * @returns {boolean[]} */
function findSpecial(look) {
  const {worn_mesh: mesh, worn_place: place} = look.arrays, counts = new Map(), keys = [];
  if (mesh.length > COUNTED) return [];
  for (let k = 0; k < mesh.length; k++) {
    keys.push(`${mesh[k]} ${place[10 * k + 7]} ${place[10 * k + 8]} ${place[10 * k + 9]}`);
    counts.set(keys[k], (counts.get(keys[k]) || 0) + 1);
  }
  const special = keys.map((key) => counts.get(key) <= FEW);
  return special.filter(Boolean).length <= SPECIAL ? special : [];
}

/**
 * The colours of worn meshes: bright where there are few bodies, or few that look alike, and quiet for the many.
 * @param {import('./pack.js').Look} look
 * @returns {(worn: number) => number[]} red, green, blue
 */
export function ownColours(look) {
  const {worn_colour: colour, worn_body: body} = look.arrays;
  const tones = look.bodies > MANY ? CROWD : QUIET;
  const special = look.bodies > FEW ? findSpecial(look) : [];
  return (worn) => colour[worn] >= PALETTE ? look.palette[colour[worn]] : colour[worn] === 0 ? STILL : colour[worn] === 1 || look.bodies <= FEW || special[worn]
    ? look.palette[colour[worn]] : tones[body[worn] % tones.length];
}

/** What bodies can be coloured by: name, label, unit, whether the scale is logarithmic. */
export const MODES = {
  own: {label: 'Body colours'},
  stress: {label: 'Stress', unit: 'Pa', logarithmic: true},
  speed: {label: 'Speed', unit: 'm/s'},
  residual: {label: 'Constraint violation', unit: '', logarithmic: true},
};

/**
 * The range of the values of a frame. Logarithmic ones cover at most four decades.
 * @param {Float32Array} bodies @param {number} stride @param {boolean} logarithmic
 * @returns {[number, number]}
 */
export function rangeOf(bodies, stride, logarithmic) {
  let low = Infinity, high = 0;
  for (let k = 3; k < bodies.length; k += stride) {
    const value = bodies[k];
    if (value > high) high = value;
    if (value > 0 && value < low) low = value;
  }
  if (!logarithmic) return [0, high > 0 ? high : 1];
  if (!(high > 0)) return [1e-1, 1];
  return [Math.max(Math.min(low, high / 10), high / 1e4), high];
}
