/* SPDX-License-Identifier: Apache-2.0 */
/* The fingerprint takes eight bytes at a time: xor, multiply by an odd constant, fold the high half down; a finaliser
 * at the end. The keyed hash is SipHash (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012) with one
 * round a word and three at the end, as in the tables of several languages: to find keys that meet without knowing its
 * key is as hard as trying. */
#include "base/hash.h"

#include <string.h>

#include "base/clock.h"

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

static uint64_t turn(uint64_t word, int by) {
    return word << by | word >> (64 - by);
}

static void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turn(v[1], 13) ^ v[0];
    v[3] = turn(v[3], 16) ^ v[2];
    v[0] = turn(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = turn(v[1], 17) ^ v[2];
    v[3] = turn(v[3], 21) ^ v[0];
    v[2] = turn(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

uint64_t afxi_hash_keyed(AfxiHashKey key, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    uint64_t v[4] = {key.half[0] ^ 0x736f6d6570736575ull, key.half[1] ^ 0x646f72616e646f6dull,
                     key.half[0] ^ 0x6c7967656e657261ull, key.half[1] ^ 0x7465646279746573ull};
    uint64_t word;
    size_t left = size;
    for (; left >= 8; p += 8, left -= 8) {
        memcpy(&word, p, 8);
        sip_word(v, word);
    }
    word = 0;
    if (left) {
        memcpy(&word, p, left);
    }
    sip_word(v, word | (uint64_t)size << 56);
    v[2] ^= 0xff;
    for (int k = 0; k < 3; k++) {
        sip_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Where the heap, the stack and the code were put, and the moment to a nanosecond: nobody who writes a file knows them.
 */
AfxiHashKey afxi_hash_key(const void *place) {
    const double now = afxi_clock();
    uint64_t secret[4] = {(uintptr_t)place, (uintptr_t)&now, (uintptr_t)&afxi_hash_key, 0};
    memcpy(secret + 3, &now, sizeof now);
    uint64_t hash = afxi_hash(AFXI_HASH_START, secret, sizeof secret);
    return (AfxiHashKey){{hash, afxi_hash(hash, secret, sizeof secret)}};
}
