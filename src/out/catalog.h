/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is made of, as its outputs call it: names of bodies, joints, drives and markers, and whose joint
 * coordinate is whose. Made from a scene, or read back from a trajectory. */
#ifndef AFXI_OUT_CATALOG_H
#define AFXI_OUT_CATALOG_H

#include "affix/sim.h"

typedef enum AfxiItem {
    AFXI_ITEM_BODY = 0,
    AFXI_ITEM_JOINT,
    AFXI_ITEM_DRIVE,
    AFXI_ITEM_MARKER,
    AFXI_ITEM_NAMED, /* the items above have names */
    AFXI_ITEM_COORDINATE = AFXI_ITEM_NAMED,
    AFXI_ITEM_ONE, /* the run as a whole */
    AFXI_ITEM_COUNT
} AfxiItem;

typedef struct AfxiNameList {
    char *text; /* all names one after the other, each with its zero */
    size_t text_size;
    size_t *offset; /* [count] */
} AfxiNameList;

typedef struct AfxiCatalog {
    AfxAllocator allocator;
    uint32_t count[AFXI_ITEM_COUNT];
    AfxiNameList names[AFXI_ITEM_NAMED];
    uint32_t *joint_first; /* [joints + 1] first coordinate of each joint */
    uint64_t model_hash;
} AfxiCatalog;

/** What the lists are called in a trajectory: "bodies", "joints", "drives", "markers". */
extern const char *const afxi_item_lists[AFXI_ITEM_NAMED];

/** AFX_E_MEMORY, AFX_E_LIMIT, or AFX_E_ARGUMENT when scene and model do not belong together. */
AfxStatus afxi_catalog_create(const AfxAllocator *allocator, const AfxScene *scene, const AfxModel *model,
                              AfxiCatalog *out_catalog);
/** An empty list of `count` names of at most `text_size` bytes together, to be filled. */
AfxStatus afxi_catalog_reserve_names(AfxiCatalog *catalog, AfxiItem item, uint32_t count, size_t text_size);
/** Room for the first coordinates of all joints. */
AfxStatus afxi_catalog_reserve_joints(AfxiCatalog *catalog);
void afxi_catalog_destroy(AfxiCatalog *catalog);

/** The name, "" where there is none. */
const char *afxi_catalog_name(const AfxiCatalog *catalog, AfxiItem item, uint32_t index);
/** The item of that name; else, when the `length` characters are a number, the item of that index; UINT32_MAX when
 * there is none. */
uint32_t afxi_catalog_find(const AfxiCatalog *catalog, AfxiItem item, const char *name, size_t length);

#endif
