/* SPDX-License-Identifier: Apache-2.0 */
/* bench_papers: measurements for docs/papers.md that `affix run` does not make, printed as JSON. tools/papers runs
 * it. */
#include "papers/papers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cases/cases.h"

void papers_check(AfxStatus status, const char *what) {
    if (status != AFX_OK) {
        fprintf(stderr, "bench_papers: %s: %s\n", what, afx_status_text(status));
        exit(1);
    }
}

double papers_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

AfxScene *papers_scene(const char *name, int count, char **texts) {
    const AfxiCase *from = afxi_case_find(name);
    AfxiCaseArguments args;
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxError error = {0};
    if (!from) {
        fprintf(stderr, "bench_papers: no case %s\n", name);
        exit(1);
    }
    if (afxi_case_arguments(from, (uint32_t)count, (const char *const *)texts, &args, &error) != AFX_OK ||
        afxi_case_build(&args, &def, &scene, &error) != AFX_OK) {
        fprintf(stderr, "bench_papers: %s: %s\n", error.element, error.text);
        exit(1);
    }
    return scene;
}

int main(int argc, char **argv) {
    if (argc >= 2 && strcmp(argv[1], "single") == 0) {
        return papers_single(argc - 2, argv + 2);
    }
    if (argc >= 2 && strcmp(argv[1], "series") == 0) {
        return papers_series(argc - 2, argv + 2);
    }
    if (argc >= 2 && strcmp(argv[1], "steps") == 0) {
        return papers_steps(argc - 2, argv + 2);
    }
    if (argc >= 2 && strcmp(argv[1], "redmax") == 0) {
        return papers_redmax(argc - 2, argv + 2);
    }
    if (argc == 2 && strcmp(argv[1], "spin") == 0) {
        return papers_spin();
    }
    fprintf(stderr, "usage: bench_papers single [STEPS [ROUNDS]]\n"
                    "       bench_papers series METHOD DT TIME SAMPLES CASE [name=value ...]\n"
                    "       bench_papers steps FORMULATION DT STEPS LIMIT CASE [name=value ...]\n"
                    "       bench_papers redmax DT STEPS LIMIT CASE [name=value ...]\n"
                    "       bench_papers spin\n");
    return 2;
}
