/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of a state between steps, stated by AFXI_ASSERT. */
#ifndef AFXI_STATE_VALIDATE_H
#define AFXI_STATE_VALIDATE_H

#include "state/state.h"

/** Numbers are finite, flags and branches are ones that there are, kinematic bodies are rigid. */
void afxi_state_validate(const AfxiState *state, const AfxModel *model);

#endif
