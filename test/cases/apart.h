/* SPDX-License-Identifier: Apache-2.0 */
/* Distances and depths of segments, polytopes and half-spaces, by brute force and without the library. */
#ifndef TEST_CASES_APART_H
#define TEST_CASES_APART_H

#include "affix/math.h"

/** What a sphere (both ends alike) or capsule is around. */
typedef struct ApartSegment {
    AfxVec3 ends[2];
} ApartSegment;

enum { APART_POINTS = 8, APART_FACES = 6, APART_EDGES = 12 };

/** A convex polytope of at most eight vertices: a box, a wedge. */
typedef struct ApartHull {
    uint32_t point_count, face_count, edge_count;
    AfxVec3 points[APART_POINTS];
    AfxVec3 faces[APART_FACES]; /* unit normals, outward */
    AfxVec3 edges[APART_EDGES]; /* unit directions, no two parallel */
} ApartHull;

/** The least distance of two segments. */
double apart_segments(const ApartSegment *a, const ApartSegment *b);
/** True when the distance of two segments falls below `limit` (> 0) while their ends go on straight lines from `before`
 * to `after`. */
bool apart_pass(const ApartSegment before[2], const ApartSegment after[2], double limit);
/** The hull of `count` points that are all vertices of it. */
ApartHull apart_hull(const AfxVec3 *points, uint32_t count);
ApartHull apart_hull_placed(const ApartHull *hull, AfxPose pose);
/** The least way by which two hulls come apart; below 0 when they are apart already. */
double apart_depth(const ApartHull *a, const ApartHull *b);
/** The least distance between two parallel planes that a face of the hull lies in and that hold it between them. */
double apart_thickness(const ApartHull *hull);

#endif
