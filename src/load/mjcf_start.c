/* SPDX-License-Identifier: Apache-2.0 */
/* Where the scene starts: as the file is drawn, unless limits of joints forbid that posture. The limits of a scene are
 * exact, and a start beyond them would be a blow. Then it starts at the first keyframe that the limits allow or,
 * without one, with each such joint at its nearest limit; that is told. A joint moves its body by q - ref about its
 * axis. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/mjcf.h"

/* Keyframes are written with few digits: they may be that far beyond a limit. */
#define SLACK 1e-3

static bool has_limit(const AfxiMjcf *m, const AfxiMjcfJoint *joint) {
    return joint->limited && m->on.limit && (joint->type == AFXI_MJCF_HINGE || joint->type == AFXI_MJCF_SLIDE);
}

static bool within(const AfxiMjcfJoint *joint, double q, double slack) {
    return q >= joint->lower - slack && q <= joint->upper + slack;
}

/** Numbers of a joint in a keyframe. */
static uint32_t size_of(const AfxiMjcfJoint *joint) {
    static const uint32_t sizes[] = {7, 4, 1, 1};
    return sizes[joint->type];
}

/** Reads a keyframe into the joints' start; *out_fits is false when it has other joints or violates limits. */
static bool try_key(AfxiMjcf *m, AfxiXmlNode *key, bool *out_fits) {
    const char *at = afxi_xml_text(key, "qpos");
    *out_fits = at != NULL;
    for (uint32_t k = 0; *out_fits && k < m->joint_count; k++) {
        AfxiMjcfJoint *joint = m->joints + k;
        for (uint32_t n = 0; n < size_of(joint) && *out_fits; n++) {
            *out_fits = afxi_xml_scan_number(&at, joint->start + n);
        }
        *out_fits = *out_fits && (!has_limit(m, joint) || within(joint, joint->start[0], SLACK));
        if (*out_fits && has_limit(m, joint)) {
            joint->start[0] = fmin(fmax(joint->start[0], joint->lower), joint->upper);
        }
    }
    double more;
    *out_fits = *out_fits && !afxi_xml_scan_number(&at, &more);
    return true;
}

static void start_as_drawn(AfxiMjcf *m) {
    for (uint32_t k = 0; k < m->joint_count; k++) {
        AfxiMjcfJoint *joint = m->joints + k;
        const double still[7] = {0, 0, 0, 1, 0, 0, 0};
        memcpy(joint->start, joint->type == AFXI_MJCF_BALL ? still + 3 : still,
               (joint->type == AFXI_MJCF_BALL ? 4 : 7) * sizeof(double));
        if (joint->type >= AFXI_MJCF_SLIDE) {
            joint->start[0] = joint->ref;
        }
    }
}

/** The first keyframe that fits, as the start; NULL and the posture that is drawn when there is none. */
static AfxiXmlNode *find_key(AfxiMjcf *m) {
    for (AfxiXmlNode *section = m->main->root->first; section; section = section->next) {
        AfxiXmlNode *key = afxi_xml_is(section, "keyframe") ? section->first : NULL;
        for (; key; key = key->next) {
            bool fits = false;
            if (afxi_xml_is(key, "key") && try_key(m, key, &fits) && fits) {
                return key;
            }
        }
    }
    start_as_drawn(m);
    return NULL;
}

AfxPose afxi_mjcf_moved(const AfxiMjcf *m, uint32_t body, uint32_t count) {
    AfxPose pose = m->bodies[body].pose;
    for (uint32_t k = m->bodies[body].first_joint; k != AFXI_MJCF_NONE && count-- > 0; k = m->joints[k].next) {
        const AfxiMjcfJoint *joint = m->joints + k;
        const double *q = joint->start;
        AfxPose motion = afx_pose_identity();
        if (joint->type == AFXI_MJCF_FREE) { /* of a child of the world */
            return m->drawn ? pose : (AfxPose){vec3_load(q), afxi_quat_normalized((AfxQuat){q[3], q[4], q[5], q[6]})};
        }
        if (joint->type == AFXI_MJCF_SLIDE) {
            motion.position = vec3_scale(q[0] - joint->ref, joint->direction);
        } else {
            motion.rotation = joint->type == AFXI_MJCF_BALL
                                  ? afxi_quat_normalized((AfxQuat){q[0], q[1], q[2], q[3]})
                                  : afx_quat_from_axis_angle(joint->direction, q[0] - joint->ref);
            motion.position = vec3_sub(joint->point, afx_quat_rotate(motion.rotation, joint->point));
        }
        pose = afx_pose_compose(pose, motion);
    }
    return pose;
}

void afxi_mjcf_place(AfxiMjcf *m) {
    for (uint32_t b = 1; b < m->body_count; b++) {
        AfxiMjcfBody *body = m->bodies + b;
        body->start = afx_pose_compose(m->bodies[body->parent].start, afxi_mjcf_moved(m, b, 6));
    }
}

bool afxi_mjcf_find_start(AfxiMjcf *m) {
    uint32_t bad = AFXI_MJCF_NONE;
    start_as_drawn(m);
    for (uint32_t k = 0; k < m->joint_count && bad == AFXI_MJCF_NONE; k++) {
        bad = has_limit(m, m->joints + k) && !within(m->joints + k, m->joints[k].ref, 1e-9) ? k : bad;
    }
    AfxiXmlNode *key = bad == AFXI_MJCF_NONE ? NULL : find_key(m);
    m->drawn = key == NULL;
    m->start_key = key;
    for (uint32_t k = 0; !key && k < m->joint_count; k++) {
        AfxiMjcfJoint *joint = m->joints + k;
        if (has_limit(m, joint)) {
            joint->start[0] = fmin(fmax(joint->start[0], joint->lower), joint->upper);
        }
    }
    afxi_mjcf_place(m);
    if (bad == AFXI_MJCF_NONE) {
        return true;
    }
    char text[160];
    const char *name = key ? afxi_xml_text(key, "name") : NULL;
    snprintf(text, sizeof text, "its limit forbids the posture that is drawn: the scene starts %s%.40s",
             key ? "at keyframe " : "with such joints at their limits", key ? (name ? name : "0") : "");
    return afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, m->joints[bad].node, NULL, text);
}
