/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms of many seeds: none breaks but in ways that are known, counted and listed (known.c). A fault beyond that
 * is shrunk to its smallest scene, written where AFFIX_SCENES says. AFFIX_TEST_LONG: many more. */
#include "known.h"
#include "shrink.h"
#include "tests.h"

/* Seeds from 1 on. */
#define SEEDS 200u
#define SEEDS_LONG 20000u
#define SEEDS_SANITIZED 24u
#define SEEDS_BASE 60u /* with AFFIX_INSTRUCTION_SET=base: the same steps in other kernels */
/* Solver iterations times bodies of one run, about. */
#define WORK_SHORT 1.5e4
#define WORK_LONG 3e4
#define SHRINK_RUNS 300u
/* A failing test tells so many in full. */
#define TOLD_MOST 3u

static Mechanism mechanism; /* large */

static bool many(void) {
    return getenv("AFFIX_TEST_LONG") != NULL;
}

static uint32_t seeds(void) {
    return SANITIZED ? SEEDS_SANITIZED : many() ? SEEDS_LONG : getenv("AFFIX_INSTRUCTION_SET") ? SEEDS_BASE : SEEDS;
}

static Finding examine_seed(uint32_t seed) {
    mechanism_generate(&mechanism, seed, 0);
    mechanism.work_most = many() ? WORK_LONG : WORK_SHORT;
    return examine(&mechanism);
}

static void tell(Finding finding, const char *class) {
    uint32_t runs;
    char command[700];
    const char *folder = getenv("AFFIX_SCENES");
    print_message("seed %llu (%s): %s: %s\n", (unsigned long long)mechanism.seed, class, fault_name(finding.fault),
                  finding.text);
    finding = shrink(&mechanism, finding, SHRINK_RUNS, &runs);
    bool written = write_scene(&mechanism, &finding, folder ? folder : ".", command, sizeof command);
    print_message("  shrunk to %u bodies in %u runs: %s\n  %s%s\n", mechanism_moving(&mechanism), runs, finding.text,
                  written ? "" : "not written: ", command);
}

static void test_seeds(void **state) {
    uint32_t count[16] = {0}, found[FAULT_COUNT] = {0}, beyond = 0;
    (void)state;
    assert_true(known_fault_count < COUNT(count));
    for (uint32_t seed = 1; seed <= seeds(); seed++) {
        Finding finding = examine_seed(seed);
        found[finding.fault]++;
        if (finding.fault <= FAULT_INFEASIBLE) {
            continue;
        }
        uint32_t class = known_class(&mechanism, &finding);
        const Known *known = class < known_fault_count ? &known_faults[class] : NULL;
        double most = !known ? 0 : many() ? known->most_of_hundred * seeds() / 100 : known->most;
        if (++count[class] > most && ++beyond <= TOLD_MOST) {
            tell(finding, known ? known->name : "in no class");
        }
    }
    for (uint32_t k = 0; k < FAULT_COUNT; k++) {
        print_message("%s %u%s", fault_name((Fault)k), found[k], k + 1 < FAULT_COUNT ? ", " : "\n");
    }
    for (uint32_t k = 0; k < known_fault_count; k++) {
        print_message("known fault \"%s\": %u (%s)\n", known_faults[k].name, count[k], known_faults[k].why);
    }
    assert_int_equal(beyond, 0);
}

/* Of many more, one in which what did not settle in the first stage of a part touches what did in the second: its sixth
 * step began its parts anew for ever. They are many, but they end. */
static void test_ends(void **state) {
    (void)state;
    Finding finding = examine_seed(950284);
    assert_true(finding.fault <= FAULT_INFEASIBLE || finding.fault == FAULT_WORK);
    assert_true(finding.steps >= 6);
}

static void expect_fine(const uint32_t *seed, size_t count) {
    for (size_t k = 0; k < count && !SANITIZED; k++) {
        Finding finding = examine_seed(seed[k]);
        if (finding.fault > FAULT_INFEASIBLE) {
            print_message("seed %u: %s\n", seed[k], finding.text);
        }
        assert_true(finding.fault <= FAULT_INFEASIBLE);
    }
}

/* Of many more, some in which each solve went a small part of the way: light bodies under strong springs, loops at
 * large turns. Steps of no size settled in the first four, and the others took 64 parts. */
static void test_settles(void **state) {
    static const uint32_t slow[] = {330, 460, 1096, 950271, 2270, 2977, 7659, 8442, 9386, 9884, 11464};
    (void)state;
    expect_fine(slow, COUNT(slow));
}

/* And some of `conserving`, whose iterations diverged on the redundant row of hinges by two points. */
static void test_hinges_by_points(void **state) {
    static const uint32_t diverged[] = {687, 2338, 3966, 4211, 7486};
    (void)state;
    expect_fine(diverged, COUNT(diverged));
}

/* And some that made energy: hinges by two points, whose redundant row held bodies so stiffly that they seemed settled
 * (2807, 3214); whips of millimetres, whose steps are cut (51, 2461, 2988, 5352); ball pendulums of stiff bodies, by
 * the strain of a turn (950055, 2388); a pendulum that was taken while iterations still had some way to go (8894); a
 * box by the strain that a turn before a finishing iteration had left (8863); stiff couplings of `reference` (7998,
 * 11268); springs and couplings, whose steps are cut however little turns (16789, 15873, 2112, 8609, 17808). */
static void test_makes_nothing(void **state) {
    static const uint32_t made[] = {51,   950055, 2388,  2461,  2807,  2988, 3214, 5352, 8863,
                                    8894, 7998,   11268, 16789, 15873, 2112, 8609, 17808};
    (void)state;
    expect_fine(made, COUNT(made));
}

/* And some whose couplings hold three bodies and more, alike or not: their products in the matrix were added in another
 * order when lanes took them side by side. */
static void test_couplings_by_lanes(void **state) {
    static const uint32_t coupled[] = {5324, 9035, 9966};
    (void)state;
    expect_fine(coupled, COUNT(coupled));
}

/* And some with screws that turn by more than half a turn in a step of `conserving`: they lost a turn, and stood open
 * by their pitch without a word. */
static void test_counts_turns(void **state) {
    static const uint32_t turned[] = {4149, 4171, 4398};
    (void)state;
    expect_fine(turned, COUNT(turned));
}

/* Half of the mechanisms that were drawn are fine, and what is checked is checked: none of it is vacuous. */
static void test_coverage(void **state) {
    uint32_t features[FEATURE_COUNT] = {0}, kinds[AFX_JOINT_KIND_COUNT] = {0}, passive = 0, may_fail = 0, most = 0;
    (void)state;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        mechanism_generate(&mechanism, seed, 0);
        passive += mechanism_passive(&mechanism);
        may_fail += mechanism_may_be_infeasible(&mechanism);
        uint32_t moving = mechanism_moving(&mechanism);
        most = moving > most ? moving : most;
        for (uint32_t k = 0; k < FEATURE_COUNT; k++) {
            features[k] += has(&mechanism, (Feature)k);
        }
        for (uint32_t k = 0; k < mechanism.joint_count; k++) {
            kinds[mechanism.joint[k].def.kind]++;
        }
    }
    for (uint32_t k = 0; k < FEATURE_COUNT; k++) {
        assert_true(features[k] >= 5);
    }
    for (uint32_t k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        assert_true(kinds[k] >= 20);
    }
    assert_true(passive >= SEEDS / 4 && may_fail <= SEEDS / 2 && most >= 38);
}

/* A seed gives the same mechanism every time, and what it places meets. */
static void test_assembled(void **state) {
    static Mechanism again;
    (void)state;
    for (uint32_t seed = 1; seed <= 50; seed++) {
        AfxError error;
        AfxModel *model = NULL;
        AfxSim *sim = NULL;
        mechanism_generate(&mechanism, seed, 0);
        mechanism_generate(&again, seed, 0);
        AfxScene *scene = mechanism_scene(&mechanism, &error);
        AfxScene *other = mechanism_scene(&again, &error);
        assert_non_null(scene);
        assert_non_null(other);
        AfxModel *same = NULL;
        assert_ok(afx_model_create(scene, &model, &error));
        assert_ok(afx_model_create(other, &same, &error));
        assert_true(afx_model_hash(model) == afx_model_hash(same));
        AfxSimDef def = afx_default_sim(); /* its own integrator may refuse what it holds */
        assert_ok(afx_sim_create(model, &def, &sim));
        assert_int_equal(afx_sim_start_gap_count(sim), 0);
        afx_sim_destroy(sim);
        afx_model_destroy(same);
        afx_model_destroy(model);
        afx_scene_destroy(other);
        afx_scene_destroy(scene);
    }
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool rigid(const Mechanism *m) {
    return !has(m, FEATURE_ELASTIC);
}

/* Smooth mechanisms of rigid bodies converge with the order of their integrator, in the median of many. SDIRK2 shows
 * 0.9 with joints, and 2 without: known, and not cured. */
static void test_order(void **state) {
    static const struct {
        AfxIntegrator integrator;
        double least, most;
    } methods[] = {{AFX_BDF1, 0.8, 1.3}, {AFX_BDF2, 1.7, 2.6}, {AFX_ALPHA, 1.7, 2.6}, {AFX_SDIRK2, 0.8, 2.8}};
    uint32_t last = SANITIZED ? 40 : many() ? 2000 : SEEDS;
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++) {
        static double order[2000];
        uint32_t count = 0;
        for (uint32_t seed = 1; seed <= last; seed++) {
            mechanism_generate(&mechanism, seed, 0);
            mechanism.sim.integrator = methods[k].integrator;
            mechanism.sim.rho = 0.8;
            if (mechanism_smooth(&mechanism) && mechanism_passive(&mechanism) && rigid(&mechanism) &&
                mechanism_moving(&mechanism) <= 12) {
                double found = examine_order(&mechanism);
                order[count] = found;
                count += isfinite(found);
            }
        }
        assert_true(count >= (SANITIZED ? 2 : 12));
        qsort(order, count, sizeof *order, compare);
        print_message("integrator %d: order %.2f in the median of %u\n", (int)methods[k].integrator, order[count / 2],
                      count);
        assert_in_range((uint64_t)(100 * order[count / 2]), (uint64_t)(100 * methods[k].least),
                        (uint64_t)(100 * methods[k].most));
    }
}

int run_mechanism_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assembled),     cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_ends),          cmocka_unit_test(test_order),
        cmocka_unit_test(test_seeds),         cmocka_unit_test(test_settles),
        cmocka_unit_test(test_makes_nothing), cmocka_unit_test(test_hinges_by_points),
        cmocka_unit_test(test_counts_turns),  cmocka_unit_test(test_couplings_by_lanes),
    };
    return cmocka_run_group_tests_name("random mechanisms", tests, NULL, NULL);
}
