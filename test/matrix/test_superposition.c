/* SPDX-License-Identifier: Apache-2.0 */
/* Two scenes far apart in one scene move as each does alone, bit for bit: nothing that is not touched or tied may have
 * an influence. */
#include <math.h>
#include <stdio.h>

#include "rig.h"
#include "tests.h"

#define STEPS 30u
#define APART 100.0
#define RANDOM 4u

static const struct {
    const char *name;
    Engine engine;
    Feature feature;
    enum { PLAIN, GROUND, WHIPPED } with;
} scenes[] = {
    {"free bodies", ENGINE_FREE, FEATURE_NONE, PLAIN},
    {"free bodies on ground", ENGINE_FREE, FEATURE_GROUND, PLAIN},
    {"ball on ball", ENGINE_FREE, FEATURE_PAIR, PLAIN},
    {"chain", ENGINE_CHAIN, FEATURE_NONE, PLAIN},
    {"chain on ground", ENGINE_CHAIN, FEATURE_GROUND, PLAIN},
    {"ball tree", ENGINE_TREE, FEATURE_NONE, PLAIN},
    {"springy tree on ground", ENGINE_TREE, FEATURE_BALL_SPRING, GROUND},
    {"springy tree", ENGINE_TREE, FEATURE_BALL_SPRING, PLAIN},
    {"hinge tree", ENGINE_HINGES, FEATURE_NONE, PLAIN},
    {"ball tree, whipped", ENGINE_TREE, FEATURE_NONE, WHIPPED},
    {"springy tree, whipped", ENGINE_TREE, FEATURE_BALL_SPRING, WHIPPED},
    {"chain, whipped", ENGINE_CHAIN, FEATURE_NONE, WHIPPED},
    {"hinge tree, limit", ENGINE_HINGES, FEATURE_LIMIT, PLAIN},
    {"ring", ENGINE_GRAPH, FEATURE_NONE, PLAIN},
    {"ring, coupling", ENGINE_GRAPH, FEATURE_COUPLING, PLAIN},
};

#define SCENES (COUNT(scenes) + RANDOM)

static void name_of(size_t index, char *out_name, size_t size) {
    if (index < COUNT(scenes)) {
        snprintf(out_name, size, "%s", scenes[index].name);
    } else {
        snprintf(out_name, size, "random %u", (unsigned)(index - COUNT(scenes)));
    }
}

/* Two links spin so fast that a step does not settle: the tree goes on in parts, and then from no history. */
static void whip(AfxScene *scene, const Rig *rig) {
    for (uint32_t k = 7; k < 9; k++) {
        AfxBodyDef def;
        assert_ok(afx_scene_get_body(scene, rig->body[k], &def));
        def.angular_velocity = (AfxVec3){300, k % 2 ? 900 : -700, 500};
        assert_ok(afx_scene_set_body(scene, rig->body[k], &def));
    }
}

static void add_scene(size_t index, AfxScene *scene, double x) {
    Rig rig;
    AfxVec3 shift = {x, 0, 0};
    if (index < COUNT(scenes)) {
        rig_add(scenes[index].engine, scenes[index].feature, scene, shift, &rig);
        if (scenes[index].with == GROUND) {
            rig_add_ground(&rig);
        } else if (scenes[index].with == WHIPPED) {
            whip(scene, &rig);
        }
    } else {
        rig_add_random((uint32_t)(index - COUNT(scenes)), scene, shift, &rig);
    }
}

/* Coordinates of all bodies after the run; *out_count is their number. first alone at 0, second alone at APART, or
 * both; SIZE_MAX: not there. */
static double *run_scenes(size_t first, size_t second, uint32_t *out_count, uint32_t *out_split) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef sim_def = afx_default_sim();
    assert_ok(afx_scene_create(&def, &scene));
    if (first != SIZE_MAX) {
        add_scene(first, scene, 0);
    }
    *out_split = afx_scene_body_count(scene);
    if (second != SIZE_MAX) {
        add_scene(second, scene, APART);
    }
    assert_ok(afx_model_create(scene, &model, NULL));
    assert_ok(afx_sim_create(model, &sim_def, &sim));
    for (uint32_t k = 0; k < STEPS; k++) {
        afx_step(sim, NULL); /* what fails does so alone as well */
    }
    *out_count = afx_model_body_count(model);
    size_t bytes = 12 * sizeof(double) * *out_count;
    double *q = malloc(bytes);
    assert_non_null(q);
    memcpy(q, afx_sim_coordinates(sim), bytes);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return q;
}

/* 0 only where all bits are equal. */
static double distance(const double *a, const double *b, uint32_t bodies) {
    double far = 0;
    for (uint32_t k = 0; k < 12 * bodies; k++) {
        far = fmax(far, fabs(a[k] - b[k]));
    }
    return memcmp(a, b, 12 * sizeof *a * bodies) == 0 ? 0 : fmax(far, 1e-300);
}

typedef struct Alone {
    double *q[2]; /* at 0, at APART */
    uint32_t bodies;
} Alone;

static uint32_t compare_pair(const Alone *alone, size_t a, size_t b) {
    uint32_t count, split;
    double *both = run_scenes(a, b, &count, &split);
    assert_int_equal(split, alone[a].bodies);
    assert_int_equal(count, alone[a].bodies + alone[b].bodies);
    double far_a = distance(both, alone[a].q[0], split);
    double far_b = distance(both + 12 * (size_t)split, alone[b].q[1], alone[b].bodies);
    free(both);
    if (far_a > 0 || far_b > 0) {
        char name_a[40], name_b[40];
        name_of(a, name_a, sizeof name_a);
        name_of(b, name_b, sizeof name_b);
        printf("superposition: %s + %s: differ by %.1e and %.1e\n", name_a, name_b, far_a, far_b);
    }
    return far_a > 0 || far_b > 0;
}

static void pairs_are_what_each_is_alone(void **state) {
    (void)state;
    static Alone alone[SCENES];
    uint32_t different = 0, pairs = 0, split;
    for (size_t k = 0; k < SCENES; k++) {
        alone[k].q[0] = run_scenes(k, SIZE_MAX, &alone[k].bodies, &split);
        alone[k].q[1] = run_scenes(SIZE_MAX, k, &alone[k].bodies, &split);
    }
    for (size_t a = 0; a < SCENES; a++) {
        for (size_t b = a; b < SCENES; b += SANITIZED ? 4 : 1) {
            different += compare_pair(alone, a, b);
            pairs++;
        }
    }
    for (size_t k = 0; k < SCENES; k++) {
        free(alone[k].q[0]);
        free(alone[k].q[1]);
    }
    printf("superposition: %u of %u pairs differ\n", different, pairs);
    assert_int_equal(different, 0);
}

int run_superposition_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_what_each_is_alone),
    };
    return cmocka_run_group_tests_name("superposition", tests, NULL, NULL);
}
