/* SPDX-License-Identifier: Apache-2.0 */
/* The pull of the hand. */
#include "view/hand.h"

#include <math.h>

#include "math/vec3.h"

#define FREQUENCY 14.0 /* rad/s of the spring with the mass it is made for */
#define SHARE 300.0    /* it is made for the moving mass, but for at most so many times the body's */

bool afxi_hand_grab(AfxiHand *hand, const AfxScene *scene, const AfxModel *model, double moving_mass, uint32_t body) {
    if (body >= afx_model_body_count(model) || afx_model_body_kind(model, body) != AFX_BODY_DYNAMIC ||
        afx_scene_body_mass(scene, afx_scene_body(scene, body), &hand->mass) != AFX_OK || !(hand->mass.mass > 0)) {
        return false;
    }
    double mass = hand->mass.mass, made_for = fmin(fmax(moving_mass, mass), SHARE * mass);
    hand->body = body;
    hand->stiffness = FREQUENCY * FREQUENCY * made_for;
    hand->damping = 2 * FREQUENCY * mass;
    return true;
}

/* a . I^-1 a for a symmetric tensor xx, yy, zz, xy, xz, yz, with something on the diagonal for rods. */
static double inverse_form(const double tensor[6], AfxVec3 a) {
    double floor = 1e-6 * (tensor[0] + tensor[1] + tensor[2]);
    double xx = tensor[0] + floor, yy = tensor[1] + floor, zz = tensor[2] + floor;
    double xy = tensor[3], xz = tensor[4], yz = tensor[5];
    double cxx = yy * zz - yz * yz, cyy = xx * zz - xz * xz, czz = xx * yy - xy * xy;
    double cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy, cyz = xy * xz - xx * yz;
    double determinant = xx * cxx + xy * cxy + xz * cxz;
    double form =
        cxx * a.x * a.x + cyy * a.y * a.y + czz * a.z * a.z + 2 * (cxy * a.x * a.y + cxz * a.x * a.z + cyz * a.y * a.z);
    return determinant > 0 ? fmax(form / determinant, 0) : 0;
}

AfxWrench afxi_hand_pull(const AfxiHand *hand, const AfxSim *sim) {
    AfxPose pose;
    AfxTwist twist;
    AfxWrench none = {0};
    if (afx_sim_body_pose(sim, hand->body, &pose) != AFX_OK || afx_sim_body_twist(sim, hand->body, &twist) != AFX_OK) {
        return none;
    }
    double h = afx_sim_dt(sim), k = hand->stiffness, c = hand->damping;
    AfxVec3 at = afx_pose_apply(pose, hand->point), centre = afx_pose_apply(pose, hand->mass.center);
    AfxVec3 arm = vec3_sub(at, centre);
    AfxVec3 velocity = vec3_add(twist.linear, vec3_cross(twist.angular, vec3_sub(at, pose.position)));
    AfxVec3 pull = vec3_mad(vec3_scale(k, vec3_sub(hand->target, at)), -(c + h * k), velocity);
    double size = sqrt(vec3_dot(pull, pull));
    if (!(size > 0) || !isfinite(size)) {
        return none;
    }
    AfxQuat back = {pose.rotation.w, -pose.rotation.x, -pose.rotation.y, -pose.rotation.z};
    AfxVec3 lever = afx_quat_rotate(back, vec3_cross(arm, vec3_scale(1 / size, pull)));
    double mobility = 1 / hand->mass.mass + inverse_form(hand->mass.inertia, lever);
    AfxVec3 force = vec3_scale(1 / (1 + (h * c + h * h * k) * mobility), pull);
    return (AfxWrench){force, vec3_cross(arm, force)};
}
