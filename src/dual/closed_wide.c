/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that ball joints hold, one per lane: inverse and start, blocks of K, and what the multipliers make of them.
 * Equations in closed.h. */
#include "math/vector_wide.h"

#if AFXI_WIDE_PAYS

/* Entries of a closed body: each has three rows at least. */
#define ENTRIES_MOST (AFXI_BODY_ROWS_MOST / 3)
#define PRODUCTS_MOST ENTRIES_MOST

#include "dual/products_wide.h"

/* One entry of the bodies of all lanes. */
typedef struct Entry {
    Wide x[3], sign;
    Wide force[3], torque[3]; /* multipliers, sign included */
    bool turns;
} Entry;

typedef struct Group {
    const AfxiSystem *system;
    uint32_t body[AFXI_LANES]; /* of the graph; the last ones repeat the first */
    uint32_t lanes;
    const double *class_row[AFXI_LANES];
} Group;

WIDE_INLINE void begin_group(Group *group, const AfxiSystem *system, const uint32_t *bodies, uint32_t lanes) {
    const AfxiBodiesWork *work = &system->bodies;
    group->system = system;
    group->lanes = lanes;
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        uint32_t body = bodies[l < lanes ? l : 0];
        group->body[l] = body;
        group->class_row[l] = work->constants + (size_t)AFXI_CHAIN_SIZE * work->class_of[system->graph->body[body]];
    }
}

/* `quads` fours of numbers of each body from an array with `stride` doubles per body. */
WIDE_INLINE void load(const Group *group, const double *base, size_t stride, int quads, Wide *out) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + stride * group->body[l];
    }
    wide_gather(row, quads, out);
}

WIDE_INLINE void store(const Group *group, double *base, size_t stride, int quads, const Wide *in) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + stride * group->body[l];
    }
    wide_scatter(row, quads, in);
}

WIDE_INLINE Wide load_one(const Group *group, const double *base) {
    WideView view;
    for (int l = 0; l < AFXI_LANES; l++) {
        view.lane[l] = base[group->body[l]];
    }
    return view.wide;
}

WIDE_INLINE void store_one(const Group *group, double *base, Wide in) {
    for (int l = 0; l < AFXI_LANES; l++) {
        base[group->body[l]] = wide_lane(in, l);
    }
}

/* Levers and, unless `lambda` is NULL, multipliers of all entries. */
WIDE_INLINE uint32_t load_entries(const Group *group, const double *lambda, Entry *out) {
    const AfxiGraph *graph = group->system->graph;
    uint32_t first = graph->body_start[group->body[0]], count = graph->body_start[group->body[0] + 1] - first;
    for (uint32_t e = 0; e < count; e++) {
        const double *lever[AFXI_LANES], *push[AFXI_LANES];
        Wide in[4];
        out[e].turns = graph->block[graph->entry[graph->body_entry[first + e]].block].row_count > 3;
        for (int l = 0; l < AFXI_LANES; l++) {
            uint32_t place = graph->body_start[group->body[l]] + e;
            lever[l] = graph->closed.lever[place].point;
            push[l] = lambda ? lambda + graph->closed.first_row[place] : NULL;
        }
        wide_gather(lever, 1, in);
        for (int k = 0; k < 3; k++) {
            out[e].x[k] = in[k];
        }
        out[e].sign = in[3];
        if (!lambda) {
            continue;
        }
        wide_gather(push, 1, in);
        for (int k = 0; k < 3; k++) {
            out[e].force[k] = out[e].sign * in[k];
            out[e].torque[k] = wide_all(0);
        }
        if (out[e].turns) {
            for (int l = 0; l < AFXI_LANES; l++) {
                push[l] += 3;
            }
            wide_gather(push, 1, in);
            for (int k = 0; k < 3; k++) {
                out[e].torque[k] = out[e].sign * in[k];
            }
        }
    }
    return count;
}

/* Sum of |multiplier| times lever arm. */
WIDE_INLINE Wide bound_of(const Entry *entries, uint32_t count) {
    Wide sum = wide_all(0);
    for (uint32_t e = 0; e < count; e++) {
        const Entry *own = &entries[e];
        Wide force = wide_magnitude(own->force[0]) + (wide_magnitude(own->force[1]) + wide_magnitude(own->force[2]));
        sum = wide_fma(force, wide_sqrt(wide_dot(own->x, own->x)), sum);
    }
    return sum;
}

/* sym S - tr S I for S the sum of (R^T f) x^T. */
WIDE_INLINE void stiffness_of(const Wide r[9], const Entry *entries, uint32_t count, Wide k[6]) {
    Wide sum[9], f[3], half = wide_all(0.5);
    for (int e = 0; e < 9; e++) {
        sum[e] = wide_all(0);
    }
    for (uint32_t e = 0; e < count; e++) {
        wide_apply_transposed(r, entries[e].force, f);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) {
                sum[3 * c + i] = wide_fma(f[i], entries[e].x[c], sum[3 * c + i]);
            }
        }
    }
    Wide trace = sum[0] + (sum[4] + sum[8]);
    k[0] = sum[0] - trace;
    k[1] = sum[4] - trace;
    k[2] = sum[8] - trace;
    k[3] = half * (sum[1] + sum[3]);
    k[4] = half * (sum[2] + sum[6]);
    k[5] = half * (sum[5] + sum[7]);
}

/* ---- inverse and start ---- */

WIDE_INLINE void make_inverse(const Wide constants[AFXI_CHAIN_SIZE], Wide gamma, Wide inverse[INVERSE_SIZE]) {
    Wide one = wide_all(1), e = constants[AFXI_CHAIN_COMPLIANCE], quarter = wide_all(0.25) * gamma;
    Wide soft = wide_fma(e, quarter, one);
    for (int p = 0; p < 3; p++) {
        Wide det = wide_fma(gamma, constants[AFXI_CHAIN_DET_GAMMA + p], constants[AFXI_CHAIN_DET + p]);
        Wide per = one / det, *pair = inverse + PAIR + 3 * p;
        inverse[C + p] = constants[AFXI_CHAIN_C + p];
        pair[0] = wide_fma(e, constants[AFXI_CHAIN_C + pair_i[p]], soft) * per;
        pair[1] = wide_fma(e, constants[AFXI_CHAIN_C + pair_k[p]], soft) * per;
        pair[2] = wide_nma(wide_all(2), one, soft) * per; /* -(1 - e gamma/4) */
    }
    for (int k = 0; k < 6; k++) {
        inverse[DIAGONAL + k] = constants[AFXI_CHAIN_DIAGONAL + k];
    }
    inverse[TRANSLATION] = constants[AFXI_CHAIN_TRANSLATION];
    inverse[WEIGHT_A] = constants[AFXI_CHAIN_WEIGHT_A];
    inverse[WEIGHT_T] = constants[AFXI_CHAIN_WEIGHT_T];
}

/* R^T F of the wrenches on the bodies, and the force on t; false when no lane has any. */
WIDE_INLINE bool forces_of(const Group *group, const Wide r[9], Wide on_a[9], Wide push[3]) {
    const AfxiBodiesWork *work = &group->system->bodies;
    static const AfxiFreeForce none;
    const double *row[AFXI_LANES];
    Wide all[sizeof none / sizeof(double)], turned[3];
    enum { WORLD = 0, FORCE = 9, TORQUE = 12, BODY = 15, BODY_FORCE = 24 };
    bool any = false;
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t slot = work->forces ? work->force_slot[group->system->graph->body[group->body[l]]] : UINT32_MAX;
        row[l] = slot == UINT32_MAX ? none.world : work->forces[slot].world;
        any |= slot != UINT32_MAX;
    }
    if (!any) {
        return false;
    }
    wide_gather(row, (int)(sizeof none / sizeof(double) / 4), all);
    wide_multiply_tn(r, all + WORLD, on_a);
    wide_apply_transposed(r, all + TORQUE, turned);
    for (int k = 0; k < 9; k++) {
        on_a[k] = on_a[k] + all[BODY + k];
    }
    for (int k = 0; k < 3; k++) { /* skew: entry (j, i) is +, (i, j) is - */
        int i = (k + 1) % 3, j = (k + 2) % 3;
        on_a[3 * i + j] = wide_fma(wide_all(0.5), turned[k], on_a[3 * i + j]);
        on_a[3 * j + i] = wide_nma(wide_all(0.5), turned[k], on_a[3 * j + i]);
    }
    wide_apply(r, all + BODY_FORCE, turned);
    for (int k = 0; k < 3; k++) {
        push[k] = all[FORCE + k] + turned[k];
    }
    return true;
}

WIDE_INLINE void start_of(const Group *group, const Wide r[9], const Wide constants[AFXI_CHAIN_SIZE],
                          const Wide inverse[INVERSE_SIZE], bool twisted, Wide out[12]) {
    const AfxiBodiesWork *work = &group->system->bodies;
    Wide target[12], rhs[9], on_a[9], push[3];
    load(group, work->target, 12, 3, target);
    wide_multiply_tn(r, target, rhs);
    for (int c = 0; c < 3; c++) {
        rhs[4 * c] = rhs[4 * c] - wide_all(1);
        for (int i = 0; i < 3; i++) {
            rhs[3 * c + i] = rhs[3 * c + i] * constants[AFXI_CHAIN_C + c];
        }
    }
    bool loaded = forces_of(group, r, on_a, push);
    for (int k = 0; loaded && k < 9; k++) {
        rhs[k] = rhs[k] + on_a[k];
    }
    wide_inverse_apply(inverse + DIAGONAL, inverse + PAIR, inverse + TWIST, twisted, rhs, out);
    for (int k = 0; k < 3; k++) {
        WideView origin;
        for (int l = 0; l < AFXI_LANES; l++) {
            origin.lane[l] = (&work->origin[group->body[l]].x)[k];
        }
        Wide moved = constants[AFXI_CHAIN_GRAVITY] * wide_all(work->gravity[k]);
        moved = loaded ? wide_fma(constants[AFXI_CHAIN_TRANSLATION], push[k], moved) : moved;
        out[9 + k] = (target[9 + k] - origin.wide) + moved;
    }
}

static void prepare_group(const AfxiSystem *system, const uint32_t *bodies, uint32_t lanes, bool closed) {
    const AfxiBodiesWork *work = &system->bodies;
    Group group;
    Entry entries[ENTRIES_MOST];
    Wide constants[AFXI_CHAIN_SIZE], r[12], inverse[INVERSE_SIZE], start[12], gamma, stiffness[8], theta[3];
    WideMask bound = ~wide_mask_none();
    uint32_t count = 0;
    begin_group(&group, system, bodies, lanes);
    wide_gather(group.class_row, AFXI_CHAIN_SIZE / 4, constants);
    load(&group, work->frame[0].m, 9, 3, r);
    if (closed) {
        count = load_entries(&group, work->load, entries);
        gamma = bound_of(entries, count);
        store_one(&group, work->gamma, gamma);
    } else {
        gamma = load_one(&group, work->gamma);
    }
    for (int k = 0; k < 6; k++) {
        inverse[TWIST + k] = wide_all(0);
    }
    if (work->exact) {
        if (closed) {
            stiffness_of(r, entries, count, stiffness);
        } else {
            load(&group, work->stiffness, 6, 2, stiffness);
        }
        for (int p = 0; p < 3; p++) {
            theta[wide_pair_axis[p]] = constants[AFXI_CHAIN_THETA + p];
        }
        bound = wide_inverse_twist(theta, stiffness, inverse + TWIST);
        gamma = wide_select(bound, gamma, wide_all(0));
    }
    inverse[TWISTED] = wide_select(bound, wide_all(0), wide_all(1));
    make_inverse(constants, gamma, inverse);
    store(&group, (double *)system->inverse, INVERSE_SIZE, INVERSE_SIZE / 4, inverse);
    start_of(&group, r, constants, inverse, work->exact, start);
    store(&group, system->start, 12, 3, start);
}

/* ---- blocks ---- */

/* The products of a body, those of turns in world axes. */
WIDE_INLINE void make_products(const Group *group, const Entry *entries, uint32_t count, Products *s) {
    bool turns = false;
    Wide local[9];
    load(group, group->system->bodies.frame[0].m, 9, 3, s->r);
    load(group, (const double *)group->system->inverse, INVERSE_SIZE, INVERSE_SIZE / 4, s->inverse);
    for (uint32_t e = 0; e < count; e++) {
        wide_copy(entries[e].x, 3, s->x[e]);
        s->sign[e] = entries[e].sign;
        turns |= entries[e].turns;
    }
    products_prepare(s, turns, count);
    for (uint32_t e = 0; turns && e < count; e++) {
        wide_copy(s->mixed[e], 9, local);
        products_turn(s->r, local, s->mixed[e]);
    }
    if (turns) {
        wide_copy(s->twist, 9, local);
        products_turn(s->r, local, s->twist);
    }
}

/* K at the spot of entries (a, b) += block, row by row r0 ... and column by column c0 ... of it. */
WIDE_INLINE void add_block(const Group *group, size_t pair, uint32_t r0, uint32_t c0, bool diagonal, bool turned,
                           Wide sign, const Wide block[9]) {
    const AfxiGraph *graph = group->system->graph;
    Wide signed_block[12];
    double lane[AFXI_LANES][12], *row[AFXI_LANES];
    for (int k = 0; k < 9; k++) {
        signed_block[k] = sign * block[turned ? 3 * (k % 3) + k / 3 : k];
    }
    for (int k = 9; k < 12; k++) {
        signed_block[k] = wide_all(0);
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = lane[l];
    }
    wide_scatter(row, 3, signed_block);
    for (uint32_t l = 0; l < group->lanes; l++) {
        const AfxiBlockSpot *spot = &graph->spot[graph->pair_start[group->body[l]] + pair];
        size_t rows = spot->row_step, columns = spot->column_step;
        double *to = group->system->factor.value + spot->at + r0 * rows + c0 * columns;
        for (size_t c = 0; c < 3; c++) {
            for (size_t r = diagonal ? c : 0; r < 3; r++) {
                to[r * rows + c * columns] += lane[l][3 * c + r];
            }
        }
    }
}

static void add_group(const AfxiSystem *system, const uint32_t *bodies, uint32_t lanes) {
    Group group;
    Entry entries[ENTRIES_MOST];
    Products s;
    begin_group(&group, system, bodies, lanes);
    uint32_t count = load_entries(&group, NULL, entries);
    make_products(&group, entries, count, &s);
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = 0; b <= a; b++) {
            size_t pair = (size_t)a * (a + 1) / 2 + b;
            Wide local[9], block[9], sign = entries[a].sign * entries[b].sign;
            products_point(&s, a, b, local);
            products_turn(s.r, local, block);
            add_block(&group, pair, 0, 0, a == b, false, sign, block);
            if (entries[a].turns) {
                add_block(&group, pair, 3, 0, false, false, sign, s.mixed[b]);
            }
            if (entries[b].turns && a != b) {
                add_block(&group, pair, 0, 3, false, true, sign, s.mixed[a]);
            }
            if (entries[a].turns && entries[b].turns) {
                add_block(&group, pair, 3, 3, a == b, false, sign, s.twist);
            }
        }
    }
}

/* ---- result ---- */

/* Tallies of the lanes of a kernel call. */
typedef struct Tally {
    Wide turn, error, infinite;
    WideMask jump;
} Tally;

/* How far a solve with the bound gamma is from one with the stiffness k: |(I + k)^-1 (gamma - k) w|, I the inertia by
 * axis over h² and what springs add to it; gamma / I |w|, axis by axis, where I + k is near to singular. */
WIDE_INLINE Wide turn_error(const Wide w[3], const Wide inertia[3], Wide gamma, const Wide k[6]) {
    const Wide full[3][3] = {{k[0], k[3], k[4]}, {k[3], k[1], k[5]}, {k[4], k[5], k[2]}};
    Wide load[3], crude = wide_all(0), least = wide_all(WIDE_LEAST_PIVOT);
    for (int i = 0; i < 3; i++) {
        Wide slow = gamma * w[i] / inertia[i];
        load[i] = wide_nma(full[i][0], w[0], gamma * w[i]);
        load[i] = wide_nma(full[i][2], w[2], wide_nma(full[i][1], w[1], load[i]));
        crude = wide_fma(slow, slow, crude);
    }
    Wide xx = inertia[0] + k[0], xy = k[3] / xx, xz = k[4] / xx;
    Wide yy = wide_nma(k[3], xy, inertia[1] + k[1]), yz = wide_nma(k[3], xz, k[5]) / yy;
    Wide zz = wide_nma(yz * yy, yz, wide_nma(k[4], xz, inertia[2] + k[2]));
    WideMask fine =
        wide_less(least * inertia[0], xx) & wide_less(least * inertia[1], yy) & wide_less(least * inertia[2], zz);
    load[1] = wide_nma(xy, load[0], load[1]);
    load[2] = wide_nma(yz, load[1], wide_nma(xz, load[0], load[2]));
    load[2] = load[2] / zz;
    load[1] = wide_nma(yz, load[2], load[1] / yy);
    load[0] = wide_nma(xz, load[2], wide_nma(xy, load[1], load[0] / xx));
    return wide_sqrt(wide_select(fine, wide_dot(load, load), crude));
}

WIDE_INLINE void primal_group(const AfxiSystem *system, const uint32_t *bodies, uint32_t lanes, Tally *tally) {
    const AfxiBodiesWork *work = &system->bodies;
    Group group;
    Entry entries[ENTRIES_MOST];
    Wide r[12], inverse[INVERSE_SIZE], start[12], load9[9], force[3], torque[3], f[3], moved[9], next[12];
    begin_group(&group, system, bodies, lanes);
    uint32_t count = load_entries(&group, system->lambda, entries);
    load(&group, work->frame[0].m, 9, 3, r);
    load(&group, (const double *)system->inverse, INVERSE_SIZE, INVERSE_SIZE / 4, inverse);
    load(&group, system->start, 12, 3, start);
    for (int k = 0; k < 9; k++) {
        load9[k] = wide_all(0);
    }
    for (int k = 0; k < 3; k++) {
        force[k] = torque[k] = wide_all(0);
    }
    for (uint32_t e = 0; e < count; e++) {
        wide_apply_transposed(r, entries[e].force, f);
        for (int c = 0; c < 3; c++) {
            force[c] = force[c] + entries[e].force[c];
            torque[c] = torque[c] + entries[e].torque[c];
            for (int i = 0; i < 3; i++) {
                load9[3 * c + i] = wide_fma(f[i], entries[e].x[c], load9[3 * c + i]);
            }
        }
    }
    wide_apply_transposed(r, torque, f);
    for (int p = 0; p < 3; p++) {
        Wide half = wide_all(0.5 * wide_pair_sign[p]) * f[wide_pair_axis[p]];
        load9[wide_pair_ki[p]] = load9[wide_pair_ki[p]] + half;
        load9[wide_pair_ik[p]] = load9[wide_pair_ik[p]] - half;
    }
    bool twisted = wide_any(~wide_equal(inverse[TWISTED], wide_all(0)));
    wide_inverse_apply(inverse + DIAGONAL, inverse + PAIR, inverse + TWIST, twisted, load9, moved);
    for (int k = 0; k < 9; k++) {
        start[k] = start[k] - moved[k];
    }
    for (int k = 0; k < 3; k++) {
        start[9 + k] = wide_nma(inverse[TRANSLATION], force[k], start[9 + k]);
    }
    store(&group, system->delta, 12, 3, start);
    Wide square = wide_all(0), sum = wide_all(0), inertia;
    Wide gamma = load_one(&group, work->gamma), after = bound_of(entries, count);
    Wide w[3], own[3], stiffness[6], held = load_one(&group, work->held);
    for (int p = 0; p < 3; p++) {
        int axis = wide_pair_axis[p];
        w[axis] = wide_all(0.5 * wide_pair_sign[p]) * (start[wide_pair_ki[p]] - start[wide_pair_ik[p]]);
        own[axis] = (inverse[C + pair_i[p]] + inverse[C + pair_k[p]]) + held;
        square = wide_fma(w[axis], w[axis], square);
    }
    stiffness_of(r, entries, count, stiffness);
    Wide off = turn_error(w, own, gamma, stiffness);
    for (int c = 0; c < 3; c++) {
        WideView origin;
        wide_apply(r, start + 3 * c, next + 3 * c);
        for (int l = 0; l < AFXI_LANES; l++) {
            origin.lane[l] = (&work->origin[group.body[l]].x)[c];
        }
        next[9 + c] = origin.wide + start[9 + c];
    }
    for (int k = 0; k < 9; k++) {
        next[k] = r[k] + next[k];
    }
    for (int k = 0; k < 12; k++) {
        sum = wide_fma(wide_all(0), next[k], sum);
    }
    store(&group, work->next, 12, 3, next);
    Wide turn = wide_sqrt(square);
    for (int l = 0; l < AFXI_LANES; l++) { /* smallest inertia / h² */
        inertia = l ? wide_with_lane(inertia, l, group.class_row[l][AFXI_CHAIN_INERTIA])
                    : wide_all(group.class_row[0][AFXI_CHAIN_INERTIA]);
    }
    store_one(&group, work->turn, turn);
    store_one(&group, work->gamma_next, after);
    tally->turn = wide_larger(tally->turn, turn);
    tally->error = wide_larger(tally->error, wide_sqrt(square) + off);
    tally->jump |= wide_less(wide_all(2) * (gamma + (inertia + held)), after);
    tally->infinite = tally->infinite + sum;
}

/* ---- the kernels ---- */

static void prepare(const AfxiSystem *system, const uint32_t *bodies, uint32_t count, bool closed) {
    for (uint32_t k = 0; k < count; k += AFXI_LANES) {
        prepare_group(system, bodies + k, count - k < AFXI_LANES ? count - k : AFXI_LANES, closed);
    }
}

static void blocks(const AfxiSystem *system, const uint32_t *bodies, uint32_t count) {
    for (uint32_t k = 0; k < count; k += AFXI_LANES) {
        add_group(system, bodies + k, count - k < AFXI_LANES ? count - k : AFXI_LANES);
    }
}

static void primal(const AfxiSystem *system, const uint32_t *bodies, uint32_t count, AfxiBodiesTally *out) {
    Tally tally = {wide_all(0), wide_all(0), wide_all(0), wide_mask_none()};
    for (uint32_t k = 0; k < count; k += AFXI_LANES) {
        primal_group(system, bodies + k, count - k < AFXI_LANES ? count - k : AFXI_LANES, &tally);
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        double turn = wide_lane(tally.turn, l), error = wide_lane(tally.error, l);
        out->turn = turn > out->turn || turn != turn ? turn : out->turn;
        out->error = error > out->error || error != error ? error : out->error;
        out->jump |= wide_mask_lane(tally.jump, l);
        out->infinite |= wide_lane(tally.infinite, l) != 0;
    }
}

extern const AfxiClosedKernel AFXI_WIDE(afxi_closed_bodies);
const AfxiClosedKernel AFXI_WIDE(afxi_closed_bodies) = {prepare, blocks, primal};

#else
typedef int AfxiNoClosedVariant; /* a file may not be empty */
#endif
