/* SPDX-License-Identifier: Apache-2.0 */
/* affix/base.h: version, status codes, errors, allocator and log: what every other header rests on. */
#ifndef AFFIX_BASE_H
#define AFFIX_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define AFX_API
#else
#define AFX_API __attribute__((visibility("default")))
#endif

#define AFX_VERSION_MAJOR 0
#define AFX_VERSION_MINOR 1
#define AFX_VERSION_PATCH 0

/** The library's version as text, for example "0.1.0". */
AFX_API const char *afx_version(void);

/* One table feeds the enum, its names and its texts. Negative codes are errors. */
#define AFX_STATUS_TABLE(X)                                                                           \
    X(AFX_OK, 0, "fine")                                                                              \
    X(AFX_E_ARGUMENT, -1, "an argument is null, stale, out of range or not finite")                   \
    X(AFX_E_MEMORY, -2, "out of memory")                                                              \
    X(AFX_E_INPUT, -3, "the input is not valid")                                                      \
    X(AFX_E_LIMIT, -4, "a size is beyond what this build can hold")                                   \
    X(AFX_E_VERSION, -5, "a definition or snapshot was made for another version or model")            \
    X(AFX_E_NUMERIC, -6, "the step did not converge to a finite state; the state before it was kept") \
    X(AFX_E_SYSTEM, -7, "the operating system refused a file or a thread")

/** Result of a call: AFX_OK or one of the negative codes of AFX_STATUS_TABLE. */
typedef enum AfxStatus {
#define AFX_STATUS_ENUM(name, value, text) name = (value),
    AFX_STATUS_TABLE(AFX_STATUS_ENUM)
#undef AFX_STATUS_ENUM
} AfxStatus;

/** The code's name ("AFX_E_INPUT"), or "AFX_UNKNOWN". */
AFX_API const char *afx_status_name(AfxStatus status);
/** One sentence on what the code means. */
AFX_API const char *afx_status_text(AfxStatus status);

/** What went wrong, where, and the cure. Strings are always terminated; line is 0 where there is none. */
typedef struct AfxError {
    AfxStatus status;
    int line;
    char file[160];
    char element[120]; /* for example: body "wheel" */
    char text[200];
    char cure[160];
} AfxError;

/** Memory for a library object, through one function in the manner of Lua: new_size 0 frees, ptr NULL
 * allocates, else resizes. Returned memory is aligned as by malloc. NULL means out of memory (the old block
 * stays). Must be callable from the thread that makes the call into the library. */
typedef struct AfxAllocator {
    void *(*reallocate)(void *user, void *ptr, size_t old_size, size_t new_size);
    void *user;
} AfxAllocator;

/** The allocator over the C library's realloc and free. */
AFX_API AfxAllocator afx_default_allocator(void);

typedef enum AfxLogLevel { AFX_LOG_ERROR = 0, AFX_LOG_WARNING = 1, AFX_LOG_INFO = 2 } AfxLogLevel;

/** Receives what the library has to say; the library itself never prints. write may be NULL. */
typedef struct AfxLog {
    void (*write)(void *user, AfxLogLevel level, const char *text);
    void *user;
} AfxLog;

/** User-supplied threads: run call(context, k) for every k in [0, count), in any order and on any threads,
 * and return when all are done. NULL selects the library's own. */
typedef struct AfxTasks {
    void (*run)(void *user, uint32_t count, void (*call)(void *context, uint32_t k), void *context);
    void *user;
} AfxTasks;

#ifdef __cplusplus
}
#endif
#endif
