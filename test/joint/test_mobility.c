/* SPDX-License-Identifier: Apache-2.0 */
/* Degrees of freedom and redundant rows of mechanisms that are known: open and closed, planar and spatial, with drives
 * and couplings, in several parts, and with bodies that nothing holds. */
#include "tests.h"

static const AfxVec3 origin = {0, 0, 0};

static AfxBodyId add_body(Rig *rig, AfxVec3 at) {
    AfxBodyDef def = rigid_def(1, 0.1, 0.12, 0.15);
    def.pose.position = at;
    return rig_body(rig, &def);
}

static AfxJointId hinge(Rig *rig, AfxBodyId base, AfxBodyId follower, AfxVec3 at, AfxVec3 axis) {
    return rig_joint(rig, AFX_JOINT_REVOLUTE, base, follower, afx_frame_along(at, axis));
}

static void expect(Rig *rig, int64_t freedom, uint32_t redundant) {
    AfxSimDef sim = afx_default_sim();
    int64_t got = -1;
    uint32_t rows = 99;
    if (!rig->sim) {
        rig_start(rig, &sim);
    }
    assert_ok(afx_sim_mobility(rig->sim, &got, &rows));
    if (got != freedom || rows != redundant) {
        print_error("%d degrees of freedom and %u redundant rows, not %d and %u\n", (int)got, (unsigned)rows,
                    (int)freedom, (unsigned)redundant);
    }
    assert_true(got == freedom && rows == redundant);
}

static void open_mechanisms(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    expect(&rig, 0, 0); /* nothing at all */
    rig_free(&rig);
    rig = rig_make(v3(0, 0, -9.81));
    hinge(&rig, afx_world(), add_body(&rig, v3(1, 0, 0)), origin, v3(0, 1, 0));
    expect(&rig, 1, 0);
    rig_free(&rig);
    rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId last = afx_world();
    for (int k = 0; k < 12; k++) { /* balls: 3 each */
        AfxBodyId body = add_body(&rig, v3(k + 0.5, 0, 0));
        rig_joint(&rig, AFX_JOINT_SPHERICAL, last, body, (AfxPose){v3(k, 0, 0), {1, 0, 0, 0}});
        last = body;
    }
    expect(&rig, 36, 0);
    rig_free(&rig);
}

/* Every kind on its own: six less its rows. */
static void every_kind(void **state) {
    (void)state;
    for (int kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
        uint64_t seed = 31;
        Rig rig = random_rig((AfxJointKind)kind, BASE_WORLD, &seed);
        int64_t freedom = (int64_t)afx_joint_axis_count((AfxJointKind)kind);
        freedom = kind == AFX_JOINT_DISTANCE             ? 5
                  : kind == AFX_JOINT_REVOLUTE_SPHERICAL ? 4
                  : kind == AFX_JOINT_REVOLUTE_REVOLUTE  ? 2
                  : kind == AFX_JOINT_SCREW              ? 1
                                                         : freedom;
        expect(&rig, freedom, kind == AFX_JOINT_REVOLUTE_POINTS ? 1 : 0);
        rig_free(&rig);
    }
}

static void a_door(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId door = add_body(&rig, v3(0.5, 0, 1));
    hinge(&rig, afx_world(), door, v3(0, 0, 0.2), v3(0, 0, 1));
    hinge(&rig, afx_world(), door, v3(0, 0, 1.8), v3(0, 0, 1));
    expect(&rig, 1, 5);
    rig_free(&rig);
}

static void add_four_bar(Rig *rig, AfxVec3 at, AfxJointId out[4]) {
    AfxVec3 y = v3(0, 1, 0), c = v3_add(at, v3(0.3, 0, 1)), d = v3_add(at, v3(1, 0, 0)),
            e = v3_add(at, v3(1.4, 0, 1.2));
    AfxBodyId left = add_body(rig, v3_scale(0.5, v3_add(at, c))), right = add_body(rig, v3_scale(0.5, v3_add(d, e)));
    AfxBodyId top = add_body(rig, v3_scale(0.5, v3_add(c, e)));
    out[0] = hinge(rig, afx_world(), left, at, y);
    out[1] = hinge(rig, afx_world(), right, d, y);
    out[2] = hinge(rig, left, top, c, y);
    out[3] = hinge(rig, right, top, e, y);
}

static void a_planar_four_bar(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxJointId joint[4];
    add_four_bar(&rig, origin, joint);
    expect(&rig, 1, 3);
    rig_run(&rig, 50, NULL); /* and somewhere else */
    expect(&rig, 1, 3);
    rig_free(&rig);
}

/* Parallelogram: where it lies flat it could also fold; elsewhere it cannot. */
static void a_parallelogram_in_its_singular_position(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxVec3 y = v3(0, 1, 0);
    AfxBodyId left = add_body(&rig, v3(0.5, 0, 0)), right = add_body(&rig, v3(2.5, 0, 0)),
              top = add_body(&rig, v3(2, 0, 0));
    hinge(&rig, afx_world(), left, v3(0, 0, 0), y);
    hinge(&rig, afx_world(), right, v3(2, 0, 0), y);
    hinge(&rig, left, top, v3(1, 0, 0), y);
    hinge(&rig, right, top, v3(3, 0, 0), y);
    expect(&rig, 2, 4);
    rig_free(&rig);
}

/* Bricard: six hinges in a ring, 30 bodies' freedoms less 30 rows, and yet it moves. */
static void bricard(void **state) {
    (void)state;
    static const AfxVec3 nodes[6] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    static const AfxVec3 axes[3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    Rig rig = rig_make(v3(0, -9.81, 0));
    AfxBodyId rod[5];
    for (int k = 0; k < 5; k++) {
        rod[k] = add_body(&rig, v3_scale(0.5, v3_add(nodes[k], nodes[k + 1])));
    }
    for (int k = 0; k < 6; k++) {
        hinge(&rig, k == 0 ? afx_world() : rod[k - 1], k == 5 ? afx_world() : rod[k], nodes[k], axes[k % 3]);
    }
    expect(&rig, 1, 1);
    rig_free(&rig);
}

/* Sarrus: two chains of three parallel hinges each, along x and along y, carry a plate straight up. */
static void sarrus(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId plate = add_body(&rig, v3(0, 0, 1.2));
    for (int k = 0; k < 2; k++) {
        AfxVec3 axis = k ? v3(1, 0, 0) : v3(0, 1, 0), out = k ? v3(0, 1, 0) : v3(1, 0, 0), z = v3(0, 0, 1);
        AfxVec3 foot = v3_scale(0.5, out), knee = v3_add(out, v3_scale(0.6, z)), hip = v3_add(foot, v3_scale(1.2, z));
        AfxBodyId shin = add_body(&rig, v3_scale(0.5, v3_add(foot, knee)));
        AfxBodyId thigh = add_body(&rig, v3_scale(0.5, v3_add(knee, hip)));
        hinge(&rig, afx_world(), shin, foot, axis);
        hinge(&rig, shin, thigh, knee, axis);
        hinge(&rig, thigh, plate, hip, axis);
    }
    expect(&rig, 1, 1);
    double height = rig_pose(&rig, plate).position.z;
    rig_run(&rig, 20, NULL);
    AfxPose pose = rig_pose(&rig, plate);
    assert_true(pose.position.z < height - 0.01); /* it sinks, and does nothing else */
    assert_vec3(pose.position, v3(0, 0, pose.position.z), 1e-9);
    expect(&rig, 1, 1);
    rig_free(&rig);
}

/* Two mechanisms and two bodies that nothing holds: numbers add. A kinematic body counts for nothing. */
static void parts_add_up(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxJointId joint[4];
    add_four_bar(&rig, origin, joint);
    AfxBodyId swing = add_body(&rig, v3(5, 0, 0));
    hinge(&rig, afx_world(), swing, v3(4, 0, 0), v3(0, 1, 0));
    AfxBodyId one = add_body(&rig, v3(9, 0, 0)), two = add_body(&rig, v3(10, 0, 0)); /* a pair in flight: 7 */
    hinge(&rig, one, two, v3(9.5, 0, 0), v3(0, 1, 0));
    add_body(&rig, v3(0, 9, 0));
    add_body(&rig, v3(0, 11, 0));
    AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
    def.kind = AFX_BODY_KINEMATIC;
    rig_body(&rig, &def);
    def.kind = AFX_BODY_FIXED;
    rig_body(&rig, &def);
    expect(&rig, 1 + 1 + 7 + 12, 3);
    rig_free(&rig);
}

static void add_drive(Rig *rig, AfxDriveKind kind, AfxJointId joint) {
    AfxDriveDef def = afx_default_drive(kind);
    AfxDriveId id;
    def.joint = joint;
    def.stiffness = 10;
    def.effort = 5;
    assert_ok(afx_scene_add_drive(rig->scene, &def, &id));
}

/* Exact drives and couplings take freedoms, and are redundant where there is none left; all others do not. */
static void drives_and_couplings_count(void **state) {
    (void)state;
    for (int drives = 0; drives < 3; drives++) {
        Rig rig = rig_make(v3(0, 0, -9.81));
        AfxJointId joint[4];
        add_four_bar(&rig, origin, joint);
        for (int k = 0; k < drives; k++) {
            add_drive(&rig, k ? AFX_DRIVE_VELOCITY : AFX_DRIVE_POSITION, joint[k]);
        }
        expect(&rig, drives ? 0 : 1, drives ? 2 + drives : 3);
        rig_free(&rig);
    }
    for (int compliant = 0; compliant < 2; compliant++) {
        Rig rig = rig_make(v3(0, 0, -9.81));
        AfxCouplingDef coupling = afx_default_coupling();
        AfxCouplingId id;
        coupling.term_count = 2;
        for (int k = 0; k < 2; k++) {
            coupling.joint[k] =
                hinge(&rig, afx_world(), add_body(&rig, v3(2 * k + 1, 0, 0)), v3(2 * k, 0, 0), v3(0, 1, 0));
            coupling.factor[k] = 1 + k;
            add_drive(&rig, AFX_DRIVE_SERVO, coupling.joint[k]);
            add_drive(&rig, AFX_DRIVE_SPRING, coupling.joint[k]);
            add_drive(&rig, AFX_DRIVE_FORCE, coupling.joint[k]);
            add_drive(&rig, AFX_DRIVE_FRICTION, coupling.joint[k]);
            add_drive(&rig, AFX_DRIVE_LIMIT, coupling.joint[k]);
        }
        coupling.compliance = compliant * 1e-3;
        assert_ok(afx_scene_add_coupling(rig.scene, &coupling, &id));
        expect(&rig, compliant ? 2 : 1, 0);
        rig_free(&rig);
    }
}

/* Joints that are switched off hold nothing. */
static void inactive_joints_do_not_count(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxJointId joint[4];
    add_four_bar(&rig, origin, joint);
    expect(&rig, 1, 3);
    assert_ok(afx_sim_set_joint_active(rig.sim, joint[3].index, false));
    expect(&rig, 3, 0);
    assert_ok(afx_sim_set_joint_active(rig.sim, joint[3].index, true));
    expect(&rig, 1, 3);
    rig_free(&rig);
}

/* Asking changes nothing: the run goes on as it would have. */
static void asking_leaves_the_run_alone(void **state) {
    (void)state;
    Rig one = rig_make(v3(0, 0, -9.81)), two = rig_make(v3(0, 0, -9.81));
    AfxJointId joint[4];
    AfxSimDef sim = afx_default_sim();
    add_four_bar(&one, origin, joint);
    add_four_bar(&two, origin, joint);
    rig_start(&one, &sim);
    rig_start(&two, &sim);
    for (int n = 0; n < 50; n++) {
        rig_run(&one, 1, NULL);
        rig_run(&two, 1, NULL);
        expect(&two, 1, 3);
    }
    assert_memory_equal(afx_sim_coordinates(one.sim), afx_sim_coordinates(two.sim), 3 * 12 * sizeof(double));
    assert_int_equal(afx_sim_mobility(NULL, &(int64_t){0}, &(uint32_t){0}), AFX_E_ARGUMENT);
    rig_free(&one);
    rig_free(&two);
}

int run_mobility_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_mechanisms),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(a_door),
        cmocka_unit_test(a_planar_four_bar),
        cmocka_unit_test(a_parallelogram_in_its_singular_position),
        cmocka_unit_test(bricard),
        cmocka_unit_test(sarrus),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(drives_and_couplings_count),
        cmocka_unit_test(inactive_joints_do_not_count),
        cmocka_unit_test(asking_leaves_the_run_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
