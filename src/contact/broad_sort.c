/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of packed keys: insertion for a few, merging for some, by digits for many. Digits that are the same in all
 * keys are passed over. */
#include <string.h>

#include "contact/broad_inner.h"

enum { FEW = 24, SOME = 1500, DIGIT = 11, DIGITS = 1 << DIGIT };

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

/* One stable pass over the digit at `shift`; false, and nothing done, when it is the same everywhere. */
static bool digit_pass(const uint64_t *key, uint64_t *to, uint32_t count, uint32_t shift) {
    uint32_t start[DIGITS] = {0};
    for (uint32_t k = 0; k < count; k++) {
        start[key[k] >> shift & (DIGITS - 1)]++;
    }
    if (start[key[0] >> shift & (DIGITS - 1)] == count) {
        return false;
    }
    uint32_t sum = 0;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        uint32_t size = start[digit];
        start[digit] = sum;
        sum += size;
    }
    for (uint32_t k = 0; k < count; k++) {
        to[start[key[k] >> shift & (DIGITS - 1)]++] = key[k];
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
        for (uint32_t shift = 0; shift < bits; shift += DIGIT) {
            if (digit_pass(from, to, count, 32 * half + shift)) {
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
