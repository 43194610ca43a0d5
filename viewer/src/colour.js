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
const QUIET = [[0.42, 0.53, 0.63], [0.52, 0.62, 0.70], [0.36, 0.47, 0.58], [0.58, 0.66, 0.72]];
const FEW = 24;

/**
 * The colour of a worn mesh.
 * @param {import('./pack.js').Look} look
 * @param {number} worn
 * @returns {number[]} red, green, blue
 */
export function ownColour(look, worn) {
  const index = look.arrays.worn_colour[worn], body = look.arrays.worn_body[worn];
  if (index < 2 || look.bodies <= FEW) return look.palette[index];
  return QUIET[body % QUIET.length];
}

/** What bodies can be coloured by: name, label, unit, whether the scale is logarithmic. */
export const MODES = {
  own: {label: 'Their own colours'},
  stress: {label: 'Stress', unit: 'Pa', logarithmic: true},
  speed: {label: 'Speed', unit: 'm/s'},
  residual: {label: 'Joint residual', unit: '', logarithmic: true},
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
