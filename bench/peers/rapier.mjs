// SPDX-License-Identifier: Apache-2.0
// Rapier in WebAssembly (npm @dimforge/rapier3d-compat, one thread, single precision). Variants: impulse (impulse joints;
// --iterations of the solver, 4 unless told, Rapier's own) and multibody (reduced coordinates; joints that close loops are
// impulse joints). --substeps divide h. No damping, no sleeping, no collisions.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { main, ROW } from './peer.mjs';

const require = createRequire(`${process.env.PEER_NPM}/package.json`);
const entry = require.resolve('@dimforge/rapier3d-compat');
const rapier = require(entry);

function packageVersion() {
    let folder = path.dirname(entry);
    while (!fs.existsSync(path.join(folder, 'package.json'))) {
        folder = path.dirname(folder);
    }
    return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version;
}

const vector = (v) => ({ x: v[0], y: v[1], z: v[2] });

function createBody(world, body) {
    const [w, x, y, z] = body.rotation;
    const desc = body.fixed ? rapier.RigidBodyDesc.fixed() : rapier.RigidBodyDesc.dynamic();
    desc.setTranslation(...body.position).setRotation({ x, y, z, w }).setCanSleep(false);
    desc.setLinearDamping(0).setAngularDamping(0);
    if (!body.fixed) {
        desc.setAdditionalMassProperties(body.mass, vector([0, 0, 0]), vector(body.inertia), { x: 0, y: 0, z: 0, w: 1 });
    }
    return world.createRigidBody(desc);
}

// Joints of a tree, breadth first from what stands still: {joint: index, flipped}; the others close loops.
function spanningTree(scene) {
    const of = scene.bodies.map(() => []), seen = scene.bodies.map((body) => body.fixed), ground = [], tree = [];
    const used = new Set(), queue = [-1, ...scene.bodies.keys()].filter((k) => k < 0 || scene.bodies[k].fixed);
    scene.joints.forEach((joint, k) => {
        (joint.a < 0 ? ground : of[joint.a]).push(k);
        of[joint.b].push(k);
    });
    for (const at of queue) {
        for (const k of at < 0 ? ground : of[at]) {
            const joint = scene.joints[k], flipped = joint.a !== at, other = flipped ? joint.a : joint.b;
            if (other >= 0 && !used.has(k) && !seen[other]) {
                seen[other] = true;
                used.add(k);
                tree.push({ k, flipped });
                queue.push(other);
            }
        }
    }
    return { tree, used };
}

async function create(scene, run) {
    await rapier.init();
    const world = new rapier.World(vector(scene.gravity));
    world.timestep = run.h / run.substeps;
    world.numSolverIterations = run.iterations || 4;
    const bodies = scene.bodies.map((body) => createBody(world, body));
    const ground = world.createRigidBody(rapier.RigidBodyDesc.fixed());
    const multibody = run.variant === 'multibody';
    const { tree, used } = multibody ? spanningTree(scene) : { tree: [], used: new Set() };
    for (const { k, flipped } of tree) {
        const joint = scene.joints[k], a = joint.a < 0 ? ground : bodies[joint.a], b = bodies[joint.b];
        const data = flipped ? rapier.JointData.spherical(vector(joint.onB), vector(joint.onA))
            : rapier.JointData.spherical(vector(joint.onA), vector(joint.onB));
        world.createMultibodyJoint(data, flipped ? b : a, flipped ? a : b, true);
    }
    scene.joints.forEach((joint, k) => {
        const still = joint.a >= 0 && scene.bodies[joint.a].fixed && scene.bodies[joint.b].fixed;
        if (!used.has(k) && !still) {
            const data = rapier.JointData.spherical(vector(joint.onA), vector(joint.onB));
            world.createImpulseJoint(data, joint.a < 0 ? ground : bodies[joint.a], bodies[joint.b], true);
        }
    });
    const step = () => {
        for (let k = 0; k < run.substeps; k++) {
            world.step();
        }
    };
    const read = (states) => bodies.forEach((body, k) => {
        const p = body.translation(), q = body.rotation(), v = body.linvel(), w = body.angvel();
        states.set([p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z], k * ROW);
    });
    return { step, read };
}

await main('rapier', packageVersion(), create);
