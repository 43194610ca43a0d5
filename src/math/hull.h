/* SPDX-License-Identifier: Apache-2.0 */
/* Convex hull of points in space. */
#ifndef AFXI_MATH_HULL_H
#define AFXI_MATH_HULL_H

#include "affix/base.h"

typedef enum AfxiHullResult {
    AFXI_HULL_OK,
    AFXI_HULL_NOT_FINITE, /* a coordinate is not finite */
    AFXI_HULL_DEGENERATE, /* fewer than four distinct points, or all in a plane, or thinner than 1e-8 of their extent */
    AFXI_HULL_CAPACITY    /* the triangles do not fit (the count says how many there are), or the workspace is small */
} AfxiHullResult;

/** Bytes that afxi_hull needs for `count` points (SIZE_MAX if no size can hold them). */
size_t afxi_hull_workspace(uint32_t count);

/** The convex hull of points [3 * count] as closed triangles that face outward, out_triangles [3 * capacity_triangles]
 * point numbers; 2 * count triangles always suffice. Points that stand out of the hull by less than about 1e-8 of its
 * extent may be left out, and points in line to that accuracy, though not exactly, can give faces of hardly any area.
 * workspace is aligned as by malloc. */
AfxiHullResult afxi_hull(const double *points, uint32_t count, uint32_t *out_triangles, uint32_t capacity_triangles,
                         uint32_t *out_triangle_count, void *workspace, size_t workspace_size);

#endif
