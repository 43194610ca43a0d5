/* SPDX-License-Identifier: Apache-2.0 */
/* The velocity terms of the rows: along a rigid motion q(t) of both bodies, C" = J q" + velocity term. The motions are
 * poses as functions of time; all derivatives in time are sixth-order differences of them. */
#include "joint/kind.h"
#include "tests.h"

enum { TRIALS = 20, REACH = 3 };
static const double step = 0.01;

/* A screw motion about a turning axis: rotations about two axes, and a parabola. */
typedef struct Path {
    AfxPose start;
    AfxVec3 axis[2], velocity, acceleration;
    double rate[2], bend[2];
} Path;

static Path random_path(uint64_t *seed) {
    Path path = {.start = random_pose(seed, 1)};
    for (int k = 0; k < 2; k++) {
        path.axis[k] = v3_add(random_vec3(seed, 1), v3(0, 0, 1.2));
        path.rate[k] = 2 * random_unit(seed) - 1;
        path.bend[k] = 2 * random_unit(seed) - 1;
    }
    path.velocity = random_vec3(seed, 1);
    path.acceleration = random_vec3(seed, 1);
    return path;
}

static AfxPose path_at(const Path *path, double t) {
    AfxPose pose = path->start;
    for (int k = 0; k < 2; k++) {
        double angle = path->rate[k] * t + path->bend[k] * t * t / 2;
        pose.rotation = q_multiply(q_about(path->axis[k], angle), pose.rotation);
    }
    pose.position = v3_add(pose.position, v3_add(v3_scale(t, path->velocity), v3_scale(t * t / 2, path->acceleration)));
    return pose;
}

/* Two bodies: the base on its path; the follower on its own, or where the joint's coordinates put it. */
typedef struct Pair {
    AfxJointKind kind;
    double length;
    AfxiJointFrame frame;
    Path base, follower;
    bool holds;                       /* the follower follows the joint */
    AfxVec3 slide, slide_rate;        /* joint coordinates and their rates, allowed ones only */
    AfxVec3 turn_axis, turn_axis_two; /* of the follower's joint frame in the base's */
    double turn[2], turn_rate[2];
} Pair;

static AfxPose compose(AfxPose a, AfxPose b) {
    return (AfxPose){v3_add(a.position, q_rotate(a.rotation, b.position)), q_multiply(a.rotation, b.rotation)};
}

static AfxPose invert(AfxPose a) {
    AfxQuat back = q_conjugate(a.rotation);
    return (AfxPose){v3_scale(-1, q_rotate(back, a.position)), back};
}

static AfxVec3 keep(const char *axes, AfxVec3 v) {
    return v3(strchr(axes, 'x') ? v.x : 0, strchr(axes, 'y') ? v.y : 0, strchr(axes, 'z') ? v.z : 0);
}

static AfxPose joint_motion(const Pair *pair, double t) {
    AfxPose motion = afx_pose_identity();
    AfxQuat one = q_about(pair->turn_axis, pair->turn[0] + t * pair->turn_rate[0] + t * t / 3);
    AfxQuat two = q_about(pair->turn_axis_two, pair->turn[1] + t * pair->turn_rate[1] - t * t / 5);
    motion.rotation = q_multiply(one, two);
    motion.position = v3_add(pair->slide, v3_scale(t + t * t / 2, pair->slide_rate));
    if (afx_joint_has_length(pair->kind)) {
        AfxQuat around = q_about(v3(1, 0, 0), pair->turn[1] + t * pair->turn_rate[1] - t * t / 5);
        motion.position = q_rotate(pair->kind == AFX_JOINT_DISTANCE ? two : around, v3(0, pair->length, 0));
    }
    return motion;
}

static Pair random_pair(AfxJointKind kind, bool holds, AfxPose *base_frame, AfxPose *follower_frame, uint64_t *seed) {
    Pair pair = {.kind = kind, .length = 0.8, .holds = holds};
    const char *turns = kind_rotations(kind);
    bool ball = strlen(turns) == 3 || (afx_joint_has_length(kind) && strlen(turns) == 0);
    *base_frame = random_pose(seed, 1);
    *follower_frame = random_pose(seed, 1);
    pair.frame.point_a = follower_frame->position;
    pair.frame.axes_a = mat3_from_quat(follower_frame->rotation);
    pair.frame.point_b = base_frame->position;
    pair.frame.axes_b = mat3_from_quat(base_frame->rotation);
    pair.base = random_path(seed);
    pair.follower = random_path(seed);
    pair.slide = keep(kind_translations(kind), random_vec3(seed, 1));
    pair.slide_rate = keep(kind_translations(kind), random_vec3(seed, 1));
    pair.turn_axis = ball ? v3(1, 2, 3) : keep(turns, kind == AFX_JOINT_UNIVERSAL ? v3(1, 0, 0) : v3(1, 1, 1));
    pair.turn_axis_two = ball ? v3(1, -1, 0.5) : v3(0, 1, 0);
    for (int k = 0; k < 2; k++) {
        bool can = ball || strlen(turns) > (size_t)k;
        pair.turn[k] = can * random_unit(seed);
        pair.turn_rate[k] = can * random_unit(seed);
    }
    if (!ball && strlen(turns) == 0) {
        pair.turn_axis = v3(1, 0, 0);
    }
    return pair;
}

/* Both poses at a time. */
static void poses_at(const Pair *pair, AfxPose base_frame, AfxPose follower_frame, double t, AfxPose *out_a,
                     AfxPose *out_b) {
    *out_b = path_at(&pair->base, t);
    *out_a = path_at(&pair->follower, t);
    if (pair->holds) {
        AfxPose motion = joint_motion(pair, t);
        if (strlen(kind_rotations(pair->kind)) < 1 && !afx_joint_has_length(pair->kind)) {
            motion.rotation = (AfxQuat){1, 0, 0, 0};
        } else if (strlen(kind_rotations(pair->kind)) == 1) {
            motion.rotation = q_about(pair->turn_axis, pair->turn[0] + t * pair->turn_rate[0] + t * t / 3);
        }
        *out_a = compose(compose(compose(*out_b, base_frame), motion), invert(follower_frame));
    }
}

static void numbers_of(AfxPose pose, double q[12]) {
    AfxiMat3 a = mat3_from_quat(pose.rotation);
    memcpy(q, a.m, sizeof a.m);
    vec3_store(q + 9, pose.position);
}

/* Weights of the sixth-order first and second differences at -3 .. 3. */
static const double first[7] = {-1 / 60.0, 3 / 20.0, -3 / 4.0, 0, 3 / 4.0, -3 / 20.0, 1 / 60.0};
static const double second[7] = {1 / 90.0, -3 / 20.0, 3 / 2.0, -49 / 18.0, 3 / 2.0, -3 / 20.0, 1 / 90.0};

typedef struct Samples {
    AfxiPairState state[2 * REACH + 1];
    double rate[2][12], acceleration[2][12]; /* follower, base, at the middle */
} Samples;

static Samples sample(const Pair *pair, AfxPose base_frame, AfxPose follower_frame) {
    Samples s = {0};
    for (int n = 0; n < 2 * REACH + 1; n++) {
        AfxPose a, b;
        double q[2][12];
        poses_at(pair, base_frame, follower_frame, step * (n - REACH), &a, &b);
        numbers_of(a, q[0]);
        numbers_of(b, q[1]);
        for (int e = 0; e < 24; e++) {
            s.rate[e / 12][e % 12] += first[n] / step * q[e / 12][e % 12];
            s.acceleration[e / 12][e % 12] += second[n] / (step * step) * q[e / 12][e % 12];
        }
        s.state[n].a_a = s.state[n].r_a = mat3_from_quat(a.rotation);
        s.state[n].a_b = s.state[n].r_b = mat3_from_quat(b.rotation);
        s.state[n].t_a = a.position;
        s.state[n].t_b = b.position;
    }
    return s;
}

/* J q" in world axes */
static double gradient_along(const AfxiRowGradient *gradient, const AfxiMat3 *r, const double *by) {
    double sum = vec3_dot(vec3_load(gradient->g + 9), vec3_load(by + 9));
    for (int k = 0; k < 3; k++) {
        sum += vec3_dot(mat3_apply(r, vec3_load(gradient->g + 3 * k)), vec3_load(by + 3 * k));
    }
    return sum;
}

/* C" - J q" - velocity term; frozen: the direction of an alignment row stays where it is in the middle. */
static double defect(AfxiRowSpec row, const Pair *pair, const Samples *s, bool frozen) {
    const AfxiPairState *now = &s->state[REACH];
    AfxiRowGradient a, b;
    double bend = 0;
    for (int n = 0; n < 2 * REACH + 1; n++) {
        AfxiPairState state = s->state[n];
        state.r_b = frozen ? now->r_b : state.r_b;
        bend += second[n] / (step * step) * afxi_row_value(row, &pair->frame, pair->length, &state);
    }
    afxi_row_gradient(row, &pair->frame, pair->length, now, &a, &b);
    double given =
        gradient_along(&a, &now->r_a, s->acceleration[0]) + gradient_along(&b, &now->r_b, s->acceleration[1]);
    return bend - given - afxi_row_velocity_term(row, &pair->frame, pair->length, now, s->rate[0], s->rate[1]);
}

static void check_kinds(bool holds, bool frozen, uint64_t seed) {
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)k);
        for (int trial = 0; trial < TRIALS; trial++) {
            AfxPose base_frame, follower_frame;
            Pair pair = random_pair((AfxJointKind)k, holds, &base_frame, &follower_frame, &seed);
            Samples s = sample(&pair, base_frame, follower_frame);
            for (int r = 0; r < kind->row_count; r++) {
                if (holds) {
                    assert_near(afxi_row_value(kind->rows[r], &pair.frame, pair.length, &s.state[REACH]), 0, 1e-13);
                }
                assert_near(defect(kind->rows[r], &pair, &s, frozen), 0, 1e-7);
            }
        }
    }
}

static void any_two_rigid_motions(void **state) {
    (void)state;
    check_kinds(false, true, 1);
}

/* Here alignment rows turn with the base, as the joint itself does. */
static void motions_that_the_joint_allows(void **state) {
    (void)state;
    check_kinds(true, false, 2);
}

int run_velocity_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_two_rigid_motions),
        cmocka_unit_test(motions_that_the_joint_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
