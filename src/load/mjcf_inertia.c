/* SPDX-License-Identifier: Apache-2.0 */
/* Masses of bodies: from inertial elements or from geoms, as the settings say, then bounded, balanced and scaled to a
 * total; then of groups, which are bodies that nothing moves against each other, and of the subtrees that joints move.
 */
#include <math.h>
#include <string.h>

#include "load/mjcf.h"
#include "math/eigen.h"
#include "math/inertia.h"

/* A principal inertia may be that far below 0, of the largest. */
#define ROUNDING 1e-9

bool afxi_mjcf_read_inertial(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, AfxiMjcfBody *body) {
    AfxMass mass = {0};
    AfxPose pose;
    const char *text;
    uint32_t full;
    node->used = true;
    if (!afxi_xml_need(m->load, node, "pos", &text) || !afxi_xml_need(m->load, node, "mass", &text) ||
        !afxi_mjcf_pose(m, model, node, &pose) || !afxi_xml_number(m->load, node, "mass", &mass.mass) ||
        !afxi_xml_numbers(m->load, node, "diaginertia", 3, 3, mass.inertia, NULL) ||
        !afxi_xml_numbers(m->load, node, "fullinertia", 6, 6, mass.inertia, &full)) {
        return false;
    }
    if (full && (pose.rotation.w != 1 || afxi_xml_has(node, "diaginertia"))) {
        return afxi_xml_error(m->load, node, "fullinertia", "it stands beside an orientation or diaginertia",
                              "give one or the other");
    }
    if (mass.mass < 0) {
        return afxi_xml_error(m->load, node, "mass", "it is negative", "give 0 kg or more");
    }
    body->has_inertial = true;
    body->mass = afxi_mass_transform(mass, pose);
    return true;
}

/** The sum over geoms of the groups that count. */
static bool sum_geoms(AfxiMjcf *m, AfxiMjcfBody *body) {
    const double *groups = body->model->settings.inertia_groups;
    body->mass = (AfxMass){0};
    for (uint32_t k = body->first_geom; k != AFXI_MJCF_NONE; k = m->geoms[k].next) {
        AfxMass part;
        if (m->geoms[k].group < groups[0] || m->geoms[k].group > groups[1]) {
            continue;
        }
        if (!afxi_mjcf_weigh_geom(m, m->geoms + k, &part)) {
            return false;
        }
        body->mass = afxi_mass_add(body->mass, part);
    }
    return true;
}

/** A tensor from its principal values. */
static void set_principal(AfxMass *mass, const double moments[3], const AfxiMat3 *axes) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        mass->inertia[k] = 0;
        for (int j = 0; j < 3; j++) {
            mass->inertia[k] += moments[j] * axes->m[3 * j + row[k]] * axes->m[3 * j + column[k]];
        }
    }
}

static bool bound(AfxiMjcf *m, AfxiMjcfBody *body) {
    const AfxiMjcfSettings *s = &body->model->settings;
    double moments[3], second[3];
    AfxiMat3 axes;
    body->mass.mass = fmax(body->mass.mass, s->bound_mass);
    afxi_eigen_sym3(body->mass.inertia, moments, &axes);
    double least = fmin(moments[0], fmin(moments[1], moments[2]));
    if (least < -ROUNDING * fmax(moments[0], fmax(moments[1], moments[2]))) {
        return afxi_xml_error(m->load, body->node, NULL, "a principal inertia is negative", "give 0 or more");
    }
    if (least < s->bound_inertia) {
        for (int k = 0; k < 3; k++) {
            moments[k] = fmax(moments[k], s->bound_inertia);
        }
        set_principal(&body->mass, moments, &axes);
    }
    AfxiMassResult result = afxi_second_moments(&body->mass, second, &axes);
    if (result == AFXI_MASS_TRIANGLE && s->balance_inertia) {
        double mean = (moments[0] + moments[1] + moments[2]) / 3;
        const double equal[6] = {mean, mean, mean, 0, 0, 0};
        memcpy(body->mass.inertia, equal, sizeof equal);
        return true;
    }
    return result == AFXI_MASS_OK ||
           afxi_xml_error(m->load, body->node, NULL, "a principal inertia is more than the sum of the other two",
                          "correct the inertia, or set balanceinertia");
}

static bool weigh_own(AfxiMjcf *m) {
    double total = 0;
    for (uint32_t b = 1; b < m->body_count; b++) {
        AfxiMjcfBody *body = m->bodies + b;
        int source = body->model->settings.inertia_from_geom;
        if ((source == 1 || (source == 2 && !body->has_inertial)) && !sum_geoms(m, body)) {
            return false;
        }
        if (!bound(m, body)) {
            return false;
        }
        total += body->mass.mass;
    }
    double wanted = m->main->settings.total_mass;
    for (uint32_t b = 1; wanted > 0 && total > 0 && b < m->body_count; b++) {
        AfxMass *mass = &m->bodies[b].mass;
        mass->mass *= wanted / total;
        for (int k = 0; k < 6; k++) {
            mass->inertia[k] *= wanted / total;
        }
    }
    return true;
}

/** Parents come before their children. */
static bool group_bodies(AfxiMjcf *m) {
    for (uint32_t b = 1; b < m->body_count; b++) {
        AfxiMjcfBody *body = m->bodies + b;
        const AfxiMjcfBody *parent = m->bodies + body->parent;
        bool own = body->first_joint != AFXI_MJCF_NONE || body->mocap;
        body->group = own ? b : parent->group;
        body->in_group = own ? afx_pose_identity() : afx_pose_compose(parent->in_group, body->pose);
        AfxMass *sum = &m->bodies[body->group].sum;
        *sum = afxi_mass_add(*sum, afxi_mass_transform(body->mass, body->in_group));
        body->subtree = afxi_mass_transform(body->mass, body->world);
    }
    for (uint32_t b = m->body_count; b-- > 1;) {
        const AfxiMjcfBody *body = m->bodies + b;
        m->bodies[body->parent].subtree = afxi_mass_add(m->bodies[body->parent].subtree, body->subtree);
        if (body->group == b && !body->mocap && !(body->sum.mass > 0)) {
            return afxi_xml_error(m->load, body->node, NULL,
                                  "it can move, but neither it nor what is fixed to it has mass",
                                  "give it a geom or an inertial, or set boundmass and boundinertia");
        }
    }
    return true;
}

/** Rotary inertia of a subtree about an axis. */
static double about_axis(const AfxMass *mass, AfxVec3 point, AfxVec3 axis) {
    AfxVec3 arm = vec3_sub(mass->center, point), across = vec3_cross(arm, axis);
    const double *i = mass->inertia;
    AfxVec3 turned = vec3(i[0] * axis.x + i[3] * axis.y + i[4] * axis.z, i[3] * axis.x + i[1] * axis.y + i[5] * axis.z,
                          i[4] * axis.x + i[5] * axis.y + i[2] * axis.z);
    return vec3_dot(axis, turned) + mass->mass * vec3_dot(across, across);
}

static void weigh_joints(AfxiMjcf *m) {
    static const AfxVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (uint32_t k = 0; k < m->joint_count; k++) {
        AfxiMjcfJoint *joint = m->joints + k;
        const AfxiMjcfBody *body = m->bodies + joint->body;
        AfxVec3 point = afx_pose_apply(body->world, joint->point);
        if (joint->type == AFXI_MJCF_HINGE) {
            joint->inertia = about_axis(&body->subtree, point, afx_quat_rotate(body->world.rotation, joint->direction));
        } else if (joint->type == AFXI_MJCF_BALL) {
            for (int a = 0; a < 3; a++) {
                joint->inertia += about_axis(&body->subtree, point, axes[a]) / 3;
            }
        } else {
            joint->inertia = body->subtree.mass;
        }
        joint->inertia += joint->armature;
    }
}

bool afxi_mjcf_weigh_bodies(AfxiMjcf *m) {
    if (!afxi_mjcf_fit_geoms(m) || !weigh_own(m) || !group_bodies(m)) {
        return false;
    }
    weigh_joints(m);
    return afxi_mjcf_set_springs(m);
}
