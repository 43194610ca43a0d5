/* SPDX-License-Identifier: Apache-2.0 */
/* The builder of cases, and principal axes by cyclic Jacobi rotations: each rotation of the plane (p, q) by the angle
 * with tan 2θ = 2 a_pq / (a_qq − a_pp) makes a_pq zero; a 3x3 matrix is diagonal to rounding after a few sweeps. */
#include "cases/builder.h"
#include "cases/text.h"

#include <math.h>

#define JACOBI_SWEEPS 12
#define BODIES_MOST 1e8 /* what a count alone may be in every case */

AfxStatus afxi_case_check_bodies(const char *element, double bodies, AfxError *out_error) {
    if (bodies <= BODIES_MOST) {
        return AFX_OK;
    }
    return afxi_case_error(out_error, AFX_E_INPUT, element, "make one of the counts smaller",
                           "%.12g bodies are more than the %.12g that are allowed", bodies, BODIES_MOST);
}

AfxiCaseBuilder afxi_case_begin(const AfxSceneDef *def, AfxVec3 gravity) {
    AfxiCaseBuilder builder = {NULL, AFX_OK};
    AfxSceneDef own = *def;
    own.gravity = gravity;
    builder.status = afx_scene_create(&own, &builder.scene);
    if (builder.status == AFX_OK) { /* the links of these scenes overlap, and their answers are without contact */
        builder.status = afx_scene_set_contact(builder.scene, false);
    }
    return builder;
}

void afxi_case_touch(AfxiCaseBuilder *builder, double friction) {
    AfxMaterialDef material = afx_default_material();
    material.friction = friction;
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_set_contact(builder->scene, true);
    }
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_set_material(builder->scene, afx_scene_material(builder->scene, 0), &material);
    }
}

AfxBodyId afxi_case_ground(AfxiCaseBuilder *builder, AfxPose frame) {
    AfxBodyDef body = afx_default_body();
    body.name = "ground";
    body.kind = AFX_BODY_FIXED;
    body.pose = frame;
    AfxShapeDef plane = afx_default_plane();
    AfxBodyId id = afxi_case_body(builder, &body);
    afxi_case_shape(builder, id, &plane);
    return id;
}

AfxBodyId afxi_case_body(AfxiCaseBuilder *builder, const AfxBodyDef *def) {
    AfxBodyId id = {0, 0};
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_add_body(builder->scene, def, &id);
    }
    return id;
}

void afxi_case_shape(AfxiCaseBuilder *builder, AfxBodyId body, const AfxShapeDef *def) {
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_add_shape(builder->scene, body, def);
    }
}

void afxi_case_marker(AfxiCaseBuilder *builder, AfxBodyId body, const char *name, AfxVec3 point) {
    AfxMarkerId id;
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_add_marker(builder->scene, body, name, point, &id);
    }
}

AfxJointId afxi_case_joint(AfxiCaseBuilder *builder, const AfxJointDef *def) {
    AfxJointId id = {0, 0};
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_add_joint(builder->scene, def, &id);
    }
    return id;
}

AfxJointId afxi_case_joint_at(AfxiCaseBuilder *builder, AfxJointKind kind, AfxBodyId base, AfxBodyId follower,
                              AfxPose world_frame) {
    AfxJointDef def = afx_default_joint(kind);
    def.base = base;
    def.follower = follower;
    if (builder->status == AFX_OK) {
        builder->status = afx_joint_place(builder->scene, &def, world_frame);
    }
    return afxi_case_joint(builder, &def);
}

AfxJointId afxi_case_joint_between(AfxiCaseBuilder *builder, AfxJointKind kind, AfxBodyId base, AfxPose base_frame,
                                   AfxBodyId follower, AfxPose follower_frame) {
    AfxJointDef def = afx_default_joint(kind);
    def.base = base;
    def.base_frame = base_frame;
    def.follower = follower;
    def.follower_frame = follower_frame;
    return afxi_case_joint(builder, &def);
}

AfxJointId afxi_case_springy_ball(AfxiCaseBuilder *builder, AfxBodyId base, AfxBodyId follower, AfxPose world_frame,
                                  double twisting, double bending, double relaxation) {
    AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
    def.base = base;
    def.follower = follower;
    def.spring.stiffness = (AfxVec3){twisting, bending, bending};
    def.spring.damping = (AfxVec3){relaxation * twisting, relaxation * bending, relaxation * bending};
    if (builder->status == AFX_OK) {
        builder->status = afx_joint_place(builder->scene, &def, world_frame);
    }
    return afxi_case_joint(builder, &def);
}

void afxi_case_drive(AfxiCaseBuilder *builder, const AfxDriveDef *def) {
    AfxDriveId id;
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_add_drive(builder->scene, def, &id);
    }
}

void afxi_case_drive_line(AfxiCaseBuilder *builder, AfxDriveKind kind, AfxJointId joint, double c0, double c1) {
    AfxDriveDef def = afx_default_drive(kind);
    def.joint = joint;
    def.target = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {c0, c1}};
    afxi_case_drive(builder, &def);
}

void afxi_case_coupling(AfxiCaseBuilder *builder, const AfxCouplingDef *def) {
    AfxCouplingId id;
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_add_coupling(builder->scene, def, &id);
    }
}

void afxi_case_spring(AfxiCaseBuilder *builder, const AfxSpringDef *def) {
    AfxSpringId id;
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_add_spring(builder->scene, def, &id);
    }
}

void afxi_case_force(AfxiCaseBuilder *builder, AfxBodyId body, AfxVec3 force) {
    AfxWrenchDef def = afx_default_wrench();
    AfxWrenchId id;
    def.body = body;
    def.force = force;
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_add_wrench(builder->scene, &def, &id);
    }
}

void afxi_case_spin(AfxiCaseBuilder *builder, AfxBodyId body, AfxVec3 omega) {
    AfxBodyDef def;
    AfxMass mass;
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_body_mass(builder->scene, body, &mass);
    }
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_get_body(builder->scene, body, &def);
    }
    if (builder->status != AFX_OK) {
        return;
    }
    AfxVec3 w = afx_quat_rotate(def.pose.rotation, omega);
    AfxVec3 c = afx_quat_rotate(def.pose.rotation, mass.center);
    def.angular_velocity = w;
    def.linear_velocity = (AfxVec3){c.y * w.z - c.z * w.y, c.z * w.x - c.x * w.z, c.x * w.y - c.y * w.x};
    builder->status = afx_scene_set_body(builder->scene, body, &def);
}

static void rotate_plane(double a[3][3], double axes[3][3], int p, int q) {
    if (a[p][q] == 0) {
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1);
    double s = t * c;
    for (int k = 0; k < 3; ++k) {
        double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; ++k) {
        double pk = a[p][k], qk = a[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        double up = axes[k][p], uq = axes[k][q];
        axes[k][p] = c * up - s * uq;
        axes[k][q] = s * up + c * uq;
    }
}

static void sort_by_moment(const double a[3][3], int order[3]) {
    for (int k = 0; k < 3; ++k) {
        order[k] = k;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < 2; ++k) {
            int i = order[k], j = order[k + 1];
            if (a[j][j] < a[i][i]) {
                order[k] = j;
                order[k + 1] = i;
            }
        }
    }
}

void afxi_case_principal(AfxiCaseBuilder *builder, AfxBodyId body, double out_moments[3], AfxVec3 out_axes[3]) {
    AfxMass mass = {0};
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_body_mass(builder->scene, body, &mass);
    }
    const double *i = mass.inertia;
    double a[3][3] = {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}};
    double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < JACOBI_SWEEPS; ++sweep) {
        rotate_plane(a, axes, 0, 1);
        rotate_plane(a, axes, 0, 2);
        rotate_plane(a, axes, 1, 2);
    }
    int order[3];
    sort_by_moment((const double(*)[3])a, order);
    for (int k = 0; k < 3; ++k) {
        double x = axes[0][order[k]], y = axes[1][order[k]], z = axes[2][order[k]];
        double largest = fabs(x) >= fabs(y) && fabs(x) >= fabs(z) ? x : fabs(y) >= fabs(z) ? y : z;
        double sign = largest < 0 ? -1 : 1;
        out_moments[k] = a[order[k]][order[k]];
        out_axes[k] = (AfxVec3){sign * x, sign * y, sign * z};
    }
}

AfxStatus afxi_case_end(AfxiCaseBuilder *builder, AfxScene **out_scene, AfxError *out_error) {
    *out_scene = NULL;
    if (builder->status == AFX_OK) {
        *out_scene = builder->scene;
        return AFX_OK;
    }
    if (out_error && builder->scene && afx_scene_error(builder->scene)->status != AFX_OK) {
        *out_error = *afx_scene_error(builder->scene);
    } else {
        afxi_case_error(out_error, builder->status, "scene", NULL, "%s", afx_status_text(builder->status));
    }
    afx_scene_destroy(builder->scene);
    builder->scene = NULL;
    return builder->status;
}
