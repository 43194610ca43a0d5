/* SPDX-License-Identifier: Apache-2.0 */
/* affix: finds the command and runs it; output that could not be written is a failure whatever the command said. */
#include "cli/command.h"

#include <errno.h>
#include <string.h>

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        cli_command_print_usage(stderr);
        return CLI_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_command_print_usage(stdout);
        return CLI_EXIT_FINE;
    }
    if (strcmp(word, "--version") == 0) {
        cli_print_version();
        return CLI_EXIT_FINE;
    }
    const CliCommand *command = cli_command_find(word);
    return command ? cli_command_start(command, argc - 1, argv + 1) : cli_command_unknown(word);
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
