/* SPDX-License-Identifier: Apache-2.0 */
/* The joints of a body, composed (mjcf_compose.c), as a joint of the scene. Where they cannot be composed they are
 * joints of their own, with bodies of hardly any mass between them: that is told. A single hinge or slide reads its
 * coordinate as the file does, `ref` included: the base's frame is moved back by it. Other joints start at zero. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/mjcf.h"

/* Mass and inertia of a body between joints, as a part of the body that they move. */
#define LIGHT 1e-6
#define QUARTER 1.5707963267948966

/** Two sides of a joint: bodies of the scene, and where the frame of the moved body is in them at the start. */
typedef struct Ends {
    AfxBodyId base, follower;
    AfxPose in_base, in_follower;
} Ends;

/** The names of the joints with + between them; NULL after an error, "" for none. */
static const char *joined_name(AfxiMjcf *m, const AfxiMjcfJoint *const joints[], uint32_t count) {
    size_t size = 1;
    for (uint32_t k = 0; k < count; k++) {
        size += strlen(joints[k]->name) + 1;
    }
    char *name = afxi_xml_take(m->load, &m->arena, size);
    for (uint32_t k = 0; name && k < count; k++) {
        size_t used = strlen(name);
        if (joints[k]->name[0]) {
            snprintf(name + used, size - used, "%s%s", used ? "+" : "", joints[k]->name);
        }
    }
    return name && strlen(name) > AFXI_NAME_MAX ? joints[0]->name : name;
}

static bool hold_axes(AfxiMjcf *m, const AfxiMjcfPlan *plan, AfxJointId id, const AfxiMjcfJoint *joint,
                      const char *name) {
    for (uint32_t axis = 0; axis < 6; axis++) {
        AfxDriveDef drive = afx_default_drive(AFX_DRIVE_POSITION);
        char what[16];
        drive.joint = id;
        drive.axis = axis;
        snprintf(what, sizeof what, "hold %u", axis);
        if ((plan->held >> axis & 1u) && !afxi_mjcf_add_drive(m, joint->node, &drive, name, what)) {
            return false;
        }
    }
    return true;
}

/** Cardan angles: the second is between -1/4 and 1/4 turn. */
static bool check_middle(AfxiMjcf *m, const AfxiMjcfPlan *plan, AfxiMjcfJoint *const joints[], uint32_t count) {
    bool three = plan->kind == AFX_JOINT_SPHERICAL || plan->kind == AFX_JOINT_SLOT || plan->kind == AFX_JOINT_FREE;
    uint32_t turns = 0;
    for (uint32_t n = 0; three && n < count; n++) {
        AfxiMjcfJoint *joint = joints[plan->reversed ? count - 1 - n : n];
        if (joint->type != AFXI_MJCF_HINGE || ++turns != 2) {
            continue;
        }
        double low = joint->lower - joint->ref, high = joint->upper - joint->ref;
        if (!joint->limited || low <= -QUARTER || high >= QUARTER) {
            return afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, joint->node, NULL,
                                   "hinges that meet in a point turn as a ball: the middle one reads at most a quarter "
                                   "turn either way");
        }
    }
    return true;
}

static void set_maps(const AfxiMjcfPlan *plan, AfxiMjcfJoint *const joints[], uint32_t count, AfxJointId id) {
    for (uint32_t k = 0; k < count; k++) {
        joints[k]->made = true;
        joints[k]->id = id;
        joints[k]->axis = plan->axis[k];
        joints[k]->sign = plan->sign[k];
        joints[k]->offset = count == 1 ? 0 : joints[k]->ref;
    }
}

static bool add_planned(AfxiMjcf *m, const AfxiMjcfPlan *plan, AfxiMjcfJoint *const joints[], uint32_t count,
                        const Ends *ends) {
    AfxJointDef def = afx_default_joint(plan->kind);
    AfxPose in_parent = afx_pose_compose(ends->in_base, plan->frame);
    AfxPose in_body = afx_pose_compose(ends->in_follower, plan->frame);
    AfxJointId id;
    def.name = joined_name(m, (const AfxiMjcfJoint *const *)joints, count);
    def.contact = !m->on.filterparent;
    for (uint32_t k = 0; k < count; k++) {
        bool one = joints[k]->type == AFXI_MJCF_HINGE || joints[k]->type == AFXI_MJCF_SLIDE;
        def.armature[plan->axis[k]] = one ? joints[k]->armature : 0;
    }
    if (!def.name) {
        return false;
    }
    if (count == 1 && joints[0]->type == AFXI_MJCF_HINGE) {
        AfxPose back = {{0, 0, 0}, afx_quat_from_axis_angle(vec3(1, 0, 0), -joints[0]->ref)};
        in_parent = afx_pose_compose(in_parent, back);
    } else if (count == 1 && joints[0]->type == AFXI_MJCF_SLIDE) {
        in_parent = afx_pose_compose(in_parent, (AfxPose){{-joints[0]->ref, 0, 0}, {1, 0, 0, 0}});
    }
    def.base = plan->reversed ? ends->follower : ends->base;
    def.follower = plan->reversed ? ends->base : ends->follower;
    def.base_frame = plan->reversed ? in_body : in_parent;
    def.follower_frame = plan->reversed ? in_parent : in_body;
    if (afx_scene_add_joint(m->load->scene, &def, &id) != AFX_OK) {
        return afxi_mjcf_scene_error(m, joints[0]->node);
    }
    set_maps(plan, joints, count, id);
    return hold_axes(m, plan, id, joints[0], def.name) && check_middle(m, plan, joints, count);
}

/** A light body that the first `number` joints have moved. */
static bool add_part(AfxiMjcf *m, const AfxiMjcfBody *body, uint32_t number, AfxBodyId *out_id) {
    AfxBodyDef def = afx_default_body();
    char what[24];
    const double *i = body->sum.inertia;
    double mean = LIGHT * (i[0] + i[1] + i[2]) / 3;
    snprintf(what, sizeof what, "part %u", number);
    def.name = afxi_mjcf_helper_name(m, body->name, "body", (uint32_t)(body - m->bodies), what);
    def.pose =
        afx_pose_compose(m->bodies[body->parent].start, afxi_mjcf_moved(m, (uint32_t)(body - m->bodies), number));
    def.mass_source = AFX_MASS_GIVEN;
    def.young = INFINITY;
    def.mass = LIGHT * body->sum.mass;
    def.center = body->sum.center;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = mean;
    return def.name &&
           (afx_scene_add_body(m->load->scene, &def, out_id) == AFX_OK || afxi_mjcf_scene_error(m, body->node));
}

static bool add_chain(AfxiMjcf *m, const AfxiMjcfBody *body, AfxiMjcfJoint *const joints[], uint32_t count, Ends ends) {
    AfxBodyId last = ends.follower, first = ends.base;
    if (!afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, body->node, NULL,
                         "its joints have bodies of a millionth of its mass between them: their axes do not meet at "
                         "right angles")) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        AfxiMjcfPlan plan;
        const AfxiMjcfJoint *alone[1] = {joints[k]};
        ends.follower = last;
        if (k + 1 < count && !add_part(m, body, k + 1, &ends.follower)) {
            return false;
        }
        if (!afxi_mjcf_compose(alone, 1, &plan) || !add_planned(m, &plan, joints + k, 1, &ends)) {
            return false;
        }
        ends.base = ends.follower;
        ends.in_base = ends.in_follower = afx_pose_identity();
    }
    return !m->on.filterparent || first.index == UINT32_MAX ||
           afx_scene_exclude_contact(m->load->scene, first, last) == AFX_OK || afxi_mjcf_scene_error(m, body->node);
}

static bool add_body_joints(AfxiMjcf *m, uint32_t index) {
    const AfxiMjcfBody *body = m->bodies + index;
    AfxiMjcfJoint *joints[6] = {m->joints + body->first_joint};
    uint32_t count = 0;
    for (uint32_t k = body->first_joint; k != AFXI_MJCF_NONE && count < 6; k = m->joints[k].next) {
        joints[count++] = m->joints + k;
    }
    if (joints[0]->type != AFXI_MJCF_FREE) {
        Ends ends = {.follower = body->id, .in_base = body->pose, .in_follower = {.rotation = {1, 0, 0, 0}}};
        ends.base = afxi_mjcf_end(m, body->parent, &ends.in_base);
        AfxiMjcfPlan plan;
        bool good = afxi_mjcf_compose((const AfxiMjcfJoint *const *)joints, count, &plan)
                        ? add_planned(m, &plan, joints, count, &ends)
                        : add_chain(m, body, joints, count, ends);
        if (!good) {
            return false;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!afxi_mjcf_add_passive(m, joints[k])) {
            return false;
        }
    }
    return true;
}

bool afxi_mjcf_add_joints(AfxiMjcf *m) {
    for (uint32_t b = 1; b < m->body_count; b++) {
        if (m->bodies[b].first_joint != AFXI_MJCF_NONE && !add_body_joints(m, b)) {
            return false;
        }
    }
    return true;
}
