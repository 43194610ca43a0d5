/* SPDX-License-Identifier: Apache-2.0 */
/* Several joints on one body as one joint of the scene. MuJoCo applies them in order: the first moves against the
 * parent, the last against the body. Slides that come before rotations move along axes of the parent; hinges about axes
 * that are square to each other and meet in one point are Cardan angles about x, y, z of the joint's frame. So, with
 * the frame's axes along those of the joints,
 *
 *   slides  rotations          kind
 *   1 2 3                      prismatic, rectangular, cartesian
 *           1 2 3, ball        revolute, universal, spherical
 *   1       1 parallel         cylindrical
 *   1       1 square           pin-in-slot (slide x, turn y)
 *   2       1 square to both   planar
 *   1       3 (first along the slide), ball    slot
 *   else                       free, with the coordinates that no joint has held at 0
 *
 * Joints in the opposite order (rotations before slides) are the same seen from the body: base and follower change
 * places, and signs. What fits none of this (skew hinges, axes at an angle) is left to a chain of bodies. */
#include <math.h>
#include <string.h>

#include "load/mjcf.h"

/* How far from parallel, square or meeting axes may be: far above rounding, far below any design. */
#define CLOSE 1e-9

typedef struct Axes {
    AfxVec3 slide[6], turn[6];
    AfxVec3 point[6];                                    /* of the rotations */
    uint32_t slide_joint[6], rotational_spring_joint[6]; /* numbers in the order of the file */
    uint32_t slides, turns;
    bool ball;
} Axes;

static bool at_right_angles(AfxVec3 a, AfxVec3 b) {
    return fabs(vec3_dot(a, b)) < CLOSE;
}

static bool parallel(AfxVec3 a, AfxVec3 b) {
    return vec3_length(vec3_cross(a, b)) < CLOSE;
}

/** Sorts joints, in order or backwards, into slides and rotations; false when a rotation comes before a slide. */
static bool sort(const AfxiMjcfJoint *const joints[], uint32_t count, bool reversed, Axes *out) {
    memset(out, 0, sizeof *out);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t k = reversed ? count - 1 - n : n;
        if (joints[k]->type == AFXI_MJCF_SLIDE) {
            if (out->turns > 0 || out->slides == 3) {
                return false;
            }
            out->slide_joint[out->slides] = k;
            out->slide[out->slides++] = joints[k]->direction;
            continue;
        }
        if (out->turns == 3 || out->ball) {
            return false;
        }
        out->ball = joints[k]->type == AFXI_MJCF_BALL;
        out->rotational_spring_joint[out->turns] = k;
        out->point[out->turns] = joints[k]->point;
        out->turn[out->turns++] = joints[k]->direction;
    }
    return true;
}

/** The point in which all axes of rotation meet; false when they do not, or are not square to each other. */
static bool find_point(const Axes *axes, AfxVec3 *out_point) {
    *out_point = axes->turns ? axes->point[0] : vec3(0, 0, 0);
    if (axes->ball) {
        return axes->turns == 1;
    }
    if (axes->turns > 1) {
        AfxVec3 a = axes->turn[0], b = axes->turn[1], gap = vec3_sub(axes->point[1], axes->point[0]);
        if (!at_right_angles(a, b)) {
            return false;
        }
        *out_point = vec3_mad(axes->point[0], vec3_dot(gap, a), a); /* square to each other: the foot is the meeting */
    }
    double size = 1;
    for (uint32_t k = 0; k < axes->turns; k++) {
        size = fmax(size, vec3_length(axes->point[k]));
        AfxVec3 gap = vec3_sub(*out_point, axes->point[k]);
        if (vec3_length(vec3_cross(gap, axes->turn[k])) > CLOSE * size) {
            return false;
        }
        for (uint32_t j = 0; j < k; j++) {
            if (!at_right_angles(axes->turn[j], axes->turn[k])) {
                return false;
            }
        }
    }
    return true;
}

/** A right-handed frame whose columns begin with the given directions [count], square to each other. */
static AfxiMat3 frame_of(const AfxVec3 *directions, uint32_t count) {
    AfxVec3 x = directions[0], y, z;
    if (count > 1) {
        y = directions[1];
    } else {
        AfxVec3 other = fabs(x.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
        y = vec3_cross(x, other);
    }
    y = vec3_mad(y, -vec3_dot(x, y), x);
    y = vec3_scale(1 / vec3_length(y), y);
    z = vec3_cross(x, y);
    return mat3_from_columns(x, y, z);
}

/** Which axis of the frame a direction is along, and its sign; false for none. */
static bool match(const AfxiMat3 *frame, AfxVec3 direction, uint32_t *out_axis, double *out_sign) {
    for (uint32_t k = 0; k < 3; k++) {
        AfxVec3 axis = mat3_column(frame, (int)k);
        if (parallel(axis, direction)) {
            *out_axis = k;
            *out_sign = vec3_dot(axis, direction) < 0 ? -1 : 1;
            return true;
        }
    }
    return false;
}

/** Directions that the frame's columns should have, first those that the kind prescribes. */
static uint32_t choose_columns(const Axes *axes, AfxJointKind kind, AfxVec3 out[3]) {
    uint32_t count = 0;
    if (kind == AFX_JOINT_PIN_IN_SLOT) {
        out[0] = axes->slide[0];
        out[1] = axes->turn[0];
        return 2;
    }
    if (kind == AFX_JOINT_PLANAR || kind == AFX_JOINT_SLOT || axes->turns == 0 || axes->ball) {
        for (uint32_t k = 0; k < axes->slides && count < 2; k++) {
            out[count++] = axes->slide[k];
        }
        if (kind == AFX_JOINT_SLOT && !axes->ball) {
            out[count++] = axes->turn[1];
        }
        if (count == 0) {
            out[count++] = vec3(1, 0, 0);
            out[count++] = vec3(0, 1, 0);
        }
        return count;
    }
    for (uint32_t k = 0; k < axes->turns && count < 2; k++) {
        out[count++] = axes->turn[k];
    }
    for (uint32_t k = 0; k < axes->slides && count == 1; k++) { /* the rest of the frame is free to follow slides */
        if (at_right_angles(axes->slide[k], out[0])) {
            out[count++] = axes->slide[k];
        }
    }
    return count;
}

static AfxJointKind choose_kind(const Axes *a) {
    static const AfxJointKind slides[] = {AFX_JOINT_FIXED, AFX_JOINT_PRISMATIC, AFX_JOINT_RECTANGULAR,
                                          AFX_JOINT_CARTESIAN};
    static const AfxJointKind turns[] = {AFX_JOINT_FIXED, AFX_JOINT_REVOLUTE, AFX_JOINT_UNIVERSAL, AFX_JOINT_SPHERICAL};
    if (a->turns == 0) {
        return slides[a->slides];
    }
    if (a->slides == 0) {
        return a->ball ? AFX_JOINT_SPHERICAL : turns[a->turns];
    }
    if (a->slides == 1 && a->turns == 1 && !a->ball) {
        return parallel(a->slide[0], a->turn[0])          ? AFX_JOINT_CYLINDRICAL
               : at_right_angles(a->slide[0], a->turn[0]) ? AFX_JOINT_PIN_IN_SLOT
                                                          : AFX_JOINT_FREE;
    }
    if (a->slides == 2 && a->turns == 1 && !a->ball && at_right_angles(a->slide[0], a->turn[0]) &&
        at_right_angles(a->slide[1], a->turn[0])) {
        return AFX_JOINT_PLANAR;
    }
    if (a->slides == 1 && (a->ball || (a->turns == 3 && parallel(a->slide[0], a->turn[0])))) {
        return AFX_JOINT_SLOT;
    }
    return AFX_JOINT_FREE;
}

/** Free axis of the kind that is translation (0) or rotation (1) along column `column`; false for none. */
static bool axis_number(AfxJointKind kind, int rotation, uint32_t column, uint32_t *out_axis) {
    static const char *const names[AFX_JOINT_KIND_COUNT][2] = {
#define NAMES(kind, name, translations, rotations) {translations, rotations},
        AFX_JOINT_TABLE(NAMES)
#undef NAMES
    };
    const char *letters = names[kind][rotation], *found = strchr(letters, (int)('x' + column));
    if (!found) {
        return false;
    }
    *out_axis = (uint32_t)(found - letters) + (rotation ? (uint32_t)strlen(names[kind][0]) : 0);
    return true;
}

/** Gives every joint its axis and sign; false when the frame does not fit. */
static bool assign(const Axes *axes, const AfxiMat3 *frame, AfxiMjcfPlan *plan) {
    double back = plan->reversed ? -1 : 1;
    plan->held = (1u << afx_joint_axis_count(plan->kind)) - 1;
    for (uint32_t k = 0; k < axes->slides; k++) {
        uint32_t column, joint = axes->slide_joint[k];
        if (!match(frame, axes->slide[k], &column, &plan->sign[joint]) ||
            !axis_number(plan->kind, 0, column, &plan->axis[joint]) || !(plan->held >> plan->axis[joint] & 1u)) {
            return false;
        }
        plan->sign[joint] *= back;
        plan->held &= ~(1u << plan->axis[joint]);
    }
    for (uint32_t k = 0; k < axes->turns && !axes->ball; k++) {
        uint32_t column, joint = axes->rotational_spring_joint[k];
        bool in_order = plan->kind == AFX_JOINT_FREE || plan->kind == AFX_JOINT_SPHERICAL ||
                        plan->kind == AFX_JOINT_SLOT || plan->kind == AFX_JOINT_UNIVERSAL;
        if (!match(frame, axes->turn[k], &column, &plan->sign[joint]) || (in_order && column != k) ||
            !axis_number(plan->kind, 1, column, &plan->axis[joint])) {
            return false;
        }
        plan->sign[joint] *= back;
        plan->held &= ~(1u << plan->axis[joint]);
    }
    if (axes->ball) { /* its three angles are nobody's coordinate */
        for (uint32_t column = 0, axis; column < 3; column++) {
            if (!axis_number(plan->kind, 1, column, &axis)) {
                return false;
            }
            plan->held &= ~(1u << axis);
            plan->axis[axes->rotational_spring_joint[0]] =
                column == 0 ? axis : plan->axis[axes->rotational_spring_joint[0]];
        }
        plan->sign[axes->rotational_spring_joint[0]] = back;
    }
    return true;
}

static bool try_order(const AfxiMjcfJoint *const joints[], uint32_t count, bool reversed, AfxiMjcfPlan *plan) {
    Axes axes;
    AfxVec3 columns[3];
    memset(plan, 0, sizeof *plan);
    if (!sort(joints, count, reversed, &axes) || !find_point(&axes, &plan->frame.position)) {
        return false;
    }
    for (uint32_t k = 0; k < axes.slides; k++) {
        for (uint32_t j = 0; j < k; j++) {
            if (!at_right_angles(axes.slide[j], axes.slide[k])) {
                return false;
            }
        }
    }
    plan->reversed = reversed;
    plan->kind = choose_kind(&axes);
    AfxiMat3 frame = frame_of(columns, choose_columns(&axes, plan->kind, columns));
    plan->frame.rotation = afxi_quat_from_mat3(&frame);
    return assign(&axes, &frame, plan);
}

bool afxi_mjcf_compose(const AfxiMjcfJoint *const joints[], uint32_t count, AfxiMjcfPlan *out_plan) {
    return try_order(joints, count, false, out_plan) || try_order(joints, count, true, out_plan);
}
