/* SPDX-License-Identifier: Apache-2.0 */
/* Superposition of the built-in cases and of random mechanisms: each moves, among any others, bit for bit as it does
 * alone at the same place. All of them in one scene with every integrator; with AFFIX_TEST_LONG also every pair. */
#include <stdio.h>

#include "cases/cases.h"
#include "gather.h"
#include "rig.h"
#include "tests.h"

#define STEPS_MOST 60u
#define APART 1024.0 /* m, between neighbours of a grid */
#define SIDE 8u
#define DT 0.01
#define RANDOM 12u

typedef struct Made {
    const char *name;
    const char *arguments[4];
} Made;

/* Every case of the table, small, and some in another way of their own. */
static const Made made[] = {
    {"spinning-box", {NULL}},
    {"t-handle", {NULL}},
    {"free-top", {NULL}},
    {"tumbling", {"n=10"}},
    {"pendulum", {NULL}},
    {"a01", {NULL}},
    {"a02", {NULL}},
    {"bricard", {NULL}},
    {"heavy-top", {NULL}},
    {"slider-crank", {NULL}},
    {"universal-shaft", {NULL}},
    {"door", {NULL}},
    {"four-bar", {NULL}},
    {"four-bar", {"young=inf"}},
    {"klann", {"legs=2", "ground=1"}},
    {"hoberman", {NULL}},
    {"satellite", {NULL}},
    {"gazelle", {NULL}},
    {"figure", {NULL}},
    {"hand", {NULL}},
    {"bridge", {"deck=6"}},
    {"umbrella", {"pieces=1"}},
    {"chain", {"n=20"}},
    {"chain", {"n=8", "joint=hinge"}},
    {"chain", {"n=16", "end_mass=10000", "start=zigzag"}},
    {"chain", {"n=16", "young=inf"}},
    {"chains", {"count=3", "links=20"}},
    {"beads", {"chains=2", "beads=8"}},
    {"net", {"k=3"}},
    {"net", {"k=3", "young=inf"}},
    {"ring", {"n=16"}},
    {"hub", {"arms=52"}},
    {"tree", {"links=30"}},
    {"incline", {NULL}},
    {"rolling", {NULL}},
    {"stack", {"n=3"}},
    {"arch", {"stones=5"}},
    {"card-house", {"levels=1"}},
    {"wrecking-ball", {"columns=1", "rows=2", "links=3"}},
    {"rings", {"rings=3"}},
    {"chain-net", {"k=2"}},
    {"gears", {"gears=1"}},
    {"knocker", {NULL}},
    {"tentacles", {"arms=2", "links=2"}},
    {"spiked-knots", {"knots=1"}},
    {"compactor", {"boxes=2"}},
    {"turntable", {"boxes=1"}},
    {"grasp", {NULL}},
    {"panda-pick", {"cubes=2"}},
    {"protein", {"links=40"}},
    {"falling-joints", {"pairs=3"}},
    {"hagfish", {"joints=20"}},
    {"net-cylinder", {"k=3"}},
    {"pulley", {"links=700", "upper=1"}},
    {"pulley-huge", {"links=1400", "each=700", "upper=1"}},
    {"ragdolls", {"count=1", "k=3"}},
    {"cloak", {"around=60", "rows=2"}},
};

#define SCENES (COUNT(made) + RANDOM)

static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};

static void name_of(size_t index, char *out_name, size_t size) {
    if (index >= COUNT(made)) {
        snprintf(out_name, size, "random %u", (unsigned)(index - COUNT(made)));
        return;
    }
    int length = snprintf(out_name, size, "%s", made[index].name);
    for (size_t k = 0; k < 4 && made[index].arguments[k]; k++) {
        length += snprintf(out_name + length, size - (size_t)length, " %s", made[index].arguments[k]);
    }
}

static AfxScene *build(size_t index) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    if (index < COUNT(made)) {
        AfxiCaseArguments arguments;
        AfxError error;
        uint32_t count = 0;
        while (count < 4 && made[index].arguments[count]) {
            count++;
        }
        const AfxiCase *from = afxi_case_find(made[index].name);
        assert_non_null(from);
        if (afxi_case_arguments(from, count, made[index].arguments, &arguments, &error) != AFX_OK ||
            afxi_case_build(&arguments, &def, &scene, &error) != AFX_OK) {
            fail_msg("%s: %s", error.element, error.text);
        }
    } else {
        Rig rig;
        assert_ok(afx_scene_create(&def, &scene));
        assert_ok(afx_scene_set_contact(scene, false));
        rig_add_random((uint32_t)(index - COUNT(made)), scene, (AfxVec3){0, 0, 0}, &rig);
    }
    return scene;
}

/* What each scene of a run came to: a hash of every step so far, step by step. */
typedef struct Story {
    uint64_t hash[STEPS_MOST];
} Story;

/* Long enough for what falls to strike, or for what is tied, driven and touching from the start. */
static uint32_t step_count(void) {
    return getenv("AFFIX_TEST_LONG") ? STEPS_MOST : 20;
}

/* `count` scenes in one, where[k] the place of scene which[k] in the grid; a story each. */
static void run_together(const size_t *which, const size_t *where, size_t count, AfxIntegrator integrator,
                         Story *out_stories) {
    static GatherPart parts[SCENES];
    AfxScene *scene = gather_begin();
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef sim_def = afx_default_sim();
    uint32_t bit = 0, steps = step_count();
    sim_def.integrator = integrator;
    sim_def.dt = DT;
    for (size_t k = 0; k < count; k++) {
        AfxScene *from = build(which[k]);
        AfxVec3 shift = {APART * (double)(where[k] % SIDE), APART * (double)(where[k] / SIDE), 0};
        parts[k] = gather_add(scene, from, shift, &bit);
        afx_scene_destroy(from);
    }
    assert_ok(afx_model_create(scene, &model, NULL));
    assert_ok(afx_sim_create(model, &sim_def, &sim));
    for (uint32_t step = 0; step < steps; step++) {
        assert_ok(afx_step(sim, NULL));
        for (size_t k = 0; k < count; k++) {
            out_stories[k].hash[step] = gather_hash(sim, &parts[k], step ? out_stories[k].hash[step - 1] : 0);
        }
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* The first step (from 1) in which two stories differ; 0: none. */
static uint32_t first_difference(const Story *a, const Story *b) {
    for (uint32_t k = 0; k < step_count(); k++) {
        if (a->hash[k] != b->hash[k]) {
            return k + 1;
        }
    }
    return 0;
}

static void tell(size_t index, size_t beside, AfxIntegrator integrator, uint32_t step) {
    char name[96], other[96] = "all others";
    name_of(index, name, sizeof name);
    if (beside != SIZE_MAX) {
        name_of(beside, other, sizeof other);
    }
    printf("superposition: %s beside %s, integrator %d: differs from step %u on\n", name, other, (int)integrator, step);
}

static void every_case_is_there(void **state) {
    (void)state;
    for (uint32_t k = 0; k < afxi_case_count(); k++) {
        bool found = false;
        for (size_t m = 0; m < COUNT(made); m++) {
            found |= strcmp(made[m].name, afxi_case_at(k)->name) == 0;
        }
        assert_true(found);
    }
}

static void all_in_one_scene_are_what_each_is_alone(void **state) {
    (void)state;
    static Story together[SCENES];
    size_t all[SCENES];
    uint32_t different = 0;
    for (size_t k = 0; k < SCENES; k++) {
        all[k] = k;
    }
    for (size_t i = 0; i < (SANITIZED ? 1 : COUNT(integrators)); i++) {
        run_together(all, all, SCENES, integrators[i], together);
        for (size_t k = 0; k < SCENES; k++) {
            Story alone;
            run_together(&k, &k, 1, integrators[i], &alone);
            uint32_t step = first_difference(&alone, &together[k]);
            different += step > 0;
            if (step > 0) {
                tell(k, SIZE_MAX, integrators[i], step);
            }
        }
    }
    assert_int_equal(different, 0);
}

/* The first of a pair is at place 0, the second at place 1. `stride` 1: all pairs. */
static uint32_t compare_pairs(AfxIntegrator integrator, size_t stride, uint32_t *pairs) {
    static Story alone[SCENES][2];
    uint32_t different = 0;
    for (size_t k = 0; k < SCENES; k++) {
        for (size_t place = 0; place < 2; place++) {
            run_together(&k, &place, 1, integrator, &alone[k][place]);
        }
    }
    for (size_t a = 0; a < SCENES; a++) {
        for (size_t b = a + a % stride; b < SCENES; b += stride) {
            Story both[2];
            run_together((size_t[]){a, b}, (size_t[]){0, 1}, 2, integrator, both);
            uint32_t steps[2] = {first_difference(&both[0], &alone[a][0]), first_difference(&both[1], &alone[b][1])};
            for (int side = 0; side < 2; side++) {
                if (steps[side]) {
                    tell(side ? b : a, side ? a : b, integrator, steps[side]);
                }
            }
            different += steps[0] || steps[1];
            ++*pairs;
        }
    }
    return different;
}

static void pairs_of_cases_are_what_each_is_alone(void **state) {
    (void)state;
    bool all = getenv("AFFIX_TEST_LONG") != NULL;
    uint32_t different = 0, pairs = 0;
    for (size_t i = 0; i < (all ? COUNT(integrators) : 1); i++) {
        different += compare_pairs(integrators[i], all ? 1 : SANITIZED ? 31 : 7, &pairs);
    }
    printf("superposition of cases: %u of %u pairs differ\n", different, pairs);
    assert_int_equal(different, 0);
}

int run_cases_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_there),
        cmocka_unit_test(all_in_one_scene_are_what_each_is_alone),
        cmocka_unit_test(pairs_of_cases_are_what_each_is_alone),
    };
    return cmocka_run_group_tests_name("cases", tests, NULL, NULL);
}
