/* SPDX-License-Identifier: Apache-2.0 */
/* Robots from files: every posture that is set is told again, without any body, joint or coordinate that the file does
 * not have; scene JSON keeps names, controls, keyframes and sites; and, behind AFFIX_TEST_LONG, a table of all robots
 * of a folder (AFFIX_ROBOTS, or the shared models), which run with and without contact at three steps. */
#include <dirent.h>
#include <sys/stat.h>

#include "tests.h"

#define ROBOTS "../shared/data/mjcf/menagerie"
enum { PATHS = 400, NUMBERS = 400 };

typedef struct Paths {
    char path[PATHS][400];
    uint32_t count;
} Paths;

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a > b && strcmp(text + a - b, end) == 0;
}

static void find(const char *folder, Paths *out, int depth) {
    DIR *dir = depth > 3 ? NULL : opendir(folder);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        char path[400];
        struct stat about;
        if (entry->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path ||
            stat(path, &about) != 0) {
            continue;
        }
        if (S_ISDIR(about.st_mode)) {
            find(path, out, depth + 1);
        } else if (ends_with(path, ".xml") && out->count < PATHS) {
            memcpy(out->path[out->count++], path, sizeof path);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

static Paths *all_robots(void) {
    const char *folder = getenv("AFFIX_ROBOTS");
    Paths *paths = calloc(1, sizeof *paths);
    assert_non_null(paths);
    find(folder ? folder : ROBOTS, paths, 0);
    qsort(paths->path, paths->count, sizeof paths->path[0], by_name);
    return paths;
}

static AfxScene *load(const char *path, AfxError *error) {
    AfxScene *scene = scene_make((AfxVec3){0, 0, -9.81}, true);
    AfxLoadDef def = afx_default_load();
    def.allow_outside = true;
    if (afx_scene_load(scene, path, &def, error) != AFX_OK) {
        afx_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

/* The largest difference between what was set and what is told, over random postures. */
static double posture_error(AfxSim *sim, const AfxModel *model, int postures) {
    static double want[NUMBERS], got[NUMBERS];
    double most = 0;
    uint64_t seed = 3;
    uint32_t nq = afx_model_qpos_count(model), nv = afx_model_qvel_count(model);
    assert_true(nq < NUMBERS && nv < NUMBERS);
    for (int k = 0; k < postures; k++) {
        random_qpos(model, &seed, 1.5, want);
        assert_ok(afx_sim_set_qpos(sim, want));
        assert_ok(afx_sim_qpos(sim, got));
        for (uint32_t n = 0; n < nq; n++) {
            most = fmax(most, fabs(got[n] - want[n]));
        }
        for (uint32_t n = 0; n < nv; n++) {
            want[n] = 2 * random_unit(&seed) - 1;
        }
        assert_ok(afx_sim_set_qvel(sim, want));
        assert_ok(afx_sim_qvel(sim, got));
        for (uint32_t n = 0; n < nv; n++) {
            most = fmax(most, 1e-3 * fabs(got[n] - want[n])); /* Cardan angles near a right angle */
        }
    }
    return most;
}

static void postures_of_robots_are_exact(void **state) {
    (void)state;
    static const char *const files[] = {"franka_emika_panda/panda.xml", "agility_cassie/cassie.xml",
                                        "shadow_hand/right_hand.xml",   "unitree_go1/go1.xml",
                                        "pal_talos/talos.xml",          "bitcraze_crazyflie_2/cf2.xml"};
    for (size_t k = 0; k < COUNT(files); k++) {
        char path[200];
        AfxError error;
        snprintf(path, sizeof path, ROBOTS "/%s", files[k]);
        FILE *there = fopen(path, "r");
        if (!there) {
            print_message("SKIP: %s is not there\n", path);
            continue;
        }
        fclose(there);
        AfxScene *scene = load(path, &error);
        assert_non_null(scene);
        AfxModel *model;
        assert_ok(afx_scene_set_contact(scene, false));
        AfxSim *sim = sim_of(scene, &model);
        assert_int_equal(afx_model_body_count(model), afx_scene_body_count(scene));
        assert_below(posture_error(sim, model, 100), 1e-11);
        afx_sim_destroy(sim);
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
}

#define RICH                                                                                                          \
    "<mujoco><worldbody><body name='a'><freejoint name='f'/><geom size='.1'/><site name='s' pos='1 2 3'/>"            \
    "<body name='b' pos='0 0 1'><joint name='x' type='ball'/><geom size='.1'/>"                                       \
    "<body name='c' pos='0 0 1'><joint name='h1' axis='1 0 0' armature='.3' ref='20'/><joint name='h2' axis='0 -1 "   \
    "0'/>"                                                                                                            \
    "<geom size='.1'/></body></body></body></worldbody>"                                                              \
    "<tendon><fixed name='t'><joint joint='h1' coef='1'/><joint joint='h2' coef='2'/></fixed></tendon>"               \
    "<actuator><position name='p' tendon='t' kp='10' ctrlrange='-1 2'/><motor name='m' site='s' gear='1 0 0 0 0 0'/>" \
    "</actuator><keyframe><key name='k' qpos='0 0 1 1 0 0 0 1 0 0 0 .2 .3' ctrl='1 2'/></keyframe></mujoco>"

static void json_keeps_a_robot(void **state) {
    (void)state;
    AfxScene *scene = scene_from(RICH, AFX_FORMAT_MJCF), *again = scene_make((AfxVec3){0, 0, 0}, true);
    char path[] = "/tmp/affix-robot-XXXXXX";
    int fd = mkstemp(path);
    AfxError error = {0};
    AfxLoadDef def = afx_default_load();
    AfxModel *one, *two;
    assert_true(fd >= 0);
    assert_ok(afx_scene_save(scene, path, &error));
    def.format = AFX_FORMAT_JSON;
    AfxStatus status = afx_scene_load(again, path, &def, &error);
    if (status != AFX_OK) {
        print_error("%s: %s (%s)\n", error.element, error.text, error.cure);
    }
    assert_ok(status);
    assert_int_equal(afx_scene_generalized_count(again), 4);
    assert_int_equal(afx_scene_control_count(again), 2);
    assert_int_equal(afx_scene_keyframe_count(again), 1);
    assert_int_equal(afx_scene_site_count(again), 1);
    AfxSim *a = sim_of(scene, &one), *b = sim_of(again, &two);
    assert_true(afx_model_hash(one) == afx_model_hash(two));
    assert_below(posture_error(a, one, 20), 1e-12);
    double qa[20], qb[20];
    for (int k = 0; k < 2; k++) {
        AfxSim *sim = k ? b : a;
        assert_ok(afx_sim_set_keyframe(sim, 0));
        for (int n = 0; n < 50; n++) {
            assert_ok(afx_step(sim, NULL));
        }
        assert_ok(afx_sim_qpos(sim, k ? qb : qa));
    }
    assert_memory_equal(qa, qb, 13 * sizeof *qa);
    AfxGeneralizedDef g;
    assert_ok(afx_scene_get_generalized(again, 3, &g));
    assert_string_equal(g.name, "h2");
    afx_sim_destroy(a);
    afx_sim_destroy(b);
    afx_model_destroy(one);
    afx_model_destroy(two);
    afx_scene_destroy(scene);
    afx_scene_destroy(again);
    remove(path);
}

/* ---- the table ---- */

/* Runs 2 s from the start or the first keyframe; how it went in a word or two. */
static const char *run(const AfxModel *model, double dt, double *out_time) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    AfxError error = {0};
    static char text[80];
    def.dt = dt;
    def.error = &error;
    *out_time = 0;
    if (afx_sim_create(model, &def, &sim) != AFX_OK) {
        snprintf(text, sizeof text, "refused: %.40s", error.text);
        return text;
    }
    if (afx_model_keyframe_count(model)) {
        afx_sim_set_keyframe(sim, 0);
    }
    AfxStatus status = AFX_OK;
    while (status == AFX_OK && afx_sim_time(sim) < 2 - dt / 2) {
        status = afx_step(sim, NULL);
    }
    bool finite = sim_finite(sim);
    *out_time = afx_sim_time(sim);
    afx_sim_destroy(sim);
    return status == AFX_OK && finite ? "ok" : "FAILED";
}

static void every_robot_runs(void **state) {
    (void)state;
    Paths *paths = all_robots();
    uint32_t bad = 0, loaded = 0;
    static const double steps[] = {1e-3, 2e-3, 5e-3};
    for (uint32_t k = 0; k < paths->count; k++) {
        AfxError error = {0};
        AfxScene *scene = load(paths->path[k], &error);
        if (!scene) {
            print_message("%-60s does not load: %s:%d %s\n", paths->path[k], error.element, error.line, error.text);
            continue;
        }
        for (int contact = 0; contact < 2; contact++) {
            AfxModel *model = NULL;
            assert_ok(afx_scene_set_contact(scene, contact));
            if (afx_model_create(scene, &model, &error) != AFX_OK) {
                print_message("%-60s no model: %s %s\n", paths->path[k], error.element, error.text);
                continue;
            }
            loaded += contact;
            if (!contact) {
                AfxSim *sim = NULL;
                AfxSimDef def = afx_default_sim();
                assert_ok(afx_sim_create(model, &def, &sim));
                print_message("%-60s nq %3u nv %3u nu %3u postures within %.1e\n", paths->path[k],
                              afx_model_qpos_count(model), afx_model_qvel_count(model), afx_model_control_count(model),
                              posture_error(sim, model, 1000));
                afx_sim_destroy(sim);
            }
            for (size_t s = 0; s < COUNT(steps); s++) {
                double time;
                const char *word = run(model, steps[s], &time);
                bad += strcmp(word, "ok") != 0;
                print_message("    contact %d dt %.3f: %s at %.3f s\n", contact, steps[s], word, time);
            }
            afx_model_destroy(model);
        }
        afx_scene_destroy(scene);
    }
    print_message("%u of %u files run; %u runs failed\n", loaded, paths->count, bad);
    free(paths);
}

int run_file_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(postures_of_robots_are_exact),
        cmocka_unit_test(json_keeps_a_robot),
        cmocka_unit_test(every_robot_runs),
    };
    const struct CMUnitTest few[] = {tests[0], tests[1]};
    return getenv("AFFIX_TEST_LONG") ? cmocka_run_group_tests_name("robots from files", tests, NULL, NULL)
                                     : cmocka_run_group_tests_name("robots from files", few, NULL, NULL);
}
