/* SPDX-License-Identifier: Apache-2.0 */
/* Tendons around bodies: lengths and lever arms against closed forms and differences, what acts along them against
 * statics and against the same on the joint itself. */
#include "math/path.h"
#include "tests.h"

#define PI 3.14159265358979323846

static AfxVec3 v3(double x, double y, double z) {
    return (AfxVec3){x, y, z};
}

static AfxiStop point(double x, double y, double z) {
    return (AfxiStop){.kind = AFXI_STOP_POINT, .pose = {v3(x, y, z), {1, 0, 0, 0}}, .divisor = 1};
}

static double length(const AfxiStop *stops, uint32_t count) {
    AfxiStretch stretches[16];
    uint32_t straight;
    return afxi_path_length(stops, count, stretches, &straight);
}

/* Over a circle of radius r from (-a, 0) to (a, 0): two tangents of sqrt(a² - r²) and an arc of pi - 2 acos(r / a). */
static void paths_go_around_what_is_in_the_way(void **state) {
    (void)state;
    double a = 2, r = 0.7, arc = PI - 2 * acos(r / a), straight = 2 * sqrt(a * a - r * r);
    AfxiStop stops[3] = {point(-a, 0.001, 0), {.kind = AFXI_STOP_SPHERE, .radius = r}, point(a, 0.001, 0)};
    stops[1].pose.rotation.w = 1;
    assert_near(length(stops, 3), straight + r * arc, 1e-3);
    stops[0].pose.position.y = stops[2].pose.position.y = 0;
    assert_near(length(stops, 3), straight + r * arc, 1e-12);
    stops[1].kind = AFXI_STOP_CYLINDER; /* and h along its axis: unrolled, a straight line */
    stops[2].pose.position.z = 1.5;
    assert_near(length(stops, 3), sqrt(pow(straight + r * arc, 2) + 1.5 * 1.5), 1e-12);
    stops[0].pose.position.y = stops[2].pose.position.y = 1; /* not in the way */
    assert_near(length(stops, 3), sqrt(4 * a * a + 1.5 * 1.5), 1e-12);
    stops[1].sided = true; /* but on the other side of it */
    stops[1].side = v3(0, -3, 0);
    double below = length(stops, 3);
    assert_true(below > 4.5);
    stops[1].side = v3(0, 3, 0);
    assert_near(length(stops, 3), sqrt(4 * a * a + 1.5 * 1.5), 1e-12);
    AfxiStop pulley[5] = {
        point(0, 0, 0), point(1, 0, 0), {.kind = AFXI_STOP_PULLEY, .divisor = 2}, point(5, 0, 0), point(8, 0, 0)};
    assert_near(length(pulley, 5), 1 + 3 / 2.0, 1e-15);
}

/* The shortest of all ways over a circle of radius r, from brute force. */
static double shortest_over(double r, const double a[2], const double b[2]) {
    double least = INFINITY;
    for (int k = 0; k < 200000; k++) {
        double c = r * cos(2 * PI * k / 200000), s = r * sin(2 * PI * k / 200000);
        double way = hypot(a[0] - c, a[1] - s) + hypot(b[0] - c, b[1] - s);
        least = way < least ? way : least;
    }
    return least;
}

/* With its side inside, a path touches a sphere or a cylinder in one point, from inside: above a circle it goes down to
 * it and up again. */
static void paths_go_through_what_they_are_inside_of(void **state) {
    (void)state;
    double r = 0.5;
    AfxiStop stops[3] = {point(-1, 0.8, 0), {.kind = AFXI_STOP_SPHERE, .radius = r, .sided = true}, point(1, 0.8, 0)};
    stops[1].pose.rotation.w = 1;
    assert_near(length(stops, 3), 2 * sqrt(1 + 0.3 * 0.3), 1e-12);
    stops[1].kind = AFXI_STOP_CYLINDER; /* and 1.5 along its axis: unrolled, a straight line */
    stops[2].pose.position.z = 1.5;
    assert_near(length(stops, 3), sqrt(4 * (1 + 0.3 * 0.3) + 1.5 * 1.5), 1e-12);
    stops[2].pose.position = v3(0.4, 2, 0);
    double a[2] = {-1, 0.8}, b[2] = {0.4, 2};
    assert_near(length(stops, 3), shortest_over(r, a, b), 1e-9);
    stops[0].pose.position = v3(0.4, 2, 0); /* the other way round */
    stops[2].pose.position = v3(-1, 0.8, 0);
    assert_near(length(stops, 3), shortest_over(r, a, b), 1e-9);
    stops[2].pose.position = v3(-1, -1, 0); /* the straight line goes through it */
    assert_near(length(stops, 3), hypot(1.4, 3), 1e-12);
}

#define ARM(more, actuator)                                                                                          \
    "<mujoco><option gravity='0 0 0'/><worldbody><site name='s0' pos='-.1 0 .3'/><body name='a' pos='0 0 .5'>"       \
    "<geom name='round' type='cylinder' size='.06 .1' euler='90 0 0' mass='.01' contype='0' conaffinity='0'/>"       \
    "<joint name='j' axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .4 0 0' mass='1'/>"                 \
    "<site name='s1' pos='.2 0 .02'/><site name='up' pos='0 0 .2'/><body name='b' pos='.4 0 0'>"                     \
    "<joint name='k' axis='0 1 0' range='-90 90'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0' mass='.5'/>" \
    "<site name='s2' pos='.15 .05 .01'/></body></body></worldbody><tendon><spatial name='t' " more                   \
    "><site site='s0'/><geom geom='round' sidesite='up'/><site site='s1'/><site site='s2'/></spatial></tendon>"      \
    "<actuator>" actuator "</actuator><sensor><tendonpos name='l' tendon='t'/><tendonvel name='v' tendon='t'/>"      \
    "</sensor></mujoco>"

static void lengths_change_by_their_lever_arms(void **state) {
    (void)state;
    AfxScene *scene = scene_from(ARM("armature='.01'", ""), AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    const double at[3][2] = {{0.1, -0.2}, {0.9, 0.4}, {-0.7, 1.0}}, h = 1e-6;
    for (int n = 0; n < 3; n++) {
        double numbers[AFX_PARAM_SIZE_MOST], read[2], ends[2], q[2], rates[2] = {0.3, -0.8};
        for (int k = 0; k < 2; k++) {
            for (int side = 0; side < 2; side++) {
                memcpy(q, at[n], sizeof q);
                q[k] += side ? h : -h;
                assert_ok(afx_sim_set_qpos(sim, q));
                assert_ok(afx_sim_sensordata(sim, read));
                ends[side] = read[0];
            }
            assert_ok(afx_sim_set_qpos(sim, at[n]));
            assert_ok(afx_sim_param(sim, AFX_PARAM_COUPLING, 0, numbers));
            assert_near(numbers[k], (ends[1] - ends[0]) / (2 * h), 1e-8);
        }
        assert_ok(afx_sim_set_qvel(sim, rates));
        assert_ok(afx_sim_sensordata(sim, read));
        assert_near(read[1], numbers[0] * rates[0] + numbers[1] * rates[1], 1e-12);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void run(AfxSim *sim, int steps) {
    for (int k = 0; k < steps; k++) {
        assert_ok(afx_step(sim, NULL));
    }
}

/* A motor of 3 N along the tendon gives the joints its lever arms times 3 Nm. */
static void motors_pull_along_them(void **state) {
    (void)state;
    AfxScene *scene = scene_from(ARM("", "<motor name='m' tendon='t'/>"), AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double numbers[AFX_PARAM_SIZE_MOST], mass[4], q[2], start[2] = {0.2, -0.3};
    const double t = 0.02;
    assert_ok(afx_sim_set_qpos(sim, start));
    assert_ok(afx_sim_param(sim, AFX_PARAM_COUPLING, 0, numbers));
    assert_ok(afx_sim_mass_matrix(sim, mass));
    assert_ok(afx_sim_set_control(sim, 0, 3));
    run(sim, 20);
    assert_ok(afx_sim_qpos(sim, q));
    double det = mass[0] * mass[3] - mass[1] * mass[2];
    double a = 3 * (mass[3] * numbers[0] - mass[1] * numbers[1]) / det;
    double b = 3 * (mass[0] * numbers[1] - mass[2] * numbers[0]) / det;
    assert_near(q[0] - start[0], a * t * t / 2, 0.02 * fabs(a) * t * t);
    assert_near(q[1] - start[1], b * t * t / 2, 0.02 * fabs(b) * t * t);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* A limit stops what a motor pulls: the length stays below it, at rest just there. */
static void limits_hold_lengths(void **state) {
    (void)state;
    AfxScene *scene = scene_from(ARM("range='0 .86' damping='2'", "<motor name='m' tendon='t'/>"), AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double read[2];
    assert_ok(afx_sim_set_control(sim, 0, 5));
    for (int k = 0; k < 400; k++) {
        run(sim, 1);
        assert_ok(afx_sim_sensordata(sim, read));
        assert_true(read[0] < 0.86 + 2e-5);
    }
    assert_near(read[0], 0.86, 2e-5);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* A spring along the path keeps its energy as far as steps can, and a snapshot brings the same bits back. */
static void springs_along_them_hold_energy(void **state) {
    (void)state;
    AfxScene *scene = scene_from(ARM("stiffness='200' springlength='.5'", ""), AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double read[2], first = 0, worst = 0;
    AfxEnergy energy;
    for (int k = 0; k < 500; k++) {
        assert_ok(afx_sim_sensordata(sim, read));
        assert_ok(afx_sim_energy(sim, &energy));
        double all = energy.kinetic + 100 * (read[0] - 0.5) * (read[0] - 0.5);
        first = k == 0 ? all : first;
        worst = fmax(worst, all - first);
        run(sim, 1);
    }
    assert_true(first > 0.5);
    assert_true(worst < 2e-3 * first);
    size_t size = afx_sim_snapshot_size(sim);
    void *kept = malloc(size);
    double one[2], two[2];
    assert_ok(afx_sim_snapshot(sim, kept, size));
    run(sim, 20);
    assert_ok(afx_sim_qpos(sim, one));
    assert_ok(afx_sim_restore(sim, kept, size));
    run(sim, 20);
    assert_ok(afx_sim_qpos(sim, two));
    assert_memory_equal(one, two, sizeof one);
    free(kept);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

int run_tendon_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_go_around_what_is_in_the_way),
        cmocka_unit_test(paths_go_through_what_they_are_inside_of),
        cmocka_unit_test(lengths_change_by_their_lever_arms),
        cmocka_unit_test(motors_pull_along_them),
        cmocka_unit_test(limits_hold_lengths),
        cmocka_unit_test(springs_along_them_hold_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
