/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of packed keys: insertion for a few, merging for some, by digits for many. Digits that are the same in all
 * keys are passed over. */
#include <string.h>

#include "contact/broad_inner.h"

enum { FEW = 24, SOME = 1500, DIGIT = 11 };

static void insert_sort(uint64_t *key, uint32_t count) {
    for (uint32_t k = 1; k < count; k++) {
        uint64_t moved = key[k];
        uint32_t to = k;
        for (; to > 0 && key[to - 1] > moved; to--) {
            key[to] = key[to - 1];
        }
        key[to] = moved;
    }
}

static void merge_sort(uint64_t *key, uint64_t *scratch, uint32_t count) {
    for (uint32_t begin = 0; begin < count; begin += FEW) {
        insert_sort(key + begin, count - begin < FEW ? count - begin : FEW);
    }
    for (uint32_t width = FEW; width < count; width *= 2) {
        for (uint32_t begin = 0; begin < count; begin += 2 * width) {
            uint32_t middle = begin + width < count ? begin + width : count;
            uint32_t end = middle + width < count ? middle + width : count;
            uint32_t left = begin, right = middle;
            for (uint32_t to = begin; to < end; to++) {
                bool take_left = right == end || (left < middle && key[left] < key[right]);
                scratch[to] = key[take_left ? left++ : right++];
            }
        }
        memcpy(key, scratch, count * sizeof *key);
    }
}

/* One stable pass over the digit of `width` bits at `shift`; false, and nothing done, when it is the same everywhere.
 */
static bool digit_pass(const uint64_t *key, uint64_t *to, uint32_t count, uint32_t shift, uint32_t width) {
    uint32_t start[1 << DIGIT], digits = 1u << width, mask = digits - 1;
    memset(start, 0, digits * sizeof start[0]);
    for (uint32_t k = 0; k < count; k++) {
        start[key[k] >> shift & mask]++;
    }
    if (start[key[0] >> shift & mask] == count) {
        return false;
    }
    uint32_t sum = 0;
    for (uint32_t digit = 0; digit < digits; digit++) {
        uint32_t size = start[digit];
        start[digit] = sum;
        sum += size;
    }
    for (uint32_t k = 0; k < count; k++) {
        to[start[key[k] >> shift & mask]++] = key[k];
    }
    return true;
}

void afxi_sort_keys(uint64_t *key, uint64_t *scratch, uint32_t count, uint32_t low_bits, uint32_t high_bits) {
    if (count <= FEW) {
        insert_sort(key, count);
        return;
    }
    if (count <= SOME) {
        merge_sort(key, scratch, count);
        return;
    }
    uint64_t *from = key, *to = scratch;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t bits = half ? high_bits : low_bits;
        /* Digits of equal width: fewer places to write to at a time than with full ones and a rest. */
        uint32_t passes = (bits + DIGIT - 1) / DIGIT, width = passes ? (bits + passes - 1) / passes : 0;
        for (uint32_t pass = 0; pass < passes; pass++) {
            if (digit_pass(from, to, count, 32 * half + pass * width, width)) {
                uint64_t *swap = from;
                from = to;
                to = swap;
            }
        }
    }
    if (from != key) {
        memcpy(key, from, count * sizeof *key);
    }
}

void afxi_sort_by_bucket(uint64_t *key, uint64_t *to, uint32_t count, uint32_t *end, uint32_t buckets) {
    memset(end, 0, buckets * sizeof *end);
    for (uint32_t k = 0; k < count; k++) {
        end[key[k] >> 32]++;
    }
    uint32_t sum = 0;
    for (uint32_t bucket = 0; bucket < buckets; bucket++) {
        uint32_t size = end[bucket];
        end[bucket] = sum;
        sum += size;
    }
    for (uint32_t k = 0; k < count; k++) {
        to[end[key[k] >> 32]++] = key[k];
    }
    for (uint32_t bucket = 0, begin = 0; bucket < buckets; begin = end[bucket++]) {
        afxi_sort_keys(to + begin, key + begin, end[bucket] - begin, 32, 0);
    }
}
