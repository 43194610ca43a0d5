/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that ball joints hold, one per lane: inverse and start, blocks of K, and what the multipliers make of them.
 * Equations in closed_form.h. */
#include "math/vector_wide.h"

#if AFXI_WIDE_PAYS

/* Entries of a closed-form body: each has three rows at least. */
#define ENTRIES_MOST (AFXI_BODY_ROWS_MOST / 3)
#define PRODUCTS_MOST ENTRIES_MOST

#include "dual/bodies_wide.h"
#include "dual/gather_wide.h"
#include "dual/touched_wide.h"

typedef struct Group {
    const AfxiSystem *system;
    uint32_t body[AFXI_LANES]; /* of the graph; lanes that are empty repeat the first one, and only write */
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

WIDE_INLINE void load_origin(const Group *group, Wide out[3]) {
    for (int k = 0; k < 3; k++) {
        WideView origin;
        for (int l = 0; l < AFXI_LANES; l++) {
            origin.lane[l] = (&group->system->bodies.origin[group->body[l]].x)[k];
        }
        out[k] = origin.wide;
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
            lever[l] = graph->closed_form.lever[place].point;
            push[l] = lambda ? lambda + graph->closed_form.first_row[place] : NULL;
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

/* ---- inverse and start ---- */

/* M of the stiffness, made definite in the lanes where it is not: a body that is unstable by itself is often held by
 * what it is joined to. Lanes come back where it is too much for that, as in body/definite.h. */
WIDE_INLINE WideMask add_stiffness(const Wide theta[3], const Wide stiffness[6], Wide twist[6]) {
    WideMask unstable = wide_inverse_twist(theta, stiffness, twist), bound = wide_mask_none();
    if (wide_any(unstable)) {
        Wide definite[6], used[6], scaled[6], size = wide_all(0);
        scale_both(theta, stiffness, scaled);
        for (int e = 0; e < 6; e++) { /* squares of what is scaled by the roots */
            size = wide_fma(stiffness[e] * wide_all(e < 3 ? 1 : 2), scaled[e], size);
        }
        bound = unstable & ~(wide_less(size, wide_all(AFXI_DEFINITE_MOST * AFXI_DEFINITE_MOST)));
        unstable = unstable & ~bound;
        make_definite(theta, stiffness, wide_all(0), true, definite, used);
        for (int k = 0; k < 6; k++) {
            twist[k] = wide_select(unstable, definite[k], twist[k]);
        }
    }
    return bound;
}

static void prepare_group(const AfxiSystem *system, const uint32_t *bodies, uint32_t lanes, bool closed_form) {
    const AfxiBodiesWork *work = &system->bodies;
    Group group;
    Entry entries[ENTRIES_MOST];
    Wide constants[AFXI_CHAIN_SIZE], r[AFXI_AFFINE_WIDTH], inverse[INVERSE_SIZE], start[AFXI_AFFINE_WIDTH], gamma,
        stiffness[8], theta[3];
    Wide target[AFXI_AFFINE_WIDTH], origin[3];
    WideMask bound = ~wide_mask_none();
    uint32_t count = 0;
    begin_group(&group, system, bodies, lanes);
    wide_gather(group.class_row, AFXI_CHAIN_SIZE / 4, constants);
    gather_items(group.body, work->frame[0].m, 9, 3, r);
    if (closed_form) {
        count = load_entries(&group, work->load, entries);
        gamma = bound_of(entries, count);
        scatter_one(group.body, work->gamma, gamma);
    } else {
        gamma = gather_one(group.body, work->gamma);
    }
    for (int k = 0; k < 6; k++) {
        inverse[TWIST + k] = wide_all(0);
    }
    gather_items(group.body, work->target, AFXI_AFFINE_WIDTH, 3, target);
    for (int p = 0; p < 3; p++) {
        theta[wide_pair_axis[p]] = constants[AFXI_CHAIN_THETA + p];
    }
    if (closed_form && work->full_newton) {
        Wide draw[9], second[AFXI_AFFINE_WIDTH];
        draw_of(r, target, constants, draw);
        stiffness_of_draw(draw, second + 6);
        stiffness_of(r, entries, count, stiffness);
        for (int k = 0; k < 6; k++) {
            stiffness[k] = stiffness[k] + second[6 + k];
        }
        make_definite(theta, stiffness, gamma, work->later, inverse + TWIST, second);
        scatter_items(group.body, work->second, AFXI_AFFINE_WIDTH, 3, second);
        bound = wide_mask_none();
        gamma = wide_all(0);
    } else if (work->exact) {
        if (closed_form) {
            stiffness_of(r, entries, count, stiffness);
        } else {
            gather_items(group.body, work->stiffness, 6, 2, stiffness);
        }
        bound = add_stiffness(theta, stiffness, inverse + TWIST);
        gamma = wide_select(bound, gamma, wide_all(0));
    }
    inverse[TWISTED] = wide_select(bound, wide_all(0), wide_all(1));
    make_inverse(constants, gamma, inverse);
    scatter_items(group.body, (double *)system->inverse, INVERSE_SIZE, INVERSE_SIZE / 4, inverse);
    load_origin(&group, origin);
    start_of(system, group.body, r, origin, target, constants, inverse, work->exact || work->full_newton, start);
    scatter_items(group.body, system->start, AFXI_AFFINE_WIDTH, 3, start);
}

/* ---- blocks ---- */

/* The products of a body, those of turns in world axes. */
WIDE_INLINE void make_products(const Group *group, const Entry *entries, uint32_t count, Products *s) {
    bool turns = false;
    Wide local[9];
    gather_items(group->body, group->system->bodies.frame[0].m, 9, 3, s->r);
    gather_items(group->body, (const double *)group->system->inverse, INVERSE_SIZE, INVERSE_SIZE / 4, s->inverse);
    for (uint32_t e = 0; e < count; e++) {
        wide_copy(entries[e].x, 3, s->x[e]);
        s->sign[e] = entries[e].sign;
        turns |= entries[e].turns;
    }
    s->twisted = wide_any(~wide_equal(s->inverse[TWISTED], wide_all(0)));
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
    Wide signed_block[AFXI_AFFINE_WIDTH];
    double lane[AFXI_LANES][AFXI_AFFINE_WIDTH], *row[AFXI_LANES];
    for (int k = 0; k < 9; k++) {
        signed_block[k] = sign * block[turned ? 3 * (k % 3) + k / 3 : k];
    }
    for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
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

/* `touched`: something touches or holds some of them. */
WIDE_INLINE void primal_group(const AfxiSystem *system, const uint32_t *bodies, uint32_t lanes, const bool touched,
                              Tally *tally) {
    const AfxiBodiesWork *work = &system->bodies;
    Group group;
    Entry entries[ENTRIES_MOST];
    Before before;
    After after;
    begin_group(&group, system, bodies, lanes);
    uint32_t count = load_entries(&group, system->lambda, entries);
    gather_items(group.body, work->frame[0].m, 9, 3, before.r);
    gather_items(group.body, (const double *)system->inverse, INVERSE_SIZE, INVERSE_SIZE / 4, before.inverse);
    gather_items(group.body, system->start, AFXI_AFFINE_WIDTH, 3, before.start);
    load_origin(&group, before.origin);
    before.twisted = wide_any(~wide_equal(before.inverse[TWISTED], wide_all(0)));
    before.gamma = gather_one(group.body, work->gamma);
    before.held = gather_one(group.body, work->held);
    for (int l = 0; l < AFXI_LANES; l++) {
        before.inertia = l ? wide_with_lane(before.inertia, l, group.class_row[l][AFXI_CHAIN_INERTIA])
                           : wide_all(group.class_row[0][AFXI_CHAIN_INERTIA]);
    }
    if (touched) {
        Wide force[AFXI_AFFINE_WIDTH];
        load_of(&before, entries, count, force);
        move_by(&before, force, &after);
        touch_result(system, group.body, &before, force, &after);
    } else {
        result_of(&before, entries, count, &after);
    }
    if (work->full_newton) {
        gather_items(group.body, work->second, AFXI_AFFINE_WIDTH, 3, before.second);
        before.enough = wide_all(work->enough);
        judge_by(true, &before, entries, count, &after, tally);
    } else {
        judge(&before, entries, count, &after, tally);
    }
    scatter_items(group.body, system->delta, AFXI_AFFINE_WIDTH, 3, after.delta);
    scatter_items(group.body, work->next, AFXI_AFFINE_WIDTH, 3, after.next);
    scatter_one(group.body, work->turn, after.turn);
    scatter_one(group.body, work->gamma_next, after.gamma);
    scatter_one(group.body, work->error, after.error);
    scatter_one(group.body, work->excess, after.excess);
}

/* ---- the kernels ---- */

static void prepare(const AfxiSystem *system, const uint32_t *bodies, uint32_t count, bool closed_form) {
    for (uint32_t k = 0; k < count; k += AFXI_LANES) {
        prepare_group(system, bodies + k, count - k < AFXI_LANES ? count - k : AFXI_LANES, closed_form);
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
        uint32_t lanes = count - k < AFXI_LANES ? count - k : AFXI_LANES;
        if (any_touched(system, bodies + k, lanes)) {
            primal_group(system, bodies + k, lanes, true, &tally);
        } else {
            primal_group(system, bodies + k, lanes, false, &tally);
        }
    }
    tally_lanes(&tally, out);
}

extern const AfxiClosedFormKernel AFXI_WIDE(afxi_closed_form_bodies);
const AfxiClosedFormKernel AFXI_WIDE(afxi_closed_form_bodies) = {prepare, blocks, primal};

#else
typedef int AfxiNoClosedFormVariant; /* a file may not be empty */
#endif
