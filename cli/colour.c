/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_coloured(FILE *file) {
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(no && no[0]) && terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(file));
}

const char *cli_colour(FILE *file, CliColour colour) {
    static const char *const codes[] = {
        [CLI_PLAIN] = "\033[0m", [CLI_BOLD] = "\033[1m", [CLI_RED] = "\033[1;31m", [CLI_YELLOW] = "\033[33m"};
    return is_coloured(file) ? codes[colour] : "";
}
