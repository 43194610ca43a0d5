/* SPDX-License-Identifier: Apache-2.0 */
/* This file stands alone, as disk.c does: sweeps have it too. A head with place, size and hash, then the bytes. A head
 * of zeros: there is no write. */
#include "out/redo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u                     /* the smallest there are */
#define SIZE_MOST ((uint64_t)64 << 20) /* of one write; HDF5's pieces of metadata have some KiB */

typedef struct Head {
    uint64_t at, size, hash;
} Head;

static uint64_t mix(uint64_t hash, const void *data, size_t size) { /* FNV-1a */
    const unsigned char *bytes = data;
    for (size_t k = 0; k < size; k++) {
        hash = (hash ^ bytes[k]) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t hash_of(const Head *head, const void *data) {
    uint64_t place[2] = {head->at, head->size};
    return mix(mix(0xcbf29ce484222325u, place, sizeof place), data, (size_t)head->size) | 1; /* never 0 */
}

bool afxi_redo_needed(uint64_t at, size_t size) {
    return at % PAGE + size > PAGE && size <= SIZE_MOST;
}

int afxi_redo_open(const char *path) {
    return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
}

static int write_all(int file, uint64_t at, const void *data, size_t size) {
    const char *from = data;
    while (size > 0) {
        ssize_t done = pwrite(file, from, size, (off_t)at);
        if (done > 0) {
            from += done;
            at += (uint64_t)done;
            size -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            return done == 0 ? ENOSPC : errno;
        }
    }
    return 0;
}

static bool read_all(int file, uint64_t at, void *data, size_t size) {
    char *to = data;
    while (size > 0) {
        ssize_t done = pread(file, to, size, (off_t)at);
        if (done <= 0 && !(done < 0 && errno == EINTR)) {
            return false;
        }
        if (done > 0) {
            to += done;
            at += (uint64_t)done;
            size -= (size_t)done;
        }
    }
    return true;
}

int afxi_redo_put(int redo, uint64_t at, const void *data, size_t size) {
    Head head = {.at = at, .size = size};
    head.hash = hash_of(&head, data);
    int error = write_all(redo, sizeof head, data, size);
    return error ? error : write_all(redo, 0, &head, sizeof head);
}

int afxi_redo_strike(int redo) {
    const Head none = {0, 0, 0};
    return write_all(redo, 0, &none, sizeof none);
}

/* The write, where the file holds a whole one; the caller frees it. */
static void *read_write(int redo, Head *out_head) {
    struct stat status;
    if (fstat(redo, &status) != 0 || !S_ISREG(status.st_mode) || !read_all(redo, 0, out_head, sizeof *out_head) ||
        out_head->hash == 0 || out_head->size == 0 || out_head->size > SIZE_MOST ||
        out_head->size > (uint64_t)status.st_size || out_head->at > INT64_MAX - SIZE_MOST) {
        return NULL;
    }
    void *data = malloc((size_t)out_head->size);
    if (data && read_all(redo, sizeof *out_head, data, (size_t)out_head->size) &&
        hash_of(out_head, data) == out_head->hash) {
        return data;
    }
    free(data);
    return NULL;
}

int afxi_redo_apply(const char *path, const char *file) {
    Head head;
    int redo = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), error = 0;
    void *data = redo >= 0 ? read_write(redo, &head) : NULL;
    if (data) {
        int to = open(file, O_RDWR | O_CLOEXEC);
        error = to >= 0 ? write_all(to, head.at, data, (size_t)head.size) : errno;
        if (to >= 0) {
            close(to);
        }
    }
    free(data);
    if (redo >= 0) {
        close(redo);
    }
    return error;
}
