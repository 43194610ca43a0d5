// SPDX-License-Identifier: Apache-2.0
// PhysX in WebAssembly (npm physx-js-webidl, one thread, single precision): rigid bodies, the solver TGS; --iterations are
// those of positions (16 unless told; PhysX has 4), with 1 of velocities; --substeps divide h. No damping, no sleeping,
// gyroscopic forces on.
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { BALL, BOX, CAPSULE, HINGE, main, multiply, packageVersion, require, ROW, SLIDE, solids, SPHERE, stands } from './peer.mjs';

const entry = require.resolve('physx-js-webidl');
const { default: initialise } = await import(pathToFileURL(entry));

// The package is built for browsers and looks for signs of Node.js: while it starts, there are none.
async function startUnseen() {
    const { process } = globalThis, wasmBinary = fs.readFileSync(entry.replace(/\.mjs$/, '.wasm'));
    globalThis.window = globalThis;
    delete globalThis.process;
    try {
        return await initialise({ wasmBinary });
    } finally {
        globalThis.process = process;
        delete globalThis.window;
    }
}

const physx = await startUnseen();
const top = physx; // the package has PxTopLevelFunctions here
const foundation = top.CreateFoundation(top.PHYSICS_VERSION, new physx.PxDefaultAllocator(), new physx.PxDefaultErrorCallback());
const physics = top.CreatePhysics(top.PHYSICS_VERSION, foundation, new physx.PxTolerancesScale());
top.InitExtensions(physics);
const GYROSCOPIC = 512; // PxRigidBodyFlag::eENABLE_GYROSCOPIC_FORCES, which the package does not name
const HALF = Math.SQRT1_2;
const IDENTITY = [1, 0, 0, 0], X_TO_Z = [HALF, 0, -HALF, 0], X_AND_Y = [0, HALF, HALF, 0];

const vector = (v) => new physx.PxVec3(...v);
const transform = (p, [w, x, y, z]) => new physx.PxTransform(vector(p), new physx.PxQuat(x, y, z, w));

function createWorld(scene) {
    const desc = new physx.PxSceneDesc(physics.getTolerancesScale());
    desc.gravity = vector(scene.gravity);
    desc.cpuDispatcher = top.DefaultCpuDispatcherCreate(0);
    desc.filterShader = top.DefaultFilterShader();
    desc.solverType = physx.PxSolverTypeEnum.eTGS;
    return physics.createScene(desc);
}

// PhysX has capsules along x and the half-space below x = 0.
function createShape(shape, material) {
    const [a, b, c] = shape.size;
    const geometry = shape.kind === SPHERE ? new physx.PxSphereGeometry(a)
        : shape.kind === CAPSULE ? new physx.PxCapsuleGeometry(a, b)
            : shape.kind === BOX ? new physx.PxBoxGeometry(a, b, c) : new physx.PxPlaneGeometry();
    const flags = new physx.PxShapeFlags(physx.PxShapeFlagEnum.eSIMULATION_SHAPE);
    const made = physics.createShape(geometry, material, true, flags);
    made.setLocalPose(transform([0, 0, 0], shape.kind === SPHERE || shape.kind === BOX ? IDENTITY : X_TO_Z));
    made.setSimulationFilterData(new physx.PxFilterData(shape.group, shape.mask, 0, 0));
    return made;
}

function createBody(world, { body, shape, pose }, material, iterations) {
    const at = transform(pose.position, pose.rotation);
    const made = body.fixed ? physics.createRigidStatic(at) : physics.createRigidDynamic(at);
    if (shape) {
        made.attachShape(createShape(shape, material));
    }
    if (!body.fixed) {
        made.setMass(body.mass);
        made.setMassSpaceInertiaTensor(vector(body.inertia));
        made.setLinearDamping(0);
        made.setAngularDamping(0);
        made.setMaxAngularVelocity(1e5);
        made.setSleepThreshold(0);
        made.setSolverIterationCounts(iterations, 1);
        made.setRigidBodyFlag(GYROSCOPIC, true);
        made.setLinearVelocity(vector(body.linear));
        made.setAngularVelocity(vector(body.angular));
    }
    world.addActor(made);
    return made;
}

function createJoint(joint, bodies) {
    const frame = ({ position, rotation }) => transform(position, rotation);
    const ends = [physics, joint.a < 0 ? null : bodies[joint.a], frame(joint.onA), bodies[joint.b], frame(joint.onB)];
    if (joint.kind === BALL) {
        return top.SphericalJointCreate(...ends);
    }
    if (joint.kind === HINGE) {
        return top.RevoluteJointCreate(...ends);
    }
    if (joint.kind === SLIDE) {
        const made = top.PrismaticJointCreate(...ends);
        if (joint.lower < joint.upper) {
            made.setLimit(new physx.PxJointLinearLimitPair(joint.lower, joint.upper, new physx.PxSpring(0, 0)));
            made.setPrismaticJointFlag(physx.PxPrismaticJointFlagEnum.eLIMIT_ENABLED, true);
        }
        return made;
    }
    // Swing 1 is about y of the first body, twist about x of the second: with x and y exchanged that is the universal joint.
    const swapped = ({ position, rotation }) => transform(position, multiply(rotation, X_AND_Y));
    const made = top.D6JointCreate(physics, ends[1], swapped(joint.onA), ends[3], swapped(joint.onB));
    made.setMotion(physx.PxD6AxisEnum.eTWIST, physx.PxD6MotionEnum.eFREE);
    made.setMotion(physx.PxD6AxisEnum.eSWING1, physx.PxD6MotionEnum.eFREE);
    return made;
}

async function create(scene, run) {
    const world = createWorld(scene), material = physics.createMaterial(scene.friction, scene.friction, 0), bodies = [];
    for (const solid of solids(scene)) {
        const made = createBody(world, solid, material, run.iterations || 16);
        if (solid.index >= 0) {
            bodies[solid.index] = made;
        }
    }
    for (const joint of scene.joints) {
        if (!stands(scene, joint)) {
            createJoint(joint, bodies);
        }
    }
    const step = () => {
        for (let k = 0; k < run.substeps; k++) {
            world.simulate(run.h / run.substeps);
            world.fetchResults(true);
        }
    };
    const read = (states) => bodies.forEach((body, k) => {
        const { p, q } = body.getGlobalPose(), at = k * ROW;
        states.set([p.x, p.y, p.z, q.w, q.x, q.y, q.z], at);
        if (!scene.bodies[k].fixed) {
            const v = body.getLinearVelocity();
            states.set([v.x, v.y, v.z], at + 7);
            const w = body.getAngularVelocity();
            states.set([w.x, w.y, w.z], at + 10);
        }
    });
    return { step, read, end: () => world.release() };
}

await main('physx', `5.6.1 (npm ${packageVersion(entry)})`, create);
