/* SPDX-License-Identifier: Apache-2.0 */
/* cli/options.h: "--name value", "--name=value", "--flag" and words, by one table per command. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/cli.h"

#define CLI_OPTION_LIMIT 64
#define CLI_OPTION_MANY 32

typedef struct CliOption {
    const char *name; /* without the dashes */
    const char
        *value; /* what the value is called in the help; NULL for a flag; "X ..." may be given again, one per table */
    const char *help;
} CliOption;

/* Every table begins with these two. */
enum { CLI_OPTION_HELP, CLI_OPTION_VERSION, CLI_OPTION_FIRST };
#define CLI_OPTIONS_STANDARD \
    [CLI_OPTION_HELP] = {"help", NULL, "this text"}, [CLI_OPTION_VERSION] = {"version", NULL, "the version"}

typedef struct CliArguments {
    const char *values[CLI_OPTION_LIMIT]; /* in the order of the table: NULL when not given, "" for a flag */
    const char *many[CLI_OPTION_MANY];    /* [many_count], all values of the option that may be repeated */
    uint32_t many_count;
    const char *const *words; /* [word_count], what is no option */
    uint32_t word_count;
} CliArguments;

/** Sorts argv[1..argc) into options and words (argv is reordered). "--" ends the options, "-h" is --help and "-o" is
 * --out. False after an error was printed. */
bool cli_options_read(const CliOption *options, uint32_t option_count, int argc, char **argv,
                      CliArguments *out_arguments);
/** One line per option, on stdout. */
void cli_options_print(const CliOption *options, uint32_t option_count);

/* The value of an option, checked; false after an error was printed. `name` has no dashes. */

/** A finite number from min to max; `allowed` says so in words. */
bool cli_option_number(const char *name, const char *text, double min, double max, const char *allowed,
                       double *out_value);
/** A whole number from min to max; "1e6" is one. */
bool cli_option_integer(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out_value);
/** The index in `choices` (names, then NULL). */
bool cli_option_choice(const char *name, const char *text, const char *const *choices, uint32_t *out_index);

#endif
