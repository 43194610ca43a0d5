/* SPDX-License-Identifier: Apache-2.0 */
/* golden_coverage: runs scenes of the goldens with the trace on, prints how often they reach each kind of event,
 * engine, method, verdict, reason, change of an active set, flag of a step and path, and fails when one is never
 * reached. */
#include "golden/coverage/coverage.h"
#include "golden/run.h"

#include "affix/trace.h"

#include <string.h>

#define STEPS 40u
#define RING 65536u
#define FLAGS 32

typedef struct Seen {
    uint64_t kind[AFX_TRACE_KIND_COUNT], engine[AFX_TRACE_ENGINE_COUNT], method[AFX_TRACE_METHOD_COUNT];
    uint64_t verdict[AFX_TRACE_VERDICT_COUNT], reason[AFX_TRACE_REASON_COUNT], change[5], flag[FLAGS];
    const char *kind_by[AFX_TRACE_KIND_COUNT], *engine_by[AFX_TRACE_ENGINE_COUNT], *method_by[AFX_TRACE_METHOD_COUNT];
    const char *verdict_by[AFX_TRACE_VERDICT_COUNT], *reason_by[AFX_TRACE_REASON_COUNT], *change_by[5];
    const char *flag_by[FLAGS], *path_by[PATH_COUNT];
    uint64_t dropped;
} Seen;

/* A second-order correction leaves a residual where its refinement stalls. No scene does that: it is left so by hand.
 */
static const GoldenScene spoiled = {.label = "net, spoilt by hand", .from = "net", .args = "k=4"};

static Seen seen;
static const char *scene_label;

static void count(uint64_t *to, const char **by, uint64_t more) {
    *by = *to == 0 && more ? scene_label : *by;
    *to += more;
}

static void count_event(const AfxTraceEvent *event) {
    count(&seen.kind[event->kind], &seen.kind_by[event->kind], 1);
    if (event->kind == AFX_TRACE_FAILED) {
        count(&seen.reason[event->reason], &seen.reason_by[event->reason], 1);
    }
    if (event->kind != AFX_TRACE_SOLVE) {
        return;
    }
    const uint32_t changes[] = {event->changes.contacts, event->changes.slips, event->changes.limits,
                                event->changes.friction, event->changes.saturation};
    count(&seen.engine[event->engine], &seen.engine_by[event->engine], 1);
    count(&seen.method[event->method], &seen.method_by[event->method], 1);
    count(&seen.verdict[event->verdict], &seen.verdict_by[event->verdict], 1);
    count(&seen.reason[event->reason], &seen.reason_by[event->reason], 1);
    for (int k = 0; k < 5; ++k) {
        count(&seen.change[k], &seen.change_by[k], changes[k]);
    }
}

static void watch(AfxSim *sim, const AfxStepReport *report) {
    static uint64_t paths_before[PATH_COUNT];
    if (!report) {
        afx_sim_trace(sim, RING);
        return;
    }
    for (uint32_t k = 0; k < afx_sim_trace_count(sim); ++k) {
        AfxTraceEvent event;
        if (afx_sim_trace_event(sim, k, &event) == AFX_OK) {
            count_event(&event);
        }
    }
    seen.dropped += afx_sim_trace_dropped(sim);
    afx_sim_trace_clear(sim);
    for (int k = 0; k < FLAGS; ++k) {
        count(&seen.flag[k], &seen.flag_by[k], report->flags >> k & 1);
    }
    for (int k = 0; k < PATH_COUNT; ++k) {
        seen.path_by[k] = paths_before[k] == 0 && path_count[k] ? scene_label : seen.path_by[k];
        paths_before[k] = path_count[k];
    }
}

/* All methods, or BDF2 and one of the others: together the scenes take all of them. */
static void run_scenes(const GoldenScene *scenes, uint32_t number, bool all) {
    static const AfxIntegrator others[] = {AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};
    for (uint32_t k = 0; k < number; ++k) {
        scene_label = scenes[k].label;
        for (uint32_t variant = 0; variant < 8; ++variant) {
            AfxIntegrator integrator = variant / 2 ? others[variant / 2 - 1] : AFX_BDF2;
            bool euler = scenes[k].formulation != AFX_AFFIX && integrator == AFX_BDF1;
            bool wanted = all || variant < 2 || variant == 2 + k % 6 || euler;
            GoldenSettings settings = {.integrator = integrator,
                                       .accuracy = variant % 2 ? AFX_ACCURATE : AFX_FAST,
                                       .steps = STEPS,
                                       .threads = 1,
                                       .watch = watch};
            GoldenLine line;
            AfxError error;
            if (wanted && golden_takes(&scenes[k], integrator)) {
                golden_run(&scenes[k], &settings, scene_label, NULL, &line, &error);
            }
        }
        GoldenSettings smooth = {.integrator = AFX_CONSERVING, .steps = STEPS, .threads = 1, .watch = watch};
        GoldenLine line;
        AfxError error;
        if (golden_takes(&scenes[k], AFX_CONSERVING)) { /* most are refused: contact, elastic bodies, limits */
            golden_run(&scenes[k], &smooth, scene_label, NULL, &line, &error);
        }
    }
}

static uint32_t tell(const char *what, const char *name, uint64_t number, const char *by) {
    printf("%-9s %-70s %10llu  %s\n", what, name, (unsigned long long)number, number ? by : "NOT REACHED");
    return number == 0;
}

static uint32_t tell_trace(void) {
    static const char *const changes[] = {"contacts open or close", "contacts stick or slide", "limits of joints",
                                          "friction of joints", "motors saturate"};
    uint32_t missing = 0;
    for (int k = 0; k < AFX_TRACE_KIND_COUNT; ++k) {
        missing += tell("event", afx_trace_kind_text((AfxTraceKind)k), seen.kind[k], seen.kind_by[k]);
    }
    for (int k = AFX_TRACE_NO_ENGINE + 1; k < AFX_TRACE_ENGINE_COUNT; ++k) {
        missing += tell("engine", afx_trace_engine_text((AfxTraceEngine)k), seen.engine[k], seen.engine_by[k]);
    }
    for (int k = 0; k < AFX_TRACE_METHOD_COUNT; ++k) {
        missing += tell("method", afx_trace_method_text((AfxTraceMethod)k), seen.method[k], seen.method_by[k]);
    }
    for (int k = 0; k < AFX_TRACE_VERDICT_COUNT; ++k) {
        missing += tell("verdict", afx_trace_verdict_text((AfxTraceVerdict)k), seen.verdict[k], seen.verdict_by[k]);
    }
    for (int k = 0; k < AFX_TRACE_REASON_COUNT; ++k) {
        if (k == AFX_TRACE_SHORTENED) { /* no scene sets a filter: test/solve/test_filter.c does */
            continue;
        }
        missing += tell("reason", afx_trace_reason_text((AfxTraceReason)k), seen.reason[k], seen.reason_by[k]);
    }
    for (int k = 0; k < 5; ++k) {
        missing += tell("change", changes[k], seen.change[k], seen.change_by[k]);
    }
    return missing;
}

static uint32_t tell_rest(void) {
    static const char *const flags[] = {"restarted",     "capped",      "inertia floor", "rotation rescued",
                                        "failed",        "regularised", "halved",        "impact",
                                        "broken",        "assembled",   "loose",         "unconverged",
                                        "contact rough", "light"};
    static const char *const paths[] = {
#define PATH_TEXT(path, text) text,
        PATH_TABLE(PATH_TEXT)
#undef PATH_TEXT
    };
    uint32_t missing = 0;
    for (size_t k = 0; k < sizeof flags / sizeof flags[0]; ++k) {
        missing += tell("flag", flags[k], seen.flag[k], seen.flag_by[k]);
    }
    for (int k = 0; k < PATH_COUNT; ++k) {
        missing += tell("path", paths[k], path_count[k], seen.path_by[k]);
    }
    return missing;
}

int main(int argc, char **argv) {
    bool all = argc == 2 && strcmp(argv[1], "--all") == 0;
    if (argc > 1 && !all) {
        fputs("golden_coverage [--all]\n  --all  every scene with every integrator and accuracy\n", stderr);
        return 2;
    }
    run_scenes(golden_cases, golden_case_count, all);
    run_scenes(golden_made, golden_made_count, true);
    path_spoil = true;
    run_scenes(&spoiled, 1, false);
    uint32_t missing = tell_trace() + tell_rest();
    printf("%u not reached, %llu events lost\n", missing, (unsigned long long)seen.dropped);
    bool fine = missing == 0 && seen.dropped == 0;
    printf("%s - the scenes of the goldens reach everything\n", fine ? "ok" : "not ok");
    return !fine;
}
