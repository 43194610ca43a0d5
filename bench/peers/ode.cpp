/* SPDX-License-Identifier: Apache-2.0 */
/* peer_ode: Open Dynamics Engine. Variants: step (dWorldStep, a direct solver of all rows as one dense matrix) and
 * quick (dWorldQuickStep, successive over-relaxation; --iterations, 20 unless told). No damping, no sleeping. CFM is
 * ODE's own 1e-10: without, the direct solver fails on redundant joints. ERP is 0.8 unless told: of 0.2, 0.5, 0.8 and 1
 * it gave the smallest gaps on the whole. Contacts: at most 8 points of a pair, ERP 0.2, CFM 1e-5, a friction pyramid
 * that follows the normal force; finding them is part of a step. */
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
    dSpaceID space;
    dJointGroupID contacts;
};

dBodyID add_body(dWorldID world, const PeerBody &from) {
    dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetParameters(&mass, from.mass, 0, 0, 0, from.inertia[0], from.inertia[1], from.inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, from.position[0], from.position[1], from.position[2]);
    dQuaternion rotation = {from.rotation[0], from.rotation[1], from.rotation[2], from.rotation[3]};
    dBodySetQuaternion(body, rotation);
    dBodySetLinearVel(body, from.linear[0], from.linear[1], from.linear[2]);
    dBodySetAngularVel(body, from.angular[0], from.angular[1], from.angular[2]);
    return body;
}

/* ---- joints ---- */

void world_axis(const PeerScene *scene, const PeerJoint &joint, bool on_a, int axis, double out[3]) {
    double unit[3] = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, 0};
    PeerPose frame = peer_joint_start(scene, &joint, on_a);
    peer_rotate(frame.rotation, unit, out);
}

void add_joint(Engine *engine, const PeerJoint &from) {
    dBodyID a = from.a < 0 ? nullptr : engine->bodies[from.a], b = engine->bodies[from.b];
    dBodyID first = a ? a : b, second = a ? b : nullptr;
    PeerPose place = peer_joint_start(engine->scene, &from, false);
    const double *p = place.position;
    double x[3], y[3];
    world_axis(engine->scene, from, true, 0, x);
    world_axis(engine->scene, from, false, 1, y);
    if (from.kind == PEER_BALL) {
        dJointID joint = dJointCreateBall(engine->world, nullptr);
        dJointAttach(joint, first, second);
        dJointSetBallAnchor(joint, p[0], p[1], p[2]);
    } else if (from.kind == PEER_HINGE) {
        dJointID joint = dJointCreateHinge(engine->world, nullptr);
        dJointAttach(joint, first, second);
        dJointSetHingeAnchor(joint, p[0], p[1], p[2]);
        dJointSetHingeAxis(joint, x[0], x[1], x[2]);
    } else if (from.kind == PEER_SLIDE) {
        dJointID joint = dJointCreateSlider(engine->world, nullptr);
        dJointAttach(joint, first, second);
        dJointSetSliderAxis(joint, -x[0], -x[1], -x[2]); /* its position is that of the first body */
        if (from.lower < from.upper) {
            dJointSetSliderParam(joint, dParamLoStop, from.lower);
            dJointSetSliderParam(joint, dParamHiStop, from.upper);
        }
    } else {
        dJointID joint = dJointCreateUniversal(engine->world, nullptr);
        dJointAttach(joint, first, second);
        dJointSetUniversalAnchor(joint, p[0], p[1], p[2]);
        const double *of_first = a ? x : y, *of_second = a ? y : x;
        dJointSetUniversalAxis1(joint, of_first[0], of_first[1], of_first[2]);
        dJointSetUniversalAxis2(joint, of_second[0], of_second[1], of_second[2]);
    }
}

/* ---- contact ---- */

void add_shape(Engine *engine, const PeerShape &shape) {
    const PeerBody &body = engine->scene->bodies[shape.body];
    PeerPose at = peer_body_pose(engine->scene, static_cast<int32_t>(shape.body)),
             pose = peer_compose(&at, &shape.pose);
    const double *size = shape.size, up[3] = {0, 0, 1};
    double normal[3];
    dGeomID geom;
    if (shape.kind == PEER_PLANE) {
        peer_rotate(pose.rotation, up, normal);
        geom = dCreatePlane(engine->space, normal[0], normal[1], normal[2],
                            normal[0] * pose.position[0] + normal[1] * pose.position[1] + normal[2] * pose.position[2]);
    } else {
        geom = shape.kind == PEER_SPHERE    ? dCreateSphere(engine->space, size[0])
               : shape.kind == PEER_CAPSULE ? dCreateCapsule(engine->space, size[0], 2 * size[1])
                                            : dCreateBox(engine->space, 2 * size[0], 2 * size[1], 2 * size[2]);
        if (body.fixed) {
            dQuaternion turn = {pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]};
            dGeomSetPosition(geom, pose.position[0], pose.position[1], pose.position[2]);
            dGeomSetQuaternion(geom, turn);
        } else {
            dGeomSetBody(geom, engine->bodies[shape.body]);
        }
    }
    dGeomSetCategoryBits(geom, shape.group);
    dGeomSetCollideBits(geom, shape.mask);
    dGeomSetData(geom, const_cast<PeerShape *>(&shape));
}

void meet(void *context, dGeomID a, dGeomID b) {
    Engine *engine = static_cast<Engine *>(context);
    const PeerShape *shape_a = static_cast<PeerShape *>(dGeomGetData(a)),
                    *shape_b = static_cast<PeerShape *>(dGeomGetData(b));
    if (!peer_may_touch(engine->scene, shape_a, shape_b)) {
        return;
    }
    dContact contacts[8];
    int count = dCollide(a, b, 8, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < count; k++) {
        contacts[k].surface = dSurfaceParameters();
        contacts[k].surface.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM;
        contacts[k].surface.mu = engine->scene->friction;
        contacts[k].surface.soft_erp = 0.2;
        contacts[k].surface.soft_cfm = 1e-5;
        dJointID joint = dJointCreateContact(engine->world, engine->contacts, &contacts[k]);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}

/* ---- the engine ---- */

void *create(const PeerScene *scene, const PeerOptions *options) {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    Engine *engine = new Engine{dWorldCreate(),
                                {},
                                scene,
                                std::strcmp(options->variant, "quick") == 0,
                                options->h,
                                dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ),
                                dJointGroupCreate(0)};
    dWorldID world = engine->world;
    dWorldSetGravity(world, scene->gravity[0], scene->gravity[1], scene->gravity[2]);
    dWorldSetERP(world, options->erp > 0 ? options->erp : 0.8);
    if (options->iterations > 0) {
        dWorldSetQuickStepNumIterations(world, static_cast<int>(options->iterations));
    }
    for (uint32_t k = 0; k < scene->body_count; k++) {
        engine->bodies.push_back(scene->bodies[k].fixed ? nullptr : add_body(world, scene->bodies[k]));
    }
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        if (!peer_joint_stands(scene, &scene->joints[k])) {
            add_joint(engine, scene->joints[k]);
        }
    }
    for (uint32_t k = 0; k < scene->shape_count; k++) {
        add_shape(engine, scene->shapes[k]);
    }
    return engine;
}

bool step(void *context) {
    Engine *engine = static_cast<Engine *>(context);
    if (engine->scene->shape_count > 0) {
        dSpaceCollide(engine->space, engine, meet);
    }
    int done = engine->quick ? dWorldQuickStep(engine->world, engine->h) : dWorldStep(engine->world, engine->h);
    dJointGroupEmpty(engine->contacts);
    return done != 0;
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
    PeerEngine engine = {"ode", PEER_VERSION, create, step, read, nullptr, nullptr, nullptr, nullptr};
    return peer_main(argc, argv, &engine);
}
