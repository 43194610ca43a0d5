// SPDX-License-Identifier: Apache-2.0
// robots.mjs MODULES ROOT: how MuJoCo itself moves the robots below ROOT, for tools/robots. A name of a file on a line of
// standard input is answered by a line of JSON:
//     {file, refused}                      MuJoCo does not load it, or it has parts that are no robot's; or
//     {file, joints, actuators, qpos, ctrl, free}   names, a start, and where the first body that floats is in qpos.
// A line of JSON [qpos] then says where the robot starts (loops closed, say), and is answered by
//     {times, file_free, file_error, hard_free, error, file_contact}
// qpos at each of the times: without contact as the file is and with its constraints made hard, and what double steps change;
// with contact as the file is. A line of JSON {qpos, qvel, qacc} instead is answered by
//     {mass, bias, inverse, bodies: {name: [linear, angular]}, sites}
// the mass matrix, bias forces, inverse dynamics without constraints and passive forces, and Jacobians of bodies and sites.
// The start is the first keyframe (or the posture as drawn), hinges and slides a little off it where nothing couples them,
// and within their limits.
import readline from 'node:readline';
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

const lines = readline.createInterface({input: process.stdin})[Symbol.asyncIterator]();
const tell = (what) => console.log(JSON.stringify(what));

function describe(file, model, start) {
  const joints = [], actuators = [];
  for (let j = 0; j < model.njnt; j++) {
    const name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT.value, j);
    joints.push([name && name !== 'emsc' ? name : '', model.jnt_type[j], model.jnt_qposadr[j]]);
  }
  for (let a = 0; a < model.nu; a++) actuators.push(mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR.value, a));
  tell({file, joints, actuators, qpos: Array.from(start.q), ctrl: Array.from(start.u), free: floatingBody(model)});
}

function measure(model, start) {
  const out = {times: TIMES}, kept = model.opt.integrator;
  out.file_contact = run(model, start, 0.001);
  model.opt.disableflags |= CONTACT;
  [out.file_free, out.file_error] = settled(model, start);
  harden(model);
  [out.hard_free, out.error] = settled(model, start);
  model.opt.integrator = kept;
  tell(out);
}

/** What a sim computes without stepping. */
function quantities(model, state) {
  const data = new mujoco.MjData(model), n = model.nv;
  const take = (size, fill) => {
    const buffer = new mujoco.DoubleBuffer(size);
    fill(buffer);
    const out = Array.from(buffer.GetView());
    buffer.delete();
    return out;
  };
  model.opt.disableflags |= (1 << 0) | (1 << 5) | (1 << 6); // constraints; springs and dampers
  data.qpos.set(state.qpos);
  data.qvel.set(state.qvel);
  mujoco.mj_forward(model, data);
  const out = {bodies: {}, sites: {}, bias: Array.from(data.qfrc_bias)};
  out.mass = take(n * n, (b) => mujoco.mj_fullM(model, data, b));
  data.qacc.set(state.qacc);
  mujoco.mj_inverse(model, data);
  out.inverse = Array.from(data.qfrc_inverse);
  for (const [kind, count, call, to] of [[mujoco.mjtObj.mjOBJ_BODY, model.nbody, 'mj_jacBody', out.bodies],
                                         [mujoco.mjtObj.mjOBJ_SITE, model.nsite, 'mj_jacSite', out.sites]]) {
    for (let k = 0; k < count; k++) {
      const name = mujoco.mj_id2name(model, kind.value, k);
      if (!name || name === 'emsc' || name === 'world') continue;
      let angular;
      const linear = take(3 * n, (p) => { angular = take(3 * n, (r) => mujoco[call](model, data, p, r, k)); });
      to[name] = [linear, angular];
    }
  }
  data.delete();
  tell(out);
}

for (;;) {
  const {value: file, done} = await lines.next();
  if (done) break;
  const {model, message} = openModel(mujoco, file);
  if (!model) tell({file, refused: message});
  else if (model.nflex || model.nskin || model.nplugin) tell({file, refused: 'deformable'});
  else if (model.nv === 0) tell({file, refused: 'nothing moves'});
  else {
    const start = startOf(model);
    describe(file, model, start);
    const {value: line} = await lines.next(), wanted = line ? JSON.parse(line) : null;
    if (wanted?.qacc) quantities(model, wanted);
    else if (wanted) {
      start.q.set(wanted);
      measure(model, start);
    }
    else tell({});
  }
  model?.delete();
}
