/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the command line. An option that is given twice is an error: the two might contradict each other. */
#include "cli/options.h"

#include "cases/text.h"

#include <inttypes.h>
#include <string.h>

static bool unknown_option(const CliOption *options, uint32_t option_count, const char *word) {
    char given[64];
    char cure[96];
    snprintf(given, sizeof(given), "%.*s", (int)strcspn(word, "="), word);
    const char *bare = given + strspn(given, "-");
    AfxiCaseNearest nearest = {.word = bare};
    for (uint32_t k = 0; k < option_count; ++k) {
        afxi_case_nearest_try(&nearest, options[k].name);
    }
    if (nearest.best) {
        snprintf(cure, sizeof(cure), "did you mean --%s?", nearest.best);
    } else {
        snprintf(cure, sizeof(cure), "see --help");
    }
    cli_error(given, cure, "there is no such option");
    return false;
}

static bool option_error(const CliOption *option, const char *text, const char *cure) {
    char element[40];
    snprintf(element, sizeof(element), "--%s", option->name);
    cli_error(element, cure, "%s", text);
    return false;
}

/* Index of the option that `word` ("--name" or "--name=value") is, or option_count. */
static uint32_t find_option(const CliOption *options, uint32_t option_count, const char *word) {
    if (strcmp(word, "-h") == 0) {
        return CLI_OPTION_HELP;
    }
    word = strcmp(word, "-o") == 0 ? "--out" : word;
    for (uint32_t k = 0; k < option_count; ++k) {
        size_t length = strlen(options[k].name);
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, options[k].name, length) == 0 &&
            (word[2 + length] == '\0' || word[2 + length] == '=')) {
            return k;
        }
    }
    return option_count;
}

static bool is_many(const CliOption *option) {
    size_t length = option->value ? strlen(option->value) : 0;
    return length > 3 && strcmp(option->value + length - 3, "...") == 0;
}

/* Stores the option at argv[*at]; moves *at to its value when that is a word of its own. */
static bool read_option(const CliOption *option, int argc, char **argv, int *at, const char **out_value) {
    const char *equals = strchr(argv[*at], '=');
    if (*out_value && !is_many(option)) {
        return option_error(option, "is given twice", "give it once");
    }
    if (!option->value) {
        *out_value = "";
        return equals ? option_error(option, "takes no value", NULL) : true;
    }
    if (equals) {
        *out_value = equals + 1;
        return true;
    }
    if (*at + 1 >= argc) {
        char cure[64];
        snprintf(cure, sizeof(cure), "write --%s %s", option->name, option->value);
        return option_error(option, "needs a value", cure);
    }
    *out_value = argv[++*at];
    return true;
}

bool cli_options_read(const CliOption *options, uint32_t option_count, int argc, char **argv,
                      CliArguments *out_arguments) {
    *out_arguments = (CliArguments){0};
    int kept = 0;
    bool open = true;
    for (int at = 1; at < argc; ++at) {
        char *word = argv[at];
        if (!open || word[0] != '-' || word[1] == '\0') {
            argv[kept++] = word; /* kept <= at: only words already read are overwritten */
        } else if (strcmp(word, "--") == 0) {
            open = false;
        } else {
            uint32_t k = find_option(options, option_count, word);
            if (k == option_count) {
                return unknown_option(options, option_count, word);
            }
            if (!read_option(&options[k], argc, argv, &at, &out_arguments->values[k])) {
                return false;
            }
            if (is_many(&options[k])) {
                if (out_arguments->many_count == CLI_OPTION_MANY) {
                    return option_error(&options[k], "is given more than 32 times", NULL);
                }
                out_arguments->many[out_arguments->many_count++] = out_arguments->values[k];
            }
        }
    }
    out_arguments->words = (const char *const *)argv;
    out_arguments->word_count = (uint32_t)kept;
    return true;
}

void cli_options_print(const CliOption *options, uint32_t option_count) {
    for (uint32_t k = 0; k < option_count; ++k) {
        char left[64];
        snprintf(left, sizeof(left), "%s--%s%s%s", strcmp(options[k].name, "out") == 0 ? "-o, " : "", options[k].name,
                 options[k].value ? " " : "", options[k].value ? options[k].value : "");
        printf(strlen(left) <= 24 ? "  %-24s %s\n" : "  %s\n                           %s\n", left, options[k].help);
    }
}

static bool value_error(const char *name, const char *text, const char *problem, const char *allowed) {
    char element[40];
    char cure[160];
    snprintf(element, sizeof(element), "--%s", name);
    snprintf(cure, sizeof(cure), "allowed: %s", allowed);
    cli_error(element, cure, "\"%.80s\" %s", text, problem);
    return false;
}

bool cli_option_number(const char *name, const char *text, double min, double max, const char *allowed,
                       double *out_value) {
    if (!afxi_case_number(text, out_value)) {
        return value_error(name, text, "is not a number", allowed);
    }
    if (!(*out_value >= min && *out_value <= max)) {
        return value_error(name, text, "is out of range", allowed);
    }
    return true;
}

bool cli_option_integer(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out_value) {
    char allowed[64];
    double value = 0;
    snprintf(allowed, sizeof(allowed), "%" PRIu64 " to %" PRIu64, min, max);
    if (!cli_option_number(name, text, (double)min, (double)max, allowed, &value)) {
        return false;
    }
    *out_value = (uint64_t)value;
    return (double)*out_value == value ? true : value_error(name, text, "is not a whole number", allowed);
}

bool cli_option_choice(const char *name, const char *text, const char *const *choices, uint32_t *out_index) {
    char allowed[120] = "";
    for (uint32_t k = 0; choices[k]; ++k) {
        if (strcmp(choices[k], text) == 0) {
            *out_index = k;
            return true;
        }
        size_t used = strlen(allowed);
        snprintf(allowed + used, sizeof(allowed) - used, "%s%s", k ? "|" : "", choices[k]);
    }
    return value_error(name, text, "is not one of the choices", allowed);
}
