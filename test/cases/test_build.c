/* SPDX-License-Identifier: Apache-2.0 */
/* Every case compiles with its defaults (one of very many bodies: at a small size) and with each parameter at either
 * end of its range, takes steps, is reproducible, depends on its seed, and cleans up when memory runs out at any
 * point. */
#include "closed.h"
#include "support/small.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE 2000.0 /* a count beyond this is tested for its arguments only */

/* The arguments of the case with this one (or NULL); a case of very many bodies is made small by another one. */
static AfxStatus arguments(const AfxiCase *from, const char *text, AfxiCaseArguments *out_args, AfxError *out_error) {
    const char *texts[2] = {NULL, NULL}, *small = small_case(from->name);
    uint32_t count = 0;
    if (small && !(text && strncmp(small, text, strcspn(small, "=") + 1) == 0)) {
        texts[count++] = small;
    }
    if (text) {
        texts[count++] = text;
    }
    return afxi_case_arguments(from, count, texts, out_args, out_error);
}

/* Model of the case with one argument (or NULL); the caller destroys it. */
static AfxModel *compile(const AfxiCase *from, const char *text) {
    AfxiCaseArguments args;
    AfxError error;
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxStatus status = arguments(from, text, &args, &error);
    if (status == AFX_OK) {
        status = afxi_case_build(&args, &def, &scene, &error);
    }
    if (status == AFX_OK) {
        status = afx_model_create(scene, &model, &error);
    }
    if (status == AFX_E_INPUT && text && strncmp(error.element, "case ", 5) == 0) {
        return NULL; /* a combination that makes no sense, with its parameter named */
    }
    if (status != AFX_OK) {
        print_error("%s %s: %s: %s\n", from->name, text ? text : "", error.element, error.text);
    }
    assert_int_equal(status, AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

static uint64_t hash_of(const AfxiCase *from, const char *text) {
    AfxModel *model = compile(from, text);
    uint64_t hash = afx_model_hash(model);
    afx_model_destroy(model);
    return hash;
}

static void finite(const AfxSim *sim) {
    size_t count = 12 * (size_t)afx_model_body_count(afx_sim_model(sim));
    for (size_t k = 0; k < count; ++k) {
        assert_true(isfinite(afx_sim_coordinates(sim)[k]) && isfinite(afx_sim_velocities(sim)[k]));
    }
}

static void test_defaults_step(void **state) {
    (void)state;
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        const AfxiCase *from = afxi_case_at(k);
        AfxModel *model = compile(from, NULL);
        AfxSimDef def = afx_default_sim();
        AfxSim *sim = NULL;
        def.dt = from->dt;
        assert_true(afx_model_body_count(model) >= 1);
        assert_true(afx_model_marker_count(model) >= 1);
        assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
        for (int step = 0; step < 20; ++step) {
            AfxStepReport report;
            AfxStatus status = afx_step(sim, &report);
            if (status != AFX_OK || !(report.residual <= 1e-10)) {
                fail_msg("%s, step %d: %s, residual %g", from->name, step + 1, afx_status_name(status),
                         report.residual);
            }
        }
        finite(sim);
        afx_sim_destroy(sim);
        afx_model_destroy(model);
    }
}

static void compile_end(const AfxiCase *from, const AfxiCaseParameter *parameter, double end) {
    char text[80];
    snprintf(text, sizeof(text), "%s=%.17g", parameter->name, end);
    if (parameter->kind == AFXI_CASE_INTEGER && parameter->min >= 1 && end > LARGE) {
        const char *list[] = {text};
        AfxiCaseArguments args;
        assert_int_equal(afxi_case_arguments(from, 1, list, &args, NULL), AFX_OK);
        return;
    }
    afx_model_destroy(compile(from, text));
}

static void test_range_ends(void **state) {
    (void)state;
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        const AfxiCase *from = afxi_case_at(k);
        for (uint32_t p = 0; p < from->parameter_count; ++p) {
            const AfxiCaseParameter *parameter = &from->parameters[p];
            if (parameter->kind != AFXI_CASE_CHOICE) {
                compile_end(from, parameter, parameter->min);
                compile_end(from, parameter, parameter->max);
            }
            for (uint32_t c = 0; parameter->choices[c]; ++c) {
                char text[80];
                snprintf(text, sizeof(text), "%s=%s", parameter->name, parameter->choices[c]);
                afx_model_destroy(compile(from, text));
            }
        }
    }
}

/* Every case is the same each time; the seed, where there is one, changes it. */
static void test_reproducible(void **state) {
    (void)state;
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        const AfxiCase *from = afxi_case_at(k);
        assert_true(hash_of(from, NULL) == hash_of(from, NULL));
        for (uint32_t p = 0; p < from->parameter_count; ++p) {
            if (strcmp(from->parameters[p].name, "seed") == 0) {
                assert_true(hash_of(from, "seed=7") == hash_of(from, "seed=7"));
                assert_true(hash_of(from, "seed=7") != hash_of(from, "seed=8"));
            }
        }
    }
}

/* A seed changes where the bodies are, not only which shapes they have. */
static void test_seed_changes_state(void **state) {
    (void)state;
    double first[12];
    for (int k = 0; k < 2; ++k) {
        AfxModel *model = compile(afxi_case_find("tumbling"), k ? "seed=8" : "seed=7");
        AfxSimDef def = afx_default_sim();
        AfxSim *sim = NULL;
        assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
        if (k) {
            assert_memory_not_equal(first, afx_sim_coordinates(sim), sizeof(first));
        }
        memcpy(first, afx_sim_coordinates(sim), sizeof(first));
        afx_sim_destroy(sim);
        afx_model_destroy(model);
    }
}

/* Fails the allocation number `left`; counts blocks. */
typedef struct Rationed {
    long left, blocks;
} Rationed;

static void *rationed(void *user, void *ptr, size_t old_size, size_t new_size) {
    Rationed *ration = user;
    (void)old_size;
    if (new_size == 0) {
        ration->blocks -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    if (ration->left-- == 0) {
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    ration->blocks += block && !ptr;
    return block;
}

static void test_out_of_memory(void **state) {
    (void)state;
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        const AfxiCase *from = afxi_case_at(k);
        AfxStatus status = AFX_E_MEMORY;
        AfxiCaseArguments args;
        assert_int_equal(arguments(from, NULL, &args, NULL), AFX_OK);
        for (long at = 0; status != AFX_OK; ++at) {
            Rationed ration = {at, 0};
            AfxSceneDef def = afx_default_scene();
            AfxScene *scene = NULL;
            AfxError error;
            def.allocator = (AfxAllocator){rationed, &ration};
            status = afxi_case_build(&args, &def, &scene, &error);
            assert_true(status == AFX_OK || (status == AFX_E_MEMORY && !scene && error.status == AFX_E_MEMORY));
            assert_true(status == AFX_OK || error.text[0] != '\0');
            afx_scene_destroy(scene);
            assert_int_equal(ration.blocks, 0);
        }
    }
}

int run_build_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_step), cmocka_unit_test(test_range_ends),
        cmocka_unit_test(test_reproducible),  cmocka_unit_test(test_seed_changes_state),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("cases/build", tests, NULL, NULL);
}
