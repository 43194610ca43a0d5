/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a failed step. The library puts bodies back where they were, but a method with history restarts then;
 * so the state is copied before every step, and that copy is what fails again. */
#include "cli/failure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_ROOM 4096

int cli_failure_begin(const char *folder) {
    struct stat info;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        cli_error(folder, "choose a place that you may write to", "cannot be made: %s", strerror(errno));
        return CLI_EXIT_SYSTEM;
    }
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
        cli_error(folder, "give the name of a folder", "is not a folder");
        return CLI_EXIT_SYSTEM;
    }
    return CLI_EXIT_FINE;
}

bool cli_failure_before(CliFailure *failure, const AfxSim *sim) {
    size_t size = afx_sim_snapshot_size(sim);
    if (size > failure->capacity) {
        void *grown = realloc(failure->state, 2 * size);
        if (!grown) {
            return false;
        }
        failure->state = grown;
        failure->capacity = 2 * size;
    }
    failure->size = size;
    return afx_sim_snapshot(sim, failure->state, failure->capacity) == AFX_OK;
}

/* "folder/name"; false when that is too long. */
static bool path_of(const char *folder, const char *name, char out[PATH_ROOM]) {
    if ((size_t)snprintf(out, PATH_ROOM, "%s/%s", folder, name) >= PATH_ROOM) {
        cli_error(folder, "use a shorter path", "is too long a path");
        return false;
    }
    return true;
}

static int say(AfxStatus status, AfxError *error) {
    error->status = status;
    return status == AFX_OK ? CLI_EXIT_FINE : cli_error_from(error);
}

/* Options that decide what a step does; --dt is written in any case. */
static bool decides(const char *word) {
    static const char *const names[] = {"--integrator=", "--rho=",     "--accuracy=",    "--iterations=", "--solves=",
                                        "--solver=",     "--threads=", "--formulation=", "--lanes="};
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); ++k) {
        if (strncmp(word, names[k], strlen(names[k])) == 0) {
            return true;
        }
    }
    return false;
}

static int write_readme(const char *path, const CliSettings *settings, const AfxSim *sim, const AfxStepReport *report,
                        AfxStatus status) {
    FILE *file = fopen(path, "w");
    if (!file) {
        cli_error(path, NULL, "cannot be made: %s", strerror(errno));
        return CLI_EXIT_SYSTEM;
    }
    fprintf(file, "Step %" PRIu64 " of \"%s\", from time %.17g s on, failed: %s.\n", report->step, settings->title,
            afx_sim_time(sim), afx_status_text(status));
    fputs("scene.json: the scene; before.snapshot: the state before the step; trace.jsonl: what the solver did.\n"
          "What happened: affix explain trace.jsonl\nTo run the step again, in this folder:\n\n",
          file);
    fprintf(file, "    affix run scene.json --from before.snapshot --steps 1 --dt %.17g", afx_sim_dt(sim));
    for (size_t at = 0; at < settings->command_size; at += strlen(settings->command + at) + 1) {
        const char *word = settings->command + at;
        if (decides(word)) {
            fprintf(file, " %s", word);
        }
    }
    fputs("\n", file);
    bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad) {
        cli_error(path, "is the disk full?", "could not be written");
        return CLI_EXIT_SYSTEM;
    }
    return CLI_EXIT_FINE;
}

static int write_trace(const char *path, const CliSettings *settings, const AfxSim *sim, const CliNames *names,
                       const AfxStepReport *report, AfxStatus status) {
    CliTraceFile trace;
    int code = cli_trace_file_open(&trace, path, settings, sim);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    cli_trace_file_events(&trace, sim, names);
    return cli_trace_file_close(&trace, report->step, status) ? CLI_EXIT_FINE : CLI_EXIT_SYSTEM;
}

static int write_snapshot(const char *path, AfxSim *sim, const CliFailure *failure, const AfxStepReport *report) {
    AfxError error = {0};
    AfxSnapshotDef def = afx_default_snapshot();
    AfxStatus status = afx_sim_restore(sim, failure->state, failure->size);
    def.path = path;
    def.keep = false;
    def.step = report->step - 1;
    return say(status != AFX_OK ? status : afx_snapshot_write(&def, sim, &error), &error);
}

int cli_failure_write(const CliFailure *failure, const CliSettings *settings, AfxSim *sim, const CliNames *names,
                      const AfxStepReport *report, AfxStatus status) {
    const char *folder = settings->dump_failure;
    char path[PATH_ROOM];
    AfxError error = {0};
    int code = path_of(folder, "before.snapshot", path) ? write_snapshot(path, sim, failure, report) : CLI_EXIT_SYSTEM;
    if (code == CLI_EXIT_FINE) {
        code = path_of(folder, "scene.json", path) ? say(afx_scene_save(failure->scene, path, &error), &error)
                                                   : CLI_EXIT_SYSTEM;
    }
    if (code == CLI_EXIT_FINE) {
        code = path_of(folder, "trace.jsonl", path) ? write_trace(path, settings, sim, names, report, status)
                                                    : CLI_EXIT_SYSTEM;
    }
    if (code == CLI_EXIT_FINE) {
        code = path_of(folder, "README", path) ? write_readme(path, settings, sim, report, status) : CLI_EXIT_SYSTEM;
    }
    if (code == CLI_EXIT_FINE) {
        cli_note("the step is in %s: affix explain %s/trace.jsonl reports what happened, %s/README how to run it again",
                 folder, folder, folder);
    }
    return code;
}

void cli_failure_destroy(CliFailure *failure) {
    free(failure->state);
    afx_scene_destroy(failure->scene);
    *failure = (CliFailure){0};
}
