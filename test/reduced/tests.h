/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of joint coordinates; rigs are those of the tests of joints. */
#ifndef TEST_REDUCED_TESTS_H
#define TEST_REDUCED_TESTS_H

#include "joint/tests.h"
#include "reduced/recursion.h"

int run_dynamics_tests(void);
int run_queries_tests(void);
int run_forces_tests(void);
int run_loops_queries_tests(void);
int run_implicit_tests(void);
int run_smooth_tests(void);
int run_islands_tests(void);
int run_agree_tests(void);
int run_touch_tests(void);
int run_lanes_tests(void);
int run_hybrid_tests(void);

/** A chain of three hinged rods that everything smooth acts on; `loop` closes it by a rod. */
Rig driven_make(bool loop);
/** A trunk on four legs of two hinges each, with servos, a little above the ground; a box may lie on it. */
Rig walker_make(bool loaded);
/** A box and a ball on a hinge, above the ground. */
Rig tumbler_make(void);

/** Bodies 0 ... count - 1 with a joint to an earlier one each (in either sense), kinds and places random; the first is
 * held to the world, or nothing holds it. All move as their joints allow. */
Rig random_tree(uint32_t count, bool held, uint64_t *seed);
/** A kind whose motions a tree can have as coordinates. */
AfxJointKind random_branch_kind(uint64_t *seed);

/** A tree of a rig's sim with its workspace, coordinates and velocities. */
typedef struct TreeRig {
    AfxiTree tree;
    AfxiTreeWork work;
    double *q, *u, *x; /* x: scratch for either */
    double *mass;      /* [dofs][dofs] */
} TreeRig;

/** At the state of the rig's sim: frames, velocities and inertias are evaluated. */
void tree_rig_make(const Rig *rig, TreeRig *out);
void tree_rig_free(TreeRig *rig);

#endif
