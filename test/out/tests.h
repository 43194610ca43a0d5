/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and what they share: a world with a bit of everything, and a folder for files. */
#ifndef AFX_TEST_OUT_TESTS_H
#define AFX_TEST_OUT_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "affix/affix.h"
#include "affix/out.h"

/** Each runs one group and returns the number of failed tests. */
int run_file_tests(void);
int run_column_tests(void);
int run_probe_tests(void);
int run_mesh_tests(void);
int run_trajectory_tests(void);
int run_table_tests(void);
int run_gltf_tests(void);
int run_vtk_tests(void);
int run_replay_tests(void);
int run_text_tests(void);
int run_resume_tests(void);
int run_snapshot_tests(void);
int run_damage_tests(void);
int run_torn_tests(void);
int run_memory_tests(void);
int run_live_tests(void);

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define assert_ok(call) assert_int_equal((call), AFX_OK)

/** |got - want| <= tolerance, and not NaN. */
#define assert_near(got, want, tolerance) assert_near_at((got), (want), (tolerance), __FILE__, __LINE__)
void assert_near_at(double got, double want, double tolerance, const char *file, int line);
/** Equal bits. */
#define assert_same(got, want) assert_same_at((got), (want), __FILE__, __LINE__)
void assert_same_at(double got, double want, const char *file, int line);
/** A call with an error as its last argument that must succeed; what it complains about is printed. */
#define assert_fine(call, error) assert_fine_at((call), (error), __FILE__, __LINE__)
void assert_fine_at(AfxStatus status, const AfxError *error, const char *file, int line);

/** A scene, its model and one sim. The bodies: "ground" (fixed), "arm" on the ball joint "shoulder", "fore.arm" on the
 * hinge "elbow" with the servo "motor" and a spring, "cart" that follows a motion, and one without name for every kind
 * of shape, flying. "tip" is a marker on the fore arm. */
typedef struct World {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxStepReport report;
} World;

enum { WORLD_SHAPES = 7, WORLD_BODIES = 4 + WORLD_SHAPES };

/** With NULL: the default allocator and sim. */
void world_make(World *world, const AfxAllocator *allocator, const AfxSimDef *sim);
void world_free(World *world);
/** One step. */
void world_step(World *world);

/** The last kind of output that this build has: pages need a viewer. */
int last_kind(void);

/** A fresh folder for the files of a test, and a path in it (a buffer that is overwritten by the fourth next call). */
void scratch_begin(void);
const char *scratch(const char *name);
void scratch_end(void);
/** setup and teardown for cmocka. */
int scratch_setup(void **state);
int scratch_teardown(void **state);

/** A whole file; the caller frees it. NULL when it is not there. */
unsigned char *file_read(const char *path, size_t *out_size);
void file_write(const char *path, const void *data, size_t size);
/** Asserts that two files hold the same bytes. */
void assert_same_files(const char *a, const char *b);

/** 64 random bits: splitmix64 (Steele, Lea and Flood 2014). */
static inline uint64_t random_bits(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

#endif
