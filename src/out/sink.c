/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer, and the loop around write(2): it may write less than it was given. */
#include "out/sink.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define BUFFER 65536u

bool afxi_sink_open(const AfxAllocator *allocator, int fd, uint64_t size, AfxiSink *out_sink) {
    *out_sink = (AfxiSink){.allocator = *allocator, .fd = fd, .size = size};
    out_sink->buffer = afxi_allocate(allocator, BUFFER);
    return out_sink->buffer != NULL;
}

static void put(AfxiSink *sink, const char *data, size_t size) {
    while (size > 0 && sink->error == 0) {
        ssize_t done = write(sink->fd, data, size);
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            sink->error = done == 0 ? ENOSPC : errno;
        }
    }
}

void afxi_sink_write(AfxiSink *sink, const void *data, size_t size) {
    if (sink->error) {
        return;
    }
    sink->size += size;
    if (size <= BUFFER - sink->filled) {
        if (size) {
            memcpy(sink->buffer + sink->filled, data, size);
            sink->filled += (uint32_t)size;
        }
        return;
    }
    put(sink, sink->buffer, sink->filled);
    sink->filled = 0;
    if (size >= BUFFER) {
        put(sink, data, size);
    } else {
        memcpy(sink->buffer, data, size);
        sink->filled = (uint32_t)size;
    }
}

void afxi_sink_text(AfxiSink *sink, const char *text) {
    afxi_sink_write(sink, text, strlen(text));
}

void afxi_sink_print(AfxiSink *sink, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0) {
        afxi_sink_write(sink, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    }
}

void afxi_sink_number(AfxiSink *sink, double value, int digits) {
    char text[64];
    int length = snprintf(text, sizeof text, "%.*g", digits, value);
    const char *point = localeconv()->decimal_point;
    if (point[0] != '.' && point[0] != '\0') {
        size_t width = strlen(point);
        char *at = strstr(text, point);
        if (at) {
            *at = '.';
            memmove(at + 1, at + width, strlen(at + width) + 1);
            length -= (int)width - 1;
        }
    }
    afxi_sink_write(sink, text, (size_t)length);
}

bool afxi_sink_flush(AfxiSink *sink, bool sync) {
    put(sink, sink->buffer, sink->filled);
    sink->filled = 0;
    if (sink->error == 0 && sync && fsync(sink->fd) != 0 && errno != EINVAL && errno != ENOTSUP) {
        sink->error = errno; /* a pipe cannot be synced: EINVAL */
    }
    return sink->error == 0;
}

bool afxi_sink_close(AfxiSink *sink, bool sync) {
    if (sink->fd < 0) {
        return sink->error == 0;
    }
    afxi_sink_flush(sink, sync);
    if (close(sink->fd) != 0 && errno != EINTR && sink->error == 0) {
        sink->error = errno;
    }
    sink->fd = -1;
    afxi_release(&sink->allocator, sink->buffer, BUFFER);
    sink->buffer = NULL;
    return sink->error == 0;
}
