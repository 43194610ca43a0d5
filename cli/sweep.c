/* SPDX-License-Identifier: Apache-2.0 */
/* affix sweep: a parameter study on the threads of this machine, or on the processes of an MPI job. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "sweep/sweep.h"

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/progress.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPTION_OUT = CLI_OPTION_FIRST,
    OPTION_JOBS,
    OPTION_RESUME,
    OPTION_SCENE,
    OPTION_MERGE,
    OPTION_REPLAYS,
    OPTION_NO_HDF5,
    OPTION_NO_MPI,
    OPTION_JSON,
    OPTION_QUIET
};

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    [OPTION_OUT] = {"out", "DIR", "folder for the results (default: the study's name and .sweep)"},
    [OPTION_JOBS] = {"jobs", "N", "threads of each process (default: all cores; 1 under mpirun)"},
    [OPTION_RESUME] = {"resume", NULL, "go on with what the folder holds"},
    [OPTION_SCENE] = {"scene", "CASE|FILE", "instead of the study's scene"},
    [OPTION_MERGE] = {"merge", NULL, "write all runs into one HDF5 file too"},
    [OPTION_REPLAYS] = {"replays", "N", "pages that play the best N runs (default 3)"},
    [OPTION_NO_HDF5] = {"no-hdf5", NULL, "only runs.csv and the report"},
    [OPTION_NO_MPI] = {"no-mpi", NULL, "threads only, whatever started this process"},
    [OPTION_JSON] = {"json", NULL, "print one JSON object on stdout"},
    [OPTION_QUIET] = {"quiet", NULL, "print nothing but errors"},
};

#define LINE_SECONDS 5.0
#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

typedef struct Watch {
    CliProgress progress;
    CliInterrupt interrupt;
    bool begun;
    bool lines; /* a line now and then in place of the bar: mpirun takes the terminal away */
    double next_line;
    int32_t stop;
    bool quiet;
} Watch;

static void show_progress(void *user, const AfxiSweepProgress *now) {
    Watch *watch = user;
    double clock = cli_clock();
    if (!watch->begun) {
        watch->progress = cli_progress_begin(now->total - now->resumed, watch->quiet);
        watch->progress.unit = "runs";
        watch->begun = true;
    }
    cli_progress_update(&watch->progress, now->done - now->resumed, clock);
    if (watch->lines && clock >= watch->next_line) {
        double spent = clock - watch->progress.begin, made = (double)(now->done - now->resumed);
        watch->next_line = clock + LINE_SECONDS;
        if (made > 0) {
            fprintf(stderr, "affix: %" PRIu64 " of %" PRIu64 " runs on %u processes, %" PRIu64 " failed, %.0f s left\n",
                    now->done, now->total, now->processes, now->failed,
                    spent / made * (double)(now->total - now->done));
        }
    }
    if (cli_interrupt_seen(&watch->interrupt, clock)) {
        watch->stop = 1;
    }
}

/* ---- MPI ---- */

/* Whether mpirun or srun started this process together with others. */
static bool started_by_mpi(void) {
    const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); ++k) {
        const char *text = getenv(sizes[k]);
        if (text) {
            return strtol(text, NULL, 10) > 1;
        }
    }
    return getenv("PMIX_RANK") != NULL;
}

/* The module lies beside the program, or where it was installed. */
static int open_transport(const AfxiTransport **out_transport) {
    static const char *const places[] = {"", CLI_MODULE_FOLDER};
    char path[4200], folder[4096];
    const char *reason = "this build has no MPI";
    ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[1] = '\0';
    }
    for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); ++k) {
        snprintf(path, sizeof(path), "%s%saffix_mpi.so", folder, places[k]);
        if (access(path, R_OK) != 0) {
            continue;
        }
        void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* plugins of MPI look for its symbols */
        union {
            void *object;
            const AfxiTransport *(*function)(void);
        } open = {module ? dlsym(module, "afxi_transport_open") : NULL};
        *out_transport = open.object ? open.function() : NULL;
        if (*out_transport) {
            return CLI_EXIT_FINE;
        }
        reason = module ? "MPI did not start" : dlerror();
    }
    cli_error("mpi", "build with MPI (tools/deps mpi), or add --no-mpi to run one process alone",
              "this process was started by mpirun, but %s", reason);
    return CLI_EXIT_SYSTEM;
}

/* ---- settings ---- */

/* Those that this process may use: mpirun, batch systems and taskset keep it to some. */
static uint32_t count_cores(void) {
    cpu_set_t own;
    long cores = sched_getaffinity(0, sizeof(own), &own) == 0 ? CPU_COUNT(&own) : sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 1 ? (uint32_t)cores : 1;
}

static bool default_folder(const char *study, char *out_path, size_t size) {
    const char *slash = strrchr(study, '/'), *name = slash ? slash + 1 : study, *end = strstr(name, ".json");
    int length = end ? (int)(end - name) : (int)strlen(name);
    return snprintf(out_path, size, "%.*s.sweep", length, name) < (int)size;
}

static int read_settings(const CliArguments *given, char *folder, size_t size, AfxiSweepDef *def) {
    const char *const *text = given->values;
    uint64_t jobs = 0, replays = def->replays;
    if (given->word_count != 1) {
        cli_error("sweep", "affix sweep study.json", given->word_count ? "one study at a time" : "which study?");
        return CLI_EXIT_USAGE;
    }
    if ((text[OPTION_JOBS] && !cli_option_integer("jobs", text[OPTION_JOBS], 1, 4096, &jobs)) ||
        (text[OPTION_REPLAYS] && !cli_option_integer("replays", text[OPTION_REPLAYS], 0, 100, &replays))) {
        return CLI_EXIT_USAGE;
    }
    def->path = given->words[0];
    def->folder = text[OPTION_OUT] ? text[OPTION_OUT] : folder;
    if (!text[OPTION_OUT] && !default_folder(given->words[0], folder, size)) {
        cli_error(given->words[0], "give --out DIR", "is too long a name");
        return CLI_EXIT_USAGE;
    }
    def->jobs = (uint32_t)jobs;
    def->replays = (uint32_t)replays;
    def->scene = text[OPTION_SCENE];
    def->resume = text[OPTION_RESUME] != NULL;
    def->merge = text[OPTION_MERGE] != NULL;
    def->hdf5 = text[OPTION_NO_HDF5] == NULL;
    return CLI_EXIT_FINE;
}

/* ---- results ---- */

static void print_json(const AfxiSweepDef *def, const AfxiSweepOutcome *outcome) {
    CliJson json = cli_json_begin(stdout, 1);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "folder", def->folder);
    cli_json_integer(&json, "runs", outcome->progress.done);
    cli_json_integer(&json, "failed", outcome->progress.failed);
    cli_json_integer(&json, "resumed", outcome->progress.resumed);
    cli_json_integer(&json, "processes", outcome->progress.processes);
    cli_json_integer(&json, "jobs", def->jobs);
    cli_json_boolean(&json, "stopped", outcome->stopped);
    cli_json_number(&json, "best_objective", outcome->best_objective);
    if (outcome->best_run != UINT64_MAX) {
        cli_json_integer(&json, "best_run", outcome->best_run);
    }
    cli_json_number(&json, "run_s", outcome->run_seconds);
    cli_json_number(&json, "busy_s", outcome->busy_seconds);
    cli_json_number(&json, "index_s", outcome->index_seconds);
    cli_json_number(&json, "finish_s", outcome->finish_seconds);
    cli_json_close(&json);
    cli_json_end(&json);
}

static void print_summary(const AfxiSweepDef *def, const AfxiSweepOutcome *outcome) {
    const AfxiSweepProgress *progress = &outcome->progress;
    printf("%" PRIu64 " run%s, %" PRIu64 " failed", progress->done, cli_plural(progress->done, "", "s"),
           progress->failed);
    if (progress->resumed) {
        printf(", %" PRIu64 " of them from before", progress->resumed);
    }
    printf("; %.3g s on %u process%s with %u thread%s\n", outcome->run_seconds, progress->processes,
           progress->processes == 1 ? "" : "es", def->jobs, def->jobs == 1 ? "" : "s");
    if (outcome->best_run != UINT64_MAX) {
        printf("best: run %" PRIu64 ", objective %.10g\n", outcome->best_run, outcome->best_objective);
    }
    printf("%s/runs.csv, %s/report.html\n", def->folder, def->folder);
}

static int do_sweep(const AfxiSweepDef *def, const CliArguments *given, Watch *watch) {
    AfxiSweepOutcome outcome;
    AfxError error = {0};
    bool zero = !def->transport || def->transport->rank == 0;
    watch->interrupt = cli_interrupt_begin(!def->transport);
    AfxStatus status = afxi_sweep_study(def, &outcome, &error);
    cli_progress_end(&watch->progress);
    if (status != AFX_OK) {
        return zero ? cli_error_from(&error) : cli_exit_code(status);
    }
    if (zero && given->values[OPTION_JSON]) {
        print_json(def, &outcome);
    } else if (zero && !given->values[OPTION_QUIET]) {
        print_summary(def, &outcome);
    }
    if (zero && outcome.stopped) {
        cli_note("interrupted; to go on: affix sweep %s --out %s --resume", def->path, def->folder);
    }
    fflush(stdout);
    cli_interrupt_end(&watch->interrupt);
    return CLI_EXIT_FINE;
}

static int start(CliArguments *given) {
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow any more is an error like a full disk, not the end */
    char folder[4096];
    AfxiSweepDef def = afxi_default_sweep();
    Watch watch = {.quiet = given->values[OPTION_QUIET] || given->values[OPTION_JSON]};
    int code = read_settings(given, folder, sizeof(folder), &def);
    if (code == CLI_EXIT_FINE && !given->values[OPTION_NO_MPI] && started_by_mpi()) {
        code = open_transport(&def.transport);
    }
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    def.jobs = def.jobs ? def.jobs : def.transport && def.transport->size > 1 ? 1 : count_cores();
    watch.lines = def.transport && !watch.quiet;
    watch.next_line = cli_clock() + LINE_SECONDS;
    def.progress = show_progress;
    def.progress_user = &watch;
    def.stop = &watch.stop;
    code = do_sweep(&def, given, &watch);
    if (def.transport) {
        def.transport->close(def.transport->state);
    }
    return code;
}

const CliCommand cli_command_sweep = {
    .name = "sweep",
    .help = "run a case or a file many times with other parameters, on threads or by MPI",
    .usage = "<study.json> [options]\n       mpirun -n N affix sweep <study.json> [options]",
    .about =
        "Runs a scene many times with other parameters, as a study says (docs/sweeps.md), and writes\n"
        "runs.csv, HDF5 files and report.html. Results do not depend on threads and processes. Runs that fail are\n"
        "rows of the table.",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = start,
};
