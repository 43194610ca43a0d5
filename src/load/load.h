/* SPDX-License-Identifier: Apache-2.0 */
/* What all loaders share: the scene being written, limits, errors with file and line, notices. A loader writes an
 * AfxScene through its public functions and nothing else. */
#ifndef AFXI_LOAD_LOAD_H
#define AFXI_LOAD_LOAD_H

#include "affix/contact.h"
#include "affix/io.h"

/* Bytes of a path with its zero, and files that one load may read. */
#define AFXI_PATH_SIZE 1024
#define AFXI_FILES_MOST 10000u
#define AFXI_NAME_SIZE 256 /* of a name with its zero; the scene takes no longer one */

struct AfxiText;
struct AfxiJsonNode;

/** One load, from the first file to the last include. */
typedef struct AfxiLoad {
    AfxScene *scene;
    const AfxLoadDef *def;
    /** Reads a file's text into `scene`, by its format: how one format takes in files of any other. */
    bool (*read)(struct AfxiLoad *load, AfxFormat format, const struct AfxiText *text, const char *path);
    AfxAllocator allocator;    /* the scene's */
    AfxError error;            /* the first one; status AFX_OK while there is none */
    char root[AFXI_PATH_SIZE]; /* folder that files must lie in, real path; "" when there are no files */
    uint64_t bytes;            /* read so far */
    uint64_t fresh;            /* of these, from files that were not read before */
    uint64_t work;             /* afxi_load_work so far */
    uint64_t *seen;            /* [seen_count] hashes of the files read */
    uint32_t seen_count, seen_capacity;
    uint32_t files; /* read so far */
    uint32_t held;  /* items of scenes that wait for the present one; they count in afxi_load_items */
    uint32_t depth; /* of afxi_load_enter at present: files and groups inside each other */
    const struct AfxiJsonNode *parameters; /* what the group that reads the present file gives; NULL: nothing */
    uint64_t *told;                        /* [told_count] hashes of the notices told */
    uint32_t told_count, told_capacity;
} AfxiLoad;

/** A file's text, zero-terminated. */
typedef struct AfxiText {
    char *data;
    size_t size; /* without the zero */
    size_t room; /* what to release */
} AfxiText;

/** Sets the root to the folder of the first file; to "" when there is no such folder and it need not be. */
bool afxi_load_root(AfxiLoad *load, const char *path, bool must);
/** A text from memory, zero-terminated, within the limits. */
bool afxi_load_copy(AfxiLoad *load, const char *text, size_t size, AfxiText *out_text);
/** Reads a whole file; false after load->error was set, which names `from` and `from_line`: where the file was asked
 * for (NULL and 0: the first file, which may lie anywhere). It must be a regular file inside the root or a package
 * folder, by its real path, unless allow_outside; and within the limits. */
bool afxi_load_read(AfxiLoad *load, const char *path, const char *from, int from_line, AfxiText *out_text);
void afxi_load_release(AfxiLoad *load, AfxiText *text);
/** `name` relative to the folder of `from`, into out[size]; false (error set) when it does not fit. */
bool afxi_load_path(AfxiLoad *load, const char *from, const char *name, char *out, size_t size);
/** Whether something is there that afxi_load_read would open, to look for it in several places. Sets no error. */
bool afxi_load_exists(const AfxiLoad *load, const char *path);

/** Sets the error unless there is one already, and returns false. */
bool afxi_load_error(AfxiLoad *load, AfxStatus status, const char *file, int line, const char *element,
                     const char *text, const char *cure);
/** Takes over what the scene's last failed call found, with file and line. Returns false. */
bool afxi_load_scene_error(AfxiLoad *load, const char *file, int line);
/** Out of memory. Returns false. */
bool afxi_load_memory_error(AfxiLoad *load, const char *file, int line);
/** Tells a notice, once for each kind, file and element; false (error set) when strict. */
bool afxi_load_notice(AfxiLoad *load, AfxNoticeKind kind, const char *file, int line, const char *element,
                      const char *text);
/** Forgets which notices were told and which files were read. */
void afxi_load_forget(AfxiLoad *load);
/** Whether `count` of `what` ("bodies") are within items_most; false with the error set. */
bool afxi_load_items(AfxiLoad *load, uint64_t count, const char *what, const char *file, int line);
/** Counts pieces of work: an attribute looked at, a number of a table or a part of a mesh copied, a name looked for.
 * A file does a few for each of its bytes; more come from what it repeats, inherits or refers to again and again, and
 * these are within a multiple of items_most. False with the error set when they are not. */
bool afxi_load_work(AfxiLoad *load, uint64_t amount, const char *file, int line);
/** The work of adding a shape: the parts of its mesh. */
bool afxi_load_shape(AfxiLoad *load, const AfxShapeDef *shape, const char *file, int line);
/** Whether a notice would still be heard: there are not too many of them yet. */
bool afxi_load_telling(const AfxiLoad *load);
/** Around what is nested: false (error set) beyond depth_most, and then nothing is to be left. */
bool afxi_load_enter(AfxiLoad *load, const char *file, int line);
void afxi_load_leave(AfxiLoad *load);

/* One function per format: reads `text` of file `path` into load->scene; false with load->error set. `path` is never
 * NULL; load->root is "" when it is no file. */
bool afxi_load_json(AfxiLoad *load, const AfxiText *text, const char *path);
bool afxi_load_urdf(AfxiLoad *load, const AfxiText *text, const char *path);
bool afxi_load_mjcf(AfxiLoad *load, const AfxiText *text, const char *path);
bool afxi_load_sdf(AfxiLoad *load, const AfxiText *text, const char *path);

/* ---- load_scene.c, above all formats ---- */

/** The format of a file by its ending, or by how its text begins; AFX_FORMAT_AUTO when it is none. */
AfxFormat afxi_load_format(const char *path, const AfxiText *text);

#endif
