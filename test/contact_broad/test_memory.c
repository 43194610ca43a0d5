/* SPDX-License-Identifier: Apache-2.0 */
/* No memory, too many pairs, and definitions that make no sense. */
#include "contact/broad.h"
#include "tests.h"

static Boxes crowd(uint32_t count, double spacing) {
    Boxes boxes = boxes_make(count);
    for (uint32_t k = 0; k < count; k++) {
        boxes.item[k].mask = k % 3 ? 1 : 2; /* every third is a link */
        boxes.item[k].group = k % 3 ? 1 : 4;
        boxes.item[k].moving = k % 5 != 1;
        boxes.item[k].still = k % 10 == 1;
        boxes.item[k].group |= boxes.item[k].moving ? 0 : 2;
        boxes_set(&boxes, k, (double[3]){spacing * k, 0, 0}, (double[3]){1, 1, 1});
    }
    boxes_start(&boxes);
    return boxes;
}

/* Each allocation fails once: the pairs stay those of the update before, and the next update is right. */
static void every_allocation_fails_once(void **state) {
    (void)state;
    uint32_t failures = 0;
    for (uint32_t threads = 1; threads < 3; threads++) {
        for (uint64_t at = 1; at < 60; at++) {
            Boxes boxes = crowd(300, 0.9);
            AfxiBroadDef def = boxes_def(&boxes);
            AfxiBroad *broad = NULL;
            boxes.counts.fail_at = at;
            AfxStatus status = afxi_broad_create(&def, &broad);
            assert_true(status == AFX_OK ? broad != NULL : status == AFX_E_MEMORY && !broad);
            failures += status != AFX_OK;
            uint32_t before = 0;
            for (uint32_t step = 0; broad && step < 5; step++) {
                /* Closer and closer: more pairs every time. */
                for (uint32_t k = 0; k < boxes.count; k++) {
                    bool moved = step < 3 || k < 20; /* all, then a few strays */
                    if (moved && !boxes.item[k].still) {
                        boxes_set(&boxes, k, (double[3]){0.9 * k * pow(0.2, step), 0, 0}, (double[3]){1, 1, 1});
                    }
                }
                status = afxi_broad_update(broad, boxes.lower, boxes.upper, NULL, threads);
                uint32_t count;
                afxi_broad_pairs(broad, &count);
                if (status != AFX_OK) {
                    assert_int_equal(status, AFX_E_MEMORY);
                    assert_int_equal(count, before);
                    failures++;
                    assert_ok(afxi_broad_update(broad, boxes.lower, boxes.upper, NULL, threads));
                }
                before = boxes_check(&boxes, broad);
            }
            afxi_broad_destroy(broad);
            assert_int_equal(boxes.counts.live, 0);
            assert_int_equal(boxes.counts.errors, 0);
            boxes_free(&boxes);
        }
    }
    assert_true(failures > 12);
}

/* 5e9 pairs: refused, the pairs before are kept, and it works again when the crowd has gone. */
static void too_many_pairs(void **state) {
    (void)state;
    Boxes boxes = boxes_make(100000);
    AfxiBroadDef def = boxes_def(&boxes);
    def.pair_limit = 1000000;
    AfxiBroad *broad = NULL;
    assert_ok(afxi_broad_create(&def, &broad));
    for (uint32_t threads = 1; threads < 3; threads++) {
        for (int crowded = 0; crowded < 2; crowded++) {
            for (uint32_t k = 0; k < boxes.count; k++) {
                boxes_set(&boxes, k, (double[3]){crowded ? 0 : 1.5 * k, 0, 0}, (double[3]){1, 1, 1});
            }
            AfxStatus status = afxi_broad_update(broad, boxes.lower, boxes.upper, NULL, threads);
            assert_int_equal(status, crowded ? AFX_E_LIMIT : AFX_OK);
            uint32_t count;
            afxi_broad_pairs(broad, &count);
            assert_int_equal(count, boxes.count - 1);
        }
    }
    afxi_broad_destroy(broad);
    boxes_free(&boxes);
}

/* The limit itself is allowed. */
static void the_limit_is_exact(void **state) {
    (void)state;
    for (uint32_t less = 0; less < 2; less++) {
        Boxes boxes = boxes_make(101);
        AfxiBroadDef def = boxes_def(&boxes);
        def.pair_limit = 101 * 100 / 2 - less;
        AfxiBroad *broad = NULL;
        assert_ok(afxi_broad_create(&def, &broad));
        for (int step = 0; step < 2; step++) {
            AfxStatus status = afxi_broad_update(broad, boxes.lower, boxes.upper, NULL, 1);
            uint32_t count;
            afxi_broad_pairs(broad, &count);
            assert_int_equal(status, less ? AFX_E_LIMIT : AFX_OK);
            assert_int_equal(count, less ? 0 : 101 * 100 / 2);
        }
        afxi_broad_destroy(broad);
        boxes_free(&boxes);
    }
}

static void refused_definitions(void **state) {
    (void)state;
    Boxes boxes = boxes_make(4);
    boxes.excluded_count = 2;
    boxes.excluded[0] = (AfxiPair){0, 1};
    boxes.excluded[1] = (AfxiPair){0, 2};
    AfxiBroadDef def = boxes_def(&boxes);
    AfxiBroad *broad = NULL;
    assert_ok(afxi_broad_create(&def, &broad));
    assert_int_equal(afxi_broad_update(broad, NULL, NULL, NULL, 1), AFX_E_ARGUMENT);
    afxi_broad_destroy(broad);
    afxi_broad_destroy(NULL);
    for (int wrong = 0; wrong < 7; wrong++) {
        Boxes bad = boxes_make(4);
        bad.excluded_count = 2;
        bad.excluded[0] = wrong == 0 ? (AfxiPair){0, 2} : (AfxiPair){0, 1};
        bad.excluded[1] = wrong == 1 ? (AfxiPair){2, 2} : (AfxiPair){0, 2};
        bad.item[2].still = wrong == 2;
        def = boxes_def(&bad);
        def.margin = wrong == 3 ? -1 : wrong == 4 ? NAN : 0;
        def.lanes = wrong == 5 ? 3 : 0;
        def.items = wrong == 6 ? NULL : bad.item;
        assert_int_equal(afxi_broad_create(&def, &broad), AFX_E_ARGUMENT);
        assert_null(broad);
        boxes_free(&bad);
    }
    boxes_free(&boxes);
}

/* Updates that change nothing allocate nothing. */
static void no_allocation_without_growth(void **state) {
    (void)state;
    Boxes boxes = crowd(500, 0.5);
    AfxiBroad *broad = boxes_broad(&boxes, 0);
    uint64_t calls = 0;
    for (uint32_t step = 0; step < 20; step++) {
        for (uint32_t k = 0; k < boxes.count; k++) {
            double shift = 0.03 * (step % 10) * (k % 2 ? 1 : -1);
            if (!boxes.item[k].still) {
                boxes_set(&boxes, k, (double[3]){0.5 * k, shift, 0}, (double[3]){1, 1, 1});
            }
        }
        assert_ok(afxi_broad_update(broad, boxes.lower, boxes.upper, NULL, 1));
        calls = step == 10 ? boxes.counts.calls : calls;
    }
    assert_int_equal(boxes.counts.calls, calls);
    boxes_check(&boxes, broad);
    afxi_broad_destroy(broad);
    boxes_free(&boxes);
}

int run_memory_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),  cmocka_unit_test(too_many_pairs),
        cmocka_unit_test(the_limit_is_exact),           cmocka_unit_test(refused_definitions),
        cmocka_unit_test(no_allocation_without_growth),
    };
    return cmocka_run_group_tests_name("contact broad memory", tests, NULL, NULL);
}
