/* SPDX-License-Identifier: Apache-2.0 */
/* PNG as its standard has it (ISO/IEC 15948), not interlaced: chunks, one zlib stream, rows with a filter each.
 * MuJoCo's binary format: two int32, rows and columns, then floats row by row from the least y. */
#include "load/height_file.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"

typedef struct Png {
    uint32_t width, height, depth, color; /* depth: bits of a sample; color: the type */
    uint32_t pixel;                       /* bytes, at least 1 */
    size_t stride;                        /* bytes of a row without its filter */
    unsigned char red[256];               /* of a palette */
} Png;

static uint32_t big32(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool read_head(const unsigned char *p, Png *png) {
    static const uint32_t samples[7] = {1, 0, 3, 1, 2, 0, 4};
    *png = (Png){.width = big32(p), .height = big32(p + 4), .depth = p[8], .color = p[9]};
    bool plain = p[10] == 0 && p[11] == 0 && p[12] == 0 && png->color < 7 && samples[png->color] > 0;
    bool bits = png->depth == 8 || (png->depth == 16 && png->color != 3) ||
                ((png->depth == 1 || png->depth == 2 || png->depth == 4) && (png->color == 0 || png->color == 3));
    bool fits =
        png->width >= 2 && png->height >= 2 && png->width <= AFXI_HEIGHTS_EDGE && png->height <= AFXI_HEIGHTS_EDGE;
    if (!plain || !bits || !fits) {
        return false;
    }
    uint32_t all = png->depth * samples[png->color];
    png->pixel = all >= 8 ? all / 8 : 1;
    png->stride = ((size_t)all * png->width + 7) / 8;
    return true;
}

/* The guess of Paeth's filter. */
static int paeth(int a, int b, int c) {
    int p = a + b - c, da = abs(p - a), db = abs(p - b), dc = abs(p - c);
    return da <= db && da <= dc ? a : db <= dc ? b : c;
}

static bool unfilter(const Png *png, unsigned char *rows) {
    for (uint32_t y = 0; y < png->height; y++) {
        unsigned char *row = rows + y * (png->stride + 1), *above = y ? row - png->stride : NULL;
        unsigned kind = *row++;
        if (kind > 4) {
            return false;
        }
        for (size_t x = 0; x < png->stride; x++) {
            int a = x >= png->pixel ? row[x - png->pixel] : 0, b = above ? above[x] : 0;
            int c = above && x >= png->pixel ? above[x - png->pixel] : 0;
            int guess = kind == 1 ? a : kind == 2 ? b : kind == 3 ? (a + b) / 2 : kind == 4 ? paeth(a, b, c) : 0;
            row[x] = (unsigned char)(row[x] + guess);
        }
    }
    return true;
}

static double sample(const Png *png, const unsigned char *row, uint32_t x) {
    if (png->depth >= 8) {
        unsigned char value = row[(size_t)x * png->pixel];
        return png->color == 3 ? png->red[value] : value;
    }
    uint32_t bit = x * png->depth, value = row[bit / 8] >> (8 - png->depth - bit % 8) & ((1u << png->depth) - 1);
    return png->color == 3 ? png->red[value] : value;
}

/* Head, palette, and the zlib stream of all IDAT chunks together into `stream` [size]. */
static bool gather(const unsigned char *data, size_t size, Png *png, unsigned char *stream, size_t *out_length) {
    size_t at = 8;
    bool head = false;
    *out_length = 0;
    while (size - at >= 12) {
        size_t length = big32(data + at);
        const unsigned char *name = data + at + 4, *body = name + 4;
        if (length > size - at - 12) {
            return false;
        }
        if (memcmp(name, "IHDR", 4) == 0 && (head || length != 13 || !(head = read_head(body, png)))) {
            return false;
        }
        for (size_t k = 0; memcmp(name, "PLTE", 4) == 0 && k < length / 3 && k < 256; k++) {
            png->red[k] = body[3 * k];
        }
        if (memcmp(name, "IDAT", 4) == 0) {
            memcpy(stream + *out_length, body, length);
            *out_length += length;
        }
        at += length + 12;
    }
    return head && *out_length > 0;
}

static const char *read_png(const AfxAllocator *allocator, const unsigned char *data, size_t size, AfxiHeights *out) {
    static const char bad[] = "it is no PNG picture of 2 to 4096 pixels an edge that is not interlaced";
    Png png = {0};
    const char *fault = bad;
    size_t length;
    unsigned char *stream = afxi_allocate(allocator, size), *rows = NULL;
    if (!stream) {
        return "there is not enough memory";
    }
    size_t room = 0;
    if (gather(data, size, &png, stream, &length)) {
        room = png.height * (png.stride + 1);
        rows = afxi_allocate(allocator, room);
        out->values = afxi_allocate(allocator, (size_t)png.width * png.height * sizeof(double));
        uLongf got = (uLongf)room;
        if (!rows || !out->values) {
            fault = "there is not enough memory";
        } else if (uncompress(rows, &got, stream, (uLong)length) == Z_OK && got == room && unfilter(&png, rows)) {
            fault = NULL;
        }
        out->rows = png.height;
        out->columns = png.width;
    }
    for (size_t k = 0; !fault && k < (size_t)png.width * png.height; k++) {
        size_t y = k / png.width;
        out->values[(png.height - 1 - y) * png.width + k % png.width] =
            sample(&png, rows + y * (png.stride + 1) + 1, (uint32_t)(k % png.width));
    }
    afxi_release(allocator, rows, room);
    afxi_release(allocator, stream, size);
    return fault;
}

static const char *read_binary(const AfxAllocator *allocator, const unsigned char *data, size_t size,
                               AfxiHeights *out) {
    int32_t counts[2] = {0, 0};
    memcpy(counts, data, size < sizeof counts ? size : sizeof counts);
    if (counts[0] < 2 || counts[1] < 2 || counts[0] > (int)AFXI_HEIGHTS_EDGE || counts[1] > (int)AFXI_HEIGHTS_EDGE ||
        size - sizeof counts != (size_t)counts[0] * (size_t)counts[1] * sizeof(float)) {
        return "it is neither a PNG picture nor a height field of MuJoCo's";
    }
    size_t count = (size_t)counts[0] * (size_t)counts[1];
    out->values = afxi_allocate(allocator, count * sizeof(double));
    out->rows = (uint32_t)counts[0];
    out->columns = (uint32_t)counts[1];
    for (size_t k = 0; out->values && k < count; k++) {
        float value;
        memcpy(&value, data + sizeof counts + k * sizeof value, sizeof value);
        if (!(value - value == 0)) {
            return "a height is not finite";
        }
        out->values[k] = (double)value;
    }
    return out->values ? NULL : "there is not enough memory";
}

const char *afxi_heights_read(const AfxAllocator *allocator, const void *data, size_t size, AfxiHeights *out) {
    static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    *out = (AfxiHeights){0};
    const char *fault = size > 8 && memcmp(data, magic, 8) == 0 ? read_png(allocator, data, size, out)
                                                                : read_binary(allocator, data, size, out);
    if (fault) {
        afxi_release(allocator, out->values, (size_t)out->rows * out->columns * sizeof(double));
        *out = (AfxiHeights){0};
    }
    return fault;
}
