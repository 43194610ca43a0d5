/* SPDX-License-Identifier: Apache-2.0 */
/* cli/failure.h: a step that fails, kept in a folder so that it can be looked at: the scene, a snapshot of the state
 * before the step, the trace of the step, and how to run it again. */
#ifndef CLI_FAILURE_H
#define CLI_FAILURE_H

#include "cli/settings.h"
#include "cli/trace_file.h"

typedef struct CliFailure {
    void *state; /* [capacity] snapshot before the step that comes */
    size_t size, capacity;
    AfxScene *scene; /* NULL: nothing is kept */
} CliFailure;

/** Makes the folder, if it is not there. An exit code, with the error printed. */
int cli_failure_begin(const char *folder);
/** Before every step: what the folder would need. False when there is no memory. */
bool cli_failure_before(CliFailure *failure, const AfxSim *sim);
/** After a step that failed: puts the state before it back, multistep history included, and writes the folder. An exit
 * code, with the error printed. */
int cli_failure_write(const CliFailure *failure, const CliSettings *settings, AfxSim *sim, const CliNames *names,
                      const AfxStepReport *report, AfxStatus status);
void cli_failure_destroy(CliFailure *failure);

#endif
