/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of a high-degree body in the elimination of recursion.h. */
#ifndef AFXI_DUAL_RECURSION_HIGH_DEGREE_H
#define AFXI_DUAL_RECURSION_HIGH_DEGREE_H

#include "dual/system.h"

void afxi_recursion_backward_high_degree(const AfxiSystem *system, const AfxiRecursionJob *job);
void afxi_recursion_forward_high_degree(const AfxiSystem *system, const AfxiRecursionJob *job, AfxiRecursionTally *out);
/** With `load`, the bounds of all high-degree bodies; and their results from lambda. */
void afxi_high_degree_bounds(const AfxiSystem *system);
void afxi_high_degree_primal(const AfxiSystem *system, AfxiBodiesTally *tally);

#endif
