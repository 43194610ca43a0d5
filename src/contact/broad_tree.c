/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of boxes in packets of eight.
 *
 * The order of the boxes is all there is to build; the levels above follow from it. Boxes are first split by size
 * (factors of eight, so that a leaf holds boxes of like size, and infinite ones are by themselves), then sorted along
 * the Z curve through their centres (Morton 1966), with cells 1/1024 of the longest side of what is sorted. Cells that
 * still hold many boxes are sorted again with bounds of their own: so one box far away, or clusters far apart, cost one
 * more pass, and not the order of all the rest. */
#include <limits.h>
#include <math.h>

#include "contact/broad_inner.h"

enum {
    SIZE_CLASSES = 8,
    CELL_BITS = 10,
    CELL_MOST = 64, /* boxes in a cell that are left as they are */
    DEPTH_MOST = 8, /* 80 bits per axis: centres that still agree are equal but for extreme cases */
    NUMBER_BITS = 32,
};

uint32_t afxi_tree_packets(uint32_t count) {
    uint32_t packets = 0;
    for (uint32_t level = count; level > 0; level = level > 1 ? level : 0) {
        level = afxi_part_count(level, BOX_LANES);
        packets += level;
    }
    return packets;
}

static double center(const AfxiBox *box, int axis) {
    return 0.5 * box->lower[axis] + 0.5 * box->upper[axis];
}

static double largest_side(const AfxiBox *box) {
    double side = 0;
    for (int k = 0; k < 3; k++) {
        double length = box->upper[k] - box->lower[k];
        side = length > side ? length : side;
    }
    return side;
}

/* Class 0: infinite; then by factors of 8 from the largest. */
static uint32_t size_class(const AfxiBox *box, int largest) {
    double side = largest_side(box);
    if (!(side < HUGE_VAL)) {
        return 0;
    }
    int exponent;
    frexp(side, &exponent);
    int class = side > 0 ? 1 + (largest - exponent) / 3 : SIZE_CLASSES - 1;
    return class < SIZE_CLASSES ? (uint32_t) class : SIZE_CLASSES - 1;
}

/* Moves the bits of a 10-bit number two places apart. */
static uint64_t spread(uint64_t x) {
    x = (x | x << 16) & 0x30000FF;
    x = (x | x << 8) & 0x300F00F;
    x = (x | x << 4) & 0x30C30C3;
    return (x | x << 2) & 0x9249249;
}

static uint64_t cell(double x, double origin, double scale) {
    double at = (x - origin) * scale;
    double last = (1 << CELL_BITS) - 1;
    return at > 0 ? (uint64_t)(at < last ? at : last) : 0; /* not a number: 0 */
}

/* Origin and longest side of the finite centres; the side is 0 when they are all at one place. */
static double centre_bounds(const AfxiItemBox *box, const uint32_t *order, uint32_t count, double origin[3]) {
    double side = 0;
    for (int axis = 0; axis < 3; axis++) {
        double lower = HUGE_VAL, upper = -HUGE_VAL;
        for (uint32_t k = 0; k < count; k++) {
            double x = center(&box[order[k]].box, axis);
            bool finite = fabs(x) < HUGE_VAL;
            lower = finite && x < lower ? x : lower;
            upper = finite && x > upper ? x : upper;
        }
        origin[axis] = lower;
        side = upper - lower > side ? upper - lower : side;
    }
    return side;
}

static void sort_along_curve(const AfxiItemBox *box, uint32_t *order, uint32_t count, uint64_t *key, uint64_t *scratch,
                             int depth) {
    double origin[3], side = centre_bounds(box, order, count, origin);
    if (count <= BOX_LANES || !(side > 0) || depth >= DEPTH_MOST) {
        return;
    }
    double scale = (1 << CELL_BITS) / side;
    for (uint32_t k = 0; k < count; k++) {
        const AfxiBox *own = &box[order[k]].box;
        uint64_t code = 0;
        for (int axis = 0; axis < 3; axis++) {
            code |= spread(cell(center(own, axis), origin[axis], scale)) << axis;
        }
        key[k] = code << NUMBER_BITS | order[k];
    }
    afxi_sort_keys(key, scratch, count, 0, 3 * CELL_BITS);
    for (uint32_t k = 0; k < count; k++) {
        order[k] = (uint32_t)key[k];
    }
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        uint64_t code = key[begin] >> NUMBER_BITS;
        for (end = begin + 1; end < count && key[end] >> NUMBER_BITS == code;) {
            end++;
        }
        if (end - begin > CELL_MOST) {
            sort_along_curve(box, order + begin, end - begin, key + begin, scratch + begin, depth + 1);
        }
    }
}

static void sort_boxes(AfxiBoxTree *tree, const AfxiItemBox *box, const uint32_t *member, uint64_t *work) {
    int largest = INT_MIN;
    for (uint32_t k = 0; k < tree->count; k++) {
        int exponent;
        double side = largest_side(&box[member[k]].box);
        if (side < HUGE_VAL) {
            frexp(side, &exponent);
            largest = exponent > largest ? exponent : largest;
        }
    }
    uint32_t end[SIZE_CLASSES] = {0}, begin = 0;
    for (uint32_t k = 0; k < tree->count; k++) {
        uint32_t class = size_class(&box[member[k]].box, largest);
        work[k] = class;
        end[class]++;
    }
    for (uint32_t class = 0; class < SIZE_CLASSES; class ++) {
        uint32_t size = end[class];
        end[class] = begin;
        begin += size;
    }
    for (uint32_t k = 0; k < tree->count; k++) {
        tree->order[end[work[k]]++] = member[k];
    }
    for (uint32_t class = 0; class < SIZE_CLASSES; class ++) {
        begin = class ? end[class - 1] : 0;
        sort_along_curve(box, tree->order + begin, end[class] - begin, work, work + tree->count, 0);
    }
}

static void set_lane(AfxiBoxPacket *packet, uint32_t lane, const AfxiBox *box) {
    for (int k = 0; k < 3; k++) {
        packet->lower[k][lane] = box->lower[k];
        packet->upper[k][lane] = box->upper[k];
    }
}

/* The box around all lanes; those that are NaN do not count. When all are, it is upside down: nothing finite meets it.
 */
static AfxiBox packet_bounds(const AfxiBoxPacket *packet) {
    AfxiBox box;
    for (int k = 0; k < 3; k++) {
        double lower = HUGE_VAL, upper = -HUGE_VAL;
        for (uint32_t lane = 0; lane < BOX_LANES; lane++) {
            lower = packet->lower[k][lane] < lower ? packet->lower[k][lane] : lower;
            upper = packet->upper[k][lane] > upper ? packet->upper[k][lane] : upper;
        }
        box.lower[k] = lower;
        box.upper[k] = upper;
    }
    return box;
}

/* Lanes from `lane` on hold nothing. */
static void clear_lanes(AfxiBoxPacket *packet, uint32_t lane) {
    double none = (double)__builtin_nan("");
    for (; lane < BOX_LANES; lane++) {
        set_lane(packet, lane, &(AfxiBox){{none, none, none}, {none, none, none}});
    }
}

void afxi_tree_build(AfxiBoxTree *tree, const AfxiItemBox *box, const uint32_t *member, uint32_t count,
                     uint64_t *work) {
    tree->count = count;
    tree->levels = 0;
    tree->first[0] = 0;
    if (count == 0) {
        return;
    }
    sort_boxes(tree, box, member, work);
    for (uint32_t k = 0; k < count; k++) {
        set_lane(&tree->packet[k / BOX_LANES], k % BOX_LANES, &box[tree->order[k]].box);
    }
    for (uint32_t below = count;;) {
        uint32_t packets = afxi_part_count(below, BOX_LANES), first = tree->first[tree->levels];
        clear_lanes(&tree->packet[first + packets - 1], (below - 1) % BOX_LANES + 1);
        tree->first[++tree->levels] = first + packets;
        if (packets == 1) {
            return;
        }
        for (uint32_t k = 0; k < packets; k++) {
            AfxiBox bounds = packet_bounds(&tree->packet[first + k]);
            set_lane(&tree->packet[first + packets + k / BOX_LANES], k % BOX_LANES, &bounds);
        }
        below = packets;
    }
}

void afxi_tree_refit(AfxiBoxTree *tree, uint32_t place, const AfxiBox *box) {
    AfxiBox bounds = *box;
    for (uint32_t level = 0; level < tree->levels; level++) {
        AfxiBoxPacket *packet = &tree->packet[tree->first[level] + place / BOX_LANES];
        set_lane(packet, place % BOX_LANES, &bounds);
        bounds = packet_bounds(packet);
        place /= BOX_LANES;
    }
}
