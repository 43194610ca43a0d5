/* SPDX-License-Identifier: Apache-2.0 */
/* PNG: a signature, then chunks of {size, name, data, CRC}; the picture is one zlib stream of rows, each with a filter
 * byte before it (0: none). ISO/IEC 15948. */
#include <string.h>
#include <zlib.h>

#include "affix/image.h"
#include "base/status.h"
#include "out/bytes.h"
#include "out/file.h"
#include "out/squeeze.h"

static void put_u32(unsigned char *at, uint32_t value) {
    for (int k = 0; k < 4; k++) {
        at[k] = (unsigned char)(value >> (24 - 8 * k) & 255u);
    }
}

static void put_chunk(AfxiSink *sink, const char name[4], const unsigned char *data, uint32_t size) {
    unsigned char head[8], tail[4];
    put_u32(head, size);
    memcpy(&head[4], name, 4);
    uLong sum = crc32(0, &head[4], 4);
    sum = size ? crc32(sum, data, size) : sum;
    put_u32(tail, (uint32_t)sum);
    afxi_sink_write(sink, head, sizeof head);
    afxi_sink_write(sink, data, size);
    afxi_sink_write(sink, tail, sizeof tail);
}

/* Rows with their filter bytes, squeezed. */
static AfxStatus squeeze_rows(const unsigned char *color, uint32_t width, uint32_t height, AfxiBytes *stream) {
    size_t row = 3 * (size_t)width;
    AfxiBytes rows = afxi_bytes_begin(&stream->allocator);
    unsigned char *at = afxi_bytes_extend(&rows, (row + 1) * height);
    for (uint32_t y = 0; y < height && at; y++) {
        at[(row + 1) * y] = 0;
        memcpy(&at[(row + 1) * y + 1], &color[row * y], row);
    }
    AfxStatus status = at ? afxi_squeeze(stream, rows.data, rows.size) : AFX_E_MEMORY;
    afxi_bytes_destroy(&rows);
    return status;
}

AfxStatus afx_image_save(const unsigned char *color, uint32_t width, uint32_t height, const char *path,
                         AfxError *out_error) {
    if (!color || !path || width < 1 || height < 1 || width > AFX_IMAGE_EDGE || height > AFX_IMAGE_EDGE) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "picture", afx_status_text(AFX_E_ARGUMENT), "");
    }
    AfxAllocator allocator = afx_default_allocator();
    AfxiBytes stream = afxi_bytes_begin(&allocator);
    AfxStatus status = squeeze_rows(color, width, height, &stream);
    AfxiReplace file;
    if (status != AFX_OK) {
        afxi_error(out_error, status, path, afx_status_text(status), "take a smaller picture");
    } else {
        status = afxi_replace_open(&allocator, path, &file, out_error);
    }
    if (status == AFX_OK) {
        static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
        unsigned char header[13] = {[8] = 8, [9] = 2}; /* 8 bits of red, green and blue each */
        put_u32(header, width);
        put_u32(&header[4], height);
        file.hasty = true;
        afxi_sink_write(&file.sink, signature, sizeof signature);
        put_chunk(&file.sink, "IHDR", header, sizeof header);
        put_chunk(&file.sink, "IDAT", stream.data, (uint32_t)stream.size);
        put_chunk(&file.sink, "IEND", header, 0);
        status = afxi_replace_commit(&file, NULL, out_error);
    }
    afxi_bytes_destroy(&stream);
    return status;
}
