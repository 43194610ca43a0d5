// SPDX-License-Identifier: Apache-2.0
// What the drivers in JavaScript share: they read the same scene files as those in C and hand the state after every step to
// peer_node (descriptor 3), which measures it.
//
// The clock is processor time of the process, which also counts the compiler's threads.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export const BALL = 0, HINGE = 1, SLIDE = 2, UNIVERSAL = 3;
export const SPHERE = 0, CAPSULE = 1, BOX = 2, PLANE = 3;

const poseAt = (v, at) => ({ position: v.slice(at, at + 3), rotation: v.slice(at + 3, at + 7) });

function readBody(v) {
    return { fixed: v[0] !== 0, mass: v[1], inertia: v.slice(2, 5), ...poseAt(v, 5), linear: v.slice(12, 15),
        angular: v.slice(15, 18), shapes: [] };
}

function readJoint(v) {
    const onA = poseAt(v, 3), onB = poseAt(v, 10);
    return { kind: v[0], a: v[1], b: v[2], onA, onB, lower: v[17], upper: v[18] };
}

// Bodies with their shapes, joints, and for every shape the number of its kind (group), with the kinds that touch it (mask).
export function readScene(file) {
    const lines = fs.readFileSync(file, 'utf8').split('\n').map((line) => line.trim());
    const numbers = (line) => line.split(/\s+/).map(Number);
    const [gravity, friction, , counts] = lines.slice(1, 5).map((line) => numbers(line).slice(1));
    const [bodyCount, shapeCount, jointCount] = counts;
    let at = 5;
    const next = (count) => lines.slice(at, at += count).map(numbers);
    const bodies = next(bodyCount).map(readBody);
    for (const v of next(shapeCount)) {
        bodies[v[0]].shapes.push({ kind: v[1], size: v.slice(2, 5), pose: poseAt(v, 5), group: v[12], mask: v[13] });
    }
    const joints = next(jointCount).map(readJoint);
    return { name: lines[0].slice('scene '.length), gravity, friction: friction[0], bodies, joints, contact: shapeCount > 0 };
}

// ---- geometry: vectors are arrays, quaternions (w, x, y, z) ----

export function rotate(q, v) {
    const [w, x, y, z] = q;
    const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
    return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

export function multiply(p, q) {
    return [p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]];
}

export function compose(a, b) {
    const p = rotate(a.rotation, b.position);
    return { position: p.map((value, k) => value + a.position[k]), rotation: multiply(a.rotation, b.rotation) };
}

export const bodyPose = (scene, k) => (k < 0 ? { position: [0, 0, 0], rotation: [1, 0, 0, 0] } : scene.bodies[k]);

// A joint whose bodies both stand still does nothing.
export const stands = (scene, joint) => (joint.a < 0 || scene.bodies[joint.a].fixed) && scene.bodies[joint.b].fixed;

// What an engine gets as bodies of its own: every moving body with its one shape, and every shape of a fixed one.
export function* solids(scene) {
    for (const [k, body] of scene.bodies.entries()) {
        if (!body.fixed) {
            yield { index: k, body, shape: body.shapes[0], pose: body };
            continue;
        }
        yield { index: k, body, shape: undefined, pose: body };
        for (const shape of body.shapes) {
            yield { index: -1, body, shape, pose: compose(body, shape.pose) };
        }
    }
}

// ---- packages ----

export const require = createRequire(`${process.env.PEER_NPM}/package.json`);

export function packageVersion(entry) {
    let folder = path.dirname(entry);
    while (!fs.existsSync(path.join(folder, 'package.json'))) {
        folder = path.dirname(folder);
    }
    return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version;
}

// ---- running ----

// States are rows of 13 numbers: position, rotation (w, x, y, z), linear and angular velocity.
export const ROW = 13;
const WARM_MOST = 3000; // bodies
const WARM_SECONDS = 6;

function readArguments() {
    const run = { variant: '', h: 0.01, time: 1, mark: 1, limit: 1e9, iterations: 0, substeps: 1, erp: 0 };
    const list = process.argv.slice(2);
    while (list.length > 0) {
        const name = list.shift();
        if (!name.startsWith('--')) {
            run.scene = name;
        } else if (name === '--variant') {
            run.variant = list.shift();
        } else {
            const value = Number(list.shift());
            if (!(name.slice(2) in run) || !(value >= 0)) {
                console.error(`${name} is no option, or its value is not right`);
                process.exit(3);
            }
            run[name.slice(2)] = value;
        }
    }
    return run;
}

function seconds() {
    const used = process.cpuUsage();
    return 1e-6 * (used.user + used.system);
}

function send(array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length;) {
        at += fs.writeSync(3, bytes, at);
    }
}

// V8 compiles a function of WebAssembly when it is first called. A first run of the scene, which is thrown away, gets that
// over: all of it where there is contact, whose code is called late.
async function warmUp(scene, run, create) {
    const count = scene.contact ? Math.ceil(run.time / run.h) : 10, begin = seconds();
    if (scene.bodies.length > WARM_MOST) {
        return;
    }
    try {
        const engine = await create(scene, run);
        for (let k = 0; k < count && seconds() - begin < WARM_SECONDS; k++) {
            engine.step();
        }
        engine.end?.();
    } catch {
        return; // the run that counts will say it
    }
}

// create(scene, run) returns {step(), read(states), end()}; a step that throws has failed.
export async function main(name, version, create) {
    const run = readArguments(), scene = readScene(run.scene);
    const frame = new Float64Array(3 + scene.bodies.length * ROW), states = frame.subarray(3);
    scene.bodies.forEach((body, k) => states.set([...body.position, ...body.rotation, ...body.linear, ...body.angular], k * ROW));
    await warmUp(scene, run, create);
    const engine = await create(scene, run);
    const title = new Uint8Array(64);
    title.set(new TextEncoder().encode(`${name} ${version}`).subarray(0, 63));
    send(title);
    const count = Math.ceil(run.time / run.h - 1e-6);
    for (let k = 0; k < count; k++) {
        const begin = seconds();
        frame[0] = 1;
        try {
            engine.step();
        } catch {
            frame[0] = 0;
        }
        frame[1] = seconds() - begin;
        if (frame[0] === 1) {
            engine.read(states);
        }
        send(frame);
    }
    process.exit(0);
}
