/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are complete or not there, and errors that name a file. */
#ifndef AFXI_OUT_FILE_H
#define AFXI_OUT_FILE_H

#include "out/sink.h"

/** Writes an error about a file (out may be NULL) and returns `status`. A long path is cut at its beginning. */
AfxStatus afxi_file_error(AfxError *out, AfxStatus status, const char *path, const char *text, const char *cure);
/** The same for a system call that failed with errno `number`: "cannot be written: No space left on device". The status
 * is AFX_E_SYSTEM. */
AfxStatus afxi_file_errno(AfxError *out, const char *path, const char *what, int number);

/** AFX_OK, or an error where the machine stores numbers the other way round than these formats do. */
AfxStatus afxi_file_needs_little_endian(const char *path, AfxError *out_error);

/** A copy of a path with something at its end; NULL when there is no memory. Free it with afxi_path_release. */
char *afxi_path_with(const AfxAllocator *allocator, const char *path, const char *ending);
void afxi_path_release(const AfxAllocator *allocator, char *path);
/** AFX_OK when nothing is at `path`, or a regular file; what else is there must not be replaced. */
AfxStatus afxi_path_replaceable(const char *path, AfxError *out_error);
/** Puts the folder of `path` on disk, so that a rename in it lasts. Failure is no matter: not all file systems can. */
void afxi_path_sync_folder(const char *path);

/** A file being written as `path`.new, which takes the place of `path` when it is complete. */
typedef struct AfxiReplace {
    AfxAllocator allocator;
    const char *path; /* the caller's */
    char *temporary;
    AfxiSink sink; /* write here; errors are seen by afxi_replace_commit */
    bool hasty;    /* whole after a kill, but perhaps not after a loss of power */
} AfxiReplace;

AfxStatus afxi_replace_open(const AfxAllocator *allocator, const char *path, AfxiReplace *out_replace,
                            AfxError *out_error);
/** Closes and renames; syncs before, unless replace->hasty. With `previous`, what was at `path` goes there first.
 * Nothing is left to free. */
AfxStatus afxi_replace_commit(AfxiReplace *replace, const char *previous, AfxError *out_error);
/** Removes what was written. */
void afxi_replace_abandon(AfxiReplace *replace);

#endif
