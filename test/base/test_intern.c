/* SPDX-License-Identifier: Apache-2.0 */
/* Interning: equal records share an index, others never do, whatever their hashes. */
#include "base/hash.h"
#include "base/intern.h"
#include "tests.h"

typedef struct Table {
    AfxiIntern intern;
    void *raw;
    size_t raw_size;
} Table;

static Table table_make(uint32_t capacity, size_t item_size) {
    Table table = {0};
    AfxAllocator allocator = afx_default_allocator();
    AfxiArena arena = {0};
    afxi_intern_take(&table.intern, &arena, capacity, item_size);
    arena.base = afxi_allocate_aligned(&allocator, arena.used, &table.raw, &table.raw_size);
    assert_non_null(arena.base);
    size_t counted = arena.used;
    arena.used = 0;
    afxi_intern_take(&table.intern, &arena, capacity, item_size);
    assert_int_equal(arena.used, counted);
    assert_true(table.intern.slot_count / 2 >= capacity);
    afxi_intern_clear(&table.intern);
    return table;
}

static void table_free(Table *table) {
    AfxAllocator allocator = afx_default_allocator();
    afxi_release(&allocator, table->raw, table->raw_size);
}

static void equal_records_share_an_index(void **state) {
    (void)state;
    Table table = table_make(10, sizeof(double[3]));
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 10; k++) {
            double record[3] = {k, 0, 1e-300 * k};
            assert_int_equal(afxi_intern(&table.intern, record), k);
            assert_memory_equal((double *)table.intern.items + (size_t)3 * k, record, sizeof record);
        }
        assert_int_equal(table.intern.count, 10);
    }
    table_free(&table);
}

static void records_are_compared_bit_by_bit(void **state) {
    (void)state;
    Table table = table_make(4, sizeof(double));
    double zero = 0, minus = -0.0, one = 1, next = 1 + 0x1p-52;
    assert_int_equal(afxi_intern(&table.intern, &zero), 0);
    assert_int_equal(afxi_intern(&table.intern, &minus), 1);
    assert_int_equal(afxi_intern(&table.intern, &one), 2);
    assert_int_equal(afxi_intern(&table.intern, &next), 3);
    assert_int_equal(afxi_intern(&table.intern, &zero), 0);
    table_free(&table);
}

/* Records that all hash to the last slot: probing goes round the end of the table. */
static void colliding_records_stay_apart(void **state) {
    (void)state;
    Table table = table_make(8, sizeof(uint64_t));
    assert_int_equal(table.intern.slot_count, 16);
    uint64_t record[8], next = 0;
    for (int k = 0; k < 8; k++) {
        do {
            record[k] = next++;
        } while ((afxi_hash_keyed(table.intern.key, &record[k], sizeof record[k]) & 15) != 15);
        assert_int_equal(afxi_intern(&table.intern, &record[k]), k);
    }
    for (uint32_t k = 8; k-- > 0;) {
        assert_int_equal(afxi_intern(&table.intern, &record[k]), k);
    }
    assert_int_equal(table.intern.count, 8);
    table_free(&table);
}

/* Records of a file that was made so that the fingerprints, which anybody can compute, meet in one slot. */
static void a_file_cannot_make_records_meet(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxiIntern table = {.item_size = sizeof(uint64_t)};
    uint32_t index, run = 0, longest = 0;
    uint64_t next = 0;
    for (uint32_t k = 0; k < 2000; k++, next++) {
        while (afxi_hash(AFXI_HASH_START, &next, sizeof next) & 4095) {
            next++;
        }
        assert_int_equal(afxi_intern_growing(&allocator, &table, &next, &index), AFX_OK);
        assert_int_equal(index, k);
    }
    for (uint32_t k = 0; k < table.slot_count; k++) {
        run = table.slots[k] ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    assert_true(longest < 200); /* of 2,000, in a table that is half full: 40 or so */
    afxi_intern_release(&allocator, &table);
}

static void many_records_with_repeats_are_counted_right(void **state) {
    (void)state;
    enum { DISTINCT = 30000, CALLS = 200000 };
    static uint32_t seen[DISTINCT];
    Table table = table_make(DISTINCT, 20); /* not a multiple of 8 */
    uint64_t seed = 3;
    uint32_t count = 0;
    memset(seen, 0xff, sizeof seen);
    for (int call = 0; call < CALLS; call++) {
        uint32_t value = (uint32_t)(random_bits(&seed) % DISTINCT), record[5] = {0, value, 0, 0, value / 3};
        uint32_t index = afxi_intern(&table.intern, record);
        if (seen[value] == UINT32_MAX) {
            assert_int_equal(index, count++);
            seen[value] = index;
        }
        assert_int_equal(index, seen[value]);
    }
    assert_int_equal(table.intern.count, count);
    table_free(&table);
}

static void a_cleared_table_starts_afresh(void **state) {
    (void)state;
    Table table = table_make(100, sizeof(uint32_t));
    for (uint32_t round = 0; round < 5; round++) {
        afxi_intern_clear(&table.intern);
        assert_int_equal(table.intern.count, 0);
        for (uint32_t k = 0; k < 100; k++) {
            uint32_t record = 1000 * round + k;
            assert_int_equal(afxi_intern(&table.intern, &record), k);
        }
    }
    table_free(&table);
}

int run_intern_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_records_share_an_index),  cmocka_unit_test(records_are_compared_bit_by_bit),
        cmocka_unit_test(colliding_records_stay_apart),  cmocka_unit_test(many_records_with_repeats_are_counted_right),
        cmocka_unit_test(a_cleared_table_starts_afresh), cmocka_unit_test(a_file_cannot_make_records_meet),
    };
    return cmocka_run_group_tests_name("interning", tests, NULL, NULL);
}
