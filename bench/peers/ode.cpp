/* SPDX-License-Identifier: Apache-2.0 */
/* peer_ode: Open Dynamics Engine. Variants: step (dWorldStep, a direct solver of all rows as one dense matrix) and
 * quick (dWorldQuickStep, successive over-relaxation; --iterations, 20 unless told). No damping, no sleeping. CFM is
 * ODE's own 1e-10: without, the direct solver fails on redundant joints. ERP is 0.8 unless told: of 0.2, 0.5, 0.8 and 1
 * it gave the smallest gaps on the whole. */
#include <ode/ode.h>

#include <cstring>
#include <vector>

#include "peer.h"

namespace {

struct Engine {
    dWorldID world;
    std::vector<dBodyID> bodies;
    const PeerScene *scene;
    bool quick;
    double h;
};

dBodyID add_body(dWorldID world, const PeerBody &from) {
    dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetParameters(&mass, from.mass, 0, 0, 0, from.inertia[0], from.inertia[1], from.inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, from.position[0], from.position[1], from.position[2]);
    dQuaternion rotation = {from.rotation[0], from.rotation[1], from.rotation[2], from.rotation[3]};
    dBodySetQuaternion(body, rotation);
    return body;
}

void *create(const PeerScene *scene, const PeerOptions *options) {
    dInitODE2(0);
    Engine *engine = new Engine{dWorldCreate(), {}, scene, std::strcmp(options->variant, "quick") == 0, options->h};
    dWorldID world = engine->world;
    dWorldSetGravity(world, scene->gravity[0], scene->gravity[1], scene->gravity[2]);
    dWorldSetERP(world, options->erp > 0 ? options->erp : 0.8);
    if (options->iterations > 0) {
        dWorldSetQuickStepNumIterations(world, static_cast<int>(options->iterations));
    }
    for (uint32_t k = 0; k < scene->body_count; k++) {
        engine->bodies.push_back(scene->bodies[k].fixed ? nullptr : add_body(world, scene->bodies[k]));
    }
    std::vector<PeerState> states(scene->body_count);
    for (uint32_t k = 0; k < scene->body_count; k++) {
        std::memcpy(states[k].position, scene->bodies[k].position, sizeof states[k].position);
        std::memcpy(states[k].rotation, scene->bodies[k].rotation, sizeof states[k].rotation);
    }
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        const PeerJoint &from = scene->joints[k];
        dBodyID a = from.a < 0 ? nullptr : engine->bodies[from.a], b = engine->bodies[from.b];
        if (!a && !b) {
            continue;
        }
        double point[3];
        peer_point(states.data(), from.b, from.on_b, point);
        dJointID joint = dJointCreateBall(world, nullptr);
        dJointAttach(joint, a ? a : b, a ? b : nullptr);
        dJointSetBallAnchor(joint, point[0], point[1], point[2]);
    }
    return engine;
}

bool step(void *context) {
    Engine *engine = static_cast<Engine *>(context);
    return (engine->quick ? dWorldQuickStep(engine->world, engine->h) : dWorldStep(engine->world, engine->h)) != 0;
}

void read(void *context, PeerState *out) {
    Engine *engine = static_cast<Engine *>(context);
    for (uint32_t k = 0; k < engine->scene->body_count; k++) {
        dBodyID body = engine->bodies[k];
        if (!body) {
            continue; /* stays where it was */
        }
        for (int i = 0; i < 3; i++) {
            out[k].position[i] = dBodyGetPosition(body)[i];
            out[k].linear[i] = dBodyGetLinearVel(body)[i];
            out[k].angular[i] = dBodyGetAngularVel(body)[i];
        }
        for (int i = 0; i < 4; i++) {
            out[k].rotation[i] = dBodyGetQuaternion(body)[i];
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    PeerEngine engine = {"ode", PEER_VERSION, create, step, read, nullptr};
    return peer_main(argc, argv, &engine);
}
