/* SPDX-License-Identifier: Apache-2.0 */
/* Contact without intersections: barriers in place of compliant points, joints exact as ever. Only what comes near
 * something is solved here (step.h); what nothing is near goes by the engines that all sims have (step/handover.c).
 * These are members of AfxiFormulationKind; `data` is an AfxiBarrier. */
#ifndef AFXI_BARRIER_BARRIER_H
#define AFXI_BARRIER_BARRIER_H

#include "formulation/formulation.h"

AfxStatus afxi_barrier_refuse_def(const AfxModel *model, const AfxSimDef *def);
AfxStatus afxi_barrier_create(void *owner, AfxiWorld *world, void **out_work);
void afxi_barrier_destroy(void *data);
void afxi_barrier_refresh(void *data);
void afxi_barrier_reaction(const void *data, uint32_t joint, AfxWrench *out_reaction);
AfxStatus afxi_barrier_find_intersections(void *data, AfxOverlap *out, uint32_t capacity, uint32_t *out_count);
uint32_t afxi_barrier_contact_count(const void *data);
void afxi_barrier_contact(const void *data, uint32_t index, AfxContact *out);

#endif
