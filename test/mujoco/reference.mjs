// SPDX-License-Identifier: Apache-2.0
// reference.mjs MODULES ROOT kinematics|motion: what MuJoCo itself makes of MJCF files below ROOT, whose names come on
// standard input, a line each. MODULES is a folder that test/mujoco/install filled. Texts on standard output, a line each; numbers
// have all their digits, a missing name is "-".
//
// kinematics:
//     model FILE
//     refused MESSAGE | deformable                  and nothing more; or
//     body NAME MASS CX CY CZ XX YY ZZ XY XZ YZ     what is welded together and can move, in the frame of its first body
//     joint NAME TYPE BODY QPOS START               BODY counts the above from 0; in a random posture, and at the
//                                                   start; of free and ball joints without the numbers
//     place X Y Z QW QX QY QZ                       where each of the bodies is then, in their order
//     site NAME X Y Z                               and each named site
//     end
// motion: the same, and before end
//     after X Y Z        where each body is a second later, without constraints, from rest, by Runge-Kutta
//     error LARGEST      its difference to a run with twice the step
import fs from 'node:fs';
import {mount, openModel} from './mounted.mjs';

const [modules, root, command] = process.argv.slice(2);
const mujoco = await mount(modules, root);

// ---- small mathematics ----

const multiply = (a, b) => [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]];
const conjugate = (q) => [q[0], -q[1], -q[2], -q[3]];

function matrix(q) {
  const [w, x, y, z] = q;
  return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
          [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
          [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]];
}
const rotate = (q, v) => matrix(q).map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
const slice = (array, index, size) => Array.from(array.slice(size * index, size * (index + 1)));

let seed = 12345;
function random() {  // in [0, 1)
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 4294967296;
}

// ---- lines ----

const say = (...words) => console.log(words.map((w) => (typeof w === 'string' ? w.replace(/ /g, '_') : String(w))).join(' '));
/** A name, or "-": for none the binding gives the text at address 0, which is Emscripten's mark. */
function nameOf(model, kind, id) {
  const name = mujoco.mj_id2name(model, kind.value ?? kind, id);
  return name && name !== 'emsc' ? name : '-';
}

/** Bodies that joints move, each the first of what is welded to it. */
function movers(model) {
  const list = [];
  for (let b = 1; b < model.nbody; b++) if (model.body_weldid[b] === b && model.body_mocapid[b] < 0) list.push(b);
  return list;
}

/** Mass, centre and tensor about it of all that is welded to `top`, in its frame. */
function matter(model, data, top) {
  const origin = slice(data.xpos, top, 3), back = conjugate(slice(data.xquat, top, 4));
  const parts = [];
  for (let b = 1; b < model.nbody; b++) {
    if (model.body_weldid[b] !== top) continue;
    const at = slice(data.xipos, b, 3).map((x, k) => x - origin[k]);
    const turn = multiply(multiply(back, slice(data.xquat, b, 4)), slice(model.body_iquat, b, 4));
    parts.push({mass: model.body_mass[b], at: rotate(back, at), turn, moments: slice(model.body_inertia, b, 3)});
  }
  const mass = parts.reduce((sum, p) => sum + p.mass, 0);
  const centre = [0, 1, 2].map((k) => parts.reduce((sum, p) => sum + p.mass * p.at[k], 0) / mass);
  const tensor = [0, 1, 2].map(() => [0, 0, 0]);
  for (const p of parts) {
    const r = matrix(p.turn), d = p.at.map((x, k) => x - centre[k]), dd = d.reduce((s, x) => s + x * x, 0);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        for (let k = 0; k < 3; k++) tensor[i][j] += r[i][k] * p.moments[k] * r[j][k];
        tensor[i][j] += p.mass * ((i === j ? dd : 0) - d[i] * d[j]);
      }
    }
  }
  return [mass, ...centre, tensor[0][0], tensor[1][1], tensor[2][2], tensor[0][1], tensor[0][2], tensor[1][2]];
}

/** A random posture near the start, within limits, that joint equalities agree with. */
function posture(model) {
  const q = Float64Array.from(model.qpos0);
  for (let j = 0; j < model.njnt; j++) {
    const a = model.jnt_qposadr[j], type = model.jnt_type[j];
    if (type <= 1) {  // free, ball: a random turn, and a random place
      const turn = [1, 2, 3, 4].map(() => random() - 0.5), length = Math.hypot(...turn);
      for (let k = 0; k < 4; k++) q[a + (type === 0 ? 3 : 0) + k] = turn[k] / length;
      for (let k = 0; type === 0 && k < 3; k++) q[a + k] += random() - 0.5;
    } else {
      let low = q[a] - 0.7, high = q[a] + 0.7;
      // the range, whether it limits or not: the binding cannot show booleans
      if (model.jnt_range[2 * j] < model.jnt_range[2 * j + 1]) [low, high] = [Math.max(low, model.jnt_range[2 * j]), Math.min(high, model.jnt_range[2 * j + 1])];
      q[a] = low < high ? low + (high - low) * random() : q[a];
    }
  }
  for (let e = 0; e < model.neq; e++) {
    if (model.eq_type[e] !== 2) continue;
    const a = model.jnt_qposadr[model.eq_obj1id[e]], other = model.eq_obj2id[e];
    const x = other < 0 ? 0 : q[model.jnt_qposadr[other]] - model.qpos0[model.jnt_qposadr[other]];
    const c = slice(model.eq_data, e, model.eq_data.length / model.neq);
    q[a] = model.qpos0[a] + c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
  }
  return q;
}

function showKinematics(model) {
  const data = new mujoco.MjData(model), tops = movers(model);
  const {mjOBJ_BODY, mjOBJ_JOINT, mjOBJ_SITE} = mujoco.mjtObj;
  mujoco.mj_kinematics(model, data);
  for (const b of tops) say('body', nameOf(model, mjOBJ_BODY, b), ...matter(model, data, b));
  const q = posture(model);
  data.qpos.set(q);
  mujoco.mj_kinematics(model, data);
  for (let j = 0; j < model.njnt; j++) {
    const a = model.jnt_qposadr[j], type = ['free', 'ball', 'slide', 'hinge'][model.jnt_type[j]];
    say('joint', nameOf(model, mjOBJ_JOINT, j), type, String(tops.indexOf(model.jnt_bodyid[j])),
        ...(model.jnt_type[j] > 1 ? [q[a], model.qpos0[a]] : []));
  }
  for (const b of tops) say('place', ...slice(data.xpos, b, 3), ...slice(data.xquat, b, 4));
  for (let s = 0; s < model.nsite; s++) {
    const name = nameOf(model, mjOBJ_SITE, s);
    if (name !== '-') say('site', name, ...slice(data.site_xpos, s, 3));
  }
  data.delete();
  return q;
}

/** Places of the movers a second after posture q, by steps of h. */
function run(model, q, h) {
  const data = new mujoco.MjData(model);
  model.opt.timestep = h;
  data.qpos.set(q);
  for (let k = 0; k < Math.round(1 / h); k++) mujoco.mj_step(model, data);
  mujoco.mj_kinematics(model, data);
  const places = movers(model).map((b) => slice(data.xpos, b, 3));
  data.delete();
  return places;
}

function showMotion(model, q) {
  model.opt.integrator = 1;     // Runge-Kutta of fourth order
  model.opt.disableflags |= 1;  // constraints
  model.opt.enableflags = 0;    // sleep
  const coarse = run(model, q, 1e-3), fine = run(model, q, 5e-4);
  let error = 0;
  fine.forEach((p, b) => p.forEach((x, k) => (error = Math.max(error, Math.abs(x - coarse[b][k])))));
  for (const p of fine) say('after', ...p);
  say('error', error);
}

for (const file of fs.readFileSync(0, 'utf8').split('\n').filter((text) => text)) {
  const {model, message} = openModel(mujoco, file);
  say('model', file);
  if (!model) {
    say('refused', message);
    continue;
  }
  if (model.nflex || model.nskin || model.nplugin) say('deformable');
  else {
    const q = showKinematics(model);
    if (command === 'motion') showMotion(model, q);
  }
  say('end');
  model.delete();
}
