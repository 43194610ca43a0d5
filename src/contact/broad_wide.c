/* SPDX-License-Identifier: Apache-2.0 */
/* The searches of the broad phase: one box against the eight of a packet, lane by lane.
 *
 * All pairs of the live tree: each leaf packet goes down the tree with its common box, and only to leaves that are not
 * before it in the order, so that every pair of leaves meets once. Strays go down with a box of their own. Links, in
 * groups of 64 consecutive items, go down the trees of colliders with the group's common box, so that a group far from
 * all of them costs little more than reading its boxes. Only comparisons: every variant finds the same. */
#include "math/simd.h"

#include <math.h>
#include <string.h>

#include "contact/broad_inner.h"

AfxiBroadKernel AFXI_WIDE(afxi_broad_all), AFXI_WIDE(afxi_broad_strays), AFXI_WIDE(afxi_broad_links);

WIDE_INLINE Wide load(const double *from) {
    Wide wide;
    memcpy(&wide, from, sizeof wide);
    return wide;
}

/* Bit l: lane l of the packet overlaps the box. */
WIDE_INLINE unsigned meet(const AfxiBoxPacket *packet, const AfxiBox *box) {
    unsigned bits = 0;
    Wide lower[3], upper[3];
    for (int k = 0; k < 3; k++) {
        lower[k] = wide_all(box->lower[k]);
        upper[k] = wide_all(box->upper[k]);
    }
    for (int lane = 0; lane < BOX_LANES; lane += AFXI_LANES) {
        WideMask all = wide_less_equal(lower[0], load(packet->upper[0] + lane)) &
                       wide_less_equal(load(packet->lower[0] + lane), upper[0]);
        for (int k = 1; k < 3; k++) {
            all &= wide_less_equal(lower[k], load(packet->upper[k] + lane)) &
                   wide_less_equal(load(packet->lower[k] + lane), upper[k]);
        }
        bits |= wide_bits(all) << lane;
    }
    return bits;
}

WIDE_INLINE AfxiBox lane_box(const AfxiBoxPacket *packet, uint32_t lane) {
    AfxiBox box;
    for (int k = 0; k < 3; k++) {
        box.lower[k] = packet->lower[k][lane];
        box.upper[k] = packet->upper[k][lane];
    }
    return box;
}

/* A way down a tree: gives one leaf packet after another whose common box overlaps. */
typedef struct Search {
    const AfxiBoxTree *tree;
    const AfxiBox *box;
    uint32_t from; /* leaves before this one are left out */
    uint32_t depth, level[BOX_LEVELS * BOX_LANES], packet[BOX_LEVELS * BOX_LANES];
    unsigned leaves; /* bits not yet given, under the packet `parent` of level 1 */
    uint32_t parent;
} Search;

static void search_begin(Search *search, const AfxiBoxTree *tree, const AfxiBox *box, uint32_t from) {
    search->tree = tree;
    search->box = box;
    search->from = from;
    search->leaves = 0;
    search->depth = tree->levels > 0;
    search->level[0] = tree->levels ? tree->levels - 1 : 0;
    search->packet[0] = 0;
}

/* The next leaf packet and its common box (that of the search when it is the only one of the tree). */
static bool search_next(Search *search, uint32_t *out_leaf, AfxiBox *out_box) {
    const AfxiBoxTree *tree = search->tree;
    for (;;) {
        while (search->leaves) {
            uint32_t lane = (uint32_t)__builtin_ctz(search->leaves);
            search->leaves &= search->leaves - 1;
            *out_leaf = search->parent * BOX_LANES + lane;
            if (*out_leaf >= search->from) {
                *out_box = lane_box(&tree->packet[tree->first[1] + search->parent], lane);
                return true;
            }
        }
        if (search->depth == 0) {
            return false;
        }
        uint32_t level = search->level[--search->depth], packet = search->packet[search->depth];
        if (level == 0) {
            *out_leaf = packet;
            *out_box = *search->box;
            return true;
        }
        unsigned bits = meet(&tree->packet[tree->first[level] + packet], search->box);
        if (level == 1) {
            search->leaves = bits;
            search->parent = packet;
            continue;
        }
        /* Child c at level - 1 holds the leaves up to (c + 1) * 8^(level - 1). */
        uint32_t shift = 3 * (level - 1);
        for (; bits; bits &= bits - 1) {
            uint32_t child = packet * BOX_LANES + (uint32_t)__builtin_ctz(bits);
            if ((uint64_t)(child + 1) << shift > search->from) {
                search->level[search->depth] = level - 1;
                search->packet[search->depth++] = child;
            }
        }
    }
}

WIDE_INLINE void add(AfxiKeySink *sink, uint32_t a, uint32_t b) {
    if (sink->count < sink->capacity) {
        sink->key[sink->count] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
    sink->count++;
}

/* Leaf p of the live tree and leaf q of a tree, which is the same one or not. */
static void pair_leaves(const AfxiBroad *broad, uint32_t p, const AfxiBoxTree *tree, uint32_t q, const AfxiBox *q_box,
                        AfxiKeySink *sink) {
    const AfxiBoxTree *live = &broad->live_tree;
    const AfxiBoxPacket *mine = &live->packet[p], *other = &tree->packet[q];
    bool same = tree == live && p == q;
    for (unsigned lanes = meet(mine, q_box); lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        AfxiBox box = lane_box(mine, lane);
        unsigned bits = meet(other, &box);
        if (same) {
            bits &= ~((2u << lane) - 1);
        }
        uint32_t a = p * BOX_LANES + lane;
        for (; bits; bits &= bits - 1) {
            uint32_t b = q * BOX_LANES + (uint32_t)__builtin_ctz(bits);
            if (broad_wanted(broad, &live->tag[a], &tree->tag[b])) {
                add(sink, live->order[a], tree->order[b]);
            }
        }
    }
}

void AFXI_WIDE(afxi_broad_all)(const AfxiBroad *broad, uint32_t begin, uint32_t end, AfxiKeySink *sink) {
    const AfxiBoxTree *live = &broad->live_tree;
    for (uint32_t p = begin; p < end && sink->count <= sink->most; p++) {
        AfxiBox box = live->levels > 1 ? lane_box(&live->packet[live->first[1] + p / BOX_LANES], p % BOX_LANES)
                                       : (AfxiBox){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
        const AfxiBoxTree *trees[2] = {live, &broad->still_tree};
        for (int k = 0; k < 2; k++) {
            Search search;
            uint32_t q;
            AfxiBox q_box;
            search_begin(&search, trees[k], &box, k == 0 ? p : 0);
            while (search_next(&search, &q, &q_box)) {
                pair_leaves(broad, p, trees[k], q, &q_box, sink);
            }
        }
    }
}

void AFXI_WIDE(afxi_broad_strays)(const AfxiBroad *broad, uint32_t begin, uint32_t end, AfxiKeySink *sink) {
    const AfxiBoxTree *trees[2] = {&broad->live_tree, &broad->still_tree};
    for (uint32_t k = begin; k < end && sink->count <= sink->most; k++) {
        uint32_t a = broad->stray[k];
        const AfxiTag *tag = &broad->live_tree.tag[broad->place[a]];
        const AfxiBox *box = &broad->loose[a].box;
        for (int which = 0; which < 2; which++) {
            const AfxiBoxTree *tree = trees[which];
            Search search;
            uint32_t q;
            AfxiBox q_box;
            search_begin(&search, tree, box, 0);
            while (search_next(&search, &q, &q_box)) {
                for (unsigned bits = meet(&tree->packet[q], box); bits; bits &= bits - 1) {
                    uint32_t place = q * BOX_LANES + (uint32_t)__builtin_ctz(bits), b = tree->order[place];
                    /* Two strays find each other twice. */
                    if (a != b && (!broad->is_stray[b] || a < b) && broad_wanted(broad, tag, &tree->tag[place])) {
                        add(sink, a, b);
                    }
                }
            }
        }
    }
}

/* Smallest or largest of rows[count][3], column by column; NaN does not count. Three wide values hold AFXI_LANES rows.
 */
WIDE_INLINE void reduce(const double (*rows)[3], uint32_t count, bool largest, double out[3]) {
    double start = largest ? -HUGE_VAL : HUGE_VAL;
    Wide best[3] = {wide_all(start), wide_all(start), wide_all(start)};
    uint32_t whole = count / AFXI_LANES * AFXI_LANES;
    for (uint32_t row = 0; row < whole; row += AFXI_LANES) {
        for (int k = 0; k < 3; k++) {
            Wide x = load(&rows[row][0] + AFXI_LANES * k);
            best[k] = wide_select(largest ? wide_less(best[k], x) : wide_less(x, best[k]), x, best[k]);
        }
    }
    out[0] = out[1] = out[2] = start;
    for (int k = 0; k < 3 * AFXI_LANES; k++) {
        double x = wide_lane(best[k / AFXI_LANES], k % AFXI_LANES);
        out[k % 3] = (largest ? out[k % 3] < x : x < out[k % 3]) ? x : out[k % 3];
    }
    for (uint32_t k = 3 * whole; k < 3 * count; k++) {
        double x = rows[k / 3][k % 3];
        out[k % 3] = (largest ? out[k % 3] < x : x < out[k % 3]) ? x : out[k % 3];
    }
}

/* The links of a group that meet the collider. */
static void pair_links(const AfxiBroad *broad, uint32_t first, uint64_t links, uint32_t collider, AfxiKeySink *sink) {
    const AfxiBox *other = &broad->box[collider].box;
    uint32_t b = broad->dense[collider];
    for (; links; links &= links - 1) {
        uint32_t a = first + (uint32_t)__builtin_ctzll(links);
        AfxiBox box = broad_fat_box(broad, a);
        if (broad_overlap(&box, other) && broad_wanted(broad, &broad->tag[a], &broad->tag[b])) {
            add(sink, a, b);
        }
    }
}

void AFXI_WIDE(afxi_broad_links)(const AfxiBroad *broad, uint32_t begin, uint32_t end, AfxiKeySink *sink) {
    const AfxiBoxTree *trees[2] = {&broad->driven_tree, &broad->still_tree};
    for (uint32_t k = begin; k < end && sink->count <= sink->most; k++) {
        uint32_t first = broad->group[k] * LINK_GROUP;
        uint32_t count = broad->count - first < LINK_GROUP ? broad->count - first : LINK_GROUP;
        AfxiBox box;
        reduce(broad->lower + first, count, false, box.lower);
        reduce(broad->upper + first, count, true, box.upper);
        for (int axis = 0; axis < 3; axis++) {
            box.lower[axis] -= broad->margin;
            box.upper[axis] += broad->margin;
        }
        for (int which = 0; which < 2; which++) {
            const AfxiBoxTree *tree = trees[which];
            Search search;
            uint32_t q;
            AfxiBox q_box;
            search_begin(&search, tree, &box, 0);
            while (search_next(&search, &q, &q_box)) {
                for (unsigned bits = meet(&tree->packet[q], &box); bits; bits &= bits - 1) {
                    uint32_t collider = tree->order[q * BOX_LANES + (uint32_t)__builtin_ctz(bits)];
                    pair_links(broad, first, broad->group_links[k], collider, sink);
                }
            }
        }
    }
}
