/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and what they share: reading options, help. */
#include "cli/command.h"

#include "cases/text.h"
#include "cli/colour.h"

#include <string.h>

const CliCommand *const cli_commands[] = {&cli_command_run,     &cli_command_info,        &cli_command_check,
                                          &cli_command_convert, &cli_command_cases,       &cli_command_sweep,
                                          &cli_command_grad,    &cli_command_sensitivity, &cli_command_optimise,
                                          &cli_command_plot,    &cli_command_explain,     &cli_command_compare,
                                          &cli_command_view,    &cli_command_video,       &cli_command_help,
                                          &cli_command_man,     &cli_command_completion,  NULL};

const CliCommand *cli_command_find(const char *name) {
    for (uint32_t k = 0; cli_commands[k]; ++k) {
        if (strcmp(cli_commands[k]->name, name) == 0) {
            return cli_commands[k];
        }
    }
    return NULL;
}

int cli_command_unknown(const char *word) {
    char cure[96] = "see affix --help";
    AfxiCaseNearest nearest = {.word = word};
    for (uint32_t k = 0; cli_commands[k]; ++k) {
        afxi_case_nearest_try(&nearest, cli_commands[k]->name);
    }
    if (afxi_case_find(word)) {
        snprintf(cure, sizeof(cure), "did you mean affix run %s?", word);
    } else if (nearest.best) {
        snprintf(cure, sizeof(cure), "did you mean affix %s?", nearest.best);
    }
    cli_error(word, cure, "there is no such %s", word[0] == '-' ? "option" : "command");
    return CLI_EXIT_USAGE;
}

void cli_command_print_usage(FILE *file) {
    fprintf(file,
            "%sUsage:%s affix <command> [options]\n\n"
            "Multibody dynamics with affine bodies and a direct solver for joint constraints.\n\n%sCommands:%s\n",
            cli_colour(file, CLI_BOLD), cli_colour(file, CLI_PLAIN), cli_colour(file, CLI_BOLD),
            cli_colour(file, CLI_PLAIN));
    for (uint32_t k = 0; cli_commands[k]; ++k) {
        fprintf(file, "  %-11s %s\n", cli_commands[k]->name, cli_commands[k]->help);
    }
    fprintf(file,
            "\n%sOptions:%s\n"
            "  --help      this text; affix help <command> has more\n"
            "  --version   the version\n\n"
            "Exit codes: 0 fine, 1 out of memory or output, 2 usage, 3 bad input, 4 numerical failure.\n"
            "Try: affix run t-handle\n",
            cli_colour(file, CLI_BOLD), cli_colour(file, CLI_PLAIN));
}

void cli_command_print_help(const CliCommand *command, const char *word) {
    const char *bold = cli_colour(stdout, CLI_BOLD), *plain = cli_colour(stdout, CLI_PLAIN);
    const AfxiCase *from = command->scene && word ? afxi_case_find(word) : NULL;
    printf("%sUsage:%s affix %s %s\n\n%s\n\n%sOptions:%s\n", bold, plain, command->name, command->usage, command->about,
           bold, plain);
    cli_options_print(command->options, command->option_count);
    if (from) {
        printf("\n%sParameters of %s%s (--dt %g --time %g):\n", bold, from->name, plain, from->dt, from->time);
        cli_print_parameters(stdout, from);
    }
    printf("\nExit codes: 0 fine, 1 out of memory or output, 2 usage, 3 bad input%s.\n",
           command->numeric ? ", 4 numerical failure" : "");
}

int cli_command_start(const CliCommand *command, int argc, char **argv) {
    CliArguments given;
    if (!cli_options_read(command->options, command->option_count, argc, argv, &given)) {
        return CLI_EXIT_USAGE;
    }
    if (given.values[CLI_OPTION_HELP]) {
        cli_command_print_help(command, given.word_count ? given.words[0] : NULL);
        return CLI_EXIT_FINE;
    }
    if (given.values[CLI_OPTION_VERSION]) {
        cli_print_version();
        return CLI_EXIT_FINE;
    }
    return command->run(&given);
}
