/* SPDX-License-Identifier: Apache-2.0 */
/* random_mechanisms: hunts for faults among the mechanisms of many seeds, and shrinks what it finds.
 *
 *     random_mechanisms [--seed N] [--count M] [--only FEATURE[,FEATURE...]] [--fault NAME] [--folder DIR]
 * [--young E|infinite] [--no-shrink]
 *
 * With --young, all bodies are of that modulus instead of their own: the same mechanisms rigid and elastic. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/run.h"
#include "random/shrink.h"

#define RUNS_MOST 2000u
/* Solver iterations times bodies: about half a second. */
#define WORK_MOST 1e5

typedef struct Options {
    uint64_t seed, count;
    uint32_t only;
    const char *fault, *folder;
    double young; /* Pa; 0: their own */
    bool shrink, quiet;
} Options;

static int usage(void) {
    fprintf(stderr, "usage: random_mechanisms [--seed N] [--count M] [--only FEATURE[,...]] [--fault NAME] "
                    "[--folder DIR] [--young E|infinite] [--no-shrink] [--quiet]\nfeatures:\n");
    for (uint32_t k = 0; k < FEATURE_COUNT; k++) {
        static const char *const text[] = {
#define TEXT(feature, name, text) text,
            FEATURE_TABLE(TEXT)
#undef TEXT
        };
        fprintf(stderr, "  %-16s %s\n", feature_name((Feature)k), text[k]);
    }
    return 2;
}

static bool read_features(char *list, uint32_t *out) {
    for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
        Feature feature = feature_find(name);
        if (feature == FEATURE_COUNT) {
            return false;
        }
        *out |= 1u << feature;
    }
    return *out != 0;
}

static bool read_options(int count, char **argument, Options *out) {
    for (int k = 1; k < count; k++) {
        const char *name = argument[k];
        char *value = k + 1 < count ? argument[k + 1] : NULL;
        if (!strcmp(name, "--no-shrink")) {
            out->shrink = false;
            continue;
        }
        if (!strcmp(name, "--quiet")) {
            out->quiet = true;
            continue;
        }
        if (!value) {
            return false;
        }
        k++;
        if (!strcmp(name, "--seed")) {
            out->seed = strtoull(value, NULL, 10);
        } else if (!strcmp(name, "--count")) {
            out->count = strtoull(value, NULL, 10);
        } else if (!strcmp(name, "--fault")) {
            out->fault = value;
        } else if (!strcmp(name, "--young")) {
            out->young = strtod(value, NULL);
            if (!(out->young > 0)) {
                return false;
            }
        } else if (!strcmp(name, "--folder")) {
            out->folder = value;
        } else if (strcmp(name, "--only") != 0 || !read_features(value, &out->only)) {
            return false;
        }
    }
    return true;
}

static void tell(Mechanism *m, Finding finding, const Options *options) {
    printf("seed %llu: %s: %s (%u bodies, size %.2g m, %s rho %.2f %s dt %g;", (unsigned long long)m->seed,
           fault_name(finding.fault), finding.text, mechanism_moving(m), m->size,
           afxi_integrator_name(m->sim.integrator), m->sim.rho, m->sim.accuracy == AFX_FAST ? "fast" : "accurate",
           m->sim.dt);
    for (uint32_t k = 0; k < FEATURE_COUNT; k++) {
        printf("%s%s", has(m, (Feature)k) ? " " : "", has(m, (Feature)k) ? feature_name((Feature)k) : "");
    }
    printf(")\n");
    if (options->shrink) {
        uint32_t runs;
        char command[600];
        finding = shrink(m, finding, RUNS_MOST, &runs);
        bool written = write_scene(m, &finding, options->folder, command, sizeof command);
        printf("  shrunk to %u bodies in %u runs: %s\n  %s%s\n", mechanism_moving(m), runs, finding.text,
               written ? "" : "not written: ", command);
    }
    fflush(stdout);
}

int main(int count, char **argument) {
    static Mechanism mechanism;
    Options options = {.seed = 1, .count = 200, .folder = ".", .shrink = true};
    uint64_t faults[FAULT_COUNT] = {0}, bad = 0;
    if (!read_options(count, argument, &options)) {
        return usage();
    }
    for (uint64_t k = 0; k < options.count; k++) {
        mechanism_generate(&mechanism, options.seed + k, options.only);
        mechanism.work_most = WORK_MOST;
        for (uint32_t b = 0; options.young > 0 && b < mechanism.body_count; b++) {
            mechanism.body[b].def.young = options.young;
        }
        Finding finding = examine(&mechanism);
        faults[finding.fault]++;
        bool fault = finding.fault > FAULT_INFEASIBLE;
        bad += fault;
        if (fault && !options.quiet && (!options.fault || !strcmp(options.fault, fault_name(finding.fault)))) {
            tell(&mechanism, finding, &options);
        }
    }
    for (uint32_t k = 0; k < FAULT_COUNT; k++) {
        printf("%-12s %llu\n", fault_name((Fault)k), (unsigned long long)faults[k]);
    }
    return bad ? 1 : 0;
}
