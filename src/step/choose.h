/* SPDX-License-Identifier: Apache-2.0 */
/* AFX_CHOOSE: joint coordinates where they can do all of a model and are cheaper, else affine bodies. */
#ifndef AFXI_STEP_CHOOSE_H
#define AFXI_STEP_CHOOSE_H

#include "step/sim.h"

/** As afx_sim_create, of a valid definition whose formulation is AFX_CHOOSE and whose integrator is not of joint
 * coordinates alone. */
AfxStatus afxi_sim_choose(const AfxModel *model, const AfxSimDef *def, AfxSim **out_sim);

#endif
