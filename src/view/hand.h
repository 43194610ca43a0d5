/* SPDX-License-Identifier: Apache-2.0 */
/* A hand that pulls a point of a body to where the mouse is: how stiff a hold (afx_sim_hold) is to feel right.
 *
 * The spring is made for the mass M of all that moves, but for at most so many times that of the grabbed body, m: what
 * hangs on it comes along, and a body in a crowd is not torn out of it. With w the frequency of the pull,
 *     k = w² M,   c = 2 sqrt(k m):
 * critical for the body alone. The solve takes care of everything else. */
#ifndef AFXI_VIEW_HAND_H
#define AFXI_VIEW_HAND_H

#include "affix/sim.h"

typedef struct AfxiHand {
    bool active;
    uint32_t client; /* whose it is */
    uint32_t body;
    double stiffness, damping;
} AfxiHand;

/** Gets ready to hold a body. False when there is no such body or it does not move. `moving_mass` is that of the scene.
 */
bool afxi_hand_grab(AfxiHand *hand, const AfxScene *scene, const AfxModel *model, double moving_mass, uint32_t body);
/** Holds the point (in the body's frame) at the target (in the world) from the next step on. */
AfxStatus afxi_hand_hold(const AfxiHand *hand, AfxSim *sim, AfxVec3 point, AfxVec3 target);

#endif
