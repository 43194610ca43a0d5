/* SPDX-License-Identifier: Apache-2.0 */
/* The way from an iterate along its Newton step: constraints restored, free of intersections, downhill. */
#ifndef AFXI_BARRIER_SEARCH_H
#define AFXI_BARRIER_SEARCH_H

#include "barrier/inner.h"

/** Rotation parts of A at a place. */
void afxi_barrier_rotations(AfxiBarrier *work, AfxiBarrierPlace place);
/** Joins the bodies of each joint to islands. */
void afxi_barrier_islands(AfxiBarrier *work);
/** Energies of all bodies [slots] at AFXI_NOW (0) or AFXI_TRIED (1) into work->energy, of what lies between two told of
 * one of them; loads, friction and drives as at AFXI_NOW. */
void afxi_barrier_energies(AfxiBarrier *work, int end);
/** Finds the share of work->delta that each island may go and goes there: AFXI_NOW is the new iterate, the candidates
 * are those near it, work->share says by how much. AFX_E_MEMORY, AFX_E_LIMIT. */
AfxStatus afxi_barrier_search(AfxiBarrier *work, AfxiBarrierOutcome *out);

#endif
