/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in HDF5: one file for each journal, one for all, and an index over the first. A file has one row for each run in
 * every dataset: run, id, status, steps, time, state_hash, parameters[, p], values[, v] and series[, frames, columns].
 * The index has the same datasets, virtual: one mapping for each file, so that a million runs take no longer than ten;
 * its `runs` and `row` tell where each run is. Files are written under another name and renamed. */
#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out/disk.h"
#include "sweep/error.h"
#include "sweep/finish.h"

#define ROWS 2048u /* written at once */
#define RANK 3

typedef enum Field { RUN, ID, STATUS, STEPS, TIME, HASH, PARAMETERS, VALUES, SERIES, FIELD_COUNT } Field;

static const char *const field_names[FIELD_COUNT] = {"run",        "id",         "status", "steps", "time",
                                                     "state_hash", "parameters", "values", "series"};

typedef struct Shape {
    int rank;
    hsize_t dims[RANK]; /* [0] is the number of rows */
    size_t width;       /* numbers of a row; 0: not written */
    hid_t type;
} Shape;

static Shape shape_of(const AfxiStudy *study, Field field, uint64_t rows) {
    Shape shape = {.rank = 1, .dims = {rows}, .width = 1, .type = H5T_NATIVE_UINT64};
    if (field == TIME) {
        shape.type = H5T_NATIVE_DOUBLE;
    } else if (field == STATUS) {
        shape.type = H5T_NATIVE_INT64;
    } else if (field >= PARAMETERS) {
        shape.type = H5T_NATIVE_DOUBLE;
        shape.rank = field == SERIES ? 3 : 2;
        shape.dims[1] = field == PARAMETERS ? study->vary_count
                        : field == VALUES   ? study->value_count
                                            : study->series_frames;
        shape.dims[2] = field == SERIES ? study->series_width : 1;
        shape.width = shape.dims[1] * shape.dims[2];
    }
    return shape;
}

/* A row of a field into 8-byte numbers. */
static void take_row(const AfxiJournals *journals, const AfxiEntry *entry, Field field, size_t width, void *out_row) {
    const uint64_t numbers[] = {entry->run, entry->id, (uint64_t)(int64_t)entry->status, entry->steps, 0, entry->hash};
    if (field == TIME) {
        memcpy(out_row, &entry->time, 8);
    } else if (field < PARAMETERS) {
        memcpy(out_row, &numbers[field], 8);
    } else {
        const double *from = field == PARAMETERS ? afxi_entry_point(entry)
                             : field == VALUES   ? afxi_entry_values(journals, entry)
                                                 : afxi_entry_series(journals, entry);
        memcpy(out_row, from, width * 8);
    }
}

static bool write_rows(hid_t data, const Shape *shape, const void *rows, uint64_t first, uint64_t count) {
    hsize_t start[RANK] = {first}, size[RANK] = {count, shape->dims[1], shape->dims[2]};
    hid_t file = H5Dget_space(data), memory = H5Screate_simple(shape->rank, size, NULL);
    bool fine = file >= 0 && memory >= 0 && H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                H5Dwrite(data, shape->type, memory, file, H5P_DEFAULT, rows) >= 0;
    H5Sclose(memory);
    H5Sclose(file);
    return fine;
}

/* A dataset; `create` may have virtual mappings. */
static hid_t make_data(hid_t file, const char *name, const Shape *shape, hid_t create) {
    hid_t space = H5Screate_simple(shape->rank, shape->dims, NULL);
    hid_t data = space >= 0 ? H5Dcreate2(file, name, shape->type, space, H5P_DEFAULT, create, H5P_DEFAULT) : -1;
    if (space >= 0) {
        H5Sclose(space);
    }
    return data;
}

static bool write_field(hid_t file, const AfxiStudy *study, const AfxiJournals *journals, const AfxiEntry *const *rows,
                        uint64_t count, Field field) {
    Shape shape = shape_of(study, field, count);
    if (shape.width == 0) {
        return true;
    }
    size_t at_once = shape.width > ROWS ? 1 : ROWS;
    unsigned char *buffer = malloc(at_once * shape.width * 8);
    hid_t data = buffer ? make_data(file, field_names[field], &shape, H5P_DEFAULT) : -1;
    bool fine = data >= 0;
    for (uint64_t k = 0; k < count && fine; k += at_once) {
        uint64_t part = count - k < at_once ? count - k : at_once;
        for (uint64_t j = 0; j < part; j++) {
            take_row(journals, rows[k + j], field, shape.width, buffer + j * shape.width * 8);
        }
        fine = write_rows(data, &shape, buffer, k, part);
    }
    if (data >= 0) {
        fine &= H5Dclose(data) >= 0;
    }
    free(buffer);
    return fine;
}

/* Names as an attribute of texts. */
static bool write_names(hid_t file, const char *attribute, const char *const *names, uint32_t count) {
    hsize_t size = count;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t id = H5Acreate2(file, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = id >= 0 && (count == 0 || H5Awrite(id, type, names) >= 0);
    if (id >= 0) {
        H5Aclose(id);
    }
    H5Sclose(space);
    H5Tclose(type);
    return fine;
}

static bool write_about(hid_t file, const AfxiStudy *study) {
    const char *texts[] = {"affix-sweep", afx_version(), study->label};
    const char *series = study->series ? study->series : "";
    const char **names = malloc(study->vary_count * sizeof *names);
    for (uint32_t k = 0; names && k < study->vary_count; k++) {
        names[k] = study->vary[k].name;
    }
    bool fine = names && write_names(file, "about", texts, 3) &&
                write_names(file, "parameters", names, study->vary_count) &&
                write_names(file, "values", (const char *const *)study->value_names, study->value_count) &&
                write_names(file, "series", &series, 1);
    free(names);
    return fine;
}

/* ---- files ---- */

/* A file that is written under another name, by the driver that survives a full disk: HDF5's own leaves a file that
 * cannot be closed, over which the process falls at its end. */
typedef struct H5File {
    char path[4096], temporary[4104];
    AfxiDisk disk;
    hid_t file; /* negative: there is none */
} H5File;

static void open_file(H5File *out, const char *folder, const char *name, bool is_virtual) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(out->path, sizeof out->path, "%s/%s", folder, name);
    snprintf(out->temporary, sizeof out->temporary, "%s.new", out->path);
    hid_t access = afxi_disk_access(&out->disk);
    if (is_virtual) {
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST); /* what virtual datasets need */
    }
    out->file = access >= 0 ? H5Fcreate(out->temporary, H5F_ACC_TRUNC, H5P_DEFAULT, access) : -1;
    if (access >= 0) {
        H5Pclose(access);
    }
}

/* Closes and renames, or removes. */
static AfxStatus settle(H5File *out, bool fine, AfxError *out_error) {
    if (out->file >= 0) {
        fine &= H5Fclose(out->file) >= 0;
    }
    int number = out->disk.error;
    if (fine && number == 0) {
        if (rename(out->temporary, out->path) == 0) {
            return AFX_OK;
        }
        number = errno;
    }
    unlink(out->temporary);
    return afxi_sweep_error(out_error, AFX_E_SYSTEM, out->path, NULL, "make room, then go on with --resume",
                            "cannot be written: %s", number ? strerror(number) : "HDF5 failed");
}

static AfxStatus write_file(const AfxiStudy *study, const AfxiJournals *journals, const AfxiEntry *const *rows,
                            uint64_t count, const char *folder, const char *name, AfxError *out_error) {
    H5File out;
    open_file(&out, folder, name, false);
    bool fine = out.file >= 0 && write_about(out.file, study);
    for (int field = 0; field < FIELD_COUNT && fine && out.disk.error == 0; field++) {
        fine = write_field(out.file, study, journals, rows, count, (Field)field);
    }
    return settle(&out, fine, out_error);
}

AfxStatus afxi_write_ranks(const AfxiStudy *study, const AfxiJournals *journals, const char *folder, uint32_t part,
                           uint32_t parts, AfxError *out_error) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = part; k < journals->count && status == AFX_OK; k += parts) {
        const AfxiJournalMap *map = &journals->maps[k];
        const AfxiEntry **rows = malloc((map->entries + 1) * sizeof *rows), *entry;
        size_t offset = 0;
        uint64_t count = 0;
        char name[40];
        if (!rows) {
            return afxi_sweep_memory(out_error);
        }
        while ((entry = afxi_journal_next(map, &offset))) {
            rows[count++] = entry;
        }
        snprintf(name, sizeof name, "rank-%05u.h5", map->number);
        status = write_file(study, journals, rows, count, folder, name, out_error);
        free(rows);
    }
    return status;
}

AfxStatus afxi_write_merged(const AfxiStudy *study, const AfxiJournals *journals, const AfxiTableRows *rows,
                            const char *folder, AfxError *out_error) {
    return write_file(study, journals, rows->entries, rows->count, folder, "runs.h5", out_error);
}

/* ---- the index ---- */

static bool map_field(hid_t file, const AfxiStudy *study, const AfxiJournals *journals, uint64_t total, Field field) {
    Shape whole = shape_of(study, field, total);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(whole.rank, whole.dims, NULL);
    bool fine = create >= 0 && space >= 0;
    uint64_t first = 0;
    for (uint32_t k = 0; k < journals->count && fine && whole.width; k++) {
        Shape part = shape_of(study, field, journals->maps[k].entries);
        hsize_t start[RANK] = {first};
        hid_t source = H5Screate_simple(part.rank, part.dims, NULL);
        char name[40];
        snprintf(name, sizeof name, "rank-%05u.h5", journals->maps[k].number);
        if (part.dims[0]) {
            fine = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part.dims, NULL) >= 0 &&
                   H5Pset_virtual(create, space, name, field_names[field], source) >= 0;
        }
        H5Sclose(source);
        first += part.dims[0];
    }
    hid_t data = fine && whole.width ? make_data(file, field_names[field], &whole, total ? create : H5P_DEFAULT) : -1;
    fine &= data >= 0 || whole.width == 0;
    if (data >= 0) {
        H5Dclose(data);
    }
    H5Sclose(space);
    H5Pclose(create);
    return fine;
}

typedef struct Place {
    uint64_t run, row;
} Place;

static int by_run(const void *a, const void *b) {
    const Place *x = a, *y = b;
    return x->run != y->run ? (x->run < y->run ? -1 : 1) : x->row < y->row ? -1 : x->row > y->row;
}

/* `runs` by rising number, and `row`, where each is in the datasets. */
static bool write_places(hid_t file, const AfxiJournals *journals, uint64_t total) {
    Place *places = malloc((total + 1) * sizeof *places);
    uint64_t *column = malloc((total + 1) * sizeof *column), row = 0, count = 0;
    bool fine = places && column;
    for (uint32_t k = 0; k < journals->count && fine; k++) {
        size_t offset = 0;
        for (const AfxiEntry *entry; (entry = afxi_journal_next(&journals->maps[k], &offset)); row++) {
            places[row] = (Place){entry->run, row};
        }
    }
    if (fine) {
        qsort(places, total, sizeof *places, by_run);
    }
    for (uint64_t k = 0; k < total && fine; k++) {
        if (count == 0 || places[count - 1].run != places[k].run) {
            places[count++] = places[k];
        }
    }
    for (int which = 0; which < 2 && fine; which++) {
        Shape shape = {.rank = 1, .dims = {count}, .width = 1, .type = H5T_NATIVE_UINT64};
        for (uint64_t k = 0; k < count; k++) {
            column[k] = which ? places[k].row : places[k].run;
        }
        hid_t data = make_data(file, which ? "row" : "runs", &shape, H5P_DEFAULT);
        fine = data >= 0 && write_rows(data, &shape, column, 0, count);
        if (data >= 0) {
            fine &= H5Dclose(data) >= 0;
        }
    }
    free(places);
    free(column);
    return fine;
}

AfxStatus afxi_write_index(const AfxiStudy *study, const AfxiJournals *journals, const char *folder,
                           AfxError *out_error) {
    H5File out;
    uint64_t total = 0;
    for (uint32_t k = 0; k < journals->count; k++) {
        total += journals->maps[k].entries;
    }
    open_file(&out, folder, "index.h5", true);
    bool fine = out.file >= 0 && write_about(out.file, study) && write_places(out.file, journals, total);
    for (int field = 0; field < FIELD_COUNT && fine; field++) {
        fine = map_field(out.file, study, journals, total, (Field)field);
    }
    return settle(&out, fine, out_error);
}
