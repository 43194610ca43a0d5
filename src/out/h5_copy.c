/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of an old trajectory into a new one, chunk by chunk as they are stored.
 *
 * The old file may be of a run that was killed. It was written in SWMR mode, so that a reader of that mode finds it
 * consistent at any time; but it is marked as being written, and what HDF5 would need to write on (the end of the
 * allocated space, for one) need not be up to date. So it is only read. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "out/file.h"
#include "out/h5.h"

typedef struct Copy {
    AfxiH5 *h5;
    const AfxOutput *output;
    hid_t from; /* the old file */
    unsigned char *buffer;
    size_t capacity;
} Copy;

static AfxStatus unlike(const Copy *copy, AfxError *out_error) {
    return afxi_file_error(out_error, AFX_E_INPUT, copy->output->path,
                           "is not the trajectory that the run was writing, or is damaged",
                           "restore it, or start the run anew");
}

static bool reserve(Copy *copy, hsize_t size) {
    if (size <= copy->capacity) {
        return true;
    }
    const AfxAllocator *allocator = &copy->output->allocator;
    void *grown = allocator->reallocate(allocator->user, copy->buffer, copy->capacity, (size_t)size);
    if (grown) {
        copy->buffer = grown;
        copy->capacity = (size_t)size;
    }
    return grown != NULL;
}

/* One chunk as it is stored. It is also read the usual way, which checks its checksum. */
static AfxStatus copy_chunk(Copy *copy, hid_t from, AfxiQuantity quantity, const AfxiH5Shape *shape,
                            const hsize_t *start, AfxError *out_error) {
    hsize_t size = 0, numbers = 1, plain = sizeof(double), count[AFXI_H5_RANK] = {0};
    uint32_t filters = 0;
    for (int k = 0; k < shape->rank; k++) {
        bool cut = k > 0 && start[k] + shape->chunk[k] > shape->dims[k];
        count[k] = cut ? shape->dims[k] - start[k] : shape->chunk[k];
        numbers *= count[k];
        plain *= shape->chunk[k];
    }
    /* What is stored is hardly ever larger than what it stands for. */
    if (H5Dget_chunk_storage_size(from, start, &size) < 0 || size == 0 || size > 2 * plain + 4096) {
        return unlike(copy, out_error);
    }
    if (!reserve(copy, size > plain ? size : plain)) {
        return afxi_output_memory(copy->output, out_error);
    }
    hid_t memory = H5Screate_simple(1, &numbers, NULL), space = H5Dget_space(from);
    bool sound = memory >= 0 && space >= 0 &&
                 H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                 H5Dread(from, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, copy->buffer) >= 0;
    if (memory >= 0) {
        H5Sclose(memory);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (!sound || H5Dread_chunk(from, H5P_DEFAULT, start, &filters, copy->buffer) < 0) {
        return unlike(copy, out_error);
    }
    if (H5Dwrite_chunk(copy->h5->data[quantity], H5P_DEFAULT, filters, start, (size_t)size, copy->buffer) < 0 ||
        copy->h5->disk.error) {
        return afxi_h5_error(out_error, copy->output->path, "cannot be written", copy->h5->disk.error);
    }
    return AFX_OK;
}

/* The old dataset must have the same shape and chunks, and at least `frames` frames. */
static bool alike(hid_t from, const AfxiH5Shape *shape, uint64_t frames) {
    hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
    hid_t space = H5Dget_space(from), list = H5Dget_create_plist(from);
    bool fine = space >= 0 && list >= 0 && H5Sget_simple_extent_ndims(space) == shape->rank &&
                H5Sget_simple_extent_dims(space, dims, NULL) == shape->rank && H5Pget_layout(list) == H5D_CHUNKED &&
                H5Pget_chunk(list, shape->rank, chunk) == shape->rank && dims[0] >= frames;
    for (int k = 0; k < shape->rank && fine; k++) {
        fine = chunk[k] == shape->chunk[k] && (k == 0 || dims[k] == shape->dims[k]);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (list >= 0) {
        H5Pclose(list);
    }
    return fine;
}

static AfxStatus copy_chunks(Copy *copy, hid_t from, AfxiQuantity quantity, const AfxiH5Shape *shape, uint64_t frames,
                             AfxError *out_error) {
    hsize_t size[AFXI_H5_RANK] = {frames, shape->dims[1], shape->dims[2]};
    if (H5Dset_extent(copy->h5->data[quantity], size) < 0) {
        return afxi_h5_error(out_error, copy->output->path, "cannot be written", copy->h5->disk.error);
    }
    AfxStatus status = AFX_OK;
    for (hsize_t frame = 0; frame < frames && status == AFX_OK; frame += shape->chunk[0]) {
        hsize_t items = shape->rank > 1 ? shape->dims[1] : 1, step = shape->rank > 1 ? shape->chunk[1] : 1;
        for (hsize_t item = 0; item < items && status == AFX_OK; item += step) {
            hsize_t start[AFXI_H5_RANK] = {frame, item, 0};
            status = copy_chunk(copy, from, quantity, shape, start, out_error);
        }
    }
    return status;
}

/* The trajectory of another model may have the same shape. */
static bool same_model(hid_t file, uint64_t hash) {
    char want[24], found[24];
    snprintf(want, sizeof want, "%016" PRIx64, hash);
    return afxi_h5_text(file, "hash", found, sizeof found) && strcmp(found, want) == 0;
}

/* The number of the format of a file; 0 when it says none. */
static uint64_t format_of(hid_t file) {
    uint64_t version = 0;
    hid_t id = H5Aexists(file, "format_version") > 0 ? H5Aopen(file, "format_version", H5P_DEFAULT) : -1;
    hid_t space = id >= 0 ? H5Aget_space(id) : -1, type = id >= 0 ? H5Aget_type(id) : -1;
    if (space >= 0 && type >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(type) == H5T_INTEGER &&
        H5Aread(id, H5T_NATIVE_UINT64, &version) < 0) {
        version = 0;
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (id >= 0) {
        H5Aclose(id);
    }
    return version;
}

static AfxStatus check_format(const Copy *copy, AfxError *out_error) {
    uint64_t version = format_of(copy->from);
    char text[120];
    if (version == 0 || version == AFXI_H5_VERSION) {
        return same_model(copy->from, copy->output->catalog.model_hash) ? AFX_OK : unlike(copy, out_error);
    }
    snprintf(text, sizeof text,
             "was written by another version of Affix (format %" PRIu64 ", this one goes on with format %d)", version,
             AFXI_H5_VERSION);
    return afxi_file_error(out_error, AFX_E_VERSION, copy->output->path, text,
                           "finish the run with the version that began it, or start the run anew");
}

static AfxStatus copy_quantities(Copy *copy, uint64_t frames, AfxError *out_error) {
    AfxStatus status = AFX_OK;
    for (int k = 0; k < AFXI_QUANTITY_COUNT && status == AFX_OK; k++) {
        if (copy->h5->width[k] == 0) {
            continue;
        }
        AfxiH5Shape shape = afxi_h5_shape(&copy->output->catalog, (AfxiQuantity)k, copy->h5->chunk);
        hid_t from = H5Dopen2(copy->from, afxi_quantities[k].dataset, H5P_DEFAULT);
        status = from >= 0 && alike(from, &shape, frames)
                     ? copy_chunks(copy, from, (AfxiQuantity)k, &shape, frames, out_error)
                     : unlike(copy, out_error);
        if (from >= 0) {
            H5Dclose(from);
        }
    }
    return status;
}

AfxStatus afxi_h5_copy(AfxiH5 *h5, const AfxOutput *output, uint64_t frames, AfxError *out_error) {
    Copy copy = {.h5 = h5, .output = output};
    copy.from = afxi_h5_open(output->path);
    if (copy.from < 0) {
        return afxi_h5_error(out_error, output->path, "cannot be opened to go on from", 0);
    }
    AfxStatus status = check_format(&copy, out_error);
    status = status ? status : copy_quantities(&copy, frames, out_error);
    H5Fclose(copy.from);
    afxi_release(&output->allocator, copy.buffer, copy.capacity);
    return status;
}
