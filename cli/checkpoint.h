/* SPDX-License-Identifier: Apache-2.0 */
/* cli/checkpoint.h: the snapshots of a run: when one is due, what goes into it, and how a run is put back. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "cli/simulate.h"

/** Sees whether snapshots can be written, if they are wanted; sets sim, counts and sums of the run to those of the
 * snapshot that it is resumed from, if there is one. An exit code, with the error printed. */
int cli_checkpoint_restore(const CliSettings *settings, CliRun *run);
/** Puts back what the report shows over time; false when the snapshot does not have it, or for another duration. */
bool cli_checkpoint_restore_trace(const CliSettings *settings, CliTrace *trace);
/** Writes a snapshot when one is due at cli_clock time `now`, or when it is `wanted` in any case. */
void cli_checkpoint_update(const CliSettings *settings, CliRun *run, const CliTrace *trace, double now, bool wanted);

#endif
