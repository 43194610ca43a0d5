/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of items (shapes on bodies) in two levels. Items of one whole, a mechanism say, that do not want each other are
 * put together into clusters; the broad phase sees a cluster as one box. Only the items of clusters that come near
 * something need boxes of their own, and only they are compared one by one.
 *
 * After an update the pairs are exactly those of broad.h, whatever the clusters are: a cluster's bound only has to hold
 * the boxes of its items; but pairs of an unbounded item, a half-space, are those with boxes that it reaches. */
#ifndef AFXI_CONTACT_CLUSTER_H
#define AFXI_CONTACT_CLUSTER_H

#include "contact/broad.h"

typedef struct AfxiClusters AfxiClusters;

typedef struct AfxiClusterDef {
    AfxAllocator allocator;
    const AfxiBroadItem *items; /* [count] */
    const uint32_t *whole;      /* [count] number of what an item is part of; UINT32_MAX: it is in no cluster */
    const uint8_t *unbounded;   /* [count] its box is all of space; NULL: none is */
    uint32_t count;
    const AfxiPair *excluded; /* [excluded_count] as in AfxiBroadDef */
    uint32_t excluded_count;
} AfxiClusterDef;

/** Where boxes come from. Functions are called from several threads, each for items and clusters of its own. */
typedef struct AfxiBoxSource {
    void *context;
    void (*boxes)(void *context, const uint32_t *item, uint32_t count); /* makes the boxes of these items */
    /* A box that holds all that `boxes` would give the items of a cluster. It may leave the last one as it is. */
    void (*bound)(void *context, uint32_t cluster, double lower[3], double upper[3]);
    /* Whether an unbounded item, whose box was made, reaches a box that is not empty. May be NULL where none is. */
    bool (*reaches)(void *context, uint32_t item, const double lower[3], const double upper[3]);
    const double (*lower)[3], (*upper)[3]; /* [items] what `boxes` writes to */
} AfxiBoxSource;

/** Copies what the definition points to. */
AfxStatus afxi_clusters_create(const AfxiClusterDef *def, AfxiClusters **out);
void afxi_clusters_destroy(AfxiClusters *clusters);
uint32_t afxi_clusters_count(const AfxiClusters *clusters);
/** The items of a cluster, rising. */
const uint32_t *afxi_cluster_items(const AfxiClusters *clusters, uint32_t cluster, uint32_t *out_count);

/** Finds the pairs anew. On AFX_E_MEMORY and AFX_E_LIMIT the pairs stay those of the last good update. */
AfxStatus afxi_clusters_update(AfxiClusters *clusters, const AfxiBoxSource *source, const AfxTasks *tasks,
                               uint32_t threads);
/** The pairs of the last good update, sorted by (a, b), each once; valid until the next update. */
const AfxiPair *afxi_clusters_pairs(const AfxiClusters *clusters, uint32_t *out_count);
/** Takes the boxes of still items anew at the next update. */
void afxi_clusters_reset(AfxiClusters *clusters);

#endif
