/* SPDX-License-Identifier: Apache-2.0 */
/* A mechanism from a seed: bodies, each placed on one before it (or on the world) by the coordinates of a joint, with
 * the velocity that the rates of these coordinates give it; then joints between bodies as they stand, which close
 * loops. A mechanism with loops starts at rest. */
#include <string.h>

#include "mechanism.h"
#include "support/random.h"
#include "support/rigid_reference.h"

#define GRAVITY 9.81
/* Share of the scenes without gravity. */
#define WEIGHTLESS 0.08
/* A mechanism has most of the features with a probability of up to this. */
#define FEATURE_SHARE 0.4

static double between(uint64_t *seed, double low, double high) {
    return low + (high - low) * random_unit(seed);
}

static double decades(uint64_t *seed, double low, double high) {
    return pow(10, between(seed, low, high));
}

static bool chance(uint64_t *seed, double probability) {
    return random_unit(seed) < probability;
}

static uint32_t below(uint64_t *seed, uint32_t count) {
    return (uint32_t)(count * random_unit(seed));
}

/* ---- poses ---- */

static AfxPose compose(AfxPose a, AfxPose b) {
    return (AfxPose){v3_add(a.position, q_rotate(a.rotation, b.position)), q_multiply(a.rotation, b.rotation)};
}

static AfxPose inverse(AfxPose a) {
    AfxQuat back = q_conjugate(a.rotation);
    return (AfxPose){v3_scale(-1, q_rotate(back, a.position)), back};
}

static AfxVec3 axis_of(char name) {
    return v3(name == 'x', name == 'y', name == 'z');
}

static const char *const free_translations[] = {
#define TRANSLATIONS(kind, name, translations, rotations) translations,
    AFX_JOINT_TABLE(TRANSLATIONS)
#undef TRANSLATIONS
};

static const char *const free_rotations[] = {
#define ROTATIONS(kind, name, translations, rotations) rotations,
    AFX_JOINT_TABLE(ROTATIONS)
#undef ROTATIONS
};

/* Where the follower's frame of a joint is, as its base sees it, and how it moves. */
typedef struct Moved {
    AfxPose pose;
    AfxVec3 velocity, spin;
} Moved;

static Moved move_joint(const PartJoint *joint, const double rate[AXES_MOST], AfxVec3 way) {
    Moved out = {.pose = {{0, 0, 0}, {1, 0, 0, 0}}};
    uint32_t k = 0;
    for (const char *t = free_translations[joint->def.kind]; *t; t++, k++) {
        out.pose.position = v3_add(out.pose.position, v3_scale(joint->coordinate[k], axis_of(*t)));
        out.velocity = v3_add(out.velocity, v3_scale(rate[k], axis_of(*t)));
    }
    for (const char *r = free_rotations[joint->def.kind]; *r; r++, k++) {
        out.spin = v3_add(out.spin, v3_scale(rate[k], q_rotate(out.pose.rotation, axis_of(*r))));
        out.pose.rotation = q_multiply(out.pose.rotation, q_about(axis_of(*r), joint->coordinate[k]));
    }
    if (afx_joint_has_length(joint->def.kind)) {
        way.x = joint->def.kind == AFX_JOINT_DISTANCE ? way.x : 0;
        out.pose.position = v3_scale(joint->def.length / v3_norm(way), way);
    }
    return out;
}

/* ---- bodies ---- */

static AfxShapeDef make_shape(double size, uint64_t *seed) {
    double a = size * between(seed, 0.08, 0.2), b = size * between(seed, 0.08, 0.2), c = size * between(seed, 0.2, 0.4);
    switch (below(seed, 5)) {
    case 0:
        return afx_default_sphere(b);
    case 1:
        return afx_default_capsule(a, c);
    case 2:
        return afx_default_cylinder(a, c);
    case 3:
        return afx_default_ellipsoid(a, b, c);
    default:
        return afx_default_box(2 * a, 2 * b, 2 * c);
    }
}

static uint32_t add_body(Mechanism *m, uint64_t *seed) {
    PartBody *body = &m->body[m->body_count];
    *body = (PartBody){.def = afx_default_body(), .size = m->size * between(seed, 0.3, 1)};
    body->shape = make_shape(body->size, seed);
    double shift = chance(seed, 0.3) ? 0.1 * body->size : 0;
    body->shape.pose = (AfxPose){random_vec3(seed, shift), shift > 0 ? random_quat(seed) : (AfxQuat){1, 0, 0, 0}};
    body->shape.density = 1000 * (has(m, FEATURE_MASSES) ? decades(seed, -2.5, 2.5) : between(seed, 0.5, 2));
    body->def.young = has(m, FEATURE_ELASTIC) ? (chance(seed, 0.5) ? 1e9 : decades(seed, 7, 11)) : INFINITY;
    if (has(m, FEATURE_DAMPING) && chance(seed, 0.5)) {
        body->def.linear_damping = decades(seed, -1, 1);
        body->def.angular_damping = decades(seed, -1, 1);
    }
    return m->body_count++;
}

static AfxJointKind pick_kind(const Mechanism *m, uint64_t *seed, bool closes) {
    static const AfxJointKind often[] = {AFX_JOINT_REVOLUTE, AFX_JOINT_SPHERICAL, AFX_JOINT_REVOLUTE,
                                         AFX_JOINT_UNIVERSAL};
    if (has(m, FEATURE_PLANAR)) {
        return chance(seed, 0.85) ? AFX_JOINT_REVOLUTE : AFX_JOINT_PRISMATIC;
    }
    if (closes && chance(seed, 0.5)) {
        static const AfxJointKind loose[] = {AFX_JOINT_SPHERICAL, AFX_JOINT_DISTANCE, AFX_JOINT_SLOT,
                                             AFX_JOINT_CYLINDRICAL};
        return loose[below(seed, 4)];
    }
    if (chance(seed, 0.5)) {
        return often[below(seed, 4)];
    }
    AfxJointKind kind = (AfxJointKind)below(seed, AFX_JOINT_REVOLUTE_SPHERICAL);
    /* kinds that came later, in place of these: most seeds still are the mechanisms that they were */
    bool later = (kind == AFX_JOINT_DISTANCE || kind == AFX_JOINT_FREE) && (*seed >> 40) % 3;
    return later ? (AfxJointKind)(AFX_JOINT_REVOLUTE_SPHERICAL + (*seed >> 50) % 4) : kind;
}

/* The frame of a joint on a body of that size. Planar ones slide in the plane and turn about its normal, z. */
static AfxPose pick_frame(const Mechanism *m, AfxJointKind kind, double size, uint64_t *seed) {
    if (has(m, FEATURE_PLANAR)) {
        double angle = between(seed, 0, 6.28);
        AfxVec3 point = v3(0.5 * size * cos(angle), 0.5 * size * sin(angle), 0);
        AfxVec3 axis = kind == AFX_JOINT_REVOLUTE ? v3(0, 0, 1) : v3(-sin(angle), cos(angle), 0);
        return afx_frame_along(point, axis);
    }
    AfxVec3 way = random_vec3(seed, 1);
    return (AfxPose){v3_scale(0.5 * size / (0.1 + v3_norm(way)), way), random_quat(seed)};
}

/* Coordinates and rates of a joint at the start. */
static void pick_coordinates(const Mechanism *m, PartJoint *joint, double rate[AXES_MOST], uint64_t *seed) {
    bool moves = has(m, FEATURE_SPINNING) && !has(m, FEATURE_LOOPS);
    uint32_t slides = (uint32_t)strlen(free_translations[joint->def.kind]);
    for (uint32_t k = 0; k < afx_joint_axis_count(joint->def.kind); k++) {
        double scale = k < slides ? m->size : 1;
        joint->coordinate[k] = 0.4 * scale * between(seed, -1, 1);
        rate[k] = moves ? 2 * scale * sqrt(GRAVITY / m->size) * between(seed, -1, 1) : 0;
    }
    if (joint->def.kind == AFX_JOINT_SCREW) {
        joint->def.pitch = 0.1 * m->size * between(seed, 0.2, 1);
        joint->coordinate[0] = joint->def.pitch * joint->coordinate[1];
        rate[0] = joint->def.pitch * rate[1];
    } else if (afx_joint_has_length(joint->def.kind)) {
        joint->def.length = m->size * between(seed, 0.2, 1);
    }
}

/* Puts a body where a joint to `base` leaves it. */
static void attach(Mechanism *m, uint32_t base, uint32_t follower, uint64_t *seed) {
    PartJoint *joint = &m->joint[m->joint_count++];
    AfxBodyDef *def = &m->body[follower].def;
    double rate[AXES_MOST] = {0};
    *joint = (PartJoint){.base = base, .follower = follower};
    joint->def = afx_default_joint(pick_kind(m, seed, false));
    joint->def.base_frame = pick_frame(m, joint->def.kind, base == WORLD ? m->size : m->body[base].size, seed);
    joint->def.follower_frame = pick_frame(m, joint->def.kind, m->body[follower].size, seed);
    pick_coordinates(m, joint, rate, seed);
    AfxVec3 way = random_vec3(seed, 1);
    Moved moved = move_joint(joint, rate, v3_scale(1 / v3_norm(way), way));
    AfxPose on = base == WORLD ? (AfxPose){{0, 0, 0}, {1, 0, 0, 0}} : m->body[base].def.pose;
    AfxVec3 velocity = base == WORLD ? v3(0, 0, 0) : m->body[base].def.linear_velocity;
    AfxVec3 spin = base == WORLD ? v3(0, 0, 0) : m->body[base].def.angular_velocity;
    AfxPose frame = compose(on, joint->def.base_frame), end = compose(frame, moved.pose);
    def->pose = compose(end, inverse(joint->def.follower_frame));
    velocity = v3_add(velocity, v3_cross(spin, v3_sub(end.position, on.position)));
    velocity = v3_add(velocity, q_rotate(frame.rotation, moved.velocity));
    def->angular_velocity = v3_add(spin, q_rotate(frame.rotation, moved.spin));
    def->linear_velocity = v3_add(velocity, v3_cross(def->angular_velocity, v3_sub(def->pose.position, end.position)));
}

/* One that closes a loop, between two bodies where they are. */
static void close_loop(Mechanism *m, uint32_t base, uint32_t follower, uint64_t *seed) {
    PartJoint *joint = &m->joint[m->joint_count++];
    AfxPose a = m->body[base].def.pose, b = m->body[follower].def.pose;
    AfxPose world = {v3_scale(0.5, v3_add(a.position, b.position)), random_quat(seed)};
    *joint = (PartJoint){.base = base, .follower = follower, .closes = true};
    joint->def = afx_default_joint(pick_kind(m, seed, true));
    if (has(m, FEATURE_PLANAR)) {
        world = afx_frame_along(world.position, v3(0, 0, 1));
        joint->def.kind = AFX_JOINT_REVOLUTE;
    }
    bool link = afx_joint_has_length(joint->def.kind);
    if (link && joint->def.kind != AFX_JOINT_DISTANCE) { /* hinges across the link */
        world = afx_frame_along(world.position, v3_cross(v3_sub(b.position, a.position), v3(0.3, 0.5, 0.8)));
    }
    joint->def.base_frame = compose(inverse(a), world);
    joint->def.follower_frame = compose(inverse(b), world);
    if (link) {
        joint->def.base_frame.position = v3(0, 0, 0);
        joint->def.follower_frame.position = v3(0, 0, 0);
        joint->def.length = v3_distance(a.position, b.position);
    }
}

static void add_loops(Mechanism *m, uint32_t first, uint64_t *seed) {
    uint32_t moving = m->body_count - first;
    for (uint32_t k = 1 + below(seed, 1 + moving / 5); k > 0 && moving > 2 && m->joint_count < JOINTS_MOST; k--) {
        uint32_t a = first + below(seed, moving), b = first + below(seed, moving);
        if (a != b) {
            close_loop(m, a, b, seed);
        }
    }
}

/* ---- what does not move by itself ---- */

static void add_kinematic(Mechanism *m, uint64_t *seed) {
    PartBody *body = &m->body[m->body_count++];
    double speed = sqrt(GRAVITY * m->size), rate = sqrt(GRAVITY / m->size);
    *body = (PartBody){.def = afx_default_body(), .size = m->size};
    body->def.kind = AFX_BODY_KINEMATIC;
    for (int k = 0; k < 3 && !has(m, FEATURE_PLANAR); k++) {
        double frequency = rate * between(seed, 0.05, 0.3);
        body->def.motion.translation[k] =
            (AfxSignal){.kind = AFX_SIGNAL_SINE,
                        .coefficients = {0, speed * between(seed, 0, 0.5) / (6.28 * frequency), frequency, 0}};
    }
    body->def.motion.axis = has(m, FEATURE_PLANAR) ? v3(0, 0, 1) : v3(1, between(seed, -1, 1), between(seed, -1, 1));
    body->def.motion.angle =
        (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, between(seed, -1, 1) * rate}};
}

/* A plane below all, as far as no shape reaches. */
static void add_ground(Mechanism *m, uint64_t *seed) {
    double lowest = 0;
    for (uint32_t k = 0; k < m->body_count; k++) {
        lowest = fmin(lowest, m->body[k].def.pose.position.z - m->body[k].size);
    }
    PartBody *ground = &m->body[m->body_count++];
    *ground = (PartBody){.def = afx_default_body(), .shape = afx_default_plane(), .size = m->size};
    ground->def.kind = AFX_BODY_FIXED;
    ground->def.pose.position = v3(0, 0, lowest - 0.3 * m->size * random_unit(seed));
    m->material.friction = chance(seed, 0.2) ? 0 : between(seed, 0.1, 1);
    m->material.restitution = has(m, FEATURE_BOUNCE) && chance(seed, 0.7) ? random_unit(seed) : 0;
    m->contact = true;
}

/* Shapes that lie in each other at the start do not collide: that is another question. */
static void exclude_overlaps(Mechanism *m) {
    static AfxOverlap overlap[EXCLUSIONS_MOST];
    AfxError error;
    AfxScene *scene = mechanism_scene(m, &error);
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    uint32_t count = 0;
    if (scene && afx_model_create(scene, &model, &error) == AFX_OK && afx_sim_create(model, &def, &sim) == AFX_OK) {
        afx_sim_overlaps(sim, overlap, EXCLUSIONS_MOST, &count);
        for (uint32_t k = 0; k < count && k < EXCLUSIONS_MOST; k++) {
            m->exclusion[m->exclusion_count][0] = overlap[k].body_a;
            m->exclusion[m->exclusion_count++][1] = overlap[k].body_b;
        }
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* ---- all of it ---- */

static void pick_sim(Mechanism *m, uint64_t *seed) {
    static const AfxIntegrator integrators[] = {AFX_BDF2,  AFX_BDF2,  AFX_BDF2, AFX_BDF2, AFX_BDF2,
                                                AFX_ALPHA, AFX_ALPHA, AFX_BDF1, AFX_BDF1, AFX_SDIRK2};
    static const double steps[] = {0.01, 0.01, 0.01, 0.005, 0.002, 0.001};
    m->sim = afx_default_sim();
    m->sim.integrator = integrators[below(seed, sizeof integrators / sizeof *integrators)];
    m->sim.accuracy = chance(seed, 0.5) ? AFX_FAST : AFX_ACCURATE;
    m->sim.rho = chance(seed, 0.5) ? m->sim.rho : random_unit(seed);
    m->sim.dt = steps[below(seed, sizeof steps / sizeof *steps)];
    m->steps = m->sim.dt >= 0.005 ? (uint32_t)(0.8 / m->sim.dt) : 160;
    m->snapshot_step = 1 + below(seed, m->steps - 1);
}

static uint32_t pick_features(uint64_t *seed, uint32_t only) {
    double share = FEATURE_SHARE * random_unit(seed);
    uint32_t features = 0;
    for (uint32_t k = 0; k < FEATURE_COUNT; k++) {
        bool even = k == FEATURE_ELASTIC || k == FEATURE_SPINNING;
        bool rare = k == FEATURE_BALL_LIMITS || k == FEATURE_BALL_POSITIONS || k == FEATURE_PLANAR;
        features |= (uint32_t)chance(seed, even ? 0.5 : rare ? 0.3 * share : share) << k;
    }
    return only ? only : features;
}

static uint32_t pick_base(uint32_t first, uint32_t count, bool chain, uint64_t *seed) {
    uint32_t root = first ? 0 : WORLD; /* the base that moves, where there is one */
    if (count == 0 || (!chain && chance(seed, 0.1))) {
        return root;
    }
    return first + (chain ? count - 1 : below(seed, count));
}

/* Takes out what an integrator that conserves cannot do; `composed` ones have no damping either. */
static void make_smooth(Mechanism *m, bool composed) {
    m->contact = false;
    m->features &= ~(1u << FEATURE_ELASTIC | 1u << FEATURE_CONTACT | 1u << FEATURE_LIMITS | 1u << FEATURE_BALL_LIMITS |
                     1u << FEATURE_FRICTION);
    for (uint32_t k = 0; k < m->body_count; k++) {
        m->body[k].def.young = INFINITY;
        m->body[k].def.linear_damping *= !composed;
        m->body[k].def.angular_damping *= !composed;
    }
    for (uint32_t k = 0; k < m->joint_count; k++) {
        m->joint[k].def.spring.damping = v3_scale(!composed, m->joint[k].def.spring.damping);
    }
    for (uint32_t k = 0; k < m->drive_count; k++) {
        AfxDriveDef *def = &m->drive[k].def;
        m->drive[k].gone |= def->kind == AFX_DRIVE_LIMIT || def->kind == AFX_DRIVE_FRICTION;
        def->damping *= !composed;
        def->effort = composed && def->kind == AFX_DRIVE_SERVO ? INFINITY : def->effort;
    }
    for (uint32_t k = 0; k < m->spring_count; k++) {
        m->spring[k].def.damping *= !composed;
    }
}

/* One in ten is for an integrator that conserves: half of these have only what such a one can do, the others whatever
 * they have, which it must refuse by name. Taken from the number itself: all others stay the mechanisms that they were.
 */
static void pick_conserving(Mechanism *m) {
    static const AfxIntegrator integrators[] = {AFX_CONSERVING, AFX_CONSERVING4, AFX_CONSERVING, AFX_REFERENCE};
    uint64_t draw = m->seed * 0x9e3779b97f4a7c15u >> 32;
    if (draw % 10 == 0) {
        m->sim.integrator = integrators[draw / 10 % 4];
        if (draw / 40 % 2) {
            make_smooth(m, m->sim.integrator != AFX_CONSERVING);
        }
    }
}

void mechanism_generate(Mechanism *mechanism, uint64_t number, uint32_t only) {
    Mechanism *m = mechanism;
    uint64_t state = number, *seed = &state;
    memset(m, 0, sizeof *m);
    m->seed = number;
    random_unit(seed);
    m->features = pick_features(seed, only);
    m->size = decades(seed, -3, 2);
    m->gravity = v3(0, 0, chance(seed, WEIGHTLESS) ? 0 : -GRAVITY);
    m->material = afx_default_material();
    pick_sim(m, seed);
    if (has(m, FEATURE_KINEMATIC)) {
        add_kinematic(m, seed);
    }
    uint32_t first = m->body_count, moving = (uint32_t)decades(seed, 0, 1.602);
    bool chain = chance(seed, 0.3), loose = chance(seed, 0.15);
    for (uint32_t k = 0; k < moving; k++) {
        uint32_t base = pick_base(first, k, chain, seed), body = add_body(m, seed);
        if (loose && base == WORLD) { /* nothing holds it */
            m->body[body].def.pose = (AfxPose){random_vec3(seed, 3 * m->size), random_quat(seed)};
            if (has(m, FEATURE_PLANAR)) {
                m->body[body].def.pose = (AfxPose){random_vec3(seed, 3 * m->size), {1, 0, 0, 0}};
            }
        } else {
            attach(m, base, body, seed);
        }
    }
    if (has(m, FEATURE_LOOPS)) {
        add_loops(m, first, seed);
    }
    mechanism_add_actions(m, seed);
    if (has(m, FEATURE_CONTACT)) {
        add_ground(m, seed);
        exclude_overlaps(m);
    }
    if (!only) {
        pick_conserving(m);
    }
}
