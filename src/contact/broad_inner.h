/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the broad phase: boxes, trees of boxes in packets of eight, lists of keys, and what an update works on. */
#ifndef AFXI_CONTACT_BROAD_INNER_H
#define AFXI_CONTACT_BROAD_INNER_H

#include "base/task.h"
#include "contact/broad.h"

enum {
    BOX_LANES = 8,   /* boxes of a packet */
    BOX_LEVELS = 11, /* 8^11 > 2^32 */
    LINK_GROUP = 64, /* items with one common box */
    WAVE = 16,       /* parts that run before their pairs are put together */
};

/** A box that holds nothing is NaN: every comparison with it is false. */
typedef struct AfxiBox {
    double lower[3], upper[3];
} AfxiBox;

/** One cache line per box for the last test, which meets them in any order. */
typedef struct AfxiItemBox {
    AfxiBox box;
    uint32_t item, unused[3];
} AfxiItemBox;

/** What decides whether two items want to be a pair, in the order of a tree, so that a search finds it near. */
typedef struct AfxiTag {
    uint32_t owner, group, mask;
    uint32_t moving : 1, excluded : 31; /* excluded: 1 + first excluded pair whose a is the owner; 0: none */
} AfxiTag;

/** Eight boxes, coordinate by coordinate; missing ones are NaN. */
typedef struct AfxiBoxPacket {
    double lower[3][BOX_LANES], upper[3][BOX_LANES];
} AfxiBoxPacket;

/** Boxes sorted so that neighbours are near, in packets; lane l of packet k of level n + 1 bounds packet 8 k + l of
 * level n. The top level is one packet. */
typedef struct AfxiBoxTree {
    uint32_t count, levels;
    uint32_t first[BOX_LEVELS + 1]; /* first packet of each level; first[levels] = number of packets */
    uint32_t *order;                /* [count] which box stands at a place */
    AfxiTag *tag;                   /* [count] of the item at a place */
    AfxiBoxPacket *packet;          /* [afxi_tree_packets(count)] */
} AfxiBoxTree;

/** A growing list of pairs, packed as a << 32 | b. */
typedef struct AfxiKeys {
    uint64_t *key; /* [capacity] */
    uint32_t count, capacity;
} AfxiKeys;

/** Where one part of the work writes its pairs; those beyond the capacity are only counted. */
typedef struct AfxiKeySink {
    uint64_t *key; /* [capacity] */
    uint32_t capacity;
    uint64_t count, most; /* a part may stop when count > most */
} AfxiKeySink;

/** Work on [begin, end) of what the kernel goes over. */
typedef void AfxiBroadKernel(const AfxiBroad *broad, uint32_t begin, uint32_t end, AfxiKeySink *sink);

typedef struct AfxiBroadKernels {
    AfxiBroadKernel *all;    /* leaf packets of the live tree, with everything */
    AfxiBroadKernel *strays; /* entries of the list of strays, with everything */
    AfxiBroadKernel *links;  /* entries of the list of groups, with colliders */
    uint32_t lanes;
} AfxiBroadKernels;

/** Items are split by what they can pair with. Those that matter to others have a dense number, in the order of their
 * item numbers: live (moving or kinematic) and still ones. Moving items that only want items that do not move are
 * links: they are in no tree. */
struct AfxiBroad {
    AfxAllocator allocator;
    void *raw;
    size_t raw_size;
    AfxiBroadKernels kernels;
    double margin;
    uint32_t limit, near_limit; /* of pairs and of near pairs */

    uint32_t count, dense_count, live_count, still_count, driven_count, group_count, excluded_count;
    AfxiTag *tag;           /* [count] */
    AfxiPair *excluded;     /* [excluded_count] */
    uint32_t *dense;        /* [dense_count] item numbers */
    uint32_t *live, *still; /* [live_count], [still_count] dense numbers */
    uint32_t *driven;       /* [driven_count] dense numbers of kinematic items; empty when there are no links */
    uint32_t *group;        /* [group_count] groups of LINK_GROUP consecutive items that have links */
    uint64_t *group_links;  /* [group_count] which of them are */

    /* Boxes of the present update; lower and upper are the caller's, during an update. */
    const double (*lower)[3], (*upper)[3];
    AfxiItemBox *box; /* [dense_count] fat */

    /* Live items in loose boxes, which they may move within before anything but the last test is done again. */
    AfxiItemBox *loose;                             /* [dense_count] */
    uint32_t *place;                                /* [dense_count] in the live tree */
    uint8_t *is_stray;                              /* [dense_count] left its loose box */
    uint32_t *stray;                                /* [live_count] dense numbers */
    uint32_t stray_count, strays_since;             /* in this update; since the live tree was built */
    double typical;                                 /* size of live items */
    AfxiBoxTree live_tree, still_tree, driven_tree; /* loose boxes, fat boxes, fat boxes */
    uint64_t *work;                                 /* [2 * largest tree] */
    bool have_still, have_live;

    AfxiKeys near;           /* dense pairs whose loose boxes overlap, sorted */
    AfxiKeys fresh, scratch; /* being made */
    AfxiKeys touching;       /* pairs of links, item numbers */
    uint32_t room;           /* pairs that a part may find */
    AfxiPair *pair, *spare;  /* [.._capacity] */
    uint32_t pair_count, pair_capacity, spare_capacity;
};

uint32_t afxi_tree_packets(uint32_t count);
/** The tree of box[member[k]], k < count; work[2 * count]. Leaves the tags to the caller. */
void afxi_tree_build(AfxiBoxTree *tree, const AfxiItemBox *box, const uint32_t *member, uint32_t count, uint64_t *work);
/** A new box at a place: it and all above it are made to fit. */
void afxi_tree_refit(AfxiBoxTree *tree, uint32_t place, const AfxiBox *box);

/** Sorts key[count] with scratch[count] by the lowest high_bits of their upper half, then by the lowest low_bits of
 * their lower half, other bits of which are zero or, for low_bits = 0, ascend in the order given. */
void afxi_sort_keys(uint64_t *key, uint64_t *scratch, uint32_t count, uint32_t low_bits, uint32_t high_bits);
/** The same for keys whose upper halves are below `buckets`, into to[count]; end[buckets]. The keys are lost. */
void afxi_sort_by_bucket(uint64_t *key, uint64_t *to, uint32_t count, uint32_t *end, uint32_t buckets);
AfxStatus afxi_keys_reserve(const AfxiBroad *broad, AfxiKeys *keys, uint64_t count);

/** Boxes and tree of the still items. */
void afxi_broad_still(AfxiBroad *broad);
/** Boxes of the live items, and the near pairs. */
AfxStatus afxi_broad_near(AfxiBroad *broad, const AfxTasks *tasks, uint32_t threads);
/** Runs the kernel over [0, count) in parts of `grain`, and leaves what it finds in `keys`, sorted. */
AfxStatus afxi_broad_collect(AfxiBroad *broad, AfxiKeys *keys, AfxiBroadKernel *kernel, uint32_t count, uint32_t grain,
                             const AfxTasks *tasks, uint32_t threads);

/** false when there is no kernel with so many lanes. */
bool afxi_broad_kernels(uint32_t lanes, AfxiBroadKernels *out);

static inline void swap_keys(AfxiKeys *a, AfxiKeys *b) {
    AfxiKeys kept = *a;
    *a = *b;
    *b = kept;
}

/** A box with a margin around it, NaN when it is empty. */
static inline AfxiBox broad_box(const double lower[3], const double upper[3], double margin) {
    bool full = (lower[0] <= upper[0]) & (lower[1] <= upper[1]) & (lower[2] <= upper[2]);
    AfxiBox box;
    for (int k = 0; k < 3; k++) {
        box.lower[k] = full ? lower[k] - margin : (double)__builtin_nan("");
        box.upper[k] = full ? upper[k] + margin : (double)__builtin_nan("");
    }
    return box;
}

/** The fat box of an item. */
static inline AfxiBox broad_fat_box(const AfxiBroad *broad, uint32_t item) {
    return broad_box(broad->lower[item], broad->upper[item], broad->margin);
}

static inline bool broad_overlap(const AfxiBox *a, const AfxiBox *b) {
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) & (a->lower[1] <= b->upper[1]) &
           (b->lower[1] <= a->upper[1]) & (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

/** What decides about pairs of an item, one of the broad phase or not. */
AfxiTag afxi_broad_tag(const AfxiBroad *broad, const AfxiBroadItem *item);
/** Is (low, high) among the excluded pairs of owners, from `first` on? */
bool afxi_broad_excluded(const AfxiBroad *broad, uint32_t first, uint32_t low, uint32_t high);

/** Do two items want to be a pair, whatever their boxes? */
static inline bool broad_wanted(const AfxiBroad *broad, const AfxiTag *a, const AfxiTag *b) {
    if ((a->owner == b->owner) | !((a->group & b->mask) | (b->group & a->mask)) | !(a->moving | b->moving)) {
        return false;
    }
    const AfxiTag *low = a->owner < b->owner ? a : b, *high = a->owner < b->owner ? b : a;
    return !low->excluded || !afxi_broad_excluded(broad, low->excluded - 1, low->owner, high->owner);
}

#endif
