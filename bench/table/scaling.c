/* SPDX-License-Identifier: Apache-2.0 */
/* Curves over the number of bodies: ms/step, solves, bytes, and how long it takes until the first step. */
#include "table.h"

typedef struct Curve {
    const char *name;      /* of the case */
    const char *arguments; /* a format for one number */
    uint32_t size[8];      /* that number, ending with 0 */
} Curve;

/* Bodies are about 1e3, 3e3, ... 1e6. A net of k x k nodes has 3 k^2 - 2 k bodies, beads come 40 to a chain. A curve
 * ends after a step that took this long. */
#define LONG_STEP 0.5 /* s */

static const Curve curves[] = {
    {"chains", "links=%u", {1000, 3162, 10000, 31623, 100000, 316228, 1000000}},
    {"beads", "beads=40 chains=%u", {25, 79, 250, 791, 2500, 7906, 25000}},
    {"tree", "preset=willow links=%u", {1000, 3162, 10000, 31623, 100000, 316228, 1000000}},
    {"net", "k=%u", {19, 33, 58, 103, 183, 325, 578}},
    {"hub", "arms=%u", {1000, 3162, 10000, 31623, 100000, 316228, 1000000}},
    {"ring", "n=%u", {1000, 3162, 10000, 31623, 100000, 316228, 1000000}},
    {"tumbling", "n=%u", {1000, 3162, 10000, 31623, 100000, 316228, 1000000}},
};

/* Returns the time of a step. */
static double point(FILE *file, const Curve *curve, uint32_t size) {
    char arguments[80];
    AfxSimDef def = afx_default_sim();
    BenchSubject subject;
    snprintf(arguments, sizeof arguments, curve->arguments, (unsigned)size);
    bench_open(&subject, curve->name, arguments, &def);
    bench_mark(&subject, BENCH_WARM);
    BenchSide side = bench_side(&subject, 4);
    bench_alternate(&side, 1, subject.bodies < 50000 ? 9 : 5);
    fprintf(file, "%s,%s,%u,%.6g,%.6g,%.4f,%.3g,%zu,%zu,%zu,%.6g,%.6g,%.6g\n", curve->name, arguments,
            (unsigned)subject.bodies, 1e3 * side.median, 1e3 * side.least, bench_solves(&subject), subject.residual,
            subject.model_bytes.live, subject.sim_bytes.live, subject.model_bytes.peak, subject.scene_seconds,
            subject.compile_seconds, subject.create_seconds);
    fflush(file);
    bench_close(&subject);
    return side.median;
}

void bench_scaling(FILE *file, bool quick) {
    fputs("case,arguments,bodies,ms_median,ms_least,solves,residual,model_bytes,sim_bytes,compile_peak_bytes,"
          "scene_s,compile_s,create_s\n",
          file);
    for (uint32_t k = 0; k < sizeof curves / sizeof curves[0]; k++) {
        double step = 0;
        for (uint32_t n = 0; n < 8 && curves[k].size[n] && step < LONG_STEP && !(quick && n >= 3); n++) {
            step = point(file, &curves[k], curves[k].size[n]);
        }
        fprintf(stderr, "  %s\n", curves[k].name);
    }
}
