/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and what they share. */
#ifndef AFX_TEST_LOAD_TESTS_H
#define AFX_TEST_LOAD_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "affix/affix.h"
#include "affix/io.h"
#include "support/allocator.h"

/** Each runs one group and returns the number of failed tests. */
int run_limits_file_tests(void);
int run_run_file_tests(void);
int run_save_tests(void);
int run_json_value_tests(void);
int run_json_error_tests(void);
int run_json_group_tests(void);
int run_limits_json_tests(void);
int run_hostile_tests(void);
int run_memory_tests(void);
int run_corpus_tests(void);
int run_mesh_file_tests(void);
int run_contact_file_tests(void);
int run_urdf_tests(void);
int run_urdf_faults_tests(void);
int run_urdf_robots_tests(void);
int run_sdf_tests(void);
int run_mjcf_tests(void);
int run_mjcf_joint_tests(void);
int run_mjcf_act_tests(void);
int run_mjcf_file_tests(void);
int run_mjcf_faults_tests(void);
int run_mjcf_mujoco_tests(void);
int run_mjcf_motion_tests(void);
int run_mjcf_robots_tests(void);

/** |got - want| <= tolerance, and not NaN. */
#define assert_near(got, want, tolerance) assert_near_at((got), (want), (tolerance), __FILE__, __LINE__)

static inline void assert_near_at(double got, double want, double tolerance, const char *file, int line) {
    if (fabs(got - want) <= tolerance) {
        return;
    }
    print_error("%.17g is not %.17g within %g\n", got, want, tolerance);
    _fail(file, line);
}

static inline void assert_vec3_at(AfxVec3 got, double x, double y, double z, double tolerance, const char *file,
                                  int line) {
    assert_near_at(got.x, x, tolerance, file, line);
    assert_near_at(got.y, y, tolerance, file, line);
    assert_near_at(got.z, z, tolerance, file, line);
}

#define assert_vec3(got, x, y, z, tolerance) assert_vec3_at((got), (x), (y), (z), (tolerance), __FILE__, __LINE__)

#define assert_ok(call) assert_int_equal((call), AFX_OK)

/** A call that must load; what it complains about is printed. */
#define assert_loads(call, error) assert_loads_at((call), (error), __FILE__, __LINE__)

static inline void assert_loads_at(AfxStatus status, const AfxError *error, const char *file, int line) {
    if (status == AFX_OK) {
        return;
    }
    print_error("%s: %s:%d: %s: %s (%s)\n", afx_status_name(status), error->file, error->line, error->element,
                error->text, error->cure);
    _fail(file, line);
}

/** The error has this status and line; `element` and `text` are parts of its own; it has a cure. */
#define assert_error(error, status, line, element, text) \
    assert_error_at((error), (status), (line), (element), (text), __FILE__, __LINE__)

static inline void assert_error_at(const AfxError *e, AfxStatus status, int line, const char *element, const char *text,
                                   const char *at_file, int at_line) {
    if (e->status == status && e->line == line && strstr(e->element, element) && strstr(e->text, text) && e->cure[0]) {
        return;
    }
    print_error("%s, line %d, %s: %s (cure: %s)\n  is not\n%s, line %d, ...%s...: ...%s...\n",
                afx_status_name(e->status), e->line, e->element, e->text, e->cure, afx_status_name(status), line,
                element, text);
    _fail(at_file, at_line);
}

static inline AfxScene *make_scene(void) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    assert_ok(afx_scene_create(&def, &scene));
    assert_non_null(scene);
    return scene;
}

/** Nothing is in the scene. */
static inline void assert_empty(const AfxScene *scene) {
    assert_int_equal(afx_scene_body_count(scene), 0);
    assert_int_equal(afx_scene_joint_count(scene), 0);
    assert_int_equal(afx_scene_marker_count(scene), 0);
    assert_int_equal(afx_scene_wrench_count(scene), 0);
    assert_int_equal(afx_scene_drive_count(scene), 0);
    assert_int_equal(afx_scene_coupling_count(scene), 0);
    assert_int_equal(afx_scene_spring_count(scene), 0);
}

/** A new scene from a text of scene JSON that must load. */
AfxScene *load_json(const char *text);
/** Fills an empty scene with everything that a scene can have. */
AfxStatus build_rich(AfxScene *scene);

/** A new folder for the files of one test, in out[size]; the test removes it with remove_folder. */
void make_folder(char *out, size_t size);
/** Loads a file into an empty scene whose allocator is `counts`, with each allocation failing in turn, until none does;
 * how many did comes back. Every failure says so and leaves nothing behind. */
uint64_t load_without_memory(AfxScene *scene, TestAllocator *counts, const char *path);
void remove_folder(const char *folder);
/** Writes folder/name. */
void write_file(const char *folder, const char *name, const char *text);

#endif
