/* SPDX-License-Identifier: Apache-2.0 */
/* What moves, and by what. */
#include "reduced/member.h"

bool afxi_reduced_moves(const AfxModel *model, uint32_t body) {
    return body != AFXI_WORLD && model->kind[body] == AFX_BODY_DYNAMIC;
}

uint32_t afxi_reduced_mover(const AfxModel *model, uint32_t joint) {
    const AfxiJoint *source = &model->joints[joint];
    return afxi_reduced_moves(model, source->follower) ? source->follower : source->base;
}

uint32_t afxi_reduced_coupled_joint(const AfxModel *model, uint32_t coupling) {
    const AfxiCoupling *source = &model->couplings[coupling];
    for (uint32_t t = 0; t < source->term_count; t++) {
        if (afxi_reduced_moves(model, afxi_reduced_mover(model, source->joint[t]))) {
            return source->joint[t];
        }
    }
    return source->joint[0];
}
