/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and what they share: runs of a model that are recorded, and the same by differences. */
#ifndef AFX_TEST_GRAD_TESTS_H
#define AFX_TEST_GRAD_TESTS_H

#include "joint/tests.h"

int run_grad_tape_tests(void);
int run_grad_case_tests(void);
int run_grad_kind_tests(void);
int run_grad_input_tests(void);
int run_grad_truth_tests(void);
int run_grad_api_tests(void);
int run_grad_touch_tests(void);
int run_grad_jump_tests(void);
int run_grad_weight_tests(void);
int run_grad_replay_tests(void);
int run_grad_frame_tests(void);

/** How a model is run; rigs are those of the tests of joints. */
typedef struct Course {
    AfxModel *model;
    AfxIntegrator integrator;
    double dt;
    uint32_t steps;
    const AfxWeights *weights; /* NULL: none */
} Course;

/** The model of a built-in case; `text` are its parameters, name=value apart by blanks, and may be NULL. */
AfxModel *case_model(const char *name, const char *text);
/** A sim of a course, with a block of parameters of its own (NULL: the model's). */
AfxSim *course_sim(const Course *course, const double *params);
/** The quantity after all steps of a sim with these parameters. */
double course_value(const Course *course, const double *params, AfxQuantity quantity);
/** Records a sim through all steps. */
AfxGrad *course_record(const Course *course, AfxSim *sim);
/** Which parameters can be changed a little without leaving their range: their scale, or 0. [registry] */
void param_scales(const AfxModel *model, double *out);
/** The derivative of a quantity along a direction of parameters, by differences of sixth order. Their step becomes
 * smaller until those of fourth order agree, for a thousandth of a number may be far: of a long cable it is all its
 * stretch. */
double course_difference(const Course *course, const double *direction, AfxQuantity quantity);
/** Compares the gradient of a quantity, along random directions of all parameters, with differences, and tangents with
 * adjoints; what is larger of the two relative errors comes back. */
double course_check(const Course *course, AfxQuantity quantity, double *out_dot);

#endif
