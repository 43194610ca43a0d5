/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of a stage in two passes share, for *_wide.c files: equations in climb.h. */
#ifndef AFXI_DUAL_CLIMB_WHOLE_WIDE_H
#define AFXI_DUAL_CLIMB_WHOLE_WIDE_H

#include "dual/climb_lane_wide.h"
#include "dual/motion_lane_wide.h"
#include "joint/turn_solve_wide.h"

/* What is kept for the way back, and behind it the factor. */
WIDE_INLINE double *kept_of(const Group *group) {
    return back_of(group);
}

WIDE_INLINE double *factor_of(const Group *group) {
    return back_of(group) + AFXI_CLIMB_LANES * AFXI_CLIMB_KEPT;
}

WIDE_INLINE void load_constants(const Group *group, Wide out[AFXI_CHAIN_SIZE]) {
    const AfxiSystem *system = group->system;
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t body = system->graph->body[group->job->body[group->first + l]];
        row[l] = system->bodies.constants + (size_t)AFXI_CHAIN_SIZE * system->bodies.class_of[body];
    }
    wide_gather(row, AFXI_CHAIN_SIZE / 4, out);
}

WIDE_INLINE void keep(double *slot, int from, int count, const Wide *in) {
    for (int k = 0; k < count; k++) {
        wide_store(slot + AFXI_CLIMB_LANES * (from + k), in[k]);
    }
}

/* For the way back. */
WIDE_INLINE void keep_back(const Group *group, double *to, int from, int count, const Wide *in) {
    if (!group->system->climb.stream) {
        keep(to, from, count, in);
        return;
    }
    for (int k = 0; k < count; k++) {
        wide_stream(to + AFXI_CLIMB_LANES * (from + k), in[k]);
    }
}

/* The spring of a joint whose base is, in some lanes, the body beyond it: there the axes of the base are `turn`. */
WIDE_INLINE void solve_inward(const Wide in[AFXI_TURN_USED], const Wide turn[9], Wide sign, const Wide rate[3],
                              Wide per_h, Wide out[AFXI_TURN_RESULT]) {
    WideMask follows = wide_less(wide_all(0), sign);
    Wide frame[2][9];
    for (int k = 0; k < 9; k++) {
        Wide own = wide_all(k % 4 == 0);
        frame[0][k] = wide_select(follows, own, turn[k]);
        frame[1][k] = wide_select(follows, turn[k], own);
    }
    turn_solve(in, frame[0], frame[1], rate, per_h, out);
}

/* Tallies of the lanes of a job. */
typedef struct Fallen {
    Tally bodies;
    Wide gap, reach;
} Fallen;

WIDE_INLINE void take_own(const double *slot, int from, int count, Wide *out) {
    for (int k = 0; k < count; k++) {
        out[k] = wide_load(slot + AFXI_CLIMB_LANES * (from + k));
    }
}

/* Multipliers of a joint and where it is now, to the slots beyond it. */
WIDE_INLINE void hand_on(const Group *group, const AfxiClimbJoint *joint, const Wide message[AFXI_CLIMB_MESSAGE]) {
    if (joint->aligned) {
        keep(slot_of(group, joint->slot[group->first]), AFXI_CLIMB_LAMBDA, AFXI_CLIMB_MESSAGE, message);
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        double *slot = slot_of(group, joint->slot[group->first + l]);
        for (int k = 0; k < AFXI_CLIMB_MESSAGE; k++) {
            slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_LAMBDA + k)] = wide_lane(message[k], l);
        }
    }
}

/* How far the joint towards the root is off. */
WIDE_INLINE void check_gap(const Group *group, const AfxiClimbJoint *joint, const Wide here[3], const Wide there[3],
                           Fallen *out) {
    WideMask off;
    Wide gap = wide_all(0);
    for (int k = 0; k < 3; k++) {
        gap = wide_larger(gap, wide_magnitude(here[k] - there[k]));
        out->reach = wide_larger(out->reach, wide_magnitude(here[k]));
    }
    if (is_off(group, joint, 0, &off)) {
        gap = wide_select(off, wide_all(0), gap);
    }
    out->gap = wide_larger(out->gap, gap);
}

WIDE_INLINE double *tally_at(const Group *group, AfxiClimbTally *tally, int which) {
    return &tally->lane[which][group->first];
}

/* What has come of the lanes so far. */
WIDE_INLINE Fallen tally_begin(const Group *group, AfxiClimbTally *tally) {
    Fallen fallen = {.bodies.jump = wide_mask_none()};
    fallen.bodies.turn = wide_load(tally_at(group, tally, AFXI_TALLY_TURN));
    fallen.bodies.error = wide_load(tally_at(group, tally, AFXI_TALLY_ERROR));
    fallen.bodies.infinite = wide_load(tally_at(group, tally, AFXI_TALLY_INFINITE));
    fallen.gap = wide_load(tally_at(group, tally, AFXI_TALLY_GAP));
    fallen.reach = wide_load(tally_at(group, tally, AFXI_TALLY_REACH));
    return fallen;
}

WIDE_INLINE void tally_end(const Group *group, const Fallen *fallen, AfxiClimbTally *tally) {
    wide_store(tally_at(group, tally, AFXI_TALLY_TURN), fallen->bodies.turn);
    wide_store(tally_at(group, tally, AFXI_TALLY_ERROR), fallen->bodies.error);
    wide_store(tally_at(group, tally, AFXI_TALLY_INFINITE), fallen->bodies.infinite);
    wide_store(tally_at(group, tally, AFXI_TALLY_GAP), fallen->gap);
    wide_store(tally_at(group, tally, AFXI_TALLY_REACH), fallen->reach);
    if (wide_any(fallen->bodies.jump)) {
        double *jump = tally_at(group, tally, AFXI_TALLY_JUMP);
        wide_store(jump, wide_select(fallen->bodies.jump, wide_all(1), wide_load(jump)));
    }
}

#endif
