/* SPDX-License-Identifier: Apache-2.0 */
/* What can be recorded of a state, as rows of numbers: one table for trajectories, tables and plots alike. */
#ifndef AFXI_OUT_QUANTITY_H
#define AFXI_OUT_QUANTITY_H

#include "affix/out.h"
#include "out/catalog.h"

/* Time is the last: a trajectory writes the rows in this order, so that whoever sees a time sees all of its frame. */
typedef enum AfxiQuantity {
    AFXI_POSES = 0,
    AFXI_VELOCITIES,
    AFXI_JOINTS,
    AFXI_RATES,
    AFXI_REACTIONS,
    AFXI_EFFORTS,
    AFXI_MARKERS,
    AFXI_ENERGY,
    AFXI_MOMENTUM,
    AFXI_WORK,
    AFXI_RESIDUAL,
    AFXI_ROTATION_ERROR,
    AFXI_CONTACTS,
    AFXI_DEPTH,
    AFXI_SOLVES,
    AFXI_FLAGS,
    AFXI_STEP,
    AFXI_TIME,
    AFXI_QUANTITY_COUNT
} AfxiQuantity;

#define AFXI_COMPONENTS 14

typedef enum AfxiStored { AFXI_STORED_DOUBLE = 0, AFXI_STORED_UINT32, AFXI_STORED_UINT64 } AfxiStored;

typedef struct AfxiQuantityInfo {
    const char *dataset; /* path in a trajectory */
    const char *column;  /* "body" of "body:arm.z"; "energy" of "energy.total" */
    int record;          /* AfxRecord, or AFX_RECORD_COUNT: always there */
    AfxiItem item;       /* a row has `width` numbers for each of these */
    uint32_t width;
    AfxiStored stored;
    const char *components[AFXI_COMPONENTS]; /* [width] names; none when the width is 1 */
    const char *unit;
} AfxiQuantityInfo;

extern const AfxiQuantityInfo afxi_quantities[AFXI_QUANTITY_COUNT];

/** Bits 1 << AfxRecord from names separated by commas ("poses,energy", "all"; NULL: the default). An error names the
 * word. */
AfxStatus afxi_record_parse(const char *text, uint32_t *out_records, AfxError *out_error);
/** Numbers in a row of a quantity; 0 when the run has none, or the records leave it out. */
size_t afxi_quantity_width(const AfxiCatalog *catalog, uint32_t records, AfxiQuantity quantity);
/** A row of a quantity from the sim and from what was combined of the last reports. */
void afxi_quantity_take(AfxiQuantity quantity, const AfxiCatalog *catalog, const AfxSim *sim,
                        const AfxStepReport *report, double *out_row);

#endif
