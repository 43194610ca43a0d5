/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of any size. */
#include "tests.h"

static Mesh mesh_take(uint32_t count, uint32_t cliques, uint32_t members, uint32_t rows) {
    Mesh mesh = {.count = count, .clique_count = cliques};
    mesh.size = malloc((count + 1) * sizeof(uint32_t));
    mesh.clique_start = calloc(cliques + 2, sizeof(uint32_t));
    mesh.member = malloc((members + 1) * sizeof(uint32_t));
    assert_true(mesh.size && mesh.clique_start && mesh.member);
    for (uint32_t k = 0; k < count; k++) {
        mesh.size[k] = rows;
    }
    return mesh;
}

Mesh mesh_chain(uint32_t count) {
    Mesh mesh = mesh_take(count, count - 1, 2 * count, 3);
    for (uint32_t k = 0; k + 1 < count; k++) {
        mesh.member[2 * k] = k;
        mesh.member[2 * k + 1] = k + 1;
        mesh.clique_start[k + 1] = 2 * k + 2;
    }
    return mesh;
}

void mesh_shuffle(Mesh *mesh, uint64_t *seed) {
    uint32_t *label = malloc(mesh->count * sizeof(uint32_t));
    assert_non_null(label);
    for (uint32_t k = 0; k < mesh->count; k++) {
        uint32_t other = random_below(seed, k + 1);
        label[k] = label[other];
        label[other] = k;
    }
    for (uint32_t k = 0; k < mesh->clique_start[mesh->clique_count]; k++) {
        mesh->member[k] = label[mesh->member[k]];
    }
    free(label);
}

/* Turns a list of (clique, block), clique by block, into lists per clique. */
static void mesh_fill(Mesh *mesh, const uint32_t *clique, const uint32_t *block, uint32_t entries) {
    for (uint32_t k = 0; k < entries; k++) {
        mesh->clique_start[clique[k] + 2]++;
    }
    for (uint32_t k = 0; k < mesh->clique_count; k++) {
        mesh->clique_start[k + 2] += mesh->clique_start[k + 1];
    }
    for (uint32_t k = 0; k < entries; k++) {
        mesh->member[mesh->clique_start[clique[k] + 1]++] = block[k];
    }
}

Mesh mesh_net(uint32_t k) {
    uint32_t nodes = k * k, links = 2 * k * (k - 1), entries = 0, link = 0;
    Mesh mesh = mesh_take(2 * links, nodes + links, 4 * links, 3);
    uint32_t *clique = malloc(8 * links * sizeof(uint32_t)), *block = clique + 4 * links;
    assert_non_null(clique);
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t neighbour[2] = {node + 1, node + k};
        bool there[2] = {node % k + 1 < k, node + k < nodes};
        for (int side = 0; side < 2; side++) {
            for (uint32_t end = 0; there[side] && end < 2; end++) {
                clique[entries] = end ? neighbour[side] : node;
                block[entries++] = 2 * link + end;
                clique[entries] = nodes + link;
                block[entries++] = 2 * link + end;
            }
            link += there[side];
        }
    }
    mesh_fill(&mesh, clique, block, entries);
    free(clique);
    return mesh;
}

Mesh mesh_tree(uint32_t count, uint32_t rows, uint64_t *seed) {
    Mesh mesh = mesh_take(count, count + 1, 2 * count, rows);
    uint32_t *clique = malloc(4 * count * sizeof(uint32_t)), *block = clique + 2 * count;
    assert_non_null(clique);
    for (uint32_t k = 0; k < count; k++) { /* joint k hangs body k + 1 on one of the bodies 0 ... k */
        clique[2 * k] = k - random_below(seed, k / 2 + 1);
        clique[2 * k + 1] = k + 1;
        block[2 * k] = block[2 * k + 1] = k;
    }
    mesh_fill(&mesh, clique, block, 2 * count);
    free(clique);
    return mesh;
}

void mesh_free(Mesh *mesh) {
    free(mesh->size);
    free(mesh->clique_start);
    free(mesh->member);
    memset(mesh, 0, sizeof *mesh);
}

AfxiBlockGraph mesh_blocks(const Mesh *mesh, AfxiBlockOrder order) {
    return (AfxiBlockGraph){.count = mesh->count,
                            .size = mesh->size,
                            .clique_count = mesh->clique_count,
                            .clique_start = mesh->clique_start,
                            .member = mesh->member,
                            .order = order};
}
