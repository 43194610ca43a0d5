/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace of the formulation. */
#ifndef AFXI_REDUCED_MAKE_H
#define AFXI_REDUCED_MAKE_H

#include "reduced/inner.h"

/** Tree, rows and memory for a work that has its world; on failure afxi_reduced_release frees what there is. */
AfxStatus afxi_reduced_make(AfxiReduced *work);
void afxi_reduced_release(AfxiReduced *work);
/** Lists what ties coordinates of the trees to each other by itself, drives left out: joints that close loops, as
 * `active` [joints] says, and exact couplings of joints that users see. Where `exact` is NULL it only counts. */
void afxi_reduced_list_closing(AfxiReduced *work, const uint8_t *active);

/** Which angles of the state follow from coordinates of the tree, with the present parameters. */
void afxi_reduced_list_angles(AfxiReduced *work);

#endif
