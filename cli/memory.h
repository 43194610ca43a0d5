/* SPDX-License-Identifier: Apache-2.0 */
/* cli/memory.h: an allocator that counts, over the library's default one. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include "affix/base.h"

typedef struct CliMemory {
    size_t bytes; /* in use */
    size_t peak;
} CliMemory;

/** Counts into *memory, which must outlive the allocator's blocks. */
AfxAllocator cli_memory_allocator(CliMemory *memory);

#endif
