/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a running sim as numbers in memory: what a table would write, for callers that reckon with it. */
#include "affix/out.h"
#include "base/memory.h"
#include "base/status.h"
#include "out/column.h"

struct AfxProbe {
    AfxAllocator allocator;
    AfxiCatalog catalog;
    AfxiColumns columns;
    size_t width[AFXI_QUANTITY_COUNT]; /* 0: no column needs it */
    double *rows[AFXI_QUANTITY_COUNT]; /* [width] */
};

static AfxStatus memory_error(AfxError *out_error) {
    return afxi_error(out_error, AFX_E_MEMORY, "columns", afx_status_text(AFX_E_MEMORY), "take fewer columns");
}

static AfxStatus fill(AfxProbe *probe, const AfxScene *scene, const AfxModel *model, const char *columns,
                      AfxError *out_error) {
    AfxStatus status = afxi_catalog_create(&probe->allocator, scene, model, &probe->catalog);
    if (status != AFX_OK) {
        return afxi_error(out_error, status, "scene", afx_status_text(status), "give the scene of this model");
    }
    status = afxi_columns_parse(&probe->columns, &probe->catalog, columns, out_error);
    for (uint32_t k = 0; k < probe->columns.count && status == AFX_OK; k++) {
        AfxiQuantity quantity = probe->columns.items[k].quantity;
        if (probe->rows[quantity]) {
            continue;
        }
        probe->width[quantity] = afxi_quantity_width(&probe->catalog, UINT32_MAX, quantity);
        probe->rows[quantity] = afxi_allocate(&probe->allocator, probe->width[quantity] * sizeof(double));
        if (!probe->rows[quantity]) {
            return memory_error(out_error);
        }
    }
    return status;
}

AfxStatus afx_probe_create(const AfxScene *scene, const AfxModel *model, const char *columns,
                           const AfxAllocator *allocator, AfxProbe **out_probe, AfxError *out_error) {
    if (!scene || !model || !columns || !out_probe) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "probe", afx_status_text(AFX_E_ARGUMENT), "");
    }
    *out_probe = NULL;
    AfxAllocator from = allocator ? *allocator : afx_default_allocator();
    AfxProbe *probe = afxi_allocate(&from, sizeof *probe);
    if (!probe) {
        return memory_error(out_error);
    }
    probe->allocator = probe->columns.allocator = from;
    AfxStatus status = fill(probe, scene, model, columns, out_error);
    if (status != AFX_OK) {
        afx_probe_destroy(probe);
        return status;
    }
    *out_probe = probe;
    return AFX_OK;
}

void afx_probe_destroy(AfxProbe *probe) {
    if (!probe) {
        return;
    }
    for (int k = 0; k < AFXI_QUANTITY_COUNT; k++) {
        afxi_release(&probe->allocator, probe->rows[k], probe->width[k] * sizeof(double));
    }
    afxi_columns_destroy(&probe->columns);
    afxi_catalog_destroy(&probe->catalog);
    AfxAllocator allocator = probe->allocator;
    afxi_release(&allocator, probe, sizeof *probe);
}

uint32_t afx_probe_count(const AfxProbe *probe) {
    return probe ? probe->columns.count : 0;
}

const char *afx_probe_name(const AfxProbe *probe, uint32_t column) {
    return probe && column < probe->columns.count ? probe->columns.items[column].name : NULL;
}

AfxStatus afx_probe_read(AfxProbe *probe, const AfxSim *sim, const AfxStepReport *report, double *out_values) {
    static const AfxStepReport none = {.body = UINT32_MAX};
    if (!probe || !sim || !out_values || afx_model_hash(afx_sim_model(sim)) != probe->catalog.model_hash) {
        return AFX_E_ARGUMENT;
    }
    for (int k = 0; k < AFXI_QUANTITY_COUNT; k++) {
        if (probe->rows[k]) {
            afxi_quantity_take((AfxiQuantity)k, &probe->catalog, sim, report ? report : &none, probe->rows[k]);
        }
    }
    for (uint32_t k = 0; k < probe->columns.count; k++) {
        out_values[k] = probe->rows[probe->columns.items[k].quantity][probe->columns.items[k].index];
    }
    return AFX_OK;
}
