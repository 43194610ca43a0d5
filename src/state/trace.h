/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of a step: a ring of events. Whoever solves says what happens in one line; where the trace is off (NULL)
 * that costs a test of a pointer. What holds for all events of a sub-step (its step, time, part, stage) is kept here
 * and told once. Nothing is allocated but by afxi_trace_create; calls come from the thread that steps. */
#ifndef AFXI_STATE_TRACE_H
#define AFXI_STATE_TRACE_H

#include "affix/joint.h"
#include "affix/trace.h"

typedef struct AfxiTrace {
    uint32_t capacity, first, count; /* of the ring: its oldest event is at `first` */
    uint64_t dropped;
    AfxTraceEvent now; /* step, time, part, parts, stage of events to come; changes since the last iteration */
    AfxTraceEvent
        turning; /* the last iteration that asked for a smaller step, or was lost: why a step is cut, or fails */
    AfxTraceEvent ring[]; /* [capacity] */
} AfxiTrace;

/* Most events of a ring: what one can still look at, and no size of memory overflows. */
#define AFXI_TRACE_MOST (1u << 26)

/** NULL when there is no memory. */
AfxiTrace *afxi_trace_create(const AfxAllocator *allocator, uint32_t capacity);
void afxi_trace_destroy(const AfxAllocator *allocator, AfxiTrace *trace);
void afxi_trace_forget(AfxiTrace *trace);
/** The oldest event has index 0; false when there is none of that index. */
bool afxi_trace_at(const AfxiTrace *trace, uint32_t index, AfxTraceEvent *out_event);
/** The most frequent reason of iterations that were not accepted, since the last step began. */
AfxTraceReason afxi_trace_main_reason(const AfxiTrace *trace);

/** What an engine knows of an iteration, its verdict and reason; step, sub-step, stage and changes are added. */
void afxi_trace_put_solve(AfxiTrace *trace, const AfxTraceEvent *solve);
void afxi_trace_put_step(AfxiTrace *trace, uint64_t step, double time);
void afxi_trace_put(AfxiTrace *trace, AfxTraceKind kind, uint32_t body, uint32_t joint, uint32_t count);
void afxi_trace_put_cut(AfxiTrace *trace, uint32_t parts);
void afxi_trace_put_overruled(AfxiTrace *trace, uint32_t first);
void afxi_trace_put_failed(AfxiTrace *trace, AfxStatus status, uint32_t body);

/** A step begins. */
static inline void afxi_trace_step(AfxiTrace *trace, uint64_t step, double time) {
    if (trace) {
        afxi_trace_put_step(trace, step, time);
    }
}

/** Sub-step `part` (from 0) of `parts` begins. */
static inline void afxi_trace_part(AfxiTrace *trace, uint32_t part, uint32_t parts) {
    if (trace) {
        trace->now.part = part + 1;
        trace->now.parts = parts;
        trace->now.stage = 0;
    }
}

/** Stage `stage` (from 0) of the integrator begins. */
static inline void afxi_trace_stage(AfxiTrace *trace, uint32_t stage) {
    if (trace) {
        trace->now.stage = stage + 1;
    }
}

/** A contact point of the next iteration opens or closes; begins to slide or to stick. */
static inline void afxi_trace_contact(AfxiTrace *trace, bool flips, bool slips) {
    if (trace) {
        trace->now.changes.contacts += flips;
        trace->now.changes.slips += slips;
    }
}

/** The law of a joint's drive changes its branch. */
static inline void afxi_trace_branch(AfxiTrace *trace, AfxDriveKind kind) {
    if (trace) {
        trace->now.changes.limits += kind == AFX_DRIVE_LIMIT;
        trace->now.changes.friction += kind == AFX_DRIVE_FRICTION;
        trace->now.changes.saturation += kind == AFX_DRIVE_SERVO;
    }
}

/** The step did not go through; now it is tried in `parts`. */
static inline void afxi_trace_cut(AfxiTrace *trace, uint32_t parts) {
    if (trace) {
        afxi_trace_put_cut(trace, parts);
    }
}

/** Contacts with another island speak against the iteration of island `first` that was accepted last. */
static inline void afxi_trace_overrule(AfxiTrace *trace, uint32_t first) {
    if (trace) {
        afxi_trace_put_overruled(trace, first);
    }
}

/** Sub-steps always restart, and do not say so. */
static inline void afxi_trace_restart(AfxiTrace *trace) {
    if (trace && trace->now.parts == 1) {
        afxi_trace_put(trace, AFX_TRACE_RESTART, UINT32_MAX, UINT32_MAX, 0);
    }
}

/** BDF1 takes over for `steps`. */
static inline void afxi_trace_order(AfxiTrace *trace, uint32_t steps) {
    if (trace) {
        afxi_trace_put(trace, AFX_TRACE_ORDER, UINT32_MAX, UINT32_MAX, steps);
    }
}

static inline void afxi_trace_limit(AfxiTrace *trace, uint32_t joint) {
    if (trace) {
        afxi_trace_put(trace, AFX_TRACE_LIMIT, UINT32_MAX, joint, 0);
    }
}

static inline void afxi_trace_bounce(AfxiTrace *trace, uint32_t body) {
    if (trace) {
        afxi_trace_put(trace, AFX_TRACE_BOUNCE, body, UINT32_MAX, 0);
    }
}

static inline void afxi_trace_broken(AfxiTrace *trace, uint32_t joint) {
    if (trace) {
        afxi_trace_put(trace, AFX_TRACE_BROKEN, UINT32_MAX, joint, 0);
    }
}

/** `body`: where, or UINT32_MAX. */
static inline void afxi_trace_failed(AfxiTrace *trace, AfxStatus status, uint32_t body) {
    if (trace) {
        afxi_trace_put_failed(trace, status, body);
    }
}

#endif
