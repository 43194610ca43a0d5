// SPDX-License-Identifier: Apache-2.0
// robots.mjs MODULES ROOT: how MuJoCo itself moves the robots below ROOT, for tools/robots. Names of files come on standard
// input, a line each; on standard output a line of JSON for each:
//     {file, refused}                                 MuJoCo does not load it, or it has parts that are no robot's; or
//     {file, joints, actuators, qpos, ctrl, free, times,   names, the start, the first body that floats,
//      file_free, file_error, hard_free, error,       qpos at each of the times: without contact as the file is and with
//      file_contact}                                  its constraints made hard, and what double steps change; with contact
// The start is the first keyframe (or the posture as drawn), hinges and slides a little off it where nothing couples them.
import fs from 'node:fs';
import {mount, openModel} from './mounted.mjs';

const [modules, root] = process.argv.slice(2);
const mujoco = await mount(modules, root);
const TIMES = [0.1, 0.5, 1, 2];
const CONTACT = 16, RK4 = 1, IMPLICIT = 2;

let seed = 1;
function random() {  // in [0, 1)
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 4294967296;
}

/** Joints that may start a little off: none where loops close, and none that an equality couples. */
function loose(model) {
  const out = new Array(model.njnt).fill(true);
  for (let e = 0; e < model.neq; e++) {
    if (model.eq_type[e] !== 2) return out.fill(false);  // not of joints
    out[model.eq_obj1id[e]] = false;
    if (model.eq_obj2id[e] >= 0) out[model.eq_obj2id[e]] = false;
  }
  return out;
}

function startOf(model) {
  const data = new mujoco.MjData(model);
  if (model.nkey > 0) mujoco.mj_resetDataKeyframe(model, data, 0);
  const q = Float64Array.from(data.qpos), u = Float64Array.from(data.ctrl);
  data.delete();
  const free = loose(model);
  seed = 1;
  for (let j = 0; j < model.njnt; j++) {
    if (model.jnt_type[j] < 2 || !free[j]) continue;
    const a = model.jnt_qposadr[j], low = model.jnt_range[2 * j], high = model.jnt_range[2 * j + 1];
    const scale = model.jnt_type[j] === 3 ? 0.4 : 0.01, bound = 0.02 * (high - low);
    const wanted = q[a] + scale * (random() - 0.5);
    if (low < high && (q[a] < low || q[a] > high)) continue;  // what starts beyond its limit stays there
    q[a] = low < high ? Math.min(Math.max(wanted, low + bound), high - bound) : wanted;
  }
  return {q, u};
}

/** qpos at TIMES by steps of h; what is not finite becomes null. */
function run(model, start, h) {
  const data = new mujoco.MjData(model), out = [];
  const kept = model.opt.timestep;
  model.opt.timestep = h;
  data.qpos.set(start.q);
  data.ctrl.set(start.u);
  let steps = 0;
  for (const time of TIMES) {
    for (; steps < Math.round(time / h); steps++) mujoco.mj_step(model, data);
    out.push(Array.from(data.qpos));
  }
  model.opt.timestep = kept;
  data.delete();
  return out;
}

function harden(model) {
  for (const name of ['jnt', 'dof', 'eq', 'tendon']) {
    for (const [key, size, values] of [['solref', 2, [1e-9, 1]], ['solref_lim', 2, [1e-9, 1]], ['solref_fri', 2, [1e-9, 1]],
                                       ['solimp', 5, [0.9999, 0.9999, 0.001, 0.5, 2]],
                                       ['solimp_lim', 5, [0.9999, 0.9999, 0.001, 0.5, 2]],
                                       ['solimp_fri', 5, [0.9999, 0.9999, 0.001, 0.5, 2]]]) {
      const array = model[`${name}_${key}`];
      for (let k = 0; array && k < array.length; k++) array[k] = values[k % size];
    }
  }
}

const farthest = (a, b) => Math.max(0, ...a.map((x, k) => Math.abs(x - b[k])));

/** A run by short steps, by the method that settles better, and what steps of double length change. */
function settled(model, start) {
  let best, least = Infinity;
  for (const method of [RK4, IMPLICIT]) {
    model.opt.integrator = method;
    const fine = run(model, start, 1.25e-4), coarse = run(model, start, 2.5e-4);
    const error = TIMES.map((_, k) => farthest(fine[k], coarse[k]));
    const worst = Math.max(...error);
    if (!best || worst < least) [best, least] = [[fine, error], Number.isFinite(worst) ? worst : Infinity];
    if (least < 1e-6) break;
  }
  return best;
}

function floatingBody(model) {
  for (let j = 0; j < model.njnt; j++) if (model.jnt_type[j] === 0) return model.jnt_qposadr[j];
  return -1;
}

function show(file, model) {
  const start = startOf(model), kept = model.opt.integrator;
  const joints = [];
  for (let j = 0; j < model.njnt; j++) {
    const name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT.value, j);
    joints.push([name && name !== 'emsc' ? name : '', model.jnt_type[j], model.jnt_qposadr[j]]);
  }
  const actuators = [];
  for (let a = 0; a < model.nu; a++) actuators.push(mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR.value, a));
  const out = {file, joints, actuators, qpos: Array.from(start.q), ctrl: Array.from(start.u), times: TIMES,
               gravity: Array.from(model.opt.gravity)};
  out.free = floatingBody(model);
  out.file_contact = run(model, start, 0.001);
  model.opt.disableflags |= CONTACT;
  [out.file_free, out.file_error] = settled(model, start);
  harden(model);
  [out.hard_free, out.error] = settled(model, start);
  model.opt.integrator = kept;
  console.log(JSON.stringify(out));
}

for (const file of fs.readFileSync(0, 'utf8').split('\n').filter((text) => text)) {
  const {model, message} = openModel(mujoco, file);
  if (!model) console.log(JSON.stringify({file, refused: message}));
  else if (model.nflex || model.nskin || model.nplugin) console.log(JSON.stringify({file, refused: 'deformable'}));
  else if (model.nv === 0) console.log(JSON.stringify({file, refused: 'nothing moves'}));
  else show(file, model);
  model?.delete();
}
