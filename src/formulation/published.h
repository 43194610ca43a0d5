/* SPDX-License-Identifier: Apache-2.0 */
/* Formulations as they were published, for comparison with our own: the same model and state, implicit Euler, ball
 * joints, hinges and fixed joints. Nothing here is used by a sim of the default formulation.
 *
 *     AFX_MABD_PAPER           M-ABD, Eqs. 13 to 17, 26 to 28: one Newton step from the old state with the Hessian of
 *                              linear elasticity turned by the rotation of the old state
 *     AFX_MABD_PAPER_NOPOLAR   the same with Eq. 17 (Alg. 1) in place of the polar decomposition
 *     AFX_ABD_VANILLA          affine body dynamics, Eq. 3: V k |A A^T - I|², Newton to convergence */
#ifndef AFXI_FORMULATION_PUBLISHED_H
#define AFXI_FORMULATION_PUBLISHED_H

#include "affix/sim.h"
#include "model/model.h"

typedef struct AfxiPublished AfxiPublished;

/** What came of a step. */
typedef struct AfxiPublishedOutcome {
    uint32_t solves, failed_body; /* failed_body: UINT32_MAX when all is finite */
    double residual;              /* largest row */
    bool capped, redundant;
} AfxiPublishedOutcome;

/** Workspace of def->formulation for a model; *out is NULL for the default. AFX_E_INPUT or AFX_E_LIMIT, with the
 * reason in def->error (may be NULL), for what it cannot do. */
AfxStatus afxi_published_create(const AfxModel *model, const AfxSimDef *def, AfxiPublished **out);
void afxi_published_destroy(AfxiPublished *work);
/** Forgets constants of bodies: their parameters have changed. */
void afxi_published_refresh(AfxiPublished *work);
/** One step of the moving bodies: q, v [bodies][12] change, and are put back when the result is not finite. */
void afxi_published_step(AfxiPublished *work, const AfxiClasses *classes, const double gravity[3], double dt, double *q,
                         double *v, AfxiPublishedOutcome *out);

#endif
