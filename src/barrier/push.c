/* SPDX-License-Identifier: Apache-2.0 */
/* What forces and springs between points of bodies add to gradients and matrix. A point y of a body is A y + t; along n
 * its derivative by turn, shift and strain is g, a force f adds -f . g to the gradient, a spring k adds k g g^T. */
#include "barrier/push.h"

#include "barrier/body.h"
#include "barrier/system.h"

uint32_t afxi_barrier_slot(const AfxiBarrier *work, uint32_t a, uint32_t b) {
    return work->slot[a] != UINT32_MAX ? work->slot[a] : work->slot[b];
}

AfxVec3 afxi_barrier_point(const AfxiBarrier *work, AfxiBarrierPlace place, uint32_t body, AfxVec3 y) {
    const double *q = barrier_place(work, place, body);
    AfxiMat3 a = mat3_load(q);
    return vec3_add(mat3_apply(&a, y), vec3_load(q + 9));
}

AfxVec3 afxi_barrier_motion(const AfxiBarrier *work, uint32_t body, AfxVec3 y) {
    uint32_t slot = work->slot[body];
    AfxVec3 out = {0, 0, 0};
    if (slot == UINT32_MAX) {
        return out;
    }
    const AfxiBarrierBody *own = &work->bodies[slot];
    double *to[3] = {&out.x, &out.y, &out.z};
    for (int k = 0; k < 3; k++) {
        double g[AFXI_BARRIER_WIDTH];
        afxi_contact_gradient(work, body, y, vec3(k == 0, k == 1, k == 2), g);
        for (uint32_t c = 0; c < own->width; c++) {
            *to[k] += g[c] * work->delta[own->first + c];
        }
    }
    return out;
}

void afxi_contact_gradient(const AfxiBarrier *work, uint32_t body, AfxVec3 y, AfxVec3 n,
                           double out[AFXI_BARRIER_WIDTH]) {
    AfxiMat3 a = mat3_load(barrier_place(work, AFXI_NOW, body));
    AfxVec3 m = mat3_apply_transposed(&a, n);
    AfxiMat3 g = mat3_from_columns(vec3_scale(y.x, m), vec3_scale(y.y, m), vec3_scale(y.z, m));
    afxi_barrier_local(&g, n, out);
}

void afxi_barrier_force(AfxiBarrier *work, uint32_t body, AfxVec3 y, AfxVec3 f) {
    uint32_t slot = work->slot[body];
    if (slot == UINT32_MAX) {
        return;
    }
    AfxiMat3 a = mat3_load(barrier_place(work, AFXI_NOW, body));
    AfxVec3 m = mat3_apply_transposed(&a, f);
    double *g = work->turn_gradient + 9 * (size_t)slot, *shift = work->gradient + work->bodies[slot].first + 3;
    const double weight[3] = {y.x, y.y, y.z};
    for (int k = 0; k < 3; k++) {
        vec3_store(g + 3 * k, vec3_mad(vec3_load(g + 3 * k), -weight[k], m));
    }
    vec3_store(shift, vec3_sub(vec3_load(shift), f));
}

/* k g g^T to the block of a body; what is told to move by `told` along g goes to the right-hand side. */
static void stiffen(AfxiBarrier *work, uint32_t slot, const double *g, double k, double told) {
    const AfxiBarrierBody *own = &work->bodies[slot];
    double *h = work->hessian + (size_t)AFXI_BARRIER_WIDTH * AFXI_BARRIER_WIDTH * slot;
    for (uint32_t j = 0; j < own->width; j++) {
        double scaled = k * g[j];
        for (uint32_t i = 0; i < own->width; i++) {
            h[AFXI_BARRIER_WIDTH * j + i] += scaled * g[i];
        }
        work->delta[own->first + j] += k * told * g[j]; /* gathered there; added to the right-hand side */
    }
}

void afxi_barrier_stiffen(AfxiBarrier *work, uint32_t body, AfxVec3 y, AfxVec3 n, double k) {
    double g[AFXI_BARRIER_WIDTH];
    afxi_contact_gradient(work, body, y, n, g);
    stiffen(work, work->slot[body], g, k, 0);
}

void afxi_barrier_stiffness(AfxiBarrier *work, const uint32_t body[2], const AfxVec3 y[2], AfxVec3 n, double k,
                            double lead) {
    double g[2][AFXI_BARRIER_WIDTH], told = lead != 0 ? -lead / k : 0;
    for (int side = 0; side < 2; side++) {
        double sign = side ? -1 : 1;
        if (work->slot[body[side]] != UINT32_MAX) {
            afxi_contact_gradient(work, body[side], y[side], vec3_scale(sign, n), g[side]);
        } else if (!work->kinematic_now) {
            const double *q = work->kinematic + (size_t)AFXI_AFFINE_WIDTH * body[side];
            AfxiMat3 a = mat3_load(q);
            AfxVec3 end = vec3_add(mat3_apply(&a, y[side]), vec3_load(q + 9));
            told += sign * vec3_dot(n, vec3_sub(end, afxi_barrier_point(work, AFXI_NOW, body[side], y[side])));
        }
    }
    for (int side = 0; side < 2; side++) {
        if (work->slot[body[side]] != UINT32_MAX) {
            stiffen(work, work->slot[body[side]], g[side], k, told);
        }
    }
    if (work->slot[body[0]] != UINT32_MAX && work->slot[body[1]] != UINT32_MAX) {
        bool swapped = work->slot[body[0]] > work->slot[body[1]];
        double *block = afxi_barrier_pair_block(work, work->slot[body[0]], work->slot[body[1]]);
        const double *low = g[swapped], *high = g[!swapped];
        uint32_t columns = work->bodies[work->slot[body[swapped]]].width;
        uint32_t rows = work->bodies[work->slot[body[!swapped]]].width;
        for (uint32_t j = 0; block && j < columns; j++) {
            double scaled = k * low[j];
            for (uint32_t i = 0; i < rows; i++) {
                block[AFXI_BARRIER_WIDTH * j + i] += scaled * high[i];
            }
        }
    }
}
