/* SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"

#include <math.h>

#include "tests.h"

/* Before this step the sim is edited. */
#define EVENT 3u
#define STEPS_LEAST 6u
#define QUIET_LEAST 3u

Cell cells[FEATURE_COUNT][ENGINE_COUNT];

const char *const feature_name[] = {
#define FEATURE_NAME(feature, name) name,
    FEATURE_TABLE(FEATURE_NAME)
#undef FEATURE_NAME
};
const char *const engine_name[] = {
#define ENGINE_NAME(engine, name) name,
    ENGINE_TABLE(ENGINE_NAME)
#undef ENGINE_NAME
};

const char *integrator_name(AfxIntegrator integrator) {
    return integrator == AFX_BDF1    ? "BDF1"
           : integrator == AFX_BDF2  ? "BDF2"
           : integrator == AFX_ALPHA ? "generalised-alpha"
                                     : "SDIRK2";
}

bool cell_counts(Engine engine, Feature feature) {
    Verdict verdict = cells[feature][engine].verdict;
    return verdict != VERDICT_GOOD && verdict != VERDICT_REFUSED;
}

bool run_start(Engine engine, Feature feature, const RunOptions *options, Run *out_run, AfxError *out_error) {
    *out_run = (Run){.hold = {.body = UINT32_MAX}};
    memset(out_error, 0, sizeof *out_error);
    rig_make(engine, feature, &out_run->rig);
    AfxModelDef model_def = afx_default_model();
    model_def.solver = out_run->rig.solver;
    AfxSimDef def = afx_default_sim();
    def.integrator = options->integrator;
    def.accuracy = options->accuracy;
    def.dt = options->dt;
    def.rho = 0;
    def.solves = options->solves;
    def.lanes = options->lanes;
    def.threads = options->threads;
    def.error = out_error;
    AfxStatus status = afx_model_create_with(out_run->rig.scene, &model_def, &out_run->model, out_error);
    if (status == AFX_OK) {
        status = afx_sim_create(out_run->model, &def, &out_run->sim);
    }
    out_error->status = status;
    return status == AFX_OK;
}

static void take_hold(Run *run) {
    uint32_t body = run->rig.body[run->rig.picked].index;
    AfxPose pose;
    assert_ok(afx_sim_body_pose(run->sim, body, &pose));
    run->hold =
        (DenseHold){.body = body, .point = {0.03, 0.01, 0.02}, .target = pose.position, .stiffness = 500, .damping = 4};
    run->hold.target.z += 0.1;
    assert_ok(afx_sim_hold(run->sim, body, run->hold.point, run->hold.target, run->hold.stiffness, run->hold.damping));
}

static void scale(AfxSim *sim, AfxParamKind kind, uint32_t index, uint32_t size, double factor, double more) {
    double values[AFX_PARAM_SIZE_MOST];
    assert_ok(afx_sim_param(sim, kind, index, values));
    for (uint32_t k = 0; k < size; k++) {
        values[k] = factor * values[k] + more;
    }
    assert_ok(afx_sim_set_param(sim, kind, index, values));
}

static void change_parameters(Run *run) {
    uint32_t body = run->rig.body[run->rig.picked].index, other = run->rig.body[0].index;
    scale(run->sim, AFX_PARAM_BODY_MASS, body, 1, 3, 0);
    scale(run->sim, AFX_PARAM_BODY_SECOND_MOMENTS, body, 3, 2, 0);
    scale(run->sim, AFX_PARAM_BODY_YOUNG, other, 1, 0.1, 0);
    scale(run->sim, AFX_PARAM_BODY_LINEAR_DAMPING, other, 1, 1, 2);
    scale(run->sim, AFX_PARAM_BODY_ANGULAR_DAMPING, body, 1, 1, 3);
    scale(run->sim, AFX_PARAM_GRAVITY, 0, 3, 0.5, 1);
}

AfxStatus run_step(Feature feature, Run *run) {
    if (feature == FEATURE_HOLD && run->step == 0) {
        take_hold(run);
    }
    if (feature == FEATURE_PARAMETER && run->step == EVENT) {
        change_parameters(run);
    }
    if (feature == FEATURE_SWITCHED && run->step == EVENT) {
        assert_ok(afx_sim_set_joint_active(run->sim, run->rig.driven[0].index, false));
    }
    run->step++;
    AfxStatus status = afx_step(run->sim, &run->report);
    bool turning = run->report.flags & AFX_STEP_TURNS_FAST;
    bool stir = run->report.flags & (AFX_STEP_RESTARTED | AFX_STEP_IMPACT | AFX_STEP_BROKEN) || turning != run->turning;
    run->turning = turning;
    run->quiet = stir ? 0 : run->quiet + 1;
    run->touching = run->report.contacts > 0 ? run->touching + 1 : 0;
    return status;
}

void run_end(Run *run) {
    afx_sim_destroy(run->sim);
    afx_model_destroy(run->model);
    afx_scene_destroy(run->rig.scene);
    *run = (Run){0};
}

static bool at_limit(const Run *run) {
    double x;
    assert_ok(afx_sim_joint_coordinate(run->sim, run->rig.driven[0].index, run->rig.axis[0], &x, NULL));
    return x < -0.004 + 1e-9 || x > 0.003 - 1e-9;
}

static bool any_off(const Run *run) {
    for (uint32_t k = 0; k < run->rig.joints; k++) {
        if (!afx_sim_joint_active(run->sim, run->rig.joint[k].index)) {
            return true;
        }
    }
    return false;
}

static bool all_slide(const AfxSim *sim) {
    for (uint32_t k = 0; k < afx_sim_contact_count(sim); k++) {
        AfxContact contact;
        assert_ok(afx_sim_contact(sim, k, &contact));
        if (contact.force > 0 && !contact.sliding) {
            return false;
        }
    }
    return true;
}

bool run_shows(Feature feature, const Run *run) {
    AfxIntegrator integrator = afx_sim_integrator(run->sim);
    if (feature == FEATURE_GRIP || feature == FEATURE_SLIDE) {
        /* The reference does not know springs of friction that were stretched before. */
        return run->touching == 1 && run->step >= QUIET_LEAST && all_slide(run->sim) == (feature == FEATURE_SLIDE);
    }
    if (feature == FEATURE_GROUND || feature == FEATURE_PAIR) {
        return run->touching > 0 && run->step >= QUIET_LEAST;
        /* after an impact BDF1 does two steps; the reference tells the acceleration of generalised-alpha from one of
         * its own */
    }
    if (run->step < STEPS_LEAST || run->quiet < (integrator == AFX_BDF1 ? 1 : QUIET_LEAST + 1)) {
        return false;
    }
    double rate, effort;
    switch (feature) {
    case FEATURE_LIMIT:
        return at_limit(run);
    case FEATURE_BROKEN:
        return any_off(run);
    case FEATURE_SLIP:
        assert_ok(afx_sim_joint_coordinate(run->sim, run->rig.driven[0].index, run->rig.axis[0], NULL, &rate));
        return fabs(rate) > 1e-5;
    case FEATURE_SATURATED:
        assert_ok(afx_sim_drive_effort(run->sim, 0, &effort));
        return fabs(effort) >= 0.3;
    default:
        return true;
    }
}

double run_distance_of(const AfxSim *a, const AfxSim *b, uint32_t body, uint32_t count) {
    uint32_t first = 12 * body, numbers = 12 * count;
    const double *x = afx_sim_coordinates(a) + first, *y = afx_sim_coordinates(b) + first;
    double far = 0;
    for (uint32_t k = 0; k < numbers; k++) {
        far = fmax(far, fabs(x[k] - y[k]));
    }
    bool same = memcmp(x, y, numbers * sizeof *x) == 0 &&
                memcmp(afx_sim_velocities(a) + first, afx_sim_velocities(b) + first, numbers * sizeof *x) == 0;
    return same ? 0 : fmax(far, 1e-300);
}

double run_distance(const AfxSim *a, const AfxSim *b) {
    return run_distance_of(a, b, 0, afx_model_body_count(afx_sim_model(a)));
}
