/* SPDX-License-Identifier: Apache-2.0 */
/* The scene file: reading it, who may touch whom, and the tree of its joints. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

static void read_numbers(FILE *file, double *out, int count) {
    for (int k = 0; k < count; k++) {
        if (fscanf(file, "%lf", &out[k]) != 1) {
            peer_fail("the scene file ends too early");
        }
    }
}

static void read_pose(FILE *file, PeerPose *out) {
    read_numbers(file, out->position, 3);
    read_numbers(file, out->rotation, 4);
}

static void read_body(FILE *file, PeerBody *out) {
    double fixed;
    read_numbers(file, &fixed, 1);
    out->fixed = fixed != 0;
    read_numbers(file, &out->mass, 1);
    read_numbers(file, out->inertia, 3);
    read_numbers(file, out->position, 3);
    read_numbers(file, out->rotation, 4);
    read_numbers(file, out->linear, 3);
    read_numbers(file, out->angular, 3);
}

static void read_shape(FILE *file, PeerScene *scene, uint32_t index) {
    PeerShape *shape = &scene->shapes[index];
    double number[2];
    read_numbers(file, number, 2);
    shape->body = (uint32_t)number[0];
    shape->kind = (PeerShapeKind)number[1];
    read_numbers(file, shape->size, 3);
    read_pose(file, &shape->pose);
    read_numbers(file, number, 2);
    shape->group = (uint32_t)number[0];
    shape->mask = (uint32_t)number[1];
    PeerBody *body = &scene->bodies[shape->body];
    body->first_shape = body->shape_count ? body->first_shape : index;
    body->shape_count++;
}

static void read_joint(FILE *file, PeerJoint *out) {
    double number[3];
    read_numbers(file, number, 3);
    out->kind = (PeerJointKind)number[0];
    out->a = (int32_t)number[1];
    out->b = (int32_t)number[2];
    read_pose(file, &out->on_a);
    read_pose(file, &out->on_b);
    read_numbers(file, &out->lower, 1);
    read_numbers(file, &out->upper, 1);
}

/* Counts, then places: the bodies that share a joint with each body. */
static void find_mates(PeerScene *scene) {
    uint32_t *first = scene->first_mate = peer_allocate((size_t)scene->body_count + 2, sizeof *first);
    scene->mates = peer_allocate(2 * (size_t)scene->joint_count, sizeof *scene->mates);
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        if (scene->joints[k].a >= 0) {
            first[scene->joints[k].a + 2]++;
            first[scene->joints[k].b + 2]++;
        }
    }
    for (uint32_t k = 2; k < scene->body_count + 2; k++) {
        first[k] += first[k - 1];
    }
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        const PeerJoint *joint = &scene->joints[k];
        if (joint->a >= 0) {
            scene->mates[first[joint->a + 1]++] = (uint32_t)joint->b;
            scene->mates[first[joint->b + 1]++] = (uint32_t)joint->a;
        }
    }
}

PeerScene peer_scene_read(const char *path) {
    PeerScene scene = {0};
    double number[4];
    FILE *file = fopen(path, "r");
    if (!file) {
        peer_fail("%s: %s", path, strerror(errno));
    }
    if (fscanf(file, "scene %119[^\n]", scene.name) != 1 || fscanf(file, " gravity") != 0) {
        peer_fail("%s is no scene of peer_affix", path);
    }
    read_numbers(file, scene.gravity, 3);
    if (fscanf(file, " friction %lf young %lf counts %u %u %u", &scene.friction, &scene.young, &scene.body_count,
               &scene.shape_count, &scene.joint_count) != 5) {
        peer_fail("%s has no counts", path);
    }
    scene.bodies = peer_allocate(scene.body_count, sizeof *scene.bodies);
    scene.shapes = peer_allocate(scene.shape_count, sizeof *scene.shapes);
    scene.joints = peer_allocate(scene.joint_count, sizeof *scene.joints);
    for (uint32_t k = 0; k < scene.body_count; k++) {
        read_body(file, &scene.bodies[k]);
    }
    for (uint32_t k = 0; k < scene.shape_count; k++) {
        read_shape(file, &scene, k);
    }
    for (uint32_t k = 0; k < scene.joint_count; k++) {
        read_joint(file, &scene.joints[k]);
    }
    read_numbers(file, number, 4);
    scene.marker_body = (uint32_t)number[0];
    memcpy(scene.marker, number + 1, sizeof scene.marker);
    fclose(file);
    find_mates(&scene);
    return scene;
}

bool peer_share_joint(const PeerScene *scene, uint32_t a, uint32_t b) {
    for (uint32_t k = scene->first_mate[a]; k < scene->first_mate[a + 1]; k++) {
        if (scene->mates[k] == b) {
            return true;
        }
    }
    return false;
}

bool peer_may_touch(const PeerScene *scene, const PeerShape *a, const PeerShape *b) {
    return (a->group & b->mask) && a->body != b->body &&
           !(scene->bodies[a->body].fixed && scene->bodies[b->body].fixed) &&
           !peer_share_joint(scene, a->body, b->body);
}

bool peer_joint_stands(const PeerScene *scene, const PeerJoint *joint) {
    return (joint->a < 0 || scene->bodies[joint->a].fixed) && scene->bodies[joint->b].fixed;
}

PeerPose peer_joint_start(const PeerScene *scene, const PeerJoint *joint, bool on_a) {
    PeerPose body = peer_body_pose(scene, on_a ? joint->a : joint->b);
    return peer_compose(&body, on_a ? &joint->on_a : &joint->on_b);
}

uint32_t *peer_shuffle(uint32_t count) {
    uint32_t *order = peer_allocate(count, sizeof *order);
    uint64_t random = 1;
    for (uint32_t k = 0; k < count; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t other = (uint32_t)((random >> 33) % (k + 1));
        order[k] = order[other];
        order[other] = k;
    }
    return order;
}

/* ---- the tree ---- */

typedef struct Walk {
    uint32_t *first; /* [body_count + 2]: the joints of a body; the world is the last */
    uint32_t *joints;
    bool *seen;
} Walk;

static uint32_t node_of(const PeerScene *scene, int32_t body) {
    return body < 0 ? scene->body_count : (uint32_t)body;
}

static Walk begin_walk(const PeerScene *scene) {
    Walk walk = {peer_allocate((size_t)scene->body_count + 3, sizeof(uint32_t)),
                 peer_allocate(2 * (size_t)scene->joint_count, sizeof(uint32_t)),
                 peer_allocate((size_t)scene->body_count + 1, sizeof(bool))};
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        walk.first[node_of(scene, scene->joints[k].a) + 2]++;
        walk.first[node_of(scene, scene->joints[k].b) + 2]++;
    }
    for (uint32_t k = 2; k < scene->body_count + 3; k++) {
        walk.first[k] += walk.first[k - 1];
    }
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        walk.joints[walk.first[node_of(scene, scene->joints[k].a) + 1]++] = k;
        walk.joints[walk.first[node_of(scene, scene->joints[k].b) + 1]++] = k;
    }
    return walk;
}

/* All joints of one body whose other body is not in the tree yet. */
static void grow(const PeerScene *scene, Walk *walk, int32_t from, PeerTree *tree) {
    uint32_t node = node_of(scene, from);
    for (uint32_t at = walk->first[node]; at < walk->first[node + 1]; at++) {
        uint32_t k = walk->joints[at];
        const PeerJoint *joint = &scene->joints[k];
        bool from_a = joint->a == from;
        int32_t other = from_a ? joint->b : joint->a;
        if (other >= 0 && !tree->used[k] && !walk->seen[other]) {
            walk->seen[other] = tree->used[k] = true;
            tree->branches[tree->count++] = (PeerBranch){(int32_t)k, from, other, from_a};
        }
    }
}

PeerTree peer_tree(const PeerScene *scene) {
    Walk walk = begin_walk(scene);
    PeerTree tree = {0, peer_allocate(scene->body_count, sizeof(PeerBranch)),
                     peer_allocate(scene->joint_count, sizeof(bool))};
    for (uint32_t k = 0; k < scene->body_count; k++) {
        walk.seen[k] = scene->bodies[k].fixed;
    }
    grow(scene, &walk, -1, &tree);
    for (uint32_t k = 0; k < scene->body_count; k++) {
        if (scene->bodies[k].fixed) {
            grow(scene, &walk, (int32_t)k, &tree);
        }
    }
    uint32_t done = 0;
    for (uint32_t next = 0; next <= scene->body_count; next++) {
        for (; done < tree.count; done++) {
            grow(scene, &walk, tree.branches[done].child, &tree);
        }
        if (next < scene->body_count && !walk.seen[next]) {
            walk.seen[next] = true;
            tree.branches[tree.count++] = (PeerBranch){-1, -1, (int32_t)next, true};
        }
    }
    free(walk.first);
    free(walk.joints);
    free(walk.seen);
    return tree;
}

static void velocity_at(const PeerScene *scene, int32_t body, const double point[3], double out_linear[3],
                        double out_angular[3]) {
    const PeerBody still = {0}, *from = body < 0 ? &still : &scene->bodies[body];
    double r[3] = {point[0] - from->position[0], point[1] - from->position[1], point[2] - from->position[2]};
    const double *w = from->angular;
    double turned[3] = {w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]};
    for (int k = 0; k < 3; k++) {
        out_linear[k] = from->linear[k] + turned[k];
        out_angular[k] = w[k];
    }
}

double peer_branch_rate(const PeerScene *scene, const PeerBranch *branch) {
    const PeerJoint *joint = &scene->joints[branch->joint];
    PeerPose frame = peer_joint_start(scene, joint, false);
    double axis[3], linear[2][3], angular[2][3], turn = 0, slide = 0, all = 0;
    peer_rotate(frame.rotation, (double[]){1, 0, 0}, axis);
    velocity_at(scene, branch->parent, frame.position, linear[0], angular[0]);
    velocity_at(scene, branch->child, frame.position, linear[1], angular[1]);
    for (int k = 0; k < 3; k++) {
        turn += axis[k] * (angular[1][k] - angular[0][k]);
        slide += axis[k] * (linear[1][k] - linear[0][k]);
        all += fabs(angular[1][k] - angular[0][k]);
    }
    if (all > 0 && joint->kind != PEER_HINGE && joint->kind != PEER_SLIDE) {
        peer_fail("a ball of the tree turns at the start");
    }
    return joint->kind == PEER_HINGE ? turn : joint->kind == PEER_SLIDE ? slide : 0;
}

int peer_loop_points(const PeerJoint *joint, double out_a[2][3], double out_b[2][3]) {
    if (joint->kind != PEER_BALL && joint->kind != PEER_HINGE) {
        peer_fail("only balls and hinges may close loops here");
    }
    int count = joint->kind == PEER_HINGE ? 2 : 1;
    for (int k = 0; k < count; k++) {
        double along[3] = {count == 1 ? 0 : (k ? 1 : -1) * PEER_REACH / 2, 0, 0};
        peer_rotate(joint->on_a.rotation, along, out_a[k]);
        peer_rotate(joint->on_b.rotation, along, out_b[k]);
        for (int i = 0; i < 3; i++) {
            out_a[k][i] += joint->on_a.position[i];
            out_b[k][i] += joint->on_b.position[i];
        }
    }
    return count;
}
