/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of time in a scene file: a number, or an object with one of constant, polynomial, sine, table
 * and formula. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/json.h"
#include "load/point.h"
#include "math/formula.h"

static size_t table_size(uint32_t count) {
    return 2 * (size_t)count * sizeof(double);
}

void afxi_json_signal_free(const AfxiJsonFile *file, AfxSignal *signal) {
    afxi_release(&file->load->allocator, (void *)(uintptr_t)signal->times, table_size(signal->sample_count));
    afxi_release(&file->load->allocator, (void *)(uintptr_t)signal->formula,
                 signal->formula ? strlen(signal->formula) + 1 : 0);
    *signal = (AfxSignal){0};
}

bool afxi_json_count_signal(const AfxiJsonFile *file, const AfxSignal *signal, const AfxiJsonNode *node) {
    return signal->kind != AFX_SIGNAL_TABLE || afxi_load_work(file->load, signal->sample_count, file->path, node->line);
}

bool afxi_json_count_motion(const AfxiJsonFile *file, const AfxMotion *motion, const AfxiJsonNode *node) {
    bool fine = afxi_json_count_signal(file, &motion->angle, node);
    for (int k = 0; k < 3 && fine; k++) {
        fine = afxi_json_count_signal(file, &motion->translation[k], node);
    }
    return fine;
}

/** c_k in value / time^k. */
static bool read_polynomial(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, AfxSignal *signal) {
    if (!json_is_array(node->value) || node->count == 0 || node->count > AFX_SIGNAL_COEFFICIENTS) {
        return afxi_json_error(file, node, "this is not an array of 1 to 6 coefficients", "write [c0, c1, ...]");
    }
    signal->kind = AFX_SIGNAL_POLYNOMIAL;
    bool fine = true;
    int k = 0;
    for (const AfxiJsonNode *child = afxi_json_first(node); child && fine; child = afxi_json_next(node, child)) {
        fine = afxi_json_number_at(file, child, unit, &signal->coefficients[k++]);
        unit /= file->units.time;
    }
    return fine;
}

static bool read_sine(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, AfxSignal *signal) {
    double *c = signal->coefficients;
    signal->kind = AFX_SIGNAL_SINE;
    return afxi_json_keys(file, node, "offset amplitude frequency phase") &&
           afxi_json_number(file, node, "offset", unit, &c[0]) &&
           afxi_json_number(file, node, "amplitude", unit, &c[1]) &&
           afxi_json_number(file, node, "frequency", 1 / file->units.time, &c[2]) &&
           afxi_json_number(file, node, "phase", file->units.angle, &c[3]);
}

static bool read_table(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, AfxSignal *signal) {
    const AfxiJsonNode *times, *values;
    if (!afxi_json_keys(file, node, "times values") || !afxi_json_need(file, node, "times", &times) ||
        !afxi_json_need(file, node, "values", &values)) {
        return false;
    }
    uint32_t count = times->count;
    if (!json_is_array(times->value) || count == 0) {
        return afxi_json_error(file, times, "this is not an array of times", "write [t0, t1, ...]");
    }
    if (!afxi_load_work(file->load, count, file->path, node->line)) {
        return false;
    }
    double *table = afxi_allocate(&file->load->allocator, table_size(count));
    if (!table) {
        return afxi_load_memory_error(file->load, file->path, node->line);
    }
    signal->kind = AFX_SIGNAL_TABLE;
    signal->times = table;
    signal->values = table + count;
    signal->sample_count = count;
    return afxi_json_numbers_at(file, times, count, file->units.time, table) &&
           afxi_json_numbers_at(file, values, count, unit, table + count);
}

/** t is in seconds whatever the units of the file; the value is in them. */
static bool read_formula(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, AfxSignal *signal) {
    const char *text;
    if (!afxi_json_text_at(file, node, &text)) {
        return false;
    }
    char factor[40] = "";
    if (unit != 1) {
        snprintf(factor, sizeof factor, ") * %.17g", unit);
        afxi_decimal_point(factor);
    }
    const char *open = unit != 1 ? "(" : "";
    size_t size = strlen(open) + strlen(text) + strlen(factor) + 1;
    if (!afxi_load_work(file->load, size / sizeof(double), file->path, node->line)) {
        return false;
    }
    char *copy = afxi_allocate(&file->load->allocator, size);
    if (!copy) {
        return afxi_load_memory_error(file->load, file->path, node->line);
    }
    snprintf(copy, size, "%s%s%s", open, text, factor);
    signal->kind = AFX_SIGNAL_FORMULA;
    signal->formula = copy;
    signal->sample_count = 0;
    double program[AFXI_FORMULA_MOST];
    const char *fault;
    uint32_t place;
    if (!afxi_formula_compile(copy, program, &fault, &place)) {
        char cause[128];
        snprintf(cause, sizeof cause, "%s, at character %u", fault, place + (unit == 1 ? 1 : 0));
        return afxi_json_error(file, node, cause,
                               "write it with + - * / ^, brackets, t, pi and the functions of docs/joints.md");
    }
    return true;
}

static bool read_kind(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, AfxSignal *signal) {
    const AfxiJsonNode *part = NULL;
    if (!afxi_json_keys(file, node, "constant polynomial sine table formula")) {
        return false;
    }
    if (afxi_json_get(node, "constant") && node->count == 1) {
        return afxi_json_number(file, node, "constant", unit, &signal->coefficients[0]);
    }
    if ((part = afxi_json_get(node, "polynomial")) && node->count == 1) {
        return read_polynomial(file, part, unit, signal);
    }
    if ((part = afxi_json_get(node, "sine")) && node->count == 1) {
        return read_sine(file, part, unit, signal);
    }
    if ((part = afxi_json_get(node, "table")) && node->count == 1) {
        return read_table(file, part, unit, signal);
    }
    if ((part = afxi_json_get(node, "formula")) && node->count == 1) {
        return read_formula(file, part, unit, signal);
    }
    return afxi_json_error(file, node, "this is no function of time",
                           "give a number, or an object with one key: constant, polynomial, sine, table or formula");
}

bool afxi_json_signal_at(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, AfxSignal *out_signal) {
    AfxSignal signal = {0};
    bool fine = json_is_number(node->value) ? afxi_json_number_at(file, node, unit, &signal.coefficients[0])
                                            : read_kind(file, node, unit, &signal);
    if (!fine) {
        afxi_json_signal_free(file, &signal);
    }
    *out_signal = signal;
    return fine;
}
