// SPDX-License-Identifier: Apache-2.0
// What the drivers in WebAssembly share: peer.c in JavaScript, with the same options, measurements and output.
//
// Node has no clock of one thread's processor time before version 23: steps are timed by that of the process, which also
// counts the compiler's threads. Medians over steps leave that out.

import fs from 'node:fs';

export function readScene(path) {
    const lines = fs.readFileSync(path, 'utf8').split('\n');
    const numbers = (line) => line.split(' ').map(Number);
    const gravity = lines[1].split(' ').slice(1).map(Number);
    const [bodyCount, jointCount] = lines[2].split(' ').slice(1).map(Number);
    const bodies = lines.slice(3, 3 + bodyCount).map((line) => {
        const v = numbers(line);
        return { fixed: v[0] !== 0, mass: v[1], inertia: v.slice(2, 5), position: v.slice(5, 8), rotation: v.slice(8, 12) };
    });
    const joints = lines.slice(3 + bodyCount, 3 + bodyCount + jointCount).map((line) => {
        const v = numbers(line);
        return { a: v[0], b: v[1], onA: v.slice(2, 5), onB: v.slice(5, 8) };
    });
    const mark = numbers(lines[3 + bodyCount + jointCount]);
    return { name: lines[0].slice('scene '.length), gravity, bodies, joints, markerBody: mark[0], marker: mark.slice(1, 4) };
}

// States are rows of 13 numbers: position, rotation (w, x, y, z), linear and angular velocity.
export const ROW = 13;

function rotate(s, at, v, sign) {
    const w = s[at], x = sign * s[at + 1], y = sign * s[at + 2], z = sign * s[at + 3];
    const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
    return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

export function point(states, body, local) {
    if (body < 0) {
        return local;
    }
    const p = rotate(states, body * ROW + 3, local, 1);
    return [p[0] + states[body * ROW], p[1] + states[body * ROW + 1], p[2] + states[body * ROW + 2]];
}

function largestGap(scene, states) {
    let most = 0;
    for (const joint of scene.joints) {
        const a = point(states, joint.a, joint.onA), b = point(states, joint.b, joint.onB);
        const gap = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        if (!(gap <= most)) {
            most = gap;
        }
        if (Number.isNaN(gap)) {
            return NaN;
        }
    }
    return most;
}

function energy(scene, states) {
    let kinetic = 0, potential = 0;
    scene.bodies.forEach((body, k) => {
        if (body.fixed) {
            return;
        }
        const at = k * ROW;
        const w = rotate(states, at + 3, [states[at + 10], states[at + 11], states[at + 12]], -1);
        for (let i = 0; i < 3; i++) {
            kinetic += 0.5 * (body.mass * states[at + 7 + i] ** 2 + body.inertia[i] * w[i] ** 2);
            potential -= body.mass * scene.gravity[i] * states[at + i];
        }
    });
    return { kinetic, potential };
}

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

function measure(scene, states, run, record) {
    const gap = largestGap(scene, states), { kinetic, potential } = energy(scene, states);
    record.finite = Number.isFinite(gap) && Number.isFinite(kinetic) && Number.isFinite(potential);
    if (!record.finite) {
        return;
    }
    record.gap = Math.max(record.gap, gap);
    record.gap_end = gap;
    record.energy_end = kinetic + potential;
    record.energy_error = Math.max(record.energy_error, Math.abs(record.energy_end - record.energy_start));
    record.potential_range = Math.max(record.potential_range, record.energy_start - potential);
    if (!record.marker && record.steps * run.h > run.mark - 0.5 * run.h) {
        record.marker = point(states, scene.markerBody, scene.marker);
    }
}

function seconds() {
    const used = process.cpuUsage();
    return 1e-6 * (used.user + used.system);
}

// create(scene, run) returns {step(), read(states)}; a step that throws has failed.
export async function main(name, version, create) {
    const run = readArguments(), scene = readScene(run.scene);
    const states = new Float64Array(scene.bodies.length * ROW);
    scene.bodies.forEach((body, k) => states.set([...body.position, ...body.rotation], k * ROW));
    const start = energy(scene, states).potential;
    let begin = seconds(), used = 0;
    const engine = await create(scene, run);
    const record = { gap: 0, gap_end: 0, energy_start: start, energy_end: start, energy_error: 0, potential_range: 0,
        finite: true, failed: false, steps: 0, setup_ms: 1e3 * (seconds() - begin) };
    const count = Math.ceil(run.time / run.h - 1e-6), times = [];
    while (record.steps < count && record.finite && !record.failed && used < run.limit) {
        begin = seconds();
        try {
            engine.step();
        } catch {
            record.failed = true;
        }
        times.push(seconds() - begin);
        used += times.at(-1);
        record.steps++;
        if (!record.failed) {
            engine.read(states);
            measure(scene, states, run, record);
        }
    }
    const mean = times.reduce((a, b) => a + b, 0) / times.length;
    times.sort((a, b) => a - b);
    console.log(JSON.stringify({ peer: name, variant: run.variant, version, scene: scene.name, bodies: scene.bodies.length,
        joints: scene.joints.length, h: run.h, iterations: run.iterations, substeps: run.substeps,
        time: record.steps * run.h, ms_median: 1e3 * times[times.length >> 1], ms_mean: 1e3 * mean, ...record,
        complete: record.steps * run.h > run.time * (1 - 1e-6), wasm: true,
        megabytes: process.resourceUsage().maxRSS / 1024 }));
    process.exit(0);
}
