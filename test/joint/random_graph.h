/* SPDX-License-Identifier: Apache-2.0 */
/* Random scenes of many joints: trees, rings, hubs, grids, ball chains, several components. */
#ifndef AFX_TEST_JOINT_RANDOM_GRAPH_H
#define AFX_TEST_JOINT_RANDOM_GRAPH_H

#include "tests.h"

typedef enum GraphForm {
    GRAPH_TREE,  /* some bodies fixed, some joined to them or to the world */
    GRAPH_RING,  /* a ring of soft bodies with a tail */
    GRAPH_HUB,   /* 60 and more arms on a body, some of them longer, and sometimes a second hub */
    GRAPH_GRID,  /* a net of balls */
    GRAPH_PARTS, /* trees, chains, rings and bodies that nothing holds */
    GRAPH_BALLS, /* ball chains of 8 to 40 links, hanging by no, one or both ends */
    GRAPH_MESH,  /* a tree of soft bodies with more joints across it */
    GRAPH_FORMS
} GraphForm;

/** A scene of that form: joints of mixed kinds that hold at the start; with `extras` springs, couplings and drives too.
 */
Rig random_graph(GraphForm form, bool extras, uint64_t *seed);
/** A tree of joints of two coordinates and more, with couplings between those of one joint, exact, compliant and locks.
 */
Rig random_coupled_tree(uint64_t *seed);
/** Its model for a solver, to be destroyed; NULL where AFX_SOLVER_TREE meets a loop and says so. */
AfxModel *graph_model(const Rig *rig, AfxSolver solver);

#endif
