/* SPDX-License-Identifier: Apache-2.0 */
/* STL. Binary: 80 bytes of header, the number of triangles (32 bits), and for each 12 numbers of 32 bits (normal and
 * three vertices) and 16 bits more, all little-endian; a file of just that size is binary whatever its header says.
 * ASCII: `solid`, facets of three lines `vertex x y z` each, `endsolid`. Normals follow from the vertices and are not
 * read. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/mesh_file.h"

#define HEADER 84u
#define FACET 50u

static uint32_t little_endian(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool fail(AfxiLoad *load, const char *path, int line, const char *text) {
    return afxi_load_error(load, AFX_E_INPUT, path, line, "STL mesh", text, "correct the file");
}

static bool add_corner(AfxiLoad *load, AfxiMeshData *mesh, const double point[3], const char *path, int line) {
    if (!afxi_mesh_add_vertex(load, mesh, point, path, line)) {
        return false;
    }
    uint32_t count = mesh->vertex_count;
    return count % 3 != 0 || afxi_mesh_add_triangle(load, mesh, count - 3, count - 2, count - 1, path, line);
}

static bool parse_binary(AfxiLoad *load, const unsigned char *bytes, uint32_t count, const char *path,
                         AfxiMeshData *mesh) {
    for (uint32_t t = 0; t < count; t++) {
        size_t facet = HEADER + (size_t)FACET * t;
        for (size_t corner = 0; corner < 3; corner++) {
            double point[3];
            for (size_t k = 0; k < 3; k++) {
                size_t offset = facet + 12 + 12 * corner + 4 * k;
                uint32_t word = little_endian(bytes + offset);
                float number;
                memcpy(&number, &word, sizeof number);
                point[k] = (double)number;
                if (!isfinite(number)) {
                    char text[80];
                    snprintf(text, sizeof text, "a number at byte %zu is not finite", offset);
                    return fail(load, path, 0, text);
                }
            }
            if (!add_corner(load, mesh, point, path, 0)) {
                return false;
            }
        }
    }
    return true;
}

/** The next word; NULL at the end. Counts lines. */
static const char *next_word(const char **at, int *line, size_t *out_length) {
    while (isspace((unsigned char)**at)) {
        *line += **at == '\n';
        ++*at;
    }
    const char *word = *at;
    while (**at && !isspace((unsigned char)**at)) {
        ++*at;
    }
    *out_length = (size_t)(*at - word);
    return *out_length ? word : NULL;
}

static bool is_word(const char *word, size_t length, const char *wanted) {
    return strlen(wanted) == length && strncmp(word, wanted, length) == 0;
}

static bool parse_ascii(AfxiLoad *load, const AfxiText *text, const char *path, AfxiMeshData *mesh) {
    const char *at = text->data, *word;
    int line = 1;
    size_t length;
    at += strcspn(at, "\n"); /* the rest of the first line is a name */
    while ((word = next_word(&at, &line, &length))) {
        if (is_word(word, length, "endfacet") && mesh->vertex_count % 3 != 0) {
            return fail(load, path, line, "a facet does not have three vertices");
        }
        if (is_word(word, length, "solid")) { /* another one: its name follows */
            at += strcspn(at, "\n");
        }
        if (!is_word(word, length, "vertex")) {
            continue;
        }
        double point[3];
        for (int k = 0; k < 3; k++) {
            word = next_word(&at, &line, &length);
            char *end = NULL;
            point[k] = word ? strtod(word, &end) : NAN;
            if (!word || end != word + length || !isfinite(point[k])) {
                return fail(load, path, line, "a vertex needs three finite numbers");
            }
        }
        if (!add_corner(load, mesh, point, path, line)) {
            return false;
        }
    }
    if (strlen(text->data) != text->size) {
        return fail(load, path, line, "there is a zero byte in the text");
    }
    return mesh->vertex_count % 3 == 0 || fail(load, path, line, "the last facet is not complete");
}

bool afxi_mesh_parse_stl(AfxiLoad *load, const AfxiText *text, const char *path, AfxiMeshData *mesh) {
    const unsigned char *bytes = (const unsigned char *)text->data;
    uint32_t count = text->size >= HEADER ? little_endian(bytes + 80) : 0;
    bool good;
    if (text->size >= HEADER && (uint64_t)count * FACET + HEADER == text->size) {
        good = parse_binary(load, bytes, count, path, mesh);
    } else if (strncmp(text->data, "solid", 5) == 0) {
        good = parse_ascii(load, text, path, mesh);
    } else if (text->size < HEADER) {
        good = fail(load, path, 0, "it is shorter than the header of a binary STL file, and does not begin with solid");
    } else {
        char message[140];
        unsigned long long wanted = (uint64_t)count * FACET + HEADER;
        snprintf(message, sizeof message, "byte 80 says %lu triangles, which is a file of %llu bytes; it has %zu",
                 (unsigned long)count, wanted, text->size);
        good = fail(load, path, 0, message);
    }
    if (good && mesh->triangle_count == 0) {
        good = fail(load, path, 0, "there is no triangle");
    }
    return good && afxi_mesh_weld(load, mesh, path);
}
