/* SPDX-License-Identifier: Apache-2.0 */
/* Write under another name, sync, rename: whoever opens the path sees the old file or the new one, never a part. */
#include "out/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "out/lock.h"

AfxStatus afxi_file_error(AfxError *out, AfxStatus status, const char *path, const char *text, const char *cure) {
    if (!out) {
        return status;
    }
    afxi_error(out, status, "", text, cure);
    size_t length = strlen(path), room = sizeof out->file - 1;
    if (length <= room) {
        memcpy(out->file, path, length + 1);
    } else {
        snprintf(out->file, sizeof out->file, "...%s", path + length - (room - 3));
    }
    return status;
}

AfxStatus afxi_file_errno(AfxError *out, const char *path, const char *what, int number) {
    char text[sizeof out->text];
    const char *cure = "";
    snprintf(text, sizeof text, "%s: %s", what, number ? strerror(number) : "unknown reason");
    switch (number) {
    case ENOSPC:
    case EDQUOT:
        cure = "make room on the disk, or choose another";
        break;
    case EFBIG:
        cure = "lift the limit on the size of files, or write less";
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        cure = "choose a place that you may write to";
        break;
    case ENOENT:
    case ENOTDIR:
        cure = "check the path";
        break;
    default:
        break;
    }
    return afxi_file_error(out, AFX_E_SYSTEM, path, text, cure);
}

AfxStatus afxi_file_needs_little_endian(const char *path, AfxError *out_error) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1
               ? AFX_OK
               : afxi_file_error(out_error, AFX_E_SYSTEM, path, "this format cannot be written on this kind of machine",
                                 "record a trajectory");
}

char *afxi_path_with(const AfxAllocator *allocator, const char *path, const char *ending) {
    size_t length = strlen(path), more = strlen(ending);
    char *copy = afxi_allocate(allocator, length + more + 1);
    if (copy) {
        memcpy(copy, path, length);
        memcpy(copy + length, ending, more);
    }
    return copy;
}

void afxi_path_release(const AfxAllocator *allocator, char *path) {
    afxi_release(allocator, path, path ? strlen(path) + 1 : 0);
}

AfxStatus afxi_path_replaceable(const char *path, AfxError *out_error) {
    struct stat info;
    if (!path[0]) {
        return afxi_file_error(out_error, AFX_E_ARGUMENT, path, "the name of a file is empty", "give a name");
    }
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return afxi_file_error(out_error, AFX_E_SYSTEM, path,
                               S_ISDIR(info.st_mode) ? "is a folder" : "is not a regular file",
                               "give the name of a file");
    }
    return AFX_OK;
}

void afxi_path_sync_folder(const char *path) {
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 1;
    if (length >= sizeof folder) {
        return;
    }
    if (slash) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    int fd = open(folder[0] ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

AfxStatus afxi_replace_open(const AfxAllocator *allocator, const char *path, AfxiReplace *out_replace,
                            AfxError *out_error) {
    *out_replace = (AfxiReplace){.allocator = *allocator, .path = path};
    AfxStatus status = afxi_path_replaceable(path, out_error);
    if (status != AFX_OK) {
        return status;
    }
    out_replace->temporary = afxi_path_with(allocator, path, ".new");
    if (!out_replace->temporary) {
        return afxi_file_error(out_error, AFX_E_MEMORY, path, afx_status_text(AFX_E_MEMORY), "");
    }
    int fd = afxi_lock_open(out_replace->temporary); /* two that write one file must not mix their bytes */
    int number = errno;
    if (fd >= 0 && ftruncate(fd, 0) != 0) {
        number = errno;
        close(fd);
        fd = -1;
    }
    if (fd >= 0 && afxi_sink_open(allocator, fd, 0, &out_replace->sink)) {
        return AFX_OK;
    }
    if (fd >= 0) {
        close(fd);
        unlink(out_replace->temporary);
        status = afxi_file_error(out_error, AFX_E_MEMORY, path, afx_status_text(AFX_E_MEMORY), "");
    } else {
        status = number == EWOULDBLOCK ? afxi_file_error(out_error, AFX_E_SYSTEM, path,
                                                         "is being written by another program at this moment",
                                                         "wait until it is done, or give another name")
                                       : afxi_file_errno(out_error, path, "cannot be made", number);
    }
    afxi_path_release(allocator, out_replace->temporary);
    out_replace->temporary = NULL;
    return status;
}

AfxStatus afxi_replace_commit(AfxiReplace *replace, const char *previous, AfxError *out_error) {
    AfxiSink *sink = &replace->sink;
    afxi_sink_flush(sink, !replace->hasty);
    if (sink->error == 0 && previous && rename(replace->path, previous) != 0 && errno != ENOENT) {
        sink->error = errno;
    }
    if (sink->error == 0 && rename(replace->temporary, replace->path) != 0) {
        sink->error = errno;
    }
    if (sink->error) {
        unlink(replace->temporary);
    }
    afxi_sink_close(sink, false); /* not before: the file is locked as long as it is open */
    AfxStatus status = AFX_OK;
    if (sink->error == 0 && !replace->hasty) {
        afxi_path_sync_folder(replace->path);
    } else if (sink->error) {
        status = afxi_file_errno(out_error, replace->path, "cannot be written", sink->error);
    }
    afxi_path_release(&replace->allocator, replace->temporary);
    replace->temporary = NULL;
    return status;
}

void afxi_replace_abandon(AfxiReplace *replace) {
    if (replace->temporary) {
        unlink(replace->temporary);
        afxi_sink_close(&replace->sink, false);
        afxi_path_release(&replace->allocator, replace->temporary);
        replace->temporary = NULL;
    }
}
