/* SPDX-License-Identifier: Apache-2.0 */
/* A fast 64-bit hash of bytes, for interning, name look-up and model hashes. Not for untrusted keys. */
#ifndef AFXI_BASE_HASH_H
#define AFXI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define AFXI_HASH_START 0x9e3779b97f4a7c15ull

/** Mixes `size` bytes into `hash`. Equal on every machine of one byte order. */
uint64_t afxi_hash(uint64_t hash, const void *bytes, size_t size);

#endif
