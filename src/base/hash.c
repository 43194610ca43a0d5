/* SPDX-License-Identifier: Apache-2.0 */
/* Eight bytes at a time: xor, multiply by an odd constant, fold the high half down; a finaliser at the end. */
#include "base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xd6e8feb86659fd93ull;
    return hash ^ (hash >> 32);
}

uint64_t afxi_hash(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    size_t left = size;
    while (left >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = mix(hash, word);
        p += 8;
        left -= 8;
    }
    uint64_t word = 0;
    if (left) {
        memcpy(&word, p, left);
    }
    return mix(mix(hash, word), size);
}
