/* SPDX-License-Identifier: Apache-2.0 */
/* The counting allocator: the library tells the old size of a block, so blocks need no header. */
#include "cli/memory.h"

static void *count(void *user, void *ptr, size_t old_size, size_t new_size) {
    CliMemory *memory = user;
    AfxAllocator inner = afx_default_allocator();
    void *block = inner.reallocate(inner.user, ptr, old_size, new_size);
    if (block || new_size == 0) {
        memory->bytes = memory->bytes - (ptr ? old_size : 0) + new_size;
        memory->peak = memory->bytes > memory->peak ? memory->bytes : memory->peak;
    }
    return block;
}

AfxAllocator cli_memory_allocator(CliMemory *memory) {
    return (AfxAllocator){count, memory};
}
