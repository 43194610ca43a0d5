/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room; shapes and placements at random; distances by another method. */
#ifndef AFX_TEST_CONTACT_TESTS_H
#define AFX_TEST_CONTACT_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact/geometry.h"
#include "math/vec3.h"
#include "support/check.h"
#include "support/random.h"

/** Each runs one group and returns the number of failed tests. */
int run_closed_tests(void);
int run_pair_tests(void);
int run_plane_tests(void);
int run_motion_tests(void);
int run_robust_tests(void);
int run_hull_mesh_tests(void);
int run_mesh_tests(void);
int run_sweep_tests(void);

/** A shape with the arrays that it needs. */
typedef struct Shape {
    AfxiGeometry g;
    AfxiHullMesh hull;
} Shape;

/** A convex shape of the kind (sphere .. convex), sizes around `size`. */
void random_shape(uint64_t *seed, AfxiGeometryKind kind, double size, Shape *out);
void drop_shape(Shape *shape);
AfxiPlace random_place(uint64_t *seed, double size);
AfxiPlace place_at(double x, double y, double z);
AfxiGeometry sphere_of(double radius);
AfxiGeometry capsule_of(double radius, double half_length);
AfxiGeometry cylinder_of(double radius, double half_length);
AfxiGeometry box_of(double x, double y, double z);
AfxiGeometry ellipsoid_of(double x, double y, double z);

/** A box around the origin with each side cut into n x n cells of two triangles. */
AfxiTriangles mesh_of_box(double half, uint32_t n);
/** Heights over the square from -1 to 1, in cells of 0.1. */
AfxiTriangles field_of(double (*height)(double x, double y));
void drop_mesh(AfxiTriangles *mesh);
AfxiGeometry geometry_of(const AfxiTriangles *mesh);

/** Largest n . x over the placed shape. */
double reach_of(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 n);
/** How far the shapes are apart along n; the distance is the largest over all n. */
double apart_along(const AfxiGeometry *a, const AfxiPlace *pa, const AfxiGeometry *b, const AfxiPlace *pb, AfxVec3 n);
/** Signed distance by a search over directions: never too large, too small by a little
 * where edges decide. */
double search_distance(const AfxiGeometry *a, const AfxiPlace *pa, const AfxiGeometry *b, const AfxiPlace *pb);
/** Is x in the shape, but for `slack`? */
bool holds(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 x, double slack);
/** The deepest of the points. */
const AfxiTouch *deepest_of(const AfxiTouch *points, uint32_t count);
double size_of(const AfxiGeometry *g);

#endif
