/* SPDX-License-Identifier: Apache-2.0 */
/* PNG as its standard has it (ISO/IEC 15948), with one stored block of deflate; base64 after RFC 4648. */
#include "load/picture.h"

#include <string.h>

static unsigned char *put32(unsigned char *at, uint32_t value) {
    for (int k = 0; k < 4; k++) {
        *at++ = (unsigned char)(value >> (24 - 8 * k));
    }
    return at;
}

static uint32_t crc(const unsigned char *data, size_t size) {
    uint32_t sum = 0xffffffffu;
    for (size_t k = 0; k < size; k++) {
        sum ^= data[k];
        for (int bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
        }
    }
    return ~sum;
}

static uint32_t adler(const unsigned char *data, size_t size) {
    uint32_t a = 1, b = 0;
    for (size_t k = 0; k < size; k++) {
        a = (a + data[k]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* Begins a chunk: its size and name. Its data follow, then the sum over name and data. */
static unsigned char *begin(unsigned char *at, uint32_t size, const char *name) {
    at = put32(at, size);
    memcpy(at, name, 4);
    return at + 4;
}

static unsigned char *end(unsigned char *at, uint32_t size) {
    return put32(at, crc(at - size - 4, size + 4));
}

static uint32_t colour_at(AfxiPattern pattern, uint32_t first, uint32_t second, int x, int y) {
    const int half = AFXI_PICTURE_EDGE / 2;
    uint32_t mixed = 0;
    if (pattern != AFXI_PATTERN_GRADIENT) {
        return pattern == AFXI_PATTERN_CHECKER && (x < half) != (y < half) ? second : first;
    }
    for (int shift = 0; shift < 24; shift += 8) {
        uint32_t a = first >> shift & 255, b = second >> shift & 255, part = (uint32_t)y;
        mixed |= (a * (AFXI_PICTURE_EDGE - 1 - part) + b * part) / (AFXI_PICTURE_EDGE - 1) << shift;
    }
    return mixed;
}

void afxi_picture_make(AfxiPattern pattern, uint32_t first, uint32_t second, unsigned char out[AFXI_PICTURE_SIZE]) {
    static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const uint32_t size = 2 + 5 + AFXI_PICTURE_ROWS + 4;
    memcpy(out, magic, 8);
    unsigned char *at = begin(out + 8, 13, "IHDR");
    at = put32(put32(at, AFXI_PICTURE_EDGE), AFXI_PICTURE_EDGE);
    memcpy(at, "\x08\x02\0\0\0", 5); /* 8 bits, red green blue */
    at = begin(end(at + 5, 13), size, "IDAT");
    *at++ = 0x78; /* zlib, one stored block that is the last */
    *at++ = 0x01;
    *at++ = 1;
    *at++ = AFXI_PICTURE_ROWS & 255;
    *at++ = AFXI_PICTURE_ROWS >> 8;
    *at++ = (unsigned char)~(AFXI_PICTURE_ROWS & 255);
    *at++ = (unsigned char)~(AFXI_PICTURE_ROWS >> 8);
    unsigned char *rows = at;
    for (int y = 0; y < AFXI_PICTURE_EDGE; y++) {
        *at++ = 0; /* no filter */
        for (int x = 0; x < AFXI_PICTURE_EDGE; x++) {
            uint32_t colour = colour_at(pattern, first, second, x, y);
            *at++ = (unsigned char)(colour >> 16);
            *at++ = (unsigned char)(colour >> 8);
            *at++ = (unsigned char)colour;
        }
    }
    at = put32(at, adler(rows, AFXI_PICTURE_ROWS));
    end(begin(end(at, size), 0, "IEND"), 0);
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t afxi_base64_room(size_t length) {
    return length / 4 * 3 + 3;
}

bool afxi_base64_decode(const char *text, size_t length, unsigned char *out, size_t *out_size) {
    uint32_t bits = 0;
    size_t used = 0, count = 0;
    while (length > 0 && text[length - 1] == '=') {
        length--;
    }
    for (size_t k = 0; k < length; k++) {
        const char *found = text[k] ? strchr(letters, text[k]) : NULL;
        if (!found) {
            return false;
        }
        bits = bits << 6 | (uint32_t)(found - letters);
        used += 6;
        if (used >= 8) {
            used -= 8;
            out[count++] = (unsigned char)(bits >> used);
        }
    }
    *out_size = count;
    return true;
}

void afxi_base64_letters(const unsigned char *bytes, size_t count, char out[5]) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; k++) {
        bits = bits << 8 | (k < count ? bytes[k] : 0u);
    }
    for (size_t k = 0; k < 4; k++) {
        out[k] = k <= count ? letters[bits >> (18 - 6 * k) & 63] : '=';
    }
    out[4] = '\0';
}
