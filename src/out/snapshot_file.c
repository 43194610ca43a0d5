/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot files: the public functions. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "out/file.h"
#include "out/snapshot.h"

#define STATE "state" /* the section with the sim's own bytes */

struct AfxSnapshot {
    AfxAllocator allocator;
    AfxiSnapshotHead head;
    void *data; /* [size] the whole file */
    size_t size;
};

AfxSnapshotDef afx_default_snapshot(void) {
    return (AfxSnapshotDef){.cookie = AFXI_COOKIE, .allocator = afx_default_allocator(), .keep = true};
}

static bool names_fine(const AfxSnapshotDef *def) {
    for (uint32_t k = 0; k < def->part_count; k++) {
        const char *name = def->parts[k].name;
        size_t length = name ? strlen(name) : 0;
        if (length == 0 || length >= AFXI_SNAPSHOT_NAME || strcmp(name, STATE) == 0 ||
            (def->parts[k].size > 0 && !def->parts[k].data)) {
            return false;
        }
        for (uint32_t other = 0; other < k; other++) {
            if (strcmp(name, def->parts[other].name) == 0) {
                return false;
            }
        }
    }
    return true;
}

static AfxiSnapshotSection section_of(const AfxSnapshotPart *part) {
    AfxiSnapshotSection section = {.size = part->size};
    snprintf(section.name, sizeof section.name, "%s", part->name);
    return section;
}

static uint64_t padding(uint64_t size) {
    return (8 - size % 8) % 8;
}

static AfxiSnapshotHead make_head(const AfxSnapshotDef *def, const AfxiSnapshotOf *of, const AfxSnapshotPart *parts,
                                  uint32_t count) {
    AfxiSnapshotHead head = {
        .magic = AFXI_SNAPSHOT_MAGIC,
        .version = AFXI_SNAPSHOT_VERSION,
        .order = AFXI_SNAPSHOT_ORDER,
        .file_size = sizeof head,
        .step = def->step,
        .time = of->time,
        .model_hash = of->model_hash,
        .body_hash = AFXI_HASH_START,
    };
    for (uint32_t k = 0; k < count; k++) {
        AfxiSnapshotSection section = section_of(&parts[k]);
        head.body_hash = afxi_hash(head.body_hash, &section, sizeof section);
        head.body_hash = afxi_hash(head.body_hash, parts[k].data, parts[k].size);
        head.file_size += sizeof section + parts[k].size + padding(parts[k].size);
    }
    head.head_hash = afxi_hash(AFXI_HASH_START, &head, offsetof(AfxiSnapshotHead, head_hash));
    return head;
}

AfxStatus afxi_snapshot_save(const AfxSnapshotDef *def, const AfxiSnapshotOf *of, const AfxSnapshotPart *parts,
                             uint32_t count, AfxError *out_error) {
    char *previous = afxi_path_with(&def->allocator, def->path, ".1");
    if (!previous) {
        return afxi_file_error(out_error, AFX_E_MEMORY, def->path, afx_status_text(AFX_E_MEMORY), "");
    }
    AfxiReplace replace;
    AfxStatus status = afxi_replace_open(&def->allocator, def->path, &replace, out_error);
    if (status == AFX_OK) {
        AfxiSnapshotHead head = make_head(def, of, parts, count);
        replace.hasty = of->hasty;
        afxi_sink_write(&replace.sink, &head, sizeof head);
        for (uint32_t k = 0; k < count; k++) {
            AfxiSnapshotSection section = section_of(&parts[k]);
            afxi_sink_write(&replace.sink, &section, sizeof section);
            afxi_sink_write(&replace.sink, parts[k].data, parts[k].size);
            afxi_sink_write(&replace.sink, (const char[8]){0}, padding(parts[k].size));
        }
        status = afxi_replace_commit(&replace, def->keep ? previous : NULL, out_error);
    }
    afxi_path_release(&def->allocator, previous);
    return status;
}

AfxStatus afx_snapshot_write(const AfxSnapshotDef *def, const AfxSim *sim, AfxError *out_error) {
    if (!def || !sim || !def->path || !def->allocator.reallocate || def->part_count > AFX_SNAPSHOT_PARTS ||
        (def->part_count && !def->parts) || !names_fine(def)) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "snapshot",
                          "sim, path or allocator is missing, or the parts are too many or their names not usable",
                          "names have 1 to 15 characters, are all different and not \"state\"");
    }
    if (def->cookie != AFXI_COOKIE) {
        return afxi_error(out_error, AFX_E_VERSION, "snapshot", "the definition was not made by afx_default_snapshot",
                          "start from afx_default_snapshot");
    }
    size_t size = afx_sim_snapshot_size(sim);
    void *state = afxi_allocate(&def->allocator, size);
    if (!state) {
        return afxi_file_error(out_error, AFX_E_MEMORY, def->path, afx_status_text(AFX_E_MEMORY), "");
    }
    AfxStatus status = afx_sim_snapshot(sim, state, size);
    AfxSnapshotPart parts[AFX_SNAPSHOT_PARTS + 1] = {{STATE, state, size}};
    if (def->part_count) {
        memcpy(parts + 1, def->parts, def->part_count * sizeof *parts);
    }
    if (status == AFX_OK) {
        AfxiSnapshotOf of = {afx_sim_time(sim), afx_model_hash(afx_sim_model(sim)), false};
        status = afxi_snapshot_save(def, &of, parts, def->part_count + 1, out_error);
    }
    afxi_release(&def->allocator, state, size);
    return status;
}

/* Reads `size` bytes; false with errno set, 0 when the file is shorter than it said. */
static bool read_all(int fd, char *data, size_t size) {
    while (size > 0) {
        ssize_t done = read(fd, data, size);
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            errno = done == 0 ? 0 : errno;
            return false;
        }
    }
    return true;
}

static AfxStatus fill(AfxSnapshot *snapshot, int fd, const char *path, AfxError *out_error) {
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return afxi_file_error(out_error, AFX_E_INPUT, path, "is not a regular file", "give the name of a snapshot");
    }
    if (info.st_size <= 0) {
        return afxi_file_error(out_error, AFX_E_INPUT, path, "is empty", "");
    }
    snapshot->data =
        (uint64_t)info.st_size < SIZE_MAX ? afxi_allocate(&snapshot->allocator, (size_t)info.st_size) : NULL;
    if (!snapshot->data) {
        return afxi_file_error(out_error, AFX_E_MEMORY, path, afx_status_text(AFX_E_MEMORY), "");
    }
    snapshot->size = (size_t)info.st_size;
    if (!read_all(fd, snapshot->data, snapshot->size)) {
        return afxi_file_errno(out_error, path, "cannot be read", errno);
    }
    AfxStatus status;
    const char *fault = afxi_snapshot_fault(snapshot->data, snapshot->size, &status);
    if (fault) {
        return afxi_file_error(out_error, status, path, fault, "");
    }
    memcpy(&snapshot->head, snapshot->data, sizeof snapshot->head);
    return AFX_OK;
}

AfxStatus afx_snapshot_read(const char *path, const AfxAllocator *allocator, AfxSnapshot **out_snapshot,
                            AfxError *out_error) {
    AfxAllocator from = allocator ? *allocator : afx_default_allocator();
    if (!path || !out_snapshot || !from.reallocate) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "snapshot", "an argument is missing", "");
    }
    *out_snapshot = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return afxi_file_errno(out_error, path, "cannot be opened", errno);
    }
    AfxSnapshot *snapshot = afxi_allocate(&from, sizeof *snapshot);
    AfxStatus status = AFX_E_MEMORY;
    if (snapshot) {
        snapshot->allocator = from;
        status = fill(snapshot, fd, path, out_error);
    } else {
        afxi_file_error(out_error, status, path, afx_status_text(status), "");
    }
    close(fd);
    if (status != AFX_OK) {
        afx_snapshot_destroy(snapshot);
        return status;
    }
    *out_snapshot = snapshot;
    return AFX_OK;
}

void afx_snapshot_destroy(AfxSnapshot *snapshot) {
    if (snapshot) {
        AfxAllocator allocator = snapshot->allocator;
        afxi_release(&allocator, snapshot->data, snapshot->size);
        afxi_release(&allocator, snapshot, sizeof *snapshot);
    }
}

uint64_t afx_snapshot_step(const AfxSnapshot *snapshot) {
    return snapshot ? snapshot->head.step : 0;
}

double afx_snapshot_time(const AfxSnapshot *snapshot) {
    return snapshot ? snapshot->head.time : 0;
}

uint64_t afx_snapshot_model_hash(const AfxSnapshot *snapshot) {
    return snapshot ? snapshot->head.model_hash : 0;
}

AfxStatus afx_snapshot_part(const AfxSnapshot *snapshot, const char *name, const void **out_data, size_t *out_size) {
    bool found = snapshot && name && out_data && out_size &&
                 afxi_snapshot_find(snapshot->data, snapshot->size, name, out_data, out_size);
    return found ? AFX_OK : AFX_E_ARGUMENT;
}

AfxStatus afx_snapshot_restore(const AfxSnapshot *snapshot, AfxSim *sim, AfxError *out_error) {
    const void *state;
    size_t size;
    if (!snapshot || !sim) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "snapshot", "snapshot or sim is missing", "");
    }
    if (!afxi_snapshot_find(snapshot->data, snapshot->size, STATE, &state, &size)) {
        return afxi_error(out_error, AFX_E_INPUT, "snapshot", "holds no state", "");
    }
    if (snapshot->head.model_hash != afx_model_hash(afx_sim_model(sim))) {
        return afxi_error(out_error, AFX_E_VERSION, "snapshot", "is of another model than this one",
                          "use the scene and the parameters that it was made with");
    }
    AfxStatus status = afx_sim_restore(sim, state, size); /* its size depends on what touched */
    if (status == AFX_E_INPUT) {
        return afxi_error(out_error, status, "snapshot", "holds values that no run could have left",
                          "use the file as it was written");
    }
    if (status == AFX_E_MEMORY) {
        return afxi_error(out_error, status, "snapshot", "out of memory", "free some memory");
    }
    if (status != AFX_OK) {
        afxi_error(out_error, status, "snapshot", "is of another integrator or version than this one",
                   "use the settings and the program that it was made with");
    }
    return status;
}
