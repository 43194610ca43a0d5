/* SPDX-License-Identifier: Apache-2.0 */
/* affix compare: one scene by several formulations and time steps. Each goes to a limit as the step falls, which is
 * extrapolated from its two finest steps by the order of its integrator; the limits must be the same motion. */
#include "cli/command.h"
#include "cli/json.h"
#include "cli/source.h"
#include "load/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMULATIONS_MOST = AFX_FORMULATION_COUNT, STEPS_MOST = 8 };
#define BESIDE 0.1     /* of the scene's size: where rotations are seen */
#define TOLERANCE 1e-3 /* of the scene's size: a tenth of what one sees in a picture of it */

enum {
    OPTION_FORMULATIONS = CLI_OPTION_FIRST,
    OPTION_DT,
    OPTION_TIME,
    OPTION_TOLERANCE,
    OPTION_RIGID,
    OPTION_JSON,
    OPTION_SOURCE,
    OPTION_COUNT = OPTION_SOURCE + CLI_SOURCE_OPTION_COUNT
};

static const CliOption options[OPTION_COUNT] = {
    CLI_OPTIONS_STANDARD,
    [OPTION_FORMULATIONS] = {"formulations", "A,B,...",
                             "which (default affix,reduced); all but the first are compared with it"},
    [OPTION_DT] = {"dt", "S,S,...", "time steps, falling, s (default 0.01,0.005,0.0025)"},
    [OPTION_TIME] = {"time", "S", "how long, s (default: 1)"},
    [OPTION_TOLERANCE] = {"tolerance", "X", "how far limits may differ, of the scene's size (default 1e-3)"},
    [OPTION_RIGID] = {"rigid", NULL, "make every body exactly rigid"},
    [OPTION_JSON] = {"json", NULL, "the result as JSON on stdout"},
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
};

/* One run. */
typedef struct Run {
    AfxVec3 *place;                    /* [points] at the end: centres of mass, and a point of each body beside it */
    double violation, energy, seconds; /* energy: drift of the total; seconds of a step */
    bool smooth;                       /* all steps went by Runge-Kutta */
} Run;

typedef struct Compare {
    CliSource source;
    AfxScene *scene;
    AfxModel *model;
    uint32_t formulation_count, dt_count, points; /* two of each body */
    AfxFormulation formulation[FORMULATIONS_MOST];
    double dt[STEPS_MOST], time, tolerance, size;
    double extent; /* the size or, of a point mass there is none, the longest way of a body */
    Run run[FORMULATIONS_MOST][STEPS_MOST];
    double limit[FORMULATIONS_MOST]; /* how far it is from that of the first */
    bool json;
} Compare;

/* ---- arguments ---- */

static bool read_formulations(const char *text, Compare *to) {
    char copy[256], *state = NULL;
    snprintf(copy, sizeof copy, "%s", text ? text : "affix,reduced");
    for (char *word = strtok_r(copy, ",", &state); word; word = strtok_r(NULL, ",", &state)) {
        uint32_t k = 0;
        if (!cli_option_choice("formulations", word, afxi_formulation_names, &k)) {
            return false;
        }
        if (to->formulation_count == FORMULATIONS_MOST) {
            cli_error("--formulations", "name each once", "too many formulations");
            return false;
        }
        to->formulation[to->formulation_count++] = (AfxFormulation)k;
    }
    if (to->formulation_count < 2) {
        cli_error("--formulations", "name two or more, with commas between them", "there is nothing to compare");
        return false;
    }
    return true;
}

static bool read_steps(const char *text, Compare *to) {
    char copy[256], *state = NULL;
    snprintf(copy, sizeof copy, "%s", text ? text : "0.01,0.005,0.0025");
    for (char *word = strtok_r(copy, ",", &state); word; word = strtok_r(NULL, ",", &state)) {
        if (to->dt_count == STEPS_MOST) {
            cli_error("--dt", "give at most 8", "too many time steps");
            return false;
        }
        double *dt = &to->dt[to->dt_count];
        if (!cli_option_number("dt", word, 1e-9, 10, "1e-9 to 10, seconds", dt)) {
            return false;
        }
        if (to->dt_count && !(*dt < dt[-1])) {
            cli_error("--dt", "give the longest first", "time steps must fall");
            return false;
        }
        to->dt_count++;
    }
    if (to->dt_count < 2) {
        cli_error("--dt", "give two or more, with commas between them", "a limit takes two time steps");
        return false;
    }
    return true;
}

static int read_arguments(const CliArguments *given, Compare *to) {
    const char *const *text = given->values;
    to->time = 1;
    to->tolerance = TOLERANCE;
    to->json = text[OPTION_JSON] != NULL;
    bool fine = read_formulations(text[OPTION_FORMULATIONS], to) && read_steps(text[OPTION_DT], to) &&
                (!text[OPTION_TIME] ||
                 cli_option_number("time", text[OPTION_TIME], 1e-9, 1e6, "1e-9 to 1e6, seconds", &to->time)) &&
                (!text[OPTION_TOLERANCE] ||
                 cli_option_number("tolerance", text[OPTION_TOLERANCE], 0, 1, "0 to 1", &to->tolerance));
    return fine ? cli_source_read(given, "compare", OPTION_SOURCE, &to->source) : CLI_EXIT_USAGE;
}

/* ---- runs ---- */

/* What a formulation is run with, and its order. */
static AfxIntegrator integrator_of(AfxFormulation formulation, double *out_order) {
    *out_order = formulation == AFX_REDUCED ? 4 : formulation == AFX_AFFIX || formulation == AFX_CHOOSE ? 2 : 1;
    return afxi_usual_integrator(formulation);
}

static int build(CliArguments *given, Compare *to) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxError error = {0};
    int code = cli_source_build(&to->source, &scene_def, &to->scene);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    bool rigid = given->values[OPTION_RIGID] || to->source.run.rigid;
    AfxStatus status = rigid ? afx_scene_make_rigid(to->scene) : AFX_OK;
    if (status != AFX_OK) {
        return cli_error_from(afx_scene_error(to->scene));
    }
    if (afx_model_create(to->scene, &to->model, &error) != AFX_OK) {
        return cli_error_from(&error);
    }
    to->points = 2 * afx_model_body_count(to->model);
    to->size = to->extent = afx_model_size(to->model);
    return CLI_EXIT_FINE;
}

static double distance(AfxVec3 a, AfxVec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static AfxVec3 centre_of(const AfxSim *sim, uint32_t body) {
    const double *q = afx_sim_coordinates(sim) + (size_t)12 * body;
    return (AfxVec3){q[9], q[10], q[11]};
}

static void take_extent(Compare *compare, const AfxSim *sim, const AfxVec3 *begin) {
    for (uint32_t k = 0; k < compare->points / 2; k++) {
        compare->extent = fmax(compare->extent, distance(begin[k], centre_of(sim, k)));
    }
}

static int run_sim(Compare *compare, AfxSim *sim, const AfxSimDef *def, Run *run) {
    uint64_t steps = (uint64_t)ceil(compare->time / def->dt - 1e-9);
    AfxEnergy begin, end;
    double mark = cli_clock();
    run->smooth = true;
    afx_sim_energy(sim, &begin);
    for (uint32_t k = 0; k < compare->points / 2; k++) {
        run->place[k] = centre_of(sim, k);
    }
    for (uint64_t n = 0; n < steps; n++) {
        AfxStepReport report;
        AfxStatus status = afx_step(sim, &report);
        if (status != AFX_OK) {
            cli_error(afxi_formulation_names[def->formulation], "take a smaller --dt, or see affix explain",
                      "step %llu of dt %g s failed: %s", (unsigned long long)report.step, def->dt,
                      afx_status_text(status));
            return cli_exit_code(status);
        }
        run->violation = fmax(run->violation, report.violation);
        run->smooth = run->smooth && report.flags & AFX_STEP_EXPLICIT;
    }
    run->seconds = (cli_clock() - mark) / (double)steps;
    afx_sim_energy(sim, &end);
    run->energy = end.total - begin.total;
    take_extent(compare, sim, run->place);
    for (uint32_t k = 0; k < compare->points; k++) {
        const double *q = afx_sim_coordinates(sim) + (size_t)12 * (k / 2), arm = k % 2 ? BESIDE * compare->size : 0;
        run->place[k] = (AfxVec3){q[9] + arm * (q[0] + q[3] + q[6]), q[10] + arm * (q[1] + q[4] + q[7]),
                                  q[11] + arm * (q[2] + q[5] + q[8])};
    }
    return CLI_EXIT_FINE;
}

static int run_one(Compare *compare, uint32_t f, uint32_t s) {
    AfxSimDef def = afx_default_sim();
    AfxError error = {0};
    AfxSim *sim;
    double order;
    def.formulation = compare->formulation[f];
    def.integrator = integrator_of(def.formulation, &order);
    def.accuracy = def.formulation == AFX_AFFIX ? AFX_ACCURATE : AFX_FAST;
    def.dt = compare->dt[s];
    def.error = &error;
    compare->run[f][s].place = calloc(compare->points + 1, sizeof(AfxVec3));
    if (!compare->run[f][s].place) {
        cli_error("compare", "use a smaller scene", "out of memory");
        return CLI_EXIT_SYSTEM;
    }
    if (afx_sim_create(compare->model, &def, &sim) != AFX_OK) {
        return cli_error_from(&error);
    }
    int code = run_sim(compare, sim, &def, &compare->run[f][s]);
    afx_sim_destroy(sim);
    return code;
}

/* ---- limits ---- */

/* The place of a body in the limit, from the two finest steps. */
static AfxVec3 limit_of(const Compare *compare, uint32_t f, uint32_t body) {
    uint32_t last = compare->dt_count - 1;
    double order, ratio;
    integrator_of(compare->formulation[f], &order);
    bool mixed = !compare->run[f][last].smooth || !compare->run[f][last - 1].smooth; /* steps of auto went by bdf2 */
    order = mixed ? fmin(order, 2) : order;
    ratio = 1 / (pow(compare->dt[last - 1] / compare->dt[last], order) - 1);
    AfxVec3 fine = compare->run[f][last].place[body], coarse = compare->run[f][last - 1].place[body];
    return (AfxVec3){fine.x + ratio * (fine.x - coarse.x), fine.y + ratio * (fine.y - coarse.y),
                     fine.z + ratio * (fine.z - coarse.z)};
}

/* Largest distance of a run's bodies from another's limit. */
static double away(const Compare *compare, uint32_t f, uint32_t s, uint32_t from) {
    double most = 0;
    for (uint32_t k = 0; k < compare->points; k++) {
        most = fmax(most, distance(compare->run[f][s].place[k], limit_of(compare, from, k)));
    }
    return most;
}

static bool judge(Compare *compare) {
    bool fine = true;
    for (uint32_t f = 1; f < compare->formulation_count; f++) {
        for (uint32_t k = 0; k < compare->points; k++) {
            compare->limit[f] = fmax(compare->limit[f], distance(limit_of(compare, f, k), limit_of(compare, 0, k)));
        }
        fine = fine && compare->limit[f] <= compare->tolerance * compare->extent;
    }
    return fine;
}

static void print_text(const Compare *compare, bool fine) {
    printf("%-20s %10s %12s %7s %12s %12s %10s\n", "formulation", "dt, s", "error, m", "order", "violation",
           "energy, J", "us/step");
    for (uint32_t f = 0; f < compare->formulation_count; f++) {
        double before = 0;
        for (uint32_t s = 0; s < compare->dt_count; s++) {
            const Run *run = &compare->run[f][s];
            double error = away(compare, f, s, f);
            char order[16] = "";
            if (s > 0 && error > 0 && before > 0) {
                snprintf(order, sizeof order, "%.2f", log(before / error) / log(compare->dt[s - 1] / compare->dt[s]));
            }
            printf("%-20s %10g %12.3g %7s %12.2g %12.3g %10.2f\n",
                   s ? "" : afxi_formulation_names[compare->formulation[f]], compare->dt[s], error, order,
                   run->violation, run->energy, 1e6 * run->seconds);
            before = error;
        }
    }
    for (uint32_t f = 1; f < compare->formulation_count; f++) {
        printf("limits of %s and %s differ by %.3g m%s\n", afxi_formulation_names[compare->formulation[0]],
               afxi_formulation_names[compare->formulation[f]], compare->limit[f],
               fine ? "" : ": more than the tolerance allows");
    }
}

static void print_json(const Compare *compare, bool fine) {
    CliJson json = cli_json_begin(stdout, 3);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "case", compare->source.label);
    cli_json_number(&json, "time", compare->time);
    cli_json_number(&json, "tolerance", compare->tolerance * compare->extent);
    cli_json_boolean(&json, "agree", fine);
    cli_json_array(&json, "formulations");
    for (uint32_t f = 0; f < compare->formulation_count; f++) {
        cli_json_object(&json, NULL);
        cli_json_text(&json, "formulation", afxi_formulation_names[compare->formulation[f]]);
        cli_json_number(&json, "limit_difference", compare->limit[f]);
        cli_json_array(&json, "runs");
        for (uint32_t s = 0; s < compare->dt_count; s++) {
            const Run *run = &compare->run[f][s];
            cli_json_object(&json, NULL);
            cli_json_number(&json, "dt", compare->dt[s]);
            cli_json_number(&json, "error", away(compare, f, s, f));
            cli_json_number(&json, "difference", away(compare, f, s, 0));
            cli_json_number(&json, "violation", run->violation);
            cli_json_number(&json, "energy_change", run->energy);
            cli_json_number(&json, "seconds_per_step", run->seconds);
            cli_json_close(&json);
        }
        cli_json_close(&json);
        cli_json_close(&json);
    }
    cli_json_close(&json);
    cli_json_close(&json);
    cli_json_end(&json);
}

static int start(CliArguments *given) {
    Compare compare = {0};
    int code = read_arguments(given, &compare);
    code = code == CLI_EXIT_FINE ? build(given, &compare) : code;
    for (uint32_t f = 0; f < compare.formulation_count; f++) {
        for (uint32_t s = 0; code == CLI_EXIT_FINE && s < compare.dt_count; s++) {
            code = run_one(&compare, f, s);
        }
    }
    if (code == CLI_EXIT_FINE) {
        bool fine = judge(&compare);
        (compare.json ? print_json : print_text)(&compare, fine);
        code = fine ? CLI_EXIT_FINE : CLI_EXIT_NUMERIC;
    }
    for (uint32_t f = 0; f < compare.formulation_count; f++) {
        for (uint32_t s = 0; s < compare.dt_count; s++) {
            free(compare.run[f][s].place);
        }
    }
    cli_source_destroy(&compare.source);
    afx_model_destroy(compare.model);
    afx_scene_destroy(compare.scene);
    return code;
}

const CliCommand cli_command_compare = {
    .name = "compare",
    .help = "run a scene by several formulations and time steps, and compare their limits",
    .usage = "<case|file> [name=value ...] [options]",
    .about = "Runs a scene by each formulation (affix with bdf2, reduced with auto, published ones with bdf1) at each "
             "time step.\n"
             "The limit of each as the step falls is extrapolated from its two finest steps. Exit code 4 when limits "
             "differ by\n"
             "more than --tolerance times the scene's size: then one of them solves another problem.",
    .options = options,
    .option_count = OPTION_COUNT,
    .scene = true,
    .numeric = true,
    .run = start,
};
