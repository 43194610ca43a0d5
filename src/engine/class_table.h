/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the classes of bodies for one step size: one table for all engines that share it, with one rule for when
 * it is made anew. */
#ifndef AFXI_ENGINE_CLASS_TABLE_H
#define AFXI_ENGINE_CLASS_TABLE_H

#include "state/world.h"

typedef struct AfxiClassTable {
    double *chain; /* [classes][AFXI_CHAIN_SIZE] for `scale` */
    double *free;  /* [classes][AFXI_FREE_SIZE] for `free_scale` */
    AfxiScale scale, free_scale;
    uint32_t version, free_version; /* of the classes that they were made from, plus 1 */
    uint32_t generation;            /* counts how often `chain` was made */
    bool damped;                    /* some class has damping */
    bool free_damped;
    bool rods;  /* some class is a thin rod */
    bool rigid; /* `chain` is of rigid bodies without damping: for accelerations and velocities */
} AfxiClassTable;

/** Memory for `classes` classes in an arena (both passes). */
void afxi_class_table_take(AfxiClassTable *table, AfxiArena *arena, size_t classes);
/** Makes `chain`, or `free`, fit the world's classes and a scale; true when the numbers are others than before. */
bool afxi_class_table_chain(AfxiClassTable *table, const AfxiWorld *world, AfxiScale scale, bool rigid);
void afxi_class_table_free(AfxiClassTable *table, const AfxiWorld *world, AfxiScale scale);

#endif
