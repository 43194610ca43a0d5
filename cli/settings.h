/* SPDX-License-Identifier: Apache-2.0 */
/* cli/settings.h: what `affix run` was asked to do, checked. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/output.h"
#include "cli/resume.h"
#include "cli/source.h"

typedef struct CliSettings {
    CliSource source;
    AfxModelDef model;
    AfxSimDef sim; /* all but the allocator */
    uint64_t steps;
    bool overshoots; /* dt does not divide the time that was asked for: the run ends later */
    bool rigid, json, quiet;
    char title[200]; /* the words of the command line: what runs */
    CliOutputSettings output;
    CliResume resume;
    char *command; /* [command_size] the command line, for snapshots */
    size_t command_size;
} CliSettings;

/** The names of AFX_SOLVER_TABLE, then NULL. */
extern const char *const cli_solver_names[];

/** Reads the command line of `affix run`. True when there is something to run; else *out_code is the exit code, and
 * the error, help or version was printed. The settings must be destroyed in any case, before the arguments go. */
bool cli_settings_read(int argc, char **argv, CliArguments *given, CliSettings *out_settings, int *out_code);
void cli_settings_destroy(CliSettings *settings);
/** "bdf2", "bdf1", "alpha", "sdirk2" */
const char *cli_settings_integrator(const CliSettings *settings);
/** "affix", or the name of the published formulation */
const char *cli_settings_formulation(const CliSettings *settings);

#endif
