/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of springs: one block of positions and forces for each. */
#include "scene/table.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "math/table.h"

static AfxStatus check_table(const AfxiErrorPlace *place, const AfxForceTable *table, const char *which) {
    const char *fault = afxi_table_fault(table);
    if (!fault) {
        return AFX_OK;
    }
    char text[160];
    snprintf(text, sizeof text, "the table of its %s %s", which, fault);
    return afxi_fail(place, AFX_E_INPUT, text, "give at least two samples, finite, at positions that rise");
}

AfxStatus afxi_check_tables(const AfxiErrorPlace *place, const AfxForceTable *spring, const AfxForceTable *damper) {
    AfxStatus status = check_table(place, spring, "spring");
    status = status ? status : check_table(place, damper, "damper");
    bool rests = damper->count == 0, drives = false;
    for (uint32_t k = 0; !status && k < damper->count; k++) {
        double rate = damper->positions[k], force = damper->forces[k];
        rests |= rate == 0 && force == 0;
        drives |= (rate > 0 && force < 0) || (rate < 0 && force > 0);
    }
    if (!status && drives) {
        status = afxi_fail(place, AFX_E_INPUT, "the table of its damper drives: a force has not the sign of its rate",
                           "give forces of the sign of their rates");
    }
    if (!status && !rests) {
        status = afxi_fail(place, AFX_E_INPUT, "the table of its damper does not say that there is no force at rate 0",
                           "add the sample (0, 0)");
    }
    return status;
}

static size_t size_of(const AfxForceTable *table) {
    return 2 * (size_t)table->count * sizeof(double);
}

static AfxStatus copy_table(const AfxScene *scene, const AfxForceTable *from, AfxForceTable *to) {
    *to = (AfxForceTable){0};
    if (!from->count) {
        return AFX_OK;
    }
    double *block = afxi_allocate(&scene->allocator, size_of(from));
    if (!block) {
        return AFX_E_MEMORY;
    }
    memcpy(block, from->positions, from->count * sizeof *block);
    memcpy(block + from->count, from->forces, from->count * sizeof *block);
    *to = (AfxForceTable){block, block + from->count, from->count};
    return AFX_OK;
}

static void free_table(const AfxScene *scene, AfxForceTable *table) {
    afxi_release(&scene->allocator, (void *)(uintptr_t)table->positions, size_of(table));
    *table = (AfxForceTable){0};
}

AfxStatus afxi_tables_copy(const AfxScene *scene, AfxForceTable *spring, AfxForceTable *damper) {
    AfxForceTable copy[2];
    AfxStatus status = copy_table(scene, spring, &copy[0]);
    if (status == AFX_OK && (status = copy_table(scene, damper, &copy[1])) != AFX_OK) {
        free_table(scene, &copy[0]);
    }
    if (status == AFX_OK) {
        *spring = copy[0];
        *damper = copy[1];
    }
    return status;
}

void afxi_tables_free(const AfxScene *scene, AfxForceTable *spring, AfxForceTable *damper) {
    free_table(scene, spring);
    free_table(scene, damper);
}
