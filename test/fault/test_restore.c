/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that are stopped at random steps and go on in another sim, from the bytes of a snapshot, end with the same bits;
 * and they are the bits of the program. */
#include "tests.h"

#include "support/random.h"

enum { STEPS = 90, STOPS = 4 };

static void restored_at_random_steps(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    uint64_t seed = 11;
    for (uint32_t k = 0; k < small_count; k++) {
        World whole = world_make(&small_cases[k], &allocator), part = world_make(&small_cases[k], &allocator);
        bool stops[STEPS] = {false};
        for (int n = 0; n < STOPS; n++) {
            stops[(uint32_t)(random_unit(&seed) * STEPS)] = true;
        }
        for (int n = 0; n < STEPS; n++) {
            if (stops[n]) { /* the next part of the run is another sim's */
                size_t size;
                void *bytes = world_state(&part, &size);
                world_free(&part);
                part = world_make(&small_cases[k], &allocator);
                assert_int_equal(afx_sim_restore(part.sim, bytes, size), AFX_OK);
                free(bytes);
            }
            assert_int_equal(afx_step(whole.sim, NULL), AFX_OK);
            assert_int_equal(afx_step(part.sim, NULL), AFX_OK);
        }
        if (world_hash(&whole) != world_hash(&part)) {
            fail_msg("%s: another state after restoring", small_cases[k].name);
        }
        world_free(&whole);
        world_free(&part);
    }
}

/* What the program at AFFIX_PROGRAM says about a run of the same case. */
static uint64_t hash_of_program(const char *program, const Small *small) {
    char command[600], line[400];
    unsigned long long hash = 0;
    snprintf(command, sizeof command, "'%s' run %s %s --steps %d --json 2>/dev/null", program, small->name,
             small->argument ? small->argument : "", STEPS);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) {
        if (sscanf(line, " \"state_hash\": \"%llx\"", &hash) == 1) {
            break;
        }
    }
    while (fgets(line, sizeof line, pipe)) {
    }
    assert_int_equal(pclose(pipe), 0);
    return hash;
}

static void as_the_program(void **state) {
    (void)state;
    const char *program = getenv("AFFIX_PROGRAM");
    AfxAllocator allocator = afx_default_allocator();
    if (!program) {
        print_message("SKIP: AFFIX_PROGRAM does not name the program\n");
        return;
    }
    for (uint32_t k = 0; k < small_count; k++) {
        World world = world_make(&small_cases[k], &allocator);
        for (int n = 0; n < STEPS; n++) {
            assert_int_equal(afx_step(world.sim, NULL), AFX_OK);
        }
        if (world_hash(&world) != hash_of_program(program, &small_cases[k])) {
            fail_msg("%s: the program has another state", small_cases[k].name);
        }
        world_free(&world);
    }
}

int run_restore_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(restored_at_random_steps), cmocka_unit_test(as_the_program)};
    return cmocka_run_group_tests_name("fault: restore", tests, NULL, NULL);
}
