/* SPDX-License-Identifier: Apache-2.0 */
/* A file being written through one buffer. The first error is kept, and nothing is written after it. */
#ifndef AFXI_OUT_SINK_H
#define AFXI_OUT_SINK_H

#include "affix/base.h"

typedef struct AfxiSink {
    AfxAllocator allocator;
    int fd;          /* -1: closed */
    int error;       /* errno of the first failure, 0 while there is none */
    uint64_t size;   /* of the file, what is in the buffer included */
    uint32_t filled; /* bytes in the buffer */
    char *buffer;
} AfxiSink;

/** Takes over a descriptor that stands at byte `size` of its file. False when there is no memory; the descriptor is
 * then still the caller's. */
bool afxi_sink_open(const AfxAllocator *allocator, int fd, uint64_t size, AfxiSink *out_sink);
void afxi_sink_write(AfxiSink *sink, const void *data, size_t size);
/** printf, for pieces of at most 500 bytes. */
void afxi_sink_print(AfxiSink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
void afxi_sink_text(AfxiSink *sink, const char *text);
/** 17 digits at most, with a point whatever the locale says; "nan", "inf", "-inf". */
void afxi_sink_number(AfxiSink *sink, double value, int digits);
/** Writes the buffer out; with `sync`, to the disk itself. False after an error. */
bool afxi_sink_flush(AfxiSink *sink, bool sync);
/** Flushes, closes and frees; false after an error, which stays in sink->error. */
bool afxi_sink_close(AfxiSink *sink, bool sync);

#endif
