/* SPDX-License-Identifier: Apache-2.0 */
/* The pull of the hand. */
#include "view/hand.h"

#include <math.h>

#define FREQUENCY 25.0 /* rad/s: a weight hangs g/w² = 16 mm below the mouse */
#define SHARE 300.0    /* it is made for the moving mass, but for at most so many times the body's */

bool afxi_hand_grab(AfxiHand *hand, const AfxScene *scene, const AfxModel *model, double moving_mass, uint32_t body) {
    AfxMass own;
    if (body >= afx_model_body_count(model) || afx_model_body_kind(model, body) != AFX_BODY_DYNAMIC ||
        afx_scene_body_mass(scene, afx_scene_body(scene, body), &own) != AFX_OK || !(own.mass > 0)) {
        return false;
    }
    double made_for = fmin(fmax(moving_mass, own.mass), SHARE * own.mass);
    hand->body = body;
    hand->stiffness = FREQUENCY * FREQUENCY * made_for;
    hand->damping = 2 * sqrt(hand->stiffness * own.mass);
    return true;
}

AfxStatus afxi_hand_hold(const AfxiHand *hand, AfxSim *sim, AfxVec3 point, AfxVec3 target) {
    return afx_sim_hold(sim, hand->body, point, target, hand->stiffness, hand->damping);
}
