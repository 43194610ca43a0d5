/* SPDX-License-Identifier: Apache-2.0 */
/* Every feature on every way of solving. */
#include "cell.h"
#include "tests.h"

#include <stdio.h>

static void print_cell(const Cell *cell) {
    char text[32];
    switch (cell->verdict) {
    case VERDICT_GOOD:
        snprintf(text, sizeof text, cell->error > 0 ? "%.0e" : "bits", cell->error);
        break;
    case VERDICT_BAD:
        snprintf(text, sizeof text, "BAD %.0e", cell->error);
        break;
    default:
        snprintf(text, sizeof text, "%s",
                 cell->verdict == VERDICT_NONE      ? "-"
                 : cell->verdict == VERDICT_REFUSED ? "refused"
                 : cell->verdict == VERDICT_FAILED  ? "FAILED"
                                                    : "UNREACHED");
    }
    printf(" %-11s", text);
}

void print_matrix(void) {
    printf("\n%-20s", "");
    for (int engine = 0; engine < ENGINE_COUNT; engine++) {
        printf(" %-11s", engine_name[engine]);
    }
    for (int feature = 0; feature < FEATURE_COUNT; feature++) {
        printf("\n%-20s", feature_name[feature]);
        for (int engine = 0; engine < ENGINE_COUNT; engine++) {
            print_cell(&cells[feature][engine]);
        }
    }
    printf("\n\n");
    for (int feature = 0; feature < FEATURE_COUNT; feature++) {
        for (int engine = 0; engine < ENGINE_COUNT; engine++) {
            const Cell *cell = &cells[feature][engine];
            if (cell->note[0]) {
                printf("%s x %s: %s\n", feature_name[feature], engine_name[engine], cell->note);
            }
        }
    }
}

/* Without arguments all groups; else those that are named. */
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(void);
    } groups[] = {{"reference", run_reference_tests},
                  {"parts", run_parts_tests},
                  {"same", run_same_tests},
                  {"superposition", run_superposition_tests},
                  {"cases", run_cases_tests}};
    int failed = 0;
    for (size_t k = 0; k < COUNT(groups); k++) {
        bool wanted = argc < 2;
        for (int a = 1; a < argc; a++) {
            wanted |= strcmp(argv[a], groups[k].name) == 0;
        }
        failed += wanted ? groups[k].run() : 0;
    }
    print_matrix();
    return failed;
}
