/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the classes of bodies for one step size. */
#include "engine/class_table.h"

#include <math.h>

#include "dual/chain.h"

void afxi_class_table_take(AfxiClassTable *table, AfxiArena *arena, size_t classes) {
    *table = (AfxiClassTable){0};
    table->chain = afxi_arena_take(arena, classes * AFXI_CHAIN_SIZE, sizeof *table->chain);
    table->free = afxi_arena_take(arena, classes * AFXI_FREE_SIZE, sizeof *table->free);
}

static bool same_scale(AfxiScale a, AfxiScale b) {
    return a.h_squared == b.h_squared && a.h_rate == b.h_rate;
}

bool afxi_class_table_chain(AfxiClassTable *table, const AfxiWorld *world, AfxiScale scale, bool rigid) {
    uint32_t version = world->classes_version + 1;
    if (table->version == version && same_scale(table->scale, scale) && table->rigid == rigid) {
        return false;
    }
    const AfxiBodyClass *items = world->classes->intern.items;
    table->damped = false;
    for (uint32_t k = 0; k < world->classes->intern.count; k++) {
        AfxiBodyClass class = items[k];
        if (rigid) {
            class.young = INFINITY;
            class.linear_damping = class.angular_damping = 0;
        }
        afxi_chain_constants(&class, scale, table->chain + (size_t)AFXI_CHAIN_SIZE * k);
        table->damped |= class.linear_damping > 0 || class.angular_damping > 0;
    }
    table->scale = scale;
    table->version = version;
    table->rigid = rigid;
    table->generation++;
    return true;
}

void afxi_class_table_free(AfxiClassTable *table, const AfxiWorld *world, AfxiScale scale) {
    uint32_t version = world->classes_version + 1;
    if (table->free_version == version && same_scale(table->free_scale, scale)) {
        return;
    }
    const AfxiBodyClass *items = world->classes->intern.items;
    table->rods = table->free_damped = false;
    for (uint32_t k = 0; k < world->classes->intern.count; k++) {
        double *own = table->free + (size_t)AFXI_FREE_SIZE * k;
        afxi_body_free_constants(&items[k], scale, own);
        table->rods |= own[AFXI_FREE_EXACT] == 0;
        table->free_damped |= items[k].linear_damping > 0 || items[k].angular_damping > 0;
    }
    table->free_scale = scale;
    table->free_version = version;
}
