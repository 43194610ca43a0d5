/* SPDX-License-Identifier: Apache-2.0 */
/* cli/trace.h: what the readable report shows over time: rows of a table, and for a single body the course of its
 * angular velocity in its own axes, with the moments when a component changes sign. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "affix/affix.h"

#define CLI_TRACE_ROWS 17
#define CLI_TRACE_COLUMNS 128

typedef struct CliTraceRow {
    double time;
    double energy;   /* J */
    double kinetic;  /* J */
    AfxVec3 angular; /* angular momentum about the world's origin */
    double omega[3]; /* of `body`, in its own axes */
    AfxVec3 place;   /* of the first marker, or of `body` where there is none */
    /* the largest of all steps from the row before on */
    double residual;
    double depth;
    uint32_t contacts, iterations;
} CliTraceRow;

typedef struct CliTraceFlips {
    double first, last; /* times of the first and the last */
    uint32_t count;
    double crossing; /* when the component was last zero */
    double side;     /* +1 or -1: where it was last clearly */
    double before;   /* its value one step ago */
} CliTraceFlips;

typedef struct CliTrace {
    uint64_t steps; /* of the whole run */
    bool single;    /* one body: columns and flips are kept */
    bool jointed;
    uint32_t body;       /* the first that moves */
    CliTraceRow largest; /* since the last row: of what a row has the largest of */
    CliTraceRow rows[CLI_TRACE_ROWS];
    uint32_t row_count;
    double low[3][CLI_TRACE_COLUMNS];  /* smallest value of each component in each column; low > high: none */
    double high[3][CLI_TRACE_COLUMNS]; /* largest */
    CliTraceFlips flips[3];
    double start[3];
    double scale; /* largest component so far */
    double time;  /* of the last record */
} CliTrace;

void cli_trace_begin(CliTrace *out_trace, const AfxSim *sim, uint64_t steps);
/** Takes note of the state after `step` steps (0: the start, without a report). */
void cli_trace_record(CliTrace *trace, const AfxSim *sim, uint64_t step, const AfxStepReport *report);
/** The component worth a plot: the one that is largest at the start if it changes sign, else the one that varies
 * most; -1 when nothing varies or there are several bodies. */
int cli_trace_component(const CliTrace *trace);

#endif
