/* SPDX-License-Identifier: Apache-2.0 */
/* Events as lines of JSON. What a kind of event does not have is left out; null is a number that is not finite. */
#include "cli/trace_file.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_VERSION 1

static void fail(CliTraceFile *out) {
    if (!out->failed) {
        cli_error(out->path, "is the disk full?", "could not be written: %s", strerror(errno ? errno : EIO));
        out->failed = true;
    }
}

/* "-" is stdout. */
static FILE *open_it(const char *path) {
    int fd = strcmp(path, "-") == 0 ? dup(STDOUT_FILENO) : -1;
    return fd < 0 ? fopen(path, "w") : fdopen(fd, "w");
}

int cli_trace_file_open(CliTraceFile *out, const char *path, const CliSettings *settings, const AfxSim *sim) {
    const AfxModel *model = afx_sim_model(sim);
    AfxAllocator allocator = afx_default_allocator();
    AfxError error = {0};
    *out = (CliTraceFile){.path = path};
    if (strcmp(path, "-") != 0 && afxi_lock_take(&allocator, path, &out->lock, &error) != AFX_OK) {
        return cli_error_from(&error);
    }
    out->file = open_it(path);
    if (!out->file) {
        int number = errno;
        afxi_lock_release(&out->lock);
        errno = number;
        cli_error(path, "choose a place that you may write to", "cannot be made: %s", strerror(errno));
        return CLI_EXIT_SYSTEM;
    }
    CliJson json = cli_json_begin(out->file, 0);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "event", "run");
    cli_json_integer(&json, "format", FORMAT_VERSION);
    cli_json_text(&json, "affix", afx_version());
    cli_json_text(&json, "scene", settings->title);
    cli_json_number(&json, "dt", afx_sim_dt(sim));
    cli_json_text(&json, "integrator", cli_settings_integrator(settings));
    cli_json_text(&json, "accuracy",
                  settings->sim.accuracy == AFX_FAST       ? "fast"
                  : settings->sim.accuracy == AFX_ACCURATE ? "accurate"
                                                           : "converged");
    cli_json_integer(&json, "bodies", afx_model_body_count(model));
    cli_json_integer(&json, "joints", afx_model_joint_count(model));
    cli_json_close(&json);
    cli_json_end(&json);
    return CLI_EXIT_FINE;
}

static void write_body(CliJson *json, const char *key, const char *name_key, uint32_t body, const CliNames *names) {
    if (body != UINT32_MAX) {
        const char *name = cli_names_text(names, body);
        cli_json_integer(json, key, body);
        if (name) {
            cli_json_text(json, name_key, name);
        }
    }
}

static void write_known(CliJson *json, const char *key, double value) {
    if (!isnan(value)) {
        cli_json_number(json, key, value);
    }
}

static void write_changes(CliJson *json, const AfxTraceChanges *changes) {
    const struct {
        const char *key;
        uint32_t count;
    } all[] = {{"contacts", changes->contacts},
               {"slips", changes->slips},
               {"limits", changes->limits},
               {"friction", changes->friction},
               {"saturation", changes->saturation}};
    bool open = false;
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); ++k) {
        if (all[k].count) {
            if (!open) {
                cli_json_object(json, "changes");
                open = true;
            }
            cli_json_integer(json, all[k].key, all[k].count);
        }
    }
    if (open) {
        cli_json_close(json);
    }
}

/* Where a solver iteration stands, and what came of it; a cut and a failure have those of the one that led there. */
static void write_solve(CliJson *json, const AfxTraceEvent *event, const CliNames *names) {
    if (event->kind == AFX_TRACE_SOLVE) {
        cli_json_integer(json, "part", event->part);
        cli_json_integer(json, "parts", event->parts);
        cli_json_integer(json, "stage", event->stage);
    }
    if (event->engine != AFX_TRACE_NO_ENGINE) {
        cli_json_integer(json, "solve", event->solve);
        cli_json_text(json, "engine", afx_trace_engine_name(event->engine));
        cli_json_text(json, "method", afx_trace_method_name(event->method));
        write_body(json, "island", "island_name", event->island, names);
        cli_json_integer(json, "bodies", event->bodies);
        write_known(json, "rotation", event->rotation);
        write_known(json, "turn", event->turn);
        write_known(json, "residual", event->residual);
        write_known(json, "excess", event->excess);
    }
    if (event->rotation_tolerance > 0) { /* infinite where nothing is asked of the rotations */
        cli_json_number(json, "rotation_tolerance", event->rotation_tolerance);
        cli_json_number(json, "residual_tolerance", event->residual_tolerance);
    }
    if (event->kind == AFX_TRACE_SOLVE) {
        write_changes(json, &event->changes);
        cli_json_text(json, "verdict", afx_trace_verdict_name(event->verdict));
    }
    cli_json_text(json, "reason", afx_trace_reason_name(event->reason));
    write_body(json, "body", "body_name", event->body, names);
}

static void write_event(FILE *file, const AfxTraceEvent *event, const CliNames *names) {
    CliJson json = cli_json_begin(file, 0);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "event", afx_trace_kind_name(event->kind));
    cli_json_integer(&json, "step", event->step);
    switch (event->kind) {
    case AFX_TRACE_STEP:
        cli_json_number(&json, "time", event->time);
        break;
    case AFX_TRACE_CUT:
        cli_json_integer(&json, "parts", event->parts);
        write_solve(&json, event, names);
        break;
    case AFX_TRACE_FAILED:
        cli_json_number(&json, "time", event->time);
        cli_json_text(&json, "status", afx_status_text(event->status));
        cli_json_integer(&json, "parts", event->parts);
        write_solve(&json, event, names);
        break;
    case AFX_TRACE_SOLVE:
        write_solve(&json, event, names);
        break;
    case AFX_TRACE_ORDER:
        cli_json_integer(&json, "count", event->count);
        break;
    case AFX_TRACE_LIMIT:
    case AFX_TRACE_BROKEN:
        cli_json_integer(&json, "joint", event->joint);
        break;
    case AFX_TRACE_BOUNCE:
        write_body(&json, "body", "body_name", event->body, names);
        break;
    case AFX_TRACE_RESTART:
    case AFX_TRACE_KIND_COUNT:
        break;
    }
    cli_json_close(&json);
    cli_json_end(&json);
}

void cli_trace_file_events(CliTraceFile *out, const AfxSim *sim, const CliNames *names) {
    AfxTraceEvent event;
    if (!out->file || out->failed) {
        return;
    }
    errno = 0;
    if (afx_sim_trace_dropped(sim)) {
        CliJson json = cli_json_begin(out->file, 0);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "event", "dropped");
        cli_json_integer(&json, "count", afx_sim_trace_dropped(sim));
        cli_json_close(&json);
        cli_json_end(&json);
    }
    for (uint32_t k = 0; afx_sim_trace_event(sim, k, &event) == AFX_OK; ++k) {
        write_event(out->file, &event, names);
    }
    if (ferror(out->file)) {
        fail(out);
    }
}

bool cli_trace_file_close(CliTraceFile *out, uint64_t steps, AfxStatus status) {
    if (!out->file) {
        return true;
    }
    CliJson json = cli_json_begin(out->file, 0);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "event", "end");
    cli_json_integer(&json, "steps", steps);
    cli_json_text(&json, "status", status == AFX_OK ? "ok" : afx_status_text(status));
    cli_json_close(&json);
    cli_json_end(&json);
    errno = 0;
    bool bad = ferror(out->file) != 0;
    if ((fclose(out->file) != 0 || bad)) {
        fail(out);
    }
    out->file = NULL;
    afxi_lock_release(&out->lock);
    return !out->failed;
}
