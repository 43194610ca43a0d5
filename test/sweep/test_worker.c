/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's runs are those of new sims: a sim that is reset to its start forgets what it did, in all built-in cases,
 * and after a run that failed too. */
#include "sweep/worker.h"
#include "tests.h"

/* Arguments that make large cases small. */
static const char *const small[][3] = {
    {"chains", "links", "60"},   {"beads", "chains", "6"},
    {"tree", "links", "150"},    {"hub", "arms", "20"},
    {"ring", "n", "40"},         {"falling-joints", "pairs", "12"},
    {"hagfish", "joints", "20"}, {"pulley-huge", "links", "1500"},
    {"ragdolls", "count", "2"},  {"cloak", "rows", "3"},
    {"bridge", "deck", "12"},    {"umbrella", "pieces", "2"},
    {"pulley", "links", "60"},
};

static AfxiStudy *study_of(const char *name) {
    char text[500], parameters[80] = "";
    for (size_t k = 0; k < sizeof small / sizeof small[0]; k++) {
        if (strcmp(small[k][0], name) == 0) {
            snprintf(parameters, sizeof parameters, "\"%s\": %s", small[k][1], small[k][2]);
        }
    }
    snprintf(text, sizeof text,
             "{\"affix_sweep\": 1, \"scene\": {\"case\": \"%s\", \"parameters\": {%s}}, \"run\": {\"steps\": 12}, "
             "\"vary\": [{\"param\": \"gravity.z\", \"values\": [-1, -9.81]}, {\"param\": \"body.mass:0\", \"values\": "
             "[1]}], \"record\": [\"energy.total\"]}",
             name, parameters);
    AfxiStudy *study = NULL;
    return afxi_study_open("study.json", text, NULL, &study, NULL) == AFX_OK ? study : NULL;
}

static uint64_t hash_of(AfxiWorker *worker, double gravity, double mass) {
    AfxiResult result;
    afxi_worker_run(worker, (const double[]){gravity, mass}, &result);
    return result.status == AFX_OK ? result.hash : 0;
}

static void test_reset_is_new(void **state) {
    (void)state;
    uint32_t tried = 0;
    for (uint32_t k = 0; k < afxi_case_count(); k++) {
        AfxiStudy *study = study_of(afxi_case_at(k)->name);
        AfxiWorker *used = NULL, *new = NULL;
        if (!study) {
            continue; /* a case with another name for its size */
        }
        assert_int_equal(afxi_worker_create(study, &used, NULL), AFX_OK);
        assert_int_equal(afxi_worker_create(study, &new, NULL), AFX_OK);
        hash_of(used, -1, 2);
        hash_of(used, -30, 0.5);
        hash_of(used, NAN, 1); /* refused: the run fails before its first step */
        if (hash_of(used, -9.81, 1) != hash_of(new, -9.81, 1)) {
            fail_msg("%s: a sim that was reset gives another result than a new one", afxi_case_at(k)->name);
        }
        afxi_worker_destroy(used);
        afxi_worker_destroy(new);
        afxi_study_close(study);
        tried++;
    }
    assert_true(tried > 30);
}

/* Each kind of parameter, method and formulation: a run with other numbers in between leaves nothing behind. `acts`:
 * the numbers change the motion, so that the comparison can fail. */
static const struct {
    const char *scene, *run, *param;
    double one, other;
    bool acts;
} kinds[] = {
    {"\"four-bar\"", "", "body.mass:crank", 1, 3, true},
    {"\"four-bar\"", "", "body.young:*", 1e6, 1e9, true},
    {"\"four-bar\"", "", "body.second_moments:0.y", 0.01, 0.2, true},
    {"\"pendulum\"", "", "body.gravity:rod", 0, 1, true},
    {"\"pendulum\"", "", "joint.break:0.force", 1, 1e9, true},
    {"\"pendulum\"", "", "marker.point:tip.x", 0, 0.1, false},
    {"\"four-bar\"", "", "drive:0.effort", 0.01, 10, false},
    {"\"hand\"", "", "coupling:0.constant", 0, 0.2, true},
    {"\"hand\"", "", "coupling:0.factor0", 0.5, 1, true},
    {"\"incline\"", "", "material.pair:0.friction", 0.05, 0.9, true},
    {"\"stack\"", "", "material.pair:0.stiffness", 1e4, 1e6, true},
    {"{\"case\": \"bridge\", \"parameters\": {\"deck\": 12}}", "", "spring:0.stiffness", 1e3, 5e3, true},
    {"{\"case\": \"bridge\", \"parameters\": {\"deck\": 12}}", "", "wrench:0.fz", -10, -500, true},
    {"{\"case\": \"bridge\", \"parameters\": {\"deck\": 12}}", "", "wrench.point:0.x", 0, 0.3, true},
    {"\"klann\"", "", "omega", 2, 9, true}, /* of the case: the scene is built anew */
    {"\"four-bar\"", ", \"integrator\": \"alpha\", \"rho\": 0.5", "gravity.x", -1, 2, true},
    {"\"four-bar\"", ", \"integrator\": \"sdirk2\"", "gravity.x", -1, 2, true},
    {"\"pendulum\"", ", \"integrator\": \"conserving\", \"rigid\": true", "gravity.x", -1, 2, true},
    {"\"pendulum\"", ", \"integrator\": \"reference\", \"rigid\": true", "gravity.x", -1, 2, true},
    {"\"chain\"", ", \"formulation\": \"abd-vanilla\"", "gravity.x", -1, 2, true},
    {"\"chain\"", ", \"formulation\": \"mabd-paper\", \"iterations\": 2", "gravity.x", -1, 2, true},
    {"\"four-bar\"", ", \"iterations\": 2, \"solver\": \"dense\"", "gravity.x", -1, 2, true},
};

static void test_every_kind_of_parameter(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"affix_sweep\": 1, \"scene\": %s, \"run\": {\"steps\": 15%s}, \"vary\": [{\"param\": \"%s\", "
                 "\"values\": [%g]}]}",
                 kinds[k].scene, kinds[k].run, kinds[k].param, kinds[k].one);
        AfxiStudy *study = open_study(text);
        AfxiWorker *used = NULL, *new = NULL;
        AfxiResult first, other, again;
        assert_int_equal(afxi_worker_create(study, &used, NULL), AFX_OK);
        assert_int_equal(afxi_worker_create(study, &new, NULL), AFX_OK);
        afxi_worker_run(used, &kinds[k].other, &other);
        afxi_worker_run(used, &kinds[k].one, &again);
        afxi_worker_run(new, &kinds[k].one, &first);
        if (first.status != AFX_OK || other.status != AFX_OK || again.status != AFX_OK || first.hash != again.hash ||
            (kinds[k].acts && first.hash == other.hash)) {
            fail_msg("%s%s: %s: %d %d %d, %s", kinds[k].scene, kinds[k].run, kinds[k].param, first.status, other.status,
                     again.status, first.hash == again.hash ? "without effect" : "what was before is left in it");
        }
        afxi_worker_destroy(used);
        afxi_worker_destroy(new);
        afxi_study_close(study);
    }
}

static void test_after_a_failed_step(void **state) {
    (void)state;
    AfxiStudy *study =
        open_study("{\"affix_sweep\": 1, \"scene\": \"spinning-box\", \"run\": {\"dt\": 10, \"steps\": 20}, \"vary\": "
                   "[{\"param\": \"gravity.z\", \"values\": [-1]}], \"record\": [\"energy.total\"]}");
    AfxiWorker *used = NULL, *new = NULL;
    AfxiResult result;
    assert_int_equal(afxi_worker_create(study, &used, NULL), AFX_OK);
    assert_int_equal(afxi_worker_create(study, &new, NULL), AFX_OK);
    afxi_worker_run(used, (const double[]){-1e308}, &result);
    assert_int_equal(result.status, AFX_E_NUMERIC);
    assert_true(isnan(result.values[0]) && strstr(result.reason, "did not converge") != NULL);
    AfxiResult again, fresh;
    afxi_worker_run(used, (const double[]){-3}, &again);
    uint64_t hash = again.hash;
    afxi_worker_run(new, (const double[]){-3}, &fresh);
    assert_int_equal(again.status, AFX_OK);
    assert_true(hash == fresh.hash && !isnan(fresh.values[0]));
    afxi_worker_destroy(used);
    afxi_worker_destroy(new);
    afxi_study_close(study);
}

static void test_names(void **state) {
    (void)state;
    AfxiStudy *study = open_study("{\"affix_sweep\": 1, \"scene\": \"four-bar\", \"run\": {\"steps\": 1}, \"vary\": "
                                  "[{\"param\": \"body.mass:crank\", \"values\": [1]}]}");
    const AfxiBuilt *built = &study->base;
    AfxiParamPlace place;
    AfxError error;
    assert_int_equal(afxi_param_find(built->scene, built->model, "body.mass:rocker", &place, &error), AFX_OK);
    assert_true(place.kind == AFX_PARAM_BODY_MASS && place.first == 2 && place.count == 1);
    assert_int_equal(afxi_param_find(built->scene, built->model, "body.second_moments:*.y", &place, &error), AFX_OK);
    assert_true(place.kind == AFX_PARAM_BODY_SECOND_MOMENTS && place.count == 3 && place.component == 1);
    assert_int_equal(afxi_param_find(built->scene, built->model, "drive:0.effort", &place, &error), AFX_OK);
    assert_true(place.kind == AFX_PARAM_DRIVE && place.component == 3);
    assert_int_equal(afxi_param_find(built->scene, built->model, "gravity.y", &place, &error), AFX_OK);
    assert_true(place.kind == AFX_PARAM_GRAVITY && place.component == 1);
    static const char *const wrong[] = {"body.mass", "body.mass:9", "body.mass:crank.x", "gravity", "gravity.w",
                                        "drive:0",   "wrench:0.fx", "bodymass:0",        ""};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_equal(afxi_param_find(built->scene, built->model, wrong[k], &place, &error), AFX_E_INPUT);
        assert_true(error.text[0] && error.cure[0]);
    }
    afxi_study_close(study);
}

int run_worker_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reset_is_new),
        cmocka_unit_test(test_every_kind_of_parameter),
        cmocka_unit_test(test_after_a_failed_step),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
