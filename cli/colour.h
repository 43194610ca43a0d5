/* SPDX-License-Identifier: Apache-2.0 */
/* cli/colour.h: colours of what is printed: on a terminal only, and not where NO_COLOR is set (no-color.org) or the
 * terminal is dumb. */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include <stdio.h>

typedef enum CliColour { CLI_PLAIN, CLI_BOLD, CLI_RED, CLI_YELLOW } CliColour;

/** What switches a stream to a colour, or "". */
const char *cli_colour(FILE *file, CliColour colour);

#endif
