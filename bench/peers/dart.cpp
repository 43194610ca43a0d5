/* SPDX-License-Identifier: Apache-2.0 */
/* peer_dart: DART, joint coordinates of the tree (Featherstone's algorithm, semi-implicit Euler steps); joints that
 * close loops are BallJointConstraint, a hinge two of them, solved by projected Gauss-Seidel (--iterations, 30 unless
 * told): with DART's default, Dantzig's method, the redundant rows lock plane mechanisms. No contact. */
#include <dart/config.hpp>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include <memory>
#include <vector>

#include "peer.h"

namespace {

using dart::dynamics::BodyNode;
using dart::dynamics::BodyNodePtr;

struct Engine {
    dart::simulation::WorldPtr world;
    dart::dynamics::SkeletonPtr skeleton;
    const PeerScene *scene;
    std::vector<BodyNode *> bodies; /* NULL: stands still */
};

Eigen::Vector3d vector(const double v[3]) {
    return {v[0], v[1], v[2]};
}

Eigen::Isometry3d transform(const PeerPose &pose) {
    Eigen::Isometry3d out = Eigen::Isometry3d::Identity();
    out.linear() =
        Eigen::Quaterniond(pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]).toRotationMatrix();
    out.translation() = vector(pose.position);
    return out;
}

template <class Joint>
BodyNode *add(Engine *engine, BodyNode *parent, const typename Joint::Properties &joint,
              const BodyNode::Properties &body) {
    return engine->skeleton->createJointAndBodyNodePair<Joint>(parent, joint, body).second;
}

/* Adds a body of the tree; frames are chosen so that all joint coordinates start at 0. */
void add_child(Engine *engine, const PeerBranch &branch) {
    const PeerScene *scene = engine->scene;
    if (branch.joint < 0) {
        peer_fail("dart: a body that floats freely is not made here");
    }
    const PeerJoint &joint = scene->joints[branch.joint];
    const PeerBody &body = scene->bodies[branch.child];
    BodyNode *parent = branch.parent < 0 ? nullptr : engine->bodies[branch.parent];
    Eigen::Isometry3d base =
        parent ? transform(peer_body_pose(scene, branch.parent)) : Eigen::Isometry3d(Eigen::Isometry3d::Identity());
    Eigen::Isometry3d on_child = transform(branch.from_a ? joint.on_b : joint.on_a);
    BodyNode::Properties made;
    made.mName = "b" + std::to_string(branch.child);
    made.mInertia =
        dart::dynamics::Inertia(body.mass, Eigen::Vector3d::Zero(), vector(body.inertia).asDiagonal().toDenseMatrix());
    dart::dynamics::Joint::Properties common;
    common.mName = "j" + std::to_string(branch.joint);
    common.mT_ParentBodyToJoint = base.inverse() * transform(peer_body_pose(scene, branch.child)) * on_child;
    common.mT_ChildBodyToJoint = on_child;
    BodyNode *&out = engine->bodies[branch.child];
    if (joint.kind == PEER_BALL) {
        out = add<dart::dynamics::BallJoint>(engine, parent, dart::dynamics::BallJoint::Properties(common), made);
        return;
    }
    if (joint.kind == PEER_HINGE) {
        dart::dynamics::RevoluteJoint::Properties hinge(common);
        hinge.mAxis = Eigen::Vector3d::UnitX();
        out = add<dart::dynamics::RevoluteJoint>(engine, parent, hinge, made);
    } else if (joint.kind == PEER_SLIDE && joint.lower >= joint.upper) {
        dart::dynamics::PrismaticJoint::Properties slide(common);
        slide.mAxis = Eigen::Vector3d::UnitX();
        out = add<dart::dynamics::PrismaticJoint>(engine, parent, slide, made);
    } else {
        peer_fail("dart: no such joint in a tree here");
    }
    out->getParentJoint()->setVelocity(0, peer_branch_rate(scene, &branch));
}

void add_loop(Engine *engine, const PeerJoint &joint) {
    BodyNode *a = joint.a < 0 ? nullptr : engine->bodies[joint.a], *b = engine->bodies[joint.b];
    double on_a[2][3], on_b[2][3];
    int count = peer_loop_points(&joint, on_a, on_b);
    for (int k = 0; k < count; k++) {
        Eigen::Vector3d point = transform(peer_body_pose(engine->scene, joint.b)) * vector(on_b[k]);
        engine->world->getConstraintSolver()->addConstraint(
            a && b ? std::make_shared<dart::constraint::BallJointConstraint>(a, b, point)
                   : std::make_shared<dart::constraint::BallJointConstraint>(a ? a : b, point));
    }
}

void *create(const PeerScene *scene, const PeerOptions *options) {
    Engine *engine = new Engine{dart::simulation::World::create(), dart::dynamics::Skeleton::create(), scene, {}};
    PeerTree tree = peer_tree(scene);
    if (scene->shape_count > 0) {
        peer_fail("dart: contact is not compared");
    }
    auto solver = std::make_shared<dart::constraint::PgsBoxedLcpSolver>();
    dart::constraint::PgsBoxedLcpSolver::Option option = solver->getOption();
    option.mMaxIteration = options->iterations > 0 ? static_cast<int>(options->iterations) : 30;
    solver->setOption(option);
    engine->world->setConstraintSolver(std::make_unique<dart::constraint::BoxedLcpConstraintSolver>(solver));
    engine->world->setGravity(vector(scene->gravity));
    engine->world->setTimeStep(options->h);
    engine->bodies.resize(scene->body_count, nullptr);
    for (uint32_t k = 0; k < tree.count; k++) {
        add_child(engine, tree.branches[k]);
    }
    engine->world->addSkeleton(engine->skeleton);
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        if (!tree.used[k] && !peer_joint_stands(scene, &scene->joints[k])) {
            add_loop(engine, scene->joints[k]);
        }
    }
    return engine;
}

bool step(void *context) {
    static_cast<Engine *>(context)->world->step();
    return true;
}

void read(void *context, PeerState *out) {
    const Engine *engine = static_cast<Engine *>(context);
    for (uint32_t k = 0; k < engine->scene->body_count; k++) {
        const BodyNode *body = engine->bodies[k];
        if (!body) {
            continue; /* stays where it was */
        }
        Eigen::Quaterniond turn(body->getWorldTransform().linear());
        const double w[4] = {turn.w(), turn.x(), turn.y(), turn.z()};
        for (int i = 0; i < 3; i++) {
            out[k].position[i] = body->getWorldTransform().translation()[i];
            out[k].linear[i] = body->getLinearVelocity()[i];
            out[k].angular[i] = body->getAngularVelocity()[i];
        }
        for (int i = 0; i < 4; i++) {
            out[k].rotation[i] = w[i];
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    PeerEngine engine = {"dart", DART_VERSION, create, step, read, nullptr, nullptr, nullptr, nullptr};
    return peer_main(argc, argv, &engine);
}
