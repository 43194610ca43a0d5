/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities and parameters by name, runs that are recorded, and the same by differences. */
#include "cli/gradient.h"

#include "cases/text.h"
#include "load/run.h"
#include "out/catalog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIFFERENCE 1e-3 /* of a number's size; of most, the error of sixth order is then below rounding */
#define NARROWER 8.0    /* for the others (a thousandth of a long cable may be all its stretch) the step is divided, */
#define ROUNDS 3        /* until those of fourth order agree, */
#define SHARP 1e-7      /* relative, or are off by rounding, */
#define FALLS 0.1       /* as they are where a narrower step does not bring them this much nearer */

static int memory_error(void) {
    cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
    return CLI_EXIT_SYSTEM;
}

/* One more item at the end of a list; NULL: out of memory. */
static void *append(void **list, uint32_t *count, size_t size) {
    void *more = realloc(*list, (*count + 1) * size);
    if (more) {
        *list = more;
        memset((char *)more + *count * size, 0, size);
        ++*count;
        return (char *)more + (*count - 1) * size;
    }
    return NULL;
}

/* ---- quantities ---- */

static const struct {
    const char *name;
    AfxiItem item; /* AFXI_ITEM_COUNT: by number */
    const char *components[7];
} kinds[AFX_QUANTITY_KIND_COUNT] = {
    [AFX_QUANTITY_MARKER] = {"marker", AFXI_ITEM_MARKER, {"x", "y", "z"}},
    [AFX_QUANTITY_MARKER_VELOCITY] = {"velocity", AFXI_ITEM_MARKER, {"x", "y", "z"}},
    [AFX_QUANTITY_JOINT] = {"joint", AFXI_ITEM_JOINT, {"0", "1", "2", "3", "4", "5"}},
    [AFX_QUANTITY_RATE] = {"rate", AFXI_ITEM_JOINT, {"0", "1", "2", "3", "4", "5"}},
    [AFX_QUANTITY_REACTION] = {"reaction", AFXI_ITEM_JOINT, {"fx", "fy", "fz", "tx", "ty", "tz"}},
    [AFX_QUANTITY_EFFORT] = {"effort", AFXI_ITEM_DRIVE, {NULL}},
    [AFX_QUANTITY_SPRING] = {"spring", AFXI_ITEM_COUNT, {NULL}},
    [AFX_QUANTITY_ENERGY] = {"energy", AFXI_ITEM_ONE, {"total", "kinetic", "potential", "elastic"}},
};

/* The component that a text names; UINT32_MAX: none. NULL is the first. */
static uint32_t component_of(AfxQuantityKind kind, const char *text) {
    for (uint32_t k = 0; text && kinds[kind].components[k]; ++k) {
        if (strcmp(kinds[kind].components[k], text) == 0) {
            return k;
        }
    }
    return text ? UINT32_MAX : 0;
}

static uint32_t item_of(const AfxiCatalog *catalog, const CliGradient *gradient, AfxQuantityKind kind, const char *name,
                        size_t length) {
    char *end = NULL;
    if (kinds[kind].item != AFXI_ITEM_COUNT) {
        return afxi_catalog_find(catalog, kinds[kind].item, name, length);
    }
    unsigned long index = strtoul(name, &end, 10);
    return length && end == name + length && index < afx_scene_spring_count(gradient->scene) ? (uint32_t)index
                                                                                             : UINT32_MAX;
}

/* KIND[:ITEM][.COMPONENT] */
static bool read_quantity(const CliGradient *gradient, const AfxiCatalog *catalog, const char *text, AfxQuantity *out) {
    size_t word = strcspn(text, ":.");
    for (int kind = 0; kind < AFX_QUANTITY_KIND_COUNT; ++kind) {
        if (strlen(kinds[kind].name) != word || strncmp(kinds[kind].name, text, word) != 0) {
            continue;
        }
        const char *rest = text + word, *component = NULL;
        *out = (AfxQuantity){(AfxQuantityKind)kind, 0, 0};
        if (kinds[kind].item == AFXI_ITEM_ONE) {
            component = rest[0] == '.' ? rest + 1 : NULL;
        } else if (rest[0] == ':') {
            const char *point = strrchr(rest, '.');
            out->index = item_of(catalog, gradient, out->kind, rest + 1, strlen(rest + 1));
            if (out->index == UINT32_MAX && point) {
                out->index = item_of(catalog, gradient, out->kind, rest + 1, (size_t)(point - rest - 1));
                component = point + 1;
            }
        } else {
            return false;
        }
        out->component = component_of(out->kind, component);
        bool needs =
            kind == AFX_QUANTITY_MARKER || kind == AFX_QUANTITY_MARKER_VELOCITY || kind == AFX_QUANTITY_REACTION;
        return out->index != UINT32_MAX && out->component != UINT32_MAX && (component || !needs);
    }
    return false;
}

/* QUANTITY@TIME */
static int read_objective(CliGradient *gradient, const AfxiCatalog *catalog, const char *text) {
    CliObjective *objective = append((void **)&gradient->objectives, &gradient->objective_count, sizeof(*objective));
    char name[CLI_GRADIENT_NAME];
    double time = gradient->time;
    if (!objective) {
        return memory_error();
    }
    snprintf(objective->name, sizeof(objective->name), "%s", text);
    snprintf(name, sizeof(name), "%s", text);
    char *when = strrchr(name, '@');
    if (when) {
        *when++ = '\0';
        if (strcmp(when, "end") != 0 && (!afxi_case_number(when, &time) || !(time >= 0) || time > 1e9)) {
            cli_error("--of", "a time in s that is not negative, or end", "\"%s\" is no time", when);
            return CLI_EXIT_USAGE;
        }
    }
    objective->step = (uint64_t)llround(time / gradient->sim.dt);
    if (!read_quantity(gradient, catalog, name, &objective->quantity)) {
        cli_error(
            "--of",
            "marker:NAME.x, velocity:NAME.x, joint:NAME, rate:NAME, reaction:NAME.fx, effort:DRIVE, spring:INDEX, "
            "energy, energy.kinetic; affix info lists the names",
            "there is no quantity \"%s\"", name);
        return CLI_EXIT_USAGE;
    }
    return CLI_EXIT_FINE;
}

/* ---- parameters ---- */

static int add_number(CliGradient *gradient, const char *text, AfxParamKind kind, uint32_t item, uint32_t component) {
    AfxParamInfo info;
    CliNumber *number = append((void **)&gradient->numbers, &gradient->number_count, sizeof(*number));
    if (!number) {
        return memory_error();
    }
    afx_model_param_info(gradient->model, kind, &info);
    *number = (CliNumber){.kind = kind, .item = item, .component = component};
    number->at = info.offset + (size_t)item * info.size + component;
    number->value = afx_model_params(gradient->model, NULL)[number->at];
    snprintf(number->name, sizeof(number->name), "%s", text);
    return CLI_EXIT_FINE;
}

/* One component, or all, of the items that a name means. */
static int add_numbers(CliGradient *gradient, const char *text, const AfxiParamPlace *place) {
    int code = CLI_EXIT_FINE;
    if (place->target) {
        cli_error(text, "targets of signals are not parameters of the registry: docs/gradients.md",
                  "no derivatives by targets here");
        return CLI_EXIT_USAGE;
    }
    const char *star = strchr(text, '*');
    for (uint32_t k = 0; k < place->count && code == CLI_EXIT_FINE; ++k) {
        char name[2 * CLI_GRADIENT_NAME];
        if (star) {
            snprintf(name, sizeof(name), "%.*s%u%s", (int)(star - text), text, (unsigned)(place->first + k), star + 1);
        } else {
            snprintf(name, sizeof(name), "%s", text);
        }
        name[CLI_GRADIENT_NAME - 1] = '\0';
        code = add_number(gradient, name, place->kind, place->first + k, place->component);
    }
    return code;
}

/* A name without its component stands for all of them. */
static int read_number(CliGradient *gradient, const char *text) {
    AfxiParamPlace place;
    AfxError error = {0};
    char name[2 * CLI_GRADIENT_NAME];
    if (afxi_param_find(gradient->scene, gradient->model, text, &place, &error) == AFX_OK) {
        return add_numbers(gradient, text, &place);
    }
    int code = CLI_EXIT_FINE;
    bool any = false;
    for (uint32_t c = 0; code == CLI_EXIT_FINE && afxi_param_component(place.kind, c); ++c) {
        AfxError unused = {0};
        AfxiParamPlace one;
        snprintf(name, sizeof(name), "%.150s.%s", text, afxi_param_component(place.kind, c));
        if (afxi_param_find(gradient->scene, gradient->model, name, &one, &unused) == AFX_OK) {
            code = add_numbers(gradient, name, &one);
            any = true;
        }
    }
    return any ? code : cli_error_from(&error);
}

/* All numbers that are finite, and no switches. */
static int read_all(CliGradient *gradient) {
    int code = CLI_EXIT_FINE;
    for (int kind = 0; kind < AFX_PARAM_KIND_COUNT; ++kind) {
        AfxParamInfo info;
        afx_model_param_info(gradient->model, (AfxParamKind)kind, &info);
        const double *values = afx_model_params(gradient->model, NULL) + info.offset;
        bool fixed = kind == AFX_PARAM_BODY_GRAVITY || kind == AFX_PARAM_JOINT_BREAK || kind == AFX_PARAM_MATERIAL_PAIR;
        for (uint32_t k = 0; !fixed && k < info.count * info.size && code == CLI_EXIT_FINE; ++k) {
            const char *component = afxi_param_component((AfxParamKind)kind, k % info.size);
            char name[CLI_GRADIENT_NAME];
            bool one = kind == AFX_PARAM_GRAVITY;
            snprintf(name, sizeof(name), one ? "%s%.0u%s%s" : "%s:%u%s%s", info.name, one ? 0 : k / info.size,
                     info.size > 1 ? "." : "", info.size > 1 && component ? component : "");
            if (isfinite(values[k]) && (values[k] != 0 || one)) {
                code = add_number(gradient, name, info.kind, k / info.size, k % info.size);
            }
        }
    }
    return code;
}

/* ---- settings ---- */

/* Each part of a list with commas. */
static int each(CliGradient *gradient, const AfxiCatalog *catalog, const char *list, bool objectives) {
    int code = CLI_EXIT_FINE;
    for (const char *at = list; at && code == CLI_EXIT_FINE; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char text[CLI_GRADIENT_NAME];
        snprintf(text, sizeof(text), "%.*s", (int)strcspn(at, ","), at);
        code = objectives                 ? read_objective(gradient, catalog, text)
               : strcmp(text, "all") == 0 ? read_all(gradient)
                                          : read_number(gradient, text);
    }
    return code;
}

static int read_names(CliGradient *gradient, const char *of, const char *wrt) {
    AfxAllocator allocator = afx_default_allocator();
    AfxiCatalog catalog;
    if (afxi_catalog_create(&allocator, gradient->scene, gradient->model, &catalog) != AFX_OK) {
        return memory_error();
    }
    int code = each(gradient, &catalog, of, true);
    code = code == CLI_EXIT_FINE ? each(gradient, NULL, wrt, false) : code;
    afxi_catalog_destroy(&catalog);
    return code;
}

static bool read_settings(const CliArguments *given, uint32_t first, CliGradient *gradient) {
    const char *const *values = given->values + first;
    uint32_t choice = 0;
    gradient->json = values[CLI_GRADIENT_JSON] != NULL;
    if (values[CLI_GRADIENT_INTEGRATOR]) {
        if (!cli_option_choice("integrator", values[CLI_GRADIENT_INTEGRATOR], afxi_integrator_names, &choice)) {
            return false;
        }
        gradient->sim.integrator = afxi_integrators[choice];
    }
    return (!values[CLI_GRADIENT_TIME] ||
            cli_option_number("time", values[CLI_GRADIENT_TIME], 0, 1e9, "a time in s", &gradient->time)) &&
           (!values[CLI_GRADIENT_DT] ||
            cli_option_number("dt", values[CLI_GRADIENT_DT], 1e-9, 1e3, "1e-9 to 1e3", &gradient->sim.dt)) &&
           (!values[CLI_GRADIENT_RHO] ||
            cli_option_number("rho", values[CLI_GRADIENT_RHO], 0, 1, "0 to 1", &gradient->sim.rho)) &&
           (!values[CLI_GRADIENT_WEIGHT] || cli_option_number("drive-weight", values[CLI_GRADIENT_WEIGHT], 1e-12, 1e12,
                                                              "1e-12 to 1e12", &gradient->weight));
}

/* One weight for all drives. */
static int spread_weight(CliGradient *gradient) {
    uint32_t count = afx_scene_drive_count(gradient->scene);
    if (gradient->weight > 0) {
        gradient->drive_weights = malloc((count ? count : 1) * sizeof *gradient->drive_weights);
        if (!gradient->drive_weights) {
            return memory_error();
        }
        for (uint32_t k = 0; k < count; ++k) {
            gradient->drive_weights[k] = gradient->weight;
        }
    }
    return CLI_EXIT_FINE;
}

int cli_gradient_create(const CliArguments *given, const char *command, uint32_t source, uint32_t first,
                        CliGradient *gradient) {
    const char *of = given->values[first + CLI_GRADIENT_OF], *wrt = given->values[first + CLI_GRADIENT_WRT];
    AfxSceneDef def = afx_default_scene();
    AfxError error = {0};
    *gradient = (CliGradient){0};
    int code = cli_source_read(given, command, source, &gradient->source);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    if (!of || !wrt) {
        cli_error(of ? "--wrt" : "--of", of ? "--wrt gravity,body.mass:NAME, or --wrt all" : "--of energy@end",
                  of ? "derivatives by what?" : "derivatives of what?");
        return CLI_EXIT_USAGE;
    }
    code = cli_source_build(&gradient->source, &def, &gradient->scene);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    gradient->sim = gradient->source.run.sim;
    gradient->sim.accuracy = AFX_CONVERGED;
    gradient->sim.solves = 0;
    gradient->time = gradient->source.run.time;
    if (!read_settings(given, first, gradient)) {
        return CLI_EXIT_USAGE;
    }
    AfxStatus status = AFX_OK;
    if (given->values[first + CLI_GRADIENT_RIGID] || gradient->source.run.rigid) {
        status = afx_scene_make_rigid(gradient->scene);
    }
    status = status == AFX_OK
                 ? afx_model_create_with(gradient->scene, &gradient->source.run.model, &gradient->model, &error)
                 : status;
    status = status == AFX_OK ? cli_source_check(&gradient->source, gradient->model, &error) : status;
    if (status != AFX_OK) {
        error.status = status;
        return cli_error_from(&error);
    }
    code = spread_weight(gradient);
    return code == CLI_EXIT_FINE ? read_names(gradient, of, wrt) : code;
}

void cli_gradient_destroy(CliGradient *gradient) {
    free(gradient->objectives);
    free(gradient->numbers);
    free(gradient->drive_weights);
    afx_model_destroy(gradient->model);
    afx_scene_destroy(gradient->scene);
    cli_source_destroy(&gradient->source);
}

/* ---- runs ---- */

/* A sim of the model, with one number off. */
static AfxSim *make_sim(const CliGradient *gradient, const CliNumber *which, double by, AfxError *error) {
    AfxSim *sim = NULL;
    AfxSimDef def = gradient->sim;
    double values[AFX_PARAM_SIZE_MOST];
    def.error = error;
    if (afx_sim_create(gradient->model, &def, &sim) != AFX_OK) {
        return NULL;
    }
    const AfxWeights weights = {.drive = gradient->drive_weights};
    if (gradient->drive_weights && afx_sim_set_weights(sim, &weights) != AFX_OK) {
        snprintf(error->text, sizeof(error->text), "loads cannot be shared by weights here");
        snprintf(error->element, sizeof(error->element), "--drive-weight");
        error->status = AFX_E_INPUT;
        afx_sim_destroy(sim);
        return NULL;
    }
    for (uint32_t k = 0; k < gradient->number_count; ++k) { /* numbers may have been changed */
        const CliNumber *number = &gradient->numbers[k];
        bool moved = number == which && by != 0;
        if (number->value == afx_model_params(gradient->model, NULL)[number->at] && !moved) {
            continue;
        }
        afx_sim_param(sim, number->kind, number->item, values);
        values[number->component] = number->value + (moved ? by : 0);
        if (afx_sim_set_param(sim, number->kind, number->item, values) != AFX_OK) {
            snprintf(error->text, sizeof(error->text), "the value %.9g is not allowed", values[number->component]);
            snprintf(error->element, sizeof(error->element), "%.110s", number->name);
            error->status = AFX_E_INPUT;
            afx_sim_destroy(sim);
            return NULL;
        }
    }
    return sim;
}

int cli_gradient_evaluate(CliGradient *gradient, CliObjective *objective, double *out) {
    AfxError error = {0};
    AfxGradDef def = afx_default_grad();
    AfxGrad *grad = NULL;
    AfxSim *sim = make_sim(gradient, NULL, 0, &error);
    AfxStatus status = sim ? AFX_OK : error.status;
    def.error = &error;
    status = status == AFX_OK ? afx_grad_create(sim, &def, &grad) : status;
    for (uint64_t k = 0; k < objective->step && status == AFX_OK; ++k) {
        status = afx_grad_step(grad, NULL);
    }
    if (status == AFX_OK) {
        status = afx_grad_value(grad, objective->quantity, &objective->value);
        if (status == AFX_E_ARGUMENT) {
            snprintf(error.element, sizeof(error.element), "--of %.100s", objective->name);
            snprintf(error.text, sizeof(error.text), "the joint has no such axis");
        }
    }
    status = status == AFX_OK ? afx_grad_seed(grad, objective->quantity, 1) : status;
    status = status == AFX_OK ? afx_grad_backward(grad) : status;
    if (status == AFX_OK) {
        afx_grad_report(grad, &gradient->report);
        for (uint32_t k = 0; k < gradient->number_count; ++k) {
            out[k] = afx_grad_params(grad)[gradient->numbers[k].at];
        }
    }
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    error.status = status;
    return status == AFX_OK ? CLI_EXIT_FINE : cli_error_from(&error);
}

double cli_gradient_value(const CliGradient *gradient, const CliObjective *objective, const CliNumber *which,
                          double by) {
    AfxError error = {0};
    AfxGradDef def = afx_default_grad();
    AfxGrad *grad = NULL;
    double value = NAN;
    AfxSim *sim = make_sim(gradient, which, by, &error);
    AfxStatus status = sim ? AFX_OK : AFX_E_INPUT;
    for (uint64_t k = 0; k < objective->step && status == AFX_OK; ++k) {
        status = afx_step(sim, NULL);
    }
    def.error = &error;
    if (status == AFX_OK && afx_grad_create(sim, &def, &grad) == AFX_OK) {
        afx_grad_value(grad, objective->quantity, &value);
    }
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    return value;
}

/* Differences of sixth order with this step; *out_gap: what they are from those of fourth order by the same values. */
static double difference(const CliGradient *gradient, const CliObjective *objective, const CliNumber *which,
                         double step, double *out_gap) {
    double d[3];
    for (int k = 0; k < 3; ++k) {
        double by = (k + 1) * step;
        d[k] =
            (cli_gradient_value(gradient, objective, which, by) - cli_gradient_value(gradient, objective, which, -by)) /
            (2 * by);
    }
    double sixth = 1.5 * d[0] - 0.6 * d[1] + 0.1 * d[2];
    *out_gap = fabs(sixth - (4 * d[0] - d[1]) / 3);
    return sixth;
}

double cli_gradient_difference(const CliGradient *gradient, const CliObjective *objective, const CliNumber *which,
                               double *out_error) {
    double unit = which->kind == AFX_PARAM_GRAVITY || which->kind == AFX_PARAM_WRENCH ? 1 : 1e-6, gap;
    double step = DIFFERENCE * fmax(fabs(which->value), unit), result = NAN, least = INFINITY;
    *out_error = INFINITY;
    for (int round = 0; round < ROUNDS; ++round, step /= NARROWER) {
        double next = difference(gradient, objective, which, step, &gap);
        double rounding = 2e-11 * fabs(objective->value) / step;
        if (!(gap < FALLS * least)) {
            break;
        }
        result = next;
        least = gap;
        *out_error = gap + rounding;
        if (gap <= fmax(SHARP * fabs(next), rounding)) {
            break;
        }
    }
    return result;
}
