/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of joints with the multipliers of a solve and at its result, one joint per lane; and joint coordinates of a
 * state. */
#include "constraint/group_lane_wide.h"

#if AFXI_WIDE_PAYS

#include "constraint/drive.h"
#include "constraint/group_law_wide.h"
#include "constraint/tuning.h"

/* ---- geometric stiffness ---- */

WIDE_INLINE Wide multiplier(const double *lambda, const AfxiRowGroup *group, uint32_t sub, uint32_t row) {
    WideView view;
    for (int l = 0; l < AFXI_LANES; l++) {
        view.lane[l] = lambda[group->row[sub + l] + row];
    }
    return view.wide;
}

/* The bound and the exact matrix of three multipliers of a point: f y^T of f = R^T lambda. */
WIDE_INLINE void add_point(const double *from, const Pair *pair, const bool exact, const Wide lambda[3],
                           Wide share[2][AFXI_SHARE]) {
    Wide sum = wide_magnitude(lambda[0]) + wide_magnitude(lambda[1]) + wide_magnitude(lambda[2]);
    for (int side = 0; side < 2; side++) {
        share[side][0] = sum * kept(from, 18 + side);
    }
    for (int side = 0; exact && side < 2; side++) {
        const Wide *y = point_of(pair, side);
        Wide r[9], f[3];
        for (int k = 0; k < 9; k++) {
            r[k] = kept(from, 9 * side + k);
        }
        wide_apply_transposed(r, lambda, f);
        for (int k = 0; side && k < 3; k++) {
            f[k] = -f[k];
        }
        Wide xx = f[0] * y[0], yy = f[1] * y[1], zz = f[2] * y[2];
        share[side][1] = -(yy + zz);
        share[side][2] = -(xx + zz);
        share[side][3] = -(xx + yy);
        share[side][4] = wide_all(0.5) * wide_fma(f[0], y[1], f[1] * y[0]);
        share[side][5] = wide_all(0.5) * wide_fma(f[0], y[2], f[2] * y[0]);
        share[side][6] = wide_all(0.5) * wide_fma(f[1], y[2], f[2] * y[1]);
    }
}

WIDE_INLINE void add_row(const double *from, const bool exact, Wide lambda, Wide share[2][AFXI_SHARE]) {
    Wide size = wide_magnitude(lambda);
    for (int side = 0; side < 2; side++) {
        share[side][0] = wide_fma(size, kept(from, 12 + side), share[side][0]);
        for (int k = 0; exact && k < 6; k++) {
            share[side][1 + k] = wide_fma(lambda, kept(from, 6 * side + k), share[side][1 + k]);
        }
    }
}

/* A block's own rows come first; those of its drives are added. */
WIDE_INLINE void put_share(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, const bool exact,
                           const bool add, Wide share[2][AFXI_SHARE]) {
    double unused[AFXI_SHARE] = {0}; /* of what is not solved for */
    for (int side = 0; side < 2; side++) {
        double *row[AFXI_LANES];
        for (int l = 0; l < AFXI_LANES; l++) {
            uint32_t entry = group->entry[side][sub + l];
            bool empty = add && sub + (uint32_t)l >= group->lanes; /* it would add once more */
            row[l] = entry == UINT32_MAX || empty ? unused : rows->groups.share + (size_t)AFXI_SHARE * entry;
        }
        for (int l = 0; !exact && l < AFXI_LANES; l++) {
            *row[l] = wide_lane(share[side][0], l) + (add ? *row[l] : 0);
        }
        if (exact && !add) {
            wide_scatter(row, 2, share[side]);
        }
        if (!exact || !add) {
            continue;
        }
        double own[AFXI_LANES][AFXI_SHARE], *to[AFXI_LANES];
        for (int l = 0; l < AFXI_LANES; l++) {
            to[l] = own[l];
        }
        wide_scatter(to, 2, share[side]);
        for (int l = 0; l < AFXI_LANES; l++) { /* one after the other: drives of one joint share its place */
            for (int k = 0; k < AFXI_SHARE; k += AFXI_LANES) {
                wide_store(row[l] + k, wide_load(row[l] + k) + wide_load(own[l] + k));
            }
        }
    }
}

WIDE_INLINE void stiffness_group(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, const bool exact,
                                 const double *lambda) {
    const AfxiJointKind *kind = group->kind;
    const double *from = rows->groups.kept + group->kept + sub;
    Wide share[2][AFXI_SHARE];
    uint32_t r = 0;
    for (int k = 0; k < AFXI_SHARE; k++) {
        share[0][k] = share[1][k] = wide_all(0);
    }
    if (group->rows != AFXI_GROUP_OWN) {
        add_row(from, exact, multiplier(lambda, group, sub, 0), share);
        put_share(rows, group, sub, exact, true, share);
        return;
    }
    if (begins_with_point(kind)) {
        Pair pair;
        Wide push[3];
        for (; r < 3; r++) {
            push[r] = multiplier(lambda, group, sub, r);
        }
        if (exact) {
            find_fixed(group->frames, sub, &pair);
        }
        add_point(from, &pair, exact, push, share);
        from += AFXI_GROUP_LANES * AFXI_KEPT_POINT;
    }
    for (; r < kind->row_count; r++) {
        add_row(from, exact, multiplier(lambda, group, sub, r), share);
        from += AFXI_GROUP_LANES * (kind->rows[r].type == AFXI_ROW_ALIGN ? AFXI_KEPT_ALIGN : AFXI_KEPT_ROW);
    }
    put_share(rows, group, sub, exact, false, share);
}

/* Sums of bounds alone over the blocks of each body. */
static void sum_bounds(const AfxiRows *rows, const uint32_t *bodies, uint32_t count, double *bound) {
    const AfxiGraph *graph = rows->graph;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t body = bodies ? bodies[k] : k;
        double all = 0;
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            uint32_t entry = graph->body_entry[x];
            all += entry < rows->groups.entry_count ? rows->groups.share[(size_t)AFXI_SHARE * entry] : 0;
        }
        bound[body] = all;
    }
}

/* Sums over the blocks of each body. */
static void sum(const AfxiRows *rows, const uint32_t *bodies, uint32_t count, double *bound, double *exact) {
    const AfxiGraph *graph = rows->graph;
    const double *shares = rows->groups.share;
    const uint32_t entries = rows->groups.entry_count;
    if (!exact) {
        sum_bounds(rows, bodies, count, bound);
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t body = bodies ? bodies[k] : k, *entry = graph->body_entry + graph->body_start[body];
        const uint32_t *end = graph->body_entry + graph->body_start[body + 1];
        Wide all[AFXI_SHARE / AFXI_LANES];
        double own[AFXI_SHARE];
        for (int part = 0; part < AFXI_SHARE / AFXI_LANES; part++) {
            all[part] = wide_all(0);
        }
        for (; entry < end; entry++) {
            if (*entry >= entries) { /* entries of contacts come behind */
                continue;
            }
            const double *share = shares + (size_t)AFXI_SHARE * *entry;
            for (int part = 0; part < AFXI_SHARE / AFXI_LANES; part++) {
                all[part] = all[part] + wide_load(share + AFXI_LANES * part);
            }
        }
        for (int part = 0; part < AFXI_SHARE / AFXI_LANES; part++) {
            wide_store(own + AFXI_LANES * part, all[part]);
        }
        bound[body] = own[0];
        for (int e = 0; e < 6; e++) {
            exact[6 * (size_t)body + (size_t)e] = own[1 + e];
        }
    }
}

/* ---- at the result ---- */

WIDE_INLINE void load_result(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, Pair *pair) {
    find_fixed(group->frames, sub, pair);
    for (int side = 0; side < 2; side++) {
        load_side(rows, group, side, sub, rows->next, 12, rows->groups.ground_q, 3, pair->a[side]);
    }
}

/* The axes of both bodies that a row or a check needs, kept for the next. */
typedef struct Axes {
    Wide u[3], v[3];
    int axis;
} Axes;

WIDE_INLINE void turn_axes(const Pair *pair, int axis, Axes *axes) {
    if (axes->axis != axis) {
        axes->axis = axis;
        wide_apply(pair->a[0], axis_of(pair, 0, axis), axes->u);
        wide_apply(pair->a[1], axis_of(pair, 1, axis), axes->v);
    }
}

static Wide other_value(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, const Pair *pair,
                        AfxiRowSpec spec) {
    Wide u[3], v[3], point[2][3], gap[3];
    gap_of(pair, spec.type == AFXI_ROW_TIP, point, gap);
    switch ((AfxiRowType)spec.type) {
    case AFXI_ROW_DIRECTION:
        wide_apply(pair->a[0], axis_of(pair, 0, spec.i), u);
        wide_apply(pair->a[1], axis_of(pair, 1, spec.j), v);
        return wide_all(spec.sign) * wide_dot(u, v);
    case AFXI_ROW_DISTANCE: {
        Wide length = length_of(rows, group, sub);
        return wide_nma(length, length, wide_dot(gap, gap)) * wide_all(0.5) / length;
    }
    case AFXI_ROW_POINT:
    case AFXI_ROW_TIP:
        return gap[spec.i];
    case AFXI_ROW_OFFSET: /* by the gap */
    case AFXI_ROW_ALIGN:  /* by its frozen direction */
        break;
    }
    return wide_all(0);
}

/* What row r of the joints is at the result. */
WIDE_INLINE void put_value(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, uint32_t r, Wide value) {
    for (int l = 0; l < AFXI_LANES; l++) {
        rows->result[group->row[sub + l] + r] = wide_lane(value, l);
    }
}

/* The largest row of each lane; NaN stays. `put`: all go to where results are. */
WIDE_INLINE Wide largest_row(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, const Pair *pair,
                             const bool put, Axes *axes) {
    const AfxiJointKind *kind = group->kind;
    const double *from = rows->groups.kept + group->kept + sub;
    Wide largest = wide_all(0), point[2][3], gap[3], n[3];
    uint32_t r = 0;
    gap_of(pair, false, point, gap);
    if (begins_with_point(kind)) {
        for (; r < 3; r++) {
            largest = wide_larger(largest, wide_magnitude(gap[r]));
            if (put) {
                put_value(rows, group, sub, r, gap[r]);
            }
        }
        from += AFXI_GROUP_LANES * AFXI_KEPT_POINT;
    }
    for (; r < kind->row_count; r++) {
        Wide value = wide_all(0);
        if (kind->rows[r].type == AFXI_ROW_ALIGN) {
            turn_axes(pair, kind->rows[r].i, axes);
            for (int k = 0; k < 3; k++) {
                value = wide_fma(kept(from, AFXI_KEPT_ROW + k), axes->u[k] - axes->v[k], value);
            }
            from += AFXI_GROUP_LANES * AFXI_KEPT_ALIGN;
        } else if (kind->rows[r].type == AFXI_ROW_OFFSET) {
            wide_apply(pair->a[1], axis_of(pair, 1, kind->rows[r].j), n);
            value = wide_dot(n, gap);
            from += AFXI_GROUP_LANES * AFXI_KEPT_ROW;
        } else {
            value = other_value(rows, group, sub, pair, kind->rows[r]);
            from += AFXI_GROUP_LANES * AFXI_KEPT_ROW;
        }
        largest = wide_larger(largest, wide_magnitude(value));
        if (put) {
            put_value(rows, group, sub, r, value);
        }
    }
    return largest;
}

static void own_result(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, AfxiGroupResult *out) {
    Pair pair;
    Axes axes = {.axis = -1};
    WideMask flipped = wide_mask_none();
    load_result(rows, group, sub, &pair);
    Wide largest = largest_row(rows, group, sub, &pair, false, &axes);
    for (uint32_t c = 0; c < group->kind->consistency_count; c++) {
        turn_axes(&pair, group->kind->consistency[c].i, &axes);
        flipped |= ~wide_less(wide_all(AFXI_CONSISTENT_COSINE), wide_dot(axes.u, axes.v));
    }
    unsigned bits = wide_bits(flipped);
    for (int l = 0; l < AFXI_LANES; l++) {
        double own = wide_lane(largest, l);
        if (rows->world->state.joint_active[group->joint[sub + l]]) {
            out->residual = own > out->residual || own != own ? own : out->residual;
            out->flipped |= bits >> l & 1u;
        }
    }
}

static void put_values(const AfxiRows *rows, uint32_t begin, uint32_t end) {
    for (uint32_t k = begin; k < end; k++) {
        const AfxiRowGroup *group = &rows->groups.group[k];
        for (uint32_t sub = 0; group->rows == AFXI_GROUP_OWN && sub < group->lanes; sub += AFXI_LANES) {
            Pair pair;
            Axes axes = {.axis = -1};
            load_result(rows, group, sub, &pair);
            largest_row(rows, group, sub, &pair, true, &axes);
        }
    }
}

/* Whether what a drive makes of the result depends on its coordinate there. */
WIDE_INLINE bool is_wanted(const AfxiRows *rows, const AfxiRowGroup *group) {
    bool wanted = afxi_group_exact(group);
    for (uint32_t l = 0; group->law == AFX_DRIVE_SERVO && l < group->lanes; l++) {
        wanted |= rows->world->state.drive_branch[group->drive[l]] != AFXI_BRANCH_FREE;
    }
    return wanted;
}

/* What the coordinate of a drive, or a screw, is at the result. */
static void axis_result(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub) {
    const AfxiJointKind *kind = group->kind;
    bool screw = group->rows == AFXI_GROUP_SCREW;
    uint32_t axis = screw ? 0 : group->rows;
    Pair pair;
    load_result(rows, group, sub, &pair);
    Wide value = coordinate_value(&pair, kind->axes[axis], last_angle(rows, group, sub, axis));
    if (screw) {
        Wide angle = coordinate_value(&pair, kind->axes[1], last_angle(rows, group, sub, 1));
        value = wide_nma(pitch_of(rows, group, sub), angle, value);
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        rows->result[group->row[sub + l]] = wide_lane(value, l);
    }
}

/* Lanes on no branch that have no reason to go to one. */
WIDE_INLINE WideMask stays_free(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, const double *lambda) {
    Wide numbers[4], slack = wide_all(afxi_limit_slack(rows->graph));
    WideMask free = wide_equal(branch_of(rows, group, sub), wide_all(0));
    load_law(rows, group, sub, group->law == AFX_DRIVE_LIMIT, numbers);
    if (group->law == AFX_DRIVE_LIMIT) {
        Wide x = multiplier(rows->result, group, sub, 0);
        return free & wide_less_equal(numbers[0] - slack, x) & wide_less_equal(x, numbers[1] + slack);
    }
    Wide size = wide_magnitude(multiplier(lambda, group, sub, 0)); /* friction holds more with a reaction, never less */
    return free & wide_less_equal(size, numbers[AFXI_DRIVE_EFFORT]);
}

static bool settled(const AfxiRows *rows, const double *lambda, const AfxiRowGroup *group) {
    bool branches = group->law == AFX_DRIVE_LIMIT || group->law == AFX_DRIVE_SERVO || group->law == AFX_DRIVE_FRICTION;
    bool fine = true;
    for (uint32_t l = 0; group->law == AFX_DRIVE_FRICTION && l < group->lanes; l++) {
        fine &= rows->world->model->joints[group->joint[l]].drive_count == 1; /* else a limit may hold it as well */
    }
    for (uint32_t sub = 0; branches && fine && sub < group->lanes; sub += AFXI_LANES) {
        fine = !wide_any(~stays_free(rows, group, sub, lambda));
    }
    return fine;
}

/* ---- passes ---- */

WIDE_INLINE void stiffness_as(const AfxiRows *rows, const double *lambda, const bool exact, uint32_t begin,
                              uint32_t end) {
    for (uint32_t k = begin; k < end; k++) {
        const AfxiRowGroup *group = &rows->groups.group[k];
        for (uint32_t sub = 0; sub < group->lanes; sub += AFXI_LANES) {
            stiffness_group(rows, group, sub, exact, lambda);
        }
    }
}

static void stiffness(const AfxiRows *rows, const double *lambda, bool exact, uint32_t begin, uint32_t end) {
    if (exact) {
        stiffness_as(rows, lambda, true, begin, end);
    } else {
        stiffness_as(rows, lambda, false, begin, end);
    }
}

static void result(const AfxiRows *rows, uint32_t begin, uint32_t end) {
    for (uint32_t k = begin; k < end; k++) {
        const AfxiRowGroup *group = &rows->groups.group[k];
        AfxiGroupResult *out = &rows->groups.result[k];
        *out = (AfxiGroupResult){0};
        for (uint32_t sub = 0; sub < group->lanes; sub += AFXI_LANES) {
            if (group->rows == AFXI_GROUP_OWN) {
                own_result(rows, group, sub, out);
            } else if (is_wanted(rows, group)) {
                axis_result(rows, group, sub);
            }
        }
    }
}

static void angles(const AfxiAngleGroup *group) {
    for (uint32_t sub = 0; sub < group->lanes; sub += AFXI_LANES) {
        Pair pair;
        find_fixed(group->frames, sub, &pair);
        wide_gather(group->q[0] + sub, 3, pair.a[0]);
        wide_gather(group->q[1] + sub, 3, pair.a[1]);
        for (uint32_t axis = 0; axis < group->kind->axis_count; axis++) {
            WideView last, value;
            for (int l = 0; l < AFXI_LANES; l++) {
                last.lane[l] = group->angle[sub + l][axis];
            }
            value.wide = coordinate_value(&pair, group->kind->axes[axis], last.wide);
            for (uint32_t l = 0; l < AFXI_LANES && sub + l < group->lanes; l++) {
                group->angle[sub + l][axis] = value.lane[l];
            }
        }
    }
}

/* Of each number as many side by side as there are lanes. */
static void pack(const AfxiJointFrame *const frame[AFXI_GROUP_LANES], double *out) {
    for (uint32_t sub = 0; sub < AFXI_GROUP_LANES; sub += AFXI_LANES, out += AFXI_FRAME_NUMBERS * AFXI_LANES) {
        for (int l = 0; l < AFXI_LANES; l++) {
            for (int k = 0; k < AFXI_FRAME_NUMBERS; k++) {
                out[AFXI_LANES * k + l] = (&frame[sub + (uint32_t)l]->point_a.x)[k];
            }
        }
    }
}

extern AfxiGroupPass AFXI_WIDE(afxi_group_linearise);
extern const AfxiGroupKernel AFXI_WIDE(afxi_group);
const AfxiGroupKernel AFXI_WIDE(afxi_group) = {
    AFXI_WIDE(afxi_group_linearise), stiffness, sum, result, put_values, angles, settled, pack};

#else
typedef int AfxiNoGroupResultVariant; /* a file may not be empty */
#endif
