/* SPDX-License-Identifier: Apache-2.0 */
/* cli/settings.h: what `affix run` was asked to do, checked. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/cli.h"

typedef struct CliSettings {
    AfxiCaseArguments arguments; /* the case and its parameters */
    AfxModelDef model;
    AfxSimDef sim; /* all but the allocator */
    uint64_t steps;
    bool overshoots; /* dt does not divide the time that was asked for: the run ends later */
    bool rigid, json, quiet;
} CliSettings;

/** The names of AFX_SOLVER_TABLE, then NULL. */
extern const char *const cli_solver_names[];

/** The case and its parameters from the words of a command line; an exit code, with the error printed. `command` is
 * what a missing word is told with. */
int cli_settings_case(const char *command, const char *const *words, uint32_t word_count, AfxiCaseArguments *out);
/** Reads the command line of `affix run`. True when there is something to run; else *out_code is the exit code, and
 * the error, help or version was printed. */
bool cli_settings_read(int argc, char **argv, CliSettings *out_settings, int *out_code);
/** "bdf2", "bdf1", "alpha", "sdirk2" */
const char *cli_settings_integrator(const CliSettings *settings);

#endif
