/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of update.h. */
#include "math/vector_wide.h"

#if AFXI_WIDE_PAYS

#include <math.h>

#define PRODUCTS_MOST 1 /* of closed forms, which are not used here */

#include "dual/bodies_wide.h"
#include "dual/gather_wide.h"
#include "dual/update.h"

typedef struct Group {
    uint32_t body[AFXI_LANES]; /* of the graph; lanes that are empty repeat the last one */
} Group;

WIDE_INLINE void begin_group(const AfxiUpdate *update, uint32_t first, uint32_t end, Group *group) {
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        uint32_t k = first + l < end ? first + l : end - 1;
        group->body[l] = update->list ? update->list[k] : k;
    }
}

/* w, the turn that a delta is, and its square. */
WIDE_INLINE Wide turn_of(const Wide delta[9], Wide w[3]) {
    Wide square = wide_all(0);
    for (int p = 0; p < 3; p++) {
        int axis = wide_pair_axis[p];
        w[axis] = wide_all(0.5 * wide_pair_sign[p]) * (delta[wide_pair_ki[p]] - delta[wide_pair_ik[p]]);
    }
    for (int k = 0; k < 3; k++) {
        square = wide_fma(w[k], w[k], square);
    }
    return square;
}

WIDE_INLINE void move_group(const AfxiUpdate *update, const Group *group, Tally *tally) {
    Wide r[12], origin[4], delta[12], next[12], w[3];
    gather_items(group->body, update->frame[0].m, 9, 3, r);
    gather_items(group->body, &update->origin[0].x, 3, 1, origin);
    gather_items(group->body, update->delta, 12, 3, delta);
    for (int c = 0; c < 3; c++) {
        wide_apply(r, delta + 3 * c, next + 3 * c);
        next[9 + c] = origin[c] + delta[9 + c];
    }
    for (int k = 0; k < 12; k++) {
        next[k] = k < 9 ? r[k] + next[k] : next[k];
    }
    scatter_items(group->body, update->next, 12, 3, next);
    Wide turn = wide_sqrt(turn_of(delta, w));
    scatter_one(group->body, update->turn, turn);
    tally->turn = wide_larger(tally->turn, turn);
    tally->infinite = tally->infinite + beyond_bounds(next);
}

WIDE_INLINE void assess_group(const AfxiUpdate *update, const Group *group, Tally *tally) {
    Wide delta[12], w[3], stiffness[8], inertia[3], constants[4];
    const double *class_row[AFXI_LANES];
    WideView least;
    for (int l = 0; l < AFXI_LANES; l++) {
        class_row[l] =
            update->constants + (size_t)AFXI_CHAIN_SIZE * update->class_of[update->body[group->body[l]]] + AFXI_CHAIN_C;
        least.lane[l] = class_row[l][AFXI_CHAIN_INERTIA - AFXI_CHAIN_C];
    }
    wide_gather(class_row, 1, constants);
    gather_items(group->body, update->delta, 12, 3, delta);
    gather_items(group->body, update->stiffness, 6, 2, stiffness);
    Wide gamma = gather_one(group->body, update->gamma), next = gather_one(group->body, update->gamma_next);
    Wide held = gather_one(group->body, update->held), turn = gather_one(group->body, update->turn);
    turn_of(delta, w);
    for (int k = 0; k < 3; k++) {
        inertia[k] = constants[(k + 1) % 3] + constants[(k + 2) % 3] + held;
    }
    Wide error = turn + turn_error(w, inertia, gamma, stiffness);
    scatter_one(group->body, update->error, error);
    scatter_one(group->body, update->excess, wide_all(INFINITY)); /* not known */
    tally->error = wide_larger(tally->error, error);
    tally->jump |= wide_less(wide_all(2) * (gamma + (least.wide + held)), next);
}

#define PASS(name)                                                                                   \
    static void name(const AfxiUpdate *update, uint32_t begin, uint32_t end, AfxiBodiesTally *out) { \
        Tally tally = {wide_all(0), wide_all(0), wide_all(0), wide_mask_none()};                     \
        for (uint32_t first = begin; first < end; first += AFXI_LANES) {                             \
            Group group;                                                                             \
            begin_group(update, first, end, &group);                                                 \
            name##_group(update, &group, &tally);                                                    \
        }                                                                                            \
        tally_lanes(&tally, out);                                                                    \
    }
PASS(move)
PASS(assess)
#undef PASS

extern const AfxiUpdateKernel AFXI_WIDE(afxi_update);
const AfxiUpdateKernel AFXI_WIDE(afxi_update) = {move, assess};

#else
typedef int AfxiNoUpdateVariant; /* a file may not be empty */
#endif
