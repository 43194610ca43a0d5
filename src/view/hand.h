/* SPDX-License-Identifier: Apache-2.0 */
/* A hand that pulls a point of a body to where the mouse is: a spring and damper, taken implicitly.
 *
 * The spring joins whatever is grabbed, at any moment, so it cannot be part of the model. It acts as a force that is
 * worked out for every step as an implicit step of the grabbed body alone would find it: with x the distance to the
 * target, v the velocity of the point, m its effective mass in the direction of the pull, and h the step,
 *
 *     f = -(k x + (c + h k) v) / (1 + (h c + h² k) / m).
 *
 * What the body is jointed to only adds to m, so that the pull never overshoots, however stiff the spring. */
#ifndef AFXI_VIEW_HAND_H
#define AFXI_VIEW_HAND_H

#include "affix/sim.h"

typedef struct AfxiHand {
    bool active;
    uint32_t client; /* whose it is */
    uint32_t body;
    AfxVec3 point;  /* in the body's frame */
    AfxVec3 target; /* in the world */
    AfxMass mass;   /* of the body */
    double stiffness, damping;
} AfxiHand;

/** Takes hold of a body. False when there is no such body or it does not move. `moving_mass` is that of the scene. */
bool afxi_hand_grab(AfxiHand *hand, const AfxScene *scene, const AfxModel *model, double moving_mass, uint32_t body);
/** What the hand does to its body in the next step: force, and torque about the centre of mass; world axes. */
AfxWrench afxi_hand_pull(const AfxiHand *hand, const AfxSim *sim);

#endif
