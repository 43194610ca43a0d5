/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/sweep. */
#include "tests.h"

AfxiStudy *open_study(const char *text) {
    AfxiStudy *study = NULL;
    AfxError error = {0};
    if (afxi_study_open("study.json", text, NULL, &study, &error) != AFX_OK) {
        print_error("%s: %s (%s)\n", error.element, error.text, error.cure);
    }
    assert_non_null(study);
    return study;
}

int main(void) {
    return run_point_tests() + run_journal_tests() + run_optimise_tests() + run_worker_tests();
}
