/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of a stage in two passes share, for *_wide.c files: equations in recursion.h. */
#ifndef AFXI_DUAL_RECURSION_WHOLE_WIDE_H
#define AFXI_DUAL_RECURSION_WHOLE_WIDE_H

#include "dual/motion_lane_wide.h"
#include "dual/recursion_lane_wide.h"
#include "joint/rotational_spring_solve_wide.h"

/* What is kept for the forward pass, and behind it the factor. */
WIDE_INLINE double *stored_of(const Group *group) {
    return forward_of(group);
}

WIDE_INLINE double *factor_of(const Group *group) {
    return forward_of(group) + AFXI_RECURSION_LANES * AFXI_RECURSION_STORED;
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

WIDE_INLINE void keep(double *message, int from, int count, const Wide *in) {
    for (int k = 0; k < count; k++) {
        wide_store(message + AFXI_RECURSION_LANES * (from + k), in[k]);
    }
}

/* For the forward pass. */
WIDE_INLINE void store_forward(const Group *group, double *to, int from, int count, const Wide *in) {
    if (!group->system->recursion.stream) {
        keep(to, from, count, in);
        return;
    }
    for (int k = 0; k < count; k++) {
        wide_stream(to + AFXI_RECURSION_LANES * (from + k), in[k]);
    }
}

/* The spring of a joint whose base is, in some lanes, the body beyond it: there the axes of the base are `turn`. */
WIDE_INLINE void solve_inward(const Wide in[AFXI_ROTATIONAL_SPRING_USED], const Wide turn[9], Wide sign,
                              const Wide rate[3], Wide per_h, Wide out[AFXI_ROTATIONAL_SPRING_RESULT]) {
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

WIDE_INLINE void take_own(const double *message, int from, int count, Wide *out) {
    for (int k = 0; k < count; k++) {
        out[k] = wide_load(message + AFXI_RECURSION_LANES * (from + k));
    }
}

/* Multipliers of a joint and where it is now, to the messages beyond it. */
WIDE_INLINE void hand_on(const Group *group, const AfxiRecursionJoint *joint,
                         const Wide forward_message[AFXI_RECURSION_FORWARD_MESSAGE]) {
    if (joint->aligned) {
        keep(message_of(group, joint->message[group->first]), AFXI_RECURSION_LAMBDA, AFXI_RECURSION_FORWARD_MESSAGE,
             forward_message);
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        double *message = message_of(group, joint->message[group->first + l]);
        for (int k = 0; k < AFXI_RECURSION_FORWARD_MESSAGE; k++) {
            message[AFXI_RECURSION_LANES * (AFXI_RECURSION_LAMBDA + k)] = wide_lane(forward_message[k], l);
        }
    }
}

/* How far the joint towards the root is off. */
WIDE_INLINE void check_gap(const Group *group, const AfxiRecursionJoint *joint, const Wide here[3], const Wide there[3],
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

WIDE_INLINE double *tally_at(const Group *group, AfxiRecursionTally *tally, int which) {
    return &tally->lane[which][group->first];
}

/* What has come of the lanes so far. */
WIDE_INLINE Fallen tally_begin(const Group *group, AfxiRecursionTally *tally) {
    Fallen forwarded = {.bodies.jump = wide_mask_none()};
    forwarded.bodies.turn = wide_load(tally_at(group, tally, AFXI_TALLY_TURN));
    forwarded.bodies.error = wide_load(tally_at(group, tally, AFXI_TALLY_ERROR));
    forwarded.bodies.infinite = wide_load(tally_at(group, tally, AFXI_TALLY_INFINITE));
    forwarded.gap = wide_load(tally_at(group, tally, AFXI_TALLY_GAP));
    forwarded.reach = wide_load(tally_at(group, tally, AFXI_TALLY_REACH));
    return forwarded;
}

WIDE_INLINE void tally_end(const Group *group, const Fallen *forwarded, AfxiRecursionTally *tally) {
    wide_store(tally_at(group, tally, AFXI_TALLY_TURN), forwarded->bodies.turn);
    wide_store(tally_at(group, tally, AFXI_TALLY_ERROR), forwarded->bodies.error);
    wide_store(tally_at(group, tally, AFXI_TALLY_INFINITE), forwarded->bodies.infinite);
    wide_store(tally_at(group, tally, AFXI_TALLY_GAP), forwarded->gap);
    wide_store(tally_at(group, tally, AFXI_TALLY_REACH), forwarded->reach);
    if (wide_any(forwarded->bodies.jump)) {
        double *jump = tally_at(group, tally, AFXI_TALLY_JUMP);
        wide_store(jump, wide_select(forwarded->bodies.jump, wide_all(1), wide_load(jump)));
    }
}

#endif
