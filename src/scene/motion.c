/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of signals: one block of times and values for each, and a formula's text. */
#include "scene/motion.h"

#include <string.h>

#include "base/memory.h"
#include "math/formula.h"
#include "scene/store.h"

static AfxSignal *signal_of(AfxMotion *motion, int k) {
    return k < 3 ? &motion->translation[k] : &motion->angle;
}

/** The coefficients that a kind uses. */
static size_t coefficient_count(AfxSignalKind kind) {
    static const uint8_t counts[] = {[AFX_SIGNAL_CONSTANT] = 1,
                                     [AFX_SIGNAL_POLYNOMIAL] = AFX_SIGNAL_COEFFICIENTS,
                                     [AFX_SIGNAL_SINE] = 4,
                                     [AFX_SIGNAL_TABLE] = 0,
                                     [AFX_SIGNAL_FORMULA] = 0};
    return counts[kind];
}

/** Of a table, or a formula's program with a blank table's times, and its text. Cannot overflow: what the caller has is
 * as large. */
static size_t block_size(const AfxSignal *signal) {
    return 2 * (size_t)signal->sample_count * sizeof(double) + (signal->formula ? strlen(signal->formula) + 1 : 0);
}

AfxStatus afxi_signal_copy(const AfxScene *scene, AfxSignal *signal) {
    AfxSignal source = *signal;
    double program[AFXI_FORMULA_MOST], none[AFXI_FORMULA_MOST] = {0};
    *signal = (AfxSignal){.kind = source.kind};
    if (source.kind == AFX_SIGNAL_FORMULA) {
        const char *fault = NULL;
        source.sample_count = afxi_formula_compile(source.formula, program, &fault, NULL);
        source.times = none;
        source.values = program;
    } else if (source.kind != AFX_SIGNAL_TABLE) {
        memcpy(signal->coefficients, source.coefficients, coefficient_count(source.kind) * sizeof(double));
        return AFX_OK;
    } else {
        source.formula = NULL;
    }
    uint32_t count = source.sample_count;
    double *table = afxi_allocate(&scene->allocator, block_size(&source));
    if (!table) {
        *signal = (AfxSignal){0};
        return AFX_E_MEMORY;
    }
    memcpy(table, source.times, count * sizeof *table);
    memcpy(table + count, source.values, count * sizeof *table);
    signal->times = table;
    signal->values = table + count;
    signal->sample_count = count;
    if (source.formula) {
        char *text = (char *)(table + 2 * (size_t)count);
        memcpy(text, source.formula, strlen(source.formula) + 1);
        signal->formula = text;
    }
    return AFX_OK;
}

void afxi_signal_free(const AfxScene *scene, AfxSignal *signal) {
    afxi_release(&scene->allocator, (void *)(uintptr_t)signal->times, block_size(signal));
    *signal = (AfxSignal){0};
}

AfxStatus afxi_motion_copy(const AfxScene *scene, AfxMotion *motion) {
    AfxMotion copy = *motion;
    for (int k = 0; k < 4; k++) {
        AfxStatus status = afxi_signal_copy(scene, signal_of(&copy, k));
        if (status) {
            for (int rest = k + 1; rest < 4; rest++) { /* these still point to the caller's tables */
                *signal_of(&copy, rest) = (AfxSignal){0};
            }
            afxi_motion_free(scene, &copy);
            return status;
        }
    }
    *motion = copy;
    return AFX_OK;
}

void afxi_motion_free(const AfxScene *scene, AfxMotion *motion) {
    for (int k = 0; k < 4; k++) {
        afxi_signal_free(scene, signal_of(motion, k));
    }
}
