/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace of barrier contact. */
#ifndef AFXI_BARRIER_MAKE_H
#define AFXI_BARRIER_MAKE_H

#include "barrier/inner.h"

/** Fills a work that has allocator, world and model; on failure what it has taken is left to afxi_barrier_release. */
AfxStatus afxi_barrier_make(AfxiBarrier *work);
void afxi_barrier_release(AfxiBarrier *work);
/** Makes bodies, blocks and rows those of components that are near (work->reached). */
void afxi_barrier_choose(AfxiBarrier *work);
/** Bytes of the state: slips of vertices and edges, stiffnesses of bodies. */
size_t afxi_barrier_state_size(const AfxModel *model);
/** Finds them in the state of the sim. */
void afxi_barrier_state(AfxiBarrier *work);

#endif
