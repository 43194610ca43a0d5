/* SPDX-License-Identifier: Apache-2.0 */
/* The rows at a start. */
#ifndef AFXI_CONSTRAINT_ROWS_START_H
#define AFXI_CONSTRAINT_ROWS_START_H

#include "constraint/rows.h"

/** After linearising at the present state: makes value, given and active those of the acceleration problem. `dt` is the
 * step that starts: friction that does not slide stops its coordinate in it. */
void afxi_rows_velocity_terms(AfxiRows *rows, double dt);
/** In closed form: the values of closed-form joints become their rates, or with `accelerations` what bodies that are
 * not solved for do to their second derivative; all rows of these joints are linear in q. The largest comes back. */
double afxi_rows_closed_form_rates(AfxiRows *rows, bool accelerations);

#endif
