/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of contact points against a plain search in the list before, undoing, marking, saving, and no memory. */
#include "contact/manifold.h"
#include "tests.h"

enum { NUMBERS = 3, MOST = 400 };

/* What a finished list should hold. */
typedef struct Model {
    uint32_t count;
    AfxiContactPoint point[MOST];
    double number[MOST][NUMBERS];
} Model;

static int compare(const void *x, const void *y) {
    const AfxiContactPoint *a = x, *b = y;
    const uint32_t left[4] = {a->a, a->b, a->feature, a->known}, right[4] = {b->a, b->b, b->feature, b->known};
    for (int k = 0; k < 4; k++) {
        if (left[k] != right[k]) {
            return left[k] < right[k] ? -1 : 1;
        }
    }
    return 0;
}

static bool same(const AfxiContactPoint *x, const AfxiContactPoint *y) {
    return x->a == y->a && x->b == y->b && x->feature == y->feature;
}

/* How many points of that name are before place k. */
static uint32_t earlier(const Model *model, const AfxiContactPoint *point, uint32_t k) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < k; j++) {
        count += same(&model->point[j], point);
    }
    return count;
}

static Model model_next(const Model *before, const AfxiContactPoint *added, uint32_t count) {
    Model next = {.count = count};
    memcpy(next.point, added, count * sizeof *added);
    for (uint32_t k = 0; k < count; k++) {
        next.point[k].known = k; /* ties: as added */
    }
    qsort(next.point, count, sizeof next.point[0], compare);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t rank = earlier(&next, &next.point[k], k);
        next.point[k].known = 0;
        for (uint32_t j = 0; j < before->count; j++) {
            if (same(&before->point[j], &next.point[k]) && rank-- == 0) {
                memcpy(next.number[k], before->number[j], sizeof next.number[k]);
                next.point[k].known = 1;
                break;
            }
        }
    }
    return next;
}

static void assert_model(AfxiManifold *manifold, const Model *model) {
    uint32_t count;
    const AfxiContactPoint *point = afxi_manifold_points(manifold, &count);
    assert_int_equal(count, model->count);
    if (count) {
        assert_memory_equal(point, model->point, count * sizeof *point);
        assert_memory_equal(afxi_manifold_numbers(manifold), model->number, count * sizeof model->number[0]);
    }
}

/* Random names of few kinds, so that many come again; sometimes in order, sometimes with names twice. */
static uint32_t random_points(AfxiContactPoint *point, uint64_t *seed) {
    uint32_t count = (uint32_t)(random_unit(seed) * MOST), kinds = 1 + (uint32_t)(random_unit(seed) * 14);
    for (uint32_t k = 0; k < count; k++) {
        point[k].a = (uint32_t)(random_unit(seed) * kinds);
        point[k].b = point[k].a + 1 + (uint32_t)(random_unit(seed) * kinds);
        point[k].feature = (uint32_t)(random_unit(seed) * 6) * 0x33333333u;
        point[k].known = 0;
    }
    if (random_unit(seed) < 0.3) {
        qsort(point, count, sizeof *point, compare);
    }
    return count;
}

/* In two parts: the second may move the first. */
static void add_points(AfxiManifold *manifold, const AfxiContactPoint *added, uint32_t count) {
    AfxiContactPoint *to;
    uint32_t first = count / 3;
    assert_ok(afxi_manifold_add(manifold, first, &to));
    if (first) {
        memcpy(to, added, first * sizeof *to);
    }
    assert_ok(afxi_manifold_add(manifold, count - first, &to));
    if (count > first) {
        memcpy(to, added + first, (count - first) * sizeof *to);
    }
}

/* As a solver would. */
static void change_numbers(AfxiManifold *manifold, Model *model, uint64_t *seed) {
    double *number = afxi_manifold_numbers(manifold);
    for (uint32_t k = 0; k < NUMBERS * model->count; k++) {
        number[k] += random_unit(seed);
        model->number[k / NUMBERS][k % NUMBERS] = number[k];
    }
}

static AfxiManifold *make(TestAllocator *counts) {
    AfxAllocator allocator = test_allocator(counts);
    AfxiManifold *manifold = NULL;
    assert_ok(afxi_manifold_create(&allocator, NUMBERS, &manifold));
    return manifold;
}

static void points_go_on(void **state) {
    (void)state;
    uint64_t seed = 1;
    TestAllocator counts = {0};
    AfxiManifold *manifold = make(&counts);
    Model *model = calloc(1, sizeof *model);
    AfxiContactPoint added[MOST];
    uint32_t known = 0;
    for (int step = 0; step < 200; step++) {
        uint32_t count = random_points(added, &seed);
        assert_ok(afxi_manifold_begin(manifold));
        assert_int_equal(afxi_manifold_begin(manifold), AFX_E_ARGUMENT);
        add_points(manifold, added, count);
        assert_ok(afxi_manifold_finish(manifold));
        *model = model_next(model, added, count);
        assert_model(manifold, model);
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t *order = afxi_manifold_order(manifold) + k;
            known += model->point[k].known;
            assert_true(same(&added[*order], &model->point[k]));
            assert_true(k == 0 || !same(&model->point[k - 1], &model->point[k]) || order[-1] < order[0]);
        }
        change_numbers(manifold, model, &seed);
    }
    assert_true(known > 1000);
    afxi_manifold_destroy(manifold);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
    free(model);
}

static void step_once(AfxiManifold *manifold, Model *model, uint64_t *seed) {
    AfxiContactPoint added[MOST];
    uint32_t count = random_points(added, seed);
    assert_ok(afxi_manifold_begin(manifold));
    add_points(manifold, added, count);
    assert_ok(afxi_manifold_finish(manifold));
    *model = model_next(model, added, count);
    change_numbers(manifold, model, seed);
}

/* One step back, open or finished; and back to a mark over any number of steps. */
static void steps_are_undone(void **state) {
    (void)state;
    uint64_t seed = 2;
    TestAllocator counts = {0};
    AfxiManifold *manifold = make(&counts);
    Model *model = calloc(3, sizeof *model), *kept = model + 1, *marked = model + 2;
    assert_int_equal(afxi_manifold_rollback(manifold), AFX_E_ARGUMENT);
    assert_int_equal(afxi_manifold_return(manifold), AFX_E_ARGUMENT);
    for (int round = 0; round < 60; round++) {
        step_once(manifold, model, &seed);
        *kept = *model;
        if (round % 2) {
            step_once(manifold, model, &seed);
        } else {
            AfxiContactPoint *to;
            assert_ok(afxi_manifold_begin(manifold));
            assert_ok(afxi_manifold_add(manifold, 5, &to));
            assert_int_equal(afxi_manifold_mark(manifold), AFX_E_ARGUMENT);
        }
        assert_ok(afxi_manifold_rollback(manifold));
        assert_int_equal(afxi_manifold_rollback(manifold), AFX_E_ARGUMENT);
        assert_model(manifold, kept);
        *model = *kept;
        if (round % 3 == 0) {
            assert_ok(afxi_manifold_mark(manifold));
            *marked = *model;
        }
        for (int part = 0; part < round % 5; part++) {
            step_once(manifold, model, &seed);
            assert_model(manifold, model);
        }
        if (round % 3 == 2) {
            assert_ok(afxi_manifold_return(manifold));
            assert_model(manifold, marked);
            *model = *marked;
        }
    }
    afxi_manifold_destroy(manifold);
    free(model);
}

/* A saved list goes on in another table as it does in this one. */
static void saved_and_loaded(void **state) {
    (void)state;
    uint64_t seed = 3;
    TestAllocator counts = {0};
    AfxiManifold *one = make(&counts), *two = make(&counts);
    Model *model = calloc(2, sizeof *model), *other = model + 1;
    for (int round = 0; round < 40; round++) {
        if (round) { /* the first one is empty */
            step_once(one, model, &seed);
        }
        size_t size = afxi_manifold_bytes(one);
        unsigned char *bytes = malloc(size + 1);
        assert_int_equal(afxi_manifold_save(one, bytes, size - 1), AFX_E_ARGUMENT);
        assert_ok(afxi_manifold_save(one, bytes + 1, size)); /* any alignment will do */
        assert_ok(afxi_manifold_load(two, bytes + 1, size));
        assert_int_equal(afxi_manifold_rollback(two), AFX_E_ARGUMENT);
        assert_model(two, model);
        uint64_t again = seed;
        *other = *model;
        step_once(one, model, &seed);
        step_once(two, other, &again);
        assert_model(two, model);
        free(bytes);
    }
    afxi_manifold_destroy(one);
    afxi_manifold_destroy(two);
    free(model);
}

static void damaged_bytes(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxiManifold *manifold = make(&counts), *other = NULL;
    AfxAllocator allocator = test_allocator(&counts);
    AfxiContactPoint *to;
    assert_ok(afxi_manifold_begin(manifold));
    assert_ok(afxi_manifold_add(manifold, 2, &to));
    to[0] = (AfxiContactPoint){3, 4, 1, 0};
    to[1] = (AfxiContactPoint){1, 2, 9, 0};
    assert_int_equal(afxi_manifold_save(manifold, &to, afxi_manifold_bytes(manifold)), AFX_E_ARGUMENT);
    assert_ok(afxi_manifold_finish(manifold));
    uint32_t good[4 + 2 * 4 + 2 * 2 * NUMBERS], bad[COUNT(good)];
    assert_int_equal(afxi_manifold_bytes(manifold), sizeof good);
    assert_ok(afxi_manifold_save(manifold, good, sizeof good));
    /* Place and value of a word, and what becomes of it. */
    const struct {
        uint32_t at, value;
        AfxStatus status;
    } wrong[] = {
        {0, 7, AFX_E_VERSION},        {1, NUMBERS + 1, AFX_E_VERSION},
        {2, 1, AFX_E_INPUT},          {2, 3, AFX_E_INPUT},
        {2, UINT32_MAX, AFX_E_INPUT}, {3, 1, AFX_E_INPUT},
        {4, 2, AFX_E_INPUT},          {7, 2, AFX_E_INPUT},
        {8, 0, AFX_E_INPUT},
    };
    for (uint32_t k = 0; k < COUNT(wrong); k++) {
        memcpy(bad, good, sizeof good);
        bad[wrong[k].at] = wrong[k].value;
        assert_int_equal(afxi_manifold_load(manifold, bad, sizeof bad), wrong[k].status);
    }
    assert_int_equal(afxi_manifold_load(manifold, good, sizeof good - 8), AFX_E_INPUT);
    assert_int_equal(afxi_manifold_load(manifold, good, 3), AFX_E_INPUT);
    assert_ok(afxi_manifold_rollback(manifold)); /* nothing was changed */
    assert_ok(afxi_manifold_create(&allocator, NUMBERS + 1, &other));
    assert_int_equal(afxi_manifold_load(other, good, sizeof good), AFX_E_VERSION);
    afxi_manifold_destroy(other);
    afxi_manifold_destroy(manifold);
    assert_int_equal(afxi_manifold_create(&allocator, 0, &other), AFX_E_ARGUMENT);
    assert_int_equal(afxi_manifold_create(&allocator, 65, &other), AFX_E_ARGUMENT);
    afxi_manifold_destroy(NULL);
}

static void wrong_points(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxiManifold *manifold = make(&counts);
    AfxiContactPoint *to;
    assert_int_equal(afxi_manifold_add(manifold, 1, &to), AFX_E_ARGUMENT);
    assert_int_equal(afxi_manifold_finish(manifold), AFX_E_ARGUMENT);
    assert_ok(afxi_manifold_begin(manifold));
    assert_ok(afxi_manifold_add(manifold, 1, &to));
    *to = (AfxiContactPoint){2, 2, 0, 0};
    assert_int_equal(afxi_manifold_finish(manifold), AFX_E_ARGUMENT);
    assert_int_equal(afxi_manifold_add(manifold, UINT32_MAX, &to), AFX_E_LIMIT);
    assert_ok(afxi_manifold_rollback(manifold));
    uint32_t count;
    afxi_manifold_points(manifold, &count);
    assert_int_equal(count, 0);
    afxi_manifold_destroy(manifold);
}

/* Each allocation fails once; what failed is done again. */
static void every_allocation_fails_once(void **state) {
    (void)state;
    uint32_t failures = 0;
    for (uint64_t at = 1; at < 40; at++) {
        TestAllocator counts = {.fail_at = at};
        AfxAllocator allocator = test_allocator(&counts);
        AfxiManifold *manifold = NULL;
        if (afxi_manifold_create(&allocator, NUMBERS, &manifold) != AFX_OK) {
            assert_null(manifold);
            failures++;
            continue;
        }
        for (uint32_t step = 1; step < 5; step++) {
            AfxiContactPoint *to;
            uint32_t size = 7 * step * step;
            assert_ok(afxi_manifold_begin(manifold));
            if (afxi_manifold_add(manifold, size, &to) != AFX_OK) {
                failures++;
                assert_ok(afxi_manifold_add(manifold, size, &to));
            }
            for (uint32_t k = 0; k < size; k++) {
                to[k] = (AfxiContactPoint){size - k, 1000, 0, 0};
            }
            if (afxi_manifold_finish(manifold) != AFX_OK) {
                failures++;
                assert_ok(afxi_manifold_finish(manifold));
            }
            uint32_t count;
            const AfxiContactPoint *point = afxi_manifold_points(manifold, &count);
            assert_int_equal(count, size);
            for (uint32_t k = 0; k < count; k++) {
                bool old = k < 7 * (step - 1) * (step - 1);
                assert_true(point[k].a == k + 1 && point[k].known == old);
                double *number = afxi_manifold_numbers(manifold) + k * NUMBERS;
                assert_true(number[0] == (old ? 10.0 * k + step - 1 : 0));
                number[0] = 10.0 * k + step;
            }
        }
        afxi_manifold_destroy(manifold);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    assert_true(failures > 6);
}

int run_manifold_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_go_on),     cmocka_unit_test(steps_are_undone),
        cmocka_unit_test(saved_and_loaded), cmocka_unit_test(damaged_bytes),
        cmocka_unit_test(wrong_points),     cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests_name("contact manifold", tests, NULL, NULL);
}
