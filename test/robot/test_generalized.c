/* SPDX-License-Identifier: Apache-2.0 */
/* Generalised coordinates: what is set is what is told, of every kind of joint and either way round; velocities are the
 * derivatives of postures; nothing else moves; loops stay as they are. */
#include "tests.h"

enum { BODIES = 9, MOST = 64 };

/* A tree of every kind that can place a body, some of them the wrong way round; on the ground or free. */
static AfxScene *make_tree(uint64_t *seed, bool grounded) {
    static const AfxJointKind kinds[] = {AFX_JOINT_REVOLUTE,    AFX_JOINT_PRISMATIC, AFX_JOINT_UNIVERSAL,
                                         AFX_JOINT_CYLINDRICAL, AFX_JOINT_SPHERICAL, AFX_JOINT_PLANAR,
                                         AFX_JOINT_PIN_IN_SLOT, AFX_JOINT_CARTESIAN, AFX_JOINT_SCREW,
                                         AFX_JOINT_FIXED,       AFX_JOINT_FREE,      AFX_JOINT_SLOT};
    AfxScene *scene = scene_make((AfxVec3){0, 0, -9.81}, false);
    AfxBodyId body[BODIES];
    for (uint32_t k = 0; k < BODIES; k++) {
        AfxBodyDef def = rigid_def(1 + random_unit(seed), 0.1, 0.12, 0.13);
        def.pose = random_pose(seed, 1);
        def.center = random_vec3(seed, 0.1);
        assert_ok(afx_scene_add_body(scene, &def, &body[k]));
        if (k == 0 && !grounded) {
            continue;
        }
        AfxJointDef joint = afx_default_joint(kinds[(uint32_t)(11.99 * random_unit(seed))]);
        AfxBodyId other = k == 0 ? afx_world() : body[(uint32_t)(k * random_unit(seed) * 0.999)];
        bool swap = random_unit(seed) < 0.4;
        AfxJointId id;
        joint.pitch = 0.05;
        joint.base = swap ? body[k] : other;
        joint.follower = swap ? other : body[k];
        assert_ok(afx_joint_place(scene, &joint, random_pose(seed, 1)));
        assert_ok(afx_scene_add_joint(scene, &joint, &id));
    }
    return scene;
}

static void what_is_set_is_told(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 40; trial++) {
        AfxScene *scene = make_tree(&seed, trial % 2);
        AfxModel *model;
        AfxSim *sim = sim_of(scene, &model);
        uint32_t nq = afx_model_qpos_count(model), nv = afx_model_qvel_count(model);
        double want[MOST], got[MOST];
        assert_true(nq < MOST && nv < MOST);
        for (int posture = 0; posture < 20; posture++) {
            random_qpos(model, &seed, 1.4, want);
            assert_ok(afx_sim_set_qpos(sim, want));
            assert_ok(afx_sim_qpos(sim, got));
            for (uint32_t k = 0; k < nq; k++) {
                assert_near(got[k], want[k], 2e-12);
            }
            for (uint32_t k = 0; k < nv; k++) {
                want[k] = 4 * random_unit(&seed) - 2;
            }
            assert_ok(afx_sim_set_qvel(sim, want));
            assert_ok(afx_sim_qvel(sim, got));
            for (uint32_t k = 0; k < nv; k++) {
                assert_near(got[k], want[k], 1e-9); /* Cardan angles near a right angle lose digits */
            }
            double residual;
            assert_ok(afx_sim_check_joints(sim, NULL));
            assert_ok(afx_sim_assemble(sim, &residual));
            assert_below(residual, 1e-12);
        }
        afx_sim_destroy(sim);
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
}

/* q moved by the time h at the rates v; rotations by half angles in the body's axes. */
static void move(const AfxModel *model, const double *q, const double *v, double h, double *out) {
    memcpy(out, q, afx_model_qpos_count(model) * sizeof *q);
    for (uint32_t k = 0; k < afx_model_generalized_count(model); k++) {
        AfxGeneralized g;
        assert_ok(afx_model_generalized(model, k, &g));
        uint32_t slides = g.kind == AFX_GENERALIZED_AXIS ? 1 : g.kind == AFX_GENERALIZED_FREE ? 3 : 0;
        for (uint32_t n = 0; n < slides; n++) {
            out[g.qpos + n] += h * v[g.qvel + n];
        }
        if (g.kind != AFX_GENERALIZED_AXIS) {
            double *to = out + g.qpos + slides;
            const double *w = v + g.qvel + slides;
            double speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
            AfxQuat turn = afx_quat_from_axis_angle((AfxVec3){w[0], w[1], w[2]}, h * speed);
            AfxQuat next = afx_quat_multiply((AfxQuat){to[0], to[1], to[2], to[3]}, turn);
            const double parts[4] = {next.w, next.x, next.y, next.z};
            memcpy(to, parts, sizeof parts);
        }
    }
}

/* Velocities of points of all bodies against differences of their places at two postures. */
static void velocities_are_derivatives(void **state) {
    (void)state;
    static const AfxVec3 rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double h = 1e-5;
    uint64_t seed = 5;
    for (int trial = 0; trial < 40; trial++) {
        AfxScene *scene = make_tree(&seed, trial % 2);
        AfxModel *model;
        AfxSim *sim = sim_of(scene, &model);
        double q[MOST], v[MOST], moved[MOST];
        AfxVec3 at[2][BODIES][4], rate[BODIES][4];
        random_qpos(model, &seed, 0.8, q);
        for (uint32_t k = 0; k < afx_model_qvel_count(model); k++) {
            v[k] = 2 * random_unit(&seed) - 1;
        }
        assert_ok(afx_sim_set_qpos(sim, q));
        assert_ok(afx_sim_set_qvel(sim, v));
        for (uint32_t b = 0; b < BODIES; b++) {
            assert_ok(afx_sim_control_points(sim, b, rest, NULL, rate[b]));
        }
        for (int side = 0; side < 2; side++) {
            move(model, q, v, side ? h : -h, moved);
            assert_ok(afx_sim_set_qpos(sim, moved));
            for (uint32_t b = 0; b < BODIES; b++) {
                assert_ok(afx_sim_control_points(sim, b, rest, at[side][b], NULL));
            }
        }
        for (uint32_t b = 0; b < BODIES; b++) {
            for (int p = 0; p < 4; p++) {
                AfxVec3 want = {(at[1][b][p].x - at[0][b][p].x) / (2 * h), (at[1][b][p].y - at[0][b][p].y) / (2 * h),
                                (at[1][b][p].z - at[0][b][p].z) / (2 * h)};
                assert_vec3(rate[b][p], want, 1e-6);
            }
        }
        afx_sim_destroy(sim);
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
}

/* Rates stay what they were where a posture is set. */
static void postures_keep_rates(void **state) {
    (void)state;
    uint64_t seed = 9;
    AfxScene *scene = make_tree(&seed, true);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double q[MOST], v[MOST], got[MOST];
    for (uint32_t k = 0; k < afx_model_qvel_count(model); k++) {
        v[k] = 2 * random_unit(&seed) - 1;
    }
    random_qpos(model, &seed, 0.5, q);
    assert_ok(afx_sim_set_qvel(sim, v));
    assert_ok(afx_sim_set_qpos(sim, q));
    assert_ok(afx_sim_qvel(sim, got));
    for (uint32_t k = 0; k < afx_model_qvel_count(model); k++) {
        assert_near(got[k], v[k], 1e-10);
    }
    q[0] = NAN;
    assert_int_equal(afx_sim_set_qpos(sim, q), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_qpos(sim, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_qvel(NULL, got), AFX_E_ARGUMENT);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

#define FOUR_BAR                                                                                                \
    "<mujoco><worldbody><body name='crank'><joint name='a' axis='0 1 0' armature='.01'/>"                       \
    "<geom type='capsule' fromto='0 0 0 0 0 .3' size='.02' contype='0' conaffinity='0'/>"                       \
    "<body name='coupler' pos='0 0 .3'><joint name='b' axis='0 1 0'/>"                                          \
    "<geom type='capsule' fromto='0 0 0 1 0 0' size='.02' contype='0' conaffinity='0'/>"                        \
    "<body name='rocker' pos='1 0 0'><joint name='c' axis='0 1 0'/>"                                            \
    "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02' contype='0' conaffinity='0'/></body></body></body>" \
    "<body name='other' pos='3 0 0'><freejoint name='f'/><geom size='.1'/></body></worldbody>"                  \
    "<equality><connect body1='rocker' anchor='0 0 -.3'/></equality></mujoco>"

/* A loop: coordinates are set exactly, the rest stands, and assembling closes it with the least motion. */
static void loops_are_left_open(void **state) {
    (void)state;
    AfxScene *scene = scene_from(FOUR_BAR, AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    AfxPose before, after;
    uint32_t nq = afx_model_qpos_count(model);
    double q[10], got[10], residual;
    assert_int_equal(nq, 10);
    assert_ok(afx_sim_qpos(sim, q));
    assert_ok(afx_sim_body_pose(sim, 3, &before));
    q[0] = 0.2;
    q[1] = -0.1;
    assert_ok(afx_sim_set_qpos(sim, q));
    assert_ok(afx_sim_qpos(sim, got));
    for (uint32_t k = 0; k < nq; k++) {
        assert_near(got[k], q[k], 1e-14);
    }
    assert_int_equal(afx_sim_check_joints(sim, NULL), AFX_E_NUMERIC);
    assert_ok(afx_sim_assemble(sim, &residual));
    assert_ok(afx_sim_check_joints(sim, NULL));
    assert_ok(afx_sim_qpos(sim, got));
    assert_near(got[0], -got[1], 1e-9); /* a parallelogram */
    assert_near(got[0], got[2], 1e-9);
    assert_ok(afx_sim_body_pose(sim, 3, &after));
    assert_memory_equal(&before, &after, sizeof before);
    assert_ok(afx_step(sim, NULL));
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

int run_generalized_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_set_is_told),
        cmocka_unit_test(velocities_are_derivatives),
        cmocka_unit_test(postures_keep_rates),
        cmocka_unit_test(loops_are_left_open),
    };
    return cmocka_run_group_tests_name("generalised coordinates", tests, NULL, NULL);
}
