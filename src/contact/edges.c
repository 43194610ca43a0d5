/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours of triangles: directed edges in a table by hashing, linear probing, half full at most. */
#include "contact/edges.h"

#include "base/hash.h"

#define NONE UINT32_MAX

typedef struct Table {
    uint32_t *slot; /* [size] edges */
    size_t size;    /* a power of two */
    AfxiHashKey key;
} Table;

static size_t table_size(uint32_t triangle_count) {
    size_t size = 8;
    while (size < 6 * (size_t)triangle_count)
        size *= 2;
    return size;
}

size_t afxi_edges_workspace(uint32_t triangle_count) {
    return triangle_count > UINT32_MAX / 16 ? SIZE_MAX : table_size(triangle_count) * sizeof(uint32_t);
}

static uint32_t from_of(const uint32_t *triangles, uint32_t edge) {
    return triangles[edge];
}
static uint32_t to_of(const uint32_t *triangles, uint32_t edge) {
    return triangles[edge % 3 == 2 ? edge - 2 : edge + 1];
}

/* The slot of the edge from .. to, or the empty one where it would be. */
static size_t slot_of(const uint32_t *triangles, const Table *table, uint32_t from, uint32_t to) {
    const uint32_t edge[2] = {from, to};
    size_t at = (size_t)afxi_hash_keyed(table->key, edge, sizeof edge) & (table->size - 1);
    while (table->slot[at] != NONE &&
           (from_of(triangles, table->slot[at]) != from || to_of(triangles, table->slot[at]) != to))
        at = (at + 1) & (table->size - 1);
    return at;
}

void afxi_edges(const uint32_t *triangles, uint32_t count, uint32_t *across, uint32_t *workspace) {
    const Table table = {workspace, table_size(count), afxi_hash_key(workspace)};
    for (size_t k = 0; k < table.size; k++)
        workspace[k] = NONE;
    /* An edge that comes twice in the same direction has no neighbour: `across` marks it meanwhile. */
    for (uint32_t e = 0; e < 3 * count; e++) {
        across[e] = 0;
        size_t at = slot_of(triangles, &table, from_of(triangles, e), to_of(triangles, e));
        if (workspace[at] == NONE) {
            workspace[at] = e;
        } else {
            across[e] = NONE;
            across[workspace[at]] = NONE;
        }
    }
    for (uint32_t e = 0; e < 3 * count; e++) {
        uint32_t back = workspace[slot_of(triangles, &table, to_of(triangles, e), from_of(triangles, e))];
        if (across[e] != NONE && back != NONE && across[back] != NONE)
            across[e] = back / 3;
        else
            across[e] = NONE;
    }
}
