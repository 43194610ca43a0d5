/* SPDX-License-Identifier: Apache-2.0 */
/* cli/settings.h: what `affix run` was asked to do, checked. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/output.h"
#include "cli/resume.h"
#include "cli/source.h"

typedef struct CliSettings {
    CliSource source;
    const CliArguments *given; /* what it was read from */
    AfxModelDef model;
    AfxSimDef sim; /* all but the allocator */
    uint64_t steps;
    bool overshoots; /* dt does not divide the time that was asked for: the run ends later */
    double time;     /* s, that was asked for; NaN: a number of steps was */
    bool dt_given;   /* else a run from a snapshot takes that of the snapshot */
    bool rigid, json, brief, quiet, verify, energy_book;
    bool silent;              /* no report: quiet, or something else goes to stdout */
    const char *set;          /* parameters of the sim, NAME=X with commas; NULL: none */
    double drive_weight;      /* of efforts, where loads are shared by weights; 0: they are not */
    const char *trace;        /* file for the trace of the solver, or NULL */
    const char *dump_failure; /* folder for a step that fails, or NULL */
    const char *from;         /* snapshot whose state the run begins with, or NULL */
    char title[200];          /* the words of the command line: what runs */
    CliOutputSettings output;
    CliResume resume;
    char *command; /* [command_size] the command line, for snapshots */
    size_t command_size;
} CliSettings;

/** Options of `affix run`: those of all commands, of loading, 27 of its own, and of outputs. */
#define CLI_SETTINGS_OPTION_COUNT (CLI_OPTION_FIRST + CLI_SOURCE_OPTION_COUNT + 28u + CLI_OUTPUT_OPTION_COUNT)
extern const CliOption cli_settings_options[CLI_SETTINGS_OPTION_COUNT];

/** Turns the options of `affix run` into settings. True when there is something to run; else *out_code is the exit
 * code, and the error was printed. The settings must be destroyed in any case, before the arguments go. */
bool cli_settings_read(CliArguments *given, CliSettings *out_settings, int *out_code);
void cli_settings_destroy(CliSettings *settings);
/** Once the source is built: takes what a file says of its run, where no option says otherwise. False after an error
 * was printed. */
bool cli_settings_take_run(CliSettings *settings);
/** The run as it is, with all options: what the case or file would have to say to be run like this. */
void cli_settings_run(const CliSettings *settings, AfxRunDef *out_run);
/** Takes another time step, and counts the steps anew where a time was asked for. False after an error was printed. */
bool cli_settings_take_dt(CliSettings *settings, double dt);
/** "bdf2", "bdf1", "alpha", "sdirk2" */
const char *cli_settings_integrator(const CliSettings *settings);
/** "affix", "reduced" ... */
const char *cli_formulation_name(AfxFormulation formulation);

#endif
