// SPDX-License-Identifier: Apache-2.0
// Rapier in WebAssembly (npm @dimforge/rapier3d-compat, one thread, single precision). Variants: impulse (impulse joints;
// --iterations of the solver, 4 unless told, Rapier's own) and multibody (reduced coordinates; joints that close loops are
// impulse joints). --substeps divide h. No damping, no sleeping.
import { BALL, BOX, CAPSULE, HINGE, main, packageVersion, require, ROW, SLIDE, solids, SPHERE, stands } from './peer.mjs';

const entry = require.resolve('@dimforge/rapier3d-compat');
const rapier = require(entry);

const vector = (v) => ({ x: v[0], y: v[1], z: v[2] });
const quaternion = (q) => ({ w: q[0], x: q[1], y: q[2], z: q[3] });
const HALF = Math.SQRT1_2;

function createBody(world, body, pose) {
    const desc = body.fixed ? rapier.RigidBodyDesc.fixed() : rapier.RigidBodyDesc.dynamic();
    desc.setTranslation(...pose.position).setRotation(quaternion(pose.rotation)).setCanSleep(false);
    desc.setLinearDamping(0).setAngularDamping(0);
    if (!body.fixed) {
        desc.setAdditionalMassProperties(body.mass, vector([0, 0, 0]), vector(body.inertia), { x: 0, y: 0, z: 0, w: 1 });
        desc.setLinvel(...body.linear).setAngvel(vector(body.angular));
    }
    return world.createRigidBody(desc);
}

// Rapier's capsules are along y, its half-spaces below y.
function createCollider(world, body, shape, friction) {
    const [a, b, c] = shape.size, turned = { w: HALF, x: HALF, y: 0, z: 0 };
    const desc = shape.kind === SPHERE ? rapier.ColliderDesc.ball(a)
        : shape.kind === CAPSULE ? rapier.ColliderDesc.capsule(b, a).setRotation(turned)
            : shape.kind === BOX ? rapier.ColliderDesc.cuboid(a, b, c)
                : new rapier.ColliderDesc(new rapier.HalfSpace(vector([0, 0, 1])));
    desc.setDensity(0).setFriction(friction).setRestitution(0).setCollisionGroups(shape.group * 65536 + shape.mask);
    world.createCollider(desc, body);
}

function jointData(joint) {
    const a = vector(joint.onA.position), b = vector(joint.onB.position);
    if (joint.kind === BALL) {
        return rapier.JointData.spherical(a, b);
    }
    if (joint.kind === HINGE || joint.kind === SLIDE) {
        const data = joint.kind === HINGE ? rapier.JointData.revolute(a, b, vector([1, 0, 0]))
            : rapier.JointData.prismatic(a, b, vector([1, 0, 0]));
        if (joint.lower < joint.upper) {
            data.limitsEnabled = true;
            data.limits = [joint.lower, joint.upper];
        }
        return data;
    }
    console.error('rapier: it has no universal joint');
    return process.exit(3);
}

// The frames of a joint: Rapier's makers take one axis on both bodies, so each gets its own afterwards.
function setFrames(made, joint) {
    if (joint.kind !== BALL) {
        made.setFrameX1(quaternion(joint.onA.rotation));
        made.setFrameX2(quaternion(joint.onB.rotation));
    }
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

function addJoints(world, scene, bodies, ground, multibody) {
    const { tree, used } = multibody ? spanningTree(scene) : { tree: [], used: new Set() };
    for (const { k, flipped } of tree) {
        const joint = scene.joints[k], a = joint.a < 0 ? ground : bodies[joint.a], b = bodies[joint.b];
        const data = flipped ? jointData({ ...joint, onA: joint.onB, onB: joint.onA }) : jointData(joint);
        world.createMultibodyJoint(data, flipped ? b : a, flipped ? a : b, true);
    }
    scene.joints.forEach((joint, k) => {
        if (!used.has(k) && !stands(scene, joint)) {
            const made = world.createImpulseJoint(jointData(joint), joint.a < 0 ? ground : bodies[joint.a], bodies[joint.b], true);
            setFrames(made, joint);
            made.setContactsEnabled(false);
        }
    });
}

async function create(scene, run) {
    await rapier.init();
    const world = new rapier.World(vector(scene.gravity));
    world.timestep = run.h / run.substeps;
    world.numSolverIterations = run.iterations || 4;
    const bodies = [];
    for (const { index, body, shape, pose } of solids(scene)) {
        const made = createBody(world, body, pose);
        if (index >= 0) {
            bodies[index] = made;
        }
        if (shape) {
            createCollider(world, made, shape, scene.friction);
        }
    }
    addJoints(world, scene, bodies, world.createRigidBody(rapier.RigidBodyDesc.fixed()), run.variant === 'multibody');
    const step = () => {
        for (let k = 0; k < run.substeps; k++) {
            world.step();
        }
    };
    const read = (states) => bodies.forEach((body, k) => {
        const p = body.translation(), q = body.rotation(), v = body.linvel(), w = body.angvel();
        states.set([p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z], k * ROW);
    });
    return { step, read, end: () => world.free() };
}

await main('rapier', packageVersion(entry), create);
