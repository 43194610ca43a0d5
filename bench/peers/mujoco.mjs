// SPDX-License-Identifier: Apache-2.0
// MuJoCo 3 in WebAssembly (npm @mujoco/mujoco, one thread, double precision), from the same MJCF as the native one: peer_mjcf
// writes it. Variants: rk4, implicit, euler. MuJoCo starts a simulation anew when it has blown up: that is a failure here.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { main, packageVersion, require, ROW } from './peer.mjs';

const entry = require.resolve('@mujoco/mujoco/mujoco.wasm').replace(/\.wasm$/, '.js');
const { default: load } = await import(pathToFileURL(entry));
const mujoco = await load({ print: () => {}, printErr: () => {} });
const BODY = 1; // mjOBJ_BODY

async function create(scene, run) {
    const text = execFileSync(path.join(process.env.PEER_DRIVERS, 'peer_mjcf'),
        [run.scene, '--variant', run.variant, '--h', String(run.h), '--substeps', String(run.substeps)], { encoding: 'utf8', maxBuffer: 1 << 28 });
    const end = text.indexOf('\n'), speeds = text.slice(0, end).trim().split(' ').filter(Boolean).map(Number);
    const model = mujoco.MjModel.from_xml_string(text.slice(end + 1)), data = new mujoco.MjData(model);
    const ids = scene.bodies.map((_, k) => mujoco.mj_name2id(model, BODY, `b${k}`));
    for (let k = 0; k < speeds.length; k += 2) {
        data.qvel[model.jnt_dofadr[model.body_jntadr[ids[speeds[k]]]]] = speeds[k + 1];
    }
    const velocity = new mujoco.DoubleBuffer(6);
    const step = () => {
        const before = data.time;
        for (let k = 0; k < run.substeps; k++) {
            mujoco.mj_step(model, data);
        }
        if (!(data.time > before)) {
            throw new Error('started anew');
        }
    };
    const read = (states) => {
        mujoco.mj_kinematics(model, data);
        mujoco.mj_comPos(model, data);
        mujoco.mj_comVel(model, data);
        const position = data.xipos, rotation = data.xquat;
        ids.forEach((id, k) => {
            if (scene.bodies[k].fixed) {
                return;
            }
            mujoco.mj_objectVelocity(model, data, BODY, id, velocity, 0);
            const v = velocity.GetView();
            states.set([...position.subarray(3 * id, 3 * id + 3), ...rotation.subarray(4 * id, 4 * id + 4), v[3], v[4], v[5],
                v[0], v[1], v[2]], k * ROW);
        });
    };
    return { step, read, end: () => data.delete() };
}

await main('mujoco', packageVersion(entry), create);
