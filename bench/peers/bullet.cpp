/* SPDX-License-Identifier: Apache-2.0 */
/* peer_bullet: Bullet, in double precision. Variants: p2p (rigid bodies and constraints, sequential impulses;
 * --iterations, 10 unless told, --erp, 0.2 unless told) and multibody (Featherstone's algorithm on the tree of joints;
 * joints that close loops are btMultiBodyPoint2Point).
 *
 * Bodies are added in random order: Bullet finds islands with a sort that takes quadratic time on ordered input. No
 * damping, no sleeping. Contacts: split impulses, as Bullet has them by default. */
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "peer.h"

namespace {

struct Place {
    btMultiBody *tree = nullptr;
    int link = -1;
};

struct Engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btMultiBodyConstraintSolver solver;
    btMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btSphereShape shape{0.01};
    const PeerScene *scene = nullptr;
    double h = 0;
    std::vector<btRigidBody *> bodies;
    std::vector<Place> places;
};

btVector3 vector(const double v[3]) {
    return {v[0], v[1], v[2]};
}

btQuaternion quaternion(const double q[4]) {
    return {q[1], q[2], q[3], q[0]};
}

btTransform transform(const PeerPose &pose) {
    return btTransform(quaternion(pose.rotation), vector(pose.position));
}

/* ---- rigid bodies and constraints ---- */

/* The shape of a moving body, or of one shape of a fixed body, which is a body of its own then. */
btCollisionShape *make_shape(Engine *engine, const PeerShape *shape) {
    if (!shape) {
        return &engine->shape;
    }
    const double *size = shape->size;
    return shape->kind == PEER_SPHERE    ? static_cast<btCollisionShape *>(new btSphereShape(size[0]))
           : shape->kind == PEER_CAPSULE ? static_cast<btCollisionShape *>(new btCapsuleShapeZ(size[0], 2 * size[1]))
           : shape->kind == PEER_BOX     ? static_cast<btCollisionShape *>(new btBoxShape(vector(size)))
                                         : new btStaticPlaneShape(btVector3(0, 0, 1), 0);
}

btRigidBody *make_body(Engine *engine, const PeerBody &from, const PeerShape *shape) {
    const PeerPose at = {{from.position[0], from.position[1], from.position[2]},
                         {from.rotation[0], from.rotation[1], from.rotation[2], from.rotation[3]}};
    btRigidBody::btRigidBodyConstructionInfo info(from.fixed ? 0 : from.mass, nullptr, make_shape(engine, shape),
                                                  from.fixed ? btVector3(0, 0, 0) : vector(from.inertia));
    info.m_startWorldTransform = transform(shape ? peer_compose(&at, &shape->pose) : at);
    info.m_friction = std::sqrt(engine->scene->friction); /* Bullet multiplies the two */
    btRigidBody *body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    body->setLinearVelocity(vector(from.linear));
    body->setAngularVelocity(vector(from.angular));
    int group = shape ? static_cast<int>(shape->group) : 1, mask = shape ? static_cast<int>(shape->mask) : 0;
    engine->world.addRigidBody(body, group, mask);
    return body;
}

btTypedConstraint *make_joint(Engine *engine, const PeerJoint &from) {
    btRigidBody &a = from.a < 0 ? btTypedConstraint::getFixedBody() : *engine->bodies[from.a];
    btRigidBody &b = *engine->bodies[from.b];
    btTransform on_a = transform(from.on_a), on_b = transform(from.on_b);
    if (from.kind == PEER_BALL) {
        return from.a < 0 ? new btPoint2PointConstraint(b, on_b.getOrigin())
                          : new btPoint2PointConstraint(a, b, on_a.getOrigin(), on_b.getOrigin());
    }
    if (from.kind == PEER_HINGE) { /* Bullet's hinge turns about z */
        btTransform z_to_x(btQuaternion(btVector3(0, 1, 0), SIMD_HALF_PI));
        return new btHingeConstraint(a, b, on_a * z_to_x, on_b * z_to_x);
    }
    if (from.kind == PEER_SLIDE) {
        btSliderConstraint *slide = new btSliderConstraint(a, b, on_a, on_b, true);
        slide->setLowerLinLimit(from.lower < from.upper ? from.lower : 1);
        slide->setUpperLinLimit(from.lower < from.upper ? from.upper : -1);
        return slide;
    }
    btTransform world_a = transform(peer_joint_start(engine->scene, &from, true)),
                world_b = transform(peer_joint_start(engine->scene, &from, false));
    return new btUniversalConstraint(a, b, world_b.getOrigin(), world_a.getBasis().getColumn(0),
                                     world_b.getBasis().getColumn(1));
}

void add_rigid(Engine *engine) {
    const PeerScene *scene = engine->scene;
    uint32_t *order = peer_shuffle(scene->body_count);
    engine->bodies.resize(scene->body_count);
    for (uint32_t k = 0; k < scene->body_count; k++) {
        const PeerBody &from = scene->bodies[order[k]];
        const PeerShape *shapes = scene->shapes + from.first_shape;
        for (uint32_t i = 0; from.fixed && i < from.shape_count; i++) {
            make_body(engine, from, &shapes[i]);
        }
        engine->bodies[order[k]] = make_body(engine, from, from.fixed || from.shape_count == 0 ? nullptr : shapes);
    }
    free(order);
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        if (!peer_joint_stands(scene, &scene->joints[k])) {
            engine->world.addConstraint(make_joint(engine, scene->joints[k]), true);
        }
    }
}

/* ---- the tree ---- */

/* A body joined to one that is in the tree: Bullet wants the rotation from parent to link, the joint in the parent, the
 * link's centre from the joint, and the axis in the link. */
void set_link(Engine *engine, btMultiBody *tree, int link, const PeerBranch &branch) {
    const PeerScene *scene = engine->scene;
    if (branch.joint < 0) {
        peer_fail("bullet: a body that floats freely is no link here");
    }
    const PeerJoint &joint = scene->joints[branch.joint];
    const PeerBody &body = scene->bodies[branch.child];
    bool grounded = branch.parent < 0 || engine->places[branch.parent].tree == nullptr;
    btTransform on_child = transform(branch.from_a ? joint.on_b : joint.on_a);
    btTransform base = grounded ? btTransform::getIdentity() : transform(peer_body_pose(scene, branch.parent));
    btTransform pivot = base.inverse() * transform(peer_joint_start(scene, &joint, !branch.from_a));
    btQuaternion relative = quaternion(body.rotation).inverse() * base.getRotation();
    int parent = grounded ? -1 : engine->places[branch.parent].link;
    btVector3 axis = on_child.getBasis().getColumn(0), inertia = vector(body.inertia), arm = -on_child.getOrigin();
    if (joint.kind == PEER_BALL) {
        tree->setupSpherical(link, body.mass, inertia, parent, relative, pivot.getOrigin(), arm, true);
    } else if (joint.kind == PEER_HINGE) {
        tree->setupRevolute(link, body.mass, inertia, parent, relative, axis, pivot.getOrigin(), arm, true);
    } else if (joint.kind == PEER_SLIDE && joint.lower >= joint.upper) {
        tree->setupPrismatic(link, body.mass, inertia, parent, relative, axis, pivot.getOrigin(), arm, true);
    } else {
        peer_fail("bullet: no such joint in a tree here");
    }
    engine->places[branch.child] = {tree, link};
}

/* The world place of a point of a body that stands still; -1 is the world. */
btVector3 standing(const PeerScene *scene, int body, const double point[3]) {
    return transform(peer_body_pose(scene, body)) * vector(point);
}

/* Colliders that touch nothing: Bullet passes over the constraints of a multibody that has none. */
void add_colliders(Engine *engine, btMultiBody *tree) {
    for (int k = -1; k < tree->getNumLinks(); k++) {
        btMultiBodyLinkCollider *collider = new btMultiBodyLinkCollider(tree, k);
        collider->setCollisionShape(&engine->shape);
        engine->world.addCollisionObject(collider, 1, 0);
        if (k < 0) {
            collider->setCollisionFlags(btCollisionObject::CF_STATIC_OBJECT);
            tree->setBaseCollider(collider);
        } else {
            tree->getLink(k).m_collider = collider;
        }
    }
}

/* A joint that closes a loop. */
void close_loop(Engine *engine, const PeerJoint &joint) {
    const PeerScene *scene = engine->scene;
    Place a = joint.a < 0 ? Place() : engine->places[joint.a], b = engine->places[joint.b];
    double on_a[2][3], on_b[2][3];
    int count = peer_loop_points(&joint, on_a, on_b);
    for (int k = 0; k < count; k++) {
        engine->world.addMultiBodyConstraint(
            a.tree && b.tree
                ? new btMultiBodyPoint2Point(a.tree, a.link, b.tree, b.link, vector(on_a[k]), vector(on_b[k]))
            : a.tree ? new btMultiBodyPoint2Point(a.tree, a.link, nullptr, vector(on_a[k]),
                                                  standing(scene, joint.b, on_b[k]))
                     : new btMultiBodyPoint2Point(b.tree, b.link, nullptr, vector(on_b[k]),
                                                  standing(scene, joint.a, on_a[k])));
    }
}

/* One tree that hangs from the world; what is left of the joints closes loops. */
void add_multibody(Engine *engine) {
    const PeerScene *scene = engine->scene;
    PeerTree found = peer_tree(scene);
    engine->places.resize(scene->body_count);
    btMultiBody *tree = new btMultiBody(static_cast<int>(found.count), 0, btVector3(0, 0, 0), true, false);
    tree->setBaseWorldTransform(btTransform::getIdentity());
    for (uint32_t k = 0; k < found.count; k++) {
        set_link(engine, tree, static_cast<int>(k), found.branches[k]);
    }
    tree->finalizeMultiDof();
    for (uint32_t k = 0; k < found.count; k++) {
        const PeerBranch &branch = found.branches[k];
        if (scene->joints[branch.joint].kind != PEER_BALL) {
            tree->setJointVel(static_cast<int>(k), peer_branch_rate(scene, &branch));
        }
    }
    tree->setCanSleep(false);
    tree->setLinearDamping(0);
    tree->setAngularDamping(0);
    tree->setMaxCoordinateVelocity(1e6);
    tree->setUseGyroTerm(true);
    bool loops = false;
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        loops = loops || (!found.used[k] && !peer_joint_stands(scene, &scene->joints[k]));
    }
    if (loops) {
        add_colliders(engine, tree);
    }
    engine->world.addMultiBody(tree);
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        if (!found.used[k] && !peer_joint_stands(scene, &scene->joints[k])) {
            close_loop(engine, scene->joints[k]);
        }
    }
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    tree->forwardKinematics(turns, places);
    tree->updateCollisionObjectWorldTransforms(turns, places);
}

/* ---- the engine ---- */

void *create(const PeerScene *scene, const PeerOptions *options) {
    Engine *engine = new Engine;
    engine->scene = scene;
    engine->h = options->h;
    engine->world.setGravity(vector(scene->gravity));
    btContactSolverInfo &info = engine->world.getSolverInfo();
    info.m_numIterations = options->iterations > 0 ? static_cast<int>(options->iterations) : 10;
    info.m_erp = options->erp > 0 ? options->erp : 0.2;
    info.m_solverMode &= ~SOLVER_RANDMIZE_ORDER;
    if (std::strcmp(options->variant, "multibody") == 0) {
        add_multibody(engine);
    } else {
        add_rigid(engine);
    }
    return engine;
}

bool step(void *context) {
    Engine *engine = static_cast<Engine *>(context);
    engine->world.stepSimulation(engine->h, 0);
    return true;
}

void store(const btTransform &transform, const btVector3 &linear, const btVector3 &angular, PeerState *out) {
    btQuaternion turn = transform.getRotation();
    for (int i = 0; i < 3; i++) {
        out->position[i] = transform.getOrigin()[i];
        out->linear[i] = linear[i];
        out->angular[i] = angular[i];
        out->rotation[i + 1] = turn[i];
    }
    out->rotation[0] = turn.w();
}

/* Velocities of a tree's links: Bullet has them in the links' own axes. */
void read_tree(Engine *engine, PeerState *out) {
    const PeerScene *scene = engine->scene;
    btMultiBody *tree = nullptr;
    for (const Place &place : engine->places) {
        tree = place.tree ? place.tree : tree;
    }
    if (!tree) {
        return;
    }
    std::vector<btVector3> angular(tree->getNumLinks() + 1), linear(tree->getNumLinks() + 1);
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    tree->forwardKinematics(turns, places);
    tree->compTreeLinkVelocities(angular.data(), linear.data());
    for (uint32_t k = 0; k < scene->body_count; k++) {
        int link = engine->places[k].link;
        if (link < 0) {
            continue;
        }
        const btTransform &transform = tree->getLink(link).m_cachedWorldTransform;
        store(transform, transform.getBasis() * linear[link + 1], transform.getBasis() * angular[link + 1], &out[k]);
    }
}

void read(void *context, PeerState *out) {
    Engine *engine = static_cast<Engine *>(context);
    if (engine->bodies.empty()) {
        read_tree(engine, out);
        return;
    }
    for (uint32_t k = 0; k < engine->scene->body_count; k++) {
        const btRigidBody *body = engine->bodies[k];
        store(body->getWorldTransform(), body->getLinearVelocity(), body->getAngularVelocity(), &out[k]);
    }
}

} // namespace

int main(int argc, char **argv) {
    PeerEngine engine = {"bullet", PEER_VERSION " (float64)", create, step, read, nullptr, nullptr, nullptr, nullptr};
    return peer_main(argc, argv, &engine);
}
