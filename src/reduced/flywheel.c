/* SPDX-License-Identifier: Apache-2.0 */
/* A flywheel's coordinate is y = ratio x + offset by its coupling f_x x + f_y y = c: ratio = -f_x / f_y. With inertia j
 * about or along its axis it adds j ratio² to the inertia of x. */
#include "reduced/flywheel.h"

#include <math.h>

#include "model/params.h"
#include "reduced/grow.h"
#include "reduced/tuning.h"

static const AfxiJointFrame *frame_of(const AfxModel *model, uint32_t joint) {
    return (const AfxiJointFrame *)model->joint_frames.items + model->joints[joint].frame;
}

/* ---- which bodies ---- */

/* Whether a joint is a hinge or slide between a moving body and the ground, that nothing acts on. */
static bool is_rail(const AfxModel *model, uint32_t index) {
    const AfxiJoint *joint = &model->joints[index];
    bool grounded = joint->base == AFXI_WORLD || model->kind[joint->base] == AFX_BODY_FIXED;
    return (joint->kind == AFX_JOINT_REVOLUTE || joint->kind == AFX_JOINT_PRISMATIC) && grounded &&
           joint->follower != AFXI_WORLD && model->kind[joint->follower] == AFX_BODY_DYNAMIC && joint->drive_count == 0;
}

static bool has_shape(const AfxModel *model, uint32_t body) {
    for (uint32_t k = 0; model->contacts.possible && k < model->contacts.shape_count; k++) {
        if (model->contacts.shapes[k].body == body) {
            return true;
        }
    }
    return false;
}

/* Whether anything but joint `rail` and coupling `coupling` holds a body or acts on it. */
static bool is_otherwise_held(const AfxModel *model, uint32_t body, uint32_t rail, uint32_t coupling) {
    bool held = has_shape(model, body);
    for (uint32_t k = 0; k < model->joint_count; k++) {
        held = held || (k != rail && (model->joints[k].base == body || model->joints[k].follower == body));
    }
    for (uint32_t k = 0; k < model->spring_count; k++) {
        held = held || model->springs[k].body_a == body || model->springs[k].body_b == body;
    }
    for (uint32_t k = 0; k < model->wrench_count; k++) {
        held = held || model->wrench_body[k] == body;
    }
    for (uint32_t k = 0; k < model->coupling_count; k++) {
        for (uint32_t t = 0; k != coupling && t < model->couplings[k].term_count; t++) {
            held = held || model->couplings[k].joint[t] == rail;
        }
    }
    return held;
}

/* Whether its weight does no work along the rail, and it moves in no medium: gravity is off, or it turns about its
 * centre. */
static bool is_weightless(const AfxModel *model, const double *params, uint32_t rail) {
    const AfxiJointFrame *frame = frame_of(model, rail);
    AfxiBodyClass class = afxi_class_of_params(model, params, model->joints[rail].follower);
    AfxVec3 arm = vec3_cross(frame->point_a, mat3_column(&frame->axes_a, 0));
    double size = sqrt((class.s[0] + class.s[1] + class.s[2]) / class.mass);
    bool centred = model->joints[rail].kind == AFX_JOINT_REVOLUTE && vec3_length(arm) <= AFXI_CENTRED * size;
    return (class.gravity == 0 || centred) && class.linear_damping == 0 && class.angular_damping == 0;
}

/* An axis with a coordinate of its own in a tree. */
static bool is_plain_axis(const AfxModel *model, uint32_t joint, uint32_t axis) {
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)model->joints[joint].kind);
    return axis < kind->axis_count &&
           (kind->axes[axis].type == AFXI_AXIS_TRANSLATION || kind->axes[axis].type == AFXI_AXIS_ROTATION);
}

/* Which of the two terms of a coupling is a flywheel's; 2: none. */
static uint32_t wheel_term(const AfxModel *model, const uint8_t *active, uint32_t coupling) {
    const AfxiCoupling *source = &model->couplings[coupling];
    const double *numbers = afxi_param_const(model, model->params, AFX_PARAM_COUPLING, coupling);
    if (source->term_count != 2 || numbers[AFX_COUPLING_TERMS + 1] > 0 || source->joint[0] == source->joint[1]) {
        return 2;
    }
    for (uint32_t t = 2; t-- > 0;) {
        uint32_t rail = source->joint[t], other = source->joint[1 - t];
        if (is_rail(model, rail) && active[rail] && active[other] && numbers[t] != 0 && numbers[1 - t] != 0 &&
            is_plain_axis(model, other, source->axis[1 - t]) && is_weightless(model, model->params, rail) &&
            !is_otherwise_held(model, model->joints[rail].follower, rail, coupling)) {
            return t;
        }
    }
    return 2;
}

void afxi_flywheels_find(AfxiTree *tree, const uint8_t *active, uint8_t *out_apart) {
    const AfxModel *model = tree->model;
    for (uint32_t k = 0; k < model->coupling_count; k++) {
        uint32_t t = wheel_term(model, active, k);
        uint32_t rail = t < 2 ? model->couplings[k].joint[t] : 0, body = t < 2 ? model->joints[rail].follower : 0;
        if (t == 2 || out_apart[body]) {
            continue;
        }
        const AfxiJoint *other = &model->joints[model->couplings[k].joint[1 - t]];
        bool apart = (other->base != AFXI_WORLD && out_apart[other->base]) ||
                     (other->follower != AFXI_WORLD && out_apart[other->follower]);
        if (!apart) { /* two wheels geared to each other: one of them stays */
            out_apart[body] = 1;
            tree->flywheel[tree->flywheel_count++] = (AfxiFlywheel){.body = body, .joint = rail, .coupling = k};
        }
    }
}

/* ---- their coordinate ---- */

/* The term of its coupling that it follows. */
static uint32_t leading_term(const AfxiTree *tree, const AfxiFlywheel *wheel) {
    return tree->model->couplings[wheel->coupling].joint[0] == wheel->joint ? 1 : 0;
}

void afxi_flywheels_attach(AfxiTree *tree) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < tree->flywheel_count; k++) {
        AfxiFlywheel wheel = tree->flywheel[k];
        const AfxiCoupling *coupling = &tree->model->couplings[wheel.coupling];
        uint32_t term = leading_term(tree, &wheel);
        wheel.dof = tree->joint[coupling->joint[term]].dof[coupling->axis[term]];
        if (wheel.dof == AFXI_TREE_NONE) {
            afxi_tree_add_joint(tree, wheel.joint, false);
            continue;
        }
        tree->coupling_folded[wheel.coupling] = 1;
        tree->flywheel[kept++] = wheel;
    }
    tree->flywheel_count = kept;
}

uint32_t afxi_flywheels_unfit(const AfxiTree *tree, const double *params) {
    for (uint32_t k = 0; k < tree->flywheel_count; k++) {
        const AfxiFlywheel *wheel = &tree->flywheel[k];
        const double *numbers = afxi_param_const(tree->model, params, AFX_PARAM_COUPLING, wheel->coupling);
        if (!is_weightless(tree->model, params, wheel->joint) || numbers[0] == 0 || numbers[1] == 0 ||
            numbers[AFX_COUPLING_TERMS + 1] > 0) {
            return wheel->body;
        }
    }
    return AFXI_TREE_NONE;
}

/* a b^T added to a matrix. */
static void add_outer(AfxiMat3 *to, double scale, AfxVec3 a, AfxVec3 b) {
    const double row[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 3; k++) {
        vec3_store(to->m + 3 * k, vec3_mad(vec3_load(to->m + 3 * k), scale * row[k], a));
    }
}

/* Where a wheel is by its coordinate: axes of the base b turned about x, in those of the wheel a. */
static void set_place(const AfxiTree *tree, AfxiFlywheel *wheel) {
    const AfxiJoint *joint = &tree->model->joints[wheel->joint];
    const AfxiJointFrame *frame = frame_of(tree->model, wheel->joint);
    AfxiMat3 base = mat3_identity(), none = {{0}};
    AfxVec3 at = {0, 0, 0}, zero = {0, 0, 0}, a[3], b[3];
    if (joint->base != AFXI_WORLD) { /* it stands still */
        base = tree->carried[tree->place[joint->base]].turn;
        at = tree->carried[tree->place[joint->base]].shift;
    }
    for (int k = 0; k < 3; k++) {
        a[k] = mat3_column(&frame->axes_a, k);
        b[k] = mat3_apply(&base, mat3_column(&frame->axes_b, k));
        wheel->turn[k] = none;
    }
    int turns = joint->kind == AFX_JOINT_REVOLUTE;
    add_outer(&wheel->turn[0], 1, b[0], a[0]);
    add_outer(&wheel->turn[turns], 1, b[1], a[1]);
    add_outer(&wheel->turn[turns], 1, b[2], a[2]);
    if (turns) {
        add_outer(&wheel->turn[2], 1, b[2], a[1]);
        add_outer(&wheel->turn[2], -1, b[1], a[2]);
    }
    for (int k = 0; k < 3; k++) {
        AfxVec3 arm = mat3_apply(&wheel->turn[k], frame->point_a);
        wheel->centre[k] = vec3_sub(k ? zero : vec3_add(at, mat3_apply(&base, frame->point_b)), arm);
    }
    wheel->along = turns ? zero : b[0];
}

void afxi_flywheels_numbers(AfxiTree *tree, const double *params) {
    const AfxModel *model = tree->model;
    for (uint32_t k = 0; k < tree->flywheel_count; k++) {
        AfxiFlywheel *wheel = &tree->flywheel[k];
        const AfxiCoupling *coupling = &model->couplings[wheel->coupling];
        const double *numbers = afxi_param_const(model, params, AFX_PARAM_COUPLING, wheel->coupling);
        const AfxiJointFrame *frame = frame_of(model, wheel->joint);
        uint32_t term = leading_term(tree, wheel);
        AfxiBodyClass class = afxi_class_of_params(model, params, wheel->body);
        double inertia = class.mass, factor = tree->joint[coupling->joint[term]].factor[coupling->axis[term]];
        if (model->joints[wheel->joint].kind == AFX_JOINT_REVOLUTE) {
            AfxVec3 axis = mat3_column(&frame->axes_a, 0), arm = vec3_cross(frame->point_a, axis);
            double whole = class.s[0] + class.s[1] + class.s[2];
            inertia = (whole - class.s[0]) * axis.x * axis.x + (whole - class.s[1]) * axis.y * axis.y +
                      (whole - class.s[2]) * axis.z * axis.z + class.mass * vec3_dot(arm, arm);
        }
        set_place(tree, wheel);
        wheel->ratio = -factor * numbers[term] / numbers[1 - term];
        wheel->offset = numbers[AFX_COUPLING_TERMS] / numbers[1 - term];
        tree->dof[wheel->dof].armature += inertia * wheel->ratio * wheel->ratio;
        tree->has_armature = true;
    }
}
