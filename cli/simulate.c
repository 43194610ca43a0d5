/* SPDX-License-Identifier: Apache-2.0 */
/* The run: scene, model, sim, then the steps one by one, each timed as a whole (its checks and report inside). */
#include "cli/simulate.h"

#include "cli/progress.h"
#include "cli/samples.h"

static AfxStatus make_rigid(AfxScene *scene) {
    AfxStatus status = AFX_OK;
    uint32_t count = afx_scene_body_count(scene);
    for (uint32_t k = 0; k < count && status == AFX_OK; ++k) {
        AfxBodyDef body;
        AfxBodyId id = afx_scene_body(scene, k);
        status = afx_scene_get_body(scene, id, &body);
        if (status == AFX_OK && !isinf(body.young)) {
            body.young = INFINITY;
            status = afx_scene_set_body(scene, id, &body);
        }
    }
    return status;
}

static int memory_error(void) {
    cli_error("memory", "use a smaller scene", "%s", afx_status_text(AFX_E_MEMORY));
    return CLI_EXIT_SYSTEM;
}

static int compile(const CliSettings *settings, AfxScene *scene, CliRun *run) {
    AfxError error = {0};
    if (settings->rigid) {
        AfxStatus status = make_rigid(scene);
        if (status != AFX_OK) {
            return cli_error_from(afx_scene_error(scene));
        }
    }
    AfxStatus status = afx_model_create_with(scene, &settings->model, &run->model, &error);
    if (status != AFX_OK) {
        error.status = status;
        return cli_error_from(&error);
    }
    return cli_names_create(scene, &run->names) ? CLI_EXIT_FINE : memory_error();
}

int cli_run_create(const CliSettings *settings, CliRun *out_run) {
    *out_run = (CliRun){0};
    AfxSceneDef def = afx_default_scene();
    def.allocator = cli_memory_allocator(&out_run->memory);
    AfxScene *scene = NULL;
    AfxError error = {0};
    AfxStatus status = afxi_case_build(&settings->arguments, &def, &scene, &error);
    if (status != AFX_OK) {
        error.status = status;
        return cli_error_from(&error);
    }
    int code = compile(settings, scene, out_run);
    afx_scene_destroy(scene);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    AfxSimDef sim_def = settings->sim;
    sim_def.allocator = def.allocator;
    sim_def.error = &error;
    status = afx_sim_create(out_run->model, &sim_def, &out_run->sim);
    if (status != AFX_OK) {
        return cli_error_from(&error);
    }
    out_run->mobile = afx_sim_mobility(out_run->sim, &out_run->freedom, &out_run->redundant) == AFX_OK;
    return CLI_EXIT_FINE;
}

void cli_run_destroy(CliRun *run) {
    afx_sim_destroy(run->sim);
    afx_model_destroy(run->model);
    cli_names_destroy(&run->names);
    run->sim = NULL;
    run->model = NULL;
}

/* The larger; NaN when either is: it must not go unseen. */
static double worst(double a, double b) {
    return b <= a ? a : (isnan(a) ? a : b);
}

static void account(CliRun *run, const AfxStepReport *report) {
    for (int k = 0; k < AFX_STAGE_COUNT; ++k) {
        run->stage_seconds[k] += report->stage_seconds[k];
    }
    run->solves_sum += report->solves_mean;
    run->solves_max = report->solves > run->solves_max ? report->solves : run->solves_max;
    run->residual_max = worst(run->residual_max, report->residual);
    run->rotation_error_max = worst(run->rotation_error_max, report->rotation_error);
    ++run->steps;
}

static bool all_finite(const AfxSim *sim) {
    size_t count = 12 * (size_t)afx_model_body_count(afx_sim_model(sim));
    const double *q = afx_sim_coordinates(sim);
    const double *v = afx_sim_velocities(sim);
    for (size_t k = 0; k < count; ++k) {
        if (!isfinite(q[k]) || !isfinite(v[k])) {
            return false;
        }
    }
    return true;
}

static void take_steps(const CliSettings *settings, CliRun *run, CliTrace *trace, CliSamples *samples) {
    CliProgress progress = cli_progress_begin(settings->steps, settings->quiet);
    AfxStepReport report = {.body = UINT32_MAX};
    while (run->steps < settings->steps && run->status == AFX_OK) {
        double begin = cli_clock();
        run->status = afx_step(run->sim, &report);
        double end = cli_clock();
        run->flags |= report.flags;
        if (run->status != AFX_OK) {
            run->failure = report;
            break;
        }
        account(run, &report);
        cli_samples_add(samples, end - begin);
        if (trace) {
            cli_trace_record(trace, run->sim, run->steps, report.residual);
        }
        cli_progress_update(&progress, run->steps, end);
    }
    run->wall_seconds = cli_clock() - progress.begin;
    cli_progress_end(&progress);
}

int cli_run_simulate(const CliSettings *settings, CliRun *run, CliTrace *trace) {
    CliSamples samples;
    if (!cli_samples_create(&samples, settings->steps)) {
        return memory_error();
    }
    afx_sim_energy(run->sim, &run->energy_first);
    afx_sim_momentum(run->sim, &run->momentum_first);
    if (trace) {
        cli_trace_begin(trace, run->sim, settings->steps);
    }
    take_steps(settings, run, trace, &samples);
    afx_sim_energy(run->sim, &run->energy_last);
    afx_sim_momentum(run->sim, &run->momentum_last);
    run->finite = all_finite(run->sim);
    run->step_seconds = cli_samples_median(&samples);
    cli_samples_destroy(&samples);
    return CLI_EXIT_FINE;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    for (size_t k = 0; k < size; ++k) {
        hash = (hash ^ p[k]) * 0x100000001b3ull;
    }
    return hash;
}

uint64_t cli_run_hash(const CliRun *run) {
    size_t size = 12 * sizeof(double) * (size_t)afx_model_body_count(run->model);
    uint64_t hash = hash_bytes(0xcbf29ce484222325ull, afx_sim_coordinates(run->sim), size);
    return hash_bytes(hash, afx_sim_velocities(run->sim), size);
}
