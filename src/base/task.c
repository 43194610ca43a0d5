/* SPDX-License-Identifier: Apache-2.0 */
/* Three backends behind one call: serial, OpenMP, the user's own. */
#include "base/task.h"

typedef struct Loop {
    AfxiTask *task;
    void *context;
    uint32_t count, grain;
} Loop;

uint32_t afxi_part_count(uint32_t count, uint32_t grain) {
    return count / grain + (count % grain != 0);
}

static void run_part(void *context, uint32_t part) {
    const Loop *loop = context;
    uint32_t begin = part * loop->grain;
    uint32_t left = loop->count - begin;
    loop->task(loop->context, part, begin, begin + (left < loop->grain ? left : loop->grain));
}

void afxi_parallel_for(const AfxTasks *tasks, uint32_t threads, uint32_t count, uint32_t grain, AfxiTask *task,
                       void *context) {
    if (count <= grain) { /* small scenes: no part to cut, and a step asks a dozen times */
        if (count) {
            task(context, 0, 0, count);
        }
        return;
    }
    Loop loop = {task, context, count, grain};
    uint32_t parts = afxi_part_count(count, grain);
    if (threads > 1 && parts > 1) {
        if (tasks && tasks->run) {
            tasks->run(tasks->user, parts, run_part, &loop);
            return;
        }
#ifdef AFXI_HAVE_OPENMP
        int64_t signed_parts = parts;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (int64_t part = 0; part < signed_parts; part++) {
            run_part(&loop, (uint32_t)part);
        }
        return;
#endif
    }
    for (uint32_t part = 0; part < parts; part++) {
        run_part(&loop, part);
    }
}
