/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities that roboticists compute with, against those of MuJoCo (its C library, Debian's libmujoco-dev): mass
 * matrix, bias forces, inverse and forward dynamics, Jacobians of sites, centres of mass and their Jacobians, momentum,
 * accelerations; at random postures and velocities of random trees, and of the files in AFFIX_MJCF, a list of paths
 * separated by ":". What is compared is qpos, qvel and all that follows, in the order of the file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>
#include <cmocka.h>

#include "affix/affix.h"
#include "affix/io.h"
#include "support/check.h"
#include "support/random.h"

enum { TREES = 60, POSTURES = 3 };

/* The same robot twice. */
typedef struct Pair {
    mjModel *m;
    mjData *d;
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    uint32_t n;
    double worst; /* of what was compared, relative */
    const char *what;
    double *a, *b, *c; /* [6][n + 1] ... */
} Pair;

static void compare(Pair *pair, const char *what, const double *got, const double *want, size_t count) {
    double most = 0, off = 0;
    for (size_t k = 0; k < count; k++) {
        most = fmax(most, fabs(want[k]));
        off = fmax(off, fabs(got[k] - want[k]));
    }
    off /= fmax(most, 1e-3);
    if (!(off <= pair->worst)) {
        pair->worst = off;
        pair->what = what;
    }
}

/* ---- postures ---- */

static double draw(uint64_t *seed, double size) {
    return size * (2 * random_unit(seed) - 1);
}

static void draw_state(Pair *pair, uint64_t *seed) {
    const mjModel *m = pair->m;
    for (int k = 0; k < m->nv; k++) {
        pair->d->qvel[k] = draw(seed, 2);
        pair->a[k] = draw(seed, 0.8);
    }
    mju_copy(pair->d->qpos, m->qpos0, m->nq);
    mj_integratePos(m, pair->d->qpos, pair->a, 1);
    mj_normalizeQuat(m, pair->d->qpos);
    assert_ok(afx_sim_set_qpos(pair->sim, pair->d->qpos));
    assert_ok(afx_sim_set_qvel(pair->sim, pair->d->qvel));
    mj_forward(m, pair->d);
}

/* ---- what is compared ---- */

static void check_equations(Pair *pair, uint64_t *seed) {
    size_t n = pair->n;
    double *full = calloc(2 * n * n + 1, sizeof(double)), *own = full + n * n;
    mj_fullM(pair->m, full, pair->d->qM);
    assert_ok(afx_sim_mass_matrix(pair->sim, own));
    compare(pair, "mass matrix", own, full, n * n);
    assert_ok(afx_sim_bias_forces(pair->sim, pair->b));
    compare(pair, "bias forces", pair->b, pair->d->qfrc_bias, n);
    for (size_t k = 0; k < n; k++) {
        pair->a[k] = draw(seed, 5);
    }
    for (size_t i = 0; i < n; i++) {
        pair->c[i] = pair->d->qfrc_bias[i];
        for (size_t j = 0; j < n; j++) {
            pair->c[i] += full[i * n + j] * pair->a[j];
        }
    }
    assert_ok(afx_sim_inverse_dynamics(pair->sim, pair->a, pair->b));
    compare(pair, "inverse dynamics", pair->b, pair->c, n);
    assert_ok(afx_sim_forward_dynamics(pair->sim, pair->c, pair->b));
    compare(pair, "forward dynamics", pair->b, pair->a, n);
    if (afx_sim_constraint_count(pair->sim) == 0) {
        assert_ok(afx_sim_constrained_forward_dynamics(pair->sim, pair->c, pair->b));
        compare(pair, "constrained forward dynamics", pair->b, pair->a, n);
        assert_ok(afx_sim_constrained_inverse_dynamics(pair->sim, pair->a, NULL, pair->b));
        compare(pair, "constrained inverse dynamics", pair->b, pair->c, n);
    }
    mju_zero(pair->d->qvel, pair->m->nv);
    mj_forward(pair->m, pair->d);
    assert_ok(afx_sim_gravity_forces(pair->sim, pair->b));
    compare(pair, "gravity forces", pair->b, pair->d->qfrc_bias, n);
    free(full);
}

static void check_site(Pair *pair, int site, const double *accelerations) {
    mjtNum acceleration[6];
    AfxVec3 linear, angular;
    mj_jacSite(pair->m, pair->d, pair->c, pair->c + 3 * pair->n, site);
    assert_ok(afx_sim_site_jacobian(pair->sim, (uint32_t)site, pair->b, pair->b + 3 * pair->n));
    compare(pair, "Jacobian of a site", pair->b, pair->c, 6 * pair->n);
    AfxPose pose;
    assert_ok(afx_sim_site(pair->sim, (uint32_t)site, &pose, NULL));
    const double place[3] = {pose.position.x, pose.position.y, pose.position.z};
    compare(pair, "place of a site", place, pair->d->site_xpos + 3 * site, 3);
    mj_objectAcceleration(pair->m, pair->d, mjOBJ_SITE, site, acceleration, 0);
    AfxBodyId body;
    AfxPose in_body;
    assert_ok(afx_scene_get_site(pair->scene, (uint32_t)site, NULL, &body, &in_body));
    assert_ok(afx_sim_point_acceleration(pair->sim, body.index, in_body.position, accelerations, &linear, &angular));
    const mjtNum *g = pair->m->opt.gravity;
    const double got[6] = {angular.x, angular.y, angular.z, linear.x - g[0], linear.y - g[1], linear.z - g[2]};
    compare(pair, "acceleration of a site", got, acceleration, 6);
}

static void check_sites(Pair *pair, uint64_t *seed) {
    if ((uint32_t)pair->m->nsite > afx_model_site_count(pair->model)) {
        return;
    }
    for (int k = 0; k < pair->m->nv; k++) {
        pair->d->qacc[k] = pair->a[k] = draw(seed, 5);
    }
    mj_rnePostConstraint(pair->m, pair->d);
    for (int site = 0; site < pair->m->nsite; site++) {
        check_site(pair, site, pair->a);
    }
}

static void check_whole(Pair *pair) {
    AfxMomentum momentum;
    AfxVec3 center, velocity;
    double mass, got[6];
    size_t n = pair->n;
    mj_subtreeVel(pair->m, pair->d);
    assert_ok(afx_sim_center_of_mass(pair->sim, UINT32_MAX, &mass, &center, &velocity));
    if (fabs(mass - pair->m->body_subtreemass[0]) > 1e-9 * mass) {
        return; /* it counts what stands still, too */
    }
    const double place[4] = {center.x, center.y, center.z, mass};
    const double want[4] = {pair->d->subtree_com[0], pair->d->subtree_com[1], pair->d->subtree_com[2],
                            pair->m->body_subtreemass[0]};
    compare(pair, "centre of mass", place, want, 4);
    const double rate[3] = {velocity.x, velocity.y, velocity.z};
    compare(pair, "velocity of the centre", rate, pair->d->subtree_linvel, 3);
    assert_ok(afx_sim_center_of_mass_jacobian(pair->sim, UINT32_MAX, pair->b));
    mj_jacSubtreeCom(pair->m, pair->d, pair->c, 0);
    compare(pair, "Jacobian of the centre", pair->b, pair->c, 3 * n);
    assert_ok(afx_sim_centroidal_momentum(pair->sim, UINT32_MAX, &momentum, pair->b));
    const double angular[3] = {momentum.angular.x, momentum.angular.y, momentum.angular.z};
    compare(pair, "angular momentum", angular, pair->d->subtree_angmom, 3);
    for (int r = 0; r < 6; r++) {
        got[r] = 0;
        for (size_t k = 0; k < n; k++) {
            got[r] += pair->b[r * (int)n + (int)k] * pair->d->qvel[k];
        }
    }
    compare(pair, "momentum matrix", got + 3, angular, 3);
    const double linear[3] = {momentum.linear.x, momentum.linear.y, momentum.linear.z};
    compare(pair, "momentum matrix, linear", got, linear, 3);
}

/* ---- pairs ---- */

static void open_scene(Pair *pair) {
    AfxSimDef def = afx_default_sim();
    AfxError error;
    if (afx_scene_make_rigid(pair->scene) != AFX_OK || afx_model_create(pair->scene, &pair->model, &error) != AFX_OK) {
        fail_msg("%s", error.text);
    }
    def.dt = 0.001;
    assert_ok(afx_sim_create(pair->model, &def, &pair->sim));
    pair->n = afx_sim_dof_count(pair->sim);
    size_t room = 6 * ((size_t)pair->n + (size_t)pair->m->nv) + 1;
    pair->a = calloc(room, sizeof(double));
    pair->b = calloc(room, sizeof(double));
    pair->c = calloc(room, sizeof(double));
}

static void close_pair(Pair *pair) {
    free(pair->a);
    free(pair->b);
    free(pair->c);
    afx_sim_destroy(pair->sim);
    afx_model_destroy(pair->model);
    afx_scene_destroy(pair->scene);
    mj_deleteData(pair->d);
    mj_deleteModel(pair->m);
}

static void check_pair(Pair *pair, uint64_t *seed) {
    for (int posture = 0; posture < POSTURES; posture++) {
        draw_state(pair, seed);
        check_sites(pair, seed);
        check_whole(pair);
        check_equations(pair, seed);
    }
}

/* ---- random trees ---- */

typedef struct Text {
    char at[40000];
    size_t used;
} Text;

static void put(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = vsnprintf(text->at + text->used, sizeof text->at - text->used, format, list);
    va_end(list);
    assert_true(count >= 0 && text->used + (size_t)count < sizeof text->at);
    text->used += (size_t)count;
}

static void put_vector(Text *text, const char *name, uint64_t *seed, double size) {
    double x = draw(seed, size), y = draw(seed, size), z = draw(seed, size);
    put(text, " %s=\"%.4f %.4f %.4f\"", name, x, y, z);
}

/* Up to three hinges that meet in a point, or one joint of any kind. */
static void put_joints(Text *text, uint64_t *seed) {
    double kind = random_unit(seed);
    if (kind < 0.2) {
        put(text, "<joint type=\"ball\"");
        put_vector(text, "pos", seed, 0.2);
        put(text, "/>");
    } else if (kind < 0.4) {
        put(text, "<joint type=\"slide\" armature=\"%.3f\"", random_unit(seed) < 0.5 ? 0.0 : 0.2);
        put_vector(text, "axis", seed, 1);
        put(text, "/>");
    } else if (kind < 0.55) { /* square to each other: a ball, read by its angles */
        static const char *const axes[3] = {"1 0 0", "0 1 0", "0 0 1"};
        for (int k = 0; k < 3; k++) {
            put(text, "<joint axis=\"%s\" pos=\".1 0 .05\" range=\"-80 80\" limited=\"true\"/>", axes[k]);
        }
    } else if (kind < 0.7) {
        put(text, "<joint axis=\"1 0 0\" armature=\".05\"/><joint axis=\"0 1 0\"/>");
    } else {
        put(text, "<joint armature=\"%.3f\"", random_unit(seed) < 0.5 ? 0.0 : 0.1);
        put_vector(text, "axis", seed, 1);
        put_vector(text, "pos", seed, 0.2);
        put(text, "/>");
    }
}

static void put_body(Text *text, uint64_t *seed, int depth, int *count) {
    int own = (*count)++;
    put(text, "<body name=\"b%d\"", own);
    put_vector(text, "pos", seed, 0.5);
    put(text, " quat=\"%.3f %.3f %.3f %.3f\">", 0.5 + random_unit(seed), draw(seed, 1), draw(seed, 1), draw(seed, 1));
    if (depth == 0 && random_unit(seed) < 0.4) {
        put(text, "<freejoint/>");
    } else {
        put_joints(text, seed);
    }
    put(text, "<inertial mass=\"%.3f\" diaginertia=\"%.3f %.3f %.3f\"", 0.5 + random_unit(seed),
        0.02 + 0.01 * random_unit(seed), 0.02 + 0.01 * random_unit(seed), 0.02 + 0.01 * random_unit(seed));
    put_vector(text, "pos", seed, 0.1);
    put(text, "/><site name=\"s%d\"", own);
    put_vector(text, "pos", seed, 0.3);
    put(text, "/>");
    for (int child = 0; child < 2 && depth < 4 && *count < 12; child++) {
        if (random_unit(seed) < 0.7) {
            put_body(text, seed, depth + 1, count);
        }
    }
    put(text, "</body>");
}

static mjModel *mujoco_from(const char *text, char *error, int size) {
    mjVFS vfs;
    mj_defaultVFS(&vfs);
    assert_int_equal(mj_makeEmptyFileVFS(&vfs, "tree.xml", (int)strlen(text)), 0);
    memcpy(vfs.filedata[mj_findFileVFS(&vfs, "tree.xml")], text, strlen(text));
    mjModel *m = mj_loadXML("tree.xml", &vfs, error, size);
    mj_deleteVFS(&vfs);
    return m;
}

static void random_trees_agree(void **state) {
    (void)state;
    double worst = 0;
    for (uint64_t k = 1; k <= TREES; k++) {
        uint64_t seed = 77 * k;
        static Text text;
        Pair pair = {.worst = 0};
        char message[500];
        AfxError error;
        int count = 0;
        text.used = 0;
        put(&text, "<mujoco><compiler angle=\"degree\" boundmass=\"0\"/><option gravity=\"1 -2 -9\"/><worldbody>");
        put_body(&text, &seed, 0, &count);
        put_body(&text, &seed, 0, &count);
        put(&text, "</worldbody></mujoco>");
        pair.m = mujoco_from(text.at, message, sizeof message);
        if (!pair.m) {
            fail_msg("%s", message);
        }
        pair.d = mj_makeData(pair.m);
        pair.m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
        AfxSceneDef scene = afx_default_scene();
        assert_ok(afx_scene_create(&scene, &pair.scene));
        AfxLoadDef load = afx_default_load();
        load.format = AFX_FORMAT_MJCF;
        if (afx_scene_load_text(pair.scene, text.at, text.used, NULL, &load, &error) != AFX_OK) {
            fail_msg("%s", error.text);
        }
        open_scene(&pair);
        if (pair.n != (uint32_t)pair.m->nv) {
            fail_msg("tree %d: %u degrees of freedom, MuJoCo has %d\n%s", (int)k, pair.n, pair.m->nv, text.at);
        }
        check_pair(&pair, &seed);
        if (!(pair.worst < 1e-9)) {
            fail_msg("tree %d: %s differs by %.3g\n%s", (int)k, pair.what, pair.worst, text.at);
        }
        worst = fmax(worst, pair.worst);
        close_pair(&pair);
    }
    print_message("%d random trees: at most %.1e\n", TREES, worst);
}

/* ---- files ---- */

static void check_file(const char *path) {
    Pair pair = {.worst = 0};
    char message[500];
    AfxError error;
    uint64_t seed = 5;
    pair.m = mj_loadXML(path, NULL, message, sizeof message);
    if (!pair.m) {
        print_message("%s: MuJoCo does not load it: %s\n", path, message);
        return;
    }
    pair.d = mj_makeData(pair.m);
    pair.m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
    AfxLoadDef load = afx_default_load();
    AfxSceneDef scene = afx_default_scene();
    assert_ok(afx_scene_create(&scene, &pair.scene));
    if (afx_scene_load(pair.scene, path, &load, &error) != AFX_OK) {
        fail_msg("%s: %s", path, error.text);
    }
    open_scene(&pair);
    if (pair.n != (uint32_t)pair.m->nv || afx_model_qpos_count(pair.model) != (uint32_t)pair.m->nq) {
        print_message("%s: %u degrees of freedom, MuJoCo has %d\n", path, pair.n, pair.m->nv);
        pair.worst = 1;
    } else {
        check_pair(&pair, &seed);
    }
    print_message("%-90s dofs %3u rows %3u worst %.1e %s: %s\n", path, pair.n, afx_sim_constraint_count(pair.sim),
                  pair.worst, pair.what ? pair.what : "", pair.worst < 1e-9 ? "agrees" : "differs");
    close_pair(&pair);
}

static void files_agree(void **state) {
    (void)state;
    const char *list = getenv("AFFIX_MJCF");
    char path[1000];
    while (list && *list) {
        size_t length = strcspn(list, ":");
        snprintf(path, sizeof path, "%.*s", (int)length, list);
        check_file(path);
        list += length + (list[length] == ':');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_agree),
        cmocka_unit_test(files_agree),
    };
    return cmocka_run_group_tests_name("quantities", tests, NULL, NULL);
}
