/* SPDX-License-Identifier: Apache-2.0 */
/* The rows at a start. */
#ifndef AFXI_CONSTRAINT_ROWS_START_H
#define AFXI_CONSTRAINT_ROWS_START_H

#include "constraint/rows.h"

/** After linearising at the present state: makes value, given and active those of the acceleration problem. */
void afxi_rows_velocity_terms(AfxiRows *rows);
/** In closed form: the values of closed joints become their rates, or with `accelerations` what bodies that are not
 * solved for do to their second derivative; all rows of these joints are linear in q. The largest comes back. */
double afxi_rows_closed_rates(AfxiRows *rows, bool accelerations);

#endif
