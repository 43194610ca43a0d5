/* SPDX-License-Identifier: Apache-2.0 */
/* cli/command.h: the commands of `affix` as data: names, options, texts. Help, manual pages and completion come from
 * it. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"

typedef struct CliCommand {
    const char *name;
    const char *help;         /* one line, for lists */
    const char *usage;        /* what follows "affix NAME " */
    const char *about;        /* paragraphs of the help */
    const CliOption *options; /* [option_count] */
    uint32_t option_count;
    bool scene;   /* the first word is a case or file, and name=value may follow */
    bool numeric; /* it can end with CLI_EXIT_NUMERIC */
    int (*run)(CliArguments *given);
} CliCommand;

extern const CliCommand cli_command_run, cli_command_info, cli_command_check, cli_command_convert, cli_command_cases,
    cli_command_sweep, cli_command_plot, cli_command_explain, cli_command_view, cli_command_video, cli_command_help,
    cli_command_man, cli_command_completion, cli_command_grad, cli_command_compare, cli_command_sensitivity,
    cli_command_optimise;

/** All of them in the order of the help, then NULL. */
extern const CliCommand *const cli_commands[];

/** The command of a name, or NULL. */
const CliCommand *cli_command_find(const char *name);
/** Says that there is no such command, and what may have been meant. An exit code. */
int cli_command_unknown(const char *word);
/** Runs a command, or prints its help or the version; argv[0] is its name. An exit code. */
int cli_command_start(const CliCommand *command, int argc, char **argv);
/** The help of a command on stdout; with the parameters of a case where `word` is one (may be NULL). */
void cli_command_print_help(const CliCommand *command, const char *word);
/** The help of the program. */
void cli_command_print_usage(FILE *file);

#endif
