/* SPDX-License-Identifier: Apache-2.0 */
/* What happened in a step, in words: its solver iterations, those alike in one line, and why each was not the last. Of
 * a step that is cut, the sub-steps that went through are only counted. */
#include "cli/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define LINES_MOST 40 /* of a story */

CliExplainStep *cli_explain_steps(const CliExplain *trace, uint32_t *out_count) {
    CliExplainStep *steps = calloc(trace->count ? trace->count : 1, sizeof(*steps)), *step = NULL;
    uint32_t count = 0, most = 0;
    const AfxTraceEvent *before = NULL;
    for (uint32_t k = 0; steps && k < trace->count; ++k) {
        const AfxTraceEvent *event = &trace->events[k];
        if (!step || event->kind == AFX_TRACE_STEP || event->step != step->step) {
            step = &steps[count++];
            *step = (CliExplainStep){.step = event->step, .time = event->time, .first = k, .parts = 1};
            before = NULL;
            most = 0;
        }
        step->end = k + 1;
        step->failed |= event->kind == AFX_TRACE_FAILED;
        step->parts = event->kind == AFX_TRACE_CUT ? event->parts : step->parts;
        if (event->kind == AFX_TRACE_SOLVE) {
            bool same = before && before->part == event->part && before->parts == event->parts &&
                        before->stage == event->stage && before->verdict != AFX_TRACE_RECOLLIDE;
            uint32_t already = same ? most : 0;
            most = event->solve > already ? event->solve : already;
            step->solves += most - already;
            before = event;
        }
    }
    *out_count = count;
    return steps;
}

static void body_text(const CliExplain *trace, uint32_t body, char *out_text, size_t size) {
    const char *name = body < trace->name_count ? trace->names[body] : NULL;
    if (name) {
        snprintf(out_text, size, "body \"%s\"", name);
    } else {
        snprintf(out_text, size, "body %" PRIu32, body);
    }
}

void cli_explain_island(const CliExplain *trace, uint32_t island, uint32_t bodies, char *out_text, size_t size) {
    const char *name = island < trace->name_count ? trace->names[island] : NULL;
    int used = name ? snprintf(out_text, size, "\"%s\"", name) : snprintf(out_text, size, "of body %" PRIu32, island);
    if (used > 0 && (size_t)used < size) {
        snprintf(out_text + used, size - (size_t)used, " (%" PRIu32 " %s)", bodies, bodies == 1 ? "body" : "bodies");
    }
}

static void print_changes(const AfxTraceChanges *changes) {
    const struct {
        uint32_t count;
        const char *what;
    } all[] = {{changes->contacts, "contacts opened or closed"},
               {changes->slips, "contacts began to slide or stick"},
               {changes->limits, "joint limits"},
               {changes->friction, "joint frictions"},
               {changes->saturation, "motors at their limit"}};
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); ++k) {
        if (all[k].count) {
            printf("; %" PRIu32 " %s", all[k].count, all[k].what);
        }
    }
}

/* The number that a reason is about, with what is allowed. */
static void print_measure(const AfxTraceEvent *event) {
    switch (event->reason) {
    case AFX_TRACE_ROTATION:
        if (isinf(event->rotation)) {
            printf(" (%.3g rad, not getting smaller; tolerance %.3g)", event->turn, event->rotation_tolerance);
        } else {
            printf(" (%.3g rad; tolerance %.3g)", event->rotation, event->rotation_tolerance);
        }
        break;
    case AFX_TRACE_TURN:
        printf(" (%.3g rad)", event->turn);
        break;
    case AFX_TRACE_RESIDUAL:
    case AFX_TRACE_CORRECTION:
        printf(" (%.3g; tolerance %.3g)", event->residual, event->residual_tolerance);
        break;
    case AFX_TRACE_CAP:
        printf(" (rotation error %.3g, tolerance %.3g; residual %.3g, tolerance %.3g)", event->rotation,
               event->rotation_tolerance, event->residual, event->residual_tolerance);
        break;
    default:
        break;
    }
}

static bool same_place(const AfxTraceEvent *a, const AfxTraceEvent *b) {
    return a->part == b->part && a->parts == b->parts && a->stage == b->stage && a->engine == b->engine &&
           a->island == b->island;
}

/* A line about events [first, end), which are alike. */
static void print_solves(const CliExplain *trace, uint32_t first, uint32_t end, const char *indent) {
    const AfxTraceEvent *event = &trace->events[first], *last = &trace->events[end - 1];
    char name[160];
    bool single = event->engine == AFX_TRACE_FREE || event->engine == AFX_TRACE_PAPER;
    if (end - first == 1) {
        printf(single ? "%s    up to %" PRIu32 ": " : "%s    %" PRIu32 ": ", indent, event->solve);
    } else {
        printf("%s    %" PRIu32 " to %" PRIu32 ": ", indent, event->solve, last->solve);
    }
    printf("%s", afx_trace_reason_text(event->reason));
    print_measure(event);
    if (end - first > 1 && event->reason != AFX_TRACE_CONTACT_SET && event->reason != AFX_TRACE_FRICTION_LIMIT) {
        printf(" ...");
        print_measure(last);
    }
    if (end - first == 1) {
        print_changes(&event->changes);
    }
    if (event->verdict != AFX_TRACE_ACCEPT && event->body != UINT32_MAX) {
        body_text(trace, event->body, name, sizeof(name));
        printf("; most at %s", name);
    }
    printf(" -> %s\n", afx_trace_verdict_text(event->verdict));
}

/* Where iterations stand that follow. */
static void print_place(const CliExplain *trace, const AfxTraceEvent *event, const char *indent) {
    char island[160];
    cli_explain_island(trace, event->island, event->bodies, island, sizeof(island));
    printf("%s  ", indent);
    if (event->parts > 1) {
        printf("sub-step %" PRIu32 " of %" PRIu32 ", ", event->part, event->parts);
    }
    if (event->stage > 1) {
        printf("stage %" PRIu32 ", ", event->stage);
    }
    printf("island %s, %s:\n", island, afx_trace_engine_name(event->engine));
}

/* Whether an event belongs to a sub-step that went through. */
static bool went_through(const CliExplain *trace, uint32_t at, uint32_t end) {
    const AfxTraceEvent *event = &trace->events[at];
    for (uint32_t k = at; k < end && trace->events[k].kind != AFX_TRACE_CUT; ++k) {
        if (trace->events[k].kind == AFX_TRACE_SOLVE && trace->events[k].part > event->part) {
            return true;
        }
    }
    return false;
}

static bool alike(const AfxTraceEvent *a, const AfxTraceEvent *b) {
    return b->kind == AFX_TRACE_SOLVE && same_place(a, b) && a->reason == b->reason && a->verdict == b->verdict;
}

/* An event that is no iteration. */
static void print_other(const CliExplain *trace, const AfxTraceEvent *event, const char *indent) {
    printf("%s  %s", indent, afx_trace_kind_text(event->kind));
    if (event->kind == AFX_TRACE_CUT) {
        printf(": now in %" PRIu32, event->parts);
    } else if (event->kind == AFX_TRACE_FAILED) {
        printf(" (%s): %s", trace->status, afx_trace_reason_text(event->reason));
    } else if (event->joint != UINT32_MAX) {
        printf(", joint %" PRIu32, event->joint);
    }
    if (event->body != UINT32_MAX && event->kind != AFX_TRACE_CUT) {
        char name[160];
        body_text(trace, event->body, name, sizeof(name));
        printf(", %s", name);
    }
    printf("\n");
}

/* What a failure usually means, by the last iteration. */
static const char *cause(const AfxTraceEvent *event) {
    bool turns = !(event->rotation <= event->rotation_tolerance);
    bool unmet = !(event->residual <= event->residual_tolerance);
    if (event->reason == AFX_TRACE_MEMORY) {
        return "out of memory: use a smaller scene, or free some";
    }
    if (event->reason == AFX_TRACE_NOT_FINITE) {
        return "the solver diverged: forces, velocities or a motion too large for any sub-step; look at the body named";
    }
    if (event->reason == AFX_TRACE_PENETRATION) {
        return "bodies are pressed into each other, or lie in each other from the start";
    }
    if (event->reason == AFX_TRACE_FLIPPED) {
        return "a joint would turn over: its bodies are forced past a singular position";
    }
    if (event->engine != AFX_TRACE_NO_ENGINE && !turns && unmet) {
        return "the constraints cannot all be met: joints are pulled apart, or contradict each other; look at the "
               "bodies "
               "named";
    }
    return "the rotations do not converge: bodies turn too far in one step; slow them down, or use a smaller --dt";
}

void cli_explain_story(const CliExplain *trace, const CliExplainStep *step, const char *indent) {
    const AfxTraceEvent *place = NULL;
    uint32_t lines = 0;
    for (uint32_t k = step->first; k < step->end;) {
        const AfxTraceEvent *event = &trace->events[k];
        uint32_t end = k + 1;
        if (event->kind == AFX_TRACE_STEP ||
            (event->kind == AFX_TRACE_SOLVE && event->parts > 1 && went_through(trace, k, step->end))) {
            k = end;
            continue;
        }
        if (lines++ >= LINES_MOST && event->kind != AFX_TRACE_FAILED) {
            if (lines == LINES_MOST + 1) {
                printf("%s  ... and more\n", indent);
            }
            k = end;
            continue;
        }
        if (event->kind != AFX_TRACE_SOLVE) {
            print_other(trace, event, indent);
            if (event->kind == AFX_TRACE_FAILED) {
                printf("%s  likely cause: %s\n", indent, cause(event));
            }
            place = NULL;
            k = end;
            continue;
        }
        if (!place || !same_place(place, event)) {
            print_place(trace, event, indent);
        }
        place = event;
        while (end < step->end && alike(event, &trace->events[end])) {
            ++end;
        }
        print_solves(trace, k, end, indent);
        k = end;
    }
}
