/* SPDX-License-Identifier: Apache-2.0 */
/* Where pictures are taken from. */
#include <string.h>

#include "render/imager.h"
#include "render/tuning.h"

AfxVec3 afxi_scene_up(const AfxScene *scene) {
    AfxVec3 gravity = afx_scene_gravity(scene);
    double length = vec3_length(gravity);
    return length > 0 ? vec3_scale(-1 / length, gravity) : vec3(0, 0, 1);
}

static AfxVec3 unit_or(AfxVec3 v, AfxVec3 otherwise) {
    double length = vec3_length(v);
    return length > 0 && isfinite(length) ? vec3_scale(1 / length, v) : otherwise;
}

AfxView afx_view_look(AfxVec3 from, AfxVec3 to, AfxVec3 up, double field_of_view) {
    AfxVec3 back = unit_or(vec3_sub(from, to), vec3(0, 0, 1));
    AfxVec3 right = vec3_cross(unit_or(up, vec3(0, 0, 1)), back);
    if (vec3_length(right) < AFXI_UP_LEAST) { /* straight up or down: any direction serves */
        right = vec3_cross(fabs(back.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 1, 0), back);
    }
    right = unit_or(right, vec3(1, 0, 0));
    AfxiMat3 turn = mat3_from_columns(right, vec3_cross(back, right), back);
    return (AfxView){.pose = {.position = from, .rotation = afxi_quat_from_mat3(&turn)},
                     .field_of_view = field_of_view};
}

AfxStatus afx_camera_view(const AfxCamera *camera, const AfxScene *scene, const AfxSim *sim, AfxView *out_view) {
    if (!camera || !scene || !sim || !out_view) {
        return AFX_E_ARGUMENT;
    }
    AfxVec3 way = {0, 0, 0};
    AfxPose carrier = afx_pose_identity();
    if (camera->follow[0]) {
        AfxBodyId id;
        AfxBodyDef def;
        AfxPose pose;
        AfxStatus status = afx_scene_find_body(scene, camera->follow, &id);
        status = status == AFX_OK ? afx_scene_get_body(scene, id, &def) : status;
        status = status == AFX_OK ? afx_sim_body_pose(sim, id.index, &pose) : status;
        if (status != AFX_OK) {
            return status;
        }
        way = vec3_sub(pose.position, def.pose.position); /* where a camera stands is meant for the start */
        carrier = pose;
    }
    double angle = camera->field_of_view > 0 ? camera->field_of_view : AFXI_OVERVIEW_ANGLE;
    if (camera->carried) {
        *out_view = (AfxView){afx_pose_compose(carrier, camera->pose), angle};
        return AFX_OK;
    }
    *out_view =
        afx_view_look(vec3_add(camera->position, way), vec3_add(camera->target, way), afxi_scene_up(scene), angle);
    return AFX_OK;
}

AfxStatus afx_imager_overview(const AfxImager *imager, const AfxSim *sim, AfxView *out_view) {
    if (!imager || !sim || !out_view || afx_model_body_count(afx_sim_model(sim)) != imager->bodies) {
        return AFX_E_ARGUMENT;
    }
    AfxVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    bool any = false;
    for (uint32_t k = 0; k < imager->bodies; k++) {
        AfxPose pose;
        double r = imager->radii[k];
        if (r > 0 && afx_sim_body_pose(sim, k, &pose) == AFX_OK) {
            AfxVec3 p = pose.position;
            low = vec3(fmin(low.x, p.x - r), fmin(low.y, p.y - r), fmin(low.z, p.z - r));
            high = vec3(fmax(high.x, p.x + r), fmax(high.y, p.y + r), fmax(high.z, p.z + r));
            any = true;
        }
    }
    AfxVec3 middle = any ? vec3_scale(0.5, vec3_add(low, high)) : vec3(0, 0, 0);
    double radius = any ? vec3_length(vec3_sub(high, middle)) : 1;
    double away = AFXI_OVERVIEW_MARGIN * radius / sin(0.5 * AFXI_OVERVIEW_ANGLE);
    /* Obliquely: along up, and aside of it. */
    AfxVec3 up = imager->up, aside = fabs(up.z) > 0.5 ? vec3(0.45, -0.75, 0) : vec3(0.45, 0, 0.75);
    AfxVec3 from = vec3_mad(middle, away, unit_or(vec3_mad(aside, 0.48, up), up));
    *out_view = afx_view_look(from, middle, up, AFXI_OVERVIEW_ANGLE);
    return AFX_OK;
}
