/* SPDX-License-Identifier: Apache-2.0 */
/* Forces over a length, an angle or a rate, as tables; afx_force_table_evaluate itself is public. */
#ifndef AFXI_MATH_TABLE_H
#define AFXI_MATH_TABLE_H

#include "affix/joint.h"

/** What is wrong with a table, in plain words ("its positions do not rise"), or NULL. */
const char *afxi_table_fault(const AfxForceTable *table);
/** The force at a position, and the slope there; a table without samples has none. */
double afxi_table_force(const AfxForceTable *table, double position, double *out_slope);
/** The mean of the force between two positions: exact, and without cancellation however near they are. Times their
 * distance it is the work between them. */
double afxi_table_mean(const AfxForceTable *table, double from, double to);

#endif
