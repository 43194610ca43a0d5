/* SPDX-License-Identifier: Apache-2.0 */
/* What a sim tells, as functions of its state, multipliers and parameters. */
#ifndef AFXI_GRAD_QUANTITY_H
#define AFXI_GRAD_QUANTITY_H

#include "affix/grad.h"
#include "grad/local.h"
#include "grad/terms.h"

/** Whether a model has such a quantity. */
bool afxi_grad_quantity_exists(const AfxModel *model, AfxQuantity quantity);
/** The quantity; local->entry is `told`. Derivatives by slots of the layout go to `out`, which may be NULL. */
double afxi_grad_quantity(AfxiGradLocal *local, AfxQuantity quantity, AfxiGradTerms *out);

#endif
