/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of a state between steps: stated by AFXI_ASSERT, and asked of a snapshot before it becomes one. */
#ifndef AFXI_STATE_VALIDATE_H
#define AFXI_STATE_VALIDATE_H

#include "state/state.h"

/** What is wrong with a copy of the block of `state`, which may stand at any address, or NULL: numbers are finite,
 * flags and branches are ones that there are, kinematic bodies are rigid. The history is not looked at. */
const char *afxi_state_fault(const void *block, const AfxiState *state, const AfxModel *model);
/** Nothing is wrong with the state itself. */
void afxi_state_validate(const AfxiState *state, const AfxModel *model);

#endif
