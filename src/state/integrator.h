/* SPDX-License-Identifier: Apache-2.0 */
/* Integrators as weights of their stages. */
#ifndef AFXI_STATE_INTEGRATOR_H
#define AFXI_STATE_INTEGRATOR_H

#include "affix/sim.h"
#include "body/free.h"

/** One solve of an integrator's step. */
typedef struct AfxiStagePlan {
    AfxiStageWeights weights;
    AfxiFreeMode mode;
    AfxiPhase phase; /* how it is fitted to bodies that turn, */
    bool has_gaps;   /* and whether the next step goes on with gaps (body/phase.h) */
    double fraction; /* of dt, where the stage ends */
    double predict;  /* s, from the state in q, v to the stage's end */
} AfxiStagePlan;

/** The plans of one method, by how a body goes on from the last step (AfxiPace). */
typedef struct AfxiPlanFamily {
    AfxiStagePlan even, restarted, reduced_order;
    AfxiStagePlan gentle; /* a restart of what is held: forces too stiff for accelerations */
} AfxiPlanFamily;

enum { AFXI_PLANS = 8 }; /* of both families */

/** The plans of one stage. */
typedef struct AfxiPlans {
    AfxiPlanFamily own,
        turning;     /* of the method, and of BDF2 where generalised-α has bodies that turn too far for it */
    double step;     /* s, of all stages together */
    bool restarting; /* no body has history */
} AfxiPlans;

/** Number of stages of a step. */
uint32_t afxi_integrator_stages(AfxIntegrator integrator);
/** Whether the method needs accelerations or history at its start. */
bool afxi_integrator_has_history(AfxIntegrator integrator);
/** rad a step from which on bodies turn too far for generalised-α: their components go by BDF2, which is fitted to
 * turning. */
double afxi_alpha_turn_most(double rho);
/** Stage `stage` of a step; `starting` when there is no history yet. */
AfxiStagePlan afxi_integrator_plan(AfxIntegrator integrator, double rho, double dt, uint32_t stage, bool starting);
/** Stage `stage` of a step at reduced order: BDF1 over the whole step, which needs no history or accelerations and
 * leaves what the method goes on with. Of few steps, its first order costs nothing. Of a step in stages, the last one
 * does it, from where the step began (x2, x3): bodies wait there until then. */
AfxiStagePlan afxi_integrator_plan_reduced(AfxIntegrator integrator, double dt, uint32_t stage);

#endif
