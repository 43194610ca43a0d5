/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what all engines are measured by (scene.c, measure.c, depth.c) on cases that can be worked out by hand; prints
 * what is wrong. test/cli/peers.sh compiles and runs it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

void peer_fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    exit(3);
}

void *peer_allocate(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    return block ? block : (peer_fail("no memory"), NULL);
}

static int wrong = 0;

static void expect(const char *what, double is, double should) {
    if (!(fabs(is - should) <= 1e-12)) {
        printf("%s: %.17g, not %.17g\n", what, is, should);
        wrong++;
    }
}

/* Two bodies with one shape each, the second at a distance and turned about an axis. */
static double depth_of(PeerShape a, PeerShape b, const double at[3], int axis, double angle) {
    PeerBody bodies[2] = {{.mass = 1}, {.mass = 1}};
    PeerShape shapes[2] = {a, b};
    uint32_t first_mate[3] = {0, 0, 0};
    PeerScene scene = {.body_count = 2, .shape_count = 2, .bodies = bodies, .shapes = shapes, .first_mate = first_mate};
    PeerState states[2] = {{.rotation = {1, 0, 0, 0}}, {.rotation = {cos(angle / 2), 0, 0, 0}}};
    shapes[1].body = 1;
    memcpy(states[1].position, at, sizeof states[1].position);
    states[1].rotation[1 + axis] = sin(angle / 2);
    return peer_depth(&scene, states);
}

static PeerShape shape(PeerShapeKind kind, double x, double y, double z) {
    return (PeerShape){.kind = kind, .size = {x, y, z}, .pose = {.rotation = {1, 0, 0, 0}}, .group = 1, .mask = 1};
}

static void check_depths(void) {
    const double quarter = acos(0.0), half_diagonal = sqrt(0.5);
    PeerShape capsule = shape(PEER_CAPSULE, 0.1, 0.5, 0), ball = shape(PEER_SPHERE, 0.2, 0, 0);
    PeerShape cube = shape(PEER_BOX, 0.5, 0.5, 0.5), plane = shape(PEER_PLANE, 0, 0, 0), other = ball;
    expect("parallel capsules", depth_of(capsule, capsule, (double[]){0.15, 0, 0.3}, 0, 0), 0.05);
    expect("capsules in line", depth_of(capsule, capsule, (double[]){0, 0, 1.19}, 0, 0), 0.01);
    expect("crossed capsules", depth_of(capsule, capsule, (double[]){0.17, 0.2, 0.3}, 0, quarter), 0.03);
    expect("capsules apart", depth_of(capsule, capsule, (double[]){0.21, 0, 0}, 0, 0), 0);
    expect("ball and end of a capsule", depth_of(capsule, ball, (double[]){0, 0, 0.78}, 0, 0), 0.02);
    expect("tilted capsule on a plane", depth_of(plane, capsule, (double[]){0, 0, 0.3}, 0, quarter * 2 / 3), 0.05);
    expect("ball in a box", depth_of(cube, ball, (double[]){0.3, 0.1, 0}, 0, 0), 0.4);
    expect("ball at an edge", depth_of(cube, ball, (double[]){0.6, 0.6, 0}, 0, 0), 0.2 - 0.1 * sqrt(2));
    expect("boxes face to face", depth_of(cube, cube, (double[]){0.2, 0.1, 0.98}, 2, 0.3), 0.02);
    expect("box on a plane", depth_of(plane, cube, (double[]){0, 0, half_diagonal - 0.03}, 0, quarter / 2), 0.03);
    PeerShape leaning = cube;
    leaning.pose.rotation[0] = cos(quarter / 4);
    leaning.pose.rotation[1] = sin(quarter / 4);
    expect("boxes edge to edge", depth_of(leaning, cube, (double[]){0, 0, 2 * half_diagonal - 0.1}, 1, quarter / 2),
           0.1);
    other.mask = other.group = 2;
    expect("shapes that do not touch", depth_of(other, ball, (double[]){0, 0, 0.1}, 0, 0), 0);
}

static double gap_of(PeerJointKind kind, const double at[3], int axis, double angle) {
    PeerJoint joint = {.kind = kind, .a = -1, .b = 0, .on_a.rotation = {1, 0, 0, 0}, .on_b.rotation = {1, 0, 0, 0}};
    PeerScene scene = {.joint_count = 1, .joints = &joint};
    PeerState state = {.rotation = {cos(angle / 2), 0, 0, 0}};
    memcpy(state.position, at, sizeof state.position);
    state.rotation[1 + axis] = sin(angle / 2);
    return peer_largest_gap(&scene, &state);
}

static void check_gaps(void) {
    const double none[3] = {0, 0, 0}, along[3] = {0.7, 0, 0}, beside[3] = {0, 3e-3, 4e-3};
    expect("ball", gap_of(PEER_BALL, beside, 1, 1), 5e-3);
    expect("ball, turned", gap_of(PEER_BALL, none, 1, 1), 0);
    expect("hinge, turned", gap_of(PEER_HINGE, none, 0, 1), 0);
    expect("hinge, tilted", gap_of(PEER_HINGE, none, 1, 0.2), PEER_REACH * 2 * sin(0.1));
    expect("slide, moved along", gap_of(PEER_SLIDE, along, 0, 0), 0);
    expect("slide, moved across", gap_of(PEER_SLIDE, beside, 0, 0), 5e-3);
    expect("slide, turned", gap_of(PEER_SLIDE, along, 0, 0.2), PEER_REACH * 2 * sin(0.1));
    expect("universal, about x", gap_of(PEER_UNIVERSAL, none, 0, 1), 0);
    expect("universal, about y", gap_of(PEER_UNIVERSAL, none, 1, 1), 0);
    expect("universal, about z", gap_of(PEER_UNIVERSAL, none, 2, 0.2), PEER_REACH * sin(0.2));
}

/* A ring of four bodies on hinges, the first one held by the world: three branches of the tree are left to find. */
static void check_tree(void) {
    PeerBody bodies[4] = {{.mass = 1}, {.mass = 1}, {.mass = 1}, {.mass = 1}};
    PeerJoint joints[5] = {{.a = -1, .b = 2}, {.a = 0, .b = 1}, {.a = 1, .b = 2}, {.a = 2, .b = 3}, {.a = 3, .b = 0}};
    PeerScene scene = {.body_count = 4, .joint_count = 5, .bodies = bodies, .joints = joints};
    PeerTree tree = peer_tree(&scene);
    int used = 0;
    for (int k = 0; k < 5; k++) {
        used += tree.used[k];
    }
    expect("bodies in the tree", tree.count, 4);
    expect("joints in the tree", used, 4);
    expect("the first branch", tree.branches[0].child, 2);
    expect("its parent is the world", tree.branches[0].parent, -1);
    free(tree.branches);
    free(tree.used);
}

static void check_energy(void) {
    PeerBody body = {.mass = 2, .inertia = {1, 2, 3}};
    PeerScene scene = {.gravity = {0, 0, -10}, .body_count = 1, .bodies = &body};
    PeerState state = {{0, 0, 5}, {sqrt(0.5), 0, 0, sqrt(0.5)}, {3, 0, 0}, {0, 4, 0}};
    double kinetic, potential;
    peer_energy(&scene, &state, &kinetic, &potential);
    expect("kinetic energy", kinetic, 9 + 0.5 * 1 * 16); /* its x axis is along y */
    expect("potential energy", potential, 100);
}

int main(void) {
    check_depths();
    check_gaps();
    check_tree();
    check_energy();
    return wrong ? 1 : 0;
}
