/* SPDX-License-Identifier: Apache-2.0 */
/* cli/cli.h: what the commands of `affix` share: exit codes, errors, the clock. The commands are in cli/command.h. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "affix/affix.h"
#include "cases/cases.h"

#include <stdio.h>

enum {
    CLI_EXIT_FINE = 0,
    CLI_EXIT_SYSTEM = 1, /* no memory, output could not be written */
    CLI_EXIT_USAGE = 2,
    CLI_EXIT_INPUT = 3,
    CLI_EXIT_NUMERIC = 4
};

/** Prints "affix: element: text (cure)" on stderr; cure may be NULL. text is printf-style. */
void cli_error(const char *element, const char *cure, const char *text, ...) __attribute__((format(printf, 3, 4)));
/** Prints "affix: note: text" on stderr, printf-style. */
void cli_note(const char *text, ...) __attribute__((format(printf, 1, 2)));
/** Prints an error of the library and returns the exit code of its status. */
int cli_error_from(const AfxError *error);
/** The exit code of a status. */
int cli_exit_code(AfxStatus status);
/** `one` for a count of 1, else `more`: "y" and "ies", say. */
const char *cli_plural(uint64_t count, const char *one, const char *more);
/** Seconds since some fixed moment. */
double cli_clock(void);
/** "affix 0.1.0" and a newline, on stdout. */
void cli_print_version(void);
/** What solves a model: "free", the name of a solver, or several with "+" between them. */
void cli_solvers(const AfxModel *model, char *out_text, size_t size);
/** The parameters of a case, one line each with default, what is allowed and help. */
void cli_print_parameters(FILE *file, const AfxiCase *from);

#endif
