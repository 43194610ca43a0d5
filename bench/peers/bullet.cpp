/* SPDX-License-Identifier: Apache-2.0 */
/* peer_bullet: Bullet, in double precision. Variants: p2p (rigid bodies and point-to-point constraints, sequential
 * impulses; --iterations, 10 unless told, --erp, 0.2 unless told) and multibody (Featherstone's algorithm on the tree
 * of joints; joints that close loops are btMultiBodyPoint2Point).
 *
 * Bodies are added in random order: Bullet finds islands with a sort that takes quadratic time on ordered input. No
 * damping, no sleeping, no collision shapes that touch. */
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

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

void add_rigid(Engine *engine) {
    const PeerScene *scene = engine->scene;
    uint32_t *order = peer_shuffle(scene->body_count);
    engine->bodies.resize(scene->body_count);
    for (uint32_t k = 0; k < scene->body_count; k++) {
        const PeerBody &from = scene->bodies[order[k]];
        btRigidBody::btRigidBodyConstructionInfo info(from.fixed ? 0 : from.mass, nullptr, &engine->shape,
                                                      from.fixed ? btVector3(0, 0, 0) : vector(from.inertia));
        info.m_startWorldTransform = btTransform(quaternion(from.rotation), vector(from.position));
        btRigidBody *body = new btRigidBody(info);
        body->setActivationState(DISABLE_DEACTIVATION);
        engine->world.addRigidBody(body, 1, 0);
        engine->bodies[order[k]] = body;
    }
    free(order);
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        const PeerJoint &from = scene->joints[k];
        btRigidBody &b = *engine->bodies[from.b];
        if (from.a >= 0 && scene->bodies[from.a].fixed && scene->bodies[from.b].fixed) {
            continue;
        }
        btTypedConstraint *joint =
            from.a < 0 ? new btPoint2PointConstraint(b, vector(from.on_b))
                       : new btPoint2PointConstraint(*engine->bodies[from.a], b, vector(from.on_a), vector(from.on_b));
        engine->world.addConstraint(joint, true);
    }
}

/* A body joined to one that is in the tree: Bullet wants the rotation from parent to link, the joint in the parent, and
 * the link's centre from the joint. */
void set_link(Engine *engine, btMultiBody *tree, int link, const PeerJoint &joint, bool from_a) {
    const PeerScene *scene = engine->scene;
    int parent = from_a ? joint.a : joint.b, child = from_a ? joint.b : joint.a;
    const PeerBody &body = scene->bodies[child];
    bool grounded = parent < 0 || engine->places[parent].tree == nullptr;
    btQuaternion turn = parent < 0 ? btQuaternion::getIdentity() : quaternion(scene->bodies[parent].rotation);
    btVector3 pivot = vector(from_a ? joint.on_a : joint.on_b);
    if (grounded && parent >= 0) { /* a fixed body: the tree's base is the world */
        pivot = quatRotate(turn, pivot) + vector(scene->bodies[parent].position);
        turn = btQuaternion::getIdentity();
    }
    btQuaternion relative = quaternion(body.rotation).inverse() * turn;
    tree->setupSpherical(link, body.mass, vector(body.inertia), grounded ? -1 : engine->places[parent].link, relative,
                         pivot, -vector(from_a ? joint.on_b : joint.on_a), true);
    engine->places[child] = {tree, link};
}

/* The world place of a point of a body that stands still; -1 is the world. */
btVector3 standing(const PeerScene *scene, int body, const double point[3]) {
    return body < 0 ? vector(point)
                    : quatRotate(quaternion(scene->bodies[body].rotation), vector(point)) +
                          vector(scene->bodies[body].position);
}

/* One tree that hangs from the world, breadth first over the joints; what is left of them closes loops. */
void add_multibody(Engine *engine) {
    const PeerScene *scene = engine->scene;
    uint32_t moving = 0;
    std::vector<std::vector<uint32_t>> joints_of(scene->body_count);
    std::vector<int> queue;
    std::vector<char> seen(scene->body_count, 0), used(scene->joint_count, 0);
    engine->places.resize(scene->body_count);
    for (uint32_t k = 0; k < scene->body_count; k++) {
        moving += !scene->bodies[k].fixed;
        if (scene->bodies[k].fixed) {
            seen[k] = 1;
            queue.push_back(static_cast<int>(k));
        }
    }
    queue.push_back(-1);
    std::vector<uint32_t> world_joints;
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        const PeerJoint &joint = scene->joints[k];
        (joint.a < 0 ? world_joints : joints_of[joint.a]).push_back(k);
        joints_of[joint.b].push_back(k);
    }
    btMultiBody *tree = new btMultiBody(static_cast<int>(moving), 0, btVector3(0, 0, 0), true, false);
    tree->setBaseWorldTransform(btTransform::getIdentity());
    int link = 0;
    for (size_t at = 0; at < queue.size(); at++) {
        for (uint32_t k : queue[at] < 0 ? world_joints : joints_of[queue[at]]) {
            const PeerJoint &joint = scene->joints[k];
            bool from_a = joint.a == queue[at];
            int other = from_a ? joint.b : joint.a;
            if (other < 0 || used[k] || seen[other]) {
                continue;
            }
            set_link(engine, tree, link++, joint, from_a);
            used[k] = seen[other] = 1;
            queue.push_back(other);
        }
    }
    tree->finalizeMultiDof();
    tree->setCanSleep(false);
    tree->setLinearDamping(0);
    tree->setAngularDamping(0);
    tree->setMaxCoordinateVelocity(1e6);
    tree->setUseGyroTerm(true);
    engine->world.addMultiBody(tree);
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        const PeerJoint &joint = scene->joints[k];
        Place a = joint.a < 0 ? Place() : engine->places[joint.a], b = engine->places[joint.b];
        if (used[k] || (!a.tree && !b.tree)) {
            continue;
        }
        engine->world.addMultiBodyConstraint(
            a.tree && b.tree
                ? new btMultiBodyPoint2Point(a.tree, a.link, b.tree, b.link, vector(joint.on_a), vector(joint.on_b))
            : a.tree ? new btMultiBodyPoint2Point(a.tree, a.link, nullptr, vector(joint.on_a),
                                                  standing(scene, joint.b, joint.on_b))
                     : new btMultiBodyPoint2Point(b.tree, b.link, nullptr, vector(joint.on_b),
                                                  standing(scene, joint.a, joint.on_a)));
    }
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    tree->forwardKinematics(turns, places);
    tree->updateCollisionObjectWorldTransforms(turns, places);
}

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
    PeerEngine engine = {"bullet", PEER_VERSION " (float64)", create, step, read, nullptr};
    return peer_main(argc, argv, &engine);
}
