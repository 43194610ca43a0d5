/* SPDX-License-Identifier: Apache-2.0 */
/* The balance of forces of every body, and the largest of everything (equations in residual.h). */
#include "solve/residual.h"

#include <math.h>
#include <string.h>

#include "joint/row.h"
#include "math/polar.h"
#include "model/model.h"
#include "model/params.h"
#include "solve/equation.h"
#include "solve/residual_contact.h"
#include "solve/residual_inner.h"
#include "solve/residual_rows.h"

const AfxiBodyClass *afxi_residual_class(const AfxiResidualStage *stage, uint32_t body) {
    return &stage->known[body].class;
}

double afxi_residual_gyration(const AfxiBodyClass *class) {
    return sqrt((class->s[0] + class->s[1] + class->s[2]) / class->mass);
}

static double norm(const double *x, int count) {
    double sum = 0;
    for (int k = 0; k < count; k++) {
        sum += x[k] * x[k];
    }
    return sqrt(sum);
}

void afxi_residual_add(const AfxiResidualStage *stage, AfxiResidualBody *body, uint32_t index, double factor,
                       const double gradient[AFXI_AFFINE_WIDTH]) {
    if (!afxi_residual_solves(stage, index) || factor == 0) {
        return;
    }
    AfxiResidualBody *own = &body[index];
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        own->force[e] += factor * gradient[e];
    }
    own->size_a += fabs(factor) * norm(gradient, 9);
    own->size_t += fabs(factor) * norm(gradient + 9, 3);
}

double afxi_residual_scale(const AfxiResidualStage *stage, const AfxiResidualBody *body, uint32_t index, bool torque) {
    double lever = afxi_residual_gyration(afxi_residual_class(stage, index));
    return torque ? body[index].size_a + lever * body[index].size_t : body[index].size_t;
}

/* M (q - qhat)/h² and the damping, with what rounding of the coordinates makes of them. */
static void add_inertia(const AfxiResidualStage *stage, AfxiResidualBody *body, uint32_t index) {
    const AfxiBodyClass *class = afxi_residual_class(stage, index);
    const AfxiScale *scale = &stage->scale[index];
    size_t at = (size_t)AFXI_AFFINE_WIDTH * index;
    double inertia[AFXI_AFFINE_WIDTH], damping[AFXI_AFFINE_WIDTH], far = 0, weight_a, weight_t;
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        double mass = e < 9 ? class->s[e / 3] : class->mass;
        double drag = e < 9 ? class->angular_damping : class->linear_damping;
        inertia[e] = mass * (stage->q[at + e] - stage->qhat[at + e]) / scale->h_squared;
        damping[e] = drag * mass * (stage->q[at + e] - stage->qv[at + e]) / scale->h_rate;
        far = e < 9 ? 0 : fmax(far, fabs(stage->q[at + e]) + fabs(stage->qhat[at + e]));
    }
    afxi_residual_add(stage, body, index, 1, inertia);
    afxi_residual_add(stage, body, index, 1, damping);
    weight_a = 1 / scale->h_squared + class->angular_damping / scale->h_rate;
    weight_t = 1 / scale->h_squared + class->linear_damping / scale->h_rate;
    double most = fmax(class->s[0], fmax(class->s[1], class->s[2])), lever = afxi_residual_gyration(class);
    body[index].floor_a += AFXI_RESIDUAL_ROUNDING * most * weight_a;
    body[index].floor_t += AFXI_RESIDUAL_ROUNDING * class->mass * weight_t * (far + lever);
}

/* -f of a force at a point and a torque; those in the body's axes turn with it. A torque acts on A as half its skew
 * matrix times the rotation. */
static void add_wrench(const AfxiResidualStage *stage, AfxiResidualBody *body, uint32_t index, AfxVec3 x, AfxVec3 force,
                       AfxVec3 torque) {
    AfxiMat3 r = afxi_residual_rotation(stage, index);
    double on[AFXI_AFFINE_WIDTH], by[3];
    vec3_store(by, x);
    for (int k = 0; k < 3; k++) {
        AfxVec3 turning = vec3_scale(0.5, vec3_cross(torque, mat3_column(&r, k)));
        vec3_store(on + 3 * k, vec3_mad(turning, by[k], force));
    }
    vec3_store(on + 9, force);
    afxi_residual_add(stage, body, index, -1, on);
}

/* What a signal adds to a component of a wrench. */
static double signal_of(const AfxiResidualStage *stage, uint32_t wrench, int component) {
    double value = 0;
    for (uint32_t k = 0; k < stage->model->wrench_signal_count; k++) {
        if (stage->model->wrench_signal[k].wrench == wrench) {
            afx_signal_evaluate(&stage->model->wrench_signal[k].of[component], stage->force_time, &value, NULL, NULL);
        }
    }
    return value;
}

static void add_wrenches(const AfxiResidualStage *stage, AfxiResidualBody *body) {
    const AfxModel *model = stage->model;
    for (uint32_t k = 0; k < model->wrench_count; k++) {
        uint32_t index = model->wrench_body[k];
        if (!afxi_residual_solves(stage, index)) {
            continue;
        }
        const AfxiFrame *frame = afxi_model_frame(model, index);
        const double *numbers = afxi_param_const(model, stage->params, AFX_PARAM_WRENCH, k);
        const double *point = afxi_param_const(model, stage->params, AFX_PARAM_WRENCH_POINT, k);
        AfxVec3 x = mat3_apply_transposed(&frame->axes, vec3_sub(vec3_load(point), frame->center));
        double sum[6];
        for (int c = 0; c < 6; c++) {
            sum[c] = numbers[c] + signal_of(stage, k, c);
        }
        AfxVec3 force = vec3_load(sum), torque = vec3_load(sum + 3);
        if (model->wrench_frame[k] == AFX_FRAME_BODY) { /* own frame, principal frame, world */
            AfxiMat3 r = afxi_residual_rotation(stage, index);
            force = mat3_apply(&r, mat3_apply_transposed(&frame->axes, force));
            torque = mat3_apply(&r, mat3_apply_transposed(&frame->axes, torque));
        }
        add_wrench(stage, body, index, x, force, torque);
    }
    for (uint32_t k = 0; stage->body_wrenches && k < model->dynamic_count; k++) {
        const AfxWrench *wrench = &stage->body_wrenches[model->dynamic[k]];
        add_wrench(stage, body, model->dynamic[k], vec3(0, 0, 0), wrench->force, wrench->torque);
    }
}

static void add_gravity(const AfxiResidualStage *stage, AfxiResidualBody *body, uint32_t index) {
    const AfxiBodyClass *class = afxi_residual_class(stage, index);
    const double *gravity = afxi_param_const(stage->model, stage->params, AFX_PARAM_GRAVITY, 0);
    double weight[AFXI_AFFINE_WIDTH] = {0};
    for (int e = 0; e < 3; e++) {
        weight[9 + e] = class->gravity * class->mass * gravity[e];
    }
    afxi_residual_add(stage, body, index, -1, weight);
}

static void add_graph(const AfxiResidualStage *stage, const AfxiGraph *graph, AfxiResidualBody *body) {
    AfxiEquation equation;
    for (uint32_t row = 0; row < graph->joint_rows; row++) {
        double lambda = stage->lambda[graph->first_row + row];
        if (lambda != 0) {
            afxi_equation_of_row(stage, graph, row, &equation);
            for (uint32_t k = 0; k < equation.count; k++) {
                afxi_residual_add(stage, body, equation.body[k], lambda, equation.gradient[k]);
            }
        }
    }
}

/* lambda_i grad C_i of joint graphs and of ball chains, whose joints have three multipliers of their own each. */
static void add_multipliers(const AfxiResidualStage *stage, AfxiResidualBody *body) {
    const AfxModel *model = stage->model;
    AfxiEquation equation;
    for (uint32_t k = 0; k < model->graph_count; k++) {
        add_graph(stage, &model->graph[k], body);
    }
    for (uint32_t slot = 0; slot < model->chains.slot_count; slot++) {
        uint32_t joint = model->chains.slot_joint[slot];
        for (uint32_t r = 0; joint != UINT32_MAX && r < 3; r++) {
            double lambda = stage->lambda[model->row_count + 3 * (size_t)slot + r];
            afxi_equation_of_joint(stage, joint, r, &equation);
            for (uint32_t k = 0; k < equation.count; k++) {
                afxi_residual_add(stage, body, equation.body[k], model->joints[joint].reversed ? -lambda : lambda,
                                  equation.gradient[k]);
            }
        }
    }
}

/* What is left of a force over its scale, less what rounding makes of it. */
static double over(double force, double floor, double scale) {
    return force <= floor ? 0 : (force - floor) / scale;
}

/* sym(R^T F) + V (2 mu (S - I) + lambda tr(S - I) I), S = sym R^T A: 0 for every strain. */
static double strain_residual(const AfxiBodyClass *class, const AfxiMat3 *r, const AfxiMat3 *a, const double *force,
                              double *out_floor) {
    double shear = class->young / (2 * (1 + class->poisson)), twice = 2 * shear * class->volume;
    double bulk = twice * class->poisson / (1 - 2 * class->poisson);
    AfxiMat3 f = mat3_load(force), local = mat3_multiply_tn(r, &f), s = mat3_multiply_tn(r, a);
    double trace = s.m[0] + s.m[4] + s.m[8] - 3, sum[9];
    for (int k = 0; k < 9; k++) {
        int mirrored = 3 * (k % 3) + k / 3;
        double whole = k % 4 == 0;
        sum[k] = 0.5 * (local.m[k] + local.m[mirrored]) + twice * (0.5 * (s.m[k] + s.m[mirrored]) - whole) +
                 bulk * trace * whole;
    }
    *out_floor = AFXI_RESIDUAL_ROUNDING * (twice + 3 * bulk);
    return norm(sum, 9);
}

static void judge_body(const AfxiResidualStage *stage, const AfxiResidualBody *body, uint32_t index, AfxResidual *out) {
    const AfxiBodyClass *class = afxi_residual_class(stage, index);
    const AfxiResidualBody *own = &body[index];
    AfxiMat3 a = mat3_load(stage->q + (size_t)AFXI_AFFINE_WIDTH * index), r = afxi_residual_rotation(stage, index);
    AfxVec3 torque = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        torque = vec3_add(torque, vec3_cross(mat3_column(&a, k), vec3_load(own->force + 3 * k)));
    }
    double natural = afxi_residual_scale(stage, body, index, true), floor = 0;
    double left = over(norm(own->force + 9, 3), own->floor_t, own->size_t);
    left = fmax(left, over(vec3_length(torque), own->floor_a, natural));
    if (isfinite(class->young)) {
        double strain = strain_residual(class, &r, &a, own->force, &floor);
        left = fmax(left, over(strain, own->floor_a + floor, natural));
    } else {
        AfxiMat3 stretch = mat3_multiply_tn(&r, &a);
        for (int k = 0; k < 9; k++) {
            stretch.m[k] -= k % 4 == 0;
        }
        afxi_residual_constraint(out, norm(stretch.m, 9), AFX_ELEMENT_BODY, index);
    }
    double sum = own->size_t + own->size_a + norm(own->force, AFXI_AFFINE_WIDTH);
    left = isfinite(sum) ? left : INFINITY;
    if (left > out->force) {
        out->force = left;
        out->body = index;
    }
}

static double larger(double value) {
    return isnan(value) ? INFINITY : value;
}

void afxi_residual_constraint(AfxResidual *out, double value, AfxElement element, uint32_t index) {
    if (larger(value) > out->constraint) {
        out->constraint = larger(value);
        out->constraint_element = element;
        out->constraint_index = index;
    }
}

void afxi_residual_law(AfxResidual *out, double value, AfxElement element, uint32_t index) {
    if (larger(value) > out->law) {
        out->law = larger(value);
        out->law_element = element;
        out->law_index = index;
    }
}

void afxi_residual_friction(AfxResidual *out, double value, uint32_t body) {
    if (larger(value) > out->friction) {
        out->friction = larger(value);
        out->friction_body = body;
    }
}

void afxi_residual_evaluate(const AfxiResidualStage *asked, AfxiResidualBody *body, AfxResidual *out) {
    const AfxModel *model = asked->model;
    AfxiResidualStage known = *asked;
    const AfxiResidualStage *stage = &known;
    memset(body, 0, model->body_count * sizeof *body);
    for (uint32_t k = 0; k < model->body_count; k++) {
        AfxiMat3 a = mat3_load(asked->q + (size_t)AFXI_AFFINE_WIDTH * k);
        body[k].rotation = afxi_rotation_part(&a, NULL);
        body[k].class = afxi_class_of_params(model, asked->params, k);
    }
    known.known = body;
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        if (afxi_residual_solves(stage, model->dynamic[k])) {
            add_inertia(stage, body, model->dynamic[k]);
            add_gravity(stage, body, model->dynamic[k]);
        }
    }
    add_wrenches(stage, body);
    add_multipliers(stage, body);
    afxi_residual_holds(stage, body);
    afxi_residual_contacts(stage, body);
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        if (afxi_residual_solves(stage, model->dynamic[k])) {
            judge_body(stage, body, model->dynamic[k], out);
        }
    }
    afxi_residual_rows(stage, body, out);
    afxi_residual_contact_laws(stage, body, out);
    out->stages++;
}
