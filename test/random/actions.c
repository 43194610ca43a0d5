/* SPDX-License-Identifier: Apache-2.0 */
/* What acts on a random mechanism. Stiffnesses and efforts are in proportion to the weight of what they act on. */
#include <string.h>

#include "mechanism.h"
#include "support/random.h"
#include "support/rigid_reference.h"

static double between(uint64_t *seed, double low, double high) {
    return low + (high - low) * random_unit(seed);
}

static bool chance(uint64_t *seed, double probability) {
    return random_unit(seed) < probability;
}

static double decades(uint64_t *seed, double low, double high) {
    return pow(10, between(seed, low, high));
}

static uint32_t below(uint64_t *seed, uint32_t count) {
    return (uint32_t)(count * random_unit(seed));
}

/* A body's weight, N: shapes fill about a twentieth of their size cubed. */
static double weight(const PartBody *body) {
    return 9.81 * body->shape.density * 0.05 * body->size * body->size * body->size;
}

/* Whether a coordinate is a length. */
static bool slides(AfxJointKind kind, uint32_t axis) {
    static const char *const translations[] = {
#define TRANSLATIONS(kind, name, translations, rotations) translations,
        AFX_JOINT_TABLE(TRANSLATIONS)
#undef TRANSLATIONS
    };
    return axis < strlen(translations[kind]);
}

/* The angles of a ball: three turns one after the other, singular where the second is a quarter. */
static bool cardan(AfxJointKind kind, uint32_t axis) {
    return (kind == AFX_JOINT_SPHERICAL || kind == AFX_JOINT_SLOT || kind == AFX_JOINT_FREE) && !slides(kind, axis);
}

/* A drive about to be added: its joint's coordinate, with the units of what acts on it. */
typedef struct Axis {
    uint32_t joint, axis;
    double value, length; /* at the start; 1 m or size for lengths, 1 rad for angles */
    double effort;        /* N or Nm that the weight of the follower comes to */
    double rate;          /* 1/s, of swings */
} Axis;

static PartDrive *add_drive(Mechanism *m, const Axis *axis, AfxDriveKind kind) {
    PartDrive *drive = &m->drive[m->drive_count];
    if (m->drive_count == DRIVES_MOST) {
        return NULL;
    }
    m->drive_count++;
    *drive = (PartDrive){.def = afx_default_drive(kind), .joint = axis->joint};
    drive->def.axis = axis->axis;
    return drive;
}

/* Swings about where the coordinate is at the start. */
static AfxSignal swing(const Axis *axis, uint64_t *seed) {
    return (AfxSignal){.kind = AFX_SIGNAL_SINE,
                       .coefficients = {axis->value, 0.5 * axis->length * between(seed, -1, 1),
                                        axis->rate * between(seed, 0.03, 0.2), 0}};
}

static void add_exact(Mechanism *m, const Axis *axis, bool ball, uint64_t *seed) {
    bool position = has(m, ball ? FEATURE_BALL_POSITIONS : FEATURE_POSITIONS) && chance(seed, 0.25);
    bool velocity = !position && !ball && has(m, FEATURE_VELOCITIES) && chance(seed, 0.25);
    PartDrive *drive = position   ? add_drive(m, axis, AFX_DRIVE_POSITION)
                       : velocity ? add_drive(m, axis, AFX_DRIVE_VELOCITY)
                                  : NULL;
    if (drive && position) {
        drive->def.target = chance(seed, 0.3) ? (AfxSignal){.coefficients = {axis->value}} : swing(axis, seed);
    } else if (drive) {
        double rate = axis->length * axis->rate * between(seed, -1, 1);
        drive->def.target = (AfxSignal){.coefficients = {chance(seed, 0.3) ? 0 : rate}};
    }
}

static void add_servo(Mechanism *m, const Axis *axis, uint64_t *seed) {
    PartDrive *drive = add_drive(m, axis, AFX_DRIVE_SERVO);
    if (drive) {
        drive->def.target = chance(seed, 0.4) ? (AfxSignal){.coefficients = {axis->value}} : swing(axis, seed);
        drive->def.stiffness = axis->effort / axis->length * decades(seed, 0, 2.5);
        drive->def.damping = drive->def.stiffness / axis->rate * between(seed, 0, 0.3);
        drive->def.effort = chance(seed, 0.5) ? axis->effort * decades(seed, -1, 1) : INFINITY;
    }
}

static void add_spring_and_limit(Mechanism *m, const Axis *axis, bool ball, uint64_t *seed) {
    PartDrive *drive;
    if (has(m, FEATURE_AXIS_SPRINGS) && chance(seed, 0.4) && (drive = add_drive(m, axis, AFX_DRIVE_SPRING))) {
        drive->def.rest = axis->value + 0.3 * axis->length * between(seed, -1, 1);
        drive->def.stiffness = axis->effort / axis->length * decades(seed, -1, 2);
        drive->def.damping = chance(seed, 0.5) ? 0 : drive->def.stiffness / axis->rate * between(seed, 0, 0.3);
    }
    if (has(m, ball ? FEATURE_BALL_LIMITS : FEATURE_LIMITS) && chance(seed, 0.4) &&
        (drive = add_drive(m, axis, AFX_DRIVE_LIMIT))) {
        drive->def.lower = axis->value - axis->length * between(seed, 0.05, 0.6);
        drive->def.upper = axis->value + axis->length * between(seed, 0.05, 0.6);
        drive->def.restitution = has(m, FEATURE_BOUNCE) && chance(seed, 0.7) ? random_unit(seed) : 0;
    }
}

static void add_drives(Mechanism *m, const Axis *axis, uint64_t *seed) {
    const PartJoint *joint = &m->joint[axis->joint];
    bool ball = cardan(joint->def.kind, axis->axis);
    PartDrive *drive;
    add_exact(m, axis, ball, seed);
    if (has(m, FEATURE_SERVOS) && chance(seed, 0.3)) {
        add_servo(m, axis, seed);
    }
    add_spring_and_limit(m, axis, ball, seed);
    if (has(m, FEATURE_FORCES) && chance(seed, 0.3) && (drive = add_drive(m, axis, AFX_DRIVE_FORCE))) {
        drive->def.target =
            (AfxSignal){.kind = AFX_SIGNAL_SINE,
                        .coefficients = {axis->effort * between(seed, -1, 1), axis->effort * between(seed, -1, 1),
                                         axis->rate * between(seed, 0.03, 0.3), 0}};
    }
    if (has(m, FEATURE_FRICTION) && chance(seed, 0.4) && (drive = add_drive(m, axis, AFX_DRIVE_FRICTION))) {
        bool by_load = chance(seed, 0.3);
        drive->def.effort = axis->effort * decades(seed, -2, 0);
        drive->def.coefficient = by_load ? 0.2 : 0;
        drive->def.radius = by_load ? (slides(joint->def.kind, axis->axis) ? 1 : 0.05 * m->size) : 0;
    }
}

static void add_ball_spring(Mechanism *m, PartJoint *joint, uint64_t *seed) {
    double torque = weight(&m->body[joint->follower]) * m->body[joint->follower].size;
    AfxJointSpring *spring = &joint->def.spring;
    double k = torque * decades(seed, -1, 2);
    bool even = chance(seed, 0.5);
    spring->stiffness = even ? v3(k, k, k) : v3(k, k * between(seed, 0.2, 5), k * between(seed, 0.2, 5));
    spring->damping = v3_scale(chance(seed, 0.5) ? 0 : 0.1 * sqrt(m->size / 9.81), spring->stiffness);
    spring->rest = chance(seed, 0.5) ? (AfxQuat){1, 0, 0, 0} : q_about(random_vec3(seed, 1), between(seed, -0.5, 0.5));
}

static void add_springs(Mechanism *m, uint64_t *seed) {
    for (uint32_t k = 1 + below(seed, 4); k > 0; k--) {
        PartSpring *spring = &m->spring[m->spring_count];
        uint32_t a = below(seed, m->body_count), b = below(seed, m->body_count);
        if (m->body[a].def.kind != AFX_BODY_DYNAMIC) {
            continue;
        }
        *spring = (PartSpring){.def = afx_default_spring(), .a = a, .b = a == b ? WORLD : b};
        spring->def.point_a = random_vec3(seed, 0.2 * m->body[a].size);
        spring->def.point_b = random_vec3(seed, (a == b ? 2 : 0.2) * m->body[b].size);
        spring->def.rest_length = m->size * between(seed, 0.1, 1);
        spring->def.stiffness = weight(&m->body[a]) / m->size * decades(seed, -1, 2.5);
        spring->def.damping = chance(seed, 0.5) ? 0 : spring->def.stiffness * 0.05 * sqrt(m->size / 9.81);
        m->spring_count++;
    }
}

static void add_couplings(Mechanism *m, uint64_t *seed) {
    for (uint32_t k = 1 + below(seed, 2); k > 0 && m->joint_count > 1; k--) {
        PartCoupling *coupling = &m->coupling[m->coupling_count];
        *coupling = (PartCoupling){.def = afx_default_coupling()};
        for (uint32_t tries = 0; tries < 6 && coupling->def.term_count < 3; tries++) {
            uint32_t joint = below(seed, m->joint_count), term = coupling->def.term_count;
            AfxJointKind kind = m->joint[joint].def.kind;
            bool used = afx_joint_axis_count(kind) == 0 || cardan(kind, afx_joint_axis_count(kind) - 1);
            for (uint32_t t = 0; t < term; t++) {
                used |= coupling->joint[t] == joint;
            }
            if (!used) {
                coupling->joint[term] = joint;
                coupling->def.factor[term] = between(seed, 0.3, 2) / (slides(kind, 0) ? m->size : 1);
                coupling->def.term_count++;
            }
        }
        double torque = weight(&m->body[m->joint[coupling->joint[0]].follower]) * m->size;
        coupling->def.compliance = chance(seed, 0.5) ? 0 : 1 / (torque * decades(seed, 0, 3));
        m->coupling_count += coupling->def.term_count > 1;
    }
}

static void add_wrenches(Mechanism *m, uint64_t *seed) {
    for (uint32_t k = 1 + below(seed, 3); k > 0; k--) {
        PartWrench *wrench = &m->wrench[m->wrench_count];
        uint32_t body = below(seed, m->body_count);
        if (m->body[body].def.kind != AFX_BODY_DYNAMIC) {
            continue;
        }
        double force = weight(&m->body[body]);
        *wrench = (PartWrench){.def = afx_default_wrench(), .body = body};
        wrench->def.frame = chance(seed, 0.5) ? AFX_FRAME_WORLD : AFX_FRAME_BODY;
        wrench->def.point = random_vec3(seed, 0.3 * m->body[body].size);
        wrench->def.force = random_vec3(seed, force);
        wrench->def.torque = random_vec3(seed, 0.3 * force * m->body[body].size);
        m->wrench_count++;
    }
}

void mechanism_add_actions(Mechanism *mechanism, uint64_t *seed) {
    Mechanism *m = mechanism;
    for (uint32_t k = 0; k < m->joint_count; k++) {
        PartJoint *joint = &m->joint[k];
        const PartBody *body = &m->body[joint->follower];
        for (uint32_t a = 0; a < afx_joint_axis_count(joint->def.kind); a++) {
            bool slide = slides(joint->def.kind, a);
            Axis axis = {k,
                         a,
                         joint->coordinate[a],
                         slide ? m->size : 1,
                         weight(body) * (slide ? 1 : body->size),
                         sqrt(9.81 / m->size)};
            add_drives(m, &axis, seed);
        }
        if (has(m, FEATURE_BALL_SPRINGS) && joint->def.kind == AFX_JOINT_SPHERICAL && chance(seed, 0.6)) {
            add_ball_spring(m, joint, seed);
        }
    }
    if (has(m, FEATURE_SPRINGS)) {
        add_springs(m, seed);
    }
    if (has(m, FEATURE_COUPLINGS)) {
        add_couplings(m, seed);
    }
    if (has(m, FEATURE_WRENCHES)) {
        add_wrenches(m, seed);
    }
}
