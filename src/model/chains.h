/* SPDX-License-Identifier: Apache-2.0 */
/* The ball chains of a model: components of the joint graph that are paths of bodies joined by ball joints and nothing
 * else. They are not part of AfxiGraph; src/dual/chain.h solves them.
 *
 * A chain of n links has n + 1 slots: slot k is the joint on the left of link k, slot n the one on the right of the
 * last link. The outer slots may be empty, or join the chain to something that is not solved for. */
#ifndef AFXI_MODEL_CHAINS_H
#define AFXI_MODEL_CHAINS_H

#include "affix/model.h"
#include "base/intern.h"

/** Where a link's joints are, in its principal frame. Equal links share one. */
typedef struct AfxiChainShape {
    double left[3], left_length;
    double right[3], right_length;
    double ratio; /* right = ratio * left, where `collinear` */
    double collinear;
    double axial; /* collinear, along the first principal axis */
    double unused;
} AfxiChainShape;

typedef struct AfxiChainLink {
    uint32_t body, shape;
} AfxiChainLink;

typedef struct AfxiChain {
    uint32_t first_link, link_count;
    uint32_t first_slot; /* [link_count + 1] */
    uint32_t first_piece, piece_count;
    double size;    /* m: what its tolerances go by */
    bool collinear; /* all shapes of its links are */
    bool axial;     /* and all are along the first principal axis */
} AfxiChain;

/** A stretch of a chain that one SIMD lane works on. */
typedef struct AfxiChainSpan {
    uint32_t chain, first_link, first_slot, link_count;
    uint32_t alike_begin, alike_end; /* of its links, these have one shape and class, and consecutive bodies */
} AfxiChainSpan;

typedef struct AfxiChains {
    uint32_t chain_count, link_count, slot_count, span_count;
    AfxiChain *chain;      /* [chain_count] */
    AfxiChainLink *link;   /* [link_count] */
    uint32_t *chain_of;    /* [link_count] */
    uint32_t *link_of;     /* [bodies] link, or UINT32_MAX; NULL without chains */
    uint32_t *slot_joint;  /* [slot_count] joint, or UINT32_MAX */
    AfxiChainSpan *span;   /* [span_count], chain by chain */
    uint32_t *order;       /* [span_count] spans by length, whole chains first, and shapes of links */
    AfxiChainShape *shape; /* [shape_count] */
    uint32_t shape_count;
    uint32_t span_most; /* links of the longest span */
    bool in_order;      /* the bodies of every chain follow one another */
    void *raw;
    size_t raw_size;
    size_t shape_bytes;
} AfxiChains;
/** Ball chains, from the compiled joints. */
AfxStatus afxi_compile_chains(AfxModel *model);
void afxi_chains_destroy(AfxModel *model);

#endif
