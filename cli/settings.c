/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `affix run`, turned into settings. */
#include "cli/settings.h"
#include "cli/spool.h"
#include "load/run.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_LIMIT 1000000000000000u /* 1e15: exact as a double, and longer than anyone waits */
#define DIVIDES 1e-9                 /* of a step: so close to a whole number of steps is one */

enum {
    OPTION_SOURCE = CLI_OPTION_FIRST,
    OPTION_TIME = OPTION_SOURCE + CLI_SOURCE_OPTION_COUNT,
    OPTION_STEPS,
    OPTION_DT,
    OPTION_INTEGRATOR,
    OPTION_RHO,
    OPTION_ACCURACY,
    OPTION_ITERATIONS,
    OPTION_SOLVES,
    OPTION_THREADS,
    OPTION_LANES,
    OPTION_SOLVER,
    OPTION_FORMULATION,
    OPTION_CONTACT,
    OPTION_GAP,
    OPTION_FLOPS,
    OPTION_BYTES,
    OPTION_SLEEP,
    OPTION_RIGID,
    OPTION_SET,
    OPTION_JSON,
    OPTION_BRIEF,
    OPTION_QUIET,
    OPTION_VERIFY,
    OPTION_ENERGY_BOOK,
    OPTION_DRIVE_WEIGHT,
    OPTION_FROM,
    OPTION_TRACE,
    OPTION_DUMP_FAILURE,
    OPTION_OUTPUT /* the first of those in cli/output.h */
};

const CliOption cli_settings_options[CLI_SETTINGS_OPTION_COUNT] = {
    CLI_OPTIONS_STANDARD,
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
    [OPTION_TIME] = {"time", "T", "simulated time, s (default: as the case or file says; else 1)"},
    [OPTION_STEPS] = {"steps", "N", "number of steps, instead of --time"},
    [OPTION_DT] = {"dt", "H", "time step, s (default: as the case or file says; else 0.001)"},
    [OPTION_INTEGRATOR] =
        {"integrator", "NAME",
         "bdf2 (default), bdf1, sdirk2, alpha, conserving, conserving4, reference, rk4, auto or gauss2"},
    [OPTION_RHO] = {"rho", "R", "spectral radius of alpha, 0 to 1 (default 0.8)"},
    [OPTION_ACCURACY] = {"accuracy", "NAME", "fast (default), accurate or converged"},
    [OPTION_ITERATIONS] = {"iterations", "N", "exactly N solver iterations per step, instead of --accuracy"},
    [OPTION_SOLVES] = {"solves", "N", "older name of --iterations"},
    [OPTION_THREADS] = {"threads", "N", "threads (default 1); results do not depend on it"},
    [OPTION_LANES] = {"lanes", "N", "1, 2, 4 or 8 (default: the widest of this machine); results do not depend on it"},
    [OPTION_SOLVER] = {"solver", "NAME", "auto (default), dense, chain, tree, schur, graph, cg or gs"},
    [OPTION_FORMULATION] = {"formulation", "NAME",
                            "affix (default), reduced: joint coordinates, auto: the cheaper of both; or one to compare "
                            "with, by bdf1: mabd-paper, mabd-paper-nopolar, abd-vanilla or abd-ipc"},
    [OPTION_CONTACT] = {"contact", "NAME", "compliant (default), or barrier: nothing ever intersects, by bdf2 or bdf1"},
    [OPTION_GAP] = {"gap", "D",
                    "of barrier contact, m: surfaces push where they are nearer (default: 1e-3 of the bodies)"},
    [OPTION_FLOPS] = {"flops-most", "N",
                      "refuse steps of which a solver iteration would take more flops (default: 2e11, a minute)"},
    [OPTION_BYTES] = {"bytes-most", "N", "the same for memory, bytes (default: 8e9)"},
    [OPTION_SLEEP] = {"sleep", "X", "bodies that were slower than X m/s for half a second sleep (default: none does)"},
    [OPTION_RIGID] = {"rigid", NULL, "make every body exactly rigid"},
    [OPTION_SET] = {"set", "NAME=X,...", "parameters of the run: body.mass:NAME=2,gravity.z=-1.6 (docs/sweeps.md)"},
    [OPTION_JSON] = {"json", NULL, "print one JSON object on stdout"},
    [OPTION_BRIEF] = {"brief", NULL, "report without table and plot"},
    [OPTION_QUIET] = {"quiet", NULL, "print nothing but errors (and what --json prints)"},
    [OPTION_VERIFY] = {"verify", NULL,
                       "evaluate the equations of every step independently, and report their residuals"},
    [OPTION_ENERGY_BOOK] = {"energy-book", NULL, "account for the energy of every step: who did which work"},
    [OPTION_DRIVE_WEIGHT] = {"drive-weight", "W",
                             "share loads of redundant constraints by weights: W for efforts of drives, 1 for joints"},
    [OPTION_FROM] = {"from", "SNAPSHOT", "begin with the state of a snapshot of this scene"},
    [OPTION_TRACE] = {"trace", "FILE",
                      "write what the solver did, as lines of JSON (- for stdout); affix explain FILE reads it"},
    [OPTION_DUMP_FAILURE] = {"dump-failure", "DIR", "keep a step that fails: scene, state before it, trace"},
    CLI_OUTPUT_OPTIONS(OPTION_OUTPUT),
};

_Static_assert(OPTION_OUTPUT + CLI_OUTPUT_OPTION_COUNT == CLI_SETTINGS_OPTION_COUNT, "all options are counted");
static const CliOption *const options = cli_settings_options;
#define OPTION_COUNT CLI_SETTINGS_OPTION_COUNT

const char *cli_settings_integrator(const CliSettings *settings) {
    return afxi_integrator_name(settings->sim.integrator);
}

const char *cli_formulation_name(AfxFormulation formulation) {
    return afxi_formulation_names[formulation];
}

static bool exclusive(const CliArguments *given, uint32_t a, uint32_t b) {
    if (given->values[a] && given->values[b]) {
        char element[64];
        snprintf(element, sizeof(element), "--%s and --%s", options[a].name, options[b].name);
        cli_error(element, "give one of them", "exclude each other");
        return false;
    }
    return true;
}

/* Reads a whole number into 32 bits; keeps *out_value when the option is not given. */
static bool read_integer(const CliArguments *given, uint32_t option, uint32_t max, uint32_t *out_value) {
    uint64_t value = *out_value;
    const char *text = given->values[option];
    if (text && !cli_option_integer(options[option].name, text, 1, max, &value)) {
        return false;
    }
    *out_value = (uint32_t)value;
    return true;
}

/* Formulations take their usual integrator unless another one was asked for. */
static bool read_formulation(const CliArguments *given, AfxSimDef *sim) {
    const char *text = given->values[OPTION_FORMULATION];
    uint32_t k = sim->formulation;
    bool usual = sim->integrator == afxi_usual_integrator(sim->formulation);
    if (text && !cli_option_choice("formulation", text, afxi_formulation_names, &k)) {
        return false;
    }
    sim->formulation = (AfxFormulation)k;
    /* auto goes by any integrator: one of the file's own stays */
    if (text && k != AFX_AFFIX && (k != AFX_CHOOSE || usual) && !given->values[OPTION_INTEGRATOR]) {
        sim->integrator = afxi_usual_integrator(sim->formulation);
    }
    return true;
}

static bool read_contact(const CliArguments *given, AfxSimDef *sim) {
    const char *text = given->values[OPTION_CONTACT], *gap = given->values[OPTION_GAP];
    uint32_t k = sim->contact_model;
    if (text && !cli_option_choice("contact", text, afxi_contact_model_names, &k)) {
        return false;
    }
    sim->contact_model = (AfxContactModel)k;
    if (gap && k != AFX_CONTACT_BARRIER) {
        cli_error("--gap", "add --contact barrier", "is a setting of barrier contact only");
        return false;
    }
    return !gap || cli_option_number("gap", gap, DBL_MIN, DBL_MAX, "more than 0, metres", &sim->contact_gap);
}

static bool read_limits(const CliArguments *given, AfxSimDef *sim) {
    const char *flops = given->values[OPTION_FLOPS], *bytes = given->values[OPTION_BYTES];
    return (!flops || cli_option_number("flops-most", flops, DBL_MIN, DBL_MAX, "more than 0", &sim->flops_most)) &&
           (!bytes || cli_option_number("bytes-most", bytes, DBL_MIN, DBL_MAX, "more than 0", &sim->bytes_most));
}

static bool read_sleep(const CliArguments *given, AfxSimDef *sim) {
    const char *speed = given->values[OPTION_SLEEP];
    return !speed || cli_option_number("sleep", speed, DBL_MIN, DBL_MAX, "more than 0, m/s", &sim->sleep_speed);
}

static bool read_method(const CliArguments *given, AfxSimDef *sim) {
    static const char *const lane_counts[] = {"1", "2", "4", "8", NULL};
    const char *const *text = given->values;
    uint32_t k = 0;
    if (text[OPTION_INTEGRATOR]) {
        if (!cli_option_choice("integrator", text[OPTION_INTEGRATOR], afxi_integrator_names, &k)) {
            return false;
        }
        sim->integrator = afxi_integrators[k];
    }
    if (text[OPTION_RHO]) {
        if (sim->integrator != AFX_ALPHA) {
            cli_error("--rho", "add --integrator alpha", "is a setting of the alpha integrator only");
            return false;
        }
        if (!cli_option_number("rho", text[OPTION_RHO], 0, 1, "0 to 1", &sim->rho)) {
            return false;
        }
    }
    if (text[OPTION_ACCURACY]) {
        if (!cli_option_choice("accuracy", text[OPTION_ACCURACY], afxi_accuracy_names, &k)) {
            return false;
        }
        sim->accuracy = (AfxAccuracy)k;
        sim->solves = 0; /* what a file says of iterations */
    }
    if (text[OPTION_LANES]) {
        if (!cli_option_choice("lanes", text[OPTION_LANES], lane_counts, &k)) {
            return false;
        }
        sim->lanes = 1u << k;
    }
    return read_integer(given, OPTION_ITERATIONS, 1000, &sim->solves) &&
           read_integer(given, OPTION_SOLVES, 1000, &sim->solves) &&
           read_integer(given, OPTION_THREADS, 1024, &sim->threads);
}

static bool count_steps(double time, double dt, uint64_t *out_steps, bool *out_overshoots) {
    double ratio = time / dt;
    double whole = nearbyint(ratio);
    *out_overshoots = fabs(ratio - whole) > DIVIDES * fmax(1, ratio);
    whole = *out_overshoots ? ceil(ratio) : whole;
    if (!(whole <= (double)STEP_LIMIT)) {
        cli_error("--time", "use a shorter time or a larger --dt", "would take more than 1e15 steps");
        return false;
    }
    *out_steps = (uint64_t)whole;
    return true;
}

static bool read_duration(const CliArguments *given, CliSettings *settings) {
    const char *const *text = given->values;
    double time = settings->source.run.time;
    if (text[OPTION_DT] &&
        !cli_option_number("dt", text[OPTION_DT], DBL_TRUE_MIN, DBL_MAX, "more than 0, seconds", &settings->sim.dt)) {
        return false;
    }
    settings->dt_given = text[OPTION_DT] != NULL;
    settings->time = NAN;
    if (text[OPTION_STEPS]) {
        return cli_option_integer("steps", text[OPTION_STEPS], 0, STEP_LIMIT, &settings->steps);
    }
    if (text[OPTION_TIME] && !cli_option_number("time", text[OPTION_TIME], 0, DBL_MAX, "0 or more, seconds", &time)) {
        return false;
    }
    settings->time = time;
    return count_steps(time, settings->sim.dt, &settings->steps, &settings->overshoots);
}

bool cli_settings_take_dt(CliSettings *settings, double dt) {
    settings->sim.dt = dt;
    return isnan(settings->time) || count_steps(settings->time, dt, &settings->steps, &settings->overshoots);
}

static void write_title(const CliArguments *given, char *out_title, size_t size) {
    size_t used = 0;
    for (uint32_t k = 0; k < given->word_count && used < size; ++k) {
        used += (size_t)snprintf(out_title + used, size - used, "%s%s", k ? " " : "", given->words[k]);
    }
}

static bool read_solver(const CliArguments *given, AfxModelDef *model) {
    const char *text = given->values[OPTION_SOLVER];
    uint32_t k = model->solver;
    bool fine = !text || cli_option_choice("solver", text, afxi_solver_names, &k);
    model->solver = (AfxSolver)k;
    return fine;
}

static bool spares(const CliSettings *settings, const char *path) {
    if (path && settings->from && cli_same_file(settings->from, path)) {
        cli_error(path, "write to another file", "is the snapshot that is read: it would be overwritten");
        return false;
    }
    return !path || cli_source_spares(&settings->source, path);
}

/* No output may be the file that the scene comes from, nor, but for a later snapshot, the one that the state comes
 * from. */
static bool spares_input(const CliSettings *settings) {
    bool fine = true;
    for (uint32_t k = 0; k < CLI_OUTPUT_FILES && fine; ++k) {
        fine = spares(settings, settings->output.paths[k]);
    }
    bool going_on = settings->resume.snapshot && settings->source.result; /* with the scene of its own snapshot */
    return fine &&
           (!settings->output.snapshot || going_on ||
            cli_source_spares(&settings->source, settings->output.snapshot)) &&
           spares(settings, settings->trace);
}

/* One thing goes to stdout: a table, a trace, one JSON object, or the report, which a table or trace replaces. */
static bool shares_stdout(CliSettings *settings) {
    bool table = cli_output_is_stdout(&settings->output), trace = settings->trace && strcmp(settings->trace, "-") == 0;
    if (table + trace + settings->json > 1) {
        cli_error("-", "write all but one of them to files", "stdout is for one of --csv, --trace and --json");
        return false;
    }
    settings->silent = settings->quiet || table || trace;
    return true;
}

/* What options say in place of what the case or file does; before it is built, a file has said nothing. */
static bool read_run(const CliArguments *given, bool built, CliSettings *settings) {
    const AfxRunDef *run = &settings->source.run;
    settings->model = run->model;
    settings->sim = run->sim;
    settings->sim.threads = 1;
    settings->rigid = run->rigid || given->values[OPTION_RIGID];
    settings->energy_book = run->energy_book || given->values[OPTION_ENERGY_BOOK];
    settings->set = given->values[OPTION_SET] ? given->values[OPTION_SET] : run->set[0] ? run->set : NULL;
    return read_solver(given, &settings->model) && read_formulation(given, &settings->sim) &&
           read_contact(given, &settings->sim) && read_limits(given, &settings->sim) &&
           read_sleep(given, &settings->sim) && read_method(given, &settings->sim) && read_duration(given, settings) &&
           cli_output_read(given->values + OPTION_OUTPUT, built ? run : NULL, &settings->output) &&
           spares_input(settings) && shares_stdout(settings);
}

bool cli_settings_take_run(CliSettings *settings) {
    return read_run(settings->given, true, settings);
}

void cli_settings_run(const CliSettings *settings, AfxRunDef *out_run) {
    *out_run = settings->source.run;
    out_run->sim = settings->sim;
    out_run->model = settings->model;
    out_run->time = isnan(settings->time) ? (double)settings->steps * settings->sim.dt : settings->time;
    out_run->rigid = settings->rigid;
    out_run->energy_book = settings->energy_book;
    out_run->every = settings->output.every;
    out_run->parameter_count = 0; /* their values are in the scene */
    snprintf(out_run->set, sizeof(out_run->set), "%s", settings->set ? settings->set : "");
}

static int read_all(const CliArguments *given, CliSettings *settings) {
    int code = cli_source_read(given, "run", OPTION_SOURCE, &settings->source);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    write_title(given, settings->title, sizeof(settings->title));
    settings->given = given;
    settings->json = given->values[OPTION_JSON] != NULL;
    settings->brief = given->values[OPTION_BRIEF] != NULL;
    settings->quiet = given->values[OPTION_QUIET] != NULL;
    settings->verify = given->values[OPTION_VERIFY] != NULL;
    settings->from = given->values[OPTION_FROM];
    if (given->values[OPTION_DRIVE_WEIGHT] &&
        !cli_option_number("drive-weight", given->values[OPTION_DRIVE_WEIGHT], 1e-12, 1e12, "1e-12 to 1e12",
                           &settings->drive_weight)) {
        return CLI_EXIT_USAGE;
    }
    settings->trace = given->values[OPTION_TRACE];
    settings->dump_failure = given->values[OPTION_DUMP_FAILURE];
    bool fine = exclusive(given, OPTION_TIME, OPTION_STEPS) &&
                exclusive(given, OPTION_FROM, OPTION_OUTPUT + CLI_OUTPUT_RESUME) &&
                exclusive(given, OPTION_ACCURACY, OPTION_SOLVES) &&
                exclusive(given, OPTION_ACCURACY, OPTION_ITERATIONS) &&
                exclusive(given, OPTION_ITERATIONS, OPTION_SOLVES) && read_run(given, !settings->source.file, settings);
    return fine ? CLI_EXIT_FINE : CLI_EXIT_USAGE;
}

/* A run whose scene file is gone goes on with the scene in its snapshot. */
static void find_scene(CliSettings *settings, const char *snapshot) {
    CliSource *source = &settings->source;
    if (source->file && strcmp(source->label, "-") != 0 && access(source->label, F_OK) != 0) {
        source->label = snapshot;
        source->result = AFXI_RESULT_SNAPSHOT;
        source->load.parameter_count = 0; /* they are in it */
    }
}

bool cli_settings_read(CliArguments *given, CliSettings *out_settings, int *out_code) {
    *out_settings = (CliSettings){0};
    *out_code = CLI_EXIT_USAGE;
    const char *resume = given->values[OPTION_OUTPUT + CLI_OUTPUT_RESUME];
    if (resume && !cli_resume_read(resume, options, OPTION_COUNT, given, &out_settings->resume, out_code)) {
        return false;
    }
    *out_code = read_all(given, out_settings);
    if (*out_code == CLI_EXIT_FINE && resume) {
        find_scene(out_settings, resume);
    }
    if (*out_code == CLI_EXIT_FINE && (out_settings->output.snapshot || out_settings->dump_failure)) {
        out_settings->command = cli_resume_command(options, OPTION_COUNT, given, &out_settings->command_size);
        if (!out_settings->command) {
            cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
            *out_code = CLI_EXIT_SYSTEM;
        }
    }
    return *out_code == CLI_EXIT_FINE;
}

void cli_settings_destroy(CliSettings *settings) {
    cli_source_destroy(&settings->source);
    cli_resume_destroy(&settings->resume);
    free(settings->command);
    settings->command = NULL;
}
