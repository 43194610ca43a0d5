/* SPDX-License-Identifier: Apache-2.0 */
/* What queries in joint coordinates share (affix/dynamics.h): the trees of a sim at its present state, kept from call
 * to call, and memory for what is dense. */
#ifndef AFXI_STEP_DYNAMICS_QUERY_H
#define AFXI_STEP_DYNAMICS_QUERY_H

#include "reduced/inner.h"
#include "step/dynamics_dofs.h"
#include "step/sim.h"

/** What a sim keeps for them. */
typedef struct AfxiDynamics {
    AfxiTree tree;
    AfxiTreeWork work;
    AfxiDofs dofs;
    uint32_t joints_version; /* of the switches that the tree was made with */
    void *raw, *dense_raw, *rows_raw, *search_raw;
    size_t raw_size, dense_size, rows_size, search_size;
    unsigned char *search; /* room of inverse kinematics (kinematics.c), aligned, in search_raw */
    double *q, *u, *x, *y; /* [coordinates], [dofs] three times; x and y are scratch */
    double *six;           /* [6][dofs] of scratch: rows of Jacobians */
    double *mass;          /* [dofs][dofs]; afxi_dynamics_dense */
    AfxiReduced rows;      /* what closes loops, on these trees; afxi_dynamics_rows */
} AfxiDynamics;

/** Frees what such queries keep; NULL is allowed there. */
void afxi_dynamics_destroy(AfxSim *sim);
/** The trees of a sim as its joints are switched. */
AfxStatus afxi_dynamics_trees(AfxSim *sim, AfxiDynamics **out);
/** ... at the present state, with the present parameters: frames, velocities and inertias. AFX_E_INPUT where a
 * parameter has made a body of armature into something else. */
AfxStatus afxi_dynamics_now(AfxSim *sim, AfxiDynamics **out);
/** ... and memory for a mass matrix; AFX_E_LIMIT above AFX_DOFS_MOST. */
AfxStatus afxi_dynamics_dense(AfxSim *sim, AfxiDynamics **out);
/** ... and gradients of the rows that close loops. */
AfxStatus afxi_dynamics_rows(AfxSim *sim, AfxiDynamics **out);

/** Whether all of x [n] is finite. */
bool afxi_dynamics_finite(const double *x, size_t n);
/** Adds to Jacobians [3][dofs], in the tree's own dofs, those of a point of a body (its own frame), `scale` times. The
 * angular one may be NULL. */
void afxi_dynamics_add_point(const AfxSim *sim, const AfxiDynamics *kept, uint32_t body, AfxVec3 point, double scale,
                             double *linear, double *angular);
/** Rows [count][dofs] of the tree's own dofs as users see them. */
void afxi_dynamics_tell_rows(const AfxiDynamics *kept, const double *rows, size_t count, double *out);

#endif
