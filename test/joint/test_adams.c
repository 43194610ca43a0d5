/* SPDX-License-Identifier: Apache-2.0 */
/* The five joint families that ADAMS was run on (../shared/data/adams-joints, from Project Chrono's tests): one body on
 * one joint to the ground, falling for 5 s from rest. The cases are those of the .adm files beside the tables; ADAMS's
 * joint axis is the marker's z, a Hooke joint turns about x of the ground's marker and y of the part's.
 *
 * The tables have six digits, but ADAMS ran with an error of its own: about 5e-4 of the motion's size in spherical 1
 * and universal 1, 2, 3, and some 1e-4 in the accelerations and reactions of the others. So the data are put beside a
 * third solution, joint_reference, whose own error is below 1e-9: it says how far the tables are from the truth, and we
 * must agree with it to half a unit of their last digit. With that our distance from the tables is their own error. */
#include "tests.h"

#define FOLDER "../shared/data/adams-joints/"
enum { SAMPLES = 501, QUANTITIES = 8 };
static const double gravity = 9.80665, sample_time = 0.01;

typedef struct Case {
    const char *name;
    AfxJointKind kind;
    AfxVec3 ground; /* the joint's marker */
    AfxVec3 centre; /* of mass */
    double euler[3];
    double inertia[3]; /* in the marker's axes */
    uint32_t parts;    /* steps per sample */
    bool loose;        /* ADAMS's error is well above its digits */
} Case;

#define R2 1.414213562373095
static const Case cases[] = {
    {"Revolute_Case01", AFX_JOINT_REVOLUTE, {0, 0, 0}, {2, 0, 0}, {180, 90, 180}, {.04, .1, .1}, 100, false},
    {"Revolute_Case02", AFX_JOINT_REVOLUTE, {1, 2, 3}, {3, 2, 3}, {180, 45, 180}, {.04, .1, .1}, 100, false},
    {"Prismatic_Case01", AFX_JOINT_PRISMATIC, {0, 0, 0}, {2, 0, 0}, {0, 0, 0}, {.04, .1, .1}, 5, false},
    {"Prismatic_Case02", AFX_JOINT_PRISMATIC, {1, 2, 3}, {3, 2, 3}, {180, 45, 180}, {.04, .1, .1}, 5, false},
    {"Prismatic_Case03", AFX_JOINT_PRISMATIC, {1, 2, 3}, {3, 2, 3}, {180, 90, 180}, {.04, .1, .1}, 5, false},
    {"Cylindrical_Case01", AFX_JOINT_CYLINDRICAL, {0, 0, 0}, {2, 0, 0}, {0, 0, 0}, {.04, .1, .1}, 5, false},
    {"Cylindrical_Case02", AFX_JOINT_CYLINDRICAL, {0, 0, 0}, {2, 0, 0}, {180, 90, 180}, {.04, .1, .1}, 100, false},
    {"Cylindrical_Case03", AFX_JOINT_CYLINDRICAL, {1, 2, 3}, {3, 2, 3}, {180, 45, 180}, {.04, .1, .1}, 40, false},
    {"Spherical_Case01", AFX_JOINT_SPHERICAL, {0, 0, 0}, {2, 0, 0}, {0, 0, 0}, {.04, .1, .1}, 100, true},
    {"Spherical_Case02", AFX_JOINT_SPHERICAL, {1, 2, 3}, {3, 2, 3}, {180, 45, 180}, {.04, .1, .1}, 100, false},
    {"Universal_Case01", AFX_JOINT_UNIVERSAL, {0, 0, 0}, {0, 2, 0}, {0, 90, 0}, {.1, .1, .04}, 100, true},
    {"Universal_Case02", AFX_JOINT_UNIVERSAL, {0, 0, 0}, {-2, 0, 0}, {90, 90, -90}, {.1, .1, .04}, 100, true},
    {"Universal_Case03", AFX_JOINT_UNIVERSAL, {0, 0, 0}, {R2, R2, 0}, {-45, 90, 45}, {.1, .1, .04}, 100, true},
};

/* ---- tables ---- */

static const char *const quantities[QUANTITIES] = {"Pos", "Quat", "Vel", "Avel", "Acc", "Aacc", "Rforce", "Rtorque"};
enum { POSITION, ROTATION, VELOCITY, SPIN, ACCELERATION, SPIN_RATE, FORCE, TORQUE };

typedef struct Sample {
    AfxVec3 v[QUANTITIES]; /* ROTATION: not used */
    AfxQuat q;
} Sample;

static Sample table[SAMPLES], exact[SAMPLES], ours[SAMPLES];

static bool data_there(void) {
    FILE *file = fopen(FOLDER "Revolute_Case01_ADAMS_Pos.txt", "r");
    if (!file) {
        print_message("SKIP: " FOLDER " is not there\n");
        return false;
    }
    fclose(file);
    return true;
}

static void read_quantity(const Case *c, int quantity) {
    char path[256], line[256];
    int count = 0;
    snprintf(path, sizeof path, FOLDER "%s_ADAMS_%s.txt", c->name, quantities[quantity]);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        double number[5];
        char *at = line;
        int numbers = 0;
        for (char *end; numbers < 5; numbers++, at = end) {
            number[numbers] = strtod(at, &end);
            if (end == at) {
                break;
            }
        }
        if (numbers < 4) {
            continue; /* the three lines of the head */
        }
        assert_true(count < SAMPLES);
        assert_near(number[0], count * sample_time, 1e-9);
        table[count].v[quantity] = v3(number[1], number[2], number[3]);
        if (quantity == ROTATION) {
            assert_int_equal(numbers, 5);
            table[count].q = (AfxQuat){number[1], number[2], number[3], number[4]};
        }
        count++;
    }
    fclose(file);
    assert_int_equal(count, SAMPLES);
}

/* ---- the cases as scenes ---- */

static AfxQuat euler_313(const double degrees[3]) {
    AfxQuat one = q_about(v3(0, 0, 1), degrees[0] * PI / 180), two = q_about(v3(1, 0, 0), degrees[1] * PI / 180);
    return q_multiply(q_multiply(one, two), q_about(v3(0, 0, 1), degrees[2] * PI / 180));
}

static AfxPose joint_frame(const Case *c) {
    AfxQuat axes = euler_313(c->euler);
    bool about_z = c->kind == AFX_JOINT_REVOLUTE || c->kind == AFX_JOINT_PRISMATIC || c->kind == AFX_JOINT_CYLINDRICAL;
    if (about_z) { /* our x is the marker's z */
        axes = q_multiply(axes, q_about(v3(0, 1, 0), -PI / 2));
    }
    return (AfxPose){c->ground, axes};
}

static Rig case_rig(const Case *c) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxBodyDef def = rigid_def(1, c->inertia[0], c->inertia[1], c->inertia[2]);
    def.pose = (AfxPose){c->centre, euler_313(c->euler)};
    AfxBodyId body = rig_body(&rig, &def);
    rig_joint(&rig, c->kind, afx_world(), body, joint_frame(c));
    return rig;
}

/* The force and torque on the ground at its marker, world axes, from those on the body in the joint's axes. */
static void on_the_ground(const Case *c, AfxWrench reaction, AfxPose body, Sample *out) {
    AfxPose frame = joint_frame(c);
    AfxVec3 arm = q_rotate(q_conjugate(euler_313(c->euler)), v3_sub(c->ground, c->centre));
    AfxVec3 point = v3_add(body.position, q_rotate(body.rotation, arm));
    AfxVec3 force = q_rotate(frame.rotation, reaction.force), torque = q_rotate(frame.rotation, reaction.torque);
    torque = v3_add(torque, v3_cross(v3_sub(point, c->ground), force));
    out->v[FORCE] = v3_scale(-1, force);
    out->v[TORQUE] = v3_scale(-1, torque);
}

static void run_reference(const Case *c, const Rig *rig) {
    JointReference r = joint_reference_make(rig->scene);
    for (int n = 0; n < SAMPLES; n++) {
        Sample *s = &exact[n];
        if (n > 0) {
            joint_reference_run(&r, sample_time, 1.25e-3);
        }
        AfxTwist twist = joint_reference_twist(&r, 0);
        AfxPose pose = joint_reference_pose(&r, 0);
        s->v[POSITION] = pose.position;
        s->q = pose.rotation;
        s->v[VELOCITY] = twist.linear;
        s->v[SPIN] = twist.angular;
        s->v[ACCELERATION] = r.bodies[0].acceleration;
        s->v[SPIN_RATE] = r.bodies[0].spin_rate;
        on_the_ground(c, r.joints[0].reaction, pose, s);
    }
}

/* Our run with `parts` steps per sample; accelerations are central differences of the velocities next to a sample. */
static double run_ours(const Case *c, Rig *rig, AfxIntegrator integrator, uint32_t parts) {
    const AfxBodyId body = afx_scene_body(rig->scene, 0);
    const AfxJointId joint = afx_scene_joint(rig->scene, 0);
    AfxSimDef def = accurate_def(integrator, sample_time / parts);
    AfxTwist before[SAMPLES];
    double residual = 0;
    rig_start(rig, &def);
    for (uint32_t n = 0; n <= (SAMPLES - 1) * parts; n++) {
        if (n > 0) {
            residual = fmax(residual, rig_run(rig, 1, NULL));
        }
        uint32_t k = (n + 1) / parts, phase = (n + 1) % parts; /* 0: one before sample k, 1: on it, 2: one after */
        AfxTwist twist = rig_twist(rig, body);
        if (phase == 0 && k < SAMPLES) {
            before[k] = twist;
        }
        if (phase == 1) {
            AfxPose pose = rig_pose(rig, body);
            ours[k].v[POSITION] = pose.position;
            ours[k].q = pose.rotation;
            ours[k].v[VELOCITY] = twist.linear;
            ours[k].v[SPIN] = twist.angular;
            on_the_ground(c, rig_reaction(rig, joint), pose, &ours[k]);
        }
        if (phase == 2 && k > 0) {
            double scale = 1 / (2 * def.dt);
            ours[k].v[ACCELERATION] = v3_scale(scale, v3_sub(twist.linear, before[k].linear));
            ours[k].v[SPIN_RATE] = v3_scale(scale, v3_sub(twist.angular, before[k].angular));
        }
    }
    return residual;
}

/* ---- comparison ---- */

/* The largest difference over all samples that both have: reactions and accelerations from the first step on. */
static double distance(const Sample *a, const Sample *b, int quantity) {
    double largest = 0;
    bool late = quantity >= ACCELERATION, early = quantity == ACCELERATION || quantity == SPIN_RATE;
    for (int n = late; n < SAMPLES - early; n++) {
        double d = quantity == ROTATION ? q_distance(a[n].q, b[n].q) : v3_distance(a[n].v[quantity], b[n].v[quantity]);
        largest = d <= largest ? largest : d; /* also takes a NaN */
    }
    return largest;
}

/* The size of a quantity in a case; a force and a torque of zero are measured by what cancels in them. */
static double size_of(const Case *c, int quantity) {
    bool slides = c->kind == AFX_JOINT_PRISMATIC || c->kind == AFX_JOINT_CYLINDRICAL;
    double largest = quantity == TORQUE && !slides ? 0.1 : 1;
    for (int n = 0; n < SAMPLES; n++) {
        double arm = v3_distance(table[n].v[POSITION], table[0].v[POSITION]);
        double least = quantity == FORCE ? gravity : quantity == TORQUE && slides ? gravity * arm : 0;
        largest = fmax(largest, fmax(least, quantity == ROTATION ? 1 : v3_norm(table[n].v[quantity])));
    }
    return largest;
}

/* Half a unit of the sixth digit of a number of that size. */
static double half_digit(double size) {
    return 5e-6 * pow(10, floor(log10(size)));
}

/* How far the table itself may be from the truth: its digits, or the error that ADAMS was content with. */
static double table_error(const Case *c, int quantity, double size) {
    if (c->loose) {
        return 2e-3 * size;
    }
    return quantity < ACCELERATION ? 2 * half_digit(size) : 2.5e-4 * size;
}

static void read_case(const Case *c, const Rig *rig) {
    for (int q = 0; q < QUANTITIES; q++) {
        read_quantity(c, q);
    }
    run_reference(c, rig);
}

/* Sliding cases are exact in time and swinging ones are refined until the digits agree, but not beyond: positions of
 * 100 m are rounded to 1e-14, which is 1e-6 N at h = 1e-4. */
static void each_case_agrees_with_adams(void **state) {
    (void)state;
    int failures = 0;
    for (size_t k = 0; k < COUNT(cases) && data_there(); k++) {
        const Case *c = &cases[k];
        Rig rig = case_rig(c);
        read_case(c, &rig);
        double residual = run_ours(c, &rig, AFX_ALPHA, c->parts);
        assert_below(residual, 1e-12 * 100);
        for (int q = 0; q < QUANTITIES; q++) {
            double size = size_of(c, q), data = distance(table, exact, q), own = distance(ours, exact, q);
            double apart = distance(ours, table, q);
            bool fine = data <= table_error(c, q, size) && own <= half_digit(size) && apart <= data + half_digit(size);
            failures += !fine;
            if (!fine || getenv("AFFIX_TEST_VERBOSE")) {
                print_message("%s %s: size %.3g, ADAMS off by %.2g, Affix by %.2g, apart %.2g%s\n", c->name,
                              quantities[q], size, data, own, apart, fine ? "" : "   <- not to the printed digits");
            }
        }
        rig_free(&rig);
    }
    assert_int_equal(failures, 0);
}

/* Towards the truth, with the order of the method: motion and reactions alike. */
static void check_order(const Case *c, AfxIntegrator integrator, double least) {
    Rig rig = case_rig(c);
    double error[2][QUANTITIES];
    read_case(c, &rig);
    for (int level = 0; level < 2; level++) {
        run_ours(c, &rig, integrator, level == 0 ? 5 : 10);
        for (int q = 0; q < QUANTITIES; q++) {
            error[level][q] = distance(ours, exact, q);
        }
    }
    for (int q = 0; q < QUANTITIES; q++) {
        if (error[0][q] > 1e-6) {
            double order = slope(error[0][q], error[1][q]);
            if (order < least) {
                print_error("%s %s: %.3g, %.3g: order %.2f\n", c->name, quantities[q], error[0][q], error[1][q], order);
            }
            assert_true(order > least);
        }
    }
    rig_free(&rig);
}

static void swinging_cases_converge_with_order_two(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(cases) && data_there(); k++) {
        if (cases[k].parts > 5) {
            check_order(&cases[k], AFX_ALPHA, 1.85);
            check_order(&cases[k], AFX_BDF2, 1.85);
        }
    }
}

int run_adams_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case_agrees_with_adams),
        cmocka_unit_test(swinging_cases_converge_with_order_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
