/* SPDX-License-Identifier: Apache-2.0 */
/* Broad phase: which pairs of items (shapes on bodies) may touch, found from their boxes.
 *
 * The fat box of an item is [lower - margin, upper + margin]. After an update the pairs are exactly those of items a <
 * b
 *   - whose fat boxes overlap, common borders included,
 *   - of different owners, at least one of which moves, that want each other by group and mask,
 *   - and whose owners are not excluded.
 * So they are a function of the boxes of this update alone (still items: of the first one): what the broad phase keeps
 * from one update to the next only saves time, and no snapshot has to carry it. Threads and lanes do not change them.
 */
#ifndef AFXI_CONTACT_BROAD_H
#define AFXI_CONTACT_BROAD_H

#include "affix/base.h"

typedef struct AfxiBroad AfxiBroad;

typedef struct AfxiBroadItem {
    uint32_t owner;       /* body: items of one owner never pair */
    uint32_t group, mask; /* a pair is wanted when (a.group & b.mask) || (b.group & a.mask) */
    bool moving;          /* solved for; two items that do not move (fixed or kinematic) never pair */
    bool still;           /* never moves at all (a fixed body): its box is taken from the first update only */
} AfxiBroadItem;

/** Item numbers, a < b. */
typedef struct AfxiPair {
    uint32_t a, b;
} AfxiPair;

typedef struct AfxiBroadDef {
    AfxAllocator allocator;
    const AfxiBroadItem *items; /* [count] */
    uint32_t count;
    const AfxiPair *excluded; /* [excluded_count] pairs of owners that must not pair, sorted by (a, b), a < b */
    uint32_t excluded_count;
    double margin;       /* >= 0 */
    uint32_t pair_limit; /* AFX_E_LIMIT beyond this many pairs; 0: 2^22 + 32 count */
    uint32_t lanes;      /* of the wide kernels; 0: the widest that the machine has */
} AfxiBroadDef;

/** Copies what the definition points to. AFX_E_ARGUMENT: an item both moves and is still, a pair of owners is out of
 * order, the margin is negative or not finite, or there is no kernel with that many lanes. */
AfxStatus afxi_broad_create(const AfxiBroadDef *def, AfxiBroad **out);
void afxi_broad_destroy(AfxiBroad *broad);

/** Finds the pairs of new boxes lower[count][3], upper[count][3]. Extents may be infinite; an item whose box is empty
 * (lower > upper on an axis) or not a number pairs with nothing. Allocates when pairs grow; on AFX_E_MEMORY and
 * AFX_E_LIMIT the pairs stay those of the last good update, and the next update is as good as any. */
AfxStatus afxi_broad_update(AfxiBroad *broad, const double (*lower)[3], const double (*upper)[3], const AfxTasks *tasks,
                            uint32_t threads);
/** The pairs of the last good update, sorted by (a, b), each once; valid until the next update. */
const AfxiPair *afxi_broad_pairs(const AfxiBroad *broad, uint32_t *out_count);
/** Takes the boxes of still items anew at the next update. */
void afxi_broad_reset(AfxiBroad *broad);

#endif
