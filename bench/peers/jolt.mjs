// SPDX-License-Identifier: Apache-2.0
// Jolt Physics in WebAssembly (npm jolt-physics, one thread, single precision). --iterations are those of velocities (10,
// Jolt's own), with 2 of positions, Jolt's own; --substeps are its collision steps. No damping, no sleeping, gyroscopic
// forces on.
import { pathToFileURL } from 'node:url';
import { BALL, BOX, CAPSULE, HINGE, main, packageVersion, require, rotate, ROW, SLIDE, solids, SPHERE, stands } from './peer.mjs';

const { default: initialise } = await import(pathToFileURL(require.resolve('jolt-physics')));
const jolt = await initialise();
const QUARTER = [Math.SQRT1_2, Math.SQRT1_2, 0, 0]; // about x: y to z

const real = (v) => new jolt.RVec3(...v);
const vector = (v) => new jolt.Vec3(...v);
const quaternion = ([w, x, y, z]) => new jolt.Quat(x, y, z, w);

// Every kind of shape is a layer; layer 0 touches nothing.
const layerOf = (shape) => (shape ? 1 + Math.log2(shape.group) : 0);
const LAYERS = 17;

function createFilter(scene) {
    const filter = new jolt.ObjectLayerPairFilterTable(LAYERS);
    for (const shape of scene.bodies.flatMap((body) => body.shapes)) {
        for (let k = 0; k < LAYERS - 1; k++) {
            if (shape.mask & (1 << k)) {
                filter.EnableCollision(layerOf(shape), 1 + k);
            }
        }
    }
    return filter;
}

function createWorld(scene, run) {
    const settings = new jolt.JoltSettings();
    settings.mMaxBodies = scene.bodies.length + 64;
    settings.mMaxBodyPairs = scene.contact ? 65536 : 1024;
    settings.mMaxContactConstraints = scene.contact ? 16384 : 1024;
    const filter = createFilter(scene);
    const layers = new jolt.BroadPhaseLayerInterfaceTable(LAYERS, 1);
    for (let k = 0; k < LAYERS; k++) {
        layers.MapObjectToBroadPhaseLayer(k, new jolt.BroadPhaseLayer(0));
    }
    settings.mObjectLayerPairFilter = filter;
    settings.mBroadPhaseLayerInterface = layers;
    settings.mObjectVsBroadPhaseLayerFilter = new jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 1, filter, LAYERS);
    const world = new jolt.JoltInterface(settings), system = world.GetPhysicsSystem();
    system.SetGravity(vector(scene.gravity));
    const physics = system.GetPhysicsSettings();
    physics.mNumVelocitySteps = run.iterations || 10;
    physics.mBaumgarte = run.erp || physics.mBaumgarte;
    physics.mAllowSleeping = false;
    system.SetPhysicsSettings(physics);
    return { world, system };
}

// Jolt's capsules are along y.
function createShape(shape) {
    if (!shape) {
        return new jolt.SphereShape(0.01);
    }
    const [a, b, c] = shape.size;
    if (shape.kind === SPHERE) {
        return new jolt.SphereShape(a);
    }
    if (shape.kind === BOX) {
        return new jolt.BoxShape(vector([a, b, c]), Math.min(0.05, a, b, c));
    }
    if (shape.kind === CAPSULE) {
        const capsule = new jolt.CapsuleShapeSettings(b, a);
        return new jolt.RotatedTranslatedShapeSettings(vector([0, 0, 0]), quaternion(QUARTER), capsule).Create().Get();
    }
    return new jolt.PlaneShape(new jolt.Plane(vector([0, 0, 1]), 0));
}

function createBody(scene, system, { body, shape, pose, index }, shapes, group) {
    const key = shape ? `${shape.kind} ${shape.size}` : '';
    if (!shapes.has(key)) {
        shapes.set(key, createShape(shape));
        shapes.get(key).AddRef();
    }
    const settings = new jolt.BodyCreationSettings(shapes.get(key), real(pose.position), quaternion(pose.rotation),
        body.fixed ? jolt.EMotionType_Static : jolt.EMotionType_Dynamic, layerOf(shape));
    settings.mOverrideMassProperties = jolt.EOverrideMassProperties_CalculateInertia;
    settings.mMassPropertiesOverride.mMass = body.mass;
    settings.mLinearDamping = settings.mAngularDamping = 0;
    settings.mMaxLinearVelocity = settings.mMaxAngularVelocity = 1e5;
    settings.mApplyGyroscopicForce = true;
    settings.mAllowSleeping = false;
    settings.mFriction = scene.friction;
    settings.mRestitution = 0;
    if (group && index >= 0) {
        settings.mCollisionGroup.SetGroupFilter(group);
        settings.mCollisionGroup.SetGroupID(0);
        settings.mCollisionGroup.SetSubGroupID(index);
    }
    const made = system.GetBodyInterface().CreateBody(settings);
    system.GetBodyInterface().AddBody(made.GetID(), jolt.EActivation_Activate);
    jolt.destroy(settings);
    if (!body.fixed) {
        const inverse = vector(body.inertia.map((value) => 1 / value)), identity = new jolt.Quat(0, 0, 0, 1);
        made.GetMotionProperties().SetInverseInertia(inverse, identity);
        made.SetLinearVelocity(vector(body.linear));
        made.SetAngularVelocity(vector(body.angular));
        jolt.destroy(inverse);
        jolt.destroy(identity);
    }
    return made;
}

function jointSettings(joint) {
    const axes = (unit) => [joint.onA, joint.onB].map((frame) => vector(rotate(frame.rotation, unit)));
    const x = axes([1, 0, 0]), y = axes([0, 1, 0]);
    const points = [real(joint.onA.position), real(joint.onB.position)];
    let settings;
    if (joint.kind === BALL) {
        settings = new jolt.PointConstraintSettings();
    } else if (joint.kind === HINGE) {
        settings = new jolt.HingeConstraintSettings();
        [settings.mHingeAxis1, settings.mHingeAxis2] = x;
        [settings.mNormalAxis1, settings.mNormalAxis2] = y;
    } else if (joint.kind === SLIDE) {
        settings = new jolt.SliderConstraintSettings();
        settings.mAutoDetectPoint = false;
        [settings.mSliderAxis1, settings.mSliderAxis2] = x;
        [settings.mNormalAxis1, settings.mNormalAxis2] = y;
        if (joint.lower < joint.upper) {
            settings.mLimitsMin = joint.lower;
            settings.mLimitsMax = joint.upper;
        }
    } else { // swing about y of the first body, twist about x of the second: x and y are exchanged
        settings = new jolt.SixDOFConstraintSettings();
        for (const axis of ['TranslationX', 'TranslationY', 'TranslationZ', 'RotationZ']) {
            settings.MakeFixedAxis(jolt[`SixDOFConstraintSettings_EAxis_${axis}`]);
        }
        [settings.mAxisX1, settings.mAxisX2] = y;
        [settings.mAxisY1, settings.mAxisY2] = x;
        [settings.mPosition1, settings.mPosition2] = points;
    }
    if ('mPoint1' in settings) {
        [settings.mPoint1, settings.mPoint2] = points;
    }
    settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM;
    return settings;
}

// Bodies that share a joint do not touch: a table of all bodies, where there is contact.
function createGroup(scene) {
    if (!scene.contact || scene.joints.length === 0) {
        return undefined;
    }
    const table = new jolt.GroupFilterTable(scene.bodies.length);
    for (const joint of scene.joints) {
        if (joint.a >= 0) {
            table.DisableCollision(joint.a, joint.b);
        }
    }
    return table;
}

async function create(scene, run) {
    const { world, system } = createWorld(scene, run);
    const ground = world.sGetFixedToWorldBody(), bodies = [], shapes = new Map(), group = createGroup(scene);
    for (const solid of solids(scene)) {
        const made = createBody(scene, system, solid, shapes, group);
        if (solid.index >= 0) {
            bodies[solid.index] = made;
        }
    }
    for (const joint of scene.joints) {
        if (!stands(scene, joint)) {
            const settings = jointSettings(joint);
            system.AddConstraint(settings.Create(joint.a < 0 ? ground : bodies[joint.a], bodies[joint.b]));
            jolt.destroy(settings);
        }
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
    return { step: () => world.Step(run.h, run.substeps), read, end: () => jolt.destroy(world) };
}

await main('jolt', packageVersion(require.resolve('jolt-physics')), create);
