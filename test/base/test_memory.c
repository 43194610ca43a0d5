/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas, growing arrays and aligned blocks. */
#include "base/memory.h"
#include "support/allocator.h"
#include "tests.h"

/* ---- plain blocks ---- */

static void a_block_is_zeroed_and_given_back_with_its_size(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    for (size_t size = 1; size < 300; size += 7) {
        unsigned char *block = afxi_allocate(&allocator, size);
        assert_non_null(block);
        for (size_t k = 0; k < size; k++) {
            assert_int_equal(block[k], 0);
        }
        assert_int_equal(counts.live, size);
        afxi_release(&allocator, block, size);
        assert_int_equal(counts.live, 0);
    }
    assert_int_equal(counts.errors, 0);
}

static void nothing_is_asked_for_nothing(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    assert_null(afxi_allocate(&allocator, 0));
    assert_null(afxi_duplicate(&allocator, "x", 0));
    afxi_release(&allocator, NULL, 0);
    assert_int_equal(counts.calls + counts.frees, 0);
}

static void a_copy_is_equal_and_apart(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    char text[] = "a copy of bytes";
    char *copy = afxi_duplicate(&allocator, text, sizeof text);
    assert_non_null(copy);
    assert_ptr_not_equal(copy, text);
    assert_memory_equal(copy, text, sizeof text);
    afxi_release(&allocator, copy, sizeof text);
    counts.fail_at = counts.calls + 1;
    assert_null(afxi_duplicate(&allocator, text, sizeof text));
    assert_int_equal(counts.live + counts.errors, 0);
}

/* ---- growing arrays ---- */

static void an_array_doubles_and_keeps_its_items(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    void *array = NULL;
    uint32_t capacity = 0;
    for (uint32_t count = 1; count <= 1000; count++) {
        uint32_t before = capacity;
        assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, count, sizeof(uint32_t)), AFX_OK);
        assert_true(capacity >= count);
        assert_true(capacity == before || capacity == (before ? 2 * before : 8));
        ((uint32_t *)array)[count - 1] = count;
    }
    for (uint32_t k = 0; k < 1000; k++) {
        assert_int_equal(((uint32_t *)array)[k], k + 1);
    }
    assert_int_equal(capacity, 1024);
    assert_int_equal(counts.calls, 8); /* 8, 16, ... 1024 */
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, 5000, sizeof(uint32_t)), AFX_OK);
    assert_int_equal(capacity, 8192);
    assert_int_equal(((uint32_t *)array)[999], 1000);
    assert_int_equal(counts.live, 8192 * sizeof(uint32_t));
    afxi_release(&allocator, array, capacity * sizeof(uint32_t));
    assert_int_equal(counts.live + counts.errors, 0);
}

static void room_that_is_there_is_not_asked_for(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    void *array = NULL;
    uint32_t capacity = 0;
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, 0, 8), AFX_OK);
    assert_null(array);
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, 3, 8), AFX_OK);
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, 8, 8), AFX_OK);
    assert_int_equal(counts.calls, 1);
    afxi_release(&allocator, array, capacity * (size_t)8);
}

static void too_large_an_array_is_refused_and_stays(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    char item = 7;
    void *array = &item;
    uint32_t capacity = 8;
    /* at most 2^31 items */
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, (UINT32_C(1) << 31) + 1, 1), AFX_E_LIMIT);
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, UINT32_MAX, 1), AFX_E_LIMIT);
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, 9, SIZE_MAX / 15), AFX_E_LIMIT);
    assert_int_equal(counts.calls, 0);
    counts.fail_at = 1; /* 2^31 bytes may be asked for */
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, UINT32_C(1) << 31, 1), AFX_E_MEMORY);
    assert_int_equal(counts.calls, 1);
    assert_ptr_equal(array, &item);
    assert_int_equal(capacity, 8);
}

static void an_array_survives_a_failure(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    void *array = NULL;
    uint32_t capacity = 0;
    counts.fail_at = 1;
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, 1, 24), AFX_E_MEMORY);
    assert_null(array);
    assert_int_equal(capacity, 0);
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, 1, 24), AFX_OK);
    memset(array, 42, (size_t)24 * capacity);
    void *before = array;
    counts.fail_at = counts.calls + 1;
    assert_int_equal(afxi_array_reserve(&allocator, &array, &capacity, 9, 24), AFX_E_MEMORY);
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, 8);
    for (size_t k = 0; k < (size_t)24 * capacity; k++) {
        assert_int_equal(((unsigned char *)array)[k], 42);
    }
    afxi_release(&allocator, array, (size_t)24 * capacity);
    assert_int_equal(counts.live + counts.errors, 0);
}

/* ---- aligned blocks ---- */

/* Hands out one place in a buffer; any place will do for the callee. */
static void *reallocate_at(void *user, void *ptr, size_t old_size, size_t new_size) {
    (void)old_size;
    return new_size && !ptr ? user : NULL;
}

static void aligned_blocks_are_aligned_whatever_the_raw_place(void **state) {
    (void)state;
    static unsigned char buffer[1024];
    for (size_t place = 0; place < 200; place++) {
        for (size_t size = 0; size < 300; size += 37) {
            AfxAllocator allocator = {reallocate_at, buffer + place};
            void *raw;
            size_t raw_size;
            memset(buffer, 0x5A, sizeof buffer);
            unsigned char *block = afxi_allocate_aligned(&allocator, size, &raw, &raw_size);
            assert_non_null(block);
            assert_ptr_equal(raw, buffer + place);
            assert_int_equal((uintptr_t)block % AFXI_ALIGNMENT, 0);
            assert_true(block >= buffer + place && block + size <= buffer + place + raw_size);
            for (size_t k = 0; k < size; k++) {
                assert_int_equal(block[k], 0);
            }
            for (size_t k = place + raw_size; k < sizeof buffer; k++) {
                assert_int_equal(buffer[k], 0x5A);
            }
        }
    }
}

static void an_aligned_block_is_released_by_its_raw_block(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    void *raw = &counts;
    size_t raw_size = 1;
    assert_non_null(afxi_allocate_aligned(&allocator, 100, &raw, &raw_size));
    assert_int_equal(counts.live, raw_size);
    afxi_release(&allocator, raw, raw_size);
    assert_int_equal(counts.live + counts.errors, 0);
    counts.fail_at = counts.calls + 1;
    assert_null(afxi_allocate_aligned(&allocator, 100, &raw, &raw_size));
    assert_null(raw);
    assert_int_equal(raw_size, 0);
    uint64_t calls = counts.calls;
    assert_null(afxi_allocate_aligned(&allocator, SIZE_MAX, &raw, &raw_size));
    assert_null(afxi_allocate_aligned(&allocator, SIZE_MAX - AFXI_ALIGNMENT + 1, &raw, &raw_size));
    assert_int_equal(counts.calls, calls);
}

/* ---- arenas ---- */

#define PARTS 200

static void the_second_pass_of_an_arena_gets_what_the_first_counted(void **state) {
    (void)state;
    uint64_t seed = 1;
    size_t count[PARTS], size[PARTS], used = 0;
    AfxiArena arena = {0};
    for (int k = 0; k < PARTS; k++) {
        count[k] = random_bits(&seed) % 20;
        size[k] = random_bits(&seed) % 50;
        assert_null(afxi_arena_take(&arena, count[k], size[k]));
        used += (count[k] * size[k] + 63) & ~(size_t)63;
    }
    assert_int_equal(arena.used, used);
    assert_false(arena.overflow);
    AfxAllocator allocator = afx_default_allocator();
    void *raw;
    size_t raw_size;
    arena.base = afxi_allocate_aligned(&allocator, arena.used, &raw, &raw_size);
    assert_non_null(arena.base);
    arena.used = 0;
    unsigned char *end = arena.base;
    for (int k = 0; k < PARTS; k++) {
        unsigned char *part = afxi_arena_take(&arena, count[k], size[k]);
        assert_ptr_equal(part, end); /* one after the other */
        assert_int_equal((uintptr_t)part % AFXI_ALIGNMENT, 0);
        memset(part, k, count[k] * size[k]);
        end = part + ((count[k] * size[k] + 63) & ~(size_t)63);
    }
    assert_int_equal(arena.used, used);
    afxi_release(&allocator, raw, raw_size);
}

static void an_arena_tells_an_overflow(void **state) {
    (void)state;
    static const size_t too_many[][2] = {
        {SIZE_MAX, SIZE_MAX}, {SIZE_MAX / 2 + 1, 1}, {SIZE_MAX / 2, 1}, {SIZE_MAX / 8, 8}, {2, SIZE_MAX / 2},
    };
    for (size_t k = 0; k < sizeof too_many / sizeof too_many[0]; k++) {
        AfxiArena arena = {0};
        assert_null(afxi_arena_take(&arena, 10, 8));
        assert_null(afxi_arena_take(&arena, too_many[k][0], too_many[k][1]));
        assert_true(arena.overflow);
        assert_int_equal(arena.used, 128);
        afxi_arena_take(&arena, 1, 1);
        assert_true(arena.overflow); /* for good */
    }
    AfxiArena sum = {0}; /* each fits, all do not */
    afxi_arena_take(&sum, SIZE_MAX / 4, 1);
    assert_false(sum.overflow);
    afxi_arena_take(&sum, SIZE_MAX / 4, 1);
    assert_true(sum.overflow);
}

static void an_arena_spends_nothing_on_nothing(void **state) {
    (void)state;
    AfxiArena arena = {0};
    afxi_arena_take(&arena, 0, 8);
    afxi_arena_take(&arena, SIZE_MAX, 0);
    assert_int_equal(arena.used, 0);
    assert_false(arena.overflow);
}

int run_memory_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_zeroed_and_given_back_with_its_size),
        cmocka_unit_test(nothing_is_asked_for_nothing),
        cmocka_unit_test(a_copy_is_equal_and_apart),
        cmocka_unit_test(an_array_doubles_and_keeps_its_items),
        cmocka_unit_test(room_that_is_there_is_not_asked_for),
        cmocka_unit_test(too_large_an_array_is_refused_and_stays),
        cmocka_unit_test(an_array_survives_a_failure),
        cmocka_unit_test(aligned_blocks_are_aligned_whatever_the_raw_place),
        cmocka_unit_test(an_aligned_block_is_released_by_its_raw_block),
        cmocka_unit_test(the_second_pass_of_an_arena_gets_what_the_first_counted),
        cmocka_unit_test(an_arena_tells_an_overflow),
        cmocka_unit_test(an_arena_spends_nothing_on_nothing),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
