/* SPDX-License-Identifier: Apache-2.0 */
/* The rank of the dual matrix on gradients of known rank. */
#include "dual/rank.h"
#include "support/allocator.h"
#include "tests.h"

static uint32_t rank_of(Rig *rig) {
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    uint32_t rank = UINT32_MAX;
    assert_int_equal(afxi_dual_rank(&rig->system, &allocator, &rank), AFX_OK);
    assert_int_equal(counts.live + counts.errors, 0);
    return rank;
}

/* Random rows are independent as long as no set of bodies has more rows than freedoms. */
static void random_rows_are_independent(void **state) {
    (void)state;
    static Rig rig;
    uint64_t seed = 10;
    for (int trial = 0; trial < 100; trial++) {
        BlockSpec blocks[BLOCKS_MOST];
        uint32_t bodies = 1 + (uint32_t)(BODIES_MOST * random_unit(&seed));
        uint32_t count = random_blocks(blocks, bodies, trial % 2, &seed);
        rig_make(&rig, bodies, blocks, count);
        rig_fill(&rig, trial % 3 ? 1e6 : INFINITY, trial % 4 == 1, &seed);
        rig.graph.loop_rows = 1;
        assert_int_equal(rank_of(&rig), rig.graph.row_count);
        rig_free(&rig);
    }
}

static void copies_and_sums_of_rows_add_no_rank(void **state) {
    (void)state;
    static Rig rig;
    uint64_t seed = 11;
    for (int trial = 0; trial < 100; trial++) {
        /* block 0 twice between two bodies, and once more as sums of its rows */
        uint32_t rows = 1 + (uint32_t)(3 * random_unit(&seed));
        BlockSpec blocks[] = {{rows, 2, {0, 1}}, {2, 1, {0}}, {rows, 2, {0, 1}}, {2, 2, {1, 2}}, {2, 2, {0, 1}}};
        rig_make(&rig, 3, blocks, 5);
        rig_fill(&rig, trial % 2 ? 1e6 : INFINITY, false, &seed);
        for (uint32_t b = 0; b < 2; b++) {
            for (uint32_t r = 0; r < rows; r++) {
                memcpy(rig_jacobian(&rig, 2, b, r), rig_jacobian(&rig, 0, b, r), 12 * sizeof(double));
            }
        }
        for (uint32_t r = 0; r < 2; r++) {
            double weight[3] = {random_signed(&seed), random_signed(&seed), random_signed(&seed)};
            for (uint32_t b = 0; b < 2; b++) {
                for (int e = 0; e < 12; e++) {
                    double sum = 0;
                    for (uint32_t k = 0; k < rows; k++) {
                        sum += weight[k] * rig_jacobian(&rig, 0, b, k)[e];
                    }
                    rig_jacobian(&rig, 4, b, r)[e] = sum;
                }
            }
        }
        rig.graph.loop_rows = 1;
        assert_int_equal(rank_of(&rig), rows + 4);
        rig_free(&rig);
    }
}

/* A rigid body has six freedoms, an elastic one twelve; a row that only strains a rigid body is none. */
static void no_body_takes_more_rows_than_it_has_freedoms(void **state) {
    (void)state;
    static Rig rig;
    uint64_t seed = 12;
    for (uint32_t rows = 1; rows <= 20; rows++) {
        BlockSpec blocks[] = {{rows, 1, {0}}};
        rig_make(&rig, 1, blocks, 1);
        rig.graph.loop_rows = rows;
        rig_fill(&rig, INFINITY, false, &seed);
        assert_int_equal(rank_of(&rig), rows < 6 ? rows : 6);
        rig_fill(&rig, 1e6, false, &seed);
        assert_int_equal(rank_of(&rig), rows < 12 ? rows : 12);
        rig_fill(&rig, INFINITY, false, &seed);
        memset(rig_jacobian(&rig, 0, 0, 0), 0, 12 * sizeof(double));
        rig_jacobian(&rig, 0, 0, 0)[4] = 1;
        assert_int_equal(rank_of(&rig), rows - 1 < 6 ? rows - 1 : 6);
        rig_free(&rig);
    }
}

static void rows_of_very_different_size_count_the_same(void **state) {
    (void)state;
    static Rig rig;
    uint64_t seed = 13;
    BlockSpec blocks[] = {{5, 2, {0, 1}}, {5, 1, {1}}};
    rig_make(&rig, 2, blocks, 2);
    rig_fill(&rig, INFINITY, false, &seed);
    rig.graph.loop_rows = 5;
    for (uint32_t r = 0; r < 5; r++) {
        for (int e = 0; e < 12; e++) {
            rig_jacobian(&rig, 0, 0, r)[e] *= pow(10, 3.0 * r - 6);
            rig_jacobian(&rig, 0, 1, r)[e] *= pow(10, 3.0 * r - 6);
        }
    }
    assert_int_equal(rank_of(&rig), 10);
    rig_free(&rig);
}

static void rows_that_are_off_do_not_count(void **state) {
    (void)state;
    static Rig rig;
    uint64_t seed = 14;
    BlockSpec blocks[] = {{5, 2, {0, 1}}, {5, 1, {1}}};
    rig_make(&rig, 2, blocks, 2);
    rig_fill(&rig, INFINITY, false, &seed);
    memcpy(rig_jacobian(&rig, 1, 0, 1), rig_jacobian(&rig, 1, 0, 0), 12 * sizeof(double));
    for (uint32_t loop = 0; loop < 2; loop++) {
        rig.graph.loop_rows = loop;
        memset(rig.system.active, 1, 10);
        assert_int_equal(rank_of(&rig), loop ? 9 : 10); /* a forest is taken at its word */
        rig.system.active[2] = rig.system.active[5] = 0;
        assert_int_equal(rank_of(&rig), 8);
        memset(rig.system.active, 0, 10);
        assert_int_equal(rank_of(&rig), 0);
    }
    rig_free(&rig);
}

static void limits_and_memory_are_told(void **state) {
    (void)state;
    static Rig rig;
    uint64_t seed = 15;
    BlockSpec blocks[] = {{3, 1, {0}}};
    rig_make(&rig, 1, blocks, 1);
    rig_fill(&rig, INFINITY, false, &seed);
    rig.graph.loop_rows = 3;
    TestAllocator counts = {.fail_at = 1};
    AfxAllocator allocator = test_allocator(&counts);
    uint32_t rank = 7;
    assert_int_equal(afxi_dual_rank(&rig.system, &allocator, &rank), AFX_E_MEMORY);
    assert_int_equal(rank, 0);
    rig.graph.row_count = AFXI_RANK_ROWS + 1;
    assert_int_equal(afxi_dual_rank(&rig.system, &allocator, &rank), AFX_E_LIMIT);
    assert_int_equal(counts.calls, 1);
    assert_int_equal(counts.live, 0);
    rig_free(&rig);
}

int run_rank_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows_are_independent),
        cmocka_unit_test(copies_and_sums_of_rows_add_no_rank),
        cmocka_unit_test(no_body_takes_more_rows_than_it_has_freedoms),
        cmocka_unit_test(rows_of_very_different_size_count_the_same),
        cmocka_unit_test(rows_that_are_off_do_not_count),
        cmocka_unit_test(limits_and_memory_are_told),
    };
    return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
