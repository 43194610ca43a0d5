/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of events, and the words for what they say. */
#include "state/trace.h"

#include "base/memory.h"

static size_t bytes_of(uint32_t capacity) {
    return sizeof(AfxiTrace) + capacity * sizeof(AfxTraceEvent);
}

static AfxTraceEvent blank(void) {
    return (AfxTraceEvent){.island = UINT32_MAX, .body = UINT32_MAX, .joint = UINT32_MAX};
}

AfxiTrace *afxi_trace_create(const AfxAllocator *allocator, uint32_t capacity) {
    AfxiTrace *trace = afxi_allocate(allocator, bytes_of(capacity));
    if (trace) {
        trace->capacity = capacity;
        trace->now = trace->turning = blank();
    }
    return trace;
}

void afxi_trace_destroy(const AfxAllocator *allocator, AfxiTrace *trace) {
    if (trace) {
        afxi_release(allocator, trace, bytes_of(trace->capacity));
    }
}

void afxi_trace_forget(AfxiTrace *trace) {
    trace->first = trace->count = 0;
    trace->dropped = 0;
}

bool afxi_trace_at(const AfxiTrace *trace, uint32_t index, AfxTraceEvent *out_event) {
    if (index >= trace->count) {
        return false;
    }
    *out_event = trace->ring[(trace->first + index) % trace->capacity];
    return true;
}

AfxTraceReason afxi_trace_main_reason(const AfxiTrace *trace) {
    uint32_t counts[AFX_TRACE_REASON_COUNT] = {0}, first[AFX_TRACE_REASON_COUNT] = {0};
    AfxTraceReason most = AFX_TRACE_FINE;
    AfxTraceEvent event;
    for (uint32_t k = trace->count; k > 0 && afxi_trace_at(trace, k - 1, &event) && event.kind != AFX_TRACE_STEP; k--) {
        if (event.kind == AFX_TRACE_SOLVE && event.verdict != AFX_TRACE_ACCEPT) {
            counts[event.reason]++;
            first[event.reason] = k;
        }
    }
    for (uint32_t reason = 0; reason < AFX_TRACE_REASON_COUNT; reason++) {
        bool more = counts[reason] > counts[most] || (counts[reason] == counts[most] && first[reason] < first[most]);
        most = counts[reason] && more ? (AfxTraceReason)reason : most;
    }
    return most;
}

/* The newest events are the ones that a failure is explained by: the oldest go. */
static void push(AfxiTrace *trace, const AfxTraceEvent *event) {
    if (trace->count < trace->capacity) {
        trace->ring[(trace->first + trace->count++) % trace->capacity] = *event;
        return;
    }
    trace->ring[trace->first] = *event;
    trace->first = (trace->first + 1) % trace->capacity;
    trace->dropped++;
}

/* An event of the present step, sub-step and stage. */
static AfxTraceEvent begin(const AfxiTrace *trace, AfxTraceKind kind, const AfxTraceEvent *about) {
    AfxTraceEvent event = *about;
    event.step = trace->now.step;
    event.time = trace->now.time;
    event.part = trace->now.part;
    event.parts = trace->now.parts;
    event.stage = trace->now.stage;
    event.kind = kind;
    return event;
}

void afxi_trace_put_step(AfxiTrace *trace, uint64_t step, double time) {
    trace->now = trace->turning = blank();
    trace->now.step = step;
    trace->now.time = time;
    trace->now.part = trace->now.parts = 1;
    AfxTraceEvent event = begin(trace, AFX_TRACE_STEP, &trace->now);
    push(trace, &event);
}

void afxi_trace_put_solve(AfxiTrace *trace, const AfxTraceEvent *solve) {
    AfxTraceEvent event = begin(trace, AFX_TRACE_SOLVE, solve);
    event.changes = trace->now.changes;
    trace->now.changes = (AfxTraceChanges){0};
    if (event.verdict == AFX_TRACE_CUT_STEP || event.verdict == AFX_TRACE_LOST) {
        trace->turning = event;
    }
    push(trace, &event);
}

void afxi_trace_put(AfxiTrace *trace, AfxTraceKind kind, uint32_t body, uint32_t joint, uint32_t count) {
    AfxTraceEvent about = blank();
    about.body = body;
    about.joint = joint;
    about.count = count;
    AfxTraceEvent event = begin(trace, kind, &about);
    push(trace, &event);
}

void afxi_trace_put_cut(AfxiTrace *trace, uint32_t parts) {
    AfxTraceEvent event = begin(trace, AFX_TRACE_CUT, &trace->turning);
    event.parts = parts;
    event.verdict = AFX_TRACE_CUT_STEP;
    push(trace, &event);
}

void afxi_trace_put_overruled(AfxiTrace *trace, uint32_t first) {
    for (uint32_t k = trace->count; k > 0; k--) {
        AfxTraceEvent *event = &trace->ring[(trace->first + k - 1) % trace->capacity];
        if (event->kind == AFX_TRACE_SOLVE && event->island == first) {
            event->verdict = AFX_TRACE_RECOLLIDE;
            event->reason = AFX_TRACE_STALE;
            return;
        }
    }
}

void afxi_trace_put_failed(AfxiTrace *trace, AfxStatus status, uint32_t body) {
    AfxTraceEvent event = begin(trace, AFX_TRACE_FAILED, &trace->turning);
    event.status = status;
    event.verdict = AFX_TRACE_LOST;
    event.body = body;
    if (status == AFX_E_MEMORY) {
        event.reason = AFX_TRACE_MEMORY;
    } else if (event.reason == AFX_TRACE_FINE) { /* no iteration turned the step down: what came of it is not finite */
        event.reason = AFX_TRACE_NOT_FINITE;
    }
    push(trace, &event);
}

/* ---- words ---- */

#define NAME(constant, name, text) name,
#define TEXT(constant, name, text) text,

/* Both words of one enumeration. */
#define WORDS(type, stem, table, most)                              \
    const char *afx_trace_##stem##_name(type value) {               \
        static const char *const names[] = {table(NAME)};           \
        return (unsigned)value < (most) ? names[value] : "unknown"; \
    }                                                               \
    const char *afx_trace_##stem##_text(type value) {               \
        static const char *const texts[] = {table(TEXT)};           \
        return (unsigned)value < (most) ? texts[value] : "unknown"; \
    }

WORDS(AfxTraceKind, kind, AFX_TRACE_KIND_TABLE, AFX_TRACE_KIND_COUNT)
WORDS(AfxTraceEngine, engine, AFX_TRACE_ENGINE_TABLE, AFX_TRACE_ENGINE_COUNT)
WORDS(AfxTraceMethod, method, AFX_TRACE_METHOD_TABLE, AFX_TRACE_METHOD_COUNT)
WORDS(AfxTraceVerdict, verdict, AFX_TRACE_VERDICT_TABLE, AFX_TRACE_VERDICT_COUNT)
WORDS(AfxTraceReason, reason, AFX_TRACE_REASON_TABLE, AFX_TRACE_REASON_COUNT)
