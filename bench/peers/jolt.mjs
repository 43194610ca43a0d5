// SPDX-License-Identifier: Apache-2.0
// Jolt Physics in WebAssembly (npm jolt-physics, one thread, single precision). --iterations are those of velocities (10,
// Jolt's own), with 2 of positions, Jolt's own; --substeps are its collision steps. No damping, no sleeping, gyroscopic
// forces on, no collisions.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { main, ROW } from './peer.mjs';

const require = createRequire(`${process.env.PEER_NPM}/package.json`);
const packageFile = require.resolve('jolt-physics/package.json');
const version = JSON.parse(fs.readFileSync(packageFile, 'utf8')).version;
const { default: initialise } = await import(pathToFileURL(require.resolve('jolt-physics')));

function createWorld(jolt, scene, run) {
    const settings = new jolt.JoltSettings();
    settings.mMaxBodies = scene.bodies.length + 16;
    settings.mMaxBodyPairs = 1024;
    settings.mMaxContactConstraints = 1024;
    const filter = new jolt.ObjectLayerPairFilterTable(1); // nothing collides
    const layers = new jolt.BroadPhaseLayerInterfaceTable(1, 1);
    layers.MapObjectToBroadPhaseLayer(0, new jolt.BroadPhaseLayer(0));
    settings.mObjectLayerPairFilter = filter;
    settings.mBroadPhaseLayerInterface = layers;
    settings.mObjectVsBroadPhaseLayerFilter = new jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 1, filter, 1);
    const world = new jolt.JoltInterface(settings), system = world.GetPhysicsSystem();
    system.SetGravity(new jolt.Vec3(...scene.gravity));
    const physics = system.GetPhysicsSettings();
    physics.mNumVelocitySteps = run.iterations || 10;
    physics.mBaumgarte = run.erp || physics.mBaumgarte;
    physics.mAllowSleeping = false;
    system.SetPhysicsSettings(physics);
    return { world, system };
}

function createBody(jolt, system, shape, body) {
    const [w, x, y, z] = body.rotation;
    const settings = new jolt.BodyCreationSettings(shape, new jolt.RVec3(...body.position), new jolt.Quat(x, y, z, w),
        body.fixed ? jolt.EMotionType_Static : jolt.EMotionType_Dynamic, 0);
    settings.mOverrideMassProperties = jolt.EOverrideMassProperties_CalculateInertia;
    settings.mMassPropertiesOverride.mMass = body.mass;
    settings.mLinearDamping = settings.mAngularDamping = 0;
    settings.mMaxLinearVelocity = settings.mMaxAngularVelocity = 1e5;
    settings.mApplyGyroscopicForce = true;
    settings.mAllowSleeping = false;
    const made = system.GetBodyInterface().CreateBody(settings);
    system.GetBodyInterface().AddBody(made.GetID(), jolt.EActivation_Activate);
    jolt.destroy(settings);
    if (!body.fixed) {
        const inverse = new jolt.Vec3(...body.inertia.map((value) => 1 / value)), identity = new jolt.Quat(0, 0, 0, 1);
        made.GetMotionProperties().SetInverseInertia(inverse, identity);
        jolt.destroy(inverse);
        jolt.destroy(identity);
    }
    return made;
}

async function create(scene, run) {
    const jolt = await initialise();
    const { world, system } = createWorld(jolt, scene, run);
    const shape = new jolt.SphereShape(0.01), ground = world.sGetFixedToWorldBody();
    shape.AddRef();
    const bodies = scene.bodies.map((body) => createBody(jolt, system, shape, body));
    for (const joint of scene.joints) {
        if (joint.a >= 0 && scene.bodies[joint.a].fixed && scene.bodies[joint.b].fixed) {
            continue;
        }
        const settings = new jolt.PointConstraintSettings();
        settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM;
        settings.mPoint1 = new jolt.RVec3(...joint.onA);
        settings.mPoint2 = new jolt.RVec3(...joint.onB);
        system.AddConstraint(settings.Create(joint.a < 0 ? ground : bodies[joint.a], bodies[joint.b]));
        jolt.destroy(settings);
    }
    const read = (states) => bodies.forEach((body, k) => {
        const p = body.GetPosition(), q = body.GetRotation(), at = k * ROW;
        states[at] = p.GetX();
        states[at + 1] = p.GetY();
        states[at + 2] = p.GetZ();
        states[at + 3] = q.GetW();
        states[at + 4] = q.GetX();
        states[at + 5] = q.GetY();
        states[at + 6] = q.GetZ();
        if (!scene.bodies[k].fixed) {
            const v = body.GetLinearVelocity(), w = body.GetAngularVelocity();
            states[at + 7] = v.GetX();
            states[at + 8] = v.GetY();
            states[at + 9] = v.GetZ();
            states[at + 10] = w.GetX();
            states[at + 11] = w.GetY();
            states[at + 12] = w.GetZ();
        }
    });
    return { step: () => world.Step(run.h, run.substeps), read };
}

await main('jolt', version, create);
