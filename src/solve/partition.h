/* SPDX-License-Identifier: Apache-2.0 */
/* Which components form islands in a stage, and which lot solves them. A component is solved by its own lot unless it
 * touches another one, or needs what the engine of its lot cannot do; then it is part of an island of this stage. */
#ifndef AFXI_SOLVE_PARTITION_H
#define AFXI_SOLVE_PARTITION_H

#include "solve/solver.h"

/** Whether the component of a root is solved by an island of this stage, and not in its own lot. */
static inline bool afxi_partition_leaves(const AfxiSolver *solver, uint32_t root) {
    return solver->parent && solver->parent[root] != UINT32_MAX;
}

/** At the beginning of a stage: all components are in their own lots, and nothing is solved. */
void afxi_partition_reset(AfxiSolver *solver);
/** After contacts were found: makes the islands, gives every run its points and pairs. Runs that are done and whose
 * island has not changed stay as they are. */
AfxStatus afxi_partition(AfxiSolver *solver);
/** The run that solves a dynamic body in this stage; NULL: none, it is free or absent. */
AfxiRun *afxi_partition_run(const AfxiSolver *solver, uint32_t body);
/** The run of the ball chains. */
AfxiRun *afxi_partition_chains(const AfxiSolver *solver);
/** Where it put the body, and the island that it is in; NULL: none did. */
const double *afxi_partition_result(const AfxiSolver *solver, uint32_t body, AfxiIsland **out_island);
/** Keeps the result of a run, for contacts to be looked for there and solves to go on from. */
void afxi_partition_keep(AfxiSolver *solver, const AfxiRun *run);

#endif
