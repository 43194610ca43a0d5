/* SPDX-License-Identifier: Apache-2.0 */
/* Constraint rows of joints, drives, couplings and springs: lists, values, gradients, laws and energies. */
#ifndef AFXI_BARRIER_ROWS_H
#define AFXI_BARRIER_ROWS_H

#include "barrier/inner.h"

/** Counts blocks, rows, entries and gradients of all bodies. */
void afxi_barrier_rows_count(AfxiBarrier *work);
/** Fills the lists for the bodies that have slots, and counts what is in them. */
void afxi_barrier_rows_list(AfxiBarrier *work);
/** What a row measures at a place; gradients unless NULL go to out_gradient [sides][12], by body in out_body. How many
 * sides there are comes back. */
uint32_t afxi_barrier_measure(const AfxiBarrier *work, uint32_t row, AfxiBarrierPlace place, double *out_value,
                              uint32_t *out_body, double (*out_gradient)[AFXI_BARRIER_WIDTH]);
/** Values, laws and gradients of all rows at AFXI_NOW. */
void afxi_barrier_rows_linearise(AfxiBarrier *work);
/** What exact rows are off by at a place into out [rows]; others 0. The largest comes back. */
double afxi_barrier_rows_values(const AfxiBarrier *work, AfxiBarrierPlace place, double *out);
/** Adds the energies of compliant rows and of given multipliers at a place to those of the bodies. */
void afxi_barrier_rows_energy(const AfxiBarrier *work, AfxiBarrierPlace place, double *energy, double *size);
/** Puts drives on the branches that fit AFXI_NOW; how many changed comes back, and the islands of their bodies are
 * marked in `changed` [slots]. */
uint32_t afxi_barrier_rows_branches(AfxiBarrier *work, uint8_t *changed);

#endif
