/* SPDX-License-Identifier: Apache-2.0 */
/* golden: one line for each scene, integrator and accuracy, with hashes of what the public API tells of every step. Two
 * builds whose lines are equal gave the same bits; tools/golden compares them. */
#include "golden/run.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "golden [--steps N] [--lanes N] [--threads N] [--only TEXT] [--made] [--tolerance-dump FILE]\n"
    "  --steps N              steps of each run (40)\n"
    "  --lanes N              1, 2, 4, 8; 0: the widest of this machine\n"
    "  --threads N            threads of each sim (1)\n"
    "  --only TEXT            only lines that contain TEXT\n"
    "  --made                 only the scenes made here, not the built-in cases\n"
    "  --tolerance-dump FILE  also write all final coordinates\n"
    "A line is: scene integrator accuracy, hash of all values, hash of status, solves and flags,\n"
    "steps tried, steps failed, all flags (hexadecimal), energy and largest |q| at the end.\n";

static const struct {
    AfxIntegrator integrator;
    const char *name;
} integrators[] = {{AFX_BDF1, "bdf1"},
                   {AFX_BDF2, "bdf2"},
                   {AFX_ALPHA, "alpha"},
                   {AFX_SDIRK2, "sdirk2"},
                   {AFX_CONSERVING, "conserving"},
                   {AFX_CONSERVING4, "conserving4"},
                   {AFX_REFERENCE, "reference"}};

typedef struct Options {
    GoldenSettings settings;
    const char *only, *dump_path;
    bool made;
} Options;

static bool read_options(int argc, char **argv, Options *options) {
    *options = (Options){.settings = {.steps = 40, .threads = 1}, .only = ""};
    for (int k = 1; k < argc; ++k) {
        if (strcmp(argv[k], "--made") == 0) {
            options->made = true;
            continue;
        }
        if (k + 1 == argc) {
            return false;
        }
        const char *value = argv[k + 1];
        if (strcmp(argv[k], "--steps") == 0) {
            options->settings.steps = (uint32_t)strtoul(value, NULL, 10);
        } else if (strcmp(argv[k], "--lanes") == 0) {
            options->settings.lanes = (uint32_t)strtoul(value, NULL, 10);
        } else if (strcmp(argv[k], "--threads") == 0) {
            options->settings.threads = (uint32_t)strtoul(value, NULL, 10);
        } else if (strcmp(argv[k], "--only") == 0) {
            options->only = value;
        } else if (strcmp(argv[k], "--tolerance-dump") == 0) {
            options->dump_path = value;
        } else {
            return false;
        }
        ++k;
    }
    return true;
}

static bool run_one(const GoldenScene *scene, uint32_t variant, Options *options, FILE *dump) {
    options->settings.integrator = integrators[variant / 2].integrator;
    options->settings.accuracy = variant % 2 ? AFX_ACCURATE : AFX_FAST;
    char label[160];
    snprintf(label, sizeof label, "%s %s %s", scene->label, integrators[variant / 2].name,
             variant % 2 ? "accurate" : "fast");
    if (!golden_takes(scene, options->settings.integrator) || !strstr(label, options->only)) {
        return true;
    }
    GoldenLine line;
    AfxError error;
    bool smooth = options->settings.integrator >= AFX_CONSERVING; /* they are for few scenes, and know no accuracy */
    if (smooth && options->settings.accuracy != AFX_FAST) {
        return true;
    }
    if (!golden_run(scene, &options->settings, label, dump, &line, &error)) {
        if (smooth && error.status == AFX_E_INPUT) {
            return true;
        }
        printf("%s refused %s %s %s\n", label, afx_status_name(error.status), error.element, error.text);
        return false;
    }
    printf("%s %016llx %016llx %u %u %x %.9g %.9g\n", label, (unsigned long long)line.values,
           (unsigned long long)line.solves, line.steps, line.failed, line.flags, line.energy, line.largest);
    fflush(stdout);
    return true;
}

static uint32_t run_all(const GoldenScene *scenes, uint32_t count, Options *options, FILE *dump) {
    uint32_t refused = 0;
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t variant = 0; variant < 2 * sizeof integrators / sizeof integrators[0]; ++variant) {
            refused += !run_one(&scenes[k], variant, options, dump);
        }
    }
    return refused;
}

int main(int argc, char **argv) {
    Options options;
    if (!read_options(argc, argv, &options)) {
        fputs(usage, stderr);
        return 2;
    }
    FILE *dump = NULL;
    if (options.dump_path && !(dump = fopen(options.dump_path, "wb"))) {
        perror(options.dump_path);
        return 2;
    }
    uint32_t refused = options.made ? 0 : run_all(golden_cases, golden_case_count, &options, dump);
    refused += run_all(golden_made, golden_made_count, &options, dump);
    if (dump && fclose(dump) != 0) {
        perror(options.dump_path);
        return 2;
    }
    return refused > 0;
}
