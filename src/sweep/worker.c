/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"
#include "sweep/measure.h"

struct AfxiWorker {
    const AfxiStudy *study;
    AfxiMeasure measure;
    const AfxiBuilt *built;      /* what the sim was made from: the study's, or `own` */
    AfxiBuilt own;               /* of parameters of the case */
    AfxiCaseArguments arguments; /* of `own` */
    AfxSim *sim;                 /* NULL: none, or one that is not to be used again */
    void *start;                 /* [start_size] its first state */
    size_t start_size;
};

AfxStatus afxi_worker_create(const AfxiStudy *study, AfxiWorker **out_worker, AfxError *out_error) {
    AfxiWorker *worker = *out_worker = calloc(1, sizeof *worker);
    if (!worker) {
        return afxi_sweep_memory(out_error);
    }
    worker->study = study;
    AfxStatus status = afxi_measure_create(study, &worker->measure, out_error);
    if (status != AFX_OK) {
        afxi_worker_destroy(worker);
        *out_worker = NULL;
    }
    return status;
}

static void drop_sim(AfxiWorker *worker) {
    afx_sim_destroy(worker->sim);
    worker->sim = NULL;
}

void afxi_worker_destroy(AfxiWorker *worker) {
    if (worker) {
        drop_sim(worker);
        afxi_measure_destroy(&worker->measure);
        afxi_built_destroy(&worker->own);
        free(worker->start);
        free(worker);
    }
}

/* The scene for a point: the study's own while no parameter of the case varies. */
static AfxStatus choose_scene(AfxiWorker *worker, const double *point, AfxError *error) {
    const AfxiStudy *study = worker->study;
    if (!study->rebuilds) {
        if (!worker->built) {
            worker->built = &study->base;
            return afxi_measure_use(&worker->measure, worker->built, error);
        }
        return AFX_OK;
    }
    AfxiCaseArguments arguments;
    AfxStatus status = afxi_study_arguments(study, point, &arguments, error);
    if (status != AFX_OK) {
        return status;
    }
    if (worker->built && memcmp(arguments.values, worker->arguments.values, sizeof arguments.values) == 0) {
        return AFX_OK;
    }
    drop_sim(worker);
    worker->built = NULL;
    afxi_built_destroy(&worker->own);
    status = afxi_study_build(study, &arguments, &worker->own, error);
    status = status ? status : afxi_measure_use(&worker->measure, &worker->own, error);
    if (status == AFX_OK) {
        worker->arguments = arguments;
        worker->built = &worker->own;
    }
    return status;
}

static AfxStatus keep_start(AfxiWorker *worker, AfxError *error) {
    size_t size = afx_sim_snapshot_size(worker->sim);
    if (size > worker->start_size) {
        void *start = realloc(worker->start, size);
        if (!start) {
            return afxi_sweep_memory(error);
        }
        worker->start = start;
    }
    worker->start_size = size;
    return afx_sim_snapshot(worker->sim, worker->start, size);
}

/* A sim at its start with the parameters of the model. */
static AfxStatus reset_sim(AfxiWorker *worker, AfxError *error) {
    const AfxiStudy *study = worker->study;
    if (worker->sim) {
        AfxStatus status = afx_sim_restore(worker->sim, worker->start, worker->start_size);
        for (uint32_t k = 0; k < study->set_count + study->vary_count && status == AFX_OK; k++) {
            const AfxiVary *vary = k < study->set_count ? &study->set[k] : &study->vary[k - study->set_count];
            status = vary->parameter ? AFX_OK : afxi_param_reset(worker->sim, &worker->built->places[k]);
        }
        if (status == AFX_OK) {
            return AFX_OK;
        }
        drop_sim(worker);
    }
    AfxSimDef def = study->sim;
    def.error = error;
    AfxStatus status = afx_sim_create(worker->built->model, &def, &worker->sim);
    status = status ? status : keep_start(worker, error);
    if (status != AFX_OK) {
        drop_sim(worker);
    }
    return status;
}

static AfxStatus put_parameters(AfxiWorker *worker, const double *point, AfxError *error) {
    const AfxiStudy *study = worker->study;
    for (uint32_t k = 0; k < study->set_count + study->vary_count; k++) {
        bool set = k < study->set_count;
        const AfxiVary *vary = set ? &study->set[k] : &study->vary[k - study->set_count];
        double value = set ? vary->from : point[k - study->set_count];
        AfxStatus status = vary->parameter ? AFX_OK : afxi_param_put(worker->sim, &worker->built->places[k], value);
        if (status == AFX_E_ARGUMENT) {
            return afxi_sweep_error(error, AFX_E_INPUT, NULL, vary->name, "", "%.17g is not allowed", value);
        }
        if (status != AFX_OK) {
            return afxi_sweep_error(error, status, NULL, vary->name, "", "%s", afx_status_text(status));
        }
    }
    return AFX_OK;
}

static AfxStatus prepare(AfxiWorker *worker, const double *point, AfxError *error) {
    AfxStatus status = choose_scene(worker, point, error);
    status = status ? status : reset_sim(worker, error);
    return status ? status : put_parameters(worker, point, error);
}

static uint64_t hash_state(const AfxSim *sim) {
    size_t size = 12 * sizeof(double) * (size_t)afx_model_body_count(afx_sim_model(sim));
    uint64_t hash = afxi_sweep_hash(AFXI_SWEEP_HASH, afx_sim_coordinates(sim), size);
    return afxi_sweep_hash(hash, afx_sim_velocities(sim), size);
}

static void say_step(const AfxiWorker *worker, const AfxStepReport *report, AfxiResult *result) {
    char body[80] = "";
    if (report->body != UINT32_MAX) {
        const AfxScene *scene = worker->built->scene;
        const char *name = afx_scene_body_name(scene, afx_scene_body(scene, report->body));
        snprintf(body, sizeof body, name && name[0] ? ", body \"%.60s\"" : ", body %.0s%u", name ? name : "",
                 report->body);
    }
    snprintf(result->reason, sizeof result->reason,
             "step %" PRIu64 " from %.10g s on did not converge to a finite state%s", report->step, result->time, body);
}

static void take_steps(AfxiWorker *worker, AfxiResult *result) {
    AfxStepReport report = {.body = UINT32_MAX};
    AfxSim *sim = worker->sim;
    afxi_measure_begin(&worker->measure);
    result->status = worker->measure.probe ? afx_sim_start_reactions(sim) : AFX_OK;
    afxi_measure_state(&worker->measure, sim, NULL, 0);
    while (result->steps < worker->study->steps && result->status == AFX_OK) {
        result->status = afx_step(sim, &report);
        if (result->status == AFX_OK) {
            afxi_measure_state(&worker->measure, sim, &report, ++result->steps);
        }
    }
    result->time = afx_sim_time(sim);
    result->hash = hash_state(sim);
    if (result->status != AFX_OK) {
        say_step(worker, &report, result);
        drop_sim(worker); /* a failed step has touched the workspace: the next run begins anew */
    }
}

void afxi_worker_run(AfxiWorker *worker, const double *point, AfxiResult *out_result) {
    AfxError error = {0};
    *out_result = (AfxiResult){.values = worker->measure.values, .series = worker->measure.series};
    out_result->status = prepare(worker, point, &error);
    if (out_result->status == AFX_OK) {
        take_steps(worker, out_result);
    } else {
        afxi_measure_begin(&worker->measure);
        snprintf(out_result->reason, sizeof out_result->reason, "%.90s%s%.100s", error.element,
                 error.element[0] ? ": " : "", error.text);
    }
    afxi_measure_end(&worker->measure, out_result->status != AFX_OK);
}

AfxStatus afxi_worker_evaluate(AfxiWorker *worker, const double *point, double *out_values, uint64_t *out_hash,
                               AfxError *out_error) {
    AfxiResult result;
    afxi_worker_run(worker, point, &result);
    memcpy(out_values, result.values, worker->study->value_count * sizeof *out_values);
    *out_hash = result.hash;
    if (result.status != AFX_OK) {
        afxi_sweep_error(out_error, result.status, NULL, "run", "", "%s", result.reason);
    }
    return result.status;
}

#define REPLAY_RATE 60.0 /* frames for a simulated second, at most */

AfxStatus afxi_worker_replay(AfxiWorker *worker, const double *point, const char *path, const char *title,
                             AfxError *out_error) {
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_HTML);
    AfxOutput *output = NULL;
    AfxStepReport report;
    double every = 1 / (REPLAY_RATE * worker->study->sim.dt);
    def.path = path;
    def.title = title;
    def.every = every > 1 ? (uint64_t)every : 1;
    AfxStatus status = prepare(worker, point, out_error);
    status = status ? status : afx_sim_start_reactions(worker->sim);
    status = status ? status : afx_output_create(&def, worker->built->scene, worker->sim, &output, out_error);
    for (uint64_t k = 0; k < worker->study->steps && status == AFX_OK; k++) {
        if (afx_step(worker->sim, &report) != AFX_OK) {
            drop_sim(worker);
            break; /* what there is can be looked at */
        }
        status = afx_output_step(output, worker->sim, &report, out_error);
    }
    AfxStatus closed = afx_output_close(output, status ? NULL : out_error);
    return status ? status : closed;
}
