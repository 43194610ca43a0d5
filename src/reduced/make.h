/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace of the formulation. */
#ifndef AFXI_REDUCED_MAKE_H
#define AFXI_REDUCED_MAKE_H

#include "reduced/inner.h"

/** Tree, rows and memory for a work that has its world; on failure afxi_reduced_release frees what there is. */
AfxStatus afxi_reduced_make(AfxiReduced *work);
void afxi_reduced_release(AfxiReduced *work);

#endif
