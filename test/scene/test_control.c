/* SPDX-License-Identifier: Apache-2.0 */
/* Joints authored on control points, and the universal joint as two hinges on a cross. */
#include "tests.h"

#include "support/allocator.h"

static uint64_t seed = 3;

/** Uniform in [-1, 1] (splitmix64). */
static double random_number(void) {
    uint64_t z = seed += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static AfxVec3 random_vec3(double size) {
    return (AfxVec3){size * random_number(), size * random_number(), size * random_number()};
}

static AfxPose random_pose(double size) {
    return (AfxPose){random_vec3(size), afx_quat_from_axis_angle(random_vec3(1), 6 * random_number())};
}

static AfxVec3 sub(AfxVec3 a, AfxVec3 b) {
    return (AfxVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static AfxVec3 add(AfxVec3 a, double s, AfxVec3 b) {
    return (AfxVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static AfxVec3 cross(AfxVec3 a, AfxVec3 b) {
    return (AfxVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(AfxVec3 a, AfxVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double length(AfxVec3 a) {
    return sqrt(dot(a, a));
}

static AfxVec3 axis_of(AfxPose pose, int k) {
    return afx_quat_rotate(pose.rotation, (AfxVec3){k == 0, k == 1, k == 2});
}

static void assert_same(AfxVec3 got, AfxVec3 want, double tolerance) {
    assert_vec3(got, want.x, want.y, want.z, tolerance);
}

static AfxBodyId add_posed(AfxScene *scene, AfxPose pose) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.pose = pose;
    assert_ok(afx_scene_add_body(scene, &def, &id));
    return id;
}

/* ---- joints on points ---- */

static AfxPose pose_of(const AfxScene *scene, AfxBodyId end) {
    AfxBodyDef def;
    if (end.index == UINT32_MAX) {
        return afx_pose_identity();
    }
    assert_ok(afx_scene_get_body(scene, end, &def));
    return def.pose;
}

/** The frames of a joint on points of `base` and of `follower`; these coincide in the world, all but `apart` along. */
static void check_coincident(const AfxScene *scene, AfxBodyId base, AfxBodyId follower, double apart) {
    AfxPose a = pose_of(scene, base), b = pose_of(scene, follower);
    AfxVec3 on_base[2] = {random_vec3(1), random_vec3(1)}, on_follower[2], edge = sub(on_base[1], on_base[0]);
    for (int k = 0; k < 2; k++) {
        AfxVec3 moved = add(on_base[k], apart, edge);
        on_follower[k] = afx_pose_apply(afx_pose_invert(b), afx_pose_apply(a, moved));
    }
    AfxJointDef def = afx_default_joint(apart == 0 ? AFX_JOINT_REVOLUTE : AFX_JOINT_PRISMATIC);
    def.base = base;
    def.follower = follower;
    assert_ok(afx_joint_on_points(scene, &def, on_base, on_follower));
    assert_same(def.base_frame.position, on_base[0], 0);
    assert_same(def.follower_frame.position, on_follower[0], 0);
    AfxVec3 x = axis_of(def.base_frame, 0);
    assert_same(x, add((AfxVec3){0, 0, 0}, 1 / length(edge), edge), 1e-14);
    AfxPose placed = afx_pose_compose(a, def.base_frame), other = afx_pose_compose(b, def.follower_frame);
    placed.position = add(placed.position, apart * length(edge), axis_of(placed, 0));
    assert_pose(other, placed, 1e-13);
}

static void parallel_edges_give_frames_that_coincide(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    for (int k = 0; k < 200; k++) {
        AfxBodyId a = add_posed(scene, random_pose(1)), b = add_posed(scene, random_pose(1));
        check_coincident(scene, a, b, 0);
        check_coincident(scene, afx_world(), b, 0);
        check_coincident(scene, a, afx_world(), 0);
        check_coincident(scene, a, b, random_number());
    }
    afx_scene_destroy(scene);
}

/* Edges that are not parallel: each frame along its own, the frames no further apart than the edges are. */
static void other_edges_turn_the_frames_least(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    for (int k = 0; k < 200; k++) {
        AfxPose a = random_pose(1), b = random_pose(1);
        AfxVec3 p[2] = {random_vec3(1), random_vec3(1)}, q[2] = {random_vec3(1), random_vec3(1)};
        AfxVec3 edge = sub(p[1], p[0]), other = sub(q[1], q[0]);
        if (k % 4 == 0) { /* opposite in the world */
            other = afx_quat_rotate(afx_pose_invert(b).rotation, afx_quat_rotate(a.rotation, edge));
            other = add((AfxVec3){0, 0, 0}, -1, other);
        }
        q[1] = add(q[0], length(edge) / length(other), other);
        AfxJointDef def = afx_default_joint(AFX_JOINT_REVOLUTE_POINTS);
        def.base = add_posed(scene, a);
        def.follower = add_posed(scene, b);
        assert_ok(afx_joint_on_points(scene, &def, p, q));
        assert_same(axis_of(def.base_frame, 0), add((AfxVec3){0, 0, 0}, 1 / length(edge), edge), 1e-14);
        assert_same(axis_of(def.follower_frame, 0), add((AfxVec3){0, 0, 0}, 1 / length(other), other), 1e-14);
        AfxPose placed = afx_pose_compose(a, def.base_frame), moved = afx_pose_compose(b, def.follower_frame);
        double trace = 0;
        for (int i = 0; i < 3; i++) {
            trace += dot(axis_of(placed, i), axis_of(moved, i));
        }
        assert_near((trace - 1) / 2, dot(axis_of(placed, 0), axis_of(moved, 0)), 1e-14);
    }
    afx_scene_destroy(scene);
}

static void a_ball_joint_takes_the_first_points_only(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxPose a = random_pose(1), b = random_pose(1);
    const AfxJointKind kinds[] = {AFX_JOINT_SPHERICAL, AFX_JOINT_DISTANCE};
    for (int k = 0; k < 2; k++) {
        AfxJointDef def = afx_default_joint(kinds[k]);
        AfxVec3 p[2] = {{1, 2, 3}, {NAN, 0, 0}}, q[2] = {{4, 5, 6}, {4, 5, 6}};
        def.base = add_posed(scene, a);
        def.follower = add_posed(scene, b);
        assert_ok(afx_joint_on_points(scene, &def, p, q));
        assert_vec3(def.base_frame.position, 1, 2, 3, 0);
        assert_vec3(def.follower_frame.position, 4, 5, 6, 0);
        AfxPose placed = afx_pose_compose(a, def.base_frame), moved = afx_pose_compose(b, def.follower_frame);
        moved.position = placed.position;
        assert_pose(moved, placed, 1e-14);
    }
    afx_scene_destroy(scene);
}

typedef struct PointCase {
    AfxVec3 base[2], follower[2];
    const char *text; /* NULL: right */
} PointCase;

static const PointCase point_cases[] = {
    {{{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, 1}}, NULL},
    {{{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, 1 + 5e-10}}, NULL},
    {{{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, 1 + 2e-9}}, "differ in length"},
    {{{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, -2}}, "differ in length"},
    {{{0, 0, 0}, {0, 1e-200, 0}}, {{0, 0, 0}, {0, 0, 1e-200}}, NULL},
    {{{0, 0, 0}, {0, 5e-324, 0}}, {{0, 0, 0}, {5e-324, 0, 0}}, NULL},
    {{{0, 0, 0}, {0, 1e300, 0}}, {{0, 0, 0}, {0, 0, -1e300}}, NULL},
    {{{0, 0, 0}, {0, 1e-200, 0}}, {{0, 0, 0}, {0, 0, 2e-200}}, "differ in length"},
    {{{1, 2, 3}, {1, 2, 3}}, {{0, 0, 0}, {0, 0, 1}}, "its base's two points are the same"},
    {{{0, 0, 0}, {0, 1, 0}}, {{1, 2, 3}, {1, 2, 3}}, "its follower's two points are the same"},
    {{{0, NAN, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, 1}}, "its base's first point is not finite"},
    {{{0, 0, 0}, {0, 1, 0}}, {{INFINITY, 0, 0}, {0, 0, 1}}, "its follower's first point is not finite"},
    {{{0, 0, 0}, {0, NAN, 0}}, {{0, 0, 0}, {0, 0, 1}}, "its base's edge is not finite"},
    {{{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, INFINITY}}, "its follower's edge is not finite"},
    {{{-1e308, 0, 0}, {1e308, 0, 0}}, {{0, 0, 0}, {0, 0, 1}}, "its base's edge is not finite"},
};

static void points_are_judged(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId body = add_posed(scene, random_pose(1));
    for (size_t k = 0; k < 2 * sizeof point_cases / sizeof *point_cases; k++) {
        const PointCase *c = &point_cases[k / 2];
        AfxJointDef def = afx_default_joint(AFX_JOINT_REVOLUTE), before;
        AfxJointId id;
        def.name = k % 2 ? "hip" : NULL;
        def.follower = body;
        before = def;
        AfxStatus status = afx_joint_on_points(scene, &def, c->base, c->follower);
        if (status != (c->text ? AFX_E_INPUT : AFX_OK)) {
            fail_msg("case %zu: %s", k, c->text ? c->text : "right");
        }
        if (c->text) {
            assert_error(scene, AFX_E_INPUT, k % 2 ? "joint \"hip\"" : "joint #0", c->text);
            assert_pose(def.base_frame, before.base_frame, 0);
            assert_pose(def.follower_frame, before.follower_frame, 0);
        } else { /* what comes out may be added */
            AfxScene *other = make_scene();
            def.follower = add_posed(other, afx_pose_identity());
            assert_ok(afx_scene_add_joint(other, &def, &id));
            afx_scene_destroy(other);
        }
    }
    afx_scene_destroy(scene);
}

static void wrong_calls_on_points_are_refused(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxVec3 points[2] = {{0, 0, 0}, {1, 0, 0}};
    AfxJointDef def = afx_default_joint(AFX_JOINT_REVOLUTE);
    assert_int_equal(afx_joint_on_points(scene, &def, points, points), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "joint #0", "both the world");
    def.follower = add_body(scene, NULL);
    assert_ok(afx_joint_on_points(scene, &def, points, points));
    assert_int_equal(afx_joint_on_points(NULL, &def, points, points), AFX_E_ARGUMENT);
    assert_int_equal(afx_joint_on_points(scene, NULL, points, points), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint #0", "def is NULL");
    assert_int_equal(afx_joint_on_points(scene, &def, NULL, points), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint #0", "base_points is NULL");
    assert_int_equal(afx_joint_on_points(scene, &def, points, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint #0", "follower_points is NULL");
    def.base = (AfxBodyId){7, def.follower.scene};
    assert_int_equal(afx_joint_on_points(scene, &def, points, points), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint #0", "its base is stale");
    def.cookie = 0;
    assert_int_equal(afx_joint_on_points(scene, &def, points, points), AFX_E_VERSION);
    afx_scene_destroy(scene);
}

/* ---- the cross ---- */

/** Two bodies on a universal joint that holds, at random coordinates and rates; the definition in *out_def. */
static AfxScene *universal_scene(AfxJointDef *out_def, const char *name) {
    AfxScene *scene = make_scene();
    AfxBodyDef base = afx_default_body(), follower = afx_default_body();
    AfxJointDef def = afx_default_joint(AFX_JOINT_UNIVERSAL);
    const AfxVec3 x = {1, 0, 0}, y = {0, 1, 0};
    def.name = name;
    def.base_frame = random_pose(1);
    def.follower_frame = random_pose(1);
    base.pose = random_pose(2);
    base.linear_velocity = random_vec3(1);
    base.angular_velocity = random_vec3(1);
    AfxPose placed = afx_pose_compose(base.pose, def.base_frame);
    AfxQuat first = afx_quat_from_axis_angle(x, 3 * random_number());
    AfxQuat both = afx_quat_multiply(first, afx_quat_from_axis_angle(y, 3 * random_number()));
    AfxPose turned = {placed.position, afx_quat_multiply(placed.rotation, both)};
    follower.pose = afx_pose_compose(turned, afx_pose_invert(def.follower_frame));
    AfxVec3 spin = add(base.angular_velocity, random_number(), axis_of(placed, 0));
    spin = add(spin, random_number(), axis_of(turned, 1));
    AfxVec3 speed = cross(base.angular_velocity, sub(placed.position, base.pose.position));
    speed = add(base.linear_velocity, 1, speed);
    follower.angular_velocity = spin;
    follower.linear_velocity = add(speed, -1, cross(spin, sub(placed.position, follower.pose.position)));
    assert_ok(afx_scene_add_body(scene, &base, &def.base));
    assert_ok(afx_scene_add_body(scene, &follower, &def.follower));
    *out_def = def;
    return scene;
}

/** The hinge holds: points together with one velocity, x along x, and no turning but about it. */
static void check_hinge(const AfxScene *scene, AfxJointId joint) {
    AfxJointDef def;
    AfxBodyDef body[2];
    AfxPose frame[2];
    AfxVec3 velocity[2];
    assert_ok(afx_scene_get_joint(scene, joint, &def));
    assert_int_equal(def.kind, AFX_JOINT_REVOLUTE);
    for (int k = 0; k < 2; k++) {
        assert_ok(afx_scene_get_body(scene, k ? def.follower : def.base, &body[k]));
        frame[k] = afx_pose_compose(body[k].pose, k ? def.follower_frame : def.base_frame);
        AfxVec3 arm = sub(frame[k].position, body[k].pose.position);
        velocity[k] = add(body[k].linear_velocity, 1, cross(body[k].angular_velocity, arm));
    }
    assert_same(frame[1].position, frame[0].position, 1e-13);
    assert_same(axis_of(frame[1], 0), axis_of(frame[0], 0), 1e-13);
    assert_same(velocity[1], velocity[0], 1e-12);
    AfxVec3 turn = sub(body[1].angular_velocity, body[0].angular_velocity);
    assert_near(length(cross(turn, axis_of(frame[0], 0))), 0, 1e-12);
}

static void the_cross_fits_its_bodies(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        AfxJointDef def;
        AfxScene *scene = universal_scene(&def, NULL);
        AfxJointId joints[2];
        AfxBodyId body;
        assert_ok(afx_scene_add_universal_cross(scene, &def, 0.1, 0.01, joints, &body));
        assert_int_equal(afx_scene_body_count(scene), 3);
        assert_int_equal(afx_scene_joint_count(scene), 2);
        check_hinge(scene, joints[0]);
        check_hinge(scene, joints[1]);
        afx_scene_destroy(scene);
    }
}

static void the_parts_come_back(void **state) {
    (void)state;
    AfxJointDef def, got;
    AfxScene *scene = universal_scene(&def, "hook");
    AfxJointId joints[2], found;
    AfxBodyId body, found_body;
    AfxBodyDef ball;
    def.active = false;
    def.break_force = 5;
    def.break_torque = 6;
    assert_ok(afx_scene_add_universal_cross(scene, &def, 2, 0.5, joints, &body));
    assert_ok(afx_scene_find_joint(scene, "hook-x", &found));
    assert_memory_equal(&found, &joints[0], sizeof found);
    assert_ok(afx_scene_find_joint(scene, "hook-y", &found));
    assert_memory_equal(&found, &joints[1], sizeof found);
    assert_ok(afx_scene_find_body(scene, "hook-cross", &found_body));
    assert_body_id(found_body, body);
    for (int k = 0; k < 2; k++) {
        assert_ok(afx_scene_get_joint(scene, joints[k], &got));
        assert_body_id(got.base, k ? body : def.base);
        assert_body_id(got.follower, k ? def.follower : body);
        assert_true(!got.active && got.break_force == 5 && got.break_torque == 6);
    }
    assert_ok(afx_scene_get_body(scene, body, &ball));
    assert_true(ball.kind == AFX_BODY_DYNAMIC && ball.mass == 2 && isinf(ball.young) && ball.gravity);
    assert_inertia(ball.inertia, 0.05, 0.05, 0.05, 0, 0, 0, 1e-16); /* 2/5 m r² */
    afx_scene_destroy(scene);
}

/* A base that moves as told starts where its motion says; a fixed one stands, whatever its definition's velocity. */
static void the_cross_follows_bodies_that_are_not_solved_for(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyDef base = afx_default_body(), got;
    base.kind = AFX_BODY_KINEMATIC;
    base.linear_velocity = base.angular_velocity = (AfxVec3){9, 9, 9}; /* of no meaning here */
    base.motion.translation[1] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {2, 3}};
    base.motion.axis = (AfxVec3){0, 0, 1};
    base.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {acos(-1) / 2, 4}};
    AfxJointDef def = afx_default_joint(AFX_JOINT_UNIVERSAL);
    AfxJointId joints[2];
    AfxBodyId body;
    def.base_frame.position = (AfxVec3){1, 0, 0};
    assert_ok(afx_scene_add_body(scene, &base, &def.base));
    assert_ok(afx_scene_add_universal_cross(scene, &def, 1, 1, joints, &body)); /* to the world */
    assert_ok(afx_scene_get_body(scene, body, &got));
    assert_vec3(got.pose.position, 0, 3, 0, 1e-15);
    assert_same(axis_of(got.pose, 0), (AfxVec3){0, 1, 0}, 1e-15);
    assert_vec3(got.linear_velocity, -4, 3, 0, 1e-14);
    assert_vec3(got.angular_velocity, 0, 0, 4, 1e-15);
    base.kind = AFX_BODY_FIXED;
    assert_ok(afx_scene_add_body(scene, &base, &def.base));
    assert_ok(afx_scene_add_universal_cross(scene, &def, 1, 1, joints, &body));
    assert_ok(afx_scene_get_body(scene, body, &got));
    assert_pose(got.pose, (AfxPose){{1, 0, 0}, {1, 0, 0, 0}}, 0);
    assert_vec3(got.linear_velocity, 0, 0, 0, 0);
    assert_vec3(got.angular_velocity, 0, 0, 0, 0);
    afx_scene_destroy(scene);
}

typedef struct CrossCase {
    void (*edit)(AfxJointDef *d, double *mass, double *size);
    AfxStatus status;
    const char *element, *text;
} CrossCase;

#define CASE(name, statement)                                      \
    static void name(AfxJointDef *d, double *mass, double *size) { \
        (void)d, (void)mass, (void)size;                           \
        statement;                                                 \
    }

static char long_name[251];

CASE(kind, d->kind = AFX_JOINT_REVOLUTE)
CASE(same, d->follower = d->base)
CASE(stale, d->base.index = 9)
CASE(base_position, d->base_frame.position.x = NAN)
CASE(follower_rotation, d->follower_frame.rotation.w += 3)
CASE(mass_zero, *mass = 0)
CASE(mass_nan, *mass = NAN)
CASE(size_negative, *size = -1)
CASE(size_infinite, *size = INFINITY)
CASE(inertia_small, *size = 1e-200)
CASE(force_negative, d->break_force = -1)
CASE(body_name_taken, d->name = "taken")
CASE(first_name_taken, d->name = "first")
CASE(second_name_taken, d->name = "second")
CASE(too_long, d->name = long_name)
CASE(cookie, d->cookie = 0)

static const CrossCase cross_cases[] = {
    {kind, AFX_E_INPUT, "joint \"hook\"", "its kind is not AFX_JOINT_UNIVERSAL"},
    {same, AFX_E_INPUT, "joint \"hook\"", "both the same body"},
    {stale, AFX_E_ARGUMENT, "joint \"hook\"", "its base is stale"},
    {base_position, AFX_E_INPUT, "joint \"hook\"", "its base frame's position is not finite"},
    {follower_rotation, AFX_E_INPUT, "joint \"hook\"", "its follower frame's rotation is not a unit"},
    {mass_zero, AFX_E_INPUT, "joint \"hook\"", "the mass of its cross is not positive"},
    {mass_nan, AFX_E_INPUT, "joint \"hook\"", "the mass of its cross is not finite"},
    {size_negative, AFX_E_INPUT, "joint \"hook\"", "the size of its cross is not positive"},
    {size_infinite, AFX_E_INPUT, "joint \"hook\"", "the size of its cross is not finite"},
    {inertia_small, AFX_OK, NULL, NULL}, /* underflows to a point: legal, and floored */
    {force_negative, AFX_E_INPUT, "joint \"hook-x\"", "its breaking force is negative"},
    {body_name_taken, AFX_E_INPUT, "body \"taken-cross\"", "already"},
    {first_name_taken, AFX_E_INPUT, "joint \"first-x\"", "already"},
    {second_name_taken, AFX_E_INPUT, "joint \"second-y\"", "already"},
    {too_long, AFX_E_INPUT, NULL, "its name is longer than 249 bytes"},
    {cookie, AFX_E_VERSION, "joint #2", "not made by this version"},
};

/** A universal joint's scene with some names taken. */
static AfxScene *crowded_scene(AfxJointDef *out_def) {
    AfxScene *scene = universal_scene(out_def, "hook");
    add_body(scene, "taken-cross");
    add_joint(scene, "first-x", AFX_JOINT_FIXED, out_def->base);
    add_joint(scene, "second-y", AFX_JOINT_FIXED, out_def->base);
    return scene;
}

static void crosses_are_judged_and_leave_nothing_behind(void **state) {
    (void)state;
    memset(long_name, 'n', 250);
    for (size_t k = 0; k < sizeof cross_cases / sizeof *cross_cases; k++) {
        const CrossCase *c = &cross_cases[k];
        AfxJointDef def, good;
        AfxScene *scene = crowded_scene(&def);
        AfxJointId joints[2];
        AfxBodyId body;
        double mass = 1, size = 0.1;
        good = def;
        c->edit(&def, &mass, &size);
        if (afx_scene_add_universal_cross(scene, &def, mass, size, joints, &body) != c->status) {
            fail_msg("case %zu: %s", k, c->text ? c->text : "right");
        }
        if (c->status) {
            const AfxError *error = afx_scene_error(scene);
            assert_error(scene, c->status, c->element ? c->element : error->element, c->text);
            assert_int_equal(afx_scene_body_count(scene), 3);
            assert_int_equal(afx_scene_joint_count(scene), 2);
            assert_int_equal(joints[0].index, UINT32_MAX);
            assert_int_equal(joints[1].index, UINT32_MAX);
            assert_int_equal(body.index, UINT32_MAX);
            assert_ok(afx_scene_add_universal_cross(scene, &good, 1, 0.1, joints, &body)); /* the names are free */
        }
        afx_scene_destroy(scene);
    }
}

static void wrong_calls_for_a_cross_are_refused(void **state) {
    (void)state;
    AfxJointDef def;
    AfxScene *scene = crowded_scene(&def);
    AfxJointId joints[2];
    AfxBodyId body;
    memset(long_name, 'n', 249);
    long_name[249] = 0; /* as long as may be */
    def.name = long_name;
    assert_ok(afx_scene_add_universal_cross(scene, &def, 1, 0.1, joints, &body));
    assert_int_equal(strlen(afx_scene_body_name(scene, body)), 255);
    assert_int_equal(afx_scene_add_universal_cross(NULL, &def, 1, 0.1, joints, &body), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_add_universal_cross(scene, NULL, 1, 0.1, joints, &body), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_add_universal_cross(scene, &def, 1, 0.1, NULL, &body), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_add_universal_cross(scene, &def, 1, 0.1, joints, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint #4", "out_cross is NULL");
    afx_scene_destroy(scene);
}

/* Every allocation fails in turn; the scene is as before, and the same call then succeeds. */
static void a_cross_that_failed_can_be_repeated(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxSceneDef scene_def = afx_default_scene();
    scene_def.allocator = test_allocator(&counts);
    AfxScene *scene = NULL;
    assert_ok(afx_scene_create(&scene_def, &scene));
    AfxJointDef def = afx_default_joint(AFX_JOINT_UNIVERSAL);
    def.follower = add_body(scene, NULL);
    uint32_t failures = 0;
    for (uint32_t round = 0; round < 40; round++) {
        char name[64];
        AfxJointId joints[2];
        AfxBodyId body;
        snprintf(name, sizeof name, "a name that soon fills the pool: %u", (unsigned)round);
        def.name = name;
        for (uint64_t k = 1;; k++, failures++) {
            counts.calls = 0;
            counts.fail_at = k;
            AfxStatus status = afx_scene_add_universal_cross(scene, &def, 1, 0.1, joints, &body);
            if (status == AFX_OK) {
                break;
            }
            assert_int_equal(status, AFX_E_MEMORY);
            assert_int_equal(afx_scene_error(scene)->status, AFX_E_MEMORY);
            assert_int_equal(afx_scene_body_count(scene), 1 + round);
            assert_int_equal(afx_scene_joint_count(scene), 2 * round);
            assert_int_equal(body.index, UINT32_MAX);
        }
    }
    assert_true(failures >= 10);
    counts.fail_at = 0;
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
}

int run_control_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_edges_give_frames_that_coincide),
        cmocka_unit_test(other_edges_turn_the_frames_least),
        cmocka_unit_test(a_ball_joint_takes_the_first_points_only),
        cmocka_unit_test(points_are_judged),
        cmocka_unit_test(wrong_calls_on_points_are_refused),
        cmocka_unit_test(the_cross_fits_its_bodies),
        cmocka_unit_test(the_parts_come_back),
        cmocka_unit_test(the_cross_follows_bodies_that_are_not_solved_for),
        cmocka_unit_test(crosses_are_judged_and_leave_nothing_behind),
        cmocka_unit_test(wrong_calls_for_a_cross_are_refused),
        cmocka_unit_test(a_cross_that_failed_can_be_repeated),
    };
    return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
