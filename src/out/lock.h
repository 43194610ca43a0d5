/* SPDX-License-Identifier: Apache-2.0 */
/* Who writes a file. A run holds `path`.lock, beside what a link leads to, for as long as it writes `path`: the file
 * stays the same one while outputs are replaced by newer ones, and the lock on it is the kernel's (flock), which lets
 * go when the process ends, however it ends. So a second run sees the first, and what a killed run leaves lying blocks
 * nobody. */
#ifndef AFXI_OUT_LOCK_H
#define AFXI_OUT_LOCK_H

#include "affix/base.h"

/** Not held where path is NULL, as after `= {0}`. */
typedef struct AfxiLock {
    AfxAllocator allocator;
    char *path; /* of the lock file */
    int fd;
} AfxiLock;

/** Opens a file, made where it is not there, for this process alone. The descriptor, or -1 with errno: EWOULDBLOCK when
 * another process or another part of this one has it. Where files cannot be locked it is opened all the same. */
int afxi_lock_open(const char *path);

/** Locks `path`. An error when somebody else writes it, which names the process, or when what lies at `path`.lock is
 * not a lock. Nothing is held, and nothing wrong, where no lock can be made: a folder that is read-only or not there is
 * for the output itself to report. */
AfxStatus afxi_lock_take(const AfxAllocator *allocator, const char *path, AfxiLock *out_lock, AfxError *out_error);
/** Removes the lock. One that is not held is allowed. */
void afxi_lock_release(AfxiLock *lock);

#endif
