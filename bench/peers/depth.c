/* SPDX-License-Identifier: Apache-2.0 */
/* How deep shapes overlap, computed from poses alone and by other means than any engine's: the distance of segments for
 * round shapes; the least of the signed distance, a convex function, along a segment for a round shape and a box;
 * for two boxes the least overlap over the 15 axes that could separate them; corners for planes. Pairs come
 * from a sweep along x. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

typedef struct Placed {
    const PeerShape *shape;
    double center[3];
    double axis[3][3]; /* of the shape, in the world */
    double low[3], high[3];
} Placed;

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double clamp(double value, double low, double high) {
    return fmin(fmax(value, low), high);
}

static bool is_round(const Placed *placed) {
    return placed->shape->kind == PEER_SPHERE || placed->shape->kind == PEER_CAPSULE;
}

static double half_length(const Placed *placed) {
    return placed->shape->kind == PEER_SPHERE ? 0 : placed->shape->size[1];
}

static Placed place(const PeerShape *shape, const PeerState *state) {
    Placed placed = {.shape = shape};
    PeerPose body, pose;
    memcpy(body.position, state->position, sizeof body.position);
    memcpy(body.rotation, state->rotation, sizeof body.rotation);
    pose = peer_compose(&body, &shape->pose);
    memcpy(placed.center, pose.position, sizeof placed.center);
    for (int k = 0; k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2};
        peer_rotate(pose.rotation, unit, placed.axis[k]);
    }
    for (int i = 0; i < 3; i++) {
        double reach = INFINITY;
        if (is_round(&placed)) {
            reach = shape->size[0] + half_length(&placed) * fabs(placed.axis[2][i]);
        } else if (shape->kind == PEER_BOX) {
            reach = 0;
            for (int k = 0; k < 3; k++) {
                reach += shape->size[k] * fabs(placed.axis[k][i]);
            }
        }
        placed.low[i] = placed.center[i] - reach;
        placed.high[i] = placed.center[i] + reach;
    }
    return placed;
}

static void on_segment(const Placed *a, double s, double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = a->center[i] + s * half_length(a) * a->axis[2][i];
    }
}

/* The distance of two segments (Lumelsky): the least of a quadratic over a square. */
static double segment_distance(const Placed *a, const Placed *b) {
    double u = half_length(a), v = half_length(b), cosine = dot(a->axis[2], b->axis[2]);
    double d[3] = {b->center[0] - a->center[0], b->center[1] - a->center[1], b->center[2] - a->center[2]};
    double along_a = dot(d, a->axis[2]), along_b = dot(d, b->axis[2]), sine = 1 - cosine * cosine;
    double s = sine > 1e-12 ? clamp((along_a - cosine * along_b) / sine, -u, u) : 0;
    double t = clamp(s * cosine - along_b, -v, v);
    s = clamp(along_a + t * cosine, -u, u);
    t = clamp(s * cosine - along_b, -v, v);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double x = d[i] + t * b->axis[2][i] - s * a->axis[2][i];
        sum += x * x;
    }
    return sqrt(sum);
}

/* Signed distance of a point from a plane or box. */
static double signed_distance(const Placed *solid, const double point[3]) {
    double d[3] = {point[0] - solid->center[0], point[1] - solid->center[1], point[2] - solid->center[2]};
    double local[3] = {dot(d, solid->axis[0]), dot(d, solid->axis[1]), dot(d, solid->axis[2])};
    const double *size = solid->shape->size;
    if (solid->shape->kind == PEER_PLANE) {
        return local[2];
    }
    double out[3] = {fabs(local[0]) - size[0], fabs(local[1]) - size[1], fabs(local[2]) - size[2]};
    double most = -INFINITY, sum = 0;
    for (int k = 0; k < 3; k++) {
        most = fmax(most, out[k]);
        sum += out[k] > 0 ? out[k] * out[k] : 0;
    }
    return most > 0 ? sqrt(sum) : most;
}

/* The least signed distance along the round shape's segment: a convex function, so thirds find it. */
static double round_and_solid(const Placed *round, const Placed *solid) {
    double low = -1, high = 1, p[3], q[3];
    if (solid->shape->kind == PEER_PLANE) { /* linear: at an end */
        on_segment(round, low, p);
        on_segment(round, high, q);
        return fmin(signed_distance(solid, p), signed_distance(solid, q)) - round->shape->size[0];
    }
    for (int k = 0; k < 90 && half_length(round) > 0; k++) {
        double left = low + (high - low) / 3, right = high - (high - low) / 3;
        on_segment(round, left, p);
        on_segment(round, right, q);
        if (signed_distance(solid, p) < signed_distance(solid, q)) {
            high = right;
        } else {
            low = left;
        }
    }
    on_segment(round, 0.5 * (low + high), p);
    return signed_distance(solid, p) - round->shape->size[0];
}

static double box_and_plane(const Placed *box, const Placed *plane) {
    double height = signed_distance(plane, box->center);
    for (int k = 0; k < 3; k++) {
        height -= box->shape->size[k] * fabs(dot(box->axis[k], plane->axis[2]));
    }
    return height;
}

/* The overlap of two boxes along an axis, negative where they are apart. */
static double overlap(const Placed *a, const Placed *b, const double axis[3]) {
    double size = sqrt(dot(axis, axis)), sum = 0;
    if (size < 1e-9) {
        return INFINITY;
    }
    for (int k = 0; k < 3; k++) {
        sum += a->shape->size[k] * fabs(dot(a->axis[k], axis)) + b->shape->size[k] * fabs(dot(b->axis[k], axis));
    }
    double d[3] = {b->center[0] - a->center[0], b->center[1] - a->center[1], b->center[2] - a->center[2]};
    return (sum - fabs(dot(d, axis))) / size;
}

static double boxes(const Placed *a, const Placed *b) {
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        least = fmin(least, fmin(overlap(a, b, a->axis[k]), overlap(a, b, b->axis[k])));
        for (int i = 0; i < 3; i++) {
            const double *p = a->axis[k], *q = b->axis[i];
            double cross[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
            least = fmin(least, overlap(a, b, cross));
        }
    }
    return -least;
}

static double distance(const Placed *a, const Placed *b) {
    if (is_round(a) && is_round(b)) {
        return segment_distance(a, b) - a->shape->size[0] - b->shape->size[0];
    }
    if (is_round(b) || a->shape->kind == PEER_PLANE) {
        const Placed *swap = a;
        a = b;
        b = swap;
    }
    if (is_round(a)) {
        return round_and_solid(a, b);
    }
    if (a->shape->kind == PEER_BOX && b->shape->kind == PEER_PLANE) {
        return box_and_plane(a, b);
    }
    if (a->shape->kind == PEER_BOX && b->shape->kind == PEER_BOX) {
        return boxes(a, b);
    }
    peer_fail("no check of such shapes against each other");
    return 0;
}

static int by_low(const void *a, const void *b) {
    double x = ((const Placed *)a)->low[0], y = ((const Placed *)b)->low[0];
    return (x > y) - (x < y);
}

static bool apart(const Placed *a, const Placed *b) {
    return a->low[1] > b->high[1] || b->low[1] > a->high[1] || a->low[2] > b->high[2] || b->low[2] > a->high[2];
}

double peer_depth(const PeerScene *scene, const PeerState *states) {
    Placed *placed = peer_allocate(scene->shape_count, sizeof *placed);
    double depth = 0;
    for (uint32_t k = 0; k < scene->shape_count; k++) {
        placed[k] = place(&scene->shapes[k], &states[scene->shapes[k].body]);
    }
    qsort(placed, scene->shape_count, sizeof *placed, by_low);
    for (uint32_t i = 0; i < scene->shape_count; i++) {
        for (uint32_t j = i + 1; j < scene->shape_count && placed[j].low[0] <= placed[i].high[0]; j++) {
            if (!apart(&placed[i], &placed[j]) && peer_may_touch(scene, placed[i].shape, placed[j].shape)) {
                depth = fmax(depth, -distance(&placed[i], &placed[j]));
            }
        }
    }
    free(placed);
    return depth;
}
