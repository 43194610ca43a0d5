/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of state and control as files of robots have them. */
#ifndef AFX_TEST_ROBOT_TESTS_H
#define AFX_TEST_ROBOT_TESTS_H

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
#include "affix/io.h"
#include "support/check.h"
#include "support/random.h"
#include "support/sim.h"

/** Each runs one group and returns the number of failed tests. */
int run_generalized_tests(void);
int run_armature_tests(void);
int run_control_tests(void);
int run_file_tests(void);
int run_sensor_tests(void);
int run_kinematics_tests(void);
int run_activation_tests(void);
int run_tendon_tests(void);
int run_feel_tests(void);
int run_act_tests(void);

/** A scene from a text; the test fails where it does not load. */
AfxScene *scene_from(const char *text, AfxFormat format);
/** A model of it, and a sim with a step of 1 ms. */
AfxSim *sim_of(const AfxScene *scene, AfxModel **out_model);
/** Random generalised coordinates within +-size, unit quaternions among them. */
void random_qpos(const AfxModel *model, uint64_t *seed, double size, double *out_qpos);

#endif
