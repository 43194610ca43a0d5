/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace: components, rows, and the structure of their systems. */
#ifndef AFXI_CONSERVE_MAKE_H
#define AFXI_CONSERVE_MAKE_H

#include "conserve/inner.h"

/** Fills a work that has allocator, world and model; on failure what it has taken is left to afxi_conserve_release. */
AfxStatus afxi_conserve_make(AfxiConserve *work);
void afxi_conserve_release(AfxiConserve *work);

#endif
