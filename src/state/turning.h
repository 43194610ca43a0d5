/* SPDX-License-Identifier: Apache-2.0 */
/* Components that turn too far in a step for generalised-α, which makes energy there, go by BDF2, which is fitted to
 * turning (body/phase.h), until they turn slowly again. Their x2, x3 are then the q, v before the step. */
#ifndef AFXI_STATE_TURNING_H
#define AFXI_STATE_TURNING_H

#include "state/world.h"

/** Chooses the method of every component by how far its bodies would turn in a step: of all, or of those without
 * history only. `work` [bodies] is 0, and is left so. Whether a component with history changed its method comes back.
 */
bool afxi_turning_choose(AfxiWorld *world, bool fresh_only, uint8_t *work);
/** A body that goes by generalised-α joins an island that does not: its past is told from its accelerations. */
void afxi_turning_join(AfxiState *state, uint32_t body);
/** After a stage: the state before the step of bodies that go by BDF2 and are not absent [bodies] is kept where others
 * look for it. Whether there are such bodies comes back. */
bool afxi_turning_keep(AfxiWorld *world, const uint8_t *absent);

#endif
