/* SPDX-License-Identifier: Apache-2.0 */
/* cli/report.h: a finished run, for reading and as JSON, on stdout. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/simulate.h"

/** The stages of a step and the flags of a report, by name. */
extern const char *const cli_stage_names[AFX_STAGE_COUNT];
/** The name of the flag of bit `bit`, NULL beyond the last. */
const char *cli_flag_name(uint32_t bit);

/** trace may be NULL: no table, no plot. */
void cli_report_text(const CliSettings *settings, const CliRun *run, const CliTrace *trace);
void cli_report_json(const CliSettings *settings, const CliRun *run);

#endif
