/* SPDX-License-Identifier: Apache-2.0 */
/* peer_simbody: Simbody, generalised coordinates of the tree of joints; joints that close loops are Constraint::Ball.
 * Variants: rkm (Runge-Kutta-Merson with error control) and see2 (semi-explicit Euler with error control); --accuracy,
 * 1e-3 unless told, the tolerance of constraints a tenth of it. --h only says how often the state is looked at. */
#include <Simbody.h>

#include <cstring>
#include <vector>

#include "peer.h"

namespace {

using SimTK::Vec3;

struct Engine {
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter{system};
    SimTK::GeneralForceSubsystem forces{system};
    std::vector<SimTK::MobilizedBody> bodies;
    const PeerScene *scene = nullptr;
    SimTK::Integrator *integrator = nullptr;
    double h = 0;
    double time = 0;
};

Vec3 vector(const double v[3]) {
    return Vec3(v[0], v[1], v[2]);
}

SimTK::Rotation rotation(const double q[4]) {
    return SimTK::Rotation(SimTK::Quaternion(q[0], q[1], q[2], q[3]));
}

SimTK::Transform transform(const PeerPose &pose) {
    return SimTK::Transform(rotation(pose.rotation), vector(pose.position));
}

/* What the joint hangs from: a body of the tree, or ground for all that stands still. */
SimTK::MobilizedBody &parent_of(Engine *engine, int body) {
    bool still = body < 0 || engine->scene->bodies[body].fixed;
    return still ? static_cast<SimTK::MobilizedBody &>(engine->matter.updGround()) : engine->bodies[body];
}

/* Adds a body of the tree; frames are chosen so that all joint coordinates start at 0. */
void add_child(Engine *engine, const PeerBranch &branch) {
    const PeerScene *scene = engine->scene;
    if (branch.joint < 0) {
        peer_fail("simbody: a body that floats freely is not made here");
    }
    const PeerJoint &joint = scene->joints[branch.joint];
    const PeerBody &body = scene->bodies[branch.child];
    SimTK::Body::Rigid rigid(
        SimTK::MassProperties(body.mass, Vec3(0), SimTK::Inertia(body.inertia[0], body.inertia[1], body.inertia[2])));
    bool grounded = branch.parent < 0 || scene->bodies[branch.parent].fixed;
    SimTK::Transform base = grounded ? SimTK::Transform() : transform(peer_body_pose(scene, branch.parent));
    SimTK::Transform on_child = transform(branch.from_a ? joint.on_b : joint.on_a);
    if (joint.kind == PEER_HINGE) { /* Simbody's pin turns about z */
        on_child = on_child * SimTK::Transform(SimTK::Rotation(SimTK::Pi / 2, SimTK::YAxis));
    } else if (joint.kind == PEER_BALL) {
        on_child = SimTK::Transform(on_child.p());
    }
    SimTK::Transform world = transform(peer_body_pose(scene, branch.child)) * on_child, on_parent = ~base * world;
    SimTK::MobilizedBody &parent = parent_of(engine, branch.parent);
    SimTK::MobilizedBody &made = engine->bodies[branch.child];
    if (joint.kind == PEER_BALL) {
        made = SimTK::MobilizedBody::Ball(parent, on_parent, rigid, on_child);
    } else if (joint.kind == PEER_HINGE) {
        made = SimTK::MobilizedBody::Pin(parent, on_parent, rigid, on_child);
    } else if (joint.kind == PEER_SLIDE && joint.lower >= joint.upper) {
        made = SimTK::MobilizedBody::Slider(parent, on_parent, rigid, on_child);
    } else {
        peer_fail("simbody: no such joint in a tree here");
    }
}

/* The place of a point of a body for a loop: of ground, where the body stands still. */
Vec3 point_of(const PeerScene *scene, int body, const double point[3]) {
    bool still = body < 0 || scene->bodies[body].fixed;
    return still ? transform(peer_body_pose(scene, body)) * vector(point) : vector(point);
}

void add_loop(Engine *engine, const PeerJoint &joint) {
    double on_a[2][3], on_b[2][3];
    int count = peer_loop_points(&joint, on_a, on_b);
    for (int k = 0; k < count; k++) {
        SimTK::Constraint::Ball(parent_of(engine, joint.a), point_of(engine->scene, joint.a, on_a[k]),
                                parent_of(engine, joint.b), point_of(engine->scene, joint.b, on_b[k]));
    }
}

void add_bodies(Engine *engine, const PeerTree &tree) {
    const PeerScene *scene = engine->scene;
    engine->bodies.resize(scene->body_count);
    for (uint32_t k = 0; k < tree.count; k++) {
        add_child(engine, tree.branches[k]);
    }
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        if (!tree.used[k] && !peer_joint_stands(scene, &scene->joints[k])) {
            add_loop(engine, scene->joints[k]);
        }
    }
}

void set_rates(Engine *engine, const PeerTree &tree, SimTK::State *state) {
    for (uint32_t k = 0; k < tree.count; k++) {
        const PeerBranch &branch = tree.branches[k];
        if (engine->scene->joints[branch.joint].kind != PEER_BALL) {
            engine->bodies[branch.child].setOneU(*state, 0, peer_branch_rate(engine->scene, &branch));
        }
    }
}

void *create(const PeerScene *scene, const PeerOptions *options) {
    Engine *engine = new Engine;
    engine->scene = scene;
    engine->h = options->h;
    SimTK::Force::UniformGravity(engine->forces, engine->matter, vector(scene->gravity));
    PeerTree tree = peer_tree(scene);
    if (scene->shape_count > 0) {
        peer_fail("simbody: contact is not compared");
    }
    add_bodies(engine, tree);
    SimTK::State state = engine->system.realizeTopology();
    set_rates(engine, tree, &state);
    if (std::strcmp(options->variant, "see2") == 0) {
        engine->integrator = new SimTK::SemiExplicitEuler2Integrator(engine->system);
    } else {
        engine->integrator = new SimTK::RungeKuttaMersonIntegrator(engine->system);
    }
    double accuracy = options->accuracy > 0 ? options->accuracy : 1e-3;
    engine->integrator->setAccuracy(accuracy);
    engine->integrator->setConstraintTolerance(accuracy / 10);
    engine->integrator->initialize(state);
    return engine;
}

bool step(void *context) {
    Engine *engine = static_cast<Engine *>(context);
    engine->time += engine->h;
    try {
        while (engine->integrator->getTime() < engine->time * (1 - 1e-12)) {
            engine->integrator->stepTo(engine->time, engine->time);
        }
        engine->system.realize(engine->integrator->getState(), SimTK::Stage::Velocity);
    } catch (const std::exception &error) {
        return false;
    }
    return true;
}

void read(void *context, PeerState *out) {
    Engine *engine = static_cast<Engine *>(context);
    const SimTK::State &state = engine->integrator->getState();
    engine->system.realize(state, SimTK::Stage::Velocity);
    for (uint32_t k = 0; k < engine->scene->body_count; k++) {
        if (engine->scene->bodies[k].fixed) {
            continue;
        }
        const SimTK::MobilizedBody &body = engine->bodies[k];
        const SimTK::Transform &transform = body.getBodyTransform(state);
        SimTK::Quaternion turn = transform.R().convertRotationToQuaternion();
        for (int i = 0; i < 3; i++) {
            out[k].position[i] = transform.p()[i];
            out[k].linear[i] = body.getBodyOriginVelocity(state)[i];
            out[k].angular[i] = body.getBodyAngularVelocity(state)[i];
        }
        for (int i = 0; i < 4; i++) {
            out[k].rotation[i] = turn[i];
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    PeerEngine engine = {"simbody", PEER_VERSION, create, step, read, nullptr, nullptr, nullptr, nullptr};
    return peer_main(argc, argv, &engine);
}
