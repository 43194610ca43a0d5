/* SPDX-License-Identifier: Apache-2.0 */
/* The run: scene, model, sim, then the steps one by one, each timed as a whole (its checks and report inside). */
#include "cli/simulate.h"

#include "cases/text.h"
#include "cli/checkpoint.h"
#include "cli/progress.h"
#include "cli/samples.h"
#include "out/kept.h"
#include "sweep/param.h"

#include <stdlib.h>
#include <string.h>

static int memory_error(void) {
    cli_error("memory", "use a smaller scene", "%s", afx_status_text(AFX_E_MEMORY));
    return CLI_EXIT_SYSTEM;
}

static int compile(const CliSettings *settings, AfxScene *scene, CliRun *run) {
    AfxError error = {0};
    if (settings->rigid) {
        AfxStatus status = afx_scene_make_rigid(scene);
        if (status != AFX_OK) {
            return cli_error_from(afx_scene_error(scene));
        }
    }
    AfxStatus status = afx_model_create_with(scene, &settings->model, &run->model, &error);
    status = status == AFX_OK ? cli_source_check(&settings->source, run->model, &error) : status;
    if (status != AFX_OK) {
        error.status = status;
        return cli_error_from(&error);
    }
    return cli_names_create(scene, &run->names) ? CLI_EXIT_FINE : memory_error();
}

/* Parameters of the sim, "NAME=X,NAME=X". */
static int set_parameters(const char *list, const AfxScene *scene, const CliRun *run) {
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[320];
        AfxiParamPlace place;
        AfxError error = {0};
        double value;
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name) - 1), at);
        char *equal = strchr(name, '=');
        if (!equal || !afxi_case_number(equal + 1, &value)) {
            cli_error("--set", "--set body.mass:NAME=2.5", "\"%s\" is not NAME=number", name);
            return CLI_EXIT_USAGE;
        }
        *equal = '\0';
        if (afxi_param_find(scene, run->model, name, &place, &error) != AFX_OK) {
            return cli_error_from(&error);
        }
        AfxStatus status = afxi_param_put(run->sim, &place, value);
        if (status != AFX_OK) {
            cli_error(name, NULL, "%s",
                      status == AFX_E_ARGUMENT ? "this value is not allowed" : afx_status_text(status));
            return status == AFX_E_ARGUMENT ? CLI_EXIT_INPUT : cli_exit_code(status);
        }
    }
    return CLI_EXIT_FINE;
}

/* Takes the state of a snapshot, and its time step unless another was given: then a multistep method restarts. */
static int begin_from(CliSettings *settings, CliRun *run) {
    AfxSnapshot *snapshot = NULL;
    AfxError error = {0};
    AfxStatus status = afx_snapshot_read(settings->from, NULL, &snapshot, &error);
    status = status != AFX_OK ? status : afx_snapshot_restore(snapshot, run->sim, &error);
    afx_snapshot_destroy(snapshot);
    if (status != AFX_OK) {
        error.status = status;
        cli_error_from(&error);
        return status == AFX_E_MEMORY ? CLI_EXIT_SYSTEM : CLI_EXIT_INPUT; /* a file that is not there is bad input */
    }
    if (!settings->dt_given) {
        return cli_settings_take_dt(settings, afx_sim_dt(run->sim)) ? CLI_EXIT_FINE : CLI_EXIT_USAGE;
    }
    if (settings->sim.dt != afx_sim_dt(run->sim)) {
        afx_sim_set_dt(run->sim, settings->sim.dt);
    }
    return CLI_EXIT_FINE;
}

/* Switches the trace on for who wants it. */
static int begin_trace(const CliSettings *settings, CliRun *run) {
    int code = settings->dump_failure ? cli_failure_begin(settings->dump_failure) : CLI_EXIT_FINE;
    bool page = settings->output.paths[CLI_OUTPUT_HTML] != NULL, whole = settings->trace || settings->dump_failure;
    if (code != CLI_EXIT_FINE || (!page && !whole)) {
        return code;
    }
    if (afx_sim_trace(run->sim, whole ? CLI_TRACE_EVENTS : CLI_TRACE_PAGE) != AFX_OK) {
        return memory_error();
    }
    return settings->trace ? cli_trace_file_open(&run->trace_file, settings->trace, settings, run->sim) : code;
}

/* Loads are shared with one weight for all drives. */
static AfxStatus weigh(CliRun *run, double weight) {
    AfxParamInfo drives;
    AfxStatus found = afx_model_param_info(run->model, AFX_PARAM_DRIVE, &drives);
    double *each = found == AFX_OK ? malloc((drives.count + 1) * sizeof *each) : NULL;
    for (uint32_t k = 0; each && k < drives.count; ++k) {
        each[k] = weight;
    }
    const AfxWeights weights = {.drive = each};
    AfxStatus status = each ? afx_sim_set_weights(run->sim, &weights) : AFX_E_MEMORY;
    free(each);
    return status;
}

/* The sim, at its start or where a snapshot left it, and the outputs, which need the scene. */
static int begin(CliSettings *settings, const AfxScene *scene, CliRun *run) {
    AfxError error = {0};
    AfxSimDef def = settings->sim;
    def.allocator = cli_memory_allocator(&run->memory);
    def.error = &error;
    AfxStatus status = afx_sim_create(run->model, &def, &run->sim);
    if (status != AFX_OK) {
        return cli_error_from(&error);
    }
    status = settings->verify ? cli_verify_begin(&run->verify, run->sim) : AFX_OK;
    if (status == AFX_OK && settings->energy_book) {
        status = cli_energy_begin(&run->energy_book, run->sim);
    }
    if (status == AFX_E_MEMORY) {
        return memory_error();
    }
    if (status != AFX_OK) {
        cli_error(settings->verify ? "--verify" : "--energy-book", "leave it out, or --formulation",
                  "evaluates the equations of the affix formulation only");
        return CLI_EXIT_USAGE;
    }
    if (settings->drive_weight > 0 && (status = weigh(run, settings->drive_weight)) != AFX_OK) {
        cli_error("--drive-weight", "leave it out, or --formulation", "shares loads of the affix formulation only");
        return status == AFX_E_MEMORY ? memory_error() : CLI_EXIT_USAGE;
    }
    run->mobile = afx_sim_mobility(run->sim, &run->freedom, &run->redundant) == AFX_OK;
    bool fresh = !settings->from && !settings->resume.snapshot;
    int code = fresh ? cli_misfits_find(run->sim, &run->names, &run->misfits) : CLI_EXIT_FINE;
    code = settings->from ? begin_from(settings, run) : code;
    code = code != CLI_EXIT_FINE ? code : set_parameters(settings->set, scene, run);
    code = code != CLI_EXIT_FINE ? code : cli_checkpoint_restore(settings, run);
    code = code != CLI_EXIT_FINE ? code : begin_trace(settings, run);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    AfxRunDef asked;
    cli_settings_run(settings, &asked);
    if (settings->output.snapshot) {
        run->checkpoint.scene = afxi_bytes_begin(&def.allocator);
        if (afxi_kept_pack(&run->checkpoint.scene, scene, &asked) != AFX_OK) {
            return memory_error();
        }
    }
    asked.output_count = 0; /* a trajectory that is run again does not overwrite itself */
    return cli_outputs_open(&run->outputs, &settings->output, &def.allocator, settings->title, &asked, scene, run->sim,
                            settings->resume.snapshot);
}

/* Books the time since *mark. */
static void book(CliRun *run, CliStart part, double *mark) {
    double now = cli_clock();
    run->start_seconds[part] = now - *mark;
    *mark = now;
}

int cli_run_create(CliSettings *settings, CliRun *out_run) {
    *out_run = (CliRun){0};
    AfxSceneDef def = afx_default_scene();
    def.allocator = cli_memory_allocator(&out_run->memory);
    AfxScene *scene = NULL;
    double mark = cli_clock();
    int code = cli_source_build(&settings->source, &def, &scene);
    book(out_run, CLI_START_SCENE, &mark);
    if (code == CLI_EXIT_FINE && settings->source.file && !cli_settings_take_run(settings)) {
        afx_scene_destroy(scene);
        code = CLI_EXIT_USAGE;
    }
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    out_run->interrupt = cli_interrupt_begin(cli_output_any(&settings->output));
    code = compile(settings, scene, out_run);
    bool needed = cli_output_any(&settings->output) || settings->set || settings->dump_failure;
    if (!needed) { /* any more, and it may be large */
        afx_scene_destroy(scene);
        scene = NULL;
    }
    book(out_run, CLI_START_COMPILE, &mark);
    if (code == CLI_EXIT_FINE) {
        code = begin(settings, scene, out_run);
    }
    if (settings->dump_failure) {
        out_run->failure_kept.scene = scene;
    } else {
        afx_scene_destroy(scene);
    }
    book(out_run, CLI_START_CREATE, &mark);
    return code;
}

void cli_run_destroy(CliRun *run) {
    cli_outputs_close(&run->outputs);
    afxi_lock_release(&run->checkpoint.lock);
    if (run->checkpoint.scene.data) {
        afxi_bytes_destroy(&run->checkpoint.scene);
    }
    cli_trace_file_close(&run->trace_file, run->steps, run->status);
    cli_failure_destroy(&run->failure_kept);
    afx_sim_destroy(run->sim);
    afx_model_destroy(run->model);
    cli_names_destroy(&run->names);
    cli_verify_destroy(&run->verify);
    run->sim = NULL;
    run->model = NULL;
    fflush(stdout);
    cli_interrupt_end(&run->interrupt);
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
    run->asleep = report->asleep;
    run->contacts_max = report->contacts > run->contacts_max ? report->contacts : run->contacts_max;
    run->depth_max = worst(run->depth_max, report->depth);
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

/* An output that cannot be written ends a run that can be resumed when there is room again; others go on without. */
static bool goes_on(const CliSettings *settings, const CliRun *run) {
    return run->steps < settings->steps && run->status == AFX_OK && !run->interrupted &&
           !(run->outputs.failed && settings->output.snapshot);
}

/* One step, and what is told of it. */
static void take_step(const CliSettings *settings, CliRun *run, AfxStepReport *report) {
    if (settings->dump_failure && !cli_failure_before(&run->failure_kept, run->sim)) {
        run->status = AFX_E_MEMORY;
        return;
    }
    afx_sim_trace_clear(run->sim);
    run->status = afx_step(run->sim, report);
    cli_trace_file_events(&run->trace_file, run->sim, &run->names);
    if (run->status != AFX_OK && settings->dump_failure) {
        cli_failure_write(&run->failure_kept, settings, run->sim, &run->names, report, run->status);
    }
}

static void take_steps(const CliSettings *settings, CliRun *run, CliTrace *trace, CliSamples *samples) {
    CliProgress progress = cli_progress_begin(settings->steps - run->steps, settings->quiet);
    AfxStepReport report = {.body = UINT32_MAX};
    double before = run->wall_seconds;
    while (goes_on(settings, run)) {
        double start = cli_clock();
        take_step(settings, run, &report);
        double end = cli_clock();
        run->flags |= report.flags;
        if (run->status != AFX_OK) {
            run->failure = report;
            break;
        }
        account(run, &report);
        run->status = run->verify.on ? cli_verify_step(&run->verify, run->sim, run->steps) : AFX_OK;
        if (run->energy_book.on) {
            cli_energy_step(&run->energy_book, run->sim, run->steps);
        }
        cli_samples_add(samples, end - start);
        if (trace) {
            cli_trace_record(trace, run->sim, run->steps - run->traced_step, &report);
        }
        cli_outputs_step(&run->outputs, run->sim, &report);
        run->wall_seconds = before + end - progress.begin;
        run->interrupted = cli_interrupt_seen(&run->interrupt, end);
        cli_checkpoint_update(settings, run, trace, end, run->steps == settings->steps || run->interrupted);
        cli_progress_update(&progress, run->steps - run->resumed_step, end);
    }
    run->wall_seconds = before + cli_clock() - progress.begin;
    cli_progress_end(&progress);
}

static void first_look(const CliSettings *settings, CliRun *run, CliTrace *trace) {
    if (!settings->resume.snapshot) {
        afx_sim_energy(run->sim, &run->energy_first);
        afx_sim_momentum(run->sim, &run->momentum_first);
    }
    if (trace && !cli_checkpoint_restore_trace(settings, trace)) {
        run->traced_step = run->steps;
        cli_trace_begin(trace, run->sim, settings->steps - run->steps);
    }
}

int cli_run_simulate(const CliSettings *settings, CliRun *run, CliTrace *trace) {
    CliSamples samples;
    if (!cli_samples_create(&samples, settings->steps)) {
        return memory_error();
    }
    first_look(settings, run, trace);
    take_steps(settings, run, trace, &samples);
    cli_outputs_close(&run->outputs);
    cli_trace_file_close(&run->trace_file, run->steps, run->status);
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
