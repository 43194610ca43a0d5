/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of HDF5, and the shapes of datasets. */
#include <stdio.h>
#include <string.h>

#include "out/file.h"
#include "out/h5.h"
#include "out/quiet.h"

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
