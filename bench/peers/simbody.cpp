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

/* Adds the body at the other end of a joint; frames are chosen so that all joint coordinates start at 0. */
void add_child(Engine *engine, const PeerJoint &joint, bool from_a) {
    const PeerScene *scene = engine->scene;
    int parent = from_a ? joint.a : joint.b, child = from_a ? joint.b : joint.a;
    const PeerBody &body = scene->bodies[child];
    SimTK::Body::Rigid rigid(
        SimTK::MassProperties(body.mass, Vec3(0), SimTK::Inertia(body.inertia[0], body.inertia[1], body.inertia[2])));
    Vec3 on_parent = vector(from_a ? joint.on_a : joint.on_b), on_child = vector(from_a ? joint.on_b : joint.on_a);
    SimTK::Rotation world_child = rotation(body.rotation), world_parent;
    if (parent >= 0) {
        world_parent = rotation(scene->bodies[parent].rotation);
        if (scene->bodies[parent].fixed) {
            on_parent = world_parent * on_parent + vector(scene->bodies[parent].position);
            world_parent = SimTK::Rotation();
        }
    }
    bool grounded = parent < 0 || scene->bodies[parent].fixed;
    SimTK::MobilizedBody &base = grounded ? engine->matter.updGround() : engine->bodies[parent];
    engine->bodies[child] = SimTK::MobilizedBody::Ball(base, SimTK::Transform(~world_parent * world_child, on_parent),
                                                       rigid, SimTK::Transform(SimTK::Rotation(), on_child));
}

void add_loop(Engine *engine, const PeerJoint &joint) {
    const PeerScene *scene = engine->scene;
    auto end = [&](int body, const double point[3], SimTK::MobilizedBody *out, Vec3 *out_point) {
        *out_point = vector(point);
        if (body < 0 || scene->bodies[body].fixed) {
            if (body >= 0) {
                *out_point = rotation(scene->bodies[body].rotation) * *out_point + vector(scene->bodies[body].position);
            }
            *out = engine->matter.updGround();
        } else {
            *out = engine->bodies[body];
        }
    };
    SimTK::MobilizedBody a, b;
    Vec3 on_a, on_b;
    end(joint.a, joint.on_a, &a, &on_a);
    end(joint.b, joint.on_b, &b, &on_b);
    if (!a.isGround() || !b.isGround()) {
        SimTK::Constraint::Ball(a, on_a, b, on_b);
    }
}

void add_bodies(Engine *engine) {
    const PeerScene *scene = engine->scene;
    std::vector<std::vector<uint32_t>> joints_of(scene->body_count);
    std::vector<uint32_t> world_joints;
    std::vector<char> seen(scene->body_count, 0), used(scene->joint_count, 0);
    std::vector<int> queue{-1};
    engine->bodies.resize(scene->body_count);
    for (uint32_t k = 0; k < scene->body_count; k++) {
        if (scene->bodies[k].fixed) {
            seen[k] = 1;
            queue.push_back(static_cast<int>(k));
        }
    }
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        const PeerJoint &joint = scene->joints[k];
        (joint.a < 0 ? world_joints : joints_of[joint.a]).push_back(k);
        joints_of[joint.b].push_back(k);
    }
    for (size_t at = 0; at < queue.size(); at++) {
        for (uint32_t k : queue[at] < 0 ? world_joints : joints_of[queue[at]]) {
            const PeerJoint &joint = scene->joints[k];
            bool from_a = joint.a == queue[at];
            int other = from_a ? joint.b : joint.a;
            if (other < 0 || used[k] || seen[other]) {
                continue;
            }
            add_child(engine, joint, from_a);
            used[k] = seen[other] = 1;
            queue.push_back(other);
        }
    }
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        if (!used[k]) {
            add_loop(engine, scene->joints[k]);
        }
    }
}

void *create(const PeerScene *scene, const PeerOptions *options) {
    Engine *engine = new Engine;
    engine->scene = scene;
    engine->h = options->h;
    SimTK::Force::UniformGravity(engine->forces, engine->matter, vector(scene->gravity));
    add_bodies(engine);
    SimTK::State state = engine->system.realizeTopology();
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
    PeerEngine engine = {"simbody", PEER_VERSION, create, step, read, nullptr};
    return peer_main(argc, argv, &engine);
}
