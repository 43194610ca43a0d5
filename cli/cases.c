/* SPDX-License-Identifier: Apache-2.0 */
/* affix cases: the built-in cases with their parameters and defaults, for reading or as JSON. */
#include "cases/text.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/source.h"

enum { OPTION_JSON = CLI_OPTION_FIRST };

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    [OPTION_JSON] = {"json", NULL, "print one JSON object"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

void cli_print_parameters(FILE *file, const AfxiCase *from) {
    for (uint32_t k = 0; k < from->parameter_count; ++k) {
        const AfxiCaseParameter *parameter = &from->parameters[k];
        char given[64];
        char allowed[96];
        snprintf(given, sizeof(given), "%s=%s", parameter->name, parameter->fallback);
        afxi_case_allowed(parameter, allowed, sizeof(allowed));
        fprintf(file, "    %-14s %s [%s]\n", given, parameter->help, allowed);
    }
}

/* One case, or all when it is NULL. */
static void print_text(const AfxiCase *only) {
    for (uint32_t k = 0; k < (only ? 1 : afxi_case_count()); ++k) {
        const AfxiCase *from = only ? only : afxi_case_at(k);
        printf("%s%-14s %s\n", k ? "\n" : "", from->name, from->summary);
        printf("    --dt %g --time %g\n", from->dt, from->time);
        cli_print_parameters(stdout, from);
    }
}

static void write_value(CliJson *json, const char *key, const char *text) {
    double value = 0;
    if (afxi_case_number(text, &value) && isfinite(value)) {
        cli_json_number(json, key, value);
    } else {
        cli_json_text(json, key, text);
    }
}

static void write_parameter(CliJson *json, const AfxiCaseParameter *parameter) {
    static const char *const kinds[] = {"number", "integer", "choice"};
    cli_json_object(json, NULL);
    cli_json_text(json, "name", parameter->name);
    cli_json_text(json, "kind", kinds[parameter->kind]);
    if (parameter->kind == AFXI_CASE_CHOICE) {
        cli_json_text(json, "default", parameter->fallback);
        cli_json_array(json, "choices");
        for (uint32_t k = 0; parameter->choices[k]; ++k) {
            cli_json_text(json, NULL, parameter->choices[k]);
        }
        cli_json_close(json);
    } else {
        write_value(json, "default", parameter->fallback);
        cli_json_number(json, "min", parameter->min);
        if (isinf(parameter->max)) {
            cli_json_text(json, "max", "inf");
        } else {
            cli_json_number(json, "max", parameter->max);
        }
    }
    cli_json_text(json, "help", parameter->help);
    cli_json_close(json);
}

static void print_json(const AfxiCase *only) {
    CliJson json = cli_json_begin(stdout, 4);
    cli_json_object(&json, NULL);
    cli_json_array(&json, "cases");
    for (uint32_t k = 0; k < (only ? 1 : afxi_case_count()); ++k) {
        const AfxiCase *from = only ? only : afxi_case_at(k);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "name", from->name);
        cli_json_text(&json, "summary", from->summary);
        cli_json_number(&json, "dt", from->dt);
        cli_json_number(&json, "time", from->time);
        cli_json_array(&json, "parameters");
        for (uint32_t p = 0; p < from->parameter_count; ++p) {
            write_parameter(&json, &from->parameters[p]);
        }
        cli_json_close(&json);
        cli_json_close(&json);
    }
    cli_json_close(&json);
    cli_json_close(&json);
    cli_json_end(&json);
}

static int start(CliArguments *given) {
    const AfxiCase *only = given->word_count ? afxi_case_find(given->words[0]) : NULL;
    if (given->word_count > 1) {
        cli_error(given->words[1], "give one case, or none for all", "one case at a time");
        return CLI_EXIT_USAGE;
    }
    if (given->word_count && !only) {
        return cli_source_no_case(given->words[0]);
    }
    if (given->values[OPTION_JSON]) {
        print_json(only);
    } else {
        print_text(only);
    }
    return CLI_EXIT_FINE;
}

const CliCommand cli_command_cases = {
    .name = "cases",
    .help = "list the built-in cases and their parameters",
    .usage = "[case] [--json]",
    .about = "Lists the built-in cases, or one of them, with their parameters, defaults and what is allowed.",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = start,
};
