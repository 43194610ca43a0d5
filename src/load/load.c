/* SPDX-License-Identifier: Apache-2.0 */
/* What every loader uses: errors and notices with file and line, and the limits on items and depth. */
#include "load/load.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"

/* Notices of one load; a file that has more is best looked at by what the first ones say. */
#define NOTICES_MOST 1000u
/* Pieces of work, each some 0.1 us and at most some 50 bytes, for each item of items_most and each byte of the files:
 * a file of 1 MB is refused within 2 s, and what takes a piece for every byte or two is never refused. */
#define WORK_PER_ITEM 12u
#define WORK_PER_BYTE 4u
/* A vertex is copied and, mostly, has a hull made around it. */
#define WORK_OF_VERTEX 32u
#define WORK_OF_TRIANGLE 4u

/** A path as far as it fits: its end, which tells most. */
static void copy_path(char *out, size_t size, const char *path) {
    size_t length = strlen(path);
    if (length < size) {
        memcpy(out, path, length + 1);
    } else {
        snprintf(out, size, "...%s", path + (length - (size - 4)));
    }
}

bool afxi_load_error(AfxiLoad *load, AfxStatus status, const char *file, int line, const char *element,
                     const char *text, const char *cure) {
    if (load->error.status == AFX_OK) {
        afxi_error(&load->error, status, element, text, cure);
        load->error.line = line;
        copy_path(load->error.file, sizeof load->error.file, file ? file : "");
    }
    return false;
}

bool afxi_load_scene_error(AfxiLoad *load, const char *file, int line) {
    const AfxError *error = afx_scene_error(load->scene);
    return afxi_load_error(load, error->status, file, line, error->element, error->text, error->cure);
}

bool afxi_load_memory_error(AfxiLoad *load, const char *file, int line) {
    return afxi_load_error(load, AFX_E_MEMORY, file, line, "scene", "out of memory",
                           "load a smaller scene, or free some memory");
}

/** Enters a hash; false when it was there, or there are too many. An allocation that fails sets the error. */
static bool is_new(AfxiLoad *load, uint64_t hash, const char *file, int line) {
    if (load->told_count > NOTICES_MOST) {
        return false;
    }
    for (uint32_t k = 0; k < load->told_count; k++) {
        if (load->told[k] == hash) {
            return false;
        }
    }
    void *told = load->told;
    AfxStatus status =
        afxi_array_reserve(&load->allocator, &told, &load->told_capacity, load->told_count + 1, sizeof *load->told);
    load->told = told;
    if (status) {
        return afxi_load_memory_error(load, file, line);
    }
    load->told[load->told_count++] = hash;
    return true;
}

bool afxi_load_notice(AfxiLoad *load, AfxNoticeKind kind, const char *file, int line, const char *element,
                      const char *text) {
    uint64_t hash = afxi_hash(AFXI_HASH_START + (uint64_t)kind, file, strlen(file));
    hash = afxi_hash(hash, element, strlen(element));
    if (load->def->strict) {
        return afxi_load_error(load, AFX_E_INPUT, file, line, element, text,
                               "take it out of the file, or load it without strict");
    }
    if (is_new(load, hash, file, line) && load->def->notice) {
        AfxNotice notice = {kind, file, line, element, text};
        if (load->told_count > NOTICES_MOST) {
            notice.element = "file";
            notice.text = "there is more of this kind, which is not listed";
        }
        load->def->notice(load->def->notice_user, &notice);
    }
    return load->error.status == AFX_OK;
}

bool afxi_load_telling(const AfxiLoad *load) {
    return load->def->strict || load->told_count <= NOTICES_MOST;
}

void afxi_load_forget(AfxiLoad *load) {
    afxi_release(&load->allocator, load->told, load->told_capacity * sizeof *load->told);
    afxi_release(&load->allocator, load->seen, load->seen_capacity * sizeof *load->seen);
    load->told = load->seen = NULL;
    load->told_count = load->told_capacity = load->seen_count = load->seen_capacity = 0;
}

/* ---- limits ---- */

bool afxi_load_items(AfxiLoad *load, uint64_t count, const char *what, const char *file, int line) {
    uint32_t most = load->def->items_most;
    if (load->held <= most && count <= most - load->held) {
        return true;
    }
    char text[120];
    count = count > UINT64_MAX - load->held ? UINT64_MAX : count + load->held;
    snprintf(text, sizeof text, "it makes %llu %s, and the limit is %lu", (unsigned long long)count, what,
             (unsigned long)most);
    return afxi_load_error(load, AFX_E_LIMIT, file, line, "scene", text,
                           "raise AfxLoadDef.items_most (--limit-items) if it is meant");
}

bool afxi_load_work(AfxiLoad *load, uint64_t amount, const char *file, int line) {
    uint64_t most = WORK_PER_ITEM * (uint64_t)load->def->items_most + WORK_PER_BYTE * load->fresh;
    load->work = amount > UINT64_MAX - load->work ? UINT64_MAX : load->work + amount;
    if (load->work <= most) {
        return true;
    }
    char text[140];
    snprintf(text, sizeof text, "what it repeats, inherits or uses again and again makes more than %llu parts",
             (unsigned long long)most);
    return afxi_load_error(load, AFX_E_LIMIT, file, line, "scene", text,
                           "use large meshes, tables and default classes less often, or raise AfxLoadDef.items_most "
                           "(--limit-items)");
}

bool afxi_load_shape(AfxiLoad *load, const AfxShapeDef *shape, const char *file, int line) {
    uint64_t work = WORK_OF_VERTEX * (uint64_t)shape->vertex_count + WORK_OF_TRIANGLE * (uint64_t)shape->triangle_count;
    if (shape->vertex_frames) { /* both factors are below 2^32 */
        uint64_t frames = (uint64_t)shape->vertex_count * shape->frame_count;
        work = frames > UINT64_MAX / 4 ? UINT64_MAX : work + 3 * frames;
    }
    if (shape->heights) {
        work += (uint64_t)shape->columns * shape->rows;
    }
    return work == 0 || afxi_load_work(load, work, file, line);
}

bool afxi_load_enter(AfxiLoad *load, const char *file, int line) {
    if (load->depth >= load->def->depth_most) {
        char text[120];
        snprintf(text, sizeof text, "files and groups are nested more than %lu deep",
                 (unsigned long)load->def->depth_most);
        return afxi_load_error(load, AFX_E_LIMIT, file, line, "include", text,
                               "look for a file that includes itself, or raise AfxLoadDef.depth_most");
    }
    load->depth++;
    return true;
}

void afxi_load_leave(AfxiLoad *load) {
    load->depth--;
}
