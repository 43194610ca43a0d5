/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a plan: supernodes as fronts of a multifrontal factorisation, and when each is done.
 *
 * A front holds `width` pivot columns and `height` rows below them, which are pivots of its ancestors. Its panel (pivot
 * columns) is where L ends up; its update matrix, height x height, is what it hands to its parent. The right-hand side
 * is carried as one more row below. Rows of a panel are padded so that the rows below begin and end at multiples of
 * four: element (r, c) is panel[c * leading + r], of the update matrix update[c * update_leading + r], where only the
 * lower half means anything. Small fronts of the same shape are factored in batches of four, one per lane. */
#ifndef AFXI_SPARSE_TREE_H
#define AFXI_SPARSE_TREE_H

#include "sparse/symbolic.h"
#include "sparse/tuning.h"

#define AFXI_BATCH 4u
#define AFXI_NO_FRONT UINT32_MAX
/* Groups of a stage, at most. */
#define AFXI_GROUPS 16u

/** `length` rows from `row` on. */
typedef struct AfxiTreeRun {
    uint32_t row, length;
} AfxiTreeRun;

/** Rows of A in one column: their place in the front and in the elimination order. */
typedef struct AfxiSpan {
    uint32_t row, ordered, length;
} AfxiSpan;

typedef struct AfxiFront {
    uint32_t width, height;
    uint32_t below;          /* first row below, in the panel */
    uint32_t leading;        /* of the panel */
    uint32_t update_leading; /* of the update matrix */
    uint32_t first_row;      /* of the pivots, in elimination order */
    uint32_t parent, first_child, next_child;
    uint32_t first_block, block_count; /* pivots: places */
    uint32_t below_start, below_count; /* rows below: blocks, into below_block and below_row */
    uint32_t run_start, run_count;     /* rows below in elimination order, into run */
    uint32_t map_start, map_count;     /* rows below and, last, the right-hand side in the parent's panel, into map */
    int8_t sign;
    bool apart;    /* A stands in columns of its own; else in the panel, where L takes its place */
    size_t panel;  /* into value */
    size_t update; /* into work */
} AfxiFront;

/** Column of blocks of A that stands apart: the blocks in it, stacked, the diagonal block first. */
typedef struct AfxiTreeColumn {
    size_t at;            /* into value */
    uint32_t leading;     /* rows */
    uint32_t entry_start; /* into entry; ends where the next column's starts */
    uint32_t span_start;  /* into span; likewise */
} AfxiTreeColumn;

typedef struct AfxiTreeEntry {
    uint32_t place, row; /* which block, and its first row in the column */
} AfxiTreeEntry;

/** One front, or a batch. */
typedef struct AfxiJob {
    uint32_t front[AFXI_BATCH]; /* AFXI_NO_FRONT where a lane is empty; the first one never is */
} AfxiJob;

/** Jobs that one thread does in their order. */
typedef struct AfxiGroup {
    uint32_t job_start, job_end;
    size_t local; /* into work: room for vectors of the group's own */
} AfxiGroup;

/** Groups that do not touch each other; stages follow each other. */
typedef struct AfxiStage {
    uint32_t group_start, group_end;
} AfxiStage;

/** A block of memory that is cut into parts. */
typedef struct AfxiRaw {
    void *raw;
    size_t size;
} AfxiRaw;

typedef struct AfxiBlockTree {
    uint32_t count, front_count, row_count;
    uint32_t *ordered;                 /* [count + 1] first row of the k-th block in elimination order */
    uint32_t *owner;                   /* [count] front of the k-th block */
    AfxiFront *front;                  /* [front_count] children before parents */
    uint32_t *below_block, *below_row; /* place of a block below, and its first row below */
    AfxiTreeRun *run, *map;            /* as the fronts say */
    AfxiTreeColumn *column;            /* [count + 1] */
    AfxiTreeEntry *entry;              /* as the columns say, by rising place, the diagonal block included */
    AfxiSpan *span;                    /* as the columns say, the diagonal block's first */
    AfxiJob *job;                      /* [job_count] */
    AfxiGroup *group;                  /* [group_count] */
    AfxiStage *stage;                  /* [stage_count] */
    uint32_t job_count, group_count, stage_count;
    size_t vector, scale; /* into work: two vectors by row, in elimination order */
    size_t local_length;  /* doubles of a group's own vectors */
    AfxiRaw fronts, entries, schedule;
} AfxiBlockTree;

/** An aligned block for an arena that has counted. AFX_E_LIMIT when it overflowed. */
AfxStatus afxi_arena_open(const AfxAllocator *allocator, AfxiArena *arena, AfxiRaw *out);

/** Fronts without memory, from the supernodes. */
AfxStatus afxi_tree_fronts(const AfxAllocator *allocator, const AfxiBlockGraph *graph, const AfxiSymbolic *symbolic,
                           AfxiBlockTree *tree);
/** Shapes of panels, rows below in other numberings. */
void afxi_tree_shape(AfxiBlockTree *tree);

static inline bool afxi_front_small(double width, double height) {
    return width <= AFXI_BATCH_WIDTH && width + height <= AFXI_BATCH_ROWS;
}

#endif
