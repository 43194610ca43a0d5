/* SPDX-License-Identifier: Apache-2.0 */
/* Where coordinates, velocities and momenta of a step and of the one before stand in the numbers that a snapshot keeps
 * for the formulation. */
#include "reduced/inner.h"

AfxiReducedState afxi_reduced_state(const AfxiReduced *work) {
    double *own = (double *)work->world->state.own + work->state_at;
    size_t bodies = work->body_count;
    return (AfxiReducedState){.q = own,
                              .u = own + 7 * bodies,
                              .past_q = own + 13 * bodies,
                              .past_u = own + 20 * bodies,
                              .momentum = (AfxiSpatial *)(void *)(own + 26 * bodies),
                              .past_momentum = (AfxiSpatial *)(void *)(own + 32 * bodies),
                              .history = own + 38 * bodies,
                              .rate = {own + 38 * bodies + 2, own + 44 * bodies + 2},
                              .kept = own + 38 * bodies + 1};
}
