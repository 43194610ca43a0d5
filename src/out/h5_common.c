/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of HDF5, and the shapes of datasets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/file.h"
#include "out/h5.h"
#include "out/quiet.h"
#include "out/trajectory.h"

#define ATTEMPTS 20                    /* about a millisecond in all */
#define CHUNK_BYTES ((hsize_t)1 << 20) /* of one chunk in the file, about: wide rows are cut */

void afxi_out_quiet(void) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

AfxiH5Quiet afxi_h5_quiet(void) {
    AfxiH5Quiet quiet = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &quiet.function, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

void afxi_h5_loud(AfxiH5Quiet quiet) {
    H5Eset_auto2(H5E_DEFAULT, quiet.function, quiet.data);
}

/* The first message of an upward walk is the innermost one. */
static herr_t take_message(unsigned n, const H5E_error2_t *error, void *user) {
    if (n == 0 && error->desc) {
        snprintf(user, 120, "%s", error->desc);
    }
    return 0;
}

AfxStatus afxi_h5_error(AfxError *out_error, const char *path, const char *what, int error) {
    if (error) {
        return afxi_file_errno(out_error, path, what, error);
    }
    char message[120] = "HDF5 gives no reason";
    char text[200];
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_message, message);
    snprintf(text, sizeof text, "%s: %s", what, message);
    return afxi_file_error(out_error, AFX_E_SYSTEM, path, text, "");
}

/* While a file is being written, a structure may be met half-way: HDF5 then tries again, each time after twice the
 * time, by default so often that a damaged file takes hours. */
hid_t afxi_h5_open(const char *path) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (access >= 0 && H5Pset_metadata_read_attempts(access, ATTEMPTS) >= 0) {
        file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    }
    if (access >= 0) {
        H5Pclose(access);
    }
    return file >= 0 ? file : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

bool afxi_h5_text(hid_t file, const char *name, char *out_text, size_t size) {
    hid_t id = H5Aopen_by_name(file, "model", name, H5P_DEFAULT, H5P_DEFAULT), type = id >= 0 ? H5Aget_type(id) : -1;
    hid_t space = id >= 0 ? H5Aget_space(id) : -1;
    size_t length =
        type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 ? H5Tget_size(type) : size;
    bool fine = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && length < size;
    if (fine) {
        out_text[length] = '\0';
        fine = H5Aread(id, type, out_text) >= 0;
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    if (id >= 0) {
        H5Aclose(id);
    }
    return fine;
}

AfxStatus afxi_trajectory_title(const char *path, char *out_title, size_t size, uint64_t *out_hash,
                                AfxError *out_error) {
    AfxiH5Quiet quiet = afxi_h5_quiet();
    char hash[24];
    hid_t file = afxi_h5_open(path);
    bool fine =
        file >= 0 && afxi_h5_text(file, "title", out_title, size) && afxi_h5_text(file, "hash", hash, sizeof hash);
    *out_hash = fine ? strtoull(hash, NULL, 16) : 0;
    if (file >= 0) {
        H5Fclose(file);
    }
    afxi_h5_loud(quiet);
    return fine ? AFX_OK
                : afxi_file_error(out_error, AFX_E_INPUT, path, "is not a trajectory of this program, or is damaged",
                                  "write one with affix run --out");
}

AfxiH5Shape afxi_h5_shape(const AfxiCatalog *catalog, AfxiQuantity quantity, uint32_t chunk) {
    const AfxiQuantityInfo *info = &afxi_quantities[quantity];
    AfxiH5Shape shape = {.rank = 1, .dims = {0}, .chunk = {chunk}};
    if (info->item != AFXI_ITEM_ONE) {
        hsize_t items = catalog->count[info->item];
        hsize_t most = CHUNK_BYTES / (sizeof(double) * info->width * chunk);
        shape.dims[shape.rank] = items;
        shape.chunk[shape.rank++] = most < 1 ? 1 : most < items ? most : items;
    }
    if (info->width > 1) {
        shape.dims[shape.rank] = shape.chunk[shape.rank] = info->width;
        shape.rank++;
    }
    return shape;
}
