/* SPDX-License-Identifier: Apache-2.0 */
/* Cameras of MJCF: on bodies or in the world, with where they look from at the start for pages. */
#include <math.h>
#include <string.h>

#include "load/mjcf.h"

#define DEGREE (3.14159265358979323846 / 180)
#define FOVY 45 /* degrees, of a camera that does not say */

static const char *const modes[] = {"fixed", "track", "trackcom", "targetbody", "targetbodycom", NULL};

bool afxi_mjcf_read_camera(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t body, AfxPose frame) {
    AfxPose pose = afx_pose_identity();
    void *array = m->cameras;
    bool good = afxi_mjcf_grow(m, &array, &m->camera_capacity, m->camera_count, sizeof *m->cameras, "cameras", node);
    m->cameras = array;
    if (!good || !afxi_mjcf_use_class(m, scope, node, AFXI_MJCF_CAMERAS) ||
        !afxi_mjcf_pose(m, scope->model, node, &pose)) {
        return false;
    }
    const char *name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    m->cameras[m->camera_count++] = (AfxiMjcfCamera){node, *scope, name, body, afx_pose_compose(frame, pose)};
    return name != NULL;
}

/** How far the camera looks, for pages: to the middle of what there is, or a metre. */
static double reach_of(const AfxiMjcf *m, AfxPose view) {
    AfxVec3 sum = {0, 0, 0};
    for (uint32_t b = 1; b < m->body_count; b++) {
        sum = vec3_add(sum, vec3_scale(1.0 / (m->body_count - 1), m->bodies[b].start.position));
    }
    AfxVec3 ahead = afx_quat_rotate(view.rotation, vec3(0, 0, -1));
    double reach = vec3_dot(vec3_sub(sum, view.position), ahead);
    return reach > 0.1 ? reach : 1;
}

static bool add_camera(AfxiMjcf *m, const AfxiMjcfCamera *own, AfxCamera *out) {
    double angle = FOVY;
    int mode = 0;
    const char *target = afxi_xml_text(own->node, "target");
    own->node->used = true;
    AfxPose frame = own->pose, view = afx_pose_compose(m->bodies[own->body].start, own->pose);
    AfxBodyId id = afxi_mjcf_end(m, own->body, &frame);
    if (!afxi_xml_number(m->load, own->node, "fovy", &angle) ||
        !afxi_xml_word(m->load, own->node, "mode", modes, &mode)) {
        return false;
    }
    uint32_t at = target ? afxi_mjcf_lookup(&own->scope, &m->body_names, target) : AFXI_MJCF_NONE;
    const char *follow = id.index == UINT32_MAX ? "" : afx_scene_body_name(m->load->scene, id);
    if (!(angle > 0.6 && angle < 171) || strlen(own->name) >= sizeof out->name ||
        strlen(follow) >= sizeof out->follow) {
        return afxi_xml_error(m->load, own->node, NULL,
                              "its name is too long, or its fovy not between 1 and 170 degrees",
                              "use a shorter name, or another angle");
    }
    *out = (AfxCamera){.position = view.position, .field_of_view = angle * DEGREE, .pose = frame};
    strcpy(out->name, own->name);
    strcpy(out->follow, follow);
    out->target = vec3_mad(view.position, reach_of(m, view), afx_quat_rotate(view.rotation, vec3(0, 0, -1)));
    out->carried = mode == 0 && (follow[0] || own->body == 0 || m->bodies[own->body].group == 0);
    if (mode > 2 && at != AFXI_MJCF_NONE) {
        out->target = m->bodies[at].start.position;
        return afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, own->node, "mode", "it looks where its target starts");
    }
    return true;
}

bool afxi_mjcf_add_cameras(AfxiMjcf *m) {
    AfxRunDef *run = m->load->def->run;
    for (uint32_t k = 0; run && k < m->camera_count; k++) {
        if (run->camera_count == AFX_RUN_CAMERAS) {
            return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, m->cameras[k].node, NULL,
                                   "there are sixteen cameras already");
        }
        if (!add_camera(m, &m->cameras[k], &run->cameras[run->camera_count])) {
            return false;
        }
        run->camera_count++;
    }
    return true;
}
