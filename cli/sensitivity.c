/* SPDX-License-Identifier: Apache-2.0 */
/* affix sensitivity: which parameters a quantity depends on, the strongest first. */
#include "cli/command.h"
#include "cli/gradient.h"

#include <math.h>
#include <stdlib.h>

enum {
    OPTION_SOURCE = CLI_OPTION_FIRST,
    OPTION_GRADIENT = OPTION_SOURCE + CLI_SOURCE_OPTION_COUNT,
    OPTION_TOP = OPTION_GRADIENT + CLI_GRADIENT_OPTION_COUNT
};

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
    CLI_OPTIONS_GRADIENT(OPTION_GRADIENT),
    [OPTION_TOP] = {"top", "N", "print the N strongest (default 20)"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

/* What a change of a number by all of itself would make of the quantity, if that were linear. */
typedef struct Entry {
    const CliNumber *number;
    double derivative, share;
} Entry;

static int stronger(const void *a, const void *b) {
    double x = fabs(((const Entry *)a)->share), y = fabs(((const Entry *)b)->share);
    const CliNumber *left = ((const Entry *)a)->number, *right = ((const Entry *)b)->number;
    return x > y ? -1 : x < y ? 1 : (left > right) - (left < right);
}

static void print_text(const CliObjective *objective, const Entry *entries, uint32_t count) {
    printf("%s = %.9g\n  %-36s %14s %18s %18s\n", objective->name, objective->value, "parameter", "value", "derivative",
           "times value");
    for (uint32_t k = 0; k < count; ++k) {
        printf("  %-36s %14.6g %18.9g %18.9g\n", entries[k].number->name, entries[k].number->value,
               entries[k].derivative, entries[k].share);
    }
}

static void write_json(CliJson *json, const CliObjective *objective, const Entry *entries, uint32_t count) {
    cli_json_object(json, NULL);
    cli_json_text(json, "of", objective->name);
    cli_json_number(json, "value", objective->value);
    cli_json_array(json, "by");
    for (uint32_t k = 0; k < count; ++k) {
        cli_json_object(json, NULL);
        cli_json_text(json, "param", entries[k].number->name);
        cli_json_number(json, "value", entries[k].number->value);
        cli_json_number(json, "derivative", entries[k].derivative);
        cli_json_number(json, "times_value", entries[k].share);
        cli_json_close(json);
    }
    cli_json_close(json);
    cli_json_close(json);
}

static int rank(CliGradient *gradient, CliObjective *objective, uint64_t top, CliJson *json) {
    double *by = calloc(gradient->number_count + 1, sizeof(*by));
    Entry *entries = calloc(gradient->number_count + 1, sizeof(*entries));
    int code = by && entries ? cli_gradient_evaluate(gradient, objective, by) : CLI_EXIT_SYSTEM;
    for (uint32_t k = 0; code == CLI_EXIT_FINE && k < gradient->number_count; ++k) {
        entries[k] = (Entry){&gradient->numbers[k], by[k], by[k] * gradient->numbers[k].value};
    }
    if (code == CLI_EXIT_FINE) {
        uint32_t count = gradient->number_count < top ? gradient->number_count : (uint32_t)top;
        qsort(entries, gradient->number_count, sizeof(*entries), stronger);
        if (gradient->json) {
            write_json(json, objective, entries, count);
        } else {
            print_text(objective, entries, count);
        }
    }
    free(by);
    free(entries);
    return code;
}

static int run(CliArguments *given) {
    CliGradient gradient;
    uint64_t top = 20;
    if (given->values[OPTION_TOP] && !cli_option_integer("top", given->values[OPTION_TOP], 1, 1000000000, &top)) {
        return CLI_EXIT_USAGE;
    }
    int code = cli_gradient_create(given, "sensitivity", OPTION_SOURCE, OPTION_GRADIENT, &gradient);
    CliJson json = cli_json_begin(stdout, 3);
    bool open = code == CLI_EXIT_FINE && gradient.json;
    if (open) {
        cli_json_array(&json, NULL);
    }
    for (uint32_t k = 0; k < gradient.objective_count && code == CLI_EXIT_FINE; ++k) {
        code = rank(&gradient, &gradient.objectives[k], top, &json);
    }
    if (open) {
        cli_json_close(&json);
        cli_json_end(&json);
    }
    cli_gradient_destroy(&gradient);
    return code;
}

const CliCommand cli_command_sensitivity = {
    .name = "sensitivity",
    .help = "which parameters a quantity depends on",
    .usage = "<case|file> [name=value ...] --of QUANTITY@TIME --wrt PARAMETERS [options]",
    .about = "Exact derivatives of quantities by parameters, times the parameters' values, the strongest first:\n"
             "affix sensitivity slider-crank --of energy.kinetic@end --wrt all",
    .options = options,
    .option_count = OPTION_COUNT,
    .scene = true,
    .numeric = true,
    .run = run,
};
