// SPDX-License-Identifier: Apache-2.0
// Energy, residual, solves and time of a step, over simulated time.
import uPlot from 'uplot';
import {short} from './math.js';

const KEEP = 1200; // frames of a live run
const PANELS = [
  {title: 'Energy', unit: 'J', series: [['kinetic', '#5aa9e6'], ['potential', '#e0a33e'], ['elastic', '#59b587'], ['total', '#c9ced4']],
    take: (f) => f.energy},
  {title: 'Residual', unit: '', log: true, series: [['largest row', '#e07a8b']], take: (f) => [f.residual > 0 ? f.residual : null]},
  {title: 'Solves', unit: '', series: [['per step', '#9a8be0']], take: (f) => [f.solves]},
  {title: 'Step time', unit: 'ms', series: [['wall', '#4fb8b2']], take: (f) => [1e3 * f.seconds]},
];

export class Plots {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.parent = parent;
    this.panels = [];
    this.time = [];
    this.cursor = null;
    this.dirty = false;
    this.drawn = 0;
  }

  build() {
    this.parent.textContent = '';
    const style = getComputedStyle(document.documentElement);
    const soft = style.getPropertyValue('--soft'), line = style.getPropertyValue('--line');
    const old = this.panels;
    this.panels = PANELS.map((panel, k) => {
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
      cell.append(head);
      this.parent.append(cell);
      const axis = {stroke: soft, grid: {stroke: line, width: 1}, ticks: {show: false}, font: '11px system-ui, sans-serif'};
      const size = {width: Math.max(120, cell.clientWidth), height: 112};
      const chart = new uPlot({
        ...size, legend: {show: false}, cursor: {show: false}, padding: [6, 6, 0, 0],
        scales: {x: {time: false}, y: panel.log ? {distr: 3, range: logRange} : {range: flatRange}},
        axes: [{...axis, size: 22}, {...axis, size: 52, values: (_, list) => list.map((v) => v === null ? '' : short(v)), splits: panel.log ? decades : undefined}],
        series: [{}, ...panel.series.map(([label, colour]) => ({label, stroke: colour, width: 1.5, points: {show: false}, spanGaps: true}))],
        hooks: {draw: [(u) => this.drawCursor(u, soft)]},
      }, [[], ...panel.series.map(() => [])], cell);
      const data = old[k] ? old[k].data : panel.series.map(() => []);
      return {panel, chart, cell, value, data};
    });
    this.dirty = true;
  }

  clear() {
    this.time = [];
    for (const p of this.panels) p.data = p.panel.series.map(() => []);
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
    const every = Math.max(1, Math.floor(frames.length / 4000));
    frames.forEach((frame, k) => {
      if (k % every) return;
      this.time.push(frame.time);
      for (const p of this.panels) p.panel.take(frame).forEach((v, n) => p.data[n].push(v));
    });
    this.dirty = true;
  }

  /** @param {any} frame whose values the headings tell @param {boolean} line whether a line marks its time */
  mark(frame, line) {
    this.cursor = line ? frame.time : null;
    for (const p of this.panels) {
      const values = p.panel.take(frame), value = values[values.length - 1];
      p.value.textContent = value === null || value === undefined ? '' : `${short(value)} ${p.panel.unit}`;
    }
    this.dirty = this.dirty || line;
  }

  /** @param {number} now ms */
  draw(now) {
    if (!this.dirty || now - this.drawn < 90 || !this.panels.length || !this.parent.offsetParent && !this.parent.clientWidth) return;
    this.dirty = false;
    this.drawn = now;
    for (const p of this.panels) p.chart.setData([this.time, ...p.data]);
  }

  resize() {
    for (const p of this.panels) p.chart.setSize({width: Math.max(120, p.cell.clientWidth), height: 112});
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
