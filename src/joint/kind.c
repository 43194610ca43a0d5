/* SPDX-License-Identifier: Apache-2.0 */
/* The table of joint kinds. */
#include "joint/kind.h"

static const AfxiJointKind *const table[AFX_JOINT_KIND_COUNT] = {
    [AFX_JOINT_FIXED] = &afxi_joint_fixed,
    [AFX_JOINT_PRISMATIC] = &afxi_joint_prismatic,
    [AFX_JOINT_REVOLUTE] = &afxi_joint_revolute,
    [AFX_JOINT_RECTANGULAR] = &afxi_joint_rectangular,
    [AFX_JOINT_CYLINDRICAL] = &afxi_joint_cylindrical,
    [AFX_JOINT_PIN_IN_SLOT] = &afxi_joint_pin_in_slot,
    [AFX_JOINT_UNIVERSAL] = &afxi_joint_universal,
    [AFX_JOINT_CARTESIAN] = &afxi_joint_cartesian,
    [AFX_JOINT_PLANAR] = &afxi_joint_planar,
    [AFX_JOINT_SPHERICAL] = &afxi_joint_spherical,
    [AFX_JOINT_SLOT] = &afxi_joint_slot,
    [AFX_JOINT_FREE] = &afxi_joint_free,
    [AFX_JOINT_DISTANCE] = &afxi_joint_distance,
    [AFX_JOINT_SCREW] = &afxi_joint_screw,
    [AFX_JOINT_REVOLUTE_POINTS] = &afxi_joint_revolute_points,
    [AFX_JOINT_REVOLUTE_SPHERICAL] = &afxi_joint_revolute_spherical,
    [AFX_JOINT_REVOLUTE_REVOLUTE] = &afxi_joint_revolute_revolute,
    [AFX_JOINT_POINT_ON_PLANE] = &afxi_joint_point_on_plane,
    [AFX_JOINT_PARALLEL_AXES] = &afxi_joint_parallel_axes,
};

const AfxiJointKind *afxi_joint_kind(AfxJointKind kind) {
    return table[kind];
}
