/* SPDX-License-Identifier: Apache-2.0 */
/* Steps in runs of one operation, as long as what they need allows: a processor foresees where they go on. Of the
 * operations that can go, the one with the most steps goes, with all that become ready meanwhile. */
#include <string.h>

#include "grad/program.h"

#define NONE UINT32_MAX
enum { SORTS = AFXI_PROGRAM_LESS + 1, NEEDS = 9 };

typedef struct Schedule {
    const AfxiProgramStep *step;
    const AfxiProgramTurn *turn;
    uint32_t count;
    uint32_t *first_of;     /* [turns] value of the first entry of a rotation */
    uint32_t *pending;      /* [count] needs that are still to come */
    uint32_t *start;        /* [count + 2] who needs a value, into user */
    uint32_t *user;         /* [9 count] */
    uint32_t *next;         /* [count] queues */
    AfxiProgramStep *moved; /* [count] */
    uint32_t head[SORTS], tail[SORTS], length[SORTS];
} Schedule;

/* Values that a step needs. */
static uint32_t needs_of(const Schedule *schedule, uint32_t index, uint32_t out[NEEDS]) {
    const AfxiProgramStep *step = &schedule->step[index];
    bool entry = step->op == AFXI_TAPE_ROTATION || step->op == AFXI_TAPE_TURN;
    uint32_t count = 0;
    if (entry && step->op == AFXI_TAPE_ROTATION && step->b == 0) {
        memcpy(out, schedule->turn[step->slot].in, NEEDS * sizeof *out);
        return NEEDS;
    }
    if (entry) {
        out[count++] = schedule->first_of[step->slot];
    } else if (step->op != AFXI_TAPE_LEAF) {
        out[count++] = step->a;
        out[count++] = step->b;
        if (step->op == AFXI_PROGRAM_MORE || step->op == AFXI_PROGRAM_LESS) {
            out[count++] = step->slot;
        }
    }
    return count;
}

static void queue(Schedule *schedule, uint32_t index) {
    uint32_t op = schedule->step[index].op;
    schedule->next[index] = NONE;
    if (schedule->length[op]++ == 0) {
        schedule->head[op] = index;
    } else {
        schedule->next[schedule->tail[op]] = index;
    }
    schedule->tail[op] = index;
}

static void prepare(Schedule *schedule) {
    uint32_t needs[NEEDS];
    for (uint32_t k = 0; k < schedule->count; k++) {
        const AfxiProgramStep *step = &schedule->step[k];
        if (step->op == AFXI_TAPE_ROTATION && step->b == 0) {
            schedule->first_of[step->slot] = k + 1;
        }
    }
    memset(schedule->start, 0, ((size_t)schedule->count + 2) * sizeof *schedule->start);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < schedule->count; k++) {
            uint32_t count = needs_of(schedule, k, needs), there = 0;
            for (uint32_t i = 0; i < count; i++) {
                if (needs[i] && pass == 0) {
                    schedule->start[needs[i] + 1]++;
                } else if (needs[i]) {
                    schedule->user[schedule->start[needs[i]]++] = k;
                }
                there += needs[i] != 0;
            }
            schedule->pending[k] = there;
            if (pass && there == 0) {
                queue(schedule, k);
            }
        }
        for (uint32_t k = 0; k <= schedule->count && pass == 0; k++) {
            schedule->start[k + 1] += schedule->start[k];
        }
    } /* start [v] has run on to where v + 1 begins */
}

/* place [count + 1] <- where values go */
static void run(Schedule *schedule, uint32_t *place) {
    uint32_t done = 0;
    place[0] = 0;
    while (done < schedule->count) {
        uint32_t op = 0;
        for (uint32_t k = 1; k < SORTS; k++) {
            op = schedule->length[k] > schedule->length[op] ? k : op;
        }
        while (schedule->length[op]) {
            uint32_t index = schedule->head[op], value = index + 1;
            schedule->head[op] = schedule->next[index];
            schedule->length[op]--;
            schedule->moved[done] = schedule->step[index];
            place[value] = ++done;
            for (uint32_t p = value ? schedule->start[value - 1] : 0; p < schedule->start[value]; p++) {
                if (--schedule->pending[schedule->user[p]] == 0) {
                    queue(schedule, schedule->user[p]);
                }
            }
        }
    }
}

static void take(Schedule *schedule, AfxiArena *arena, uint32_t turns) {
    uint32_t count = schedule->count;
    schedule->first_of = afxi_arena_take(arena, turns, sizeof *schedule->first_of);
    schedule->pending = afxi_arena_take(arena, count, sizeof *schedule->pending);
    schedule->start = afxi_arena_take(arena, (size_t)count + 2, sizeof *schedule->start);
    schedule->user = afxi_arena_take(arena, (size_t)NEEDS * count, sizeof *schedule->user);
    schedule->next = afxi_arena_take(arena, count, sizeof *schedule->next);
    schedule->moved = afxi_arena_take(arena, count, sizeof *schedule->moved);
}

AfxStatus afxi_program_schedule(const AfxAllocator *allocator, AfxiProgramStep *step, uint32_t count,
                                const AfxiProgramTurn *turn, uint32_t turn_count, uint32_t *place) {
    Schedule schedule = {.step = step, .turn = turn, .count = count};
    AfxiArena arena = {0};
    void *raw = NULL;
    size_t raw_size = 0;
    take(&schedule, &arena, turn_count);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used + 1, &raw, &raw_size);
    arena.used = 0;
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    take(&schedule, &arena, turn_count);
    prepare(&schedule);
    run(&schedule, place);
    for (uint32_t k = 0; k < count; k++) {
        AfxiProgramStep own = schedule.moved[k];
        bool entry = own.op == AFXI_TAPE_ROTATION || own.op == AFXI_TAPE_TURN;
        own.a = place[own.a];
        own.b = entry ? own.b : place[own.b];
        own.slot = own.op == AFXI_PROGRAM_MORE || own.op == AFXI_PROGRAM_LESS ? place[own.slot] : own.slot;
        step[k] = own;
    }
    afxi_release(allocator, raw, raw_size);
    return AFX_OK;
}
