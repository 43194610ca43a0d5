/* SPDX-License-Identifier: Apache-2.0 */
/* Contact points that last. Three lists take turns: the present one, the one before it, and one that is marked.
 *
 * Points come nearly sorted, because the pairs of the broad phase are: sorting merges the ascending runs that are
 * there, which is one pass over sorted points and n log(runs) in general. Numbers are then taken over by walking along
 * both sorted lists. A table with open addressing would look each point up in no order of memory, and the result would
 * still have to be sorted. */
#include "contact/manifold.h"

#include <string.h>

#include "base/memory.h"

enum { LISTS = 3, NONE = LISTS, NUMBERS_MOST = 64 };

typedef struct List {
    AfxiContactPoint *point; /* [point_capacity] */
    double *number;          /* [number_capacity][numbers] */
    uint32_t count, point_capacity, number_capacity;
} List;

struct AfxiManifold {
    AfxAllocator allocator;
    uint32_t numbers;
    uint32_t present, before, marked; /* which list; NONE */
    bool open;
    List list[LISTS];
    AfxiContactPoint *scratch; /* [scratch_capacity] */
    uint32_t *order;           /* [order_capacity] */
    uint32_t scratch_capacity, order_capacity;
};

/* What a saved list begins with. */
typedef struct Head {
    uint32_t magic, numbers, count, zero;
} Head;

#define MAGIC 0x314D4641u /* AFM1 */

AfxStatus afxi_manifold_create(const AfxAllocator *allocator, uint32_t numbers, AfxiManifold **out) {
    if (out) {
        *out = NULL;
    }
    if (!allocator || !allocator->reallocate || !out || numbers == 0 || numbers > NUMBERS_MOST) {
        return AFX_E_ARGUMENT;
    }
    AfxiManifold *manifold = afxi_allocate(allocator, sizeof *manifold);
    if (!manifold) {
        return AFX_E_MEMORY;
    }
    manifold->allocator = *allocator;
    manifold->numbers = numbers;
    manifold->before = manifold->marked = NONE;
    *out = manifold;
    return AFX_OK;
}

void afxi_manifold_destroy(AfxiManifold *manifold) {
    if (!manifold) {
        return;
    }
    AfxAllocator allocator = manifold->allocator;
    size_t row = manifold->numbers * sizeof(double);
    for (uint32_t k = 0; k < LISTS; k++) {
        List *list = &manifold->list[k];
        afxi_release(&allocator, list->point, list->point_capacity * sizeof *list->point);
        afxi_release(&allocator, list->number, list->number_capacity * row);
    }
    afxi_release(&allocator, manifold->scratch, manifold->scratch_capacity * sizeof *manifold->scratch);
    afxi_release(&allocator, manifold->order, manifold->order_capacity * sizeof *manifold->order);
    afxi_release(&allocator, manifold, sizeof *manifold);
}

static AfxStatus reserve_points(const AfxiManifold *manifold, AfxiContactPoint **point, uint32_t *capacity,
                                uint32_t count) {
    void *array = *point;
    AfxStatus status = afxi_array_reserve(&manifold->allocator, &array, capacity, count, sizeof **point);
    *point = array;
    return status;
}

static AfxStatus reserve_numbers(const AfxiManifold *manifold, List *list, uint32_t count) {
    void *array = list->number;
    AfxStatus status = afxi_array_reserve(&manifold->allocator, &array, &list->number_capacity, count,
                                          manifold->numbers * sizeof(double));
    list->number = array;
    return status;
}

/* A list that is neither `one` nor marked. */
static uint32_t free_list(const AfxiManifold *manifold, uint32_t one) {
    uint32_t k = 0;
    while (k == one || k == manifold->marked) {
        k++;
    }
    return k;
}

AfxStatus afxi_manifold_begin(AfxiManifold *manifold) {
    if (!manifold || manifold->open) {
        return AFX_E_ARGUMENT;
    }
    manifold->before = manifold->present;
    manifold->present = free_list(manifold, manifold->before);
    manifold->list[manifold->present].count = 0;
    manifold->open = true;
    return AFX_OK;
}

AfxStatus afxi_manifold_add(AfxiManifold *manifold, uint32_t count, AfxiContactPoint **out) {
    if (!manifold || !manifold->open || !out) {
        return AFX_E_ARGUMENT;
    }
    List *list = &manifold->list[manifold->present];
    if (count > UINT32_MAX - list->count) {
        return AFX_E_LIMIT;
    }
    AfxStatus status = reserve_points(manifold, &list->point, &list->point_capacity, list->count + count);
    if (status != AFX_OK) {
        return status;
    }
    *out = list->point + list->count;
    list->count += count;
    return AFX_OK;
}

static int compare(const AfxiContactPoint *x, const AfxiContactPoint *y) {
    uint64_t first = (uint64_t)x->a << 32 | x->b, second = (uint64_t)y->a << 32 | y->b;
    if (first != second) {
        return first < second ? -1 : 1;
    }
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

/* One past the ascending run that begins at `begin`. */
static uint32_t run_end(const AfxiContactPoint *point, uint32_t begin, uint32_t count) {
    uint32_t end = begin < count ? begin + 1 : count;
    while (end < count && compare(&point[end - 1], &point[end]) <= 0) {
        end++;
    }
    return end;
}

/* Merges the ascending runs two by two into `to`; returns how many there are then. Equal points stay in order. */
static uint32_t merge_runs(const AfxiContactPoint *point, uint32_t count, AfxiContactPoint *to) {
    uint32_t runs = 0;
    for (uint32_t begin = 0; begin < count; runs++) {
        uint32_t middle = run_end(point, begin, count), end = run_end(point, middle, count);
        uint32_t left = begin, right = middle;
        for (uint32_t k = begin; k < end; k++) {
            bool take_left = right == end || (left < middle && compare(&point[left], &point[right]) <= 0);
            to[k] = point[take_left ? left++ : right++];
        }
        begin = end;
    }
    return runs;
}

/* Puts the open list in order; `known` holds the place of each point before. The scratch is as long. */
static void sort_points(AfxiManifold *manifold, List *list) {
    for (uint32_t k = 0; k < list->count; k++) {
        list->point[k].known = k;
    }
    if (run_end(list->point, 0, list->count) == list->count) {
        return;
    }
    AfxiContactPoint *from = list->point, *to = manifold->scratch;
    for (uint32_t runs = 2; runs > 1;) {
        runs = merge_runs(from, list->count, to);
        AfxiContactPoint *swap = from;
        from = to;
        to = swap;
    }
    if (from != list->point) {
        memcpy(list->point, from, list->count * sizeof *from);
    }
}

static void take_over(const AfxiManifold *manifold, List *list, const List *before) {
    size_t row = manifold->numbers * sizeof(double);
    for (uint32_t k = 0, old = 0; k < list->count; k++) {
        int order = -1;
        while (old < before->count && (order = compare(&before->point[old], &list->point[k])) < 0) {
            old++;
        }
        bool known = old < before->count && order == 0;
        double *number = list->number + (size_t)k * manifold->numbers;
        manifold->order[k] = list->point[k].known;
        list->point[k].known = known;
        if (known) {
            memcpy(number, before->number + (size_t)old++ * manifold->numbers, row);
        } else {
            memset(number, 0, row);
        }
    }
}

AfxStatus afxi_manifold_finish(AfxiManifold *manifold) {
    if (!manifold || !manifold->open) {
        return AFX_E_ARGUMENT;
    }
    List *list = &manifold->list[manifold->present];
    for (uint32_t k = 0; k < list->count; k++) {
        if (list->point[k].a >= list->point[k].b) {
            return AFX_E_ARGUMENT;
        }
    }
    void *order = manifold->order;
    AfxStatus status = reserve_points(manifold, &manifold->scratch, &manifold->scratch_capacity, list->count);
    if (status == AFX_OK) {
        status = reserve_numbers(manifold, list, list->count);
    }
    if (status == AFX_OK) {
        status = afxi_array_reserve(&manifold->allocator, &order, &manifold->order_capacity, list->count,
                                    sizeof *manifold->order);
        manifold->order = order;
    }
    if (status != AFX_OK) {
        return status;
    }
    sort_points(manifold, list);
    take_over(manifold, list, &manifold->list[manifold->before]);
    manifold->open = false;
    return AFX_OK;
}

AfxStatus afxi_manifold_rollback(AfxiManifold *manifold) {
    if (!manifold || manifold->before == NONE) {
        return AFX_E_ARGUMENT;
    }
    manifold->present = manifold->before;
    manifold->before = NONE;
    manifold->open = false;
    return AFX_OK;
}

AfxStatus afxi_manifold_mark(AfxiManifold *manifold) {
    if (!manifold || manifold->open) {
        return AFX_E_ARGUMENT;
    }
    manifold->marked = manifold->present;
    return AFX_OK;
}

AfxStatus afxi_manifold_return(AfxiManifold *manifold) {
    if (!manifold || manifold->marked == NONE) {
        return AFX_E_ARGUMENT;
    }
    manifold->present = manifold->marked;
    manifold->before = NONE;
    manifold->open = false;
    return AFX_OK;
}

const AfxiContactPoint *afxi_manifold_points(const AfxiManifold *manifold, uint32_t *out_count) {
    *out_count = manifold->list[manifold->present].count;
    return manifold->list[manifold->present].point;
}

double *afxi_manifold_numbers(AfxiManifold *manifold) {
    return manifold->list[manifold->present].number;
}

const uint32_t *afxi_manifold_order(const AfxiManifold *manifold) {
    return manifold->order;
}

static uint64_t saved_bytes(uint64_t count, uint32_t numbers) {
    return sizeof(Head) + count * (sizeof(AfxiContactPoint) + numbers * sizeof(double));
}

size_t afxi_manifold_bytes(const AfxiManifold *manifold) {
    return (size_t)saved_bytes(manifold->list[manifold->present].count, manifold->numbers);
}

AfxStatus afxi_manifold_save(const AfxiManifold *manifold, void *buffer, size_t size) {
    if (!manifold || !buffer || manifold->open || size != afxi_manifold_bytes(manifold)) {
        return AFX_E_ARGUMENT;
    }
    const List *list = &manifold->list[manifold->present];
    Head head = {MAGIC, manifold->numbers, list->count, 0};
    size_t points = list->count * sizeof *list->point;
    unsigned char *to = buffer;
    memcpy(to, &head, sizeof head);
    if (list->count) {
        memcpy(to + sizeof head, list->point, points);
        memcpy(to + sizeof head + points, list->number, size - sizeof head - points);
    }
    return AFX_OK;
}

static bool saved_valid(const unsigned char *from, uint32_t count) {
    AfxiContactPoint last = {0}, point;
    for (uint32_t k = 0; k < count; k++, last = point) {
        memcpy(&point, from + k * sizeof point, sizeof point);
        if (point.a >= point.b || point.known > 1 || (k && compare(&last, &point) > 0)) {
            return false;
        }
    }
    return true;
}

AfxStatus afxi_manifold_load(AfxiManifold *manifold, const void *buffer, size_t size) {
    if (!manifold || !buffer) {
        return AFX_E_ARGUMENT;
    }
    Head head;
    const unsigned char *from = buffer;
    if (size < sizeof head) {
        return AFX_E_INPUT;
    }
    memcpy(&head, from, sizeof head);
    if (head.magic != MAGIC || head.numbers != manifold->numbers) {
        return AFX_E_VERSION;
    }
    if (head.zero || size != saved_bytes(head.count, head.numbers) || !saved_valid(from + sizeof head, head.count)) {
        return AFX_E_INPUT;
    }
    List *list = &manifold->list[manifold->present]; /* growing it changes nothing in it */
    AfxStatus status = reserve_points(manifold, &list->point, &list->point_capacity, head.count);
    if (status == AFX_OK) {
        status = reserve_numbers(manifold, list, head.count);
    }
    if (status != AFX_OK) {
        return status;
    }
    size_t points = head.count * sizeof *list->point;
    if (head.count) {
        memcpy(list->point, from + sizeof head, points);
        memcpy(list->number, from + sizeof head + points, size - sizeof head - points);
    }
    list->count = head.count;
    manifold->before = manifold->marked = NONE;
    manifold->open = false;
    return AFX_OK;
}
