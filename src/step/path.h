/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths of paths, and how joints change them. */
#ifndef AFXI_STEP_PATH_H
#define AFXI_STEP_PATH_H

#include "step/sim.h"

/** Parameters of its own for the couplings that have a path, and room to work them out. */
AfxStatus afxi_paths_create(AfxSim *sim);
void afxi_paths_destroy(AfxSim *sim);
/** Factors and constants of couplings with a path, as the bodies are now. */
void afxi_paths_follow(AfxSim *sim);

#endif
