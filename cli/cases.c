/* SPDX-License-Identifier: Apache-2.0 */
/* affix cases: the built-in cases with their parameters and defaults, for reading or as JSON. */
#include "cases/text.h"
#include "cli/json.h"
#include "cli/options.h"

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

static void print_text(void) {
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        const AfxiCase *from = afxi_case_at(k);
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

static void print_json(void) {
    CliJson json = cli_json_begin(stdout, 4);
    cli_json_object(&json, NULL);
    cli_json_array(&json, "cases");
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        const AfxiCase *from = afxi_case_at(k);
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

int cli_cases(int argc, char **argv) {
    CliArguments arguments;
    if (!cli_options_read(options, OPTION_COUNT, argc, argv, &arguments)) {
        return CLI_EXIT_USAGE;
    }
    if (arguments.values[CLI_OPTION_HELP]) {
        puts("Usage: affix cases [--json]\n\nLists the built-in cases, their parameters and defaults.\n\nOptions:");
        cli_options_print(options, OPTION_COUNT);
        return CLI_EXIT_FINE;
    }
    if (arguments.values[CLI_OPTION_VERSION]) {
        cli_print_version();
        return CLI_EXIT_FINE;
    }
    if (arguments.word_count > 0) {
        cli_error(arguments.words[0], "see affix cases --help", "affix cases takes no arguments");
        return CLI_EXIT_USAGE;
    }
    if (arguments.values[OPTION_JSON]) {
        print_json();
    } else {
        print_text();
    }
    return CLI_EXIT_FINE;
}
