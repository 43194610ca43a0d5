/* SPDX-License-Identifier: Apache-2.0 */
/* What all loaders share: the scene being written, limits, errors with file and line, notices. A loader writes an
 * AfxScene through its public functions and nothing else. */
#ifndef AFXI_LOAD_LOAD_H
#define AFXI_LOAD_LOAD_H

#include "affix/io.h"

/** One load, from the first file to the last include. */
typedef struct AfxiLoad {
    AfxScene *scene;
    const AfxLoadDef *def;
    AfxAllocator allocator; /* the scene's */
    AfxError error;         /* the first one; status AFX_OK while there is none */
    char root[1024];        /* folder that files must lie in, real path; "" when there are no files */
    uint64_t bytes;         /* read so far */
} AfxiLoad;

/** A file's text, zero-terminated. */
typedef struct AfxiText {
    char *data;
    size_t size; /* without the zero */
    size_t room; /* what to release */
} AfxiText;

/** Reads a whole file (regular, inside the root unless allowed, within the limits); false after load->error was set,
 * which names `from` and `from_line`: where the file was asked for. */
bool afxi_load_read(AfxiLoad *load, const char *path, const char *from, int from_line, AfxiText *out_text);
void afxi_load_release(AfxiLoad *load, AfxiText *text);
/** `name` relative to the folder of `from`, into out[size]; false (error set) when it does not fit. */
bool afxi_load_path(AfxiLoad *load, const char *from, const char *name, char *out, size_t size);

/** Sets the error unless there is one already, and returns false. */
bool afxi_load_error(AfxiLoad *load, AfxStatus status, const char *file, int line, const char *element,
                     const char *text, const char *cure);
/** Takes over what the scene's last failed call found, with file and line. Returns false. */
bool afxi_load_scene_error(AfxiLoad *load, const char *file, int line);
/** Tells a notice; false (error set) when strict. */
bool afxi_load_notice(AfxiLoad *load, AfxNoticeKind kind, const char *file, int line, const char *element,
                      const char *text);

/* One function per format: reads `text` of file `path` into load->scene; false with load->error set. */
bool afxi_load_json(AfxiLoad *load, const AfxiText *text, const char *path);
bool afxi_load_urdf(AfxiLoad *load, const AfxiText *text, const char *path);
bool afxi_load_mjcf(AfxiLoad *load, const AfxiText *text, const char *path);

#endif
