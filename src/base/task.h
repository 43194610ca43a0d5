/* SPDX-License-Identifier: Apache-2.0 */
/* The only room that knows threads: a parallel for over a fixed partition. What runs where never changes a
 * result: parts are cut by `grain` alone, and every part writes only to its own places. */
#ifndef AFXI_BASE_TASK_H
#define AFXI_BASE_TASK_H

#include "affix/base.h"

/* Items per task: small enough to share out, large enough to amortise the call. A multiple of every lane count. */
#define AFXI_GRAIN 1024u

/** Work on the items [begin, end) of part `part`. */
typedef void AfxiTask(void *context, uint32_t part, uint32_t begin, uint32_t end);

/** Number of parts that afxi_parallel_for cuts `count` items into. */
uint32_t afxi_part_count(uint32_t count, uint32_t grain);
/** Runs task over [0, count) in parts of `grain` items: serially for threads <= 1, else by tasks->run when given,
 * else by OpenMP when built in, else serially. Returns when all parts are done. */
void afxi_parallel_for(const AfxTasks *tasks, uint32_t threads, uint32_t count, uint32_t grain, AfxiTask *task,
                       void *context);

#endif
