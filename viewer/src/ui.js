// SPDX-License-Identifier: Apache-2.0
// The page around the picture: buttons, settings, messages. It knows no physics and no drawing.
import {LAYERS} from './overlay.js';
import {MODES, scaleCss} from './colour.js';
import {short} from './math.js';

/** @param {string} id @returns {any} */
export const at = (id) => document.getElementById(id);

const KEYS = [
  ['Space', 'play or pause'], ['.', 'one step (in a replay: one frame)'], [',', 'one frame back (replay)'],
  ['← →', 'half a second back or on (replay)'], ['R', 'reset to the start'], ['L', 'reload the scene (live)'],
  ['+ −', 'faster, slower'], ['F', 'frame the scene'], ['1 2 3 4 5 6', 'camera: automatic, front, right, back, left, top'],
  ['Y', 'camera follows the selected body'], ['/', 'search bodies and joints'], ['J', 'joints'], ['A', 'body frames'], ['M', 'markers'],
  ['V', 'reaction forces'], ['K', 'contacts'], ['G', 'ground'], ['S', 'shadow'], ['D', 'drawings of the run\'s own'], ['B', 'next colour mode'], ['P', 'plots'],
  ['O', 'settings'], ['T', 'dark or light'], ['C', 'save a picture'], ['H', 'hide everything but the picture'],
  ['?', 'this list'], ['Mouse', 'left: turn, or drag a body (live); right: shift; wheel: nearer, farther'],
  ['Shift + left', 'turn, also over a body'],
];
const PLAY = '<svg viewBox="0 0 16 16"><path d="M4 2.5v11l9-5.5z"/></svg>';
const PAUSE = '<svg viewBox="0 0 16 16"><path d="M3.5 2.5h3.5v11H3.5zM9 2.5h3.5v11H9z"/></svg>';

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export function buildHelp() {
  const help = at('help');
  help.innerHTML = '<h1>Keys</h1><table></table>';
  const table = help.querySelector('table');
  for (const [key, text] of KEYS) {
    const row = table.insertRow(), name = document.createElement('kbd');
    name.textContent = key;
    row.insertCell().append(name);
    row.insertCell().textContent = text;
  }
  help.addEventListener('click', () => help.close());
}

/** @param {(name: string, on: boolean) => void} change @param {Object<string, boolean>} first */
export function buildLayers(change, first) {
  for (const [name, label] of Object.entries(LAYERS)) {
    const line = document.createElement('label'), box = document.createElement('input');
    box.type = 'checkbox';
    box.id = `show-${name}`;
    box.checked = Boolean(first[name]);
    box.addEventListener('change', () => change(name, box.checked));
    line.append(label, box);
    at('shows').append(line);
  }
}

/** @param {string[]} modes @param {string} chosen */
export function buildColours(modes, chosen) {
  const select = at('colour');
  select.textContent = '';
  for (const mode of modes) select.add(new Option(MODES[mode].label, mode, false, mode === chosen));
  at('legend').querySelector('i').style.background = scaleCss();
}

/** @param {Object<string, {label: string}>} views @param {(name: string) => void} change */
export function buildViews(views, change) {
  for (const [name, {label}] of Object.entries(views)) at('camera').add(new Option(label, name));
  at('camera').onchange = () => change(at('camera').value);
}

/** The cameras of a scene, after those that every scene has. @param {string[]} names */
export function addViews(names) {
  for (const option of [...at('camera').options]) if (option.value.startsWith('own:')) option.remove();
  for (const name of names) at('camera').add(new Option(name, `own:${name}`));
}

/** The cases that a page without a server can run. @param {{name: string, summary: string}[]} cases @param {string} chosen
 * @param {(name: string) => void} change */
export function buildCases(cases, chosen, change) {
  at('cases').hidden = !cases.length;
  const select = at('case');
  select.textContent = '';
  for (const one of cases) {
    const option = new Option(one.name, one.name, false, one.name === chosen);
    option.title = one.summary;
    select.add(option);
  }
  select.onchange = () => change(select.value);
  at('case-summary').textContent = cases.find((one) => one.name === chosen)?.summary || '';
}

/** @param {[number, number]|null} range @param {string} mode */
export function showLegend(range, mode) {
  at('legend').style.display = range ? 'flex' : 'none';
  if (!range) return;
  at('legend-low').textContent = short(range[0]);
  at('legend-high').textContent = `${short(range[1])} ${MODES[mode].unit}`;
}

export function buildSpeeds() {
  const select = at('speed');
  for (const speed of SPEEDS) select.add(new Option(`${speed}×`, String(speed), false, speed === 1));
  select.add(new Option('unlimited', '1e9'));
}

/** @param {{playing: boolean, speed: number}} state */
export function showState({playing, speed}) {
  at('play').innerHTML = playing ? PAUSE : PLAY;
  at('play').setAttribute('aria-label', playing ? 'Pause' : 'Play');
  const values = [...at('speed').options].map((option) => Number(option.value));
  const nearest = values.reduce((a, b) => Math.abs(b - speed) < Math.abs(a - speed) ? b : a);
  at('speed').value = [...at('speed').options].find((option) => Number(option.value) === nearest).value;
}

/**
 * @param {{name: string, kind: string, value: string, help: string, choices?: string[], allowed?: string}[]} parameters
 * @param {(name: string, value: string) => void} change
 */
export function buildParameters(parameters, change) {
  at('parameters').classList.toggle('filled', parameters.length > 0);
  at('parameter-list').textContent = '';
  at('parameter-error').textContent = '';
  for (const p of parameters) {
    const line = document.createElement('label');
    line.title = `${p.help}${p.allowed ? ` (${p.allowed})` : ''}`;
    let field;
    if (p.choices) {
      field = document.createElement('select');
      for (const choice of p.choices) field.add(new Option(choice, choice, false, choice === p.value));
    } else {
      field = document.createElement('input');
      field.inputMode = 'decimal';
      field.spellcheck = false;
      field.value = p.value;
    }
    field.id = `parameter-${p.name}`;
    field.addEventListener('change', () => change(p.name, field.value));
    line.append(p.name, field);
    at('parameter-list').append(line);
  }
}

/** @param {{title: string, file?: string, line?: number, element?: string, text?: string, cure?: string, bad?: boolean}|null} message
 * @param {(() => void)|null} again */
export function showMessage(message, again = null) {
  at('message').classList.toggle('shown', Boolean(message));
  if (!message) return;
  at('message').classList.toggle('bad', Boolean(message.bad));
  at('message-title').textContent = message.title;
  const place = [message.file ? `${message.file}${message.line ? `:${message.line}` : ''}` : '', message.element || ''];
  at('message-place').textContent = place.filter(Boolean).join(': ');
  at('message-text').textContent = message.text || '';
  at('message-cure').textContent = message.cure || '';
  at('message-button').hidden = !again;
  at('message-button').onclick = again;
}

let timer = 0;
/** @param {string} text */
export function toast(text) {
  at('toast').textContent = text;
  at('toast').classList.add('shown');
  clearTimeout(timer);
  timer = setTimeout(() => at('toast').classList.remove('shown'), 5000);
}
