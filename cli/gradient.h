/* SPDX-License-Identifier: Apache-2.0 */
/* cli/gradient.h: quantities and parameters by name, runs that are recorded, and the same by differences: for the
 * commands that differentiate. */
#ifndef CLI_GRADIENT_H
#define CLI_GRADIENT_H

#include "affix/grad.h"
#include "affix/weights.h"
#include "cli/source.h"
#include "sweep/param.h"

#define CLI_GRADIENT_NAME 160

/* Options of these commands, from index `first` of their tables on. */
enum {
    CLI_GRADIENT_OF,
    CLI_GRADIENT_WRT,
    CLI_GRADIENT_TIME,
    CLI_GRADIENT_DT,
    CLI_GRADIENT_INTEGRATOR,
    CLI_GRADIENT_RHO,
    CLI_GRADIENT_RIGID,
    CLI_GRADIENT_WEIGHT,
    CLI_GRADIENT_JSON,
    CLI_GRADIENT_OPTION_COUNT
};
#define CLI_OPTIONS_GRADIENT(first)                                                                                   \
    [(first) + CLI_GRADIENT_OF] = {"of", "QUANTITY@TIME,...",                                                         \
                                   "marker:NAME.z, velocity:NAME.x, joint:NAME, rate:NAME, reaction:NAME.fx, "        \
                                   "effort:DRIVE, spring:INDEX, energy; at a time in s, or end"},                     \
               [(first) + CLI_GRADIENT_WRT] = {"wrt", "NAME,...",                                                     \
                                               "parameters: gravity, gravity.z, body.mass:NAME, drive:*.damping, "    \
                                               "all (docs/sweeps.md)"},                                               \
               [(first) + CLI_GRADIENT_TIME] = {"time", "T", "when end is, s (default: as the case or file says)"},   \
               [(first) + CLI_GRADIENT_DT] = {"dt", "H", "time step, s (default: as the case or file says)"},         \
               [(first) + CLI_GRADIENT_INTEGRATOR] = {"integrator", "NAME", "bdf2 (default), bdf1, sdirk2 or alpha"}, \
               [(first) + CLI_GRADIENT_RHO] = {"rho", "R", "spectral radius of alpha, 0 to 1 (default 0.8)"},         \
               [(first) + CLI_GRADIENT_RIGID] = {"rigid", NULL, "make every body exactly rigid"},                     \
               [(first) + CLI_GRADIENT_WEIGHT] = {"drive-weight", "W",                                                \
                                                  "share loads of redundant constraints with this weight of drives "  \
                                                  "and 1 of joints (docs/joints.md)"},                                \
               [(first) + CLI_GRADIENT_JSON] = {"json", NULL, "print one JSON object on stdout"}

/** A quantity at a time. */
typedef struct CliObjective {
    char name[CLI_GRADIENT_NAME];
    AfxQuantity quantity;
    uint64_t step;
    double value;
} CliObjective;

/** A number of the registry. */
typedef struct CliNumber {
    char name[CLI_GRADIENT_NAME];
    AfxParamKind kind;
    uint32_t item, component;
    size_t at; /* in the registry */
    double value;
} CliNumber;

typedef struct CliGradient {
    CliSource source;
    AfxScene *scene;
    AfxModel *model;
    AfxSimDef sim;
    double time;
    double weight;            /* of drives; 0: loads are not shared by weights */
    double *drive_weights;    /* [drives] the same; NULL: none */
    CliObjective *objectives; /* [objective_count] */
    uint32_t objective_count;
    CliNumber *numbers; /* [number_count] */
    uint32_t number_count;
    bool json;
    AfxGradReport report; /* of the last pass */
} CliGradient;

/** Reads the options and builds the model. An exit code, with the error printed; to be destroyed in any case. */
int cli_gradient_create(const CliArguments *given, const char *command, uint32_t source, uint32_t first,
                        CliGradient *out_gradient);
void cli_gradient_destroy(CliGradient *gradient);
/** Records a run up to an objective, whose value is told, and puts its derivatives by all numbers into out
 * [number_count]. */
int cli_gradient_evaluate(CliGradient *gradient, CliObjective *objective, double *out);
/** The value of an objective with number `which` off by `by`; NaN: that run failed. */
double cli_gradient_value(const CliGradient *gradient, const CliObjective *objective, const CliNumber *which,
                          double by);
/** The derivative by differences of sixth order, and how far those are to be trusted. */
double cli_gradient_difference(const CliGradient *gradient, const CliObjective *objective, const CliNumber *which,
                               double *out_error);

#endif
