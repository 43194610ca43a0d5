/* SPDX-License-Identifier: Apache-2.0 */
/* What has no derivative here, each by name. */
#include "grad/refuse.h"

#include "base/status.h"
#include "joint/law.h"
#include "model/params.h"
#include "step/sim.h"

/* What a control does that is not its value alone; NULL: nothing without a derivative. */
static const char *follows(const AfxiControl *control) {
    return control->muscle.force > 0             ? "forces of muscles follow lengths, which is not differentiated"
           : control->adhesion != UINT32_MAX     ? "adhesion follows contacts, which is not differentiated"
           : control->damping != 0               ? "it leads a damping, which is not differentiated"
           : control->safety.brake != UINT32_MAX ? "a safety follows positions and rates, which is not differentiated"
                                                 : NULL;
}

AfxStatus afxi_grad_refuse(const AfxSim *sim, AfxError *error) {
    const AfxModel *model = sim->model;
    if (!sim_can(sim, AFXI_FORMULATION_VERIFIED)) {
        return afxi_error(error, AFX_E_INPUT, "integrator",
                          "there are no derivatives of this integrator or formulation",
                          "take bdf2, bdf1, alpha or sdirk2");
    }
    if (sim->def.accuracy != AFX_CONVERGED || sim->def.solves) {
        return afxi_error(error, AFX_E_INPUT, "accuracy", "derivatives are those of converged steps",
                          "make the sim with AFX_CONVERGED (--accuracy converged)");
    }
    if (sim->watch) {
        return afxi_error(error, AFX_E_INPUT, "sim", "its steps are recorded already", "end that recording first");
    }
    if (sim->def.sleep_speed > 0) {
        return afxi_error(error, AFX_E_INPUT, "sleep", "falling asleep has no derivative", "leave sleep_speed 0");
    }
    if (model->robot.path_count) {
        return afxi_error(error, AFX_E_INPUT, "tendon", "lever arms of paths are not differentiated",
                          "take a coupling with constant factors");
    }
    for (uint32_t k = 0; k < model->robot.control_count; k++) {
        const char *reason = follows(&model->robot.control[k]);
        if (reason) {
            return afxi_error_at(error, AFX_E_INPUT, reason, "take a motor or a servo instead", "control %u",
                                 (unsigned)k);
        }
    }
    for (uint32_t k = 0; k < model->drive_count; k++) {
        const double *numbers = afxi_param_const(model, sim->world.params, AFX_PARAM_DRIVE, k);
        if (numbers[AFXI_DRIVE_COEFFICIENT] * numbers[AFXI_DRIVE_RADIUS] != 0) {
            return afxi_error_at(error, AFX_E_INPUT, "friction that follows reactions is not differentiated",
                                 "give it a constant torque instead of a coefficient", "drive %u", (unsigned)k);
        }
    }
    return AFX_OK;
}

AfxStatus afxi_grad_refuse_step(const AfxiGradRecord *record, uint32_t flags, AfxError *error) {
    if (record->touching != UINT32_MAX) {
        return afxi_error_at(error, AFX_E_INPUT, record->reason,
                             "switch contact off, or end the objective before bodies touch", "contact of body %u",
                             (unsigned)record->touching);
    }
    if (record->jumped) {
        return afxi_error(error, AFX_E_INPUT, "impact", record->jumped,
                          "end the objective before it, or take restitution or the limit away");
    }
    if (record->sim->settled) {
        return afxi_error(error, AFX_E_INPUT, "posture",
                          "the posture that was set lay beyond limits or opened loops, and was put right: that is not "
                          "differentiated",
                          "make a step before recording begins, or set a posture that constraints allow");
    }
    if (record->sim->changed_method) {
        return afxi_error(error, AFX_E_INPUT, "integrator",
                          "bodies began or ceased to turn too far in a step for generalised-alpha: a change of methods "
                          "is not differentiated",
                          "take bdf2, or a smaller dt");
    }
    if (flags & AFX_STEP_BROKEN) {
        return afxi_error(error, AFX_E_INPUT, "joint", "a joint broke: that is not differentiated",
                          "end the objective before it, or set its breaking load to 0");
    }
    return AFX_OK;
}
