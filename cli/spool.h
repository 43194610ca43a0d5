/* SPDX-License-Identifier: Apache-2.0 */
/* cli/spool.h: files in between, for what must be a file where stdin or stdout is meant; and whether two paths are one
 * file. */
#ifndef CLI_SPOOL_H
#define CLI_SPOOL_H

#include <stdbool.h>
#include <stdio.h>

#define CLI_SPOOL_PATH 256

/** Makes an empty file of a new name in TMPDIR or /tmp, to be unlinked by the caller. False after an error was printed.
 */
bool cli_spool_make(char out_path[CLI_SPOOL_PATH]);
/** Copies all of stdin into the file at `path`; false after an error was printed. */
bool cli_spool_take(const char *path);
/** Copies the file at `path` to stdout; false after an error was printed. */
bool cli_spool_give(const char *path);
/** Whether both paths are of the same file. */
bool cli_same_file(const char *a, const char *b);

#endif
