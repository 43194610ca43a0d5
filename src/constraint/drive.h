/* SPDX-License-Identifier: Apache-2.0 */
/* Drives through a step: targets from data or input, and which branch of its law each is on. */
#ifndef AFXI_CONSTRAINT_DRIVE_H
#define AFXI_CONSTRAINT_DRIVE_H

#include "constraint/rows.h"
#include "constraint/tuning.h"

/** How far beyond its end a coordinate is not yet met by a limit. */
static inline double afxi_limit_slack(const AfxiGraph *graph) {
    return AFXI_LIMIT_SLACK * (graph->size > 1 ? graph->size : 1);
}

/** Lists the drives whose targets change, and sets those of the others. */
void afxi_drives_list(AfxiWorld *world);
/** Targets and rates of all drives at `fraction` of the step. */
void afxi_drives_targets(AfxiWorld *world, double fraction);
/** Second derivative of an exact drive's target at the present time. */
double afxi_drive_acceleration(const AfxiWorld *world, uint32_t drive);
/** Largest friction of a friction drive, with the share of the last reaction. */
double afxi_friction_limit(const AfxiWorld *world, uint32_t drive);
/** The numbers of a drive as they hold in this step. A twist that has come out of its range while it was lost, near a
 * swing of half a turn, is kept from going further and may come back: its limits are no narrower than it stood at the
 * beginning. `copy` [AFXI_DRIVE_SIZE] is room for that. */
const double *afxi_drive_numbers(const AfxiWorld *world, uint32_t drive, double *copy);
/** Puts every drive of the rows on the branch that fits the last solve, whose multipliers are `lambda`; how many
 * changed comes back, with those springs whose tables say another force there. */
uint32_t afxi_drives_branches(AfxiRows *rows, const double *lambda);
/** Branches back to those at the beginning of the step. */
void afxi_drives_reset(AfxiWorld *world);
/** Marks the beginning of a step, and its end when it went through. */
void afxi_drives_begin(AfxiWorld *world);
void afxi_drives_finish(AfxiWorld *world);

#endif
