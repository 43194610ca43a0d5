/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and scenes for them. */
#ifndef AFX_TEST_MODEL_TESTS_H
#define AFX_TEST_MODEL_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

/** Each runs one group and returns the number of failed tests. */
int run_intern_tests(void);
int run_graph_tests(void);
int run_loop_tests(void);
int run_chain_tests(void);
int run_params_tests(void);
int run_contacts_tests(void);
int run_hash_tests(void);

#define assert_ok(call) assert_int_equal((call), AFX_OK)
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/** A scene under construction; bodies stand one metre apart along x. */
typedef struct Rig {
    AfxScene *scene;
    AfxModel *model;
} Rig;

Rig rig_make(void);
/** A box of a kind, one metre behind the last body. */
AfxBodyId rig_box(Rig *rig, AfxBodyKind kind);
/** A joint at the follower's origin, x along the world's x. */
AfxJointId rig_joint(Rig *rig, AfxJointKind kind, AfxBodyId base, AfxBodyId follower);
/** A drive on an axis of a joint. */
AfxDriveId rig_drive(Rig *rig, AfxDriveKind kind, AfxJointId joint, uint32_t axis);
/** The sum of the first coordinates of some joints is 0. */
void rig_couple(Rig *rig, const AfxJointId *joint, uint32_t count, double compliance);
void rig_spring(Rig *rig, AfxBodyId a, AfxBodyId b);
/** Compiles; the graph's lists are checked on the way. */
const AfxiGraph *rig_compile(Rig *rig);
void rig_free(Rig *rig);

#endif
