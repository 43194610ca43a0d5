/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is refused in the middle of a run with contacts: every request of every step, one after the other. The
 * step says so, changes nothing, and the run goes on as if it had not happened. */
#include "tests.h"

/* What queries tell of contacts, as bytes for the caller to free: all of them, and what they do to each body. */
static void *contacts_told(const World *world, size_t *out_size) {
    uint32_t count = afx_sim_contact_count(world->sim), bodies = afx_model_body_count(world->model);
    *out_size = count * sizeof(AfxContact) + bodies * sizeof(AfxWrench);
    AfxContact *contact = calloc(1, *out_size + 1);
    assert_non_null(contact);
    AfxWrench *wrench = (AfxWrench *)(contact + count);
    for (uint32_t k = 0; k < count; k++) {
        assert_int_equal(afx_sim_contact(world->sim, k, &contact[k]), AFX_OK);
        size_t end = offsetof(AfxContact, sliding) + sizeof contact[k].sliding;
        memset((char *)&contact[k] + end, 0, sizeof contact[k] - end); /* padding */
    }
    for (uint32_t k = 0; k < bodies; k++) {
        assert_int_equal(afx_sim_body_contact(world->sim, k, &wrench[k]), AFX_OK);
    }
    return contact;
}

/* Refuses the n-th request of the next step, for n = 1, 2, ... until a step needs fewer and goes well. Returns how many
 * were refused, and counts those after which the state, or what is told of contacts, was another. */
static uint32_t refuse_step(World *world, TestAllocator *counts, uint32_t *out_changed) {
    for (uint32_t n = 1;; n++) {
        size_t size, after_size, told_size, told_after_size;
        void *before = world_state(world, &size), *told = contacts_told(world, &told_size);
        double time = afx_sim_time(world->sim);
        counts->fail_at = counts->calls + n;
        AfxStatus status = afx_step(world->sim, NULL);
        counts->fail_at = 0;
        if (status == AFX_OK) {
            free(before);
            free(told);
            return n - 1;
        }
        assert_int_equal(status, AFX_E_MEMORY);
        assert_true(afx_sim_time(world->sim) == time);
        void *after = world_state(world, &after_size), *told_after = contacts_told(world, &told_after_size);
        *out_changed += size != after_size || memcmp(before, after, size) != 0 || told_size != told_after_size ||
                        memcmp(told, told_after, told_size) != 0;
        free(told_after);
        free(told);
        free(before);
        free(after);
        assert_true(n < 1000);
    }
}

static void a_refused_step_changes_nothing(void **state) {
    (void)state;
    const char *text = getenv("AFFIX_TEST_LONG");
    const uint32_t steps = text && text[0] ? 200 : 40;
    uint32_t all = 0, changed = 0, different = 0;
    for (uint32_t k = 0; k < small_count; k++) {
        TestAllocator counts = {0}, plain = {0};
        AfxAllocator failing = test_allocator(&counts), fine = test_allocator(&plain);
        World world = world_make(&small_cases[k], &failing), other = world_make(&small_cases[k], &fine);
        uint32_t refused = 0, here = 0;
        for (uint32_t n = 0; n < steps; n++) {
            refused += refuse_step(&world, &counts, &here);
            assert_int_equal(afx_step(other.sim, NULL), AFX_OK);
        }
        bool same = world_hash(&world) == world_hash(&other);
        if (here || !same) {
            print_message("  %s: %u of %u refused steps changed the state%s\n", small_cases[k].name, here, refused,
                          same ? "" : ", and the run went another way");
        }
        all += refused;
        changed += here;
        different += !same;
        world_free(&world);
        world_free(&other);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    print_message("  %u steps refused for memory, %u of them changed the state, %u runs went another way\n", all,
                  changed, different);
    assert_true(all > 0);
    assert_true(changed == 0 && different == 0);
}

int run_memory_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_refused_step_changes_nothing)};
    return cmocka_run_group_tests_name("fault: memory", tests, NULL, NULL);
}
