/* SPDX-License-Identifier: Apache-2.0 */
/* Names: look-up, renaming, uniqueness, length, what errors show of them. */
#include "tests.h"

#include "scene/name.h"

static void bodies_are_found_by_name(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    char name[] = "wheel";
    AfxBodyId plain = add_body(scene, NULL), empty = add_body(scene, ""), wheel = add_body(scene, name), found;
    name[0] = 'X'; /* the scene has its own copy */
    assert_ok(afx_scene_find_body(scene, "wheel", &found));
    assert_int_equal(found.index, wheel.index);
    assert_int_equal(found.scene, wheel.scene);
    assert_string_equal(afx_scene_body_name(scene, wheel), "wheel");
    assert_string_equal(afx_scene_body_name(scene, plain), "");
    assert_string_equal(afx_scene_body_name(scene, empty), "");
    assert_int_equal(afx_scene_find_body(scene, "wheels", &found), AFX_E_ARGUMENT);
    assert_int_equal(found.scene, 0);
    assert_error(scene, AFX_E_ARGUMENT, "body \"wheels\"", "no body of this name");
    assert_int_equal(afx_scene_find_body(scene, "", &found), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_find_body(scene, NULL, &found), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_find_body(scene, "wheel", NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_find_body(NULL, "wheel", &found), AFX_E_ARGUMENT);
    afx_scene_destroy(scene);
}

static void a_name_is_given_once(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId other = add_body(scene, "hub"), wheel = add_body(scene, "wheel"), id;
    AfxBodyDef def = afx_default_body();
    def.name = "wheel";
    assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "body \"wheel\"", "body #1 is called \"wheel\" already");
    assert_int_equal(afx_scene_body_count(scene), 2);
    assert_int_equal(afx_scene_set_body(scene, other, &def), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "body \"hub\"", "body #1 is called \"wheel\" already");
    assert_ok(afx_scene_set_body(scene, wheel, &def)); /* its own name is fine */
    afx_scene_destroy(scene);
}

static void renaming_frees_the_old_name(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId a = add_body(scene, "a"), b = add_body(scene, "b"), found;
    const char *old = afx_scene_body_name(scene, a);
    AfxBodyDef def = afx_default_body();
    def.name = "c";
    assert_ok(afx_scene_set_body(scene, a, &def));
    assert_string_equal(old, "a"); /* lives as long as the scene */
    def.name = "a";
    assert_ok(afx_scene_set_body(scene, b, &def));
    assert_ok(afx_scene_find_body(scene, "a", &found));
    assert_int_equal(found.index, b.index);
    assert_ok(afx_scene_find_body(scene, "c", &found));
    assert_int_equal(found.index, a.index);
    def.name = NULL;
    assert_ok(afx_scene_set_body(scene, a, &def));
    assert_int_equal(afx_scene_find_body(scene, "c", &found), AFX_E_ARGUMENT);
    assert_string_equal(afx_scene_body_name(scene, a), "");
    afx_scene_destroy(scene);
}

static void names_have_at_most_255_bytes(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    char name[257];
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    AfxBodyId id = add_body(scene, name);
    assert_string_equal(afx_scene_body_name(scene, id), name);
    name[255] = 'n';
    name[256] = '\0';
    AfxBodyDef def = afx_default_body();
    def.name = name;
    assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_E_INPUT);
    char element[120];
    snprintf(element, sizeof element, "body \"%.64s...\"", name);
    assert_error(scene, AFX_E_INPUT, element, "longer than 255 bytes");
    afx_scene_destroy(scene);
}

static void errors_cut_names_between_characters(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    char name[128] = "x"; /* then two-byte characters: byte 64 is in the middle of one */
    for (int k = 0; k < 40; k++) {
        memcpy(name + 1 + 2 * k, "\xC3\xA4", 3);
    }
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.name = name;
    def.mass = -1;
    assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_E_INPUT);
    char element[120];
    snprintf(element, sizeof element, "body \"%.63s...\"", name);
    assert_error(scene, AFX_E_INPUT, element, "negative");
    afx_scene_destroy(scene);
}

/* Against a plain array: adding, removing and finding in random order, through several sizes of the table. */
static void the_table_agrees_with_a_list(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxiNames names = {0};
    static char texts[600][16];
    static bool present[600];
    memset(present, 0, sizeof present);
    for (int k = 0; k < 600; k++) {
        snprintf(texts[k], sizeof texts[k], "n%d", k);
    }
    uint64_t random = 1;
    for (int trial = 0; trial < 20000; trial++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t k = (uint32_t)(random >> 33) % 600;
        assert_int_equal(afxi_names_find(&names, texts[k]), present[k] ? k : UINT32_MAX);
        if (present[k]) {
            afxi_names_remove(&names, texts[k]);
        } else {
            assert_ok(afxi_names_reserve(&names, &allocator));
            afxi_names_add(&names, texts[k], k);
        }
        present[k] = !present[k];
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < 600; k++) {
        assert_int_equal(afxi_names_find(&names, texts[k]), present[k] ? k : UINT32_MAX);
        count += present[k];
    }
    assert_int_equal(names.count, count);
    assert_true(names.count < names.capacity);
    afxi_names_free(&names, &allocator);
}

/* Names of a file that was made so that the fingerprints, which anybody can compute, meet in one slot. */
static void a_file_cannot_make_names_meet(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    AfxAllocator allocator = afx_default_allocator();
    AfxiNames names = {0};
    static char texts[COUNT][16];
    uint32_t next = 0, run = 0, longest = 0;
    for (uint32_t k = 0; k < COUNT; k++) {
        do {
            snprintf(texts[k], sizeof texts[k], "n%u", (unsigned)next++);
        } while (afxi_hash(AFXI_HASH_START, texts[k], strlen(texts[k])) & 4095);
        assert_ok(afxi_names_reserve(&names, &allocator));
        afxi_names_add(&names, texts[k], k);
    }
    for (uint32_t k = 0; k < COUNT; k++) {
        assert_int_equal(afxi_names_find(&names, texts[k]), k);
    }
    for (uint32_t k = 0; k < names.capacity; k++) {
        run = names.slots[k].name ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    assert_true(longest < 200); /* of 2,000, in a table that is half full: 40 or so */
    afxi_names_free(&names, &allocator);
}

static void texts_of_any_length_stay_where_they_are(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxiTexts texts = {0};
    static char long_text[200000];
    memset(long_text, 't', sizeof long_text - 1);
    const char *copies[20];
    for (size_t k = 0; k < 20; k++) {
        size_t length = k == 0 ? 1000 : k * k * 500;
        assert_ok(afxi_texts_reserve(&texts, &allocator, length));
        copies[k] = afxi_texts_add(&texts, long_text, length);
    }
    for (size_t k = 0; k < 20; k++) {
        assert_int_equal(strlen(copies[k]), k == 0 ? 1000 : k * k * 500);
    }
    afxi_texts_free(&texts, &allocator);
}

int run_name_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_found_by_name),
        cmocka_unit_test(a_name_is_given_once),
        cmocka_unit_test(renaming_frees_the_old_name),
        cmocka_unit_test(names_have_at_most_255_bytes),
        cmocka_unit_test(errors_cut_names_between_characters),
        cmocka_unit_test(the_table_agrees_with_a_list),
        cmocka_unit_test(a_file_cannot_make_names_meet),
        cmocka_unit_test(texts_of_any_length_stay_where_they_are),
    };
    return cmocka_run_group_tests_name("name", tests, NULL, NULL);
}
