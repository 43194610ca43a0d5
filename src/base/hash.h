/* SPDX-License-Identifier: Apache-2.0 */
/* Two 64-bit hashes of bytes. The fast one is a fingerprint, of models and of states; whoever knows it can write keys
 * that all fall into one slot of a table. Tables go by the other, whose key differs from table to table and run to run:
 * nothing in a result ever depends on it. */
#ifndef AFXI_BASE_HASH_H
#define AFXI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define AFXI_HASH_START 0x9e3779b97f4a7c15ull

/** Mixes `size` bytes into `hash`. Equal on every machine of one byte order. */
uint64_t afxi_hash(uint64_t hash, const void *bytes, size_t size);

/** Chosen for a table; no file can know it. */
typedef struct AfxiHashKey {
    uint64_t half[2];
} AfxiHashKey;

/** A new key, for the table at `place`. */
AfxiHashKey afxi_hash_key(const void *place);
/** SipHash-1-3 of `size` bytes. */
uint64_t afxi_hash_keyed(AfxiHashKey key, const void *bytes, size_t size);

#endif
