/* SPDX-License-Identifier: Apache-2.0 */
/* How much a file makes, before any of it is made: the items of every block times the instances around it, in
 * arithmetic that saturates. What the values themselves are is not looked at here. */
#include "load/json.h"

enum { BODIES, SHAPES, JOINTS, DRIVES, COUPLINGS, SPRINGS, MARKERS, WRENCHES, EXCLUSIONS, INSTANCES, SORTS };

/* Pieces of work (afxi_load_work) of one item. */
#define ITEM_WORK 3u

typedef struct Totals {
    uint64_t of[SORTS];
} Totals;

static uint64_t add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t multiply(uint64_t a, uint64_t b) {
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/** total += factor * more */
static void add_times(Totals *total, uint64_t factor, const Totals *more) {
    for (int k = 0; k < SORTS; k++) {
        total->of[k] = add(total->of[k], multiply(factor, more->of[k]));
    }
}

static uint64_t length_of(const AfxiJsonNode *object, const char *key) {
    const AfxiJsonNode *array = afxi_json_get(object, key);
    return array && json_is_array(array->value) ? array->count : 0;
}

static Totals count_joint(const AfxiJsonNode *node) {
    Totals t = {{[JOINTS] = 1, [DRIVES] = length_of(node, "drives")}};
    if (afxi_json_get(node, "cross")) {
        t.of[JOINTS] = 2;
        t.of[BODIES] = 1;
    }
    return t;
}

static Totals count_body(const AfxiJsonNode *node) {
    Totals one = {{[BODIES] = 1,
                   [SHAPES] = length_of(node, "shapes"),
                   [MARKERS] = length_of(node, "markers"),
                   [WRENCHES] = length_of(node, "wrenches")}};
    const AfxiJsonNode *repeat = afxi_json_get(node, "repeat"), *joint = afxi_json_get(repeat, "joint");
    if (joint && json_is_array(joint->value)) {
        for (const AfxiJsonNode *each = afxi_json_first(joint); each; each = afxi_json_next(joint, each)) {
            Totals tie = count_joint(each);
            add_times(&one, 1, &tie);
        }
    } else if (joint) {
        Totals tie = count_joint(joint);
        add_times(&one, 1, &tie);
    }
    Totals all = {0};
    add_times(&all, afxi_json_repeat_total(repeat), &one);
    return all;
}

static Totals count_block(const AfxiJsonNode *node) {
    Totals t = {{[DRIVES] = length_of(node, "drives"),
                 [COUPLINGS] = length_of(node, "couplings"),
                 [SPRINGS] = length_of(node, "springs"),
                 [MARKERS] = length_of(node, "markers"),
                 [WRENCHES] = length_of(node, "wrenches"),
                 [EXCLUSIONS] = length_of(node, "exclusions"),
                 [INSTANCES] = 1}};
    const AfxiJsonNode *list = afxi_json_get(node, "bodies"), *child;
    for (child = afxi_json_first(list); child; child = afxi_json_next(list, child)) {
        Totals body = count_body(child);
        add_times(&t, 1, &body);
    }
    list = afxi_json_get(node, "joints");
    for (child = afxi_json_first(list); child; child = afxi_json_next(list, child)) {
        Totals joint = count_joint(child);
        add_times(&t, 1, &joint);
    }
    list = afxi_json_get(node, "groups");
    for (child = afxi_json_first(list); child; child = afxi_json_next(list, child)) {
        Totals group = count_block(child);
        add_times(&t, afxi_json_repeat_total(afxi_json_get(child, "repeat")), &group);
    }
    return t;
}

bool afxi_json_count_block(const AfxiJsonFile *file, const AfxiJsonNode *node) {
    static const char *const names[SORTS] = {"bodies",  "shapes",  "joints",   "drives",     "couplings",
                                             "springs", "markers", "wrenches", "exclusions", "instances"};
    Totals totals = count_block(node);
    uint64_t all = 0;
    bool fine = true;
    for (int k = 0; k < SORTS && fine; k++) {
        fine = afxi_load_items(file->load, totals.of[k], names[k], file->path, node->line);
        all = add(all, totals.of[k]);
    }
    return fine && afxi_load_work(file->load, multiply(ITEM_WORK, all), file->path, node->line);
}
