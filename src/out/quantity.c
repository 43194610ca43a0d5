/* SPDX-License-Identifier: Apache-2.0 */
/* The table of quantities, and how each is asked from a sim. */
#include "out/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

_Static_assert(sizeof(AfxPose) == 7 * sizeof(double), "a row of poses is an array of AfxPose");
_Static_assert(sizeof(AfxTwist) == 6 * sizeof(double), "a row of velocities is an array of AfxTwist");
_Static_assert(sizeof(AfxWrench) == 6 * sizeof(double), "a row of reactions is an array of AfxWrench");

#define ALWAYS AFX_RECORD_COUNT

/* clang-format off */
const AfxiQuantityInfo afxi_quantities[AFXI_QUANTITY_COUNT] = {
    [AFXI_POSES] = {"poses", "body", AFX_RECORD_POSES, AFXI_ITEM_BODY, 7, AFXI_STORED_DOUBLE,
        {"x", "y", "z", "qw", "qx", "qy", "qz"}, "m, 1"},
    [AFXI_VELOCITIES] = {"velocities", "velocity", AFX_RECORD_VELOCITIES, AFXI_ITEM_BODY, 6, AFXI_STORED_DOUBLE,
        {"vx", "vy", "vz", "wx", "wy", "wz"}, "m/s, rad/s"},
    [AFXI_JOINTS] = {"joints", "joint", AFX_RECORD_JOINTS, AFXI_ITEM_COORDINATE, 1, AFXI_STORED_DOUBLE,
        {NULL}, "m or rad"},
    [AFXI_RATES] = {"rates", "rate", AFX_RECORD_RATES, AFXI_ITEM_COORDINATE, 1, AFXI_STORED_DOUBLE,
        {NULL}, "m/s or rad/s"},
    [AFXI_REACTIONS] = {"reactions", "reaction", AFX_RECORD_REACTIONS, AFXI_ITEM_JOINT, 6, AFXI_STORED_DOUBLE,
        {"fx", "fy", "fz", "tx", "ty", "tz"}, "N, Nm"},
    [AFXI_EFFORTS] = {"efforts", "effort", AFX_RECORD_EFFORTS, AFXI_ITEM_DRIVE, 1, AFXI_STORED_DOUBLE,
        {NULL}, "N or Nm"},
    [AFXI_MARKERS] = {"markers", "marker", AFX_RECORD_MARKERS, AFXI_ITEM_MARKER, 3, AFXI_STORED_DOUBLE,
        {"x", "y", "z"}, "m"},
    [AFXI_ENERGY] = {"energy", "energy", AFX_RECORD_ENERGY, AFXI_ITEM_ONE, 4, AFXI_STORED_DOUBLE,
        {"kinetic", "potential", "elastic", "total"}, "J"},
    [AFXI_MOMENTUM] = {"momentum", "momentum", AFX_RECORD_MOMENTUM, AFXI_ITEM_ONE, 9, AFXI_STORED_DOUBLE,
        {"cx", "cy", "cz", "px", "py", "pz", "lx", "ly", "lz"}, "m, kg m/s, kg m2/s"},
    [AFXI_WORK] = {"work", "work", AFX_RECORD_WORK, AFXI_ITEM_ONE, 14, AFXI_STORED_DOUBLE,
#define COMPONENT(name, text) #name,
        {AFX_ENERGY_WORK_TABLE(COMPONENT)}, "J"},
#undef COMPONENT
    [AFXI_RESIDUAL] = {"report/residual", "residual", AFX_RECORD_REPORT, AFXI_ITEM_ONE, 1, AFXI_STORED_DOUBLE,
        {NULL}, "m or rad"},
    [AFXI_ROTATION_ERROR] = {"report/rotation_error", "rotation_error", AFX_RECORD_REPORT, AFXI_ITEM_ONE, 1, AFXI_STORED_DOUBLE,
        {NULL}, "rad"},
    [AFXI_CONTACTS] = {"report/contacts", "contacts", AFX_RECORD_REPORT, AFXI_ITEM_ONE, 1, AFXI_STORED_UINT32, {NULL}, "1"},
    [AFXI_DEPTH] = {"report/depth", "depth", AFX_RECORD_REPORT, AFXI_ITEM_ONE, 1, AFXI_STORED_DOUBLE, {NULL}, "m"},
    [AFXI_SOLVES] = {"report/solves", "solves", AFX_RECORD_REPORT, AFXI_ITEM_ONE, 1, AFXI_STORED_UINT32, {NULL}, "1"},
    [AFXI_FLAGS] = {"report/flags", "flags", AFX_RECORD_REPORT, AFXI_ITEM_ONE, 1, AFXI_STORED_UINT32, {NULL}, "bits"},
    [AFXI_STEP] = {"step", "step", ALWAYS, AFXI_ITEM_ONE, 1, AFXI_STORED_UINT64, {NULL}, "1"},
    [AFXI_TIME] = {"time", "time", ALWAYS, AFXI_ITEM_ONE, 1, AFXI_STORED_DOUBLE, {NULL}, "s"},
};
/* clang-format on */

static const char *const record_names[AFX_RECORD_COUNT] = {
#define NAME(record, name) [record] = (name),
    AFX_RECORD_TABLE(NAME)
#undef NAME
};

AfxStatus afxi_record_parse(const char *text, uint32_t *out_records, AfxError *out_error) {
    *out_records = 1u << AFX_RECORD_POSES | 1u << AFX_RECORD_JOINTS | 1u << AFX_RECORD_ENERGY | 1u << AFX_RECORD_REPORT;
    if (!text) {
        return AFX_OK;
    }
    *out_records = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        uint32_t bits = length == 3 && strncmp(at, "all", 3) == 0
                            ? ((1u << AFX_RECORD_COUNT) - 1) & ~(1u << AFX_RECORD_WORK) /* which needs a book */
                            : 0;
        for (int k = 0; k < AFX_RECORD_COUNT; k++) {
            if (strlen(record_names[k]) == length && strncmp(at, record_names[k], length) == 0) {
                bits = 1u << k;
            }
        }
        if (!bits) {
            char cure[sizeof out_error->cure] = "there are all";
            for (int k = 0; k < AFX_RECORD_COUNT; k++) {
                size_t used = strlen(cure);
                snprintf(cure + used, sizeof cure - used, ", %s", record_names[k]);
            }
            return afxi_error_at(out_error, AFX_E_INPUT, "there is no such thing to record", cure, "record \"%.*s\"",
                                 length < 80 ? (int)length : 80, at);
        }
        *out_records |= bits;
        at += length;
        if (*at == '\0') {
            return AFX_OK;
        }
    }
}

size_t afxi_quantity_width(const AfxiCatalog *catalog, uint32_t records, AfxiQuantity quantity) {
    const AfxiQuantityInfo *info = &afxi_quantities[quantity];
    bool wanted = info->record == ALWAYS || (records >> info->record & 1);
    return wanted ? (size_t)catalog->count[info->item] * info->width : 0;
}

static void take_rates(const AfxiCatalog *catalog, const AfxSim *sim, double *out_row) {
    for (uint32_t k = 0; k < catalog->count[AFXI_ITEM_JOINT]; k++) {
        uint32_t first = catalog->joint_first[k], after = catalog->joint_first[k + 1];
        for (uint32_t axis = 0; axis < after - first; axis++) {
            afx_sim_joint_coordinate(sim, k, axis, NULL, &out_row[first + axis]);
        }
    }
}

static void take_each(AfxiQuantity quantity, const AfxiCatalog *catalog, const AfxSim *sim, double *out_row) {
    uint32_t count = catalog->count[afxi_quantities[quantity].item];
    for (uint32_t k = 0; k < count; k++) {
        if (quantity == AFXI_REACTIONS) {
            afx_sim_joint_reaction(sim, k, (AfxWrench *)(void *)(out_row + 6 * (size_t)k));
        } else if (quantity == AFXI_EFFORTS) {
            afx_sim_drive_effort(sim, k, out_row + k);
        } else {
            afx_sim_marker(sim, k, (AfxVec3 *)(void *)(out_row + 3 * (size_t)k), NULL);
        }
    }
}

static void take_momentum(const AfxSim *sim, double *out_row) {
    AfxMomentum momentum = {0};
    afx_sim_momentum(sim, &momentum);
    memcpy(out_row, &momentum.center, sizeof momentum.center);
    memcpy(out_row + 3, &momentum.linear, sizeof momentum.linear);
    memcpy(out_row + 6, &momentum.angular, sizeof momentum.angular);
}

static void take_energy(const AfxSim *sim, double *out_row) {
    AfxEnergy energy = {0};
    afx_sim_energy(sim, &energy);
    out_row[0] = energy.kinetic;
    out_row[1] = energy.potential;
    out_row[2] = energy.elastic;
    out_row[3] = energy.total;
}

/* Since the book was opened; NaN without one. */
static void take_work(const AfxSim *sim, double *out_row) {
    AfxEnergyBook book;
    bool kept = afx_sim_energy_book(sim, NULL, &book) == AFX_OK;
    int k = 0;
#define TAKE(name, text) out_row[k++] = kept ? book.name : NAN;
    AFX_ENERGY_WORK_TABLE(TAKE)
#undef TAKE
}

void afxi_quantity_take(AfxiQuantity quantity, const AfxiCatalog *catalog, const AfxSim *sim,
                        const AfxStepReport *report, double *out_row) {
    switch (quantity) {
    case AFXI_POSES:
        afx_sim_poses(sim, (AfxPose *)(void *)out_row);
        break;
    case AFXI_VELOCITIES:
        afx_sim_twists(sim, (AfxTwist *)(void *)out_row);
        break;
    case AFXI_JOINTS:
        afx_sim_joint_coordinates(sim, out_row);
        break;
    case AFXI_RATES:
        take_rates(catalog, sim, out_row);
        break;
    case AFXI_REACTIONS:
    case AFXI_EFFORTS:
    case AFXI_MARKERS:
        take_each(quantity, catalog, sim, out_row);
        break;
    case AFXI_ENERGY:
        take_energy(sim, out_row);
        break;
    case AFXI_MOMENTUM:
        take_momentum(sim, out_row);
        break;
    case AFXI_WORK:
        take_work(sim, out_row);
        break;
    case AFXI_RESIDUAL:
        *out_row = report->residual;
        break;
    case AFXI_ROTATION_ERROR:
        *out_row = report->rotation_error;
        break;
    case AFXI_CONTACTS:
        *out_row = report->contacts;
        break;
    case AFXI_DEPTH:
        *out_row = report->depth;
        break;
    case AFXI_SOLVES:
        *out_row = report->solves;
        break;
    case AFXI_FLAGS:
        *out_row = report->flags;
        break;
    case AFXI_STEP:
        *out_row = (double)report->step;
        break;
    case AFXI_TIME:
        *out_row = afx_sim_time(sim);
        break;
    case AFXI_QUANTITY_COUNT:
        break;
    }
}
