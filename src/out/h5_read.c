/* SPDX-License-Identifier: Apache-2.0 */
/* Columns out of a trajectory, which may still be written, or be of a run that was killed. Everything that the file
 * says about its sizes is compared with what is there. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "out/file.h"
#include "out/h5.h"
#include "out/table.h"

#define NAME_MOST 4096
#define PACKED_MOST 1100u /* deflate makes things at most 1032 times smaller */

typedef struct Reader {
    const AfxiTableRequest *request;
    AfxiCatalog catalog;
    hid_t file;
    uint64_t unpacked_most; /* bytes that the file can stand for */
} Reader;

static AfxStatus refuse(const Reader *reader, AfxStatus status, const char *text, const char *cure) {
    return afxi_file_error(reader->request->error, status, reader->request->path, text, cure);
}

static AfxStatus damaged(const Reader *reader) {
    return refuse(reader, AFX_E_INPUT, "is not a trajectory of this program, or is damaged", "");
}

static AfxStatus no_memory(const Reader *reader, AfxStatus status) {
    return refuse(reader, status, afx_status_text(status), "");
}

/* Opens a dataset if it is there and tells its sizes; the rank is -1 when there is none or it is not simple. */
static hid_t open_data(hid_t file, const char *name, int *out_rank, hsize_t out_dims[H5S_MAX_RANK]) {
    *out_rank = -1;
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT), space = data >= 0 ? H5Dget_space(data) : -1;
    if (space >= 0) {
        if (H5Sis_simple(space) > 0) {
            *out_rank = H5Sget_simple_extent_dims(space, out_dims, NULL);
        }
        H5Sclose(space);
    }
    return data;
}

/* A link in the group must be there and be a hard one: a file is not to lead to others. */
static bool has(hid_t file, const char *path) {
    char part[64];
    const char *slash = strchr(path, '/');
    H5L_info_t info;
    if (slash) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0 || H5Lget_info(file, part, &info, H5P_DEFAULT) < 0 ||
            info.type != H5L_TYPE_HARD) {
            return false;
        }
    }
    return H5Lexists(file, path, H5P_DEFAULT) > 0 && H5Lget_info(file, path, &info, H5P_DEFAULT) >= 0 &&
           info.type == H5L_TYPE_HARD;
}

static AfxStatus take_names(Reader *reader, AfxiItem item, const char *texts, uint32_t count, size_t width) {
    size_t size = 0;
    for (uint32_t k = 0; k < count; k++) {
        size += strnlen(texts + k * width, width) + 1;
    }
    AfxStatus status = afxi_catalog_reserve_names(&reader->catalog, item, count, size);
    size_t at = 0;
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        size_t length = strnlen(texts + k * width, width);
        memcpy(reader->catalog.names[item].text + at, texts + k * width, length);
        reader->catalog.names[item].offset[k] = at;
        at += length + 1;
    }
    return status == AFX_OK ? AFX_OK : no_memory(reader, status);
}

static AfxStatus read_names_of(Reader *reader, AfxiItem item, hid_t data, int rank, const hsize_t *dims) {
    hid_t type = H5Dget_type(data);
    size_t width =
        type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 ? H5Tget_size(type) : 0;
    AfxStatus status = AFX_OK;
    if (rank != 1 || width == 0 || width > NAME_MOST || dims[0] == 0 || dims[0] >= UINT32_MAX ||
        dims[0] * width > reader->unpacked_most) {
        status = damaged(reader);
    } else {
        size_t size = (size_t)dims[0] * width; /* < 2^44 */
        char *texts = afxi_allocate(&reader->catalog.allocator, size);
        if (!texts) {
            status = no_memory(reader, AFX_E_MEMORY);
        } else if (H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0) {
            status = damaged(reader);
        } else {
            status = take_names(reader, item, texts, (uint32_t)dims[0], width);
        }
        afxi_release(&reader->catalog.allocator, texts, size);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    return status;
}

static AfxStatus read_names(Reader *reader, AfxiItem item) {
    char path[40];
    hsize_t dims[H5S_MAX_RANK];
    int rank;
    snprintf(path, sizeof path, "model/%s", afxi_item_lists[item]);
    if (!has(reader->file, path)) {
        return AFX_OK; /* there are none */
    }
    hid_t data = open_data(reader->file, path, &rank, dims);
    AfxStatus status = data >= 0 ? read_names_of(reader, item, data, rank, dims) : damaged(reader);
    if (data >= 0) {
        H5Dclose(data);
    }
    return status;
}

static AfxStatus read_joint_first(Reader *reader) {
    uint32_t joints = reader->catalog.count[AFXI_ITEM_JOINT];
    hsize_t dims[H5S_MAX_RANK];
    int rank;
    AfxStatus status = afxi_catalog_reserve_joints(&reader->catalog);
    if (status != AFX_OK) {
        return no_memory(reader, status);
    }
    uint32_t *first = reader->catalog.joint_first;
    hid_t data =
        has(reader->file, "model/joint_first") ? open_data(reader->file, "model/joint_first", &rank, dims) : -1;
    bool fine = data >= 0 && rank == 1 && dims[0] == (hsize_t)joints + 1 &&
                H5Dread(data, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, first) >= 0 && first[0] == 0;
    for (uint32_t k = 0; k < joints && fine; k++) {
        fine = first[k] <= first[k + 1] && first[k + 1] - first[k] <= 6;
    }
    if (data >= 0) {
        H5Dclose(data);
    }
    reader->catalog.count[AFXI_ITEM_COORDINATE] = fine ? first[joints] : 0;
    reader->catalog.count[AFXI_ITEM_ONE] = 1;
    return fine ? AFX_OK : damaged(reader);
}

static AfxStatus read_catalog(Reader *reader) {
    AfxStatus status = has(reader->file, "model") ? AFX_OK : damaged(reader);
    for (int item = 0; item < AFXI_ITEM_NAMED && status == AFX_OK; item++) {
        status = read_names(reader, (AfxiItem)item);
    }
    return status == AFX_OK ? read_joint_first(reader) : status;
}

static AfxStatus count_rows(Reader *reader, uint64_t *out_rows) {
    hsize_t dims[H5S_MAX_RANK];
    int rank = -1;
    const char *name = afxi_quantities[AFXI_TIME].dataset;
    hid_t data = has(reader->file, name) ? open_data(reader->file, name, &rank, dims) : -1;
    if (data >= 0) {
        H5Dclose(data);
    }
    bool fine = rank == 1 && dims[0] <= reader->unpacked_most / sizeof(double);
    *out_rows = fine ? dims[0] : 0;
    return fine ? AFX_OK : damaged(reader);
}

static AfxStatus not_recorded(const Reader *reader, AfxiQuantity quantity) {
    static const char *const names[] = {
#define NAME(record, name) [record] = (name),
        AFX_RECORD_TABLE(NAME)
#undef NAME
    };
    char text[80], cure[80];
    const AfxiQuantityInfo *info = &afxi_quantities[quantity];
    snprintf(text, sizeof text, "holds no %s", info->dataset);
    snprintf(cure, sizeof cure, "run with --record %s", info->record < AFX_RECORD_COUNT ? names[info->record] : "all");
    return refuse(reader, AFX_E_INPUT, text, cure);
}

static AfxStatus read_column(const Reader *reader, const AfxiColumn *column, uint64_t rows, double *out_values) {
    const AfxiQuantityInfo *info = &afxi_quantities[column->quantity];
    AfxiH5Shape shape = afxi_h5_shape(&reader->catalog, column->quantity, 1);
    hsize_t dims[H5S_MAX_RANK] = {0}, count[AFXI_H5_RANK] = {rows, 1, 1};
    hsize_t start[AFXI_H5_RANK] = {0, column->index / info->width, column->index % info->width};
    if (info->item == AFXI_ITEM_ONE) {
        start[1] = column->index;
    }
    if (!has(reader->file, info->dataset)) {
        return not_recorded(reader, column->quantity);
    }
    int rank;
    hid_t data = open_data(reader->file, info->dataset, &rank, dims);
    bool fine = data >= 0 && rank == shape.rank && dims[0] >= rows;
    for (int k = 1; k < shape.rank && fine; k++) {
        fine = dims[k] == shape.dims[k];
    }
    if (fine && rows > 0) {
        hid_t memory = H5Screate_simple(1, count, NULL), space = H5Dget_space(data);
        fine = memory >= 0 && space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
               H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out_values) >= 0;
        if (memory >= 0) {
            H5Sclose(memory);
        }
        if (space >= 0) {
            H5Sclose(space);
        }
    }
    if (data >= 0) {
        H5Dclose(data);
    }
    return fine ? AFX_OK : damaged(reader);
}

static AfxStatus read_table(Reader *reader, AfxTable *table) {
    const AfxiTableRequest *request = reader->request;
    AfxStatus status = read_catalog(reader);
    for (uint32_t k = 0; k < request->name_count && status == AFX_OK; k++) {
        const char *name = request->names[k];
        status = afxi_columns_add(&table->columns, &reader->catalog, name, strlen(name), request->error);
    }
    uint64_t rows = 0;
    if (status == AFX_OK) {
        status = count_rows(reader, &rows);
    }
    if (status == AFX_OK) {
        status = afxi_table_reserve(table, rows);
        status = status == AFX_OK ? AFX_OK : no_memory(reader, status);
    }
    for (uint32_t k = 0; k < table->columns.count && status == AFX_OK; k++) {
        status = read_column(reader, &table->columns.items[k], rows, table->values + k * rows);
    }
    return status;
}

AfxStatus afxi_table_from_h5(AfxTable *table, const AfxiTableRequest *request) {
    AfxiH5Quiet quiet = afxi_h5_quiet();
    struct stat info;
    Reader reader = {.request = request, .catalog.allocator = table->allocator};
    if (stat(request->path, &info) == 0 && (uint64_t)info.st_size < UINT64_MAX / PACKED_MOST) {
        reader.unpacked_most = PACKED_MOST * (uint64_t)info.st_size;
    }
    reader.file = afxi_h5_open(request->path);
    AfxStatus status = AFX_OK;
    if (reader.file < 0) {
        status = afxi_h5_error(request->error, request->path, "cannot be opened", 0);
    } else {
        status = read_table(&reader, table);
        H5Fclose(reader.file);
    }
    afxi_catalog_destroy(&reader.catalog);
    afxi_h5_loud(quiet);
    return status;
}
