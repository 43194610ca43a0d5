/* SPDX-License-Identifier: Apache-2.0 */
/* cli/settings.h: what `affix run` was asked to do, checked. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/source.h"

typedef struct CliSettings {
    CliSource source;
    AfxSimDef sim; /* all but the allocator */
    uint64_t steps;
    bool overshoots; /* dt does not divide the time that was asked for: the run ends later */
    bool rigid, json, quiet;
} CliSettings;

/** Reads the command line of `affix run`. True when there is something to run; else *out_code is the exit code, and
 * the error, help or version was printed. The arguments must outlive the settings' source. */
bool cli_settings_read(int argc, char **argv, CliArguments *given, CliSettings *out_settings, int *out_code);
/** "bdf2", "bdf1", "alpha", "sdirk2" */
const char *cli_settings_integrator(const CliSettings *settings);

#endif
