/* SPDX-License-Identifier: Apache-2.0 */
/* zlib with our allocator, which wants to be told sizes: they stand in front of each block. */
#include "out/squeeze.h"

#include <string.h>
#include <zlib.h>

#define FRONT 16u /* bytes before a block, aligned as by malloc */
#define PIECE 65536u

static voidpf take(voidpf user, uInt count, uInt size) {
    const AfxAllocator *allocator = user;
    size_t whole = (size_t)count * size + FRONT;
    unsigned char *block = allocator->reallocate(allocator->user, NULL, 0, whole);
    if (!block) {
        return Z_NULL;
    }
    memcpy(block, &whole, sizeof whole);
    return block + FRONT;
}

static void give(voidpf user, voidpf address) {
    const AfxAllocator *allocator = user;
    unsigned char *block = (unsigned char *)address - FRONT;
    size_t whole;
    memcpy(&whole, block, sizeof whole);
    allocator->reallocate(allocator->user, block, whole, 0);
}

/* Runs a stream over all of the data; `run` is deflate or inflate. zlib counts in 32 bits, so the data goes in pieces.
 */
static AfxStatus stream(z_stream *z, int (*run)(z_streamp, int), AfxiBytes *bytes, const unsigned char *data,
                        size_t size, size_t most) {
    size_t begin = bytes->size, done = 0;
    int code = Z_OK;
    while (code == Z_OK && bytes->status == AFX_OK) {
        if (z->avail_in == 0 && done < size) {
            size_t piece = size - done < PIECE ? size - done : PIECE;
            memcpy(&z->next_in, &(const unsigned char *){data + done}, sizeof data); /* zlib only reads it */
            z->avail_in = (uInt)piece;
            done += piece;
        }
        unsigned char *room = afxi_bytes_extend(bytes, PIECE);
        if (!room) {
            break;
        }
        z->next_out = room;
        z->avail_out = PIECE;
        code = run(z, done == size ? Z_FINISH : Z_NO_FLUSH);
        bytes->size -= z->avail_out;
        if (code == Z_BUF_ERROR && z->avail_out == 0) {
            code = Z_OK; /* there is more to come */
        }
        if (bytes->size - begin > most) {
            code = Z_DATA_ERROR;
        }
    }
    if (bytes->status != AFX_OK) {
        return bytes->status;
    }
    return code == Z_STREAM_END ? AFX_OK : code == Z_MEM_ERROR ? AFX_E_MEMORY : AFX_E_INPUT;
}

AfxStatus afxi_squeeze(AfxiBytes *bytes, const void *data, size_t size) {
    z_stream z = {.zalloc = take, .zfree = give, .opaque = &bytes->allocator};
    if (deflateInit(&z, 6) != Z_OK) {
        return AFX_E_MEMORY;
    }
    AfxStatus status = stream(&z, deflate, bytes, data, size, SIZE_MAX);
    deflateEnd(&z);
    return status;
}

AfxStatus afxi_unsqueeze(AfxiBytes *bytes, const void *data, size_t size, size_t most) {
    z_stream z = {.zalloc = take, .zfree = give, .opaque = &bytes->allocator};
    if (inflateInit2(&z, 15 + 32) != Z_OK) { /* 32: a header of gzip or zlib */
        return AFX_E_MEMORY;
    }
    AfxStatus status = stream(&z, inflate, bytes, data, size, most);
    inflateEnd(&z);
    return status;
}

void afxi_sink_base64(AfxiSink *sink, const unsigned char *data, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4096];
    size_t used = 0;
    for (size_t k = 0; k < size; k += 3) {
        size_t left = size - k;
        uint32_t three =
            (uint32_t)data[k] << 16 | (left > 1 ? (uint32_t)data[k + 1] << 8 : 0) | (left > 2 ? data[k + 2] : 0u);
        text[used++] = digits[three >> 18];
        text[used++] = digits[three >> 12 & 63];
        text[used++] = left > 1 ? digits[three >> 6 & 63] : '=';
        text[used++] = left > 2 ? digits[three & 63] : '=';
        if (used == sizeof text) {
            afxi_sink_write(sink, text, used);
            used = 0;
        }
    }
    afxi_sink_write(sink, text, used);
}
