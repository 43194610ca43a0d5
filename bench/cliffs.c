/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cliffs [--count WHICH STEPS]: what contact that is merely possible costs. The same tree, or net, is stepped
 * without contact and with it switched on, where all that could touch is a far ball, or a plane far below: time of a
 * step of both, by turns in one run, and the ratio. With --count only one of them is stepped, for counting
 * instructions, which other work on the machine does not change. The start is the same in runs of 20 and of 60 steps:
 *
 *     valgrind --tool=callgrind build/bench_cliffs --count tree1000-far 60     (and 20; tree1000, fork1000-plane)
 *
 * and (instructions of 60 - instructions of 20) / 40 / 1000 is the number a link and step. */
#include <affix/affix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINK 0.1
#define ROUNDS 40
#define STEPS 25

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(AfxStatus status, const char *what) {
    if (status != AFX_OK) {
        fprintf(stderr, "bench_cliffs: %s: %s\n", what, afx_status_text(status));
        exit(1);
    }
}

static AfxBodyId add_link(AfxScene *scene, AfxVec3 at, bool across) {
    AfxBodyDef body = afx_default_body();
    AfxShapeDef shape = afx_default_capsule(0.01, LINK - 0.02);
    AfxBodyId id;
    body.pose.position = at;
    AfxVec3 axis = across ? (AfxVec3){-1, 0, 0} : (AfxVec3){0, 1, 0}; /* z to y, or to x */
    body.pose.rotation = afx_quat_from_axis_angle(axis, 1.5707963267948966);
    shape.contact_group = 1;
    shape.contact_mask = 2; /* links do not touch each other */
    check(afx_scene_add_body(scene, &body, &id), "body");
    check(afx_scene_add_shape(scene, id, &shape), "shape");
    return id;
}

static void add_ball(AfxScene *scene, AfxBodyId base, AfxVec3 on_base, AfxBodyId follower, AfxVec3 on_follower) {
    AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
    AfxJointId id;
    joint.base = base;
    joint.follower = follower;
    joint.base_frame.position = on_base;
    joint.follower_frame.position = on_follower;
    check(afx_scene_add_joint(scene, &joint, &id), "joint");
}

/* The ends of a link, in its own frame. */
static const AfxVec3 left = {0, 0, -0.5 * LINK}, right = {0, 0, 0.5 * LINK};

/* Twigs of links that fork every eight, or at each link. */
static void make_tree(AfxScene *scene, uint32_t count, bool forks) {
    AfxBodyId *link = malloc(count * sizeof *link);
    double *end = malloc(count * sizeof *end); /* all lie along x */
    for (uint32_t k = 0; k < count; k++) {
        uint32_t parent = k == 0 ? 0 : forks ? (k - 1) / 2 : k % 8 ? k - 1 : k / 2;
        double begin = k == 0 ? 0 : end[parent];
        end[k] = begin + LINK;
        link[k] = add_link(scene, (AfxVec3){begin + 0.5 * LINK, 0, 0}, false);
        add_ball(scene, k == 0 ? afx_world() : link[parent], k == 0 ? (AfxVec3){0, 0, 0} : right, link[k], left);
    }
    free(end);
    free(link);
}

/* A square grid of links; links that meet are held to the first of them there. */
static void make_net(AfxScene *scene, uint32_t side) {
    uint32_t nodes = (side + 1) * (side + 1);
    AfxBodyId *at = malloc(nodes * sizeof *at);
    AfxVec3 *end = malloc(nodes * sizeof *end);
    uint8_t *known = calloc(nodes, 1);
    for (uint32_t k = 0; k < 2 * side * (side + 1); k++) {
        uint32_t row = k / (2 * side + 1), column = k % (2 * side + 1);
        bool across = column >= side;
        uint32_t i = across ? column - side : column, a = row * (side + 1) + i, b = across ? a + side + 1 : a + 1;
        if (b >= nodes) {
            continue;
        }
        AfxVec3 middle = {LINK * (i + (across ? 0 : 0.5)), LINK * (row + (across ? 0.5 : 0)), 0};
        AfxBodyId own = add_link(scene, middle, across);
        for (int s = 0; s < 2; s++) {
            uint32_t node = s ? b : a;
            if (known[node]) {
                add_ball(scene, at[node], end[node], own, s ? right : left);
            } else {
                at[node] = own;
                end[node] = s ? right : left;
                known[node] = 1;
            }
        }
        if (k == 0) {
            add_ball(scene, afx_world(), (AfxVec3){0, 0, 0}, own, left);
        }
    }
    free(known);
    free(end);
    free(at);
}

/* What could touch. */
typedef enum Far { NOTHING, BALL, PLANE } Far;

typedef enum Sort { TREE, FORKS, NET } Sort;
static const char *const sort_name[] = {"tree", "fork", "net"};

static AfxSim *make(Sort sort, uint32_t size, Far far, AfxModel **out_model) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene;
    AfxError error;
    check(afx_scene_create(&def, &scene), "scene");
    check(afx_scene_set_contact(scene, far != NOTHING), "contact");
    if (sort == NET) {
        make_net(scene, size);
    } else {
        make_tree(scene, size, sort == FORKS);
    }
    AfxBodyDef ball = afx_default_body();
    AfxShapeDef sphere = afx_default_sphere(0.1);
    AfxBodyId id;
    ball.pose.position = (AfxVec3){0, 0, 2000};
    sphere.contact_group = 2;
    check(afx_scene_add_body(scene, &ball, &id), "ball");
    check(afx_scene_add_shape(scene, id, &sphere), "sphere");
    if (far == PLANE) {
        AfxBodyDef ground = afx_default_body();
        AfxShapeDef plane = afx_default_plane();
        ground.kind = AFX_BODY_FIXED;
        ground.pose.position = (AfxVec3){0, 0, -2000};
        plane.contact_group = 2;
        check(afx_scene_add_body(scene, &ground, &id), "ground");
        check(afx_scene_add_shape(scene, id, &plane), "plane");
    }
    check(afx_model_create(scene, out_model, &error), "model");
    AfxSimDef sim_def = afx_default_sim();
    AfxSim *sim;
    check(afx_sim_create(*out_model, &sim_def, &sim), "sim");
    afx_scene_destroy(scene);
    return sim;
}

static double step(AfxSim *sim, int count) {
    double begin = now();
    for (int k = 0; k < count; k++) {
        check(afx_step(sim, NULL), "step");
    }
    return now() - begin;
}

/* The least time of a step: what else the machine does only adds. */
static void compare(const char *name, Sort sort, uint32_t size, Far far) {
    AfxModel *model[2];
    AfxSim *sim[2] = {make(sort, size, NOTHING, &model[0]), make(sort, size, far, &model[1])};
    double least[2] = {1e9, 1e9};
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < 2; k++) {
            double own = step(sim[k], STEPS) / STEPS;
            least[k] = own < least[k] ? own : least[k];
        }
    }
    printf("| %-12s | %-5s | %9.4f | %9.4f | %5.2f |\n", name, far == BALL ? "ball" : "plane", 1e3 * least[0],
           1e3 * least[1], least[1] / least[0]);
    for (int k = 0; k < 2; k++) {
        afx_sim_destroy(sim[k]);
        afx_model_destroy(model[k]);
    }
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "--count") == 0) {
        AfxModel *model;
        Sort sort = TREE;
        for (Sort k = TREE; k <= NET; k++) {
            sort = strncmp(argv[2], sort_name[k], strlen(sort_name[k])) == 0 ? k : sort;
        }
        Far far = strstr(argv[2], "far") ? BALL : strstr(argv[2], "plane") ? PLANE : NOTHING;
        AfxSim *sim = make(sort, (uint32_t)strtoul(argv[2] + strlen(sort_name[sort]), NULL, 10), far, &model);
        step(sim, atoi(argv[3]));
        afx_sim_destroy(sim);
        afx_model_destroy(model);
        return 0;
    }
    printf("Contact that is merely possible: least time of a step without and with it, by turns in one run.\n\n"
           "| scene        | far   | without, ms | with, ms | ratio |\n| --- | --- | --- | --- | --- |\n");
    for (Far far = BALL; far <= PLANE; far++) {
        compare("tree of 60", TREE, 60, far);
        compare("tree of 1000", TREE, 1000, far);
        compare("fork of 1000", FORKS, 1000, far);
        compare("net 10 x 10", NET, 10, far);
        compare("net 20 x 20", NET, 20, far);
    }
    return 0;
}
