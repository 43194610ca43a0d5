/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump: limits and contacts that bounce. */
#ifndef AFXI_SOLVE_IMPACT_H
#define AFXI_SOLVE_IMPACT_H

#include "solve/solver.h"

/** Lets limits that were reached in this step bounce or stop; true when there were any. `before` [bodies][12]:
 * velocities with which they were approached. */
bool afxi_impact(AfxiSolver *solver, const double *before);
/** Lets contacts that struck in this step bounce, in the runs of its last stage; true when something did. */
bool afxi_contacts_bounce(AfxiSolver *solver);

#endif
