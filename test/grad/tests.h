/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and what they share: runs of a model that are recorded, and the same by differences. */
#ifndef AFX_TEST_GRAD_TESTS_H
#define AFX_TEST_GRAD_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "affix/affix.h"
#include "support/check.h"
#include "support/random.h"

int run_tape_tests(void);
int run_lu_tests(void);
int run_case_tests(void);
int run_closed_form_tests(void);
int run_api_tests(void);

/** How a model is run. */
typedef struct Rig {
    AfxModel *model;
    AfxIntegrator integrator;
    double dt;
    uint32_t steps;
} Rig;

/** The model of a built-in case; `text` are its parameters, name=value apart by blanks, and may be NULL. */
AfxModel *case_model(const char *name, const char *text);
/** A sim of a rig, with a block of parameters of its own (NULL: the model's). */
AfxSim *rig_sim(const Rig *rig, const double *params);
/** The quantity after all steps of a sim with these parameters. */
double rig_value(const Rig *rig, const double *params, AfxQuantity quantity);
/** Records a sim through all steps. */
AfxGrad *rig_record(const Rig *rig, AfxSim *sim);
/** Which parameters can be changed a little without leaving their range: their scale, or 0. [registry] */
void param_scales(const AfxModel *model, double *out);
/** The derivative of a quantity along a direction of parameters, by differences of sixth order. */
double rig_difference(const Rig *rig, const double *direction, AfxQuantity quantity);
/** Compares the gradient of a quantity, along random directions of all parameters, with differences, and tangents with
 * adjoints; what is larger of the two relative errors comes back. */
double rig_check(const Rig *rig, AfxQuantity quantity, double *out_dot);

#endif
