/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects: built-in cases with allocators that count, and the clock. */
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cases/cases.h"

_Noreturn void bench_fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("bench_table: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(1);
}

/* Time of this thread on a processor: all that is measured runs in one thread and never waits, and what others do to
 * the machine then counts only as far as they take cache and memory from us. */
double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void *bench_allocate(size_t size) {
    void *block = malloc(size ? size : 1);
    if (!block) {
        bench_fail("no memory for %zu bytes", size);
    }
    memset(block, 0, size);
    return block;
}

/* The library's own allocator underneath: what it does for large blocks is part of what is measured. */
static void *count_bytes(void *user, void *block, size_t old_size, size_t new_size) {
    BenchCount *count = user;
    AfxAllocator below = afx_default_allocator();
    void *result = below.reallocate(below.user, block, old_size, new_size);
    if (result || new_size == 0) {
        count->live += new_size - (block ? old_size : 0);
        count->peak = count->live > count->peak ? count->live : count->peak;
    }
    return result;
}

static AfxScene *build(const char *name, const char *arguments, BenchCount *count) {
    enum { MOST = 8 };
    char text[200];
    const char *list[MOST];
    uint32_t given = 0;
    snprintf(text, sizeof text, "%s", arguments);
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word && given < MOST; word = strtok_r(NULL, " ", &rest)) {
        list[given++] = word;
    }
    const AfxiCase *from = afxi_case_find(name);
    AfxiCaseArguments checked;
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxError error;
    def.allocator = (AfxAllocator){count_bytes, count};
    if (!from) {
        bench_fail("there is no case %s", name);
    }
    if (afxi_case_arguments(from, given, list, &checked, &error) != AFX_OK ||
        afxi_case_build(&checked, &def, &scene, &error) != AFX_OK) {
        bench_fail("%s: %s: %s", name, error.element, error.text);
    }
    return scene;
}

static void create(BenchSubject *subject, const AfxSimDef *def) {
    AfxSimDef counted = *def;
    AfxError error = {0};
    counted.allocator = (AfxAllocator){count_bytes, &subject->sim_bytes};
    counted.error = &error;
    double begin = bench_seconds();
    if (afx_sim_create(subject->model, &counted, &subject->sim) != AFX_OK) {
        bench_fail("no sim: %s: %s", error.element, error.text);
    }
    subject->create_seconds = bench_seconds() - begin;
    subject->bodies = afx_model_body_count(subject->model);
}

void bench_open(BenchSubject *subject, const char *name, const char *arguments, const AfxSimDef *def) {
    *subject = (BenchSubject){.owns_model = true};
    AfxError error = {0};
    double begin = bench_seconds();
    AfxScene *scene = build(name, arguments, &subject->model_bytes);
    double built = bench_seconds();
    if (afx_model_create(scene, &subject->model, &error) != AFX_OK) {
        bench_fail("%s: %s: %s", name, error.element, error.text);
    }
    double compiled = bench_seconds();
    afx_scene_destroy(scene);
    subject->scene_seconds = built - begin;
    subject->compile_seconds = compiled - built;
    create(subject, def);
}

void bench_open_beside(BenchSubject *subject, const BenchSubject *other, const AfxSimDef *def) {
    *subject = (BenchSubject){.model_bytes = other->model_bytes, .model = other->model};
    create(subject, def);
}

void bench_close(BenchSubject *subject) {
    afx_sim_destroy(subject->sim);
    if (subject->owns_model) {
        afx_model_destroy(subject->model);
    }
    free(subject->mark);
    *subject = (BenchSubject){0};
}

void bench_steps(BenchSubject *subject, uint32_t count) {
    AfxStepReport report;
    for (uint32_t k = 0; k < count; k++) {
        AfxStatus status = afx_step(subject->sim, &report);
        if (status != AFX_OK) {
            bench_fail("step %llu failed at body %u: %s", (unsigned long long)report.step, (unsigned)report.body,
                       afx_status_text(status));
        }
        subject->solves += report.solves_mean;
        subject->residual = fmax(subject->residual, report.residual);
        subject->solves_most = report.solves > subject->solves_most ? report.solves : subject->solves_most;
        subject->halved += (report.flags & AFX_STEP_HALVED) != 0;
        subject->steps++;
    }
}

void bench_mark(BenchSubject *subject, uint32_t steps) {
    bench_steps(subject, steps);
    subject->mark_size = afx_sim_snapshot_size(subject->sim);
    subject->mark = bench_allocate(subject->mark_size);
    if (afx_sim_snapshot(subject->sim, subject->mark, subject->mark_size) != AFX_OK) {
        bench_fail("no snapshot");
    }
    subject->steps = subject->halved = 0;
    subject->solves_most = 0;
    subject->solves = subject->residual = 0;
}

void bench_rewind(void *context) {
    BenchSubject *subject = context;
    if (afx_sim_restore(subject->sim, subject->mark, subject->mark_size) != AFX_OK) {
        bench_fail("the snapshot cannot be restored");
    }
}

double bench_solves(const BenchSubject *subject) {
    return subject->steps ? subject->solves / (double)subject->steps : 0;
}

double bench_bytes(const BenchSubject *subject) {
    return (double)(subject->model_bytes.live + subject->sim_bytes.live) / subject->bodies;
}
