/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms tied by springs: the bridge stands still under its own weight, hangs by the weight it bears, and rests
 * under a load where a minimiser of its energy in the plane says; so does the umbrella, with the force that holds its
 * runner. Their sizes are those of the published table. */
#include "scale.h"
#include "statics.h"
#include "support/sim.h"
#include "tests.h"

#include <stdio.h>

static const double gravity = 9.81;

/* Runs a case and gives the sim; the caller destroys sim and model. */
static AfxSim *settle(const char *name, const char *arguments, uint32_t steps, AfxScene **out_scene,
                      AfxModel **out_model) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    *out_scene = scale_scene(name, arguments);
    *out_model = NULL;
    sim_start(*out_scene, out_model, &sim, &def);
    for (uint32_t k = 0; k < steps; ++k) {
        AfxStepReport report;
        assert_int_equal(afx_step(sim, &report), AFX_OK);
        assert_true(report.residual <= 1e-11);
        assert_int_equal(report.flags & (AFX_STEP_ASSEMBLED | AFX_STEP_CAPPED | AFX_STEP_HALVED), 0);
    }
    return sim;
}

static void drop(AfxScene *scene, AfxModel *model, AfxSim *sim) {
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static uint32_t body_index(const AfxScene *scene, const char *name) {
    AfxBodyId id;
    assert_int_equal(afx_scene_find_body(scene, name, &id), AFX_OK);
    return id.index;
}

/* ---- counts ---- */

static void test_counts(void **state) {
    (void)state;
    static const uint32_t pieces[] = {5, 8, 11, 16, 23}, freedoms[] = {241, 385, 529, 769, 1105};
    for (size_t k = 0; k < sizeof(pieces) / sizeof(pieces[0]); ++k) {
        char text[40];
        snprintf(text, sizeof(text), "pieces=%u", (unsigned)pieces[k]);
        AfxScene *scene = scale_scene("umbrella", text);
        AfxModel *model = NULL;
        assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
        assert_int_equal(afx_model_coordinate_count(model), freedoms[k] + 3 * 8);
        assert_int_equal(afx_scene_spring_count(scene), 16 * pieces[k]);
        drop(scene, model, NULL);
    }
    /* hinges; the slot has four coordinates; each deck joint hangs by one cable, the middle one by two */
    AfxScene *scene = scale_scene("bridge", "deck=50 tower=5");
    AfxModel *model = NULL;
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    assert_int_equal(afx_model_coordinate_count(model), 60 + 4);
    assert_int_equal(afx_scene_spring_count(scene), 50);
    drop(scene, model, NULL);
}

/* ---- the bridge ---- */

/* Without a load nothing moves: the tensions that the case worked out are those of an equilibrium. */
static void test_bridge_stands(void **state) {
    (void)state;
    static const char *const sizes[] = {"deck=80 load=0", "deck=7 load=0", "deck=10 load=0"};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); ++k) {
        AfxScene *scene;
        AfxModel *model;
        AfxSim *sim = settle("bridge", sizes[k], 200, &scene, &model);
        for (uint32_t body = 0; body < afx_model_body_count(model); ++body) {
            AfxBodyDef def;
            AfxPose pose;
            assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, body), &def), AFX_OK);
            assert_int_equal(afx_sim_body_pose(sim, body, &pose), AFX_OK);
            assert_true(fabs(pose.position.z - def.pose.position.z) <= 1e-9);
            assert_true(fabs(pose.position.x - def.pose.position.x) <= 1e-9);
        }
        drop(scene, model, sim);
    }
}

enum { DECK = 8, CABLES_MOST = 16 };

/* The bridge in its plane, from the definitions in the scene. */
typedef struct Plane {
    double length, mass, load, rest[DECK]; /* of a piece; angles at the start */
    double hinge;                          /* stiffness */
    int cables, joint[CABLES_MOST];
    double anchor_x[CABLES_MOST], anchor_z[CABLES_MOST], stiffness[CABLES_MOST], slack[CABLES_MOST];
    double end_x, end_z;
} Plane;

static Plane read_bridge(const AfxScene *scene) {
    Plane plane = {.load = 1e6};
    uint32_t first = body_index(scene, "deck-1");
    for (uint32_t k = 0; k < DECK; ++k) {
        AfxBodyDef piece;
        assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, first + k), &piece), AFX_OK);
        AfxVec3 x = afx_quat_rotate(piece.pose.rotation, (AfxVec3){1, 0, 0});
        plane.rest[k] = atan2(x.z, x.x);
    }
    AfxMass mass;
    AfxDriveDef drive;
    AfxJointDef last;
    assert_int_equal(afx_scene_body_mass(scene, afx_scene_body(scene, first), &mass), AFX_OK);
    assert_int_equal(afx_scene_get_drive(scene, 0, &drive), AFX_OK);
    assert_int_equal(afx_scene_get_joint(scene, afx_scene_joint(scene, DECK), &last), AFX_OK);
    plane.mass = mass.mass;
    plane.length = 2 * mass.center.x;
    plane.hinge = drive.stiffness;
    plane.end_x = last.base_frame.position.x;
    plane.end_z = last.base_frame.position.z;
    plane.cables = (int)afx_scene_spring_count(scene);
    for (int k = 0; k < plane.cables; ++k) {
        AfxSpringDef cable;
        AfxBodyDef tower;
        assert_int_equal(afx_scene_get_spring(scene, (uint32_t)k, &cable), AFX_OK);
        assert_int_equal(afx_scene_get_body(scene, cable.body_a, &tower), AFX_OK);
        AfxVec3 anchor = afx_quat_rotate(tower.pose.rotation, cable.point_a);
        plane.joint[k] = (int)(cable.body_b.index - first);
        plane.anchor_x[k] = tower.pose.position.x + anchor.x;
        plane.anchor_z[k] = tower.pose.position.z + anchor.z;
        plane.stiffness[k] = cable.stiffness;
        plane.slack[k] = cable.rest_length;
    }
    return plane;
}

/* Unknowns: angles of the pieces to the horizontal. A force on joint j turns all pieces before it. */
static void bridge_gradient(const void *context, const double *angle, const double *multiplier, double *out_gradient,
                            double *out_constraint) {
    const Plane *plane = context;
    double x[DECK + 1] = {0}, z[DECK + 1] = {0}, pull_x[DECK + 1] = {0}, pull_z[DECK + 1] = {0};
    for (int k = 0; k < DECK; ++k) {
        x[k + 1] = x[k] + plane->length * cos(angle[k]);
        z[k + 1] = z[k] + plane->length * sin(angle[k]);
        pull_z[k] += 0.5 * plane->mass * gravity;
        pull_z[k + 1] += 0.5 * plane->mass * gravity;
    }
    pull_z[DECK / 2] += plane->load;
    for (int k = 0; k < plane->cables; ++k) {
        int j = plane->joint[k];
        double dx = x[j] - plane->anchor_x[k], dz = z[j] - plane->anchor_z[k], length = hypot(dx, dz);
        double tension = plane->stiffness[k] * (length - plane->slack[k]);
        pull_x[j] += tension * dx / length;
        pull_z[j] += tension * dz / length;
    }
    pull_x[DECK] += multiplier[0];
    pull_z[DECK] += multiplier[1];
    double sum_x = 0, sum_z = 0;
    for (int k = DECK - 1; k >= 0; --k) {
        sum_x += pull_x[k + 1];
        sum_z += pull_z[k + 1];
        out_gradient[k] = plane->length * (sum_z * cos(angle[k]) - sum_x * sin(angle[k]));
        double before = k > 0 ? angle[k] - angle[k - 1] - (plane->rest[k] - plane->rest[k - 1]) : 0;
        double after = k + 1 < DECK ? angle[k + 1] - angle[k] - (plane->rest[k + 1] - plane->rest[k]) : 0;
        out_gradient[k] += plane->hinge * (before - after);
    }
    out_constraint[0] = x[DECK] - plane->end_x;
    out_constraint[1] = z[DECK] - plane->end_z;
}

static void test_bridge_rests(void **state) {
    (void)state;
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim = settle("bridge", "deck=8 load=1e6", 3000, &scene, &model);
    Plane plane = read_bridge(scene);
    double angle[DECK], multiplier[2], x = 0, z = 0, sag = 0;
    for (int k = 0; k < DECK; ++k) {
        angle[k] = plane.rest[k];
    }
    statics_solve(DECK, 2, bridge_gradient, &plane, angle, multiplier);
    uint32_t first = body_index(scene, "deck-1");
    for (uint32_t k = 0; k < DECK; ++k) {
        AfxPose pose;
        AfxBodyDef start;
        assert_int_equal(afx_sim_body_pose(sim, first + k, &pose), AFX_OK);
        assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, first + k), &start), AFX_OK);
        assert_true(fabs(pose.position.x - x) <= 1e-8 && fabs(pose.position.z - z) <= 1e-8);
        x += plane.length * cos(angle[k]);
        z += plane.length * sin(angle[k]);
        sag = fmax(sag, start.pose.position.z - pose.position.z);
    }
    assert_true(sag > 0.005); /* the load does something */
    drop(scene, model, sim);
}

/* Towers that bend: their feet and the abutments bear all weight and the load, and the halves are mirror images. */
static void test_bridge_bears(void **state) {
    (void)state;
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim = settle("bridge", "deck=40 tower=4 load=1e6", 3000, &scene, &model);
    AfxMomentum momentum;
    AfxVec3 top[2], middle;
    double borne = 0;
    assert_int_equal(afx_sim_momentum(sim, &momentum), AFX_OK);
    for (uint32_t k = 0; k < afx_model_joint_count(model); ++k) {
        AfxJointDef joint;
        AfxWrench reaction;
        assert_int_equal(afx_scene_get_joint(scene, afx_scene_joint(scene, k), &joint), AFX_OK);
        if (joint.base.scene == afx_world().scene && joint.base.index == afx_world().index) {
            assert_int_equal(afx_sim_joint_reaction(sim, k, &reaction), AFX_OK);
            borne += afx_quat_rotate(joint.base_frame.rotation, reaction.force).z;
        }
    }
    double weight = momentum.mass * gravity + 1e6;
    assert_true(fabs(borne - weight) <= 1e-6 * weight);
    assert_int_equal(afx_sim_marker(sim, 0, &middle, NULL), AFX_OK);
    assert_int_equal(afx_sim_marker(sim, 1, &top[0], NULL), AFX_OK);
    assert_int_equal(afx_sim_marker(sim, 2, &top[1], NULL), AFX_OK);
    assert_true(fabs(middle.x - 40) <= 1e-6 && middle.z < 1.59);
    assert_true(fabs(top[0].x + top[1].x - 80) <= 1e-6 && top[0].x > 20.001); /* the load draws them together */
    drop(scene, model, sim);
}

/* ---- the umbrella ---- */

enum { PIECES = 3, ARM_BODIES = 3 * PIECES };

typedef struct Arm {
    double length, mass, bending, canopy, runner; /* of a piece; stiffnesses; height of the runner */
    double slack[2 * PIECES];
} Arm;

static Arm read_umbrella(const AfxScene *scene) {
    Arm arm = {.runner = -0.6 * cos(60 * PI / 180)};
    AfxMass mass;
    AfxDriveDef drive;
    assert_int_equal(afx_scene_body_mass(scene, afx_scene_body(scene, body_index(scene, "rib-1-1")), &mass), AFX_OK);
    assert_int_equal(afx_scene_get_drive(scene, 1, &drive), AFX_OK);
    arm.length = 2 * mass.center.z;
    arm.mass = mass.mass;
    arm.bending = drive.stiffness;
    for (uint32_t k = 0; k < 2 * PIECES; ++k) {
        AfxSpringDef spring;
        assert_int_equal(afx_scene_get_spring(scene, 8 * k, &spring), AFX_OK);
        arm.canopy = spring.stiffness;
        arm.slack[k] = spring.rest_length;
    }
    return arm;
}

/* Moments that forces `pull` on the ends of pieces [count] put on angles from the vertical (sign of z: up), bending
 * included, the first joint free. */
static void row_gradient(const Arm *arm, int count, double up, const double *angle, const double (*pull)[2],
                         double *out) {
    double sum_r = 0, sum_z = 0;
    for (int k = count - 1; k >= 0; --k) {
        sum_r += pull[k][0];
        sum_z += pull[k][1];
        double before = k > 0 ? angle[k] - angle[k - 1] : 0, after = k + 1 < count ? angle[k + 1] - angle[k] : 0;
        out[k] = arm->length * (sum_r * cos(angle[k]) - up * sum_z * sin(angle[k])) + arm->bending * (before - after);
    }
}

/* Unknowns: angles of the rib's pieces from -z, then of the stretcher's from +z. By symmetry the canopy at radius r has
 * the length 2 r sin(pi/8), and each rib half of the springs on either side: one for each joint. */
static void umbrella_gradient(const void *context, const double *angle, const double *multiplier, double *out_gradient,
                              double *out_constraint) {
    const Arm *arm = context;
    double rib[2 * PIECES][2] = {{0}}, stretcher[PIECES][2] = {{0}}, r = 0, z = 0, middle[2] = {0, 0};
    double chord = 2 * sin(PI / 8);
    for (int k = 0; k < 2 * PIECES; ++k) {
        r += arm->length * sin(angle[k]);
        z -= arm->length * cos(angle[k]);
        rib[k][0] = arm->canopy * (chord * r - arm->slack[k]) * chord;
        rib[k][1] = arm->mass * gravity * (k + 1 < 2 * PIECES ? 1 : 0.5);
        if (k == PIECES - 1) {
            middle[0] = r;
            middle[1] = z;
            rib[k][0] += multiplier[0];
            rib[k][1] += multiplier[1];
        }
    }
    r = 0;
    z = arm->runner;
    for (int k = 0; k < PIECES; ++k) {
        r += arm->length * sin(angle[2 * PIECES + k]);
        z += arm->length * cos(angle[2 * PIECES + k]);
        stretcher[k][1] = arm->mass * gravity * (k + 1 < PIECES ? 1 : 0.5);
    }
    stretcher[PIECES - 1][0] -= multiplier[0];
    stretcher[PIECES - 1][1] -= multiplier[1];
    row_gradient(arm, 2 * PIECES, -1, angle, (const double(*)[2])rib, out_gradient);
    row_gradient(arm, PIECES, 1, angle + 2 * PIECES, (const double(*)[2])stretcher, out_gradient + 2 * PIECES);
    out_constraint[0] = middle[0] - r;
    out_constraint[1] = middle[1] - z;
}

static void check_rib(const AfxScene *scene, const AfxSim *sim, int rib, const Arm *arm, const double *angle) {
    char name[24];
    double r = 0, z = 0, azimuth = 2 * PI * rib / 8;
    snprintf(name, sizeof(name), "rib-%d-1", rib + 1);
    uint32_t first = body_index(scene, name);
    for (int k = 0; k < 2 * PIECES; ++k) {
        AfxPose pose;
        assert_int_equal(afx_sim_body_pose(sim, first + (uint32_t)k, &pose), AFX_OK);
        assert_true(fabs(pose.position.x - r * cos(azimuth)) <= 1e-8);
        assert_true(fabs(pose.position.y - r * sin(azimuth)) <= 1e-8);
        assert_true(fabs(pose.position.z - z) <= 1e-8);
        r += arm->length * sin(angle[k]);
        z -= arm->length * cos(angle[k]);
    }
}

static void test_umbrella_rests(void **state) {
    (void)state;
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim = settle("umbrella", "pieces=3 start=60 open=60", 600, &scene, &model);
    Arm arm = read_umbrella(scene);
    double angle[ARM_BODIES], multiplier[2], effort;
    for (int k = 0; k < ARM_BODIES; ++k) {
        angle[k] = 60 * PI / 180;
    }
    statics_solve(ARM_BODIES, 2, umbrella_gradient, &arm, angle, multiplier);
    assert_true(angle[2 * PIECES - 1] < angle[PIECES] - 0.01); /* the canopy bends the ribs inwards */
    for (int rib = 0; rib < 8; ++rib) {
        check_rib(scene, sim, rib, &arm, angle);
    }
    /* the drive bears the runner, the stretchers and what these push up */
    AfxMass runner;
    assert_int_equal(afx_scene_body_mass(scene, afx_scene_body(scene, body_index(scene, "runner")), &runner), AFX_OK);
    double force = runner.mass * gravity + 8 * (PIECES * arm.mass * gravity - multiplier[1]);
    assert_int_equal(afx_sim_drive_effort(sim, 0, &effort), AFX_OK);
    assert_true(fabs(effort - force) <= 1e-5 * fabs(force));
    drop(scene, model, sim);
}

int run_tied_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),       cmocka_unit_test(test_bridge_stands),  cmocka_unit_test(test_bridge_rests),
        cmocka_unit_test(test_bridge_bears), cmocka_unit_test(test_umbrella_rests),
    };
    return cmocka_run_group_tests_name("cases/tied", tests, NULL, NULL);
}
