/* SPDX-License-Identifier: Apache-2.0 */
/* A new trajectory: groups, names, attributes and empty datasets. After it has gone into SWMR mode nothing of this can
 * be added any more. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/run.h"
#include "out/file.h"
#include "out/h5.h"

#define NAME_MOST 256  /* bytes, the zero included: a scene's limit */
#define TEXT_MOST 4000 /* bytes of a text in an object's header, which may have 64 KiB */

/* A string type of `size` bytes, or H5T_VARIABLE, UTF-8. */
static hid_t text_type(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, size) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0 ||
                      (size != H5T_VARIABLE && H5Tset_strpad(type, H5T_STR_NULLPAD) < 0))) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static bool attribute(hid_t object, const char *name, hid_t stored, hid_t memory, const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t id = space >= 0 ? H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    bool fine = id >= 0 && H5Awrite(id, memory, value) >= 0;
    if (id >= 0) {
        fine = H5Aclose(id) >= 0 && fine;
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return fine;
}

static bool attribute_text(hid_t object, const char *name, const char *text) {
    hid_t type = text_type(H5T_VARIABLE);
    bool fine = type >= 0 && attribute(object, name, type, type, &text);
    if (type >= 0) {
        H5Tclose(type);
    }
    return fine;
}

/* With its length in the type: all of it is in the object's header, which has a checksum. Texts of any length are in a
 * heap that has none, and HDF5 does not return from some heaps that are damaged, so that this program reads none. */
static bool attribute_fixed(hid_t object, const char *name, const char *text) {
    size_t length = strlen(text);
    hid_t type = text_type(length < 1 ? 1 : length < TEXT_MOST ? length : TEXT_MOST);
    bool fine = type >= 0 && attribute(object, name, type, type, text);
    if (type >= 0) {
        H5Tclose(type);
    }
    return fine;
}

static bool attribute_number(hid_t object, const char *name, double value) {
    return attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

static bool attribute_integer(hid_t object, const char *name, uint64_t value) {
    return attribute(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

/* A dataset of one dimension, written at once, compressed. */
static bool write_list(hid_t group, const char *name, hid_t stored, hid_t memory, hsize_t count, const void *values) {
    hsize_t chunk = count < 65536 ? count : 65536;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    bool fine = space >= 0 && list >= 0 && H5Pset_chunk(list, 1, &chunk) >= 0 && H5Pset_deflate(list, 1) >= 0;
    hid_t id = fine ? H5Dcreate2(group, name, stored, space, H5P_DEFAULT, list, H5P_DEFAULT) : -1;
    fine = id >= 0 && H5Dwrite(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (id >= 0) {
        fine = H5Dclose(id) >= 0 && fine;
    }
    if (list >= 0) {
        H5Pclose(list);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return fine;
}

/* Names of equal width, padded with zeros. */
static AfxStatus write_names(hid_t group, const AfxiCatalog *catalog, AfxiItem item) {
    uint32_t count = catalog->count[item];
    size_t width = 1;
    for (uint32_t k = 0; k < count; k++) {
        size_t length = strlen(afxi_catalog_name(catalog, item, k));
        width = length > width ? length : width;
    }
    width = width < NAME_MOST ? width : NAME_MOST;
    if (count == 0 || count > SIZE_MAX / width) {
        return count == 0 ? AFX_OK : AFX_E_LIMIT;
    }
    char *texts = afxi_allocate(&catalog->allocator, count * width);
    if (!texts) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < count; k++) {
        const char *name = afxi_catalog_name(catalog, item, k);
        size_t length = strlen(name);
        memcpy(texts + k * width, name, length < width ? length : width);
    }
    hid_t type = text_type(width);
    bool fine = type >= 0 && write_list(group, afxi_item_lists[item], type, type, count, texts);
    if (type >= 0) {
        H5Tclose(type);
    }
    afxi_release(&catalog->allocator, texts, count * width);
    return fine ? AFX_OK : AFX_E_SYSTEM;
}

/* Group "model": names, and the first coordinate of every joint. */
static AfxStatus write_model(hid_t file, const AfxiCatalog *catalog) {
    hid_t group = H5Gcreate2(file, "model", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    AfxStatus status = group >= 0 ? AFX_OK : AFX_E_SYSTEM;
    for (int item = 0; item < AFXI_ITEM_NAMED && status == AFX_OK; item++) {
        status = write_names(group, catalog, (AfxiItem)item);
    }
    if (status == AFX_OK && !write_list(group, "joint_first", H5T_STD_U32LE, H5T_NATIVE_UINT32,
                                        (hsize_t)catalog->count[AFXI_ITEM_JOINT] + 1, catalog->joint_first)) {
        status = AFX_E_SYSTEM;
    }
    if (group >= 0) {
        H5Gclose(group);
    }
    return status;
}

/* What this program reads again; h5py gives texts of fixed length as bytes, and so the same is at the top for others.
 */
static bool write_key(hid_t file, const char *title, const char *hash) {
    hid_t group = H5Gopen2(file, "model", H5P_DEFAULT);
    bool fine = group >= 0 && attribute_fixed(group, "title", title) && attribute_fixed(group, "hash", hash);
    if (group >= 0) {
        fine = H5Gclose(group) >= 0 && fine;
    }
    return fine;
}

static bool write_about(hid_t file, const AfxOutput *output, const AfxOutputDef *def, const AfxSim *sim) {
    char hash[24], program[40];
    snprintf(hash, sizeof hash, "%016" PRIx64, output->catalog.model_hash);
    snprintf(program, sizeof program, "affix %s", afx_version());
    return write_key(file, def->title ? def->title : "", hash) && attribute_text(file, "format", AFXI_H5_FORMAT) &&
           attribute_integer(file, "format_version", AFXI_H5_VERSION) && attribute_text(file, "program", program) &&
           attribute_text(file, "model_hash", hash) && attribute_text(file, "title", def->title ? def->title : "") &&
           attribute_text(file, "integrator", afxi_integrator_name(afx_sim_integrator(sim))) &&
           attribute_number(file, "dt", afx_sim_dt(sim)) && attribute_integer(file, "every", output->every);
}

/* How the chunks of a dataset are stored: shuffled, compressed, with a checksum; never read back by this process. */
static bool set_storage(hid_t create, hid_t access, const AfxiH5Shape *shape, uint32_t compression) {
    return H5Pset_chunk(create, shape->rank, shape->chunk) >= 0 && H5Pset_fill_time(create, H5D_FILL_TIME_NEVER) >= 0 &&
           (compression == 0 || (H5Pset_shuffle(create) >= 0 && H5Pset_deflate(create, compression) >= 0)) &&
           H5Pset_fletcher32(create) >= 0 && H5Pset_chunk_cache(access, 1, 0, 1.0) >= 0;
}

static bool about_columns(hid_t data, const AfxiQuantityInfo *info) {
    char names[120] = "";
    for (uint32_t k = 0; k < info->width && info->width > 1; k++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", k ? " " : "", info->components[k]);
    }
    return attribute_text(data, "unit", info->unit) && (!names[0] || attribute_text(data, "components", names));
}

bool afxi_h5_dataset(hid_t file, const char *name, hid_t type, const AfxiH5Shape *shape, uint32_t compression,
                     hid_t *out_data) {
    hsize_t most[AFXI_H5_RANK] = {H5S_UNLIMITED, shape->dims[1], shape->dims[2]};
    hid_t space = H5Screate_simple(shape->rank, shape->dims, most);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    bool fine = space >= 0 && create >= 0 && access >= 0 && set_storage(create, access, shape, compression);
    *out_data = fine ? H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, access) : -1;
    if (access >= 0) {
        H5Pclose(access);
    }
    if (create >= 0) {
        H5Pclose(create);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return *out_data >= 0;
}

static bool make_dataset(AfxiH5 *h5, const AfxiCatalog *catalog, AfxiQuantity quantity, uint32_t compression) {
    const AfxiQuantityInfo *info = &afxi_quantities[quantity];
    hid_t type = info->stored == AFXI_STORED_DOUBLE   ? H5T_IEEE_F64LE
                 : info->stored == AFXI_STORED_UINT32 ? H5T_STD_U32LE
                                                      : H5T_STD_U64LE;
    AfxiH5Shape shape = afxi_h5_shape(catalog, quantity, h5->chunk);
    return afxi_h5_dataset(h5->file, info->dataset, type, &shape, compression, &h5->data[quantity]) &&
           about_columns(h5->data[quantity], info);
}

static bool make_datasets(AfxiH5 *h5, const AfxiCatalog *catalog, uint32_t compression) {
    hid_t group = H5Gcreate2(h5->file, "report", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = group >= 0 && H5Gclose(group) >= 0;
    for (int k = 0; k < AFXI_QUANTITY_COUNT && fine; k++) {
        fine = h5->width[k] == 0 || make_dataset(h5, catalog, (AfxiQuantity)k, compression);
    }
    return fine && afxi_h5_drawings_make(h5, compression);
}

AfxStatus afxi_h5_make(AfxiH5 *h5, const AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene,
                       const AfxSim *sim, const char *path, AfxError *out_error) {
    hid_t access = afxi_disk_access(&h5->disk);
    bool fine = access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0;
    h5->file = fine ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access) : -1;
    if (access >= 0) {
        H5Pclose(access);
    }
    if (h5->file < 0) {
        return afxi_h5_error(out_error, output->path, "cannot be made", h5->disk.error);
    }
    AfxStatus status = write_model(h5->file, &output->catalog);
    status = status ? status : afxi_h5_write_scene(h5->file, scene, def->run);
    if (status == AFX_E_MEMORY) {
        return afxi_output_memory(output, out_error);
    }
    if (status != AFX_OK || !write_about(h5->file, output, def, sim) ||
        !make_datasets(h5, &output->catalog, def->compression) || H5Fflush(h5->file, H5F_SCOPE_LOCAL) < 0 ||
        h5->disk.error) {
        return afxi_h5_error(out_error, output->path, "cannot be written", h5->disk.error);
    }
    return AFX_OK;
}
