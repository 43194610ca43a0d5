/* SPDX-License-Identifier: Apache-2.0 */
/* affix grad: derivatives of quantities by parameters, and whether they agree with differences. */
#include "cli/command.h"
#include "cli/gradient.h"

#include <math.h>
#include <stdlib.h>

#define AGREE 1e-6    /* relative: beyond it, and beyond what differences are good for, they differ */
#define NOTHING 1e-12 /* SI: a quantity that symmetry keeps at 0 has no scale of its own */
#define VAGUE 1e-3    /* differences that are worse than this tell nothing */

enum {
    OPTION_SOURCE = CLI_OPTION_FIRST,
    OPTION_GRADIENT = OPTION_SOURCE + CLI_SOURCE_OPTION_COUNT,
    OPTION_CHECK = OPTION_GRADIENT + CLI_GRADIENT_OPTION_COUNT
};

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
    CLI_OPTIONS_GRADIENT(OPTION_GRADIENT),
    [OPTION_CHECK] = {"check", NULL, "compare each with differences of sixth order; exit code 4 if one differs"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

/* What differences say of a derivative. */
typedef struct Check {
    double difference, error;
    bool agrees, vague;
} Check;

static Check check(const CliGradient *gradient, const CliObjective *objective, uint32_t which, const double *by) {
    Check result = {0};
    double size = 0;
    for (uint32_t k = 0; k < gradient->number_count; ++k) { /* what all of them together change, by their own size */
        size += fabs(by[k] * gradient->numbers[k].value);
    }
    const CliNumber *number = &gradient->numbers[which];
    double floor = 1e-7 * (size + fabs(objective->value)) / fmax(fabs(number->value), 1) + NOTHING;
    result.difference = cli_gradient_difference(gradient, objective, number, &result.error);
    double most = fmax(fabs(by[which]), fabs(result.difference)), off = fabs(by[which] - result.difference);
    result.vague = !(result.error <= VAGUE * most + floor);
    result.agrees = off <= AGREE * most + result.error + floor && !result.vague;
    return result;
}

static void print_text(const CliGradient *gradient, const CliObjective *objective, const double *by,
                       const Check *checks) {
    printf("%s = %.12g\n", objective->name, objective->value);
    for (uint32_t k = 0; k < gradient->number_count; ++k) {
        printf("  d/d %-32s %20.12e", gradient->numbers[k].name, by[k]);
        if (checks) {
            printf("  differences %20.12e  %s", checks[k].difference,
                   checks[k].agrees  ? "agree"
                   : checks[k].vague ? "UNCLEAR: differences are too vague here"
                                     : "DIFFER");
        }
        printf("\n");
    }
    if (gradient->report.doubtful) {
        printf("  note: %llu solves left more than 1e-9: constraints that contradict each other, or an objective by "
               "multipliers that are not unique\n",
               (unsigned long long)gradient->report.doubtful);
    }
}

static void write_json(CliJson *json, const CliGradient *gradient, const CliObjective *objective, const double *by,
                       const Check *checks) {
    cli_json_object(json, NULL);
    cli_json_text(json, "of", objective->name);
    cli_json_integer(json, "step", objective->step);
    cli_json_number(json, "value", objective->value);
    cli_json_integer(json, "doubtful", gradient->report.doubtful);
    cli_json_number(json, "residual", gradient->report.residual);
    cli_json_array(json, "by");
    for (uint32_t k = 0; k < gradient->number_count; ++k) {
        cli_json_object(json, NULL);
        cli_json_text(json, "param", gradient->numbers[k].name);
        cli_json_number(json, "value", gradient->numbers[k].value);
        cli_json_number(json, "derivative", by[k]);
        if (checks) {
            cli_json_number(json, "difference", checks[k].difference);
            cli_json_number(json, "difference_error", checks[k].error);
            cli_json_boolean(json, "agrees", checks[k].agrees);
        }
        cli_json_close(json);
    }
    cli_json_close(json);
    cli_json_close(json);
}

/* One objective by all numbers; *out_fine: differences agree, or were not asked for. */
static int differentiate(CliGradient *gradient, CliObjective *objective, bool checks, CliJson *json, bool *out_fine) {
    double *by = calloc(gradient->number_count + 1, sizeof(*by));
    Check *found = checks ? calloc(gradient->number_count + 1, sizeof(*found)) : NULL;
    int code = by && (found || !checks) ? cli_gradient_evaluate(gradient, objective, by) : CLI_EXIT_SYSTEM;
    for (uint32_t k = 0; checks && code == CLI_EXIT_FINE && k < gradient->number_count; ++k) {
        found[k] = check(gradient, objective, k, by);
        *out_fine = *out_fine && found[k].agrees;
    }
    if (code == CLI_EXIT_FINE && gradient->json) {
        write_json(json, gradient, objective, by, found);
    } else if (code == CLI_EXIT_FINE) {
        print_text(gradient, objective, by, found);
    }
    free(by);
    free(found);
    return code;
}

static int run(CliArguments *given) {
    CliGradient gradient;
    bool checks = given->values[OPTION_CHECK] != NULL, fine = true;
    int code = cli_gradient_create(given, "grad", OPTION_SOURCE, OPTION_GRADIENT, &gradient);
    CliJson json = cli_json_begin(stdout, 3);
    if (code == CLI_EXIT_FINE && gradient.json) {
        cli_json_array(&json, NULL);
    }
    bool open = code == CLI_EXIT_FINE && gradient.json;
    for (uint32_t k = 0; k < gradient.objective_count && code == CLI_EXIT_FINE; ++k) {
        code = differentiate(&gradient, &gradient.objectives[k], checks, &json, &fine);
    }
    if (open) {
        cli_json_close(&json);
        cli_json_end(&json);
    }
    if (code == CLI_EXIT_FINE && !fine) {
        cli_error("--check", "a branch that changes nearby (a limit, a stop) has no derivative; else please report it",
                  "some derivatives do not agree with differences");
        code = CLI_EXIT_NUMERIC;
    }
    cli_gradient_destroy(&gradient);
    return code;
}

const CliCommand cli_command_grad = {
    .name = "grad",
    .help = "derivatives of a run's quantities by its parameters",
    .usage = "<case|file> [name=value ...] --of QUANTITY@TIME --wrt PARAMETERS [--check] [options]",
    .about = "Runs a case or file with --accuracy converged, and tells the exact derivatives of quantities by\n"
             "parameters: affix grad four-bar --of energy@end --wrt gravity --check",
    .options = options,
    .option_count = OPTION_COUNT,
    .scene = true,
    .numeric = true,
    .run = run,
};
