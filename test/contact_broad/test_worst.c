/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes as they should not be: all on one line, all at one place, of all sizes, far apart, infinite, none at all. */
#include "contact/broad.h"
#include "tests.h"

static void check_once(Boxes *boxes, uint32_t pairs) {
    boxes_start(boxes);
    for (uint32_t lanes = 0; lanes < 3; lanes++) {
        AfxiBroad *broad = boxes_broad(boxes, lanes);
        for (int step = 0; step < 3; step++) {
            assert_ok(afxi_broad_update(broad, boxes->lower, boxes->upper, NULL, 1 + lanes % 2));
            uint32_t count = boxes_check(boxes, broad);
            if (pairs != UINT32_MAX) {
                assert_int_equal(count, pairs);
            }
        }
        afxi_broad_destroy(broad);
    }
    boxes_free(boxes);
}

static void nothing(void **state) {
    (void)state;
    Boxes none = boxes_make(0), one = boxes_make(1);
    check_once(&none, 0);
    check_once(&one, 0);
    Boxes fixed = boxes_make(300);
    for (uint32_t k = 0; k < fixed.count; k++) {
        fixed.item[k].moving = false;
        fixed.item[k].still = k % 2;
    }
    check_once(&fixed, 0);
}

static void all_at_one_place(void **state) {
    (void)state;
    Boxes boxes = boxes_make(500);
    check_once(&boxes, 500 * 499 / 2);
}

/* Neighbours touch, others do not; along each axis and along a diagonal. */
static void all_on_a_line(void **state) {
    (void)state;
    for (int axis = 0; axis < 4; axis++) {
        Boxes boxes = boxes_make(1000);
        for (uint32_t k = 0; k < boxes.count; k++) {
            double at = 7 * k % boxes.count, center[3] = {0}, half[3] = {0.5, 0.5, 0.5};
            for (int j = 0; j < 3; j++) {
                center[j] = axis == 3 || axis == j ? at : 0;
            }
            boxes_set(&boxes, k, center, half);
        }
        check_once(&boxes, 999);
    }
}

static void all_sizes(void **state) {
    (void)state;
    uint64_t seed = 4;
    Boxes boxes = boxes_make(800);
    for (uint32_t k = 0; k < boxes.count; k++) {
        double size = pow(10, 12 * random_unit(&seed) - 9), half[3] = {size, size / 3, k % 5 ? size : 0};
        AfxVec3 at = random_vec3(&seed, k % 3 ? 1 : size);
        boxes_set(&boxes, k, (double[3]){at.x, at.y, at.z}, half);
    }
    check_once(&boxes, UINT32_MAX);
}

/* Two clusters at a huge distance, and one item further away still. */
static void far_apart(void **state) {
    (void)state;
    uint64_t seed = 5;
    Boxes boxes = boxes_make(900);
    for (uint32_t k = 0; k < boxes.count; k++) {
        double half[3] = {0.05, 0.05, 0.05};
        AfxVec3 at = random_vec3(&seed, 1);
        boxes_set(&boxes, k, (double[3]){at.x + (k % 2 ? 1e7 : 0), at.y, k ? at.z : 1e300}, half);
    }
    check_once(&boxes, UINT32_MAX);
}

/* Half-spaces and slabs without end, moving and not, with boxes at the largest numbers. */
static void infinite_boxes(void **state) {
    (void)state;
    uint64_t seed = 6;
    Boxes boxes = boxes_make(400);
    for (uint32_t k = 0; k < boxes.count; k++) {
        double half[3] = {0.3, 0.3, 0.3};
        AfxVec3 at = random_vec3(&seed, 4);
        boxes_set(&boxes, k, (double[3]){at.x, at.y, at.z}, half);
        boxes.item[k].moving = k % 10 != 0;
        boxes.item[k].still = k % 20 == 0;
        for (int axis = 0; axis < 3 && k % 25 == 0; axis++) {
            boxes.lower[k][axis] = axis == 2 ? -HUGE_VAL : k % 2 ? -1.7e308 : -HUGE_VAL;
            boxes.upper[k][axis] = axis == 2 ? at.z : k % 2 ? 1.7e308 : HUGE_VAL;
        }
    }
    check_once(&boxes, UINT32_MAX);
}

/* The whole of space meets everything but what is empty. */
static void whole_space(void **state) {
    (void)state;
    Boxes boxes = boxes_make(40);
    for (uint32_t k = 0; k < boxes.count; k++) {
        double sign = k < 10 ? -1 : 1;
        boxes.item[k].moving = k != 39;
        boxes_set(&boxes, k, (double[3]){10.0 * k, 0, 0}, (double[3]){sign, sign, k == 39 ? HUGE_VAL : sign});
    }
    for (int axis = 0; axis < 3; axis++) {
        boxes.lower[39][axis] = -HUGE_VAL;
        boxes.upper[39][axis] = HUGE_VAL;
    }
    check_once(&boxes, 29);
}

/* A line of very many items must not cost the square of their number: it would take minutes. */
static void many_on_a_line(void **state) {
    (void)state;
    for (int far = 0; far < 2; far++) {
        Boxes boxes = boxes_make(200000);
        for (uint32_t k = 0; k < boxes.count; k++) {
            double center[3] = {far && k == 17 ? 1e15 : k, 0, 0}, half[3] = {0.4, 0.4, 0.4};
            boxes_set(&boxes, k, center, half);
        }
        boxes.margin = 0.2;
        AfxiBroad *broad = boxes_broad(&boxes, 0);
        uint32_t count;
        assert_ok(afxi_broad_update(broad, boxes.lower, boxes.upper, NULL, 1));
        const AfxiPair *pair = afxi_broad_pairs(broad, &count);
        assert_int_equal(count, far ? 199997 : 199999);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t a = k + (far && k > 15 ? 2 : 0);
            assert_true(pair[k].a == a && pair[k].b == a + 1);
        }
        afxi_broad_destroy(broad);
        boxes_free(&boxes);
    }
}

int run_worst_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),     cmocka_unit_test(all_at_one_place), cmocka_unit_test(all_on_a_line),
        cmocka_unit_test(all_sizes),   cmocka_unit_test(far_apart),        cmocka_unit_test(infinite_boxes),
        cmocka_unit_test(whole_space), cmocka_unit_test(many_on_a_line),
    };
    return cmocka_run_group_tests_name("contact broad worst cases", tests, NULL, NULL);
}
