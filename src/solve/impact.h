/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump: limits and contacts that bounce, and velocities made to fit the rows. */
#ifndef AFXI_SOLVE_IMPACT_H
#define AFXI_SOLVE_IMPACT_H

#include "solve/solver.h"

/** Lets limits that were reached in this step bounce or stop; true when there were any. `before` [bodies][12]:
 * velocities with which they were approached. */
bool afxi_impact(AfxiSolver *solver, const double *before);
/** Lets contacts that struck in this step bounce, in the runs of its last stage; true when something did. */
bool afxi_contacts_bounce(AfxiSolver *solver);
/** Makes the velocities of a lot the nearest ones that all its rows allow; limits bounce. */
void afxi_velocities_project(AfxiLot *lot);

#endif
