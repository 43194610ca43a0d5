/* SPDX-License-Identifier: Apache-2.0 */
/* Two links that hang at rest, one on the other: all forces are known, so the oracle is asked without any solver. Then
 * one number after the other is changed, and must show up where it belongs, in the right size. */
#include "joint/law.h"
#include "model/params.h"
#include "solve/residual.h"
#include "tests.h"

#define MASS 2.0
#define GRAVITY 9.81
#define HALF 0.5
#define H 0.01
#define SMALL 1e-6
#define STIFFNESS 40.0
#define DAMPING 3.0
#define EFFORT 5.0

enum { SPRING, SERVO, LIMIT, FRICTION, FORCE, DRIVES };

typedef struct Hanging {
    Rig rig;
    double q[24], qhat[24], qv[24], lambda[64], angle[8], target[2 * DRIVES], limit[DRIVES];
    uint8_t active[2], branch[DRIVES];
    AfxiScale scale[2];
    AfxiResidualStage stage;
    AfxiResidualBody work[2];
} Hanging;

static AfxBodyId add_link(Rig *rig, double z, double young) {
    AfxBodyDef def = rigid_def(MASS, 0.2, 0.2, 0.01);
    AfxBodyId id;
    def.pose.position = at(0, 0, z);
    def.young = young;
    def.poisson = 0;
    assert_ok(afx_scene_add_body(rig->scene, &def, &id));
    return id;
}

static uint32_t row_of(const Hanging *hanging, uint32_t joint, uint32_t row) {
    const AfxModel *model = hanging->rig.model;
    return model->joints[joint].row + row;
}

/* The points' rows are the first three of a hinge: a joint pulls its follower up by -lambda. */
static Hanging *hang(double young) {
    Hanging *hanging = calloc(1, sizeof *hanging);
    hanging->rig = rig_make(at(0, 0, -GRAVITY));
    Rig *rig = &hanging->rig;
    AfxBodyId upper = add_link(rig, -HALF, young), lower = add_link(rig, -3 * HALF, young);
    rig_joint(rig, AFX_JOINT_REVOLUTE, afx_world(), upper, at(0, 0, 0), at(0, 1, 0));
    AfxJointId between = rig_joint(rig, AFX_JOINT_REVOLUTE, upper, lower, at(0, 0, -2 * HALF), at(0, 1, 0));
    static const AfxDriveKind kinds[DRIVES] = {
        [SPRING] = AFX_DRIVE_SPRING, [SERVO] = AFX_DRIVE_SERVO,       [LIMIT] = AFX_DRIVE_LIMIT,
        [FORCE] = AFX_DRIVE_FORCE,   [FRICTION] = AFX_DRIVE_FRICTION,
    };
    for (int k = 0; k < DRIVES; k++) {
        AfxDriveDef drive = rig_drive(kinds[k], between, 0);
        drive.stiffness = STIFFNESS;
        drive.damping = DAMPING;
        drive.effort = EFFORT;
        drive.lower = -1;
        drive.upper = 1;
        rig_add_drive(rig, &drive);
        hanging->limit[k] = EFFORT;
    }
    rig_start(rig, AFX_BDF2, 0);
    double load[2] = {2 * MASS * GRAVITY, MASS * GRAVITY}, edge = 0;
    AfxiBodyClass class = afxi_class_of_params(rig->model, rig->model->params, 0);
    for (int body = 0; body < 2; body++) {
        /* V E s: the pulls at both ends, times their levers */
        double strain = isinf(young) ? 0 : HALF * (load[body] + (body ? 0 : load[1])) / (class.volume * young);
        double place[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1 + strain, 0, 0, edge - HALF * (1 + strain)};
        edge -= 2 * HALF * (1 + strain);
        memcpy(hanging->q + (size_t)12 * body, place, sizeof place);
        hanging->lambda[row_of(hanging, (uint32_t)body, 2)] = -load[body];
        hanging->active[body] = 1;
        hanging->scale[body] = (AfxiScale){H * H, H};
    }
    memcpy(hanging->qhat, hanging->q, sizeof hanging->q);
    memcpy(hanging->qv, hanging->q, sizeof hanging->q);
    hanging->stage = (AfxiResidualStage){.model = rig->model,
                                         .params = rig->model->params,
                                         .scale = hanging->scale,
                                         .q = hanging->q,
                                         .qhat = hanging->qhat,
                                         .qv = hanging->qv,
                                         .v = hanging->qv,
                                         .lambda = hanging->lambda,
                                         .angle = hanging->angle,
                                         .joint_active = hanging->active,
                                         .branch = hanging->branch,
                                         .target = hanging->target,
                                         .friction_limit = hanging->limit};
    return hanging;
}

static void let_go(Hanging *hanging) {
    rig_free(&hanging->rig);
    free(hanging);
}

static AfxResidual ask(Hanging *hanging) {
    AfxResidual out = {.body = UINT32_MAX, .complete = true};
    afxi_residual_evaluate(&hanging->stage, hanging->work, &out);
    return out;
}

static double *drive_lambda(Hanging *hanging, uint32_t drive) {
    return &hanging->lambda[hanging->rig.model->drives[drive].row];
}

static void hanging_links_are_in_balance(void **state) {
    (void)state;
    const double young[] = {INFINITY, 1e9, 1e6};
    for (size_t k = 0; k < COUNT(young); k++) {
        Hanging *hanging = hang(young[k]);
        assert_met("hanging", ask(hanging), 1e-13);
        let_go(hanging);
    }
}

static void a_changed_multiplier_unbalances_its_bodies(void **state) {
    (void)state;
    Hanging *hanging = hang(INFINITY);
    hanging->lambda[row_of(hanging, 0, 2)] += SMALL; /* the upper joint: weight, lower link, and itself */
    AfxResidual found = ask(hanging);
    assert_int_equal(found.body, 0);
    assert_near(found.force, SMALL / (4 * MASS * GRAVITY), 1e-2 * SMALL / (4 * MASS * GRAVITY));
    assert_below(found.constraint, 1e-13);
    assert_below(found.law, 1e-13);
    hanging->lambda[row_of(hanging, 0, 2)] -= SMALL;
    hanging->lambda[row_of(hanging, 1, 2)] += SMALL; /* both, and the lower one has less else to bear */
    found = ask(hanging);
    assert_int_equal(found.body, 1);
    assert_near(found.force, SMALL / (2 * MASS * GRAVITY), 1e-2 * SMALL / (2 * MASS * GRAVITY));
    hanging->lambda[row_of(hanging, 1, 2)] -= SMALL;
    hanging->lambda[row_of(hanging, 0, 3)] += SMALL; /* a torque on the upper link, which nothing balances */
    found = ask(hanging);
    double gyration = sqrt(0.205 / MASS), torque = gyration * 4 * MASS * GRAVITY + 3 * HALF * MASS * GRAVITY;
    assert_int_equal(found.body, 0);
    assert_near(found.force, SMALL / torque, 1e-2 * SMALL / torque);
    let_go(hanging);
}

static void a_moved_body_shows_at_its_joint_and_in_its_inertia(void **state) {
    (void)state;
    Hanging *hanging = hang(INFINITY);
    hanging->q[12 + 9] += SMALL;
    AfxResidual found = ask(hanging);
    assert_int_equal(found.constraint_element, AFX_ELEMENT_JOINT);
    assert_int_equal(found.constraint_index, 1);
    assert_near(found.constraint, SMALL, 1e-12);
    assert_int_equal(found.body, 1);
    double inertia = MASS * SMALL / (H * H);
    assert_near(found.force, inertia / (2 * MASS * GRAVITY + inertia), 1e-3 * found.force);
    hanging->q[12 + 9] -= SMALL;
    for (int e = 0; e < 9; e++) { /* larger by a millionth, which a rigid body cannot be */
        hanging->q[e] *= 1 + SMALL;
    }
    found = ask(hanging);
    assert_int_equal(found.constraint_element, AFX_ELEMENT_BODY);
    assert_int_equal(found.constraint_index, 0);
    assert_near(found.constraint, sqrt(3) * SMALL, 1e-10);
    let_go(hanging);
}

static void strain_that_no_force_explains_unbalances_an_elastic_body(void **state) {
    (void)state;
    const double young = 1e6;
    Hanging *hanging = hang(young);
    AfxiBodyClass class = afxi_class_of_params(hanging->rig.model, hanging->rig.model->params, 1);
    for (int e = 0; e < 12; e += 4) { /* a stretch that leaves the joint alone */
        hanging->q[12] = hanging->qhat[12] = hanging->qv[12] = 1 + SMALL;
    }
    AfxResidual found = ask(hanging);
    double natural = sqrt(0.205 / MASS) * 2 * MASS * GRAVITY + HALF * MASS * GRAVITY;
    assert_int_equal(found.body, 1);
    assert_near(found.force, class.volume * young * SMALL / natural, 2e-2 * found.force);
    let_go(hanging);
}

/* One drive at a time asks for something else than it gets. */
static void drives_that_do_not_give_what_their_law_says(void **state) {
    (void)state;
    Hanging *hanging = hang(INFINITY);
    double total = STIFFNESS + DAMPING / H;
    *drive_lambda(hanging, SPRING) = SMALL;
    AfxResidual found = ask(hanging);
    assert_int_equal(found.constraint_element, AFX_ELEMENT_DRIVE);
    assert_int_equal(found.constraint_index, SPRING);
    assert_near(found.constraint, SMALL / total, 1e-6 * SMALL);
    *drive_lambda(hanging, SPRING) = 0;
    hanging->target[2 * SERVO] = SMALL; /* k, and the rate's d */
    hanging->target[2 * SERVO + 1] = 2 * SMALL;
    found = ask(hanging);
    assert_int_equal(found.constraint_index, SERVO);
    assert_near(found.constraint, SMALL * (STIFFNESS + 2 * DAMPING) / total, 1e-6 * SMALL);
    hanging->target[2 * SERVO] = hanging->target[2 * SERVO + 1] = 0;
    hanging->target[2 * FORCE] = 2 * EFFORT; /* it gives at most its effort, and gives nothing here */
    found = ask(hanging);
    double natural = sqrt(0.205 / MASS) * 4 * MASS * GRAVITY + 3 * HALF * MASS * GRAVITY;
    assert_int_equal(found.law_element, AFX_ELEMENT_DRIVE);
    assert_int_equal(found.law_index, FORCE);
    assert_near(found.law, EFFORT / natural, 1e-6);
    hanging->target[2 * FORCE] = 0;
    for (int drive = SERVO; drive <= FRICTION; drive++) { /* on a branch that is not theirs */
        hanging->branch[drive] = AFXI_BRANCH_HIGH;
        found = ask(hanging);
        assert_int_equal(drive == LIMIT ? found.constraint_index : found.law_index, drive);
        assert_near(drive == LIMIT ? found.constraint : found.law, drive == LIMIT ? 1 : EFFORT / natural, 1e-6);
        hanging->branch[drive] = AFXI_BRANCH_FREE;
    }
    hanging->angle[1] = 0;
    *drive_lambda(hanging, LIMIT) = SMALL; /* pushes though nothing is near */
    found = ask(hanging);
    assert_int_equal(found.law_index, LIMIT);
    assert_near(found.law, SMALL / natural, 1e-2 * SMALL / natural);
    let_go(hanging);
}

static void a_joint_that_is_off_carries_nothing(void **state) {
    (void)state;
    Hanging *hanging = hang(INFINITY);
    hanging->active[1] = 0;
    AfxResidual found = ask(hanging);
    assert_int_equal(found.law_element, AFX_ELEMENT_JOINT);
    assert_int_equal(found.law_index, 1);
    assert_near(found.law, 0.25, 1e-9); /* of the largest sum of forces: 4 m g on the upper link */
    let_go(hanging);
}

/* The upper link stands on a point of the ground instead of hanging, the lower one on a point of the upper one, which
 * is where their joint was; both points are round. */
static void contacts_push_by_their_depth_and_brake_by_their_slip(void **state) {
    (void)state;
    Hanging *hanging = hang(INFINITY);
    const double stiffness = 1e4, grip = 50, slip = 0.01, deep = MASS * GRAVITY / stiffness;
    AfxiResidualPoint point = {.body_a = 1,
                               .body_b = 0,
                               .pair = true,
                               .normal = {0, 0, 1},
                               .core_a = {0, 0, 0.2},
                               .core_b = {0, 0, -0.7},
                               .x_a = {0, 0, 0.1},
                               .x_b = {0, 0, -0.8},
                               .round = -0.1 + deep,
                               .dt = H,
                               .frame_a = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                               .frame_b = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                               .stretch = {slip, 0, 0},
                               .stiffness = stiffness,
                               .grip = grip,
                               .friction = 0.5,
                               .push = MASS * GRAVITY,
                               .force = {-grip * slip, 0, 0}};
    hanging->lambda[row_of(hanging, 1, 2)] = 0;
    hanging->lambda[row_of(hanging, 1, 0)] = -grip * slip; /* the joint holds what friction pulls */
    hanging->stage.point = &point;
    hanging->stage.point_count = 1;
    AfxResidual found = ask(hanging);
    double force = 2 * MASS * GRAVITY + 2 * grip * slip, rest = found.force;
    assert_below(found.law, 1e-12);
    assert_below(found.friction, 1e-12);
    assert_true(rest > 0.01); /* levers of friction and of the joint are not the same */
    point.push += SMALL;
    found = ask(hanging);
    assert_int_equal(found.law_element, AFX_ELEMENT_CONTACT);
    assert_int_equal(found.law_index, 1);
    assert_near(found.law, SMALL / force, 1e-2 * SMALL / force);
    point.push = MASS * GRAVITY;
    point.round += SMALL; /* deeper than its force says */
    assert_near(ask(hanging).law, stiffness * SMALL / force, 1e-2 * stiffness * SMALL / force);
    point.rest = SMALL; /* which may rest */
    assert_below(ask(hanging).law, 1e-10);
    point.round = -2; /* far apart, and yet it pushes */
    assert_near(ask(hanging).law, MASS * GRAVITY / force, 1e-6);
    point.round = -0.1 + deep;
    point.rest = 0;
    point.force[0] += SMALL;
    found = ask(hanging);
    assert_int_equal(found.friction_body, 1);
    assert_near(found.friction, SMALL / force, 1e-2 * SMALL / force);
    point.force[0] = -grip * slip;
    point.friction = 0.5 * grip * slip / (MASS * GRAVITY); /* half of it is all that there may be */
    assert_near(ask(hanging).friction, 0.5 * grip * slip / force, 1e-6);
    point.friction = 0.5;
    hanging->qv[12 + 9] -= SMALL; /* slips by dt v = dt SMALL / h */
    assert_near(ask(hanging).friction, grip * SMALL / force, 1e-2 * grip * SMALL / force);
    let_go(hanging);
}

static void what_is_not_a_number_is_largest(void **state) {
    (void)state;
    Hanging *hanging = hang(INFINITY);
    hanging->q[9] = NAN;
    AfxResidual found = ask(hanging);
    assert_true(isinf(found.force) && isinf(found.constraint));
    let_go(hanging);
}

int run_balance_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging_links_are_in_balance),
        cmocka_unit_test(a_changed_multiplier_unbalances_its_bodies),
        cmocka_unit_test(a_moved_body_shows_at_its_joint_and_in_its_inertia),
        cmocka_unit_test(strain_that_no_force_explains_unbalances_an_elastic_body),
        cmocka_unit_test(drives_that_do_not_give_what_their_law_says),
        cmocka_unit_test(a_joint_that_is_off_carries_nothing),
        cmocka_unit_test(contacts_push_by_their_depth_and_brake_by_their_slip),
        cmocka_unit_test(what_is_not_a_number_is_largest),
    };
    return cmocka_run_group_tests_name("solve balance", tests, NULL, NULL);
}
