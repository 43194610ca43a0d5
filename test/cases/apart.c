/* SPDX-License-Identifier: Apache-2.0 */
/* The squared distance of two segments is a convex function on a square: it is least inside, where its gradient is
 * zero, or on the rim, which is four distances of a point from a segment. Polytopes are apart when one of the
 * directions that their Minkowski difference has faces in separates them: normals of the faces of both, and products of
 * their edges; the least overlap over these is the depth. */
#include "apart.h"
#include "support/rigid_reference.h"
#include "tests.h"

static double point_segment(AfxVec3 point, const ApartSegment *segment) {
    AfxVec3 along = v3_sub(segment->ends[1], segment->ends[0]), way = v3_sub(point, segment->ends[0]);
    double square = v3_dot(along, along), at = square > 0 ? v3_dot(way, along) / square : 0;
    at = fmin(fmax(at, 0), 1);
    return v3_norm(v3_sub(way, v3_scale(at, along)));
}

double apart_segments(const ApartSegment *a, const ApartSegment *b) {
    double least = INFINITY;
    for (int k = 0; k < 2; ++k) {
        least = fmin(least, fmin(point_segment(a->ends[k], b), point_segment(b->ends[k], a)));
    }
    AfxVec3 u = v3_sub(a->ends[1], a->ends[0]), v = v3_sub(b->ends[1], b->ends[0]);
    AfxVec3 between = v3_sub(b->ends[0], a->ends[0]), normal = v3_cross(u, v);
    double square = v3_dot(normal, normal);
    /* a(s) - b(t) is along the normal at these; for parallels the rim has the answer */
    double s = v3_dot(v3_cross(between, v), normal), t = v3_dot(v3_cross(between, u), normal);
    if (square > 0 && s > 0 && s < square && t > 0 && t < square) {
        least = fmin(least, fabs(v3_dot(between, normal)) / sqrt(square));
    }
    return isfinite(square) ? least : (double)NAN;
}

static ApartSegment between(const ApartSegment *before, const ApartSegment *after, double time) {
    ApartSegment segment;
    for (int k = 0; k < 2; ++k) {
        segment.ends[k] = v3_add(v3_scale(1 - time, before->ends[k]), v3_scale(time, after->ends[k]));
    }
    return segment;
}

/* The furthest that an end of one goes as seen from an end of the other: no distance changes faster. */
static double furthest(const ApartSegment before[2], const ApartSegment after[2]) {
    double most = 0;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            AfxVec3 first = v3_sub(before[1].ends[j], before[0].ends[i]);
            most = fmax(most, v3_distance(v3_sub(after[1].ends[j], after[0].ends[i]), first));
        }
    }
    return most;
}

/* Goes on in time by what the distance allows, less half the limit, so that it ends after finitely many steps. */
bool apart_pass(const ApartSegment before[2], const ApartSegment after[2], double limit) {
    double most = furthest(before, after), time = 0;
    while (time < 1) {
        ApartSegment a = between(&before[0], &after[0], time), b = between(&before[1], &after[1], time);
        double distance = apart_segments(&a, &b);
        if (!(distance >= limit)) {
            return true;
        }
        time += (distance - 0.5 * limit) / fmax(most, 1e-300);
    }
    return !(apart_segments(&after[0], &after[1]) >= limit);
}

/* ---- polytopes ---- */

/* The ends of a hull along a direction. */
static void reach(const ApartHull *hull, AfxVec3 along, double out[2]) {
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (uint32_t k = 0; k < hull->point_count; ++k) {
        double at = v3_dot(hull->points[k], along);
        out[0] = fmin(out[0], at);
        out[1] = fmax(out[1], at);
    }
}

static bool on_face(const ApartHull *hull, uint32_t face, uint32_t point, double size) {
    double ends[2];
    reach(hull, hull->faces[face], ends);
    return v3_dot(hull->points[point], hull->faces[face]) > ends[1] - 1e-9 * size;
}

/* Adds the face through three vertices where there is one that is not there yet. */
static void add_face(ApartHull *hull, const uint32_t at[3], double size) {
    AfxVec3 first = hull->points[at[0]];
    AfxVec3 normal = v3_cross(v3_sub(hull->points[at[1]], first), v3_sub(hull->points[at[2]], first));
    if (v3_norm(normal) < 1e-9 * size * size) {
        return;
    }
    normal = v3_scale(1 / v3_norm(normal), normal);
    double ends[2], height = v3_dot(normal, first);
    reach(hull, normal, ends);
    if (ends[1] > height + 1e-9 * size) {
        if (ends[0] < height - 1e-9 * size) {
            return; /* vertices on both sides */
        }
        normal = v3_scale(-1, normal);
    }
    for (uint32_t k = 0; k < hull->face_count; ++k) {
        if (v3_distance(hull->faces[k], normal) < 1e-9) {
            return;
        }
    }
    assert_true(hull->face_count < APART_FACES);
    hull->faces[hull->face_count++] = normal;
}

/* Adds the direction of the edge between two vertices: they share two faces. */
static void add_edge(ApartHull *hull, uint32_t from, uint32_t to, double size) {
    AfxVec3 along = v3_sub(hull->points[to], hull->points[from]);
    uint32_t shared = 0;
    along = v3_scale(1 / v3_norm(along), along);
    for (uint32_t k = 0; k < hull->face_count; ++k) {
        shared += on_face(hull, k, from, size) && on_face(hull, k, to, size);
    }
    bool there = shared < 2;
    for (uint32_t k = 0; k < hull->edge_count && !there; ++k) {
        there = v3_norm(v3_cross(hull->edges[k], along)) < 1e-9;
    }
    if (!there) {
        assert_true(hull->edge_count < APART_EDGES);
        hull->edges[hull->edge_count++] = along;
    }
}

ApartHull apart_hull(const AfxVec3 *points, uint32_t count) {
    ApartHull hull = {.point_count = count};
    double size = 0;
    assert_true(count <= APART_POINTS);
    for (uint32_t k = 0; k < count; ++k) {
        hull.points[k] = points[k];
        size = fmax(size, v3_distance(points[k], points[0]));
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            for (uint32_t k = 0; k < j; ++k) {
                add_face(&hull, (const uint32_t[3]){i, j, k}, size);
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            add_edge(&hull, i, j, size);
        }
    }
    return hull;
}

ApartHull apart_hull_placed(const ApartHull *hull, AfxPose pose) {
    ApartHull placed = *hull;
    for (uint32_t k = 0; k < hull->point_count; ++k) {
        placed.points[k] = v3_add(pose.position, q_rotate(pose.rotation, hull->points[k]));
    }
    for (uint32_t k = 0; k < hull->face_count; ++k) {
        placed.faces[k] = q_rotate(pose.rotation, hull->faces[k]);
    }
    for (uint32_t k = 0; k < hull->edge_count; ++k) {
        placed.edges[k] = q_rotate(pose.rotation, hull->edges[k]);
    }
    return placed;
}

/* How far the hulls overlap along a direction, the shorter way out. */
static double overlap(const ApartHull *a, const ApartHull *b, AfxVec3 along) {
    double of_a[2], of_b[2];
    reach(a, along, of_a);
    reach(b, along, of_b);
    return fmin(of_a[1] - of_b[0], of_b[1] - of_a[0]);
}

double apart_depth(const ApartHull *a, const ApartHull *b) {
    double least = INFINITY;
    for (uint32_t k = 0; k < a->face_count; ++k) {
        least = fmin(least, overlap(a, b, a->faces[k]));
    }
    for (uint32_t k = 0; k < b->face_count; ++k) {
        least = fmin(least, overlap(a, b, b->faces[k]));
    }
    for (uint32_t i = 0; i < a->edge_count; ++i) {
        for (uint32_t j = 0; j < b->edge_count && least > 0; ++j) {
            AfxVec3 across = v3_cross(a->edges[i], b->edges[j]);
            double sine = v3_norm(across);
            if (sine > 1e-9) { /* of parallels the faces know */
                least = fmin(least, overlap(a, b, v3_scale(1 / sine, across)));
            }
        }
    }
    return least;
}

double apart_thickness(const ApartHull *hull) {
    double least = INFINITY;
    for (uint32_t k = 0; k < hull->face_count; ++k) {
        double ends[2];
        reach(hull, hull->faces[k], ends);
        least = fmin(least, ends[1] - ends[0]);
    }
    return least;
}
