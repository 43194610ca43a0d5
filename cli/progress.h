/* SPDX-License-Identifier: Apache-2.0 */
/* cli/progress.h: a progress bar on stderr, when that is a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CliProgress {
    bool shown;       /* stderr is a terminal, and not quiet */
    bool dirty;       /* something stands on the line */
    uint64_t total;   /* steps */
    double begin;     /* cli_clock at the start */
    double next;      /* when to draw again */
    const char *unit; /* what is counted, "steps" */
} CliProgress;

CliProgress cli_progress_begin(uint64_t total, bool quiet);
/** `done` steps are finished at cli_clock time `now`. Draws at most ten times a second. */
void cli_progress_update(CliProgress *progress, uint64_t done, double now);
/** Wipes the line. */
void cli_progress_end(CliProgress *progress);

#endif
