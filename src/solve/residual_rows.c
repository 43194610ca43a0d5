/* SPDX-License-Identifier: Apache-2.0 */
/* Whether constraints hold, compliant ones carry what they must, and laws with branches are on the right one:
 *
 *     position, velocity   x = p
 *     force                lambda = -p, at most effort either way
 *     spring, servo        lambda = k (x - p) + d (x' - p'), and of a spring what its tables have at x - p and x'
 *       servo              |lambda| <= effort, or = effort where it asks for more
 *     limit                lower <= x <= upper; lambda is 0 in between, and only pushes back in at an end
 *     friction             x' = 0 and |lambda| <= limit, or lambda = limit against x'
 *
 * What a constraint is off by is in its own unit (m, rad, 1); a compliant one in that of the length or angle that
 * yields. What a law is off by is a force over the natural one of its bodies, or a coordinate in its unit. */
#include "solve/residual_rows.h"

#include <math.h>

#include "joint/axis.h"
#include "joint/law.h"
#include "joint/rotational_spring.h"
#include "joint/row.h"
#include "joint/tuning.h"
#include "math/table.h"
#include "model/params.h"
#include "solve/equation.h"
#include "solve/residual.h"
#include "solve/residual_inner.h"

/* A row as its law sees it. */
typedef struct Row {
    AfxElement element;
    uint32_t index;
    double x, rate, lambda, h_rate;
    double scale;       /* natural force or torque */
    double least, most; /* where a twist may be in any case: it stood there at the beginning, or it is lost */
} Row;

static double beyond(double value, double most) {
    return value > most ? value - most : 0;
}

/* lambda = k (x - p) + d (x' - p'), as the x that it is off by. */
static void judge_compliant(const Row *row, double k, double d, double p, double p_rate, AfxResidual *out) {
    double total = k + d / row->h_rate;
    if (!(total > 0)) {
        afxi_residual_law(out, fabs(row->lambda) / row->scale, row->element, row->index);
        return;
    }
    double wanted = k * (row->x - p) + d * (row->rate - p_rate);
    afxi_residual_constraint(out, fabs(wanted - row->lambda) / total, row->element, row->index);
}

/* The same with what tables have, a force where they do not rise. */
static void judge_tables(const Row *row, const AfxiSpringTables *tables, double k, double d, double p,
                         AfxResidual *out) {
    double rise, drag, wanted = k * (row->x - p) + d * row->rate;
    wanted +=
        afxi_table_force(&tables->spring, row->x - p, &rise) + afxi_table_force(&tables->damper, row->rate, &drag);
    double total = k + rise + (d + drag) / row->h_rate, off = fabs(wanted - row->lambda);
    if (total > AFXI_TABLE_SOFTEST * (k + fabs(rise) + (d + fabs(drag)) / row->h_rate)) {
        afxi_residual_constraint(out, off / total, row->element, row->index);
    } else {
        afxi_residual_law(out, off / row->scale, row->element, row->index);
    }
}

static void judge_servo(const Row *row, AfxiBranch branch, const double *numbers, const double target[2],
                        AfxResidual *out) {
    double k = numbers[AFXI_DRIVE_STIFFNESS], d = numbers[AFXI_DRIVE_DAMPING], effort = numbers[AFXI_DRIVE_EFFORT];
    double wanted = k * (row->x - target[0]) + d * (row->rate - target[1]);
    if (branch == AFXI_BRANCH_FREE) {
        judge_compliant(row, k, d, target[0], target[1], out);
        afxi_residual_law(out, beyond(fabs(row->lambda), effort) / row->scale, row->element, row->index);
        return;
    }
    double sign = branch == AFXI_BRANCH_HIGH ? 1 : -1;
    afxi_residual_law(out, fabs(row->lambda - sign * effort) / row->scale, row->element, row->index);
    afxi_residual_law(out, beyond(effort, sign * wanted) / row->scale, row->element, row->index);
}

static void judge_limit(const Row *row, AfxiBranch branch, const double *numbers, AfxResidual *out) {
    double lower = fmin(row->least, numbers[AFXI_DRIVE_LOWER]), upper = fmax(row->most, numbers[AFXI_DRIVE_UPPER]);
    double push = branch == AFXI_BRANCH_LOW ? row->lambda : branch == AFXI_BRANCH_HIGH ? -row->lambda : 0;
    if (branch == AFXI_BRANCH_FREE) {
        afxi_residual_law(out, fabs(row->lambda) / row->scale, row->element, row->index);
        afxi_residual_law(out, fmax(beyond(lower, row->x), beyond(row->x, upper)), row->element, row->index);
        return;
    }
    afxi_residual_constraint(out, fabs(row->x - (branch == AFXI_BRANCH_LOW ? lower : upper)), row->element, row->index);
    afxi_residual_law(out, beyond(push, 0) / row->scale, row->element, row->index);
}

static void judge_friction(const Row *row, AfxiBranch branch, double limit, AfxResidual *out) {
    double sign = branch == AFXI_BRANCH_HIGH ? 1 : -1, slip = row->rate * row->h_rate;
    if (branch == AFXI_BRANCH_FREE) {
        afxi_residual_constraint(out, fabs(slip), row->element, row->index);
        afxi_residual_law(out, beyond(fabs(row->lambda), limit) / row->scale, row->element, row->index);
        return;
    }
    afxi_residual_law(out, fabs(row->lambda - sign * limit) / row->scale, row->element, row->index);
    afxi_residual_law(out, beyond(-sign * slip, 0), row->element, row->index);
}

static void judge_drive(const AfxiResidualStage *stage, uint32_t drive, const Row *row, AfxResidual *out) {
    const double *numbers = afxi_param_const(stage->model, stage->params, AFX_PARAM_DRIVE, drive);
    const double *target = stage->target + 2 * (size_t)drive;
    AfxiBranch branch = (AfxiBranch)stage->branch[drive];
    double effort = numbers[AFXI_DRIVE_EFFORT];
    AfxiSpringTables tables;
    switch ((AfxDriveKind)stage->model->drives[drive].kind) {
    case AFX_DRIVE_POSITION:
    case AFX_DRIVE_VELOCITY:
        afxi_residual_constraint(out, fabs(row->x - target[0]), row->element, row->index);
        break;
    case AFX_DRIVE_FORCE:
        afxi_residual_law(out, fabs(row->lambda + fmax(-effort, fmin(effort, target[0]))) / row->scale, row->element,
                          row->index);
        break;
    case AFX_DRIVE_SERVO:
        judge_servo(row, branch, numbers, target, out);
        break;
    case AFX_DRIVE_SPRING:
        if (afxi_drive_tables(stage->model, stage->params, drive, &tables)) {
            judge_tables(row, &tables, numbers[AFXI_DRIVE_STIFFNESS], numbers[AFXI_DRIVE_DAMPING],
                         numbers[AFXI_DRIVE_REST], out);
            break;
        }
        judge_compliant(row, numbers[AFXI_DRIVE_STIFFNESS], numbers[AFXI_DRIVE_DAMPING], numbers[AFXI_DRIVE_REST], 0,
                        out);
        break;
    case AFX_DRIVE_LIMIT:
        judge_limit(row, branch, numbers, out);
        break;
    case AFX_DRIVE_FRICTION:
        judge_friction(row, branch, stage->friction_limit[drive], out);
        break;
    }
}

/* ---- springs of ball joints ---- */

/* Rotation vector of a rotation matrix. */
static AfxVec3 rotation_vector(const AfxiMat3 *q) {
    AfxVec3 sine = mat3_axial(q);
    double s = vec3_length(sine), c = 0.5 * (q->m[0] + q->m[4] + q->m[8] - 1);
    return s > 0 ? vec3_scale(atan2(s, c) / s, sine) : sine;
}

/* Angular velocity of a body whose rotation is r: that of the rate of A, half the sum of r_k x a_k'. */
static AfxVec3 spin_of(const AfxiResidualStage *stage, uint32_t body, const AfxiMat3 *r) {
    double rate[AFXI_AFFINE_WIDTH];
    AfxVec3 sum = vec3(0, 0, 0);
    afxi_residual_rate(stage, body, rate);
    for (int k = 0; k < 3; k++) {
        sum = vec3_add(sum, vec3_cross(mat3_column(r, k), vec3_load(rate + 3 * k)));
    }
    return vec3_scale(0.5, sum);
}

AfxVec3 afxi_residual_spring_turn(const AfxiResidualStage *stage, uint32_t joint) {
    const AfxiJoint *source = &stage->model->joints[joint];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)stage->model->joint_frames.items + source->frame;
    const double *o = afxi_param_const(stage->model, stage->params, AFX_PARAM_JOINT_SPRING, source->rotational_spring) +
                      AFXI_ROTATIONAL_SPRING_REST;
    AfxiMat3 r_a = afxi_residual_rotation(stage, source->follower), r_b = afxi_residual_rotation(stage, source->base);
    AfxiMat3 base = mat3_multiply(&r_b, &frame->axes_b), follower = mat3_multiply(&r_a, &frame->axes_a);
    AfxiMat3 rest = mat3_from_quat(afxi_quat_normalized((AfxQuat){o[0], o[1], o[2], o[3]}));
    AfxiMat3 back = mat3_transpose(&rest), turn = mat3_multiply_tn(&base, &follower);
    turn = mat3_multiply(&turn, &back);
    return rotation_vector(&turn);
}

/* The energy of a turn theta is theta . K theta / 2. A turn w of the follower against the base, in the axes of the
 * joint on the base, changes theta by w - theta x w / 2 + c theta x (theta x w), c = (1 - (t/2) cot(t/2)) / t²; so the
 * torque is that map's transpose, the same with -theta, of K theta. */
AfxVec3 afxi_residual_spring_torque(const AfxiResidualStage *stage, uint32_t joint, double *out_stiffness) {
    const AfxiJoint *source = &stage->model->joints[joint];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)stage->model->joint_frames.items + source->frame;
    const double *numbers =
        afxi_param_const(stage->model, stage->params, AFX_PARAM_JOINT_SPRING, source->rotational_spring);
    const double *k = numbers + AFXI_ROTATIONAL_SPRING_STIFFNESS, *d = numbers + AFXI_ROTATIONAL_SPRING_DAMPING;
    AfxiMat3 r_a = afxi_residual_rotation(stage, source->follower), r_b = afxi_residual_rotation(stage, source->base);
    AfxiMat3 base = mat3_multiply(&r_b, &frame->axes_b);
    AfxVec3 theta = afxi_residual_spring_turn(stage, joint);
    double angle = vec3_length(theta), half = 0.5 * angle;
    double c = angle > 1e-3 ? (1 - half / tan(half)) / (angle * angle) : 1.0 / 12 + angle * angle / 720;
    AfxVec3 load = vec3(k[0] * theta.x, k[1] * theta.y, k[2] * theta.z), once = vec3_cross(theta, load);
    AfxVec3 torque = vec3_mad(vec3_mad(load, 0.5, once), c, vec3_cross(theta, once));
    AfxVec3 spin = vec3_sub(spin_of(stage, source->follower, &r_a), spin_of(stage, source->base, &r_b));
    spin = mat3_apply_transposed(&base, spin);
    torque = vec3_add(torque, vec3(d[0] * spin.x, d[1] * spin.y, d[2] * spin.z));
    uint32_t solved = afxi_residual_solves(stage, source->follower) ? source->follower : source->base;
    double h_rate = stage->scale[solved].h_rate;
    *out_stiffness = 0;
    for (int e = 0; e < 3; e++) {
        *out_stiffness = fmax(*out_stiffness, k[e] + d[e] / h_rate);
    }
    return mat3_apply(&base, torque);
}

static void judge_spring(const AfxiResidualStage *stage, uint32_t joint, uint32_t axis, double lambda,
                         AfxResidual *out) {
    double stiffness, torque[3];
    vec3_store(torque, afxi_residual_spring_torque(stage, joint, &stiffness));
    afxi_residual_constraint(out, fabs(torque[axis] - lambda) / stiffness, AFX_ELEMENT_JOINT, joint);
}

/* ---- all rows ---- */

/* A body of an equation that is solved for, or UINT32_MAX. */
static uint32_t solved_of(const AfxiResidualStage *stage, const AfxiEquation *equation) {
    for (uint32_t k = 0; k < equation->count; k++) {
        if (afxi_residual_solves(stage, equation->body[k])) {
            return equation->body[k];
        }
    }
    return UINT32_MAX;
}

/* Largest natural force (or torque) of the bodies of an equation: what a multiplier of it is to be compared with. */
static double scale_of(const AfxiResidualStage *stage, const AfxiResidualBody *body, const AfxiEquation *equation) {
    double scale = 0;
    for (uint32_t k = 0; k < equation->count; k++) {
        uint32_t index = equation->body[k];
        const double *g = equation->gradient[k];
        bool torque = g[9] == 0 && g[10] == 0 && g[11] == 0;
        if (afxi_residual_solves(stage, index)) {
            scale = fmax(scale, afxi_residual_scale(stage, body, index, torque));
        }
    }
    return scale > 0 ? scale : 1;
}

static void judge_row(const AfxiResidualStage *stage, const AfxiGraph *graph, const AfxiResidualBody *body,
                      uint32_t index, AfxResidual *out) {
    const AfxModel *model = stage->model;
    const AfxiGraphRow *source = &graph->row[index];
    const AfxiGraphBlock *block = &graph->block[source->block];
    AfxiEquation equation;
    afxi_equation_of_row(stage, graph, index, &equation);
    uint32_t solved = solved_of(stage, &equation);
    if (solved == UINT32_MAX) {
        return;
    }
    Row row = {.element = AFX_ELEMENT_JOINT,
               .index = block->index,
               .x = equation.value,
               .rate = afxi_equation_rate(stage, &equation),
               .lambda = stage->lambda[graph->first_row + index],
               .h_rate = stage->scale[solved].h_rate,
               .scale = scale_of(stage, body, &equation)};
    if (block->type == AFXI_BLOCK_JOINT && !stage->joint_active[block->index]) {
        afxi_residual_law(out, fabs(row.lambda) / row.scale, AFX_ELEMENT_JOINT, block->index);
        return;
    }
    const double *numbers;
    AfxiSpringTables tables;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_JOINT:
    case AFXI_SOURCE_SCREW:
        afxi_residual_constraint(out, fabs(row.x), row.element, row.index);
        break;
    case AFXI_SOURCE_ROTATIONAL_SPRING:
        judge_spring(stage, block->index, source->index, row.lambda, out);
        break;
    case AFXI_SOURCE_DRIVE:
        row.element = AFX_ELEMENT_DRIVE;
        row.index = source->index;
        row.least = INFINITY;
        row.most = -INFINITY;
        if (model->drives[source->index].axis == AFX_AXIS_TWIST) {
            const AfxiJoint *joint = &model->joints[block->index];
            const double *last = stage->angle + joint->angle;
            row.least = row.most = last[afxi_axis_place(afxi_joint_kind((AfxJointKind)joint->kind), AFX_AXIS_TWIST)];
        }
        judge_drive(stage, source->index, &row, out);
        break;
    case AFXI_SOURCE_COUPLING:
        numbers = afxi_param_const(model, stage->params, AFX_PARAM_COUPLING, source->index);
        afxi_residual_constraint(out, fabs(row.x - numbers[AFX_COUPLING_TERMS + 1] * row.lambda), AFX_ELEMENT_COUPLING,
                                 source->index);
        break;
    case AFXI_SOURCE_SPRING:
        row.element = AFX_ELEMENT_SPRING;
        row.index = source->index;
        numbers = afxi_param_const(model, stage->params, AFX_PARAM_SPRING, source->index);
        if (afxi_spring_tables(model, stage->params, source->index, &tables)) {
            judge_tables(&row, &tables, numbers[1], numbers[2], numbers[0], out);
            break;
        }
        judge_compliant(&row, numbers[1], numbers[2], numbers[0], 0, out);
        break;
    case AFXI_SOURCE_CONTACT:
        break;
    }
}

void afxi_residual_rows(const AfxiResidualStage *stage, const AfxiResidualBody *body, AfxResidual *out) {
    const AfxModel *model = stage->model;
    for (uint32_t k = 0; k < model->graph_count; k++) {
        for (uint32_t row = 0; row < model->graph[k].joint_rows; row++) {
            judge_row(stage, &model->graph[k], body, row, out);
        }
    }
    for (uint32_t slot = 0; slot < model->chains.slot_count; slot++) {
        uint32_t joint = model->chains.slot_joint[slot];
        for (uint32_t r = 0; joint != UINT32_MAX && r < 3; r++) {
            AfxiEquation equation;
            afxi_equation_of_joint(stage, joint, r, &equation);
            double lambda = stage->lambda[model->row_count + 3 * (size_t)slot + r];
            if (solved_of(stage, &equation) == UINT32_MAX) {
                continue;
            }
            if (stage->joint_active[joint]) {
                afxi_residual_constraint(out, fabs(equation.value), AFX_ELEMENT_JOINT, joint);
            } else {
                afxi_residual_law(out, fabs(lambda) / scale_of(stage, body, &equation), AFX_ELEMENT_JOINT, joint);
            }
        }
    }
}
