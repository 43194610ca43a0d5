/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of springs in a scene file: spring_table {positions, forces} and damper_table {rates, forces}. */
#include <stdio.h>

#include "base/memory.h"
#include "load/json.h"

static size_t size_of(uint32_t count) {
    return 2 * (size_t)count * sizeof(double);
}

static void free_table(const AfxiJsonFile *file, AfxForceTable *table) {
    afxi_release(&file->load->allocator, (void *)(uintptr_t)table->positions, size_of(table->count));
    *table = (AfxForceTable){0};
}

void afxi_json_tables_free(const AfxiJsonFile *file, AfxForceTable *spring, AfxForceTable *damper) {
    free_table(file, spring);
    free_table(file, damper);
}

bool afxi_json_count_tables(const AfxiJsonFile *file, const AfxForceTable *spring, const AfxForceTable *damper,
                            const AfxiJsonNode *node) {
    return afxi_load_work(file->load, (uint64_t)spring->count + damper->count, file->path, node->line);
}

static bool read_table(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *over, double unit, double effort,
                       AfxForceTable *table) {
    const AfxiJsonNode *positions, *forces;
    char keys[32];
    snprintf(keys, sizeof keys, "%s forces", over);
    if (!afxi_json_keys(file, node, keys) || !afxi_json_need(file, node, over, &positions) ||
        !afxi_json_need(file, node, "forces", &forces)) {
        return false;
    }
    uint32_t count = positions->count;
    if (!json_is_array(positions->value) || count == 0) {
        return afxi_json_error(file, positions, "this is not an array of numbers", "write [x0, x1, ...]");
    }
    if (!afxi_load_work(file->load, count, file->path, node->line)) {
        return false;
    }
    double *block = afxi_allocate(&file->load->allocator, size_of(count));
    if (!block) {
        return afxi_load_memory_error(file->load, file->path, node->line);
    }
    *table = (AfxForceTable){block, block + count, count};
    return afxi_json_numbers_at(file, positions, count, unit, block) &&
           afxi_json_numbers_at(file, forces, count, effort, block + count);
}

bool afxi_json_tables(const AfxiJsonFile *file, const AfxiJsonNode *object, double way, double effort,
                      AfxForceTable *spring, AfxForceTable *damper) {
    const AfxiJsonNode *springs = afxi_json_get(object, "spring_table"),
                       *dampers = afxi_json_get(object, "damper_table");
    bool fine = (!springs || read_table(file, springs, "positions", way, effort, spring)) &&
                (!dampers || read_table(file, dampers, "rates", way / file->units.time, effort, damper));
    if (!fine) {
        afxi_json_tables_free(file, spring, damper);
    }
    return fine;
}
