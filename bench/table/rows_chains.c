/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what streams through memory: chains, beads, free bodies. The measure is one copy of the bodies' q and v. */
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STATE_BYTES (12 * sizeof(double)) /* of q, and of v */

typedef struct Copy {
    const BenchSubject *subject;
    char *to;
} Copy;

static void copy_state(void *context, uint32_t count) {
    const Copy *copy = context;
    size_t bytes = copy->subject->bodies * STATE_BYTES;
    for (uint32_t k = 0; k < count; k++) {
        memcpy(copy->to, afx_sim_coordinates(copy->subject->sim), bytes);
        memcpy(copy->to + bytes, afx_sim_velocities(copy->subject->sim), bytes);
    }
}

static Copy copy_open(const BenchSubject *subject) {
    return (Copy){subject, bench_allocate(2 * subject->bodies * STATE_BYTES)};
}

static double gigabytes_per_second(const BenchSubject *subject, const BenchSide *copy) {
    return 4e-9 * (double)subject->bodies * (double)STATE_BYTES / copy->median;
}

/* Exponent p of time ~ bodies^p, least squares over the points. */
static double slope(const BenchSubject *subjects, const BenchSide *sides, uint32_t count) {
    double x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t k = 0; k < count; k++) {
        double u = log(subjects[k].bodies), v = log(sides[k].median);
        x += u;
        y += v;
        xx += u * u;
        xy += u * v;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

/* The large chain, the same with one solve per step, its copy, and three smaller ones for the slope, all in turn. */
static void large_chain(BenchTable *table) {
    enum { WHOLE, SMALL, MIDDLE, LARGE, ONCE, SUBJECTS, COPY = SUBJECTS, SIDES };
    static const char *const links[] = {"links=1076748", "links=100000", "links=316228", "links=1000000"};
    static const char *const quick[] = {"links=100000", "links=10000", "links=31623", "links=100000"};
    AfxSimDef def = afx_default_sim();
    BenchSubject subject[SUBJECTS];
    BenchSide side[SIDES];
    for (uint32_t k = WHOLE; k <= LARGE; k++) {
        bench_open(&subject[k], "chains", (table->quick ? quick : links)[k], &def);
    }
    def.solves = 1;
    bench_open_beside(&subject[ONCE], &subject[WHOLE], &def);
    for (uint32_t k = 0; k < SUBJECTS; k++) {
        bench_mark(&subject[k], BENCH_WARM);
        side[k] = bench_side(&subject[k], 4);
    }
    Copy copy = copy_open(&subject[WHOLE]);
    side[COPY] = (BenchSide){.run = copy_state, .context = &copy, .count = 2};
    bench_alternate(side, SIDES, 7);

    double ready = subject[WHOLE].scene_seconds + subject[WHOLE].compile_seconds + subject[WHOLE].create_seconds;
    double exponent = slope(&subject[SMALL], &side[SMALL], 3);
    BenchRow row = bench_row("chains, one", &subject[WHOLE], &side[WHOLE]);
    row.smaller = table->quick;
    snprintf(row.more, sizeof row.more,
             "%.2f copies (least %.2f), copy %.1f ms, %.1f GB/s; scene %.2f s, compile %.2f s, create %.2f s; "
             "peak of compile %.0f B/body",
             side[WHOLE].median / side[COPY].median, side[WHOLE].least / side[COPY].least, 1e3 * side[COPY].median,
             gigabytes_per_second(&subject[WHOLE], &side[COPY]), subject[WHOLE].scene_seconds,
             subject[WHOLE].compile_seconds, subject[WHOLE].create_seconds,
             (double)subject[WHOLE].model_bytes.peak / subject[WHOLE].bodies);
    row.published = "904 ms, on a faster machine";
    bench_goal(&row, "ms", 1e3 * side[WHOLE].median, 100, false);
    bench_goal(&row, "copies", side[WHOLE].median / side[COPY].median, 4, false);
    bench_goal(&row, "exponent", exponent, 1.05, false);
    bench_goal(&row, "s until it steps", ready, 3, false);
    bench_print(table, &row);
    row = bench_row("the same, `solves` = 1", &subject[ONCE], &side[ONCE]);
    snprintf(row.more, sizeof row.more, "%.2f copies (least %.2f)", side[ONCE].median / side[COPY].median,
             side[ONCE].least / side[COPY].least);
    bench_print(table, &row);
    free(copy.to);
    bench_close(&subject[ONCE]);
    for (uint32_t k = WHOLE; k <= LARGE; k++) {
        bench_close(&subject[k]);
    }
}

void bench_rows_chains(BenchTable *table) {
    large_chain(table);
    AfxSimDef def = afx_default_sim();
    BenchSubject subject;
    bench_open(&subject, "beads", table->quick ? "chains=250 beads=40" : "chains=2500 beads=40", &def);
    bench_mark(&subject, BENCH_WARM);
    BenchSide side = bench_side(&subject, 20); /* enough of them to hold steps that settle and steps that do not */
    bench_alternate(&side, 1, 5);
    BenchRow row = bench_row(table->quick ? "beads, 250 × 40" : "beads, 2,500 × 40", &subject, &side);
    row.smaller = table->quick;
    row.published = "60 frames/s, approximate joints, GPU";
    bench_goal(&row, "steps/s", 1 / side.median, 100, true);
    bench_print(table, &row);
    bench_close(&subject);
}

static void free_million(BenchTable *table, AfxIntegrator integrator, const char *name) {
    AfxSimDef def = afx_default_sim();
    def.integrator = integrator;
    BenchSubject subject;
    bench_open(&subject, "tumbling", table->quick ? "n=100000" : "n=1000000", &def);
    bench_mark(&subject, BENCH_WARM);
    Copy copy = copy_open(&subject);
    BenchSide side[] = {bench_side(&subject, 2), {.run = copy_state, .context = &copy, .count = 2}};
    bench_alternate(side, 2, 11);
    BenchRow row = bench_row(name, &subject, &side[0]);
    row.smaller = table->quick;
    snprintf(row.more, sizeof row.more, "%.2f copies (least %.2f), copy %.1f ms, %.1f GB/s",
             side[0].median / side[1].median, side[0].least / side[1].least, 1e3 * side[1].median,
             gigabytes_per_second(&subject, &side[1]));
    bench_goal(&row, "copies", side[0].median / side[1].median, 3, false);
    bench_print(table, &row);
    free(copy.to);
    bench_close(&subject);
}

void bench_rows_free(BenchTable *table) {
    free_million(table, AFX_BDF2, "free bodies");
    free_million(table, AFX_BDF1, "free bodies, BDF1");
}
