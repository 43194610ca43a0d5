// SPDX-License-Identifier: Apache-2.0
// Solver iterations of steps as a strip under the time line: the higher, the more; coloured by why the step was not done
// with the first (docs/trace.md). A recorded run is all there, of a live one the last frames. Hovering tells.
const KEEP = 600; // frames of a live run
const HALVED = 1 << 6; // AFX_STEP_HALVED
const QUIET = '#8a949e', CUT = '#ff5a4f';
const COLOURS = {
  'rotation': '#5aa9e6', 'turn': '#4b7fd0', 'multiplier-jump': '#9a8be0', 'residual': '#e0a33e', 'correction': '#e0a33e',
  'contact-set': '#59b587', 'friction-limit': '#a3b95a', 'contacts-stale': '#4fb8b2', 'penetration': '#e07a8b',
  'active-set': '#d98be0', 'joint-flipped': '#e07a8b', 'not-finite': '#ff5a4f', 'cap': '#ff5a4f',
};

export class Lane {
  /** @param {HTMLCanvasElement} canvas @param {(index: number) => void} seek */
  constructor(canvas, seek) {
    this.canvas = canvas;
    this.reasons = [];
    this.frames = [];
    this.dirty = true;
    this.drawn = 0;
    canvas.addEventListener('mousemove', (e) => { canvas.title = this.tell(this.at(e)); });
    canvas.addEventListener('click', (e) => seek(this.at(e)));
  }

  /** @param {[string, string][]} [reasons] names and texts, by number */
  clear(reasons) {
    if (reasons) this.reasons = reasons;
    this.frames = [];
    this.dirty = true;
  }

  /** @param {any} frame of a live run */
  add({time, step, steps, solves, flags, reason}) {
    if (!steps) return; // nothing was solved since the last one
    this.frames.push({time, step, solves, flags, reason});
    if (this.frames.length > KEEP) this.frames.shift();
    this.dirty = true;
  }

  /** @param {any[]} frames of a recorded run */
  setAll(frames) {
    this.frames = frames;
    this.dirty = true;
  }

  /** @param {MouseEvent} e @returns {number} the frame under the pointer */
  at(e) {
    const box = this.canvas.getBoundingClientRect();
    return Math.max(0, Math.min(this.frames.length - 1, Math.floor((e.clientX - box.left) / box.width * this.frames.length)));
  }

  /** @param {any} frame */
  colour({flags, reason}) {
    return flags & HALVED ? CUT : COLOURS[this.reasons[reason]?.[0]] || QUIET;
  }

  /** @param {number} index */
  tell(index) {
    const frame = this.frames[index];
    if (!frame) return 'Solver iterations of steps';
    const why = [frame.flags & HALVED ? 'step cut into sub-steps' : '', frame.reason ? this.reasons[frame.reason]?.[1] : ''].filter(Boolean);
    return `step ${frame.step}, ${frame.time.toFixed(3)} s: ${frame.solves} solver iteration${frame.solves === 1 ? '' : 's'}${why.length ? ` (${why.join('; ')})` : ''}`;
  }

  /** @param {number} now ms */
  draw(now) {
    if (!this.dirty || now - this.drawn < 90 || !this.canvas.clientWidth) return;
    this.dirty = false;
    this.drawn = now;
    const {canvas, frames} = this, width = canvas.width = Math.round(canvas.clientWidth * devicePixelRatio);
    const height = canvas.height = Math.round(14 * devicePixelRatio), context = canvas.getContext('2d');
    const most = Math.max(4, frames.reduce((a, f) => Math.max(a, f.solves), 0));
    context.clearRect(0, 0, width, height);
    for (let x = 0; x < width && frames.length; x++) { // of the frames of a pixel, the one with most
      const from = Math.floor(x / width * frames.length), to = Math.max(from + 1, Math.floor((x + 1) / width * frames.length));
      let worst = frames[from];
      for (let k = from; k < to; k++) if (frames[k].solves > worst.solves) worst = frames[k];
      const high = worst.solves > 0 ? Math.max(1, height * Math.log1p(worst.solves) / Math.log1p(most)) : 0;
      context.fillStyle = this.colour(worst);
      context.fillRect(x, height - high, 1, high);
    }
  }
}
