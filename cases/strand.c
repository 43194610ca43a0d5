/* SPDX-License-Identifier: Apache-2.0 */
/* Strands: link k of spacing s has its centre at start + (k + 1/2) s x. Inside the strand every joint has the same two
 * frames, so they are not worked out from the world for each one: a million links take a fraction of a second. */
#include "cases/strand.h"
#include "cases/geometry.h"

AfxiStrand afxi_strand_of_links(uint32_t count, double young) {
    const AfxVec3 end = {AFXI_CASE_LINK_LENGTH / 2, 0, 0};
    return (AfxiStrand){
        .count = count,
        .spacing = AFXI_CASE_LINK_LENGTH,
        .shape = afxi_case_rod(afxi_case_scale(-1, end), end, AFXI_CASE_LINK_RADIUS),
        .young = young,
    };
}

AfxBodyId afxi_strand_add(AfxiCaseBuilder *builder, const AfxiStrand *strand, AfxBodyId base, AfxPose start) {
    const AfxVec3 along = afx_quat_rotate(start.rotation, (AfxVec3){strand->spacing, 0, 0});
    AfxBodyDef link = afx_default_body();
    link.young = strand->young;
    link.pose.rotation = start.rotation;
    link.angular_velocity = strand->spin;
    AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
    joint.base_frame.position.x = strand->spacing / 2;
    joint.follower_frame.position.x = -strand->spacing / 2;
    for (uint32_t k = 0; k < strand->count && builder->status == AFX_OK; ++k) {
        link.pose.position = afxi_case_add(start.position, afxi_case_scale(k + 0.5, along));
        link.linear_velocity = afxi_case_cross(strand->spin, link.pose.position);
        joint.base = joint.follower;
        joint.follower = afxi_case_body(builder, &link);
        afxi_case_shape(builder, joint.follower, &strand->shape);
        if (k == 0) {
            afxi_case_joint_at(builder, joint.kind, base, joint.follower, start);
        } else {
            afxi_case_joint(builder, &joint);
        }
    }
    return joint.follower;
}
