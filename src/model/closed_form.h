/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks and bodies of the graph are worked on in closed form. */
#ifndef AFXI_MODEL_CLOSED_FORM_H
#define AFXI_MODEL_CLOSED_FORM_H

#include "model/model.h"

/** Marks what is worked on in closed form, before the plan of elimination is made. */
AfxStatus afxi_closed_form_create(const AfxModel *model, AfxiGraph *graph);

#endif
