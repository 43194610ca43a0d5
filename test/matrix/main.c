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

int main(void) {
    int failed = run_reference_tests() + run_same_tests() + run_superposition_tests();
    print_matrix();
    return failed;
}
