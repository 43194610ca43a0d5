/* SPDX-License-Identifier: Apache-2.0 */
#include "rig.h"

#include <math.h>

#include "tests.h"

#define LENGTH 0.2
#define BALL 0.03

static AfxVec3 plus(AfxVec3 a, AfxVec3 b) {
    return (AfxVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static AfxVec3 cross(AfxVec3 a, AfxVec3 b) {
    return (AfxVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* A link from one point to another, every second one rigid, with mass, centre and inertia of no symmetry, and a ball in
 * the middle to touch with. All links begin as one body that turns about the rig's origin. */
static uint32_t add_link(Rig *rig, AfxVec3 from, AfxVec3 to) {
    const AfxVec3 spin = {0.3, 0.5, 1};
    uint32_t k = rig->bodies++;
    AfxBodyDef def = afx_default_body();
    AfxVec3 middle = {0.5 * (from.x + to.x), 0.5 * (from.y + to.y), 0.5 * (from.z + to.z)};
    def.pose.position = plus(middle, rig->shift);
    def.pose.rotation = afx_quat_from_axis_angle((AfxVec3){1, 2, 3}, 0.3 + k);
    if (!rig->still) {
        def.linear_velocity = cross(spin, middle);
        def.angular_velocity = spin;
    }
    def.mass_source = AFX_MASS_GIVEN;
    def.mass = 1 + 0.1 * k;
    def.center = (AfxVec3){0.01, -0.005, 0.002};
    const double inertia[6] = {0.004, 0.005, 0.007, 0.0003, -0.0002, 0.0004};
    for (int e = 0; e < 6; e++) {
        def.inertia[e] = def.mass * inertia[e];
    }
    def.young = k % 2 ? INFINITY : 1e10;
    assert_ok(afx_scene_add_body(rig->scene, &def, &rig->body[k]));
    AfxShapeDef ball = afx_default_sphere(BALL);
    ball.contact_group = 2; /* links do not touch each other */
    assert_ok(afx_scene_add_shape(rig->scene, rig->body[k], &ball));
    rig->tip[k] = to;
    return k;
}

static uint32_t add_joint(Rig *rig, AfxJointKind kind, AfxBodyId base, uint32_t follower, AfxVec3 at, AfxVec3 axis) {
    uint32_t k = rig->joints++;
    AfxJointDef def = afx_default_joint(kind);
    def.base = base;
    def.follower = rig->body[follower];
    assert_ok(afx_joint_place(rig->scene, &def, afx_frame_along(plus(at, rig->shift), axis)));
    def.break_force = rig->breaks && k == 2 ? 3 : 0;
    if (rig->springs && kind == AFX_JOINT_SPHERICAL) {
        def.spring.stiffness = (AfxVec3){3, 2, 4};
        def.spring.damping = (AfxVec3){0.01, 0.02, 0.03};
    }
    assert_ok(afx_scene_add_joint(rig->scene, &def, &rig->joint[k]));
    return k;
}

static void drive_joints(Rig *rig, uint32_t a, uint32_t axis_a, uint32_t b, uint32_t axis_b) {
    rig->driven[0] = rig->joint[a];
    rig->driven[1] = rig->joint[b];
    rig->axis[0] = axis_a;
    rig->axis[1] = axis_b;
}

static void make_free(Rig *rig, Feature feature) {
    for (uint32_t k = 0; k < 4; k++) {
        AfxVec3 from = {0.3 * k, 0.1 * k, 0.02 * k};
        add_link(rig, from, plus(from, (AfxVec3){LENGTH, 0, 0}));
    }
    rig->picked = 1;
    bool drives = (feature >= FEATURE_LIMIT && feature <= FEATURE_DRIVE_TABLE) || feature == FEATURE_COUPLING ||
                  feature == FEATURE_COMPLIANT || feature == FEATURE_SWITCHED;
    if (drives) {
        add_joint(rig, AFX_JOINT_FREE, rig->base, 1, (AfxVec3){0.4, 0.1, 0}, (AfxVec3){1, 0, 0});
        add_joint(rig, AFX_JOINT_FREE, rig->base, 2, (AfxVec3){0.7, 0.2, 0}, (AfxVec3){1, 0, 0});
        drive_joints(rig, 0, 2, 1, 1);
    }
}

static void make_chain(Rig *rig) {
    for (uint32_t k = 0; k < 10; k++) {
        AfxVec3 from = {LENGTH * k, 0, 0};
        add_link(rig, from, plus(from, (AfxVec3){LENGTH, 0, 0}));
        bool back = k % 2; /* every second joint is listed the other way round */
        AfxBodyId base = back ? rig->body[k] : k ? rig->body[k - 1] : rig->base;
        add_joint(rig, AFX_JOINT_SPHERICAL, base, back ? k - 1 : k, from, (AfxVec3){1, 0, 0});
    }
    rig->picked = 6;
    drive_joints(rig, 4, 1, 6, 2);
}

static void make_tree(Rig *rig, AfxJointKind kind) {
    static const int parent[] = {-1, 0, 0, 1, 1, 2, 2, 3, 5, 5};
    static const double heading[] = {0, 0.6, -0.6, 0.9, 0.1, -0.1, -0.9, 1.2, 0.2, -0.4};
    for (uint32_t k = 0; k < COUNT(parent); k++) {
        AfxVec3 from = parent[k] < 0 ? (AfxVec3){0, 0, 0} : rig->tip[parent[k]];
        AfxVec3 along = {LENGTH * cos(heading[k]), LENGTH * sin(heading[k]), 0};
        AfxVec3 axis = {-sin(heading[k]), cos(heading[k]), k % 3 ? 0 : 0.7};
        add_link(rig, from, plus(from, along));
        add_joint(rig, kind, parent[k] < 0 ? rig->base : rig->body[parent[k]], k, from, axis);
    }
    rig->picked = 5;
    uint32_t second = kind == AFX_JOINT_REVOLUTE ? 0 : 2;
    drive_joints(rig, 3, 0, 8, second);
}

/* A ring of `count` links on balls, hung at one corner, and two links hinged to it. */
static void make_ring(Rig *rig, uint32_t count) {
    const double around = 6.283185307179586 / count, radius = 0.5 * LENGTH / sin(0.5 * around);
    AfxVec3 corner[8];
    for (uint32_t k = 0; k < count; k++) {
        corner[k] = (AfxVec3){radius * (1 - cos(around * k)), radius * sin(around * k), 0.01 * (k % 2)};
    }
    for (uint32_t k = 0; k < count; k++) {
        add_link(rig, corner[k], corner[(k + 1) % count]);
        add_joint(rig, AFX_JOINT_SPHERICAL, k ? rig->body[k - 1] : rig->base, k, corner[k], (AfxVec3){1, 0, 0});
    }
    add_joint(rig, AFX_JOINT_SPHERICAL, rig->body[count - 1], 0, corner[0], (AfxVec3){1, 0, 0});
    for (uint32_t k = 0; k < 2; k++) {
        AfxVec3 from = corner[1 + k], axis = {0.2, 1, 0.1 + k};
        uint32_t link = add_link(rig, from, plus(from, (AfxVec3){LENGTH, 0.02, 0.05}));
        uint32_t joint = add_joint(rig, AFX_JOINT_REVOLUTE, rig->body[1 + k], link, from, axis);
        rig->driven[k] = rig->joint[joint];
        rig->axis[k] = 0;
    }
    rig->picked = count > 4 ? 4 : 1;
}

/* Of either sort; it falls between 0.2 and 0.6. */
static const double damper_rates[] = {-2, -0.3, 0, 0.2, 0.6, 2}, damper_forces[] = {-1, -0.1, 0, 0.3, 0.25, 0.9};
static const AfxForceTable damper = {damper_rates, damper_forces, COUNT(damper_rates)};

static AfxDriveDef drive_of(Feature feature) {
    static const AfxDriveKind kinds[FEATURE_COUNT] = {
        [FEATURE_LIMIT] = AFX_DRIVE_LIMIT,       [FEATURE_STICK] = AFX_DRIVE_FRICTION,
        [FEATURE_STOP] = AFX_DRIVE_FRICTION,     [FEATURE_SLIP] = AFX_DRIVE_FRICTION,
        [FEATURE_POSITION] = AFX_DRIVE_POSITION, [FEATURE_VELOCITY] = AFX_DRIVE_VELOCITY,
        [FEATURE_FORCE] = AFX_DRIVE_FORCE,       [FEATURE_SERVO] = AFX_DRIVE_SERVO,
        [FEATURE_SATURATED] = AFX_DRIVE_SERVO,   [FEATURE_DRIVE_SPRING] = AFX_DRIVE_SPRING,
        [FEATURE_DRIVE_TABLE] = AFX_DRIVE_SPRING};
    AfxDriveDef def = afx_default_drive(kinds[feature]);
    def.lower = -0.004;
    def.upper = 0.003;
    def.effort = feature == FEATURE_SATURATED ? 0.3 : feature == FEATURE_SLIP ? 0.05 : 1e6;
    def.stiffness = 30;
    def.damping = 0.4;
    def.rest = 0.1;
    def.target = feature == FEATURE_POSITION || feature >= FEATURE_SERVO
                     ? (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.2, 1.5, 0}}
                     : (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {0.4}};
    if (feature == FEATURE_DRIVE_TABLE) { /* it falls where the coordinate begins */
        static const double off[] = {-0.5, -0.2, -0.05, 0.05, 0.4}, force[] = {-20, -2.2, -2.6, 1, 9};
        def.stiffness = 2;
        def.damping = 0;
        def.spring_table = (AfxForceTable){off, force, COUNT(off)};
        def.damper_table = damper;
    }
    return def;
}

static void add_drive(Rig *rig, Feature feature) {
    AfxDriveDef def = drive_of(feature);
    AfxDriveId id;
    def.joint = rig->driven[0];
    def.axis = rig->axis[0];
    assert_ok(afx_scene_add_drive(rig->scene, &def, &id));
}

static void add_coupling(Rig *rig, double compliance) {
    AfxCouplingDef def = afx_default_coupling();
    AfxCouplingId id;
    def.term_count = 2;
    for (uint32_t k = 0; k < 2; k++) {
        def.joint[k] = rig->driven[k];
        def.axis[k] = rig->axis[k];
        def.factor[k] = k ? 1 : -2;
    }
    def.compliance = compliance;
    assert_ok(afx_scene_add_coupling(rig->scene, &def, &id));
}

static void add_spring(Rig *rig, bool tables) {
    static const double off[] = {-0.3, 0, 0.1, 0.25, 0.6}, force[] = {-40, 0, 30, 24, 90};
    AfxSpringDef def = afx_default_spring();
    AfxSpringId id;
    def.body_a = rig->body[rig->picked];
    def.point_a = (AfxVec3){0.02, 0.03, 0};
    def.body_b = rig->base;
    def.point_b = plus((AfxVec3){0.3, 0.2, 0.4}, rig->shift);
    def.rest_length = 0.3;
    def.stiffness = tables ? 0 : 200;
    def.damping = tables ? 0 : 1;
    if (tables) {
        def.spring_table = (AfxForceTable){off, force, COUNT(off)};
        def.damper_table = damper;
    }
    assert_ok(afx_scene_add_spring(rig->scene, &def, &id));
    def.body_b = rig->body[rig->picked ? rig->picked - 1 : 1];
    def.point_b = (AfxVec3){0, 0, 0.1};
    def.rest_length = 0.1;
    assert_ok(afx_scene_add_spring(rig->scene, &def, &id));
}

/* A force that grows along x, swings along y and follows a table along z, at a point of the picked body. */
static void add_wrench(Rig *rig) {
    static const double times[] = {0, 0.01, 0.5, 1}, values[] = {0, 3, -2, 5};
    AfxWrenchDef def = afx_default_wrench();
    AfxWrenchId id;
    def.body = rig->body[rig->picked];
    def.point = (AfxVec3){0.05, 0.02, -0.03};
    def.force = (AfxVec3){0.5, -0.2, 0.1};
    def.force_signal[0] = (AfxSignal){.kind = AFX_SIGNAL_FORMULA, .formula = "2 * t + 1"};
    def.force_signal[1] = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0.3, 2, 3, 0.4}};
    def.force_signal[2] = (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = 4};
    assert_ok(afx_scene_add_wrench(rig->scene, &def, &id));
}

/* Of all that touches: a stiffness that does not depend on the step. */
static void set_material(Rig *rig, double friction) {
    AfxMaterialDef def = afx_default_material();
    def.friction = friction;
    def.stiffness = 4e4;
    assert_ok(afx_scene_set_material(rig->scene, afx_scene_material(rig->scene, 0), &def));
}

void rig_add_ground(Rig *rig) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.kind = AFX_BODY_FIXED;
    def.pose.position = plus((AfxVec3){0, 0, -BALL - 0.02 - (rig->box ? 0.5 : 0)}, rig->shift);
    AfxShapeDef shape = rig->box ? afx_default_box(6, 6, 1) : afx_default_plane();
    assert_ok(afx_scene_add_body(rig->scene, &def, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &shape));
}

/* A ball that falls on the picked body. */
static void add_striker(Rig *rig) {
    AfxBodyDef def = afx_default_body(), under;
    AfxBodyId id;
    assert_ok(afx_scene_get_body(rig->scene, rig->body[rig->picked], &under));
    def.pose.position = plus(under.pose.position, (AfxVec3){0.01, 0.004, 2 * BALL + 0.014});
    def.linear_velocity = under.linear_velocity;
    def.linear_velocity.z -= 0.5;
    AfxShapeDef ball = afx_default_sphere(BALL);
    ball.density = 8000;
    assert_ok(afx_scene_add_body(rig->scene, &def, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &ball));
}

static AfxBodyId add_moving_base(AfxScene *scene) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.kind = AFX_BODY_KINEMATIC;
    def.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.03, 1.2, 0}};
    def.motion.axis = (AfxVec3){0, 1, 0.2};
    def.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.2, 0.8, 0}};
    assert_ok(afx_scene_add_body(scene, &def, &id));
    return id;
}

static void put_on(Rig *rig, Engine engine, Feature feature) {
    if (feature >= FEATURE_LIMIT && feature <= FEATURE_DRIVE_TABLE) {
        add_drive(rig, feature);
    } else if (feature == FEATURE_COUPLING || feature == FEATURE_COMPLIANT) {
        add_coupling(rig, feature == FEATURE_COUPLING ? 0 : 0.01);
    } else if (feature == FEATURE_SPRING || feature == FEATURE_SPRING_TABLE ||
               (feature == FEATURE_KINEMATIC && engine == ENGINE_FREE)) {
        add_spring(rig, feature == FEATURE_SPRING_TABLE);
    } else if (feature == FEATURE_WRENCH) {
        add_wrench(rig);
    } else if (feature >= FEATURE_GROUND && feature <= FEATURE_SLIDE) {
        rig_add_ground(rig);
    } else if (feature == FEATURE_PAIR) {
        add_striker(rig);
    }
}

static void add_rig(Engine engine, Feature feature, Rig *out_rig) {
    out_rig->base = afx_world();
    out_rig->breaks = feature == FEATURE_BROKEN;
    out_rig->springs = feature == FEATURE_BALL_SPRING;
    out_rig->still = feature == FEATURE_STICK;
    out_rig->solver = engine == ENGINE_CG ? AFX_SOLVER_CG : engine == ENGINE_GS ? AFX_SOLVER_GS : AFX_SOLVER_AUTO;
    if (feature == FEATURE_KINEMATIC) {
        out_rig->base = add_moving_base(out_rig->scene);
    }
    if (out_rig->box || (feature >= FEATURE_GROUND && feature <= FEATURE_PAIR)) { /* all that share a scene */
        double slides = engine == ENGINE_GS ? 3e-4 : 1e-3;                        /* the small ring is slow */
        set_material(out_rig, feature == FEATURE_GRIP ? 0.5 : feature == FEATURE_SLIDE ? slides : 0);
    }
    switch (engine) {
    case ENGINE_FREE:
        make_free(out_rig, feature);
        break;
    case ENGINE_CHAIN:
        make_chain(out_rig);
        break;
    case ENGINE_TREE:
    case ENGINE_HINGES:
        make_tree(out_rig, engine == ENGINE_TREE ? AFX_JOINT_SPHERICAL : AFX_JOINT_REVOLUTE);
        break;
    default:
        make_ring(out_rig, engine == ENGINE_GS ? 4 : 6);
        break;
    }
    put_on(out_rig, engine, feature);
}

void rig_make(Engine engine, Feature feature, Rig *out_rig) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    assert_ok(afx_scene_create(&def, &scene));
    assert_ok(afx_scene_set_contact(scene, feature >= FEATURE_GROUND && feature <= FEATURE_PAIR));
    *out_rig = (Rig){.scene = scene};
    add_rig(engine, feature, out_rig);
}

void rig_add(Engine engine, Feature feature, AfxScene *scene, AfxVec3 shift, Rig *out_rig) {
    *out_rig = (Rig){.scene = scene, .shift = shift, .box = true};
    add_rig(engine, feature, out_rig);
}

static double random_number(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

void rig_add_random(uint32_t seed, AfxScene *scene, AfxVec3 shift, Rig *out_rig) {
    static const AfxJointKind kinds[] = {AFX_JOINT_SPHERICAL, AFX_JOINT_REVOLUTE, AFX_JOINT_UNIVERSAL,
                                         AFX_JOINT_PRISMATIC};
    *out_rig = (Rig){.scene = scene, .shift = shift, .base = afx_world(), .still = true};
    bool loop = seed % 2;
    uint32_t count = 3 + (uint32_t)(6 * random_number(&seed));
    for (uint32_t k = 0; k < count; k++) {
        uint32_t parent = k ? (uint32_t)(k * random_number(&seed)) : 0;
        AfxVec3 from = k ? out_rig->tip[parent] : (AfxVec3){0, 0, 0};
        AfxVec3 along = {random_number(&seed) - 0.3, random_number(&seed) - 0.5, random_number(&seed) - 0.5};
        AfxVec3 axis = {random_number(&seed), random_number(&seed), random_number(&seed) + 0.1};
        AfxVec3 to = {from.x + 0.3 * along.x, from.y + 0.3 * along.y, from.z + 0.3 * along.z};
        add_link(out_rig, from, to);
        AfxJointKind kind = kinds[(uint32_t)(4 * random_number(&seed))];
        add_joint(out_rig, kind, k ? out_rig->body[parent] : out_rig->base, k, from, axis);
    }
    if (loop) {
        add_joint(out_rig, AFX_JOINT_SPHERICAL, out_rig->base, count - 1, out_rig->tip[count - 1], (AfxVec3){1, 0, 0});
    }
}
