/* SPDX-License-Identifier: Apache-2.0 */
/* Contact points in joint coordinates: those of collide/, by the law of constraint/contact.h and with the active set of
 * solve/activeset.h, so that robots touch as the bodies of the affine engines do. */
#ifndef AFXI_REDUCED_TOUCH_H
#define AFXI_REDUCED_TOUCH_H

#include "reduced/inner.h"

static inline AfxiContactSet *afxi_touch_set(const AfxiReduced *work) {
    return &work->touch.collide->set;
}

/** Raw coordinates of a body among those of all. */
static inline const double *afxi_touch_raw(const double *all, uint32_t body) {
    return all + (size_t)AFXI_AFFINE_WIDTH * body;
}

/** The last degree of freedom that moves a body; AFXI_TREE_NONE: none does. */
uint32_t afxi_reduced_touch_dof(const AfxiReduced *work, uint32_t body);

/** Takes what finds contact points; NULL: nothing can touch. */
AfxStatus afxi_reduced_touch_attach(AfxiReduced *work, AfxiCollide *collide);
void afxi_reduced_touch_release(AfxiReduced *work);
/** Contacts that are told go aside at the beginning of a step, and come back where it fails. */
void afxi_reduced_touch_keep(AfxiReduced *work);
void afxi_reduced_touch_bring_back(AfxiReduced *work);
/** Looks for contact points over a stage of h from work->q, work->u, which are those of the raw state, or, `again`,
 * where afxi_reduced_touch_fit has found the bodies. Kinematic bodies stand at the end of the stage. */
AfxStatus afxi_reduced_touch_find(AfxiReduced *work, double h, bool again);
/** Whether there are points; whether one is expected to touch; whether one is struck. */
bool afxi_reduced_touch_any(const AfxiReduced *work);
bool afxi_reduced_touch_expected(const AfxiReduced *work);
bool afxi_reduced_touch_struck(const AfxiReduced *work);
/** Bodies with points where the tree has them, and slip as velocities make it in a step of weight b. */
void afxi_reduced_touch_place(AfxiReduced *work, double b);
/** Whether points touch and slide as the last solve had them, at its result, which is linear in work->du; true where it
 * must be solved again at these frames. */
bool afxi_reduced_touch_settle(AfxiReduced *work, double b);
/** Whether points are not settled at the frames of the last solve. */
bool afxi_reduced_touch_open(const AfxiReduced *work);
/** Adds the points' forces at the frames, with rows as the next solve has them, to work->tau. */
void afxi_reduced_touch_forces(AfxiReduced *work);
/** The matrix of a step of weight b, work->mass_now by work->rows_now, from work->mass: M and what points add. */
void afxi_reduced_touch_matrix(AfxiReduced *work, double b);
/** The gradient of the rate of a row by velocities, in work->touch.gradient by work->touch.path: its length. */
uint32_t afxi_reduced_touch_gradient(const AfxiReduced *work, const AfxiPoint *point, uint32_t r);
/** M of work->mass factored as mass_now, and with stiff springs of rate along the rows of points that an impact gives a
 * rate (bounce.h); false: it has no factor. */
bool afxi_reduced_touch_own_matrix(AfxiReduced *work);
bool afxi_reduced_touch_jump_matrix(AfxiReduced *work);
/** Whether the points fit to where the tree has come to, with all bodies. */
AfxiFit afxi_reduced_touch_fit(AfxiReduced *work);
/** Whether a step that took no notice of points has come to where none touches and none is missed. */
bool afxi_reduced_touch_clear(AfxiReduced *work);
/** Adds what points give along each velocity, as the last step left them. */
void afxi_reduced_touch_give(const AfxiReduced *work, double *tau);
/** Keeps what the next step remembers, and fills in the report. */
void afxi_reduced_touch_finish(AfxiReduced *work, AfxStepReport *report);
/** Wrench of a point on its first body, about a place, as the last step left it; false where it has none. */
bool afxi_reduced_touch_wrench(const AfxiReduced *work, uint32_t index, AfxVec3 *out_point, AfxWrench *out_wrench);

#endif
