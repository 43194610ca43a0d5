/* SPDX-License-Identifier: Apache-2.0 */
/* affix: finds the command and runs it; output that could not be written is a failure whatever the command said. */
#include "cases/text.h"
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

typedef struct Command {
    const char *name;
    const char *help;
    int (*run)(int argc, char **argv);
} Command;

static const Command commands[] = {
    {"run", "simulate a built-in case or a file", cli_run},
    {"info", "report the structure of a case or a file, how it is solved, and what that takes", cli_info},
    {"check", "load a case or a file and report what is in it", cli_check},
    {"convert", "write a case or a file as scene JSON", cli_convert},
    {"cases", "list the built-in cases and their parameters", cli_cases},
    {"sweep", "run a case or a file many times with other parameters, on threads or by MPI", cli_sweep},
    {"plot", "plot columns of a trajectory or table", cli_plot_command},
    {"explain", "report from a trace why steps took more solver iterations, were sub-stepped or failed", cli_explain},
    {"view", "simulate in the browser, live, and drag bodies", cli_view},
    {"video", "write a video or a picture of a run", cli_video},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *file) {
    fputs("Usage: affix <command> [options]\n\n"
          "Multibody dynamics with affine bodies and a direct solver for joint constraints.\n\nCommands:\n",
          file);
    for (size_t k = 0; k < COMMAND_COUNT; ++k) {
        fprintf(file, "  %-8s %s\n", commands[k].name, commands[k].help);
    }
    fputs("\nOptions:\n"
          "  --help      this text; affix <command> --help tells more\n"
          "  --version   the version\n\n"
          "Exit codes: 0 fine, 1 no memory or output, 2 usage, 3 bad input, 4 numerical failure.\n"
          "Try: affix run t-handle\n",
          file);
}

static int unknown_command(const char *word) {
    char cure[96] = "see affix --help";
    AfxiCaseNearest nearest = {.word = word};
    for (size_t k = 0; k < COMMAND_COUNT; ++k) {
        afxi_case_nearest_try(&nearest, commands[k].name);
    }
    if (afxi_case_find(word)) {
        snprintf(cure, sizeof(cure), "did you mean affix run %s?", word);
    } else if (nearest.best) {
        snprintf(cure, sizeof(cure), "did you mean affix %s?", nearest.best);
    }
    cli_error(word, cure, "there is no such %s", word[0] == '-' ? "option" : "command");
    return CLI_EXIT_USAGE;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return CLI_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_usage(stdout);
        return CLI_EXIT_FINE;
    }
    if (strcmp(word, "--version") == 0) {
        cli_print_version();
        return CLI_EXIT_FINE;
    }
    for (size_t k = 0; k < COMMAND_COUNT; ++k) {
        if (strcmp(word, commands[k].name) == 0) {
            return commands[k].run(argc - 1, argv + 1);
        }
    }
    return unknown_command(word);
}

int main(int argc, char **argv) {
    int code = dispatch(argc, argv);
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fclose(stdout) != 0 || failed) {
        cli_error("output", "is the disk full, or the pipe closed?", "could not be written%s%s", errno ? ": " : "",
                  errno ? strerror(errno) : "");
        return code == CLI_EXIT_FINE ? CLI_EXIT_SYSTEM : code;
    }
    return code;
}
