/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain.h: a trace of the solver, read back. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/cli.h"

typedef struct CliExplain {
    char *scene, *integrator; /* of the run; NULL when the file does not say */
    double dt;
    AfxTraceEvent *events; /* [count]; NaN where a number is not there */
    uint32_t count, capacity;
    char **names; /* [name_count] by body, NULL where there is none */
    uint32_t name_count, name_capacity;
    uint64_t dropped;
    bool ended; /* the last line is there */
    bool torn;  /* the file ends within a line */
    char status[80];
} CliExplain;

/** Reads the file ("-": stdin). An exit code, with the error printed; the trace must be destroyed in any case. */
int cli_explain_read(const char *path, CliExplain *out_trace);
void cli_explain_destroy(CliExplain *trace);

/** Of a step. */
typedef struct CliExplainStep {
    uint64_t step;
    double time;
    uint32_t first, end; /* its events */
    uint32_t solves;     /* solver iterations of the island that took most, over stages and sub-steps */
    uint32_t parts;      /* 1, or the last number of sub-steps that was tried */
    bool failed;
} CliExplainStep;

/** Steps of a trace, in memory of the caller to free; NULL when there is none. */
CliExplainStep *cli_explain_steps(const CliExplain *trace, uint32_t *out_count);
/** Tells what happened in a step, each line after `indent`. */
void cli_explain_story(const CliExplain *trace, const CliExplainStep *step, const char *indent);
/** `"wheel" (3 bodies)` */
void cli_explain_island(const CliExplain *trace, uint32_t island, uint32_t bodies, char *out_text, size_t size);

#endif
