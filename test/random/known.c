/* SPDX-License-Identifier: Apache-2.0 */
/* Known faults. A class is a way to fail together with what was found to bring it about by shrinking scenes; the
 * numbers are those that were counted last, with a little room, since any change of rounding moves a fault from one
 * seed to another. Whoever cures one lowers its numbers. */
#include "known.h"

#include <math.h>

/* rad that a pendulum as long as the scene is wide turns by in a step at its fastest, more or less: from about this on
 * mechanisms whip. */
#define COARSE 0.15

static bool coarse(const Mechanism *m) {
    return m->sim.dt * sqrt(9.81 / m->size) > COARSE;
}

static bool ball_told(const Mechanism *m, const Finding *finding) {
    return finding->fault == FAULT_FAILS && (has(m, FEATURE_BALL_LIMITS) || has(m, FEATURE_BALL_POSITIONS));
}

static bool coarse_fails(const Mechanism *m, const Finding *finding) {
    return finding->fault == FAULT_FAILS && coarse(m);
}

static bool fails(const Mechanism *m, const Finding *finding) {
    (void)m;
    return finding->fault == FAULT_FAILS;
}

static bool alpha_gains(const Mechanism *m, const Finding *finding) {
    return finding->fault == FAULT_ENERGY && (m->sim.integrator == AFX_ALPHA || m->sim.integrator == AFX_SDIRK2);
}

static bool fast_gains(const Mechanism *m, const Finding *finding) {
    return finding->fault == FAULT_ENERGY && m->sim.accuracy == AFX_FAST;
}

static bool accurate_gains(const Mechanism *m, const Finding *finding) {
    (void)m;
    return finding->fault == FAULT_ENERGY;
}

static bool works(const Mechanism *m, const Finding *finding) {
    (void)m;
    return finding->fault == FAULT_WORK;
}

const Known known_faults[] = {
    {"ball angles", ball_told, 0, 0.1, "limits and drives of a ball's Cardan angles fail at their singularity"},
    {"whips fail", coarse_fails, 0, 0.2, "links that turn by a radian and more in a step, spun by springs and forces"},
    {"fails", fails, 1, 0.4, "solves that settle in no number of parts"},
    {"alpha gains", alpha_gains, 1, 0.2, "generalised-α and SDIRK2 gain energy in whips of millimetres"},
    {"fast gains", fast_gains, 0, 0.2, "stiff springs between points that turn a body far in a step"},
    {"accurate gains", accurate_gains, 0, 0.2, "elastic bodies strained beyond their law, and whips"},
    {"cascades", works, 1, 0.9, "a step in 64 parts where its neighbours take one"},
};
const uint32_t known_fault_count = sizeof known_faults / sizeof *known_faults;

uint32_t known_class(const Mechanism *mechanism, const Finding *finding) {
    uint32_t k = 0;
    while (k < known_fault_count && !known_faults[k].has(mechanism, finding)) {
        k++;
    }
    return k;
}
