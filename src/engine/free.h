/* SPDX-License-Identifier: Apache-2.0 */
/* The engine `free`: bodies that nothing holds or touches; a whole stage of each happens in registers. */
#ifndef AFXI_ENGINE_FREE_H
#define AFXI_ENGINE_FREE_H

#include "engine/class_table.h"
#include "state/pace.h"

typedef struct AfxiFreeLot {
    AfxiWorld *world;
    AfxiClassTable *table;
    AfxiFreeVariant variant;
    AfxiFreeOutcome *outcomes; /* [parts] */
    uint32_t *list;            /* [dynamic bodies] of a stage that leaves some out */
    AfxiFreeForce *forces;     /* those of `list` */
    uint32_t forces_capacity;
} AfxiFreeLot;

/** Workspace in an arena (both passes). */
void afxi_free_take(AfxiFreeLot *lot, AfxiArena *arena, AfxiWorld *world, AfxiClassTable *table);
void afxi_free_release(AfxiFreeLot *lot);
/** Makes sure that a stage has the memory it needs. */
AfxStatus afxi_free_reserve(AfxiFreeLot *lot);
/** One stage of all free bodies but those with taken[body] != UINT32_MAX or that are absent (both may be NULL), each by
 * the plan of its own pace; their state changes. */
void afxi_free_stage(AfxiFreeLot *lot, const AfxiPlans *plans, const uint32_t *taken, const uint8_t *absent,
                     AfxiFreeOutcome *out);
/** Consistent accelerations of free bodies that are wanted [bodies]. */
void afxi_free_start(AfxiFreeLot *lot, const uint8_t *wanted);

#endif
