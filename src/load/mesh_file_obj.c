/* SPDX-License-Identifier: Apache-2.0 */
/* OBJ: lines `v x y z` and `f a b c ...`, where a corner is v, v/vt, v//vn or v/vt/vn; numbers count from 1, negative
 * ones from the last vertex back. A polygon becomes a fan around its first corner. A line ends with a backslash where
 * it goes on in the next. Other lines (normals, texture coordinates, groups, materials, lines, points) say nothing
 * about the solid and are passed over. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/mesh_file.h"

typedef struct Reader {
    AfxiLoad *load;
    const char *path;
    const char *at, *end; /* *end is the terminating zero */
    int line;
    AfxiMeshData *mesh;
} Reader;

static bool fail(Reader *r, const char *text) {
    return afxi_load_error(r->load, AFX_E_INPUT, r->path, r->line, "OBJ mesh", text, "correct the file");
}

/** Moves to the next thing in this line; false at its end. */
static bool skip_blanks(Reader *r) {
    for (;;) {
        if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') {
            r->at++;
        } else if (*r->at == '\\' && (r->at[1] == '\n' || (r->at[1] == '\r' && r->at[2] == '\n'))) {
            r->at += r->at[1] == '\n' ? 2 : 3;
            r->line++;
        } else {
            return r->at != r->end && *r->at != '\n';
        }
    }
}

static bool at_blank(const char *at) {
    return *at == '\0' || isspace((unsigned char)*at) || *at == '\\';
}

static bool read_vertex(Reader *r) {
    double point[3];
    for (int k = 0; k < 3; k++) {
        char *end;
        if (!skip_blanks(r)) {
            return fail(r, "a vertex needs three numbers");
        }
        point[k] = strtod(r->at, &end);
        if (end == r->at || !at_blank(end) || !isfinite(point[k])) {
            return fail(r, "a vertex has something that is not a finite number");
        }
        r->at = end;
    }
    return afxi_mesh_add_vertex(r->load, r->mesh, point, r->path, r->line);
}

/** A vertex number and what follows it after slashes. */
static bool read_corner(Reader *r, uint32_t *out_vertex) {
    char *end, text[100];
    long long number = strtoll(r->at, &end, 10);
    bool good = end != r->at;
    while (good && *end == '/') { /* numbers of texture coordinate and normal, either may be missing */
        const char *part = end + 1;
        strtoll(part, &end, 10);
    }
    if (!good || !at_blank(end)) {
        return fail(r, "a face has a corner that is not v, v/vt, v//vn or v/vt/vn");
    }
    long long count = r->mesh->vertex_count, index = number < 0 ? count + number : number - 1;
    if (index < 0 || index >= count) {
        snprintf(text, sizeof text, "a face names vertex %lld, and %lld are there so far", number, count);
        return fail(r, text);
    }
    r->at = end;
    *out_vertex = (uint32_t)index;
    return true;
}

static bool read_face(Reader *r) {
    uint32_t corner[3], count = 0;
    while (skip_blanks(r)) {
        uint32_t vertex = 0;
        if (!read_corner(r, &vertex)) {
            return false;
        }
        corner[count < 2 ? count : 2] = vertex;
        if (++count >= 3) {
            if (!afxi_mesh_add_triangle(r->load, r->mesh, corner[0], corner[1], corner[2], r->path, r->line)) {
                return false;
            }
            corner[1] = corner[2];
        }
    }
    return count >= 3 || fail(r, "a face has fewer than three corners");
}

static bool read_line(Reader *r) {
    if (!skip_blanks(r)) {
        return true;
    }
    const char *word = r->at;
    size_t length = strcspn(word, " \t\r\n\\");
    bool (*read)(Reader *) = NULL;
    if (length == 1 && *word == 'v') {
        read = read_vertex;
    } else if (length == 1 && *word == 'f') {
        read = read_face;
    }
    r->at += length;
    return !read || read(r);
}

bool afxi_mesh_parse_obj(AfxiLoad *load, const AfxiText *text, const char *path, AfxiMeshData *mesh) {
    Reader r = {load, path, text->data, text->data + text->size, 1, mesh};
    while (r.at < r.end) {
        if (!read_line(&r)) {
            return false;
        }
        while (r.at < r.end && *r.at != '\n') {
            if (*r.at == '\0') {
                return fail(&r, "there is a zero byte in the text");
            }
            r.at++;
        }
        if (r.at < r.end) {
            r.at++;
            r.line++;
        }
    }
    return mesh->vertex_count > 0 || fail(&r, "there is no vertex");
}
