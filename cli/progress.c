/* SPDX-License-Identifier: Apache-2.0 */
/* The progress bar: percent, steps per second, time left at the mean speed so far. */
#include "cli/progress.h"

#include "cli/cli.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL 0.1 /* s between two drawings */
#define BAR 30
#define LINE 78

CliProgress cli_progress_begin(uint64_t total, bool quiet) {
    double now = cli_clock();
    bool shown = !quiet && total > 0 && isatty(STDERR_FILENO);
    return (CliProgress){.shown = shown, .total = total, .begin = now, .next = now + INTERVAL, .unit = "steps"};
}

static void format_duration(double seconds, char *out_text, size_t size) {
    if (!(seconds < 3.6e6)) {
        snprintf(out_text, size, "long");
        return;
    }
    unsigned whole = (unsigned)ceil(seconds);
    if (whole >= 3600) {
        snprintf(out_text, size, "%u:%02u:%02u", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        snprintf(out_text, size, "%u:%02u", whole / 60, whole % 60);
    }
}

void cli_progress_update(CliProgress *progress, uint64_t done, double now) {
    if (!progress->shown || now < progress->next) {
        return;
    }
    double part = (double)done / (double)progress->total;
    double spent = now - progress->begin;
    char bar[BAR + 1];
    char left[24];
    char line[160];
    for (int k = 0; k < BAR; ++k) {
        bar[k] = k < (int)(part * BAR) ? '#' : '.';
    }
    bar[BAR] = '\0';
    format_duration(spent * (1 - part) / part, left, sizeof(left));
    snprintf(line, sizeof(line), "[%s] %3d %%  %.4g %s/s  %s left", bar, (int)(100 * part), (double)done / spent,
             progress->unit, left);
    fprintf(stderr, "\r%-*.*s", LINE, LINE, line);
    fflush(stderr);
    progress->dirty = true;
    progress->next = now + INTERVAL;
}

void cli_progress_end(CliProgress *progress) {
    if (progress->dirty) {
        fprintf(stderr, "\r%*s\r", LINE, "");
        fflush(stderr);
        progress->dirty = false;
    }
}
