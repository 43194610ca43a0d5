/* SPDX-License-Identifier: Apache-2.0 */
/* What the library asks of a model: frames, extents, links of chains. */
#include "model/model.h"

#include <math.h>

#include "math/vec3.h"
#include "model/tuning.h"

const AfxiFrame *afxi_model_frame(const AfxModel *model, uint32_t body) {
    return (const AfxiFrame *)model->frames.items + model->frame_of[body];
}

void afxi_principal_pose(const AfxModel *model, uint32_t body, AfxPose pose, AfxVec3 *out_point, AfxiMat3 *out_axes) {
    AfxiMat3 axes = mat3_from_quat(pose.rotation);
    if (body == AFXI_WORLD) {
        *out_point = pose.position;
        *out_axes = axes;
        return;
    }
    const AfxiFrame *frame = afxi_model_frame(model, body);
    *out_point = mat3_apply_transposed(&frame->axes, vec3_sub(pose.position, frame->center));
    *out_axes = mat3_multiply_tn(&frame->axes, &axes);
}

bool afxi_model_in_chain(const AfxModel *model, uint32_t body) {
    return model->chains.chain_count && model->in_chain[body];
}

double afxi_model_measure(const AfxModel *model, const uint32_t *bodies, uint32_t count) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, reach = 0, far = 0;
    uint32_t class_before = UINT32_MAX;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t body = bodies ? bodies[k] : k;
        const AfxiBodyClass *class = (const AfxiBodyClass *)model->classes.intern.items + model->classes.of[body];
        if (model->classes.of[body] != class_before) {
            reach = sqrt(3 * (class->s[0] + class->s[1] + class->s[2]) / class->mass);
            class_before = model->classes.of[body];
        }
        AfxVec3 own = afxi_model_frame(model, body)->center;
        bool centred = own.x == 0 && own.y == 0 && own.z == 0;
        double center[3];
        vec3_store(center, centred ? model->start_pose[body].position : afx_pose_apply(model->start_pose[body], own));
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = center[axis] - reach < low[axis] ? center[axis] - reach : low[axis];
            high[axis] = center[axis] + reach > high[axis] ? center[axis] + reach : high[axis];
            far = fmax(far, fabs(center[axis]));
        }
    }
    double size = count ? sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2)) : 0;
    size = bodies ? fmax(size, AFXI_SIZE_FAR * far) : size;
    return size > 0 ? size : 1;
}

const AfxiGraphPart *afxi_model_part(const AfxModel *model, uint32_t body) {
    const AfxiGraph *graph = &model->graph[model->graph_of[body]];
    uint32_t low = 0, high = graph->part_count;
    while (low + 1 < high) { /* by its first body */
        uint32_t middle = low + (high - low) / 2;
        *(graph->part[middle].first_body <= model->local[body] ? &low : &high) = middle;
    }
    return &graph->part[low];
}

double afxi_model_extent(const AfxModel *model, uint32_t body) {
    if (model->graph_of[body] != UINT32_MAX) {
        return afxi_model_part(model, body)->size;
    }
    const AfxiChains *chains = &model->chains;
    return afxi_model_in_chain(model, body) ? chains->chain[chains->chain_of[chains->link_of[body]]].size
                                            : afxi_model_measure(model, &body, 1);
}
