/* SPDX-License-Identifier: Apache-2.0 */
/* The files under HDF5. Its own driver reports a failed write once and then cannot close the file any more: what is in
 * its caches can never be written. This driver keeps the first error, writes nothing after it and says that all is
 * well, so that the file closes; the caller looks at `error`. What is on disk then is what was there at the first
 * error, and for a file in SWMR mode that is a file that can be read. */
#ifndef AFXI_OUT_DISK_H
#define AFXI_OUT_DISK_H

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif
#include <sys/types.h>

typedef struct AfxiDisk {
    H5FD_t head;      /* HDF5's own part: must be the first */
    int fd;           /* -1: not open */
    int redo;         /* writes that a kill could cut go there first (redo.h); -1: nowhere */
    int error;        /* errno of the first failure, 0 while there is none */
    haddr_t eoa, eof; /* end of what is allocated, and of the file */
    dev_t device;
    ino_t inode;
} AfxiDisk;

/** An access property list of HDF5 for one file with this driver; `disk` must outlive the file. Negative when it
 * fails. */
hid_t afxi_disk_access(AfxiDisk *disk);
/** Puts on the disk itself what was written. */
void afxi_disk_sync(AfxiDisk *disk);

#endif
