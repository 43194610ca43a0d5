/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of general joint graphs (nets, trees, Hoberman sphere, hubs, rings), and the wide path against one lane. */
#include "table.h"

#include "sparse/kernel.h"
#include "step/sim.h"

static BenchSide measured(BenchSubject *subject, const char *name, const char *arguments, uint32_t steps) {
    AfxSimDef def = afx_default_sim();
    bench_open(subject, name, arguments, &def);
    bench_mark(subject, BENCH_WARM);
    return bench_side(subject, steps);
}

/* A row with nothing to compare but a time. */
static void plain_row(BenchTable *table, const char *title, const char *name, const char *arguments, uint32_t steps,
                      const char *published, double limit) {
    BenchSubject subject;
    BenchSide side = measured(&subject, name, arguments, steps);
    bench_alternate(&side, 1, table->quick ? 5 : 11);
    BenchRow row = bench_row(title, &subject, &side);
    snprintf(row.more, sizeof row.more, "compile %.3f s", subject.compile_seconds);
    row.published = published;
    bench_goal(&row, "ms", 1e3 * side.median, limit, false);
    bench_print(table, &row);
    bench_close(&subject);
}

static void large_net(BenchTable *table) {
    BenchSubject subject;
    BenchSide side[2] = {measured(&subject, "net", table->quick ? "k=30" : "k=100", 4)};
    BenchPeer *peer = bench_peer_open(&subject);
    double difference = peer ? bench_peer_difference(peer, &subject) : 0;
    side[1] = (BenchSide){.run = bench_peer_run, .context = peer, .count = 2};
    bench_alternate(side, peer ? 2 : 1, 7);
    BenchRow row = bench_row(table->quick ? "net, k = 30" : "net, k = 100", &subject, &side[0]);
    row.smaller = table->quick;
    row.published = "84 ms";
    if (peer) {
        char blas[80];
        bench_peer_blas(blas, sizeof blas);
        snprintf(row.more, sizeof row.more,
                 "CHOLMOD, factor and solve of the same matrix: %.1f ms (least %.1f), %s; the solutions differ by %.0e",
                 1e3 * side[1].median, 1e3 * side[1].least, blas, difference);
        bench_goal(&row, "of CHOLMOD's time", side[0].median / side[1].median, 0.2, false);
    } else {
        snprintf(row.more, sizeof row.more, "no CHOLMOD in this build (libsuitesparse-dev)");
    }
    bench_print(table, &row);
    if (peer) {
        bench_peer_close(peer);
    }
    bench_close(&subject);
}

/* Time per body beside that of a smaller one: 1 where time is linear in the bodies. */
static void linear_row(BenchTable *table, const char *title, const char *name, const char *large, const char *small,
                       uint32_t steps, uint32_t small_steps) {
    BenchSubject subject[2];
    BenchSide side[2] = {measured(&subject[0], name, large, steps), measured(&subject[1], name, small, small_steps)};
    bench_alternate(side, 2, table->quick ? 5 : 11);
    BenchRow row = bench_row(title, &subject[0], &side[0]);
    double per_body = side[0].median / side[1].median * subject[1].bodies / subject[0].bodies;
    snprintf(row.more, sizeof row.more, "%.3f µs a body; with %s %.3f µs", 1e6 * side[0].median / subject[0].bodies,
             small, 1e6 * side[1].median / subject[1].bodies);
    bench_goal(&row, "times per body", per_body, 1.25, false);
    bench_print(table, &row);
    bench_close(&subject[0]);
    bench_close(&subject[1]);
}

void bench_rows_graph(BenchTable *table) {
    plain_row(table, "net, k = 10", "net", "k=10", 20, "below 1 ms", 0.25);
    large_net(table);
    plain_row(table, "tree, willow", "tree", "links=21000 preset=willow", 2, "18 ms", 4);
    plain_row(table, "tree, pear", "tree", "links=29000 preset=pear", 2, "23 ms", 6);
    plain_row(table, "Hoberman sphere", "hoberman", "", 10, "1138 ms, quaternions", 4);
    linear_row(table, "hub, 10,000 arms", "hub", "arms=10000", "arms=1000", 2, 4);
    linear_row(table, "ring, 1,000 links", "ring", "n=1000", "n=500", 10, 10);
}

/* One lane means one lane everywhere: the block factor has a choice of its own, which AfxSimDef.lanes may leave. */
static void one_lane(BenchSubject *subject, const BenchSubject *wide) {
    AfxSimDef def = afx_default_sim();
    def.lanes = 1;
    bench_open_beside(subject, wide, &def);
    subject->sim->solver.lot[0].system.factor.kernel = afxi_block_kernel(1);
    bench_mark(subject, BENCH_WARM);
}

static void lanes_row(BenchTable *table, const char *title, const char *name, const char *arguments, uint32_t steps,
                      double limit) {
    BenchSubject wide, scalar;
    BenchSide side[2] = {measured(&wide, name, arguments, steps)};
    one_lane(&scalar, &wide);
    side[1] = bench_side(&scalar, steps);
    bench_alternate(side, 2, table->quick ? 5 : 11);
    double ratio = side[1].median / side[0].median;
    BenchRow row = bench_row(title, &wide, &side[0]);
    snprintf(row.more, sizeof row.more, "%u lanes (%s); one lane %.3f ms: %.2f times as long (least %.2f)",
             (unsigned)afx_sim_lanes(wide.sim), afx_sim_instruction_set(wide.sim), 1e3 * side[1].median, ratio,
             side[1].least / side[0].least);
    if (limit > 0) {
        bench_goal(&row, "times as fast", ratio, limit, true);
    }
    bench_print(table, &row);
    bench_close(&scalar);
    bench_close(&wide);
}

void bench_rows_lanes(BenchTable *table) {
    lanes_row(table, "lanes: free bodies", "tumbling", "n=1000", 50, 3);
    lanes_row(table, "lanes: chains", "chains", "links=10000", 4, 0);
    lanes_row(table, "lanes: net, k = 30", "net", "k=30", 4, 0);
}
