/* SPDX-License-Identifier: Apache-2.0 */
/* A write that a kill cannot cut in two. The kernel looks for signals between the pages of a write, so that of one that
 * goes over the end of a page the first part alone may be done; where it replaces something, neither the old nor the
 * new is left. Such a write is put into a file beside the other first, with a hash, done, and struck out. Whoever takes
 * up the work of a process that was killed does it again. What the hash does not fit had not begun. */
#ifndef AFXI_OUT_REDO_H
#define AFXI_OUT_REDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The file beside, empty; what was there is gone. Its descriptor, or -1 with errno. */
int afxi_redo_open(const char *path);
/** Puts a write of `size` bytes `at` a place there, before it is done. 0, or errno. */
int afxi_redo_put(int redo, uint64_t at, const void *data, size_t size);
/** The write is done. 0, or errno. */
int afxi_redo_strike(int redo);
/** Does the write that is in `path`, where there is one, in `file`. 0, or errno. */
int afxi_redo_apply(const char *path, const char *file);

/** Whether a write may be cut. */
bool afxi_redo_needed(uint64_t at, size_t size);

#endif
