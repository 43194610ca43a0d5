/* SPDX-License-Identifier: Apache-2.0 */
/* When the solves of a stage are enough. A solve is accepted when
 *     first:  error <= tol,     later:  r/(1-r) |w| <= tol,  r = |w| / |w before|,
 * where the error of a first solve is |w| and what the bound gamma on the geometric stiffness spoils (jointed.c; in
 * chains and trees only where |w| (1 + gamma h²/I) does not pass), |w| itself is small, the rows hold to rounding, and
 * no body's new stiffness is more than twice what the solve knew (a chain that snaps taut). w is a body's rotation away
 * from its frame. Where that strain is taken out afterwards, |w| may be larger, and turns of bodies that hold next to
 * no energy do not count (jointed_sharp.c). */
#include <math.h>

#include "step/sim.h"

#define ROW_TOLERANCE 1e-11
/* The last solve leaves A = R (I + [w]), a false strain of |w|²/2: at most 0.00125. */
#define TURN_MOST 0.05
#define SLOW 0.7           /* of the turn before: further solves would lessen it as little */
#define STRAINED_SOLVES 6u /* a motion that does not get there so soon is taken as it is, ... */
/* ... up to this: solves that wander can happen upon a turn whose strain holds more energy than the motion. */
#define TURN_WILD 0.1
#define ROUNDING 4e-14
#define FORCE_TOLERANCE 1e-7 /* m/s² */
/* Enough where redundant rows meet at a singular position and further solves change nothing. */
#define ROW_TOLERANCE_SINGULAR 1e-7
/* Beyond this the report says so. */
#define ROW_TOLERANCE_LOOSE 1e-10

static const double turn_tolerance[] = {[AFX_FAST] = 0.1, [AFX_ACCURATE] = 1e-3};

AfxiSettling afxi_settling_begin(const AfxSim *sim, double h_squared) {
    double size = fmax(1, sim->model->size), row = ROW_TOLERANCE * size;
    if (sim->def.accuracy == AFX_ACCURATE) { /* a residual r is an error m r / h² in a multiplier */
        row = fmax(ROUNDING * size, fmin(row, FORCE_TOLERANCE * h_squared));
    }
    return (AfxiSettling){.turn_tolerance = turn_tolerance[sim->def.accuracy],
                          .turn_near = turn_tolerance[sim->def.accuracy],
                          .turn_most = TURN_MOST,
                          .row_tolerance = row,
                          .row_tolerance_singular = ROW_TOLERANCE_SINGULAR * size,
                          .residual_before = INFINITY};
}

bool afxi_settling_done(AfxiSettling *settling, uint32_t solve, double first_error, double turn, double residual,
                        bool jump) {
    double error = first_error;
    if (solve > 1) {
        error = turn < settling->turn_before ? turn * turn / (settling->turn_before - turn) : INFINITY;
        error = turn < 1e-14 ? 0 : error;
    }
    bool slow = solve > 1 && turn > SLOW * settling->turn_before;
    bool stalls = solve > 2 && turn < 1e-7 && residual > 0.5 * settling->residual_before;
    bool held = residual <= (stalls ? settling->row_tolerance_singular : settling->row_tolerance);
    settling->turn_before = turn;
    settling->residual_before = residual;
    double most = solve >= STRAINED_SOLVES ? TURN_WILD : slow ? TURN_MOST : 0;
    bool strained = turn > fmax(most, settling->turn_most);
    bool near = error <= settling->turn_tolerance;
    settling->turning = held && !strained && (!near || jump);
    settling->unmet = error <= settling->turn_near && !jump && (!held || strained || !near);
    return near && !jump && !strained && held;
}

bool afxi_settling_loose(const AfxSim *sim, double residual) {
    return residual > ROW_TOLERANCE_LOOSE * fmax(1, sim->model->size);
}
