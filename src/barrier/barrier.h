/* SPDX-License-Identifier: Apache-2.0 */
/* Contact without intersections: barriers in place of compliant points, joints exact as ever. All of a step is solved
 * here, bodies that nothing is near included, so that it is an entry of the table of formulations; which one a sim has
 * is chosen by AfxSimDef.contact_model. */
#ifndef AFXI_BARRIER_BARRIER_H
#define AFXI_BARRIER_BARRIER_H

#include "formulation/formulation.h"

extern const AfxiFormulationKind afxi_formulation_barrier;

#endif
