/* SPDX-License-Identifier: Apache-2.0 */
/* affix explain: tells from a trace of the solver which steps needed more than usual, and why. */
#include "cli/explain.h"
#include "cli/command.h"

#include "cli/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_WORST = CLI_OPTION_FIRST, OPTION_STEP };

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    [OPTION_WORST] = {"worst", "N", "report the N worst steps and islands (default 5)"},
    [OPTION_STEP] = {"step", "N", "report this step only"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

static int rising(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Median of the steps' iterations; 0 when there is no memory, and then all steps are unusual. */
static uint32_t usual(const CliExplainStep *steps, uint32_t count) {
    uint32_t *solves = malloc((count ? count : 1) * sizeof(*solves)), middle = 0;
    for (uint32_t k = 0; solves && k < count; ++k) {
        solves[k] = steps[k].solves;
    }
    if (solves && count) {
        qsort(solves, count, sizeof(*solves), rising);
        middle = solves[count / 2];
    }
    free(solves);
    return middle;
}

/* Failed, then cut, then by iterations; else the earlier. */
static int worse_step(const void *a, const void *b) {
    const CliExplainStep *x = a, *y = b;
    if (x->failed != y->failed) {
        return x->failed ? -1 : 1;
    }
    if (x->parts != y->parts) {
        return x->parts > y->parts ? -1 : 1;
    }
    return x->solves != y->solves ? (x->solves > y->solves ? -1 : 1) : (x->step > y->step) - (x->step < y->step);
}

static void print_reasons(const CliExplain *trace) {
    uint64_t solves[AFX_TRACE_VERDICT_COUNT][AFX_TRACE_REASON_COUNT] = {{0}};
    uint64_t steps[AFX_TRACE_VERDICT_COUNT][AFX_TRACE_REASON_COUNT] = {{0}};
    uint64_t seen[AFX_TRACE_VERDICT_COUNT][AFX_TRACE_REASON_COUNT] = {{0}};
    for (uint32_t k = 0; k < trace->count; ++k) {
        const AfxTraceEvent *event = &trace->events[k];
        if (event->kind == AFX_TRACE_SOLVE) {
            uint64_t *last = &seen[event->verdict][event->reason];
            ++solves[event->verdict][event->reason];
            steps[event->verdict][event->reason] += *last != event->step;
            *last = event->step;
        }
    }
    puts("\nSolver iterations by reason");
    printf("  %10s %10s  %s\n", "iterations", "steps", "reason -> what became of them");
    for (int verdict = 0; verdict < AFX_TRACE_VERDICT_COUNT; ++verdict) {
        for (int reason = 0; reason < AFX_TRACE_REASON_COUNT; ++reason) {
            if (solves[verdict][reason]) {
                printf("  %10" PRIu64 " %10" PRIu64 "  %s -> %s\n", solves[verdict][reason], steps[verdict][reason],
                       afx_trace_reason_text((AfxTraceReason)reason), afx_trace_verdict_text((AfxTraceVerdict)verdict));
            }
        }
    }
}

static void print_kinds(const CliExplain *trace) {
    static const struct {
        AfxTraceKind kind;
        const char *text;
    } kinds[] = {{AFX_TRACE_CUT, "cuts of a step into sub-steps"},
                 {AFX_TRACE_RESTART, "restarts of a multistep method"},
                 {AFX_TRACE_ORDER, "post-impact order reductions"},
                 {AFX_TRACE_LIMIT, "joint limits struck"},
                 {AFX_TRACE_BOUNCE, "contacts that bounced"},
                 {AFX_TRACE_BROKEN, "joints that broke"},
                 {AFX_TRACE_FAILED, "failed steps"}};
    uint64_t counts[AFX_TRACE_KIND_COUNT] = {0};
    for (uint32_t k = 0; k < trace->count; ++k) {
        ++counts[trace->events[k].kind];
    }
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); ++k) {
        if (counts[kinds[k].kind]) {
            printf("  %10" PRIu64 "  %s\n", counts[kinds[k].kind], kinds[k].text);
        }
    }
}

/* Events of one island and engine together. */
static int by_island(const void *a, const void *b) {
    const AfxTraceEvent *x = a, *y = b;
    if (x->kind != y->kind) {
        return x->kind == AFX_TRACE_SOLVE ? -1 : y->kind == AFX_TRACE_SOLVE ? 1 : 0;
    }
    if (x->island != y->island) {
        return x->island > y->island ? 1 : -1;
    }
    return (x->engine > y->engine) - (x->engine < y->engine);
}

typedef struct Island {
    uint32_t island, bodies;
    AfxTraceEngine engine;
    uint64_t solves, again; /* iterations; of them not accepted */
} Island;

static int worse_island(const void *a, const void *b) {
    const Island *x = a, *y = b;
    if (x->again != y->again) {
        return x->again > y->again ? -1 : 1;
    }
    return x->solves != y->solves ? (x->solves > y->solves ? -1 : 1)
                                  : (x->island > y->island) - (x->island < y->island);
}

/* False when there is no memory. */
static bool print_islands(const CliExplain *trace, uint32_t most) {
    size_t size = (trace->count ? trace->count : 1) * sizeof(AfxTraceEvent);
    AfxTraceEvent *sorted = malloc(size);
    Island *islands = calloc(trace->count ? trace->count : 1, sizeof(*islands));
    uint32_t count = 0;
    if (!sorted || !islands) {
        free(sorted);
        free(islands);
        return false;
    }
    if (trace->count) {
        memcpy(sorted, trace->events, trace->count * sizeof(*sorted));
        qsort(sorted, trace->count, sizeof(*sorted), by_island);
    }
    for (uint32_t k = 0; k < trace->count && sorted[k].kind == AFX_TRACE_SOLVE; ++k) {
        const AfxTraceEvent *event = &sorted[k];
        Island *last = count ? &islands[count - 1] : NULL;
        if (!last || last->island != event->island || last->engine != event->engine) {
            last = &islands[count++];
            *last = (Island){.island = event->island, .engine = event->engine};
        }
        bool single = event->engine == AFX_TRACE_FREE || event->engine == AFX_TRACE_PAPER;
        last->bodies = event->bodies > last->bodies ? event->bodies : last->bodies;
        last->solves += single ? event->solve : 1;
        last->again += single ? (event->solve ? event->solve - 1 : 0) : event->verdict != AFX_TRACE_ACCEPT;
    }
    qsort(islands, count, sizeof(*islands), worse_island);
    printf("\nIslands%s\n  %10s %10s  %s\n", count > most ? ", the worst" : "", "iterations", "extra",
           "island, engine");
    for (uint32_t k = 0; k < count && k < most; ++k) {
        char text[160];
        cli_explain_island(trace, islands[k].island, islands[k].bodies, text, sizeof(text));
        printf("  %10" PRIu64 " %10" PRIu64 "  %s, %s\n", islands[k].solves, islands[k].again, text,
               afx_trace_engine_name(islands[k].engine));
    }
    free(sorted);
    free(islands);
    return true;
}

static void print_step(const CliExplain *trace, const CliExplainStep *step) {
    printf("  step %" PRIu64, step->step);
    if (isfinite(step->time)) {
        printf(", from %.6g s on", step->time);
    }
    printf(": %" PRIu32 " solver iteration%s", step->solves, step->solves == 1 ? "" : "s");
    if (step->parts > 1) {
        printf(", cut into %" PRIu32, step->parts);
    }
    printf("%s\n", step->failed ? ", failed" : "");
    cli_explain_story(trace, step, "  ");
}

static void print_summary(const CliExplain *trace, const CliExplainStep *steps, uint32_t count, uint32_t middle) {
    uint64_t sum = 0, more = 0;
    uint32_t most = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += steps[k].solves;
        more += steps[k].solves > middle || steps[k].parts > 1 || steps[k].failed;
        most = steps[k].solves > most ? steps[k].solves : most;
    }
    printf("%s: %" PRIu32 " step%s of %g s, %s\n", trace->scene, count, count == 1 ? "" : "s", trace->dt,
           trace->integrator);
    if (count) {
        printf("Solver iterations per step: median %" PRIu32 ", mean %.3g, max %" PRIu32 "; %" PRIu64
               " step%s needed more than the median\n",
               middle, (double)sum / count, most, more, more == 1 ? "" : "s");
    }
    if (trace->dropped) {
        printf("%" PRIu64 " events were dropped: steps had more than fit into the trace\n", trace->dropped);
    }
    if (!trace->ended) {
        puts("The end of the trace is not there: the run was stopped, or still goes on");
    }
}

/* The steps worth telling of, worst first. */
static void print_worst(const CliExplain *trace, CliExplainStep *steps, uint32_t count, uint32_t middle,
                        uint32_t most) {
    uint32_t told = 0;
    qsort(steps, count, sizeof(*steps), worse_step);
    for (uint32_t k = 0; k < count && told < most; ++k) {
        if (steps[k].solves > middle || steps[k].parts > 1 || steps[k].failed) {
            if (told++ == 0) {
                puts("\nSteps that needed more, the worst first");
            }
            print_step(trace, &steps[k]);
        }
    }
    if (told == 0) {
        puts("\nNo step needed more solver iterations than others.");
    }
}

static int explain(const CliExplain *trace, uint32_t worst, uint64_t only) {
    uint32_t count = 0;
    bool fine = true;
    CliExplainStep *steps = cli_explain_steps(trace, &count);
    if (!steps) {
        cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
        return CLI_EXIT_SYSTEM;
    }
    if (only) {
        bool found = false;
        for (uint32_t k = 0; k < count; ++k) {
            if (steps[k].step == only) {
                print_step(trace, &steps[k]);
                found = true;
            }
        }
        if (!found) {
            cli_error("--step", NULL, "the trace has no step %" PRIu64, only);
        }
        free(steps);
        return found ? CLI_EXIT_FINE : CLI_EXIT_INPUT;
    }
    uint32_t middle = usual(steps, count);
    print_summary(trace, steps, count, middle);
    print_reasons(trace);
    print_kinds(trace);
    fine = print_islands(trace, worst);
    if (count) {
        print_worst(trace, steps, count, middle, worst);
    }
    free(steps);
    if (!fine) {
        cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
    }
    return fine ? CLI_EXIT_FINE : CLI_EXIT_SYSTEM;
}

static int start(CliArguments *given) {
    uint64_t worst = 5, only = 0;
    if (given->word_count != 1) {
        cli_error("explain", "affix explain trace.jsonl", given->word_count ? "takes one file" : "which trace?");
        return CLI_EXIT_USAGE;
    }
    if ((given->values[OPTION_WORST] &&
         !cli_option_integer("worst", given->values[OPTION_WORST], 0, 1000000, &worst)) ||
        (given->values[OPTION_STEP] &&
         !cli_option_integer("step", given->values[OPTION_STEP], 1, 1000000000000000u, &only))) {
        return CLI_EXIT_USAGE;
    }
    CliExplain trace;
    int code = cli_explain_read(given->words[0], &trace);
    code = code != CLI_EXIT_FINE ? code : explain(&trace, (uint32_t)worst, only);
    cli_explain_destroy(&trace);
    return code;
}

const CliCommand cli_command_explain = {
    .name = "explain",
    .help = "report from a trace why steps took more solver iterations, were sub-stepped or failed",
    .usage = "<trace.jsonl> [options]",
    .about =
        "Reports from a trace that affix run --trace has written (-: stdin) which steps needed more solver iterations\n"
        "than usual, which islands, and why; why steps were sub-stepped, and the story of a step that failed.",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = start,
};
