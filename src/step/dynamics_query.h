/* SPDX-License-Identifier: Apache-2.0 */
/* The trees that queries in joint coordinates are put to. */
#ifndef AFXI_STEP_DYNAMICS_QUERY_H
#define AFXI_STEP_DYNAMICS_QUERY_H

#include "step/sim.h"

/** Frees what such queries keep; NULL is allowed there. */
void afxi_dynamics_destroy(AfxSim *sim);

#endif
