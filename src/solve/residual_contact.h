/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts and holds. */
#ifndef AFXI_SOLVE_RESIDUAL_CONTACT_H
#define AFXI_SOLVE_RESIDUAL_CONTACT_H

#include "solve/residual_inner.h"

/** Forces of holds and of contacts. */
void afxi_residual_holds(const AfxiResidualStage *stage, AfxiResidualBody *body);
void afxi_residual_contacts(const AfxiResidualStage *stage, AfxiResidualBody *body);
/** Whether contacts were solved with the forces of their laws. */
void afxi_residual_contact_laws(const AfxiResidualStage *stage, const AfxiResidualBody *body, AfxResidual *out);

#endif
