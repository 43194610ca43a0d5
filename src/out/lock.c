/* SPDX-License-Identifier: Apache-2.0 */
/* Locks by flock. A lock file is removed by its holder while it is still locked; whoever opened it just before then has
 * a file without a name, notices that and tries again with the one that has the name now. */
#include "out/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "out/file.h"

#define TRIES 100
#define PATH_ROOM 4096     /* bytes of a path, as of Linux */
#define LINKS_MOST 40      /* that lead on, as of Linux */
#define BEGINNING "affix " /* of what is in a lock file; the number of the process follows */

static bool is_named(int fd, const char *path) {
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

int afxi_lock_open(const char *path) {
    for (int k = 0; k < TRIES; k++) {
        /* NOFOLLOW: in a folder that others can write to, a link could lead anywhere. NONBLOCK: so could a pipe wait.
         */
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (fd < 0) {
            return -1;
        }
        bool held = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!held && is_named(fd, path)) {
            return fd;
        }
        close(fd);
        if (held) {
            errno = EWOULDBLOCK;
            return -1;
        }
    }
    errno = EWOULDBLOCK; /* it comes and goes: others are busy with it */
    return -1;
}

/* Whether a file is empty or begins as a lock does; *out_process is 0 where it does not tell. */
static bool is_lock(int fd, long *out_process) {
    struct stat info;
    char text[64] = "";
    *out_process = 0;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size >= (off_t)sizeof text) {
        return false;
    }
    ssize_t size = pread(fd, text, sizeof text - 1, 0);
    if (size > 0 && sscanf(text, BEGINNING "%ld", out_process) != 1) {
        return false;
    }
    return size >= 0;
}

static AfxStatus held(const char *path, const char *lock_path, AfxError *out_error) {
    char text[120] = "is being written by another run";
    long process = 0;
    int fd = open(lock_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0) {
        if (is_lock(fd, &process) && process > 0) {
            snprintf(text, sizeof text, "is being written by another run (process %ld)", process);
        }
        close(fd);
    }
    return afxi_file_error(out_error, AFX_E_SYSTEM, path, text, "wait until it has ended, or give another name");
}

/* Says in the lock file whose it is. That it cannot be written does not matter. */
static void sign(int fd) {
    char text[40];
    int length = snprintf(text, sizeof text, BEGINNING "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0) {
        ssize_t written = pwrite(fd, text, (size_t)length, 0);
        (void)written;
    }
}

/* What a path leads to behind its links, there or not: one file has one lock, whatever it is called. Links that go
 * round or do not fit are left to the output, which cannot be opened. */
static const char *behind(const char *path, char room[PATH_ROOM]) {
    char target[PATH_ROOM];
    size_t length = strlen(path);
    if (length >= PATH_ROOM) {
        return path;
    }
    memcpy(room, path, length + 1);
    for (int k = 0; k < LINKS_MOST; k++) {
        ssize_t size = readlink(room, target, sizeof target);
        if (size <= 0) {
            return room;
        }
        const char *slash = strrchr(room, '/');
        size_t folder = target[0] == '/' || !slash ? 0 : (size_t)(slash - room) + 1;
        if (folder + (size_t)size >= PATH_ROOM) {
            return path;
        }
        memcpy(room + folder, target, (size_t)size);
        room[folder + (size_t)size] = '\0';
    }
    return path;
}

AfxStatus afxi_lock_take(const AfxAllocator *allocator, const char *path, AfxiLock *out_lock, AfxError *out_error) {
    struct stat info;
    long process;
    *out_lock = (AfxiLock){.allocator = *allocator, .fd = -1};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return AFX_OK; /* a terminal or a pipe may have several that write */
    }
    char room[PATH_ROOM];
    char *name = afxi_path_with(allocator, behind(path, room), ".lock");
    if (!name) {
        return afxi_file_error(out_error, AFX_E_MEMORY, path, afx_status_text(AFX_E_MEMORY), "");
    }
    AfxStatus status = AFX_OK;
    int fd = afxi_lock_open(name);
    if (fd >= 0 && is_lock(fd, &process)) {
        sign(fd);
        out_lock->path = name;
        out_lock->fd = fd;
        return AFX_OK;
    }
    if (fd >= 0 || errno == ELOOP) {
        status = afxi_file_error(out_error, AFX_E_SYSTEM, name, "lies where a lock would, and is not one",
                                 "move it away, or give another name");
    } else if (errno == EWOULDBLOCK) {
        status = held(path, name, out_error);
    }
    if (fd >= 0) {
        close(fd);
    }
    afxi_path_release(allocator, name);
    return status;
}

void afxi_lock_release(AfxiLock *lock) {
    if (lock->path) {
        unlink(lock->path);
        close(lock->fd);
        afxi_path_release(&lock->allocator, lock->path);
        lock->path = NULL;
    }
}
