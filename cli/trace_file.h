/* SPDX-License-Identifier: Apache-2.0 */
/* cli/trace_file.h: the trace of the solver as a file of JSON lines, schema/affix-trace.schema.json: one about the run,
 * one for each event, one at the end. */
#ifndef CLI_TRACE_FILE_H
#define CLI_TRACE_FILE_H

#include "cli/json.h"
#include "cli/names.h"
#include "cli/settings.h"
#include "out/lock.h"

/* Events of a step that can be written; of more, the oldest are dropped, and a line says how many. */
#define CLI_TRACE_EVENTS 65536u
/* For a page, which shows the main reason only. */
#define CLI_TRACE_PAGE 1024u

typedef struct CliTraceFile {
    FILE *file; /* NULL: none */
    const char *path;
    AfxiLock lock;
    bool failed; /* it could not be written; the error was printed */
} CliTraceFile;

/** Opens the file and writes the line about the run. An exit code, with the error printed. */
int cli_trace_file_open(CliTraceFile *out, const char *path, const CliSettings *settings, const AfxSim *sim);
/** Writes the events that the sim has; it does not forget them. */
void cli_trace_file_events(CliTraceFile *out, const AfxSim *sim, const CliNames *names);
/** Writes the last line and closes. False when something could not be written, which has been said. */
bool cli_trace_file_close(CliTraceFile *out, uint64_t steps, AfxStatus status);

#endif
