/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of the islands of a stage and of their contacts, stated by AFXI_ASSERT. */
#ifndef AFXI_SOLVE_VALIDATE_H
#define AFXI_SOLVE_VALIDATE_H

#include "solve/solver.h"

/** After a partition: every body that takes part is solved once, by its own lot, by one island, or alone; every contact
 * point belongs to the island of its bodies, with rows that are there. */
void afxi_partition_validate(const AfxiSolver *solver);
/** After a run of one lot: its island has a verdict, what was accepted is finite, and its contacts keep their laws. */
void afxi_run_validate(const AfxiRun *run);
/** Contact points: forces are finite, limits and stiffnesses of friction are not negative, axes are square. */
void afxi_activeset_validate(const AfxiContactSet *set, const AfxiActiveSet *active);

#endif
