/* SPDX-License-Identifier: Apache-2.0 */
/* A driver of HDF5's virtual file layer over pread and pwrite. */
#include "out/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/redo.h"

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
    (void)most;
    AfxiDisk *const *info = H5Pget_driver_info(access);
    struct stat status;
    if (!info || (*info)->fd >= 0) {
        return NULL;
    }
    AfxiDisk *disk = *info;
    int mode = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) |
               (flags & H5F_ACC_CREAT ? O_CREAT : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0) | O_CLOEXEC;
    int fd = open(name, mode, 0666);
    if (fd < 0 || fstat(fd, &status) != 0) {
        if (flags & H5F_ACC_CREAT) { /* without it HDF5 only looks whether the file is there */
            disk->error = errno;
        }
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    *disk = (AfxiDisk){
        .fd = fd, .redo = -1, .eof = (haddr_t)status.st_size, .device = status.st_dev, .inode = status.st_ino};
    return &disk->head;
}

static herr_t disk_close(H5FD_t *head) {
    AfxiDisk *disk = (AfxiDisk *)head;
    if (close(disk->fd) != 0 && errno != EINTR && disk->error == 0) {
        disk->error = errno;
    }
    if (disk->redo >= 0) {
        close(disk->redo);
    }
    disk->fd = disk->redo = -1;
    return 0;
}

static int disk_compare(const H5FD_t *a, const H5FD_t *b) {
    const AfxiDisk *x = (const AfxiDisk *)a, *y = (const AfxiDisk *)b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    return x->inode == y->inode ? 0 : x->inode < y->inode ? -1 : 1;
}

static herr_t disk_query(const H5FD_t *head, unsigned long *out_flags) {
    (void)head;
    *out_flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
                 H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO;
    return 0;
}

static haddr_t disk_eoa(const H5FD_t *head, H5FD_mem_t type) {
    (void)type;
    return ((const AfxiDisk *)head)->eoa;
}

static herr_t disk_set_eoa(H5FD_t *head, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((AfxiDisk *)head)->eoa = address;
    return 0;
}

static haddr_t disk_eof(const H5FD_t *head, H5FD_mem_t type) {
    (void)type;
    return ((const AfxiDisk *)head)->eof;
}

static herr_t disk_read(H5FD_t *head, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *buffer) {
    (void)type;
    (void)transfer;
    char *at = buffer;
    while (size > 0) {
        ssize_t done = pread(((AfxiDisk *)head)->fd, at, size, (off_t)address);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return -1;
        }
        if (done == 0) { /* beyond the end: HDF5 expects zeros */
            memset(at, 0, size);
            return 0;
        }
        at += done;
        address += (haddr_t)done;
        size -= (size_t)done;
    }
    return 0;
}

static herr_t disk_write(H5FD_t *head, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         const void *buffer) {
    (void)transfer;
    AfxiDisk *disk = (AfxiDisk *)head;
    const char *at = buffer;
    haddr_t end = address + size;
    /* Chunks are never replaced once they are full. */
    bool redo = disk->redo >= 0 && type != H5FD_MEM_DRAW && address < disk->eof && afxi_redo_needed(address, size);
    if (redo && disk->error == 0) {
        disk->error = afxi_redo_put(disk->redo, address, buffer, size);
    }
    while (size > 0 && disk->error == 0) {
        ssize_t done = pwrite(disk->fd, at, size, (off_t)address);
        if (done > 0) {
            at += done;
            address += (haddr_t)done;
            size -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            disk->error = done == 0 ? ENOSPC : errno;
        }
    }
    if (redo && disk->error == 0) {
        disk->error = afxi_redo_strike(disk->redo); /* a later write may change a part of it */
    }
    disk->eof = end > disk->eof ? end : disk->eof;
    return 0;
}

static herr_t disk_truncate(H5FD_t *head, hid_t transfer, hbool_t closing) {
    (void)transfer;
    (void)closing;
    AfxiDisk *disk = (AfxiDisk *)head;
    if (disk->eoa != disk->eof && disk->error == 0) {
        if (ftruncate(disk->fd, (off_t)disk->eoa) != 0) {
            disk->error = errno;
        }
        disk->eof = disk->eoa;
    }
    return 0;
}

/* As HDF5's own driver does. Without it HDF5 would not mark the file as being written. */
static herr_t disk_lock(H5FD_t *head, hbool_t exclusive) {
    AfxiDisk *disk = (AfxiDisk *)head;
    if (flock(disk->fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        disk->error = errno;
        return -1;
    }
    return 0;
}

static herr_t disk_unlock(H5FD_t *head) {
    flock(((AfxiDisk *)head)->fd, LOCK_UN);
    return 0;
}

hid_t afxi_disk_access(AfxiDisk *disk) {
    static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
        .version = H5FD_CLASS_VERSION,
        .value = (H5FD_class_value_t)(H5_VFD_RESERVED + 193),
#endif
        .name = "affix",
        .maxaddr = (haddr_t)INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof(AfxiDisk *),
        .open = disk_open,
        .close = disk_close,
        .cmp = disk_compare,
        .query = disk_query,
        .get_eoa = disk_eoa,
        .set_eoa = disk_set_eoa,
        .get_eof = disk_eof,
        .read = disk_read,
        .write = disk_write,
        .truncate = disk_truncate,
        .lock = disk_lock,
        .unlock = disk_unlock,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    *disk = (AfxiDisk){.fd = -1, .redo = -1};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t id = access >= 0 ? H5FDregister(&driver) : -1;
    bool fine = id >= 0 && H5Pset_driver(access, id, &disk) >= 0;
    if (id >= 0) {
        H5FDunregister(id); /* the list holds it as long as it lives */
    }
    if (!fine && access >= 0) {
        H5Pclose(access);
    }
    return fine ? access : -1;
}

void afxi_disk_sync(AfxiDisk *disk) {
    if (disk->fd >= 0 && disk->error == 0 && fsync(disk->fd) != 0 && errno != EINVAL && errno != ENOTSUP) {
        disk->error = errno;
    }
}
