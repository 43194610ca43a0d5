/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a load may read. A scene file is not trusted: what it names is opened only when its real path, all links
 * followed, lies in the folder of the first file or in a package folder that the caller named, or with allow_outside;
 * and only when it is a regular file. The real path is what is opened, so that a link cannot lead elsewhere. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "load/load.h"

/* Pieces of work (afxi_load_work) of a file that is read again. */
#define WORK_OF_FILE 200u
#define BYTES_PER_WORK 2u

/** The folder of a path: "." for a bare name. False when it does not fit. */
static bool folder_of(const char *path, char *out, size_t size) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 1;
    if (length + 2 > size) {
        return false;
    }
    memcpy(out, slash ? path : ".", length);
    if (length == 0) {
        out[length++] = '/';
    }
    out[length] = '\0';
    return true;
}

/** The real path of a file or folder, in out[AFXI_PATH_SIZE]. */
static bool real_path(const char *path, char *out) {
    char real[PATH_MAX];
    if (!realpath(path, real)) {
        return false;
    }
    size_t length = strlen(real);
    if (length >= AFXI_PATH_SIZE) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(out, real, length + 1);
    return true;
}

static bool lies_in(const char *path, const char *folder) {
    size_t length = strlen(folder);
    if (length == 1) { /* the root of all */
        return true;
    }
    return length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
}

/** By real path: in the folder of the first file, or in one of the package folders. */
static bool is_allowed(const AfxiLoad *load, const char *real) {
    if (load->def->allow_outside || lies_in(real, load->root)) {
        return true;
    }
    for (uint32_t k = 0; k < load->def->package_count; k++) {
        const char *entry = load->def->package_paths[k], *equal = entry ? strchr(entry, '=') : NULL;
        char folder[AFXI_PATH_SIZE];
        if (entry && real_path(equal ? equal + 1 : entry, folder) && lies_in(real, folder)) {
            return true;
        }
    }
    return false;
}

/** An error about file `path`: of the place that asks for it, or of the file itself when it is the first. */
static bool file_error(AfxiLoad *load, AfxStatus status, const char *path, const char *from, int line, const char *text,
                       const char *cure) {
    char element[sizeof load->error.element];
    if (!from) {
        return afxi_load_error(load, status, path, 0, "file", text, cure);
    }
    size_t length = strlen(path), most = 100;
    snprintf(element, sizeof element, "file \"%s%s\"", length > most ? "..." : "",
             path + (length > most ? length - most : 0));
    return afxi_load_error(load, status, from, line, element, text, cure);
}

static bool system_error(AfxiLoad *load, const char *path, const char *from, int line, const char *what) {
    char text[160];
    AfxStatus status = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG ? AFX_E_INPUT : AFX_E_SYSTEM;
    snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    return file_error(load, status, path, from, line, text, "check its name, its folder and its permissions");
}

bool afxi_load_root(AfxiLoad *load, const char *path, bool must) {
    char folder[AFXI_PATH_SIZE];
    errno = ENAMETOOLONG;
    if (folder_of(path, folder, sizeof folder) && real_path(folder, load->root)) {
        return true;
    }
    load->root[0] = '\0';
    return !must || system_error(load, path, NULL, 0, "its folder cannot be found");
}

static bool too_large(AfxiLoad *load, const char *path, const char *from, int line) {
    char text[120];
    snprintf(text, sizeof text, "all files together are larger than the limit of %llu bytes",
             (unsigned long long)load->def->bytes_most);
    return file_error(load, AFX_E_LIMIT, path, from, line, text, "raise AfxLoadDef.bytes_most if it is meant");
}

/** Room for `size` bytes and a zero. */
static bool make_room(AfxiLoad *load, uint64_t size, const char *path, const char *from, int line, AfxiText *text) {
    if (size > load->def->bytes_most - load->bytes || size >= SIZE_MAX) {
        return too_large(load, path, from, line);
    }
    text->room = (size_t)size + 1;
    text->data = afxi_allocate(&load->allocator, text->room);
    if (!text->data) {
        *text = (AfxiText){0};
        return afxi_load_memory_error(load, from ? from : path, line);
    }
    load->bytes += size;
    return true;
}

bool afxi_load_copy(AfxiLoad *load, const char *text, size_t size, AfxiText *out_text) {
    *out_text = (AfxiText){0};
    if (!make_room(load, size, "(text)", NULL, 0, out_text)) {
        return false;
    }
    memcpy(out_text->data, text, size);
    out_text->size = size;
    load->fresh += size;
    return true;
}

/** Reads what fstat said there is; a file that grows meanwhile is cut there. */
static bool read_all(AfxiLoad *load, int fd, const char *path, const char *from, int line, AfxiText *text) {
    while (text->size + 1 < text->room) {
        ssize_t got = read(fd, text->data + text->size, text->room - 1 - text->size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return system_error(load, path, from, line, "it cannot be read");
        }
        if (got == 0) {
            break;
        }
        text->size += (size_t)got;
    }
    return true;
}

static bool read_open(AfxiLoad *load, int fd, const char *path, const char *from, int line, AfxiText *text) {
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return system_error(load, path, from, line, "it cannot be read");
    }
    if (!S_ISREG(info.st_mode)) {
        return file_error(load, AFX_E_INPUT, path, from, line, "it is not a regular file", "give the name of a file");
    }
    return make_room(load, info.st_size > 0 ? (uint64_t)info.st_size : 0, path, from, line, text) &&
           read_all(load, fd, path, from, line, text);
}

/** Whether a file, by its real path, is read for the first time; *out_again when it is not. */
static bool note_file(AfxiLoad *load, const char *real, const char *from, int line, bool *out_again) {
    uint64_t hash = afxi_hash(AFXI_HASH_START, real, strlen(real));
    for (uint32_t k = 0; k < load->seen_count; k++) {
        if (load->seen[k] == hash) {
            *out_again = true;
            return true;
        }
    }
    void *seen = load->seen;
    AfxStatus status =
        afxi_array_reserve(&load->allocator, &seen, &load->seen_capacity, load->seen_count + 1, sizeof *load->seen);
    load->seen = seen;
    if (status) {
        return afxi_load_memory_error(load, from ? from : real, line);
    }
    load->seen[load->seen_count++] = hash;
    *out_again = false;
    return true;
}

/** A file that is read again is work; one that is read first allows some. */
static bool count_bytes(AfxiLoad *load, uint64_t size, bool again, const char *from, int line) {
    if (again) {
        return afxi_load_work(load, WORK_OF_FILE + size / BYTES_PER_WORK, from, line);
    }
    load->fresh += size;
    return true;
}

bool afxi_load_read(AfxiLoad *load, const char *path, const char *from, int from_line, AfxiText *out_text) {
    char real[AFXI_PATH_SIZE];
    *out_text = (AfxiText){0};
    if (load->root[0] == '\0') {
        return file_error(load, AFX_E_INPUT, path, from, from_line, "a text in memory cannot name files",
                          "give the text a path, or load it as a file");
    }
    if (++load->files > AFXI_FILES_MOST) {
        return file_error(load, AFX_E_LIMIT, path, from, from_line, "these are more than 10000 files",
                          "look for files that include each other");
    }
    if (!real_path(path, real)) {
        return system_error(load, path, from, from_line, "it cannot be opened");
    }
    if (from && !is_allowed(load, real)) {
        return file_error(load, AFX_E_INPUT, path, from, from_line,
                          "it lies outside the folder of the first file, and of every package folder",
                          "move it, name its package folder, or set allow_outside (--allow-outside)");
    }
    int fd = open(real, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) {
        return system_error(load, path, from, from_line, "it cannot be opened");
    }
    bool again = false;
    bool done = note_file(load, real, from, from_line, &again) &&
                read_open(load, fd, path, from, from_line, out_text) &&
                count_bytes(load, out_text->size, again, from ? from : path, from_line);
    close(fd);
    if (!done) {
        afxi_load_release(load, out_text);
    }
    return done;
}

bool afxi_load_exists(const AfxiLoad *load, const char *path) {
    char real[AFXI_PATH_SIZE];
    struct stat info;
    return load->root[0] && real_path(path, real) && is_allowed(load, real) && stat(real, &info) == 0 &&
           S_ISREG(info.st_mode);
}

void afxi_load_release(AfxiLoad *load, AfxiText *text) {
    afxi_release(&load->allocator, text->data, text->room);
    *text = (AfxiText){0};
}

bool afxi_load_path(AfxiLoad *load, const char *from, const char *name, char *out, size_t size) {
    const char *slash = strrchr(from, '/');
    int folder = name[0] == '/' || !slash ? 0 : (int)(slash - from) + 1;
    int length = snprintf(out, size, "%.*s%s", folder, from, name);
    if (length >= 0 && (size_t)length < size) {
        return true;
    }
    return file_error(load, AFX_E_INPUT, name, from, 0, "its path is too long", "use shorter names");
}
