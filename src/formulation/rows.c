/* SPDX-License-Identifier: Apache-2.0 */
/* Ball joints, hinges and fixed joints as components of differences of points. The second points are 1 m away. */
#include "formulation/inner.h"

/* Which point of the joint (0: its own, 1, 2: along its x, y axis) and which axis: of the world for point 0, else of
 * the base. The first three make a ball, five a hinge, six a fixed joint. */
static const uint8_t layout[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

uint32_t afxi_published_rows_of(AfxJointKind kind) {
    switch (kind) {
    case AFX_JOINT_SPHERICAL:
        return 3;
    case AFX_JOINT_REVOLUTE:
        return 5;
    case AFX_JOINT_FIXED:
        return 6;
    default:
        return 0;
    }
}

void afxi_published_rows(const AfxModel *model, const AfxiJoint *joint, AfxiPointRow *out) {
    const AfxiJointFrame *frame = (const AfxiJointFrame *)model->joint_frames.items + joint->frame;
    uint32_t count = afxi_published_rows_of((AfxJointKind)joint->kind);
    for (uint32_t k = 0; k < count; k++) {
        int point = layout[k][0], axis = layout[k][1];
        AfxiPointRow *row = &out[k];
        *row = (AfxiPointRow){.body = {joint->follower, joint->base},
                              .point = {frame->point_a, frame->point_b},
                              .direction = {axis == 0, axis == 1, axis == 2},
                              .turned = point > 0};
        if (point > 0) {
            row->point[0] = vec3_add(row->point[0], mat3_column(&frame->axes_a, point - 1));
            row->point[1] = vec3_add(row->point[1], mat3_column(&frame->axes_b, point - 1));
            row->direction = mat3_column(&frame->axes_b, axis);
        }
    }
}

static AfxVec3 place(uint32_t body, AfxVec3 point, const double *q) {
    if (body == AFXI_WORLD) {
        return point;
    }
    AfxiMat3 a = mat3_load(q + (size_t)AFXI_AFFINE_WIDTH * body);
    return vec3_add(mat3_apply(&a, point), vec3_load(q + (size_t)AFXI_AFFINE_WIDTH * body + 9));
}

double afxi_published_row_value(const AfxiPointRow *row, const double *q, AfxVec3 *out_direction) {
    AfxVec3 direction = row->direction;
    if (row->turned && row->body[1] != AFXI_WORLD) {
        AfxiMat3 a = mat3_load(q + (size_t)AFXI_AFFINE_WIDTH * row->body[1]);
        direction = mat3_apply(&a, direction);
        direction = vec3_scale(1 / vec3_length(direction), direction);
    }
    *out_direction = direction;
    return vec3_dot(direction, vec3_sub(place(row->body[0], row->point[0], q), place(row->body[1], row->point[1], q)));
}
