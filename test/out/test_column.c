/* SPDX-License-Identifier: Apache-2.0 */
/* Names of columns and records. */
#include "out/column.h"
#include "tests.h"

typedef struct Fixture {
    World world;
    AfxiCatalog catalog;
    AfxiColumns columns;
    AfxError error;
} Fixture;

static void begin(Fixture *fixture) {
    AfxAllocator allocator = afx_default_allocator();
    *fixture = (Fixture){.columns.allocator = allocator};
    world_make(&fixture->world, NULL, NULL);
    assert_ok(afxi_catalog_create(&allocator, fixture->world.scene, fixture->world.model, &fixture->catalog));
}

static void end(Fixture *fixture) {
    afxi_columns_destroy(&fixture->columns);
    afxi_catalog_destroy(&fixture->catalog);
    world_free(&fixture->world);
}

static void assert_column(const Fixture *fixture, uint32_t k, AfxiQuantity quantity, size_t index, const char *name) {
    assert_true(k < fixture->columns.count);
    assert_int_equal(fixture->columns.items[k].quantity, quantity);
    assert_int_equal(fixture->columns.items[k].index, index);
    assert_string_equal(fixture->columns.items[k].name, name);
}

static void test_names(void **state) {
    (void)state;
    Fixture f;
    begin(&f);
    assert_fine(afxi_columns_parse(&f.columns, &f.catalog,
                                   "time,energy.total,body:arm.z,body:fore.arm.qw,velocity:2.wy,joint:elbow,joint:"
                                   "shoulder.1,rate:1,reaction:elbow.tz,effort:motor,marker:tip.y,flags,step",
                                   &f.error),
                &f.error);
    assert_int_equal(f.columns.count, 13);
    assert_column(&f, 0, AFXI_TIME, 0, "time");
    assert_column(&f, 1, AFXI_ENERGY, 3, "energy.total");
    assert_column(&f, 2, AFXI_POSES, 7 + 2, "body:arm.z");
    assert_column(&f, 3, AFXI_POSES, 14 + 3, "body:fore.arm.qw");
    assert_column(&f, 4, AFXI_VELOCITIES, 12 + 4, "velocity:2.wy");
    assert_column(&f, 5, AFXI_JOINTS, 3, "joint:elbow");
    assert_column(&f, 6, AFXI_JOINTS, 1, "joint:shoulder.1");
    assert_column(&f, 7, AFXI_RATES, 3, "rate:1");
    assert_column(&f, 8, AFXI_REACTIONS, 6 + 5, "reaction:elbow.tz");
    assert_column(&f, 9, AFXI_EFFORTS, 0, "effort:motor");
    assert_column(&f, 10, AFXI_MARKERS, 1, "marker:tip.y");
    assert_column(&f, 11, AFXI_FLAGS, 0, "flags");
    assert_column(&f, 12, AFXI_STEP, 0, "step");
    end(&f);
}

static void test_several(void **state) {
    (void)state;
    Fixture f;
    begin(&f);
    assert_ok(afxi_columns_parse(&f.columns, &f.catalog, "joint:shoulder,energy,body:fore.arm,momentum", &f.error));
    assert_int_equal(f.columns.count, 3 + 4 + 7 + 9);
    assert_column(&f, 0, AFXI_JOINTS, 0, "joint:shoulder.0");
    assert_column(&f, 2, AFXI_JOINTS, 2, "joint:shoulder.2");
    assert_column(&f, 3, AFXI_ENERGY, 0, "energy.kinetic");
    assert_column(&f, 7, AFXI_POSES, 14, "body:fore.arm.x");
    assert_column(&f, 13, AFXI_POSES, 20, "body:fore.arm.qz");
    assert_column(&f, 22, AFXI_MOMENTUM, 8, "momentum.lz");
    end(&f);
}

static void test_wrong(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"tim", "no such column"},
        {"", "no such column"},
        {"time,", "no such column"},
        {"body", "no such column"},
        {"body:", "no such body"},
        {"body:leg", "no such body"},
        {"body:arm.w", "no such component"},
        {"body:99.x", "no such body"},
        {"energy.heat", "no such component"},
        {"energy:total", "no such column"},
        {"joint:elbow.1", "no such component"},
        {"joint:knee", "no such joint"},
        {"effort:brake", "no such drive"},
        {"effort:motor.x", "no such component"},
        {"marker:top.x", "no such marker"},
        {"time.x", "no such component"},
        {"body:arm.", "no such component"},
        {"body:99999999999999999999.x", "no such body"},
    };
    Fixture f;
    begin(&f);
    for (size_t k = 0; k < COUNT(wrong); k++) {
        f.columns.count = 0;
        assert_int_equal(afxi_columns_parse(&f.columns, &f.catalog, wrong[k][0], &f.error), AFX_E_INPUT);
        if (!strstr(f.error.text, wrong[k][1]) || !strstr(f.error.element, "column \"")) {
            fail_msg("%s: %s: %s", wrong[k][0], f.error.element, f.error.text);
        }
    }
    end(&f);
}

static void test_records(void **state) {
    (void)state;
    uint32_t records = 0;
    AfxError error;
    assert_ok(afxi_record_parse("poses,report", &records, &error));
    assert_int_equal(records, 1u << AFX_RECORD_POSES | 1u << AFX_RECORD_REPORT);
    assert_ok(afxi_record_parse("all", &records, &error));
    assert_int_equal(records, (1u << AFX_RECORD_WORK) - 1); /* the last, which needs a book */
    assert_ok(afxi_record_parse("all,work", &records, &error));
    assert_int_equal(records, (1u << AFX_RECORD_COUNT) - 1);
    assert_ok(afxi_record_parse(NULL, &records, &error));
    assert_true(records >> AFX_RECORD_POSES & 1);
    assert_false(records >> AFX_RECORD_REACTIONS & 1);
    assert_int_equal(afxi_record_parse("poses,energie", &records, &error), AFX_E_INPUT);
    assert_string_equal(error.element, "record \"energie\"");
    assert_non_null(strstr(error.cure, "energy"));
    assert_int_equal(afxi_record_parse("", &records, &error), AFX_E_INPUT);
}

int run_column_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_records),
    };
    return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
