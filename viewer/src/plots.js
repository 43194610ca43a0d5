// SPDX-License-Identifier: Apache-2.0
// Energy, constraint violation, solver iterations, time of a step and whatever else was chosen, over simulated time.
import uPlot from 'uplot';
import {short} from './math.js';
import {Reader} from './quantity.js';

const KEEP = 1200; // frames of a live run
const HEIGHT = 112;
const COLOURS = ['#5aa9e6', '#e0a33e', '#59b587', '#e07a8b', '#9a8be0', '#4fb8b2'];
/* Numbers of a book (src/out/look.h) that are plotted together: springs store; position, velocity, force drives and servos; limits
 * and impacts; friction of joints and contacts; dampers; normal forces; holds, wrenches and kinematic bodies; the integrator. */
const BOOK = [[0], [1, 2, 3, 4], [5, 10], [6, 9], [7], [8], [11, 12, 13], [14]];
const PANELS = [
  {title: 'Energy', unit: 'J', series: [['kinetic', '#5aa9e6'], ['potential', '#e0a33e'], ['elastic', '#59b587'], ['total', '#c9ced4']],
    take: (f) => f.energy},
  {title: 'Energy book', booked: true, unit: 'J', series: [['springs', '#59b587'], ['drives', '#5aa9e6'], ['limits, impacts', '#e07a8b'],
    ['friction', '#e0a33e'], ['dampers', '#9a8be0'], ['contact', '#4fb8b2'], ['outside', '#8a9199'], ['integrator', '#c9ced4']],
    take: (f) => f.book ? BOOK.map((places) => places.reduce((sum, n) => sum + f.book[n], 0)) : BOOK.map(() => null)},
  {title: 'Constraint violation', unit: 'm or rad', log: true, series: [['max', '#e07a8b']], take: (f) => [f.residual > 0 ? f.residual : null]},
  {title: 'Solver iterations', unit: '', series: [['per step', '#9a8be0']], take: (f) => [f.solves]},
  {title: 'Step time', timed: true, unit: 'ms', series: [['wall', '#4fb8b2']], take: (f) => [1e3 * f.seconds]},
];

export class Plots {
  /** @param {HTMLElement} parent @param {boolean} timed whether frames tell how long a step took */
  constructor(parent, timed) {
    this.parent = parent;
    this.panels = [];
    this.time = [];
    this.cursor = null;
    this.timed = timed;
    this.booked = false; // the energy book is shown
    this.dirty = false;
    this.drawn = 0;
    /** @type {any[]} */ this.chosen = []; // panels of quantities
    this.changed = () => {};
    this.every = 1; // frame of a recorded run that is plotted
  }

  /** @param {string} key of a quantity */
  has(key) { return this.chosen.some((panel) => panel.key === key); }

  /** Adds the plot of a quantity. @param {import('./quantity.js').Quantity} quantity @param {(number|null)[]|null} values at
   * the times of a recorded run; a live one goes on from now */
  addQuantity(quantity, values) {
    const reader = new Reader(quantity), colour = COLOURS[this.chosen.length % COLOURS.length];
    this.chosen.push({key: quantity.key, title: quantity.title, unit: quantity.unit, series: [[quantity.title, colour]],
      take: (frame) => [reader.next(frame)], values, start: values || this.time.map(() => null)});
    this.build();
  }

  /** @param {string} key */
  remove(key) {
    const at = this.panels.findIndex((p) => p.panel.key === key);
    if (at >= 0) this.panels.splice(at, 1);
    this.chosen = this.chosen.filter((panel) => panel.key !== key);
    this.build();
    this.changed();
  }

  forget() {
    this.chosen = [];
    this.build();
  }

  /** All that is plotted, as a table. @returns {string} */
  csv() {
    const names = this.panels.flatMap(({panel}) => panel.series.map(([label]) => {
      const name = panel.key ? label : `${panel.title} ${label}`;
      return `"${(panel.unit ? `${name} [${panel.unit}]` : name).replaceAll('"', '""')}"`;
    }));
    const columns = this.panels.flatMap((p) => p.data);
    const rows = this.time.map((time, k) => [time, ...columns.map((list) => list[k] ?? '')].join(','));
    return `${['"time [s]"', ...names].join(',')}\n${rows.join('\n')}\n`;
  }

  tools() {
    const button = document.createElement('button');
    button.id = 'csv';
    button.type = 'button';
    button.textContent = 'CSV';
    button.title = 'Save all that is plotted as a table';
    button.onclick = () => this.save();
    return button;
  }

  save() {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([this.csv()], {type: 'text/csv'}));
    link.download = 'affix.csv';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  build() {
    this.parent.textContent = '';
    const style = getComputedStyle(document.documentElement);
    const soft = style.getPropertyValue('--soft'), line = style.getPropertyValue('--line');
    const old = this.panels;
    this.panels = [...PANELS.filter((panel) => (this.timed || !panel.timed) && (this.booked || !panel.booked)), ...this.chosen].map((panel) => {
      const cell = document.createElement('div'), head = document.createElement('h3'), value = document.createElement('b');
      head.append(panel.title, value);
      if (panel.series.length > 1) {
        for (const [label, colour] of panel.series) {
          const key = document.createElement('i');
          key.style.setProperty('--c', colour);
          key.textContent = label;
          head.append(key);
        }
      }
      if (panel.key) {
        const close = document.createElement('button');
        close.type = 'button';
        close.textContent = '×';
        close.setAttribute('aria-label', `Close the plot of ${panel.title}`);
        close.onclick = () => this.remove(panel.key);
        head.append(close);
      }
      cell.append(head);
      this.parent.append(cell);
      const axis = {stroke: soft, grid: {stroke: line, width: 1}, ticks: {show: false}, font: '11px system-ui, sans-serif'};
      const size = {width: Math.max(120, cell.clientWidth), height: HEIGHT};
      const chart = new uPlot({
        ...size, legend: {show: false}, cursor: {show: false}, padding: [6, 6, 0, 0],
        scales: {x: {time: false}, y: panel.log ? {distr: 3, range: logRange} : {range: flatRange}},
        axes: [{...axis, size: 22}, {...axis, size: 52, values: (_, list) => list.map((v) => v === null ? '' : short(v)), splits: panel.log ? decades : undefined}],
        series: [{}, ...panel.series.map(([label, colour]) => ({label, stroke: colour, width: 1.5, points: {show: false}, spanGaps: true}))],
        hooks: {draw: [(u) => this.drawCursor(u, soft)]},
      }, [[], ...panel.series.map(() => [])], cell);
      const known = old.find((p) => p.panel === panel);
      const data = known ? known.data : panel.start ? [panel.start.slice()] : panel.series.map(() => this.time.map(() => null));
      return {panel, chart, cell, value, data};
    });
    this.parent.append(this.tools());
    this.dirty = true;
  }

  /** Shows the energy book, or no longer. @param {boolean} on @param {any[]|null} frames of a recorded run */
  setBooked(on, frames) {
    if (on === this.booked) return;
    this.booked = on;
    this.build();
    if (frames) this.setAll(frames);
  }

  clear() {
    this.time = [];
    for (const p of this.panels) p.data = p.panel.values ? [p.panel.values] : p.panel.series.map(() => []);
    this.dirty = true;
  }

  /** @param {any} frame of a live run */
  add(frame) {
    if (this.time.length && frame.time <= this.time[this.time.length - 1]) return;
    this.time.push(frame.time);
    for (const p of this.panels) p.panel.take(frame).forEach((v, n) => p.data[n].push(v));
    if (this.time.length > KEEP) {
      const cut = KEEP / 4;
      this.time.splice(0, cut);
      for (const p of this.panels) for (const list of p.data) list.splice(0, cut);
    }
    this.dirty = true;
  }

  /** All frames of a recorded run. @param {any[]} frames */
  setAll(frames) {
    this.clear();
    const every = this.every = Math.max(1, Math.floor(frames.length / 4000));
    frames.forEach((frame, k) => {
      if (k % every) return;
      this.time.push(frame.time);
      for (const p of this.panels) if (!p.panel.values) p.panel.take(frame).forEach((v, n) => p.data[n].push(v));
    });
    this.dirty = true;
  }

  /** @param {any} frame whose values the headings tell @param {boolean} line whether a line marks its time */
  mark(frame, line) {
    this.cursor = line ? frame.time : null;
    for (const p of this.panels) {
      const list = p.data[p.data.length - 1];
      const value = !p.panel.key ? p.panel.take(frame).at(-1) : p.panel.values ? list[this.nearest(frame.time)] : list[list.length - 1];
      p.value.textContent = value === null || value === undefined ? '' : `${short(value)} ${p.panel.unit}`;
    }
    this.dirty = this.dirty || line;
  }

  /** Where in the times one is. @param {number} time */
  nearest(time) {
    let low = 0, high = this.time.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= time) low = middle; else high = middle;
    }
    return time - this.time[low] < this.time[high] - time ? low : high;
  }

  /** @param {number} now ms */
  draw(now) {
    if (!this.dirty || now - this.drawn < 90 || !this.panels.length || !this.parent.offsetParent && !this.parent.clientWidth) return;
    this.dirty = false;
    this.drawn = now;
    for (const p of this.panels) p.chart.setData([this.time, ...p.data]);
  }

  resize() {
    for (const p of this.panels) p.chart.setSize({width: Math.max(120, p.cell.clientWidth), height: HEIGHT});
    this.dirty = true;
  }

  /** @param {uPlot} u @param {string} colour */
  drawCursor(u, colour) {
    if (this.cursor === null) return;
    const x = u.valToPos(this.cursor, 'x', true);
    u.ctx.strokeStyle = colour;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
  }
}

/** A range that has some width. */
function flatRange(_, low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const pad = Math.max(0.06 * (high - low), 1e-9 * Math.abs(high), 1e-12);
  return [low === 0 ? 0 : low - pad, high + pad];
}

function logRange(_, low, high) {
  if (!(low > 0) || !(high > 0)) return [1e-16, 1];
  return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high * 1.0001))];
}

/** Marks at powers of ten, at most five. */
function decades(_, axis, low, high) {
  const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((to - from) / 4)), list = [];
  for (let k = from; k <= to; k += step) list.push(10 ** k);
  return list;
}
