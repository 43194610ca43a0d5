/* SPDX-License-Identifier: Apache-2.0 */
/* Integrators as weights. Each stage is q'' = (q - qhat)/h² and v = (q - qv)/hv with qhat, qv linear in the arrays
 * (q, v, x2, x3); nothing else in the step knows which method runs.
 *
 * BDF1:  h = dt; qhat = q + h v; qv = q.
 * BDF2:  h = 2dt/3; p(.) = (4 (.)_n - (.)_{n-1})/3; qhat = p(q) + h p(v); qv = p(q).
 * Generalised-α (Chung & Hulbert; Arnold & Bruels' form with a and q'' apart):
 *        am = (2r-1)/(r+1), af = r/(r+1), g = 1/2 - am + af, b = (g + 1/2)²/4,
 *        q_{n+1} = q + dt v + dt² ((1/2 - b) a_n + b a_{n+1}),  v_{n+1} = v + dt ((1-g) a_n + g a_{n+1}),
 *        (1-am) a_{n+1} + am a_n = (1-af) q''_{n+1} + af q''_n.
 * SDIRK2: stiffly accurate, diagonal 1 - 1/sqrt 2, a21 = b1 = 1/sqrt 2. */
#include <math.h>

#include "state/integrator.h"

#include "state/tuning.h"

uint32_t afxi_integrator_stages(AfxIntegrator integrator) {
    return integrator == AFX_SDIRK2 ? 2 : 1;
}

bool afxi_integrator_has_history(AfxIntegrator integrator) {
    return integrator == AFX_BDF2 || integrator == AFX_ALPHA;
}

double afxi_alpha_turn_most(double rho) {
    return fmin(AFXI_ALPHA_TURN_MOST, fmax(AFXI_ALPHA_TURN_LEAST, AFXI_ALPHA_TURN_DAMPED * (1 - rho)));
}

static AfxiStagePlan plan_bdf1(double dt) {
    return (AfxiStagePlan){
        .weights = {.qhat = {1, dt, 0, 0}, .qv = {1, 0, 0, 0}, .drift = {0, 0, 1}, .scale = {dt * dt, dt}},
        .mode = AFXI_FREE_ONE_STEP,
        .fraction = 1,
    };
}

static AfxiStagePlan plan_bdf2(double dt) {
    double h = 2 * dt / 3;
    return (AfxiStagePlan){
        .weights = {.qhat = {4.0 / 3, 4 * h / 3, -1.0 / 3, -h / 3},
                    .qv = {4.0 / 3, 0, -1.0 / 3, 0},
                    .drift = {0, 0, 1},
                    .scale = {h * h, h}},
        .mode = AFXI_FREE_MULTISTEP,
        .phase = AFXI_PHASE_TWO_STEP,
        .has_gaps = true,
        .fraction = 1,
    };
}

static AfxiStagePlan plan_alpha(double rho, double dt) {
    double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1);
    double g = 0.5 - am + af, b = 0.25 * (g + 0.5) * (g + 0.5), h2 = dt * dt;
    double hv = dt * b / g;
    return (AfxiStagePlan){
        .weights = {.qhat = {1, dt, h2 * ((0.5 - b) - b * am / (1 - am)), h2 * b * af / (1 - am)},
                    .qv = {1, dt - hv, h2 * (0.5 - b) - hv * dt * (1 - g), 0},
                    .a = {dt, h2 * (0.5 - b), 1 / (h2 * b)},
                    .scale = {h2 * b * (1 - af) / (1 - am), hv}},
        .mode = AFXI_FREE_ALPHA,
        .fraction = 1,
    };
}

/* One generalised-α step with a = q'' (both in x2), leaving the history that BDF2 goes on with. */
static AfxiStagePlan plan_bdf2_start(double dt) {
    AfxiStagePlan plan = plan_alpha(AFXI_START_RHO, dt);
    plan.weights.qhat[2] += plan.weights.qhat[3];
    plan.weights.qhat[3] = 0;
    plan.mode = AFXI_FREE_MULTISTEP;
    plan.phase = AFXI_PHASE_START;
    plan.has_gaps = true;
    return plan;
}

static AfxiStagePlan plan_sdirk2(double dt, uint32_t stage) {
    double b1 = sqrt(0.5) * dt, h = dt - b1;
    if (stage == 0) {
        return (AfxiStagePlan){
            .weights = {.qhat = {1, h, 0, 0}, .qv = {1, 0, 0, 0}, .drift = {0, 0, 1}, .scale = {h * h, h}},
            .mode = AFXI_FREE_ONE_STEP,
            .fraction = 1 - sqrt(0.5),
        };
    }
    /* q, v are the first stage now; x2, x3 the start of the step; v' of the first stage is (v - x3)/h */
    return (AfxiStagePlan){
        .weights = {.qhat = {0, 2 * b1, 1, h - b1}, .qv = {0, b1, 1, 0}, .drift = {0, 0, 1}, .scale = {h * h, h}},
        .mode = AFXI_FREE_STAGE,
        .fraction = 1,
    };
}

static AfxiStagePlan plan_method(AfxIntegrator integrator, double rho, double dt, uint32_t stage, bool starting) {
    switch (integrator) {
    case AFX_BDF1:
        return plan_bdf1(dt);
    case AFX_ALPHA:
        return plan_alpha(rho, dt);
    case AFX_SDIRK2:
        return plan_sdirk2(dt, stage);
    case AFX_BDF2:
    default:
        return starting ? plan_bdf2_start(dt) : plan_bdf2(dt);
    }
}

AfxiStagePlan afxi_integrator_plan(AfxIntegrator integrator, double rho, double dt, uint32_t stage, bool starting) {
    AfxiStagePlan plan = plan_method(integrator, rho, dt, stage, starting);
    plan.predict = (stage ? 1 - plan_method(integrator, rho, dt, stage - 1, starting).fraction : plan.fraction) * dt;
    plan.weights.per_h_squared = 1 / plan.weights.scale.h_squared;
    plan.weights.per_h_rate = 1 / plan.weights.scale.h_rate;
    for (int k = 0; k < 2; k++) {
        plan.weights.drift[k] = (plan.weights.qhat[2 + k] - plan.weights.qv[2 + k]) * plan.weights.per_h_rate;
    }
    return plan;
}

AfxiStagePlan afxi_integrator_plan_reduced(AfxIntegrator integrator, double dt, uint32_t stage) {
    AfxiStagePlan plan = afxi_integrator_plan(AFX_BDF1, 0, dt, 0, true);
    plan.has_gaps = integrator == AFX_BDF2;               /* none: its velocities are differences over one step */
    if (stage + 1 < afxi_integrator_stages(integrator)) { /* only to see what is struck there */
        return afxi_integrator_plan(integrator, 0, dt, stage, true);
    }
    if (stage) { /* x2, x3 are the start of the step */
        plan.mode = AFXI_FREE_STAGE;
        plan.weights.qhat[0] = plan.weights.qhat[1] = plan.weights.qv[0] = 0;
        plan.weights.qhat[2] = plan.weights.qv[2] = plan.weights.drift[1] = 1;
        plan.weights.qhat[3] = dt;
    }
    if (integrator == AFX_ALPHA) { /* a = q'' = (v_1 - v_0) / dt */
        plan.mode = AFXI_FREE_ALPHA;
        plan.weights.a[0] = dt;
        plan.weights.a[2] = plan.weights.per_h_squared;
    }
    return plan;
}
