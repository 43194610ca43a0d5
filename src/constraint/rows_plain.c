/* SPDX-License-Identifier: Apache-2.0 */
/* Plain rows, those of a point and of alignments (ball, hinge, fixed): they are linear in q, and most joints of large
 * systems are made of them, so they are worked out joint by joint in one go:
 *     points       x_a - x_b,  gradient (R^T e_i) x^T on A, e_i on t
 *     alignments   n . (A_a u - A_b v), n frozen,  gradient (R^T n) u^T on A. */
#include <math.h>
#include <string.h>

#include "constraint/rows_plain.h"

/* One side of a joint: where it is linearised and where its gradient goes. */
typedef struct Side {
    const double *r, *t; /* frame and origin of a body that is solved for; A and t of any other */
    double *gradient;    /* NULL: not solved for */
    uint32_t local;
    AfxVec3 point;
    const AfxiMat3 *axes;
} Side;

static const double world_q[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

static Side side_of(const AfxiRows *rows, const AfxiGraphBlock *block, uint32_t body, AfxVec3 point,
                    const AfxiMat3 *axes) {
    const AfxiGraph *graph = rows->graph;
    Side side = {.local = body == AFXI_WORLD ? UINT32_MAX : graph->local[body], .point = point, .axes = axes};
    if (side.local == UINT32_MAX) {
        side.r = body == AFXI_WORLD ? world_q : rows->world->state.q + (size_t)AFXI_AFFINE_WIDTH * body;
        side.t = side.r + 9;
        return side;
    }
    side.r = rows->frame[side.local].m;
    side.t = &rows->origin[side.local].x;
    const AfxiGraphEntry *entry = &graph->entry[block->first_entry];
    entry += entry->dof.index != side.local;
    side.gradient = rows->jacobian + entry->jacobian;
    return side;
}

static void sides_of(const AfxiRows *rows, const AfxiGraphBlock *block, Side out[2]) {
    const AfxiJoint *joint = &rows->world->model->joints[block->index];
    const AfxiJointFrame *frame = afxi_world_joint_frame(rows->world, block->index);
    out[0] = side_of(rows, block, joint->follower, frame->point_a, &frame->axes_a);
    out[1] = side_of(rows, block, joint->base, frame->point_b, &frame->axes_b);
}

static AfxVec3 place(const double *a, const double *t, AfxVec3 x) {
    return vec3(a[0] * x.x + a[3] * x.y + a[6] * x.z + t[0], a[1] * x.x + a[4] * x.y + a[7] * x.z + t[1],
                a[2] * x.x + a[5] * x.y + a[8] * x.z + t[2]);
}

static AfxVec3 direction_of(const double *a, AfxVec3 u) {
    return vec3(a[0] * u.x + a[3] * u.y + a[6] * u.z, a[1] * u.x + a[4] * u.y + a[7] * u.z,
                a[2] * u.x + a[5] * u.y + a[8] * u.z);
}

/* g = f y^T on A */
static void outer(double *g, AfxVec3 f, AfxVec3 y) {
    vec3_store(g, vec3_scale(y.x, f));
    vec3_store(g + 3, vec3_scale(y.y, f));
    vec3_store(g + 6, vec3_scale(y.z, f));
}

static void point_gradients(const Side *side, double sign) {
    for (int i = 0; side->gradient && i < 3; i++) {
        double *g = side->gradient + AFXI_AFFINE_WIDTH * (size_t)i;
        outer(g, vec3(sign * side->r[i], sign * side->r[3 + i], sign * side->r[6 + i]), side->point);
        g[9] = g[10] = g[11] = 0;
        g[9 + i] = sign;
    }
}

static void align_gradient(const Side *side, double sign, uint32_t row, AfxVec3 n, AfxVec3 u) {
    if (side->gradient) {
        AfxiMat3 r = mat3_load(side->r);
        double *g = side->gradient + AFXI_AFFINE_WIDTH * (size_t)row;
        outer(g, vec3_scale(sign, mat3_apply_transposed(&r, n)), u);
        g[9] = g[10] = g[11] = 0;
    }
}

/* The axis `j` of the base less its part along the strained axis `i` that is aligned, in the world. */
static AfxVec3 frozen(const AfxiRows *rows, const Side *base, AfxiRowSpec spec) {
    AfxVec3 u = mat3_column(base->axes, spec.i), e = mat3_column(base->axes, spec.j);
    if (base->local != UINT32_MAX) {
        AfxiMat3 r = mat3_load(base->r);
        AfxVec3 along = mat3_apply_transposed(&r, direction_of(rows->at + (size_t)AFXI_AFFINE_WIDTH * base->local, u));
        e = vec3_mad(e, -vec3_dot(e, along) / vec3_dot(along, along), along);
    } else {
        e = vec3_mad(e, -vec3_dot(e, u) / vec3_dot(u, u), u);
    }
    return direction_of(base->r, e);
}

void afxi_plain_linearise(AfxiRows *rows, const AfxiGraphBlock *block) {
    const AfxiRowSpec *specs = afxi_joint_kind((AfxJointKind)rows->world->model->joints[block->index].kind)->rows;
    double *measured = rows->measured + block->first_row;
    Side side[2];
    sides_of(rows, block, side);
    vec3_store(measured,
               vec3_sub(place(side[0].r, side[0].t, side[0].point), place(side[1].r, side[1].t, side[1].point)));
    point_gradients(&side[0], 1);
    point_gradients(&side[1], -1);
    for (uint32_t r = 3; r < block->plain; r++) {
        AfxVec3 u = mat3_column(side[0].axes, specs[r].i), v = mat3_column(side[1].axes, specs[r].i);
        AfxVec3 n = vec3_scale(specs[r].sign, frozen(rows, &side[1], specs[r]));
        measured[r] = vec3_dot(n, vec3_sub(direction_of(side[0].r, u), direction_of(side[1].r, v)));
        vec3_store(rows->direction + 3 * ((size_t)block->first_row + r), n);
        align_gradient(&side[0], 1, r, n, u);
        align_gradient(&side[1], -1, r, n, v);
    }
    bool on = rows->world->state.joint_active[block->index];
    for (uint32_t r = 0; r < block->plain; r++) {
        uint32_t row = block->first_row + r;
        rows->value[row] = measured[r];
        rows->compliance[row] = rows->fixed[row] = 0;
        rows->active[row] = on;
    }
}

static const double *result_of(const AfxiRows *rows, const Side *side) {
    return side->local == UINT32_MAX ? side->r : rows->next + (size_t)AFXI_AFFINE_WIDTH * side->local;
}

double afxi_plain_residual(const AfxiRows *rows, const AfxiGraphBlock *block) {
    const AfxiRowSpec *specs = afxi_joint_kind((AfxJointKind)rows->world->model->joints[block->index].kind)->rows;
    Side side[2];
    sides_of(rows, block, side);
    const double *a = result_of(rows, &side[0]), *b = result_of(rows, &side[1]);
    AfxVec3 gap = vec3_sub(place(a, a + 9, side[0].point), place(b, b + 9, side[1].point));
    double largest = fmax(fabs(gap.x), fmax(fabs(gap.y), fabs(gap.z)));
    for (uint32_t r = 3; r < block->plain; r++) {
        AfxVec3 n = vec3_load(rows->direction + 3 * ((size_t)block->first_row + r));
        AfxVec3 u = mat3_column(side[0].axes, specs[r].i), v = mat3_column(side[1].axes, specs[r].i);
        largest = fmax(largest, fabs(vec3_dot(n, vec3_sub(direction_of(a, u), direction_of(b, v)))));
    }
    return largest; /* a result that is not finite has been caught before */
}

/* lambda (sym(f y^T) - f.y I), k = xx, yy, zz, xy, xz, yz */
static void add_twist(double *k, AfxVec3 f, AfxVec3 y) {
    k[0] -= f.y * y.y + f.z * y.z;
    k[1] -= f.x * y.x + f.z * y.z;
    k[2] -= f.x * y.x + f.y * y.y;
    k[3] += 0.5 * (f.x * y.y + f.y * y.x);
    k[4] += 0.5 * (f.x * y.z + f.z * y.x);
    k[5] += 0.5 * (f.y * y.z + f.z * y.y);
}

void afxi_plain_stiffness(const AfxiRows *rows, const AfxiGraphBlock *block, const double *lambda, double *out_bound,
                          double *out_exact) {
    const AfxiRowSpec *specs = afxi_joint_kind((AfxJointKind)rows->world->model->joints[block->index].kind)->rows;
    const double *own = lambda + block->first_row;
    Side side[2];
    sides_of(rows, block, side);
    double sum = fabs(own[0]) + fabs(own[1]) + fabs(own[2]);
    for (int s = 0; s < 2; s++) {
        bool closed_form =
            rows->closed_form && side[s].local != UINT32_MAX && rows->graph->closed_form.body[side[s].local];
        if (side[s].local == UINT32_MAX || closed_form) {
            continue;
        }
        AfxiMat3 frame = mat3_load(side[s].r);
        double bound = sum * vec3_length(side[s].point), sign = s ? -1 : 1;
        double *exact = out_exact + 6 * (size_t)side[s].local;
        add_twist(exact, mat3_apply_transposed(&frame, vec3_scale(sign, vec3_load(own))), side[s].point);
        for (uint32_t r = 3; r < block->plain; r++) {
            AfxVec3 n = vec3_load(rows->direction + 3 * ((size_t)block->first_row + r));
            bound += 2 * fabs(own[r]);
            add_twist(exact, mat3_apply_transposed(&frame, vec3_scale(sign * own[r], n)),
                      mat3_column(side[s].axes, specs[r].i));
        }
        out_bound[side[s].local] += bound;
    }
}
