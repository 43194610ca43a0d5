/* SPDX-License-Identifier: Apache-2.0 */
/* Spheres and capsules against simple shapes. A sphere is a point with a radius: its touch is the point's nearest one.
 * A capsule is a row of spheres: touches are those of the sphere at the parameter t of its axis where the axis is
 * nearest to the other shape and, where it lies along the other shape, of those at both ends of the common length.
 * Every touch is thus exact by itself, and moves continuously.
 *
 * The squared distance of the point x(t) from a convex shape is convex in t, so its slope has one change of sign. */
#include "contact/round.h"

#include "contact/convex.h"
#include "contact/inner.h"
#include "contact/nearest.h"
#include "contact/tuning.h"

/* A capsule's axis x(t) = x + t d, |t| <= length, in the frame of the other shape. */
typedef struct Axis {
    double x[3], d[3], length;
} Axis;

static bool add_sphere(const AfxiPlacedPair *pair, AfxVec3 center, uint32_t feature, AfxiTouch *out) {
    AfxiNearPoint near = afxi_nearest(pair->b, &pair->pb, center);
    double gap = near.distance - pair->a->radius;
    if (!(gap < pair->margin))
        return false;
    touch_set(out, vec3_mad(center, -pair->a->radius, near.normal), near.point, near.normal, gap, feature);
    return true;
}

uint32_t afxi_touch_sphere(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]) {
    return add_sphere(pair, vec3_load(pair->pa.t), 0, out);
}

/* Half the slope of the squared distance from a box. */
static double box_slope(const Axis *axis, const double half[3], double t) {
    double slope = 0;
    for (int k = 0; k < 3; k++) {
        double p = axis->x[k] + t * axis->d[k];
        slope += axis->d[k] * (p - clamp(p, -half[k], half[k]));
    }
    return slope;
}

/* The slope is linear between the values of t at which the axis crosses planes of the box. */
static double nearest_to_box(const Axis *axis, const double half[3]) {
    double low = -axis->length, high = axis->length;
    double at_low = box_slope(axis, half, low), at_high = box_slope(axis, half, high);
    if (at_low >= 0)
        return low;
    if (at_high <= 0)
        return high;
    for (int k = 0; k < 6; k++) {
        double t = ((k & 1 ? half[k / 2] : -half[k / 2]) - axis->x[k / 2]) / axis->d[k / 2];
        if (!(t > low && t < high))
            continue;
        double slope = box_slope(axis, half, t);
        if (slope == 0)
            return t;
        if (slope < 0) {
            low = t;
            at_low = slope;
        } else {
            high = t;
            at_high = slope;
        }
    }
    return clamp(low - at_low * (high - low) / (at_high - at_low), low, high);
}

/* Of the line from the z axis: where the line is nearest to it. Halfway where they are parallel. */
static double nearest_to_line(const Axis *axis) {
    double across = axis->d[0] * axis->d[0] + axis->d[1] * axis->d[1];
    double t = across > 0 ? -(axis->x[0] * axis->d[0] + axis->x[1] * axis->d[1]) / across : 0;
    return clamp(t, -axis->length, axis->length);
}

/* Half the slope of the squared distance from a cylinder, and half its curvature. */
static double cylinder_slope(const Axis *axis, const AfxiGeometry *g, double t, double *out_curvature) {
    double x = axis->x[0] + t * axis->d[0], y = axis->x[1] + t * axis->d[1], z = axis->x[2] + t * axis->d[2];
    double rho = sqrt(x * x + y * y), out = rho - g->radius, above = z - clamp(z, -g->half_length, g->half_length);
    double slope = axis->d[2] * above;
    *out_curvature = above != 0 ? axis->d[2] * axis->d[2] : 0;
    if (out > 0) {
        double turn = (x * axis->d[0] + y * axis->d[1]) / rho;
        double across = axis->d[0] * axis->d[0] + axis->d[1] * axis->d[1];
        slope += out * turn;
        *out_curvature += turn * turn + out * (across - turn * turn) / rho;
    }
    return slope;
}

/* The side is closed form; else Newton's method, kept inside a bracket. */
static double nearest_to_cylinder(const Axis *axis, const AfxiGeometry *g) {
    double t = nearest_to_line(axis), low = -axis->length, high = axis->length, curvature;
    if (fabs(axis->x[2] + t * axis->d[2]) <= g->half_length &&
        fabs(axis->x[0] * axis->d[1] - axis->x[1] * axis->d[0]) > g->radius * hypot(axis->d[0], axis->d[1]))
        return t;
    if (cylinder_slope(axis, g, low, &curvature) >= 0)
        return low;
    if (cylinder_slope(axis, g, high, &curvature) <= 0)
        return high;
    for (int turn = 0; turn < 60; turn++) {
        double slope = cylinder_slope(axis, g, t, &curvature);
        if (slope == 0)
            break;
        if (slope < 0)
            low = t;
        else
            high = t;
        double next = t - slope / curvature;
        next = next > low && next < high ? next : 0.5 * (low + high);
        if (fabs(next - t) <= 1e-15 * axis->length)
            break;
        t = next;
    }
    return t;
}

/* Segment and segment along z (Ericson, "Real-Time Collision Detection", 5.1.9). */
static double nearest_to_segment(const Axis *axis, double half_length) {
    double t = nearest_to_line(axis), z = axis->x[2] + t * axis->d[2];
    if (fabs(z) <= half_length)
        return t;
    double end = clamp(z, -half_length, half_length);
    t = -(axis->x[0] * axis->d[0] + axis->x[1] * axis->d[1] + (axis->x[2] - end) * axis->d[2]);
    return clamp(t, -axis->length, axis->length);
}

/* Cuts low .. high to where |x_k(t)| <= half; false when nothing is left. */
static bool cut(const Axis *axis, int k, double half, double *low, double *high) {
    if (axis->d[k] == 0)
        return fabs(axis->x[k]) <= half;
    double t0 = (-half - axis->x[k]) / axis->d[k], t1 = (half - axis->x[k]) / axis->d[k];
    *low = fmax(*low, fmin(t0, t1));
    *high = fmin(*high, fmax(t0, t1));
    return *high > *low;
}

/* The part of the axis that lies along a side of b, seen from the point of nearest distance. */
static bool common_length(const Axis *axis, const AfxiGeometry *b, AfxVec3 normal, double *low, double *high) {
    double n[3];
    vec3_store(n, normal);
    *low = -axis->length;
    *high = axis->length;
    if (b->kind != AFXI_GEOMETRY_BOX) {
        bool along = axis->d[0] * axis->d[0] + axis->d[1] * axis->d[1] < AFXI_ALONG_SINE * AFXI_ALONG_SINE ||
                     b->kind == AFXI_GEOMETRY_CAPSULE; /* ends that are too far away are no touches */
        if (along && fabs(n[2]) < 0.5)
            return cut(axis, 2, b->half_length, low, high);
        if (b->kind != AFXI_GEOMETRY_CYLINDER || fabs(axis->d[2]) > AFXI_ALONG_SINE || fabs(n[2]) < 0.9)
            return false;
        /* Across the end of a cylinder: the chord of the circle. */
        double across = axis->d[0] * axis->d[0] + axis->d[1] * axis->d[1];
        double middle = -(axis->x[0] * axis->d[0] + axis->x[1] * axis->d[1]) / across;
        double cross = axis->x[0] * axis->d[1] - axis->x[1] * axis->d[0];
        double square = b->radius * b->radius / across - cross * cross / (across * across);
        *low = fmax(*low, middle - sqrt(fmax(square, 0)));
        *high = fmin(*high, middle + sqrt(fmax(square, 0)));
        return *high > *low;
    }
    int side = fabs(n[1]) > fabs(n[0]) ? 1 : 0;
    side = fabs(n[2]) > fabs(n[side]) ? 2 : side;
    return fabs(axis->d[side]) < AFXI_ALONG_SINE && cut(axis, (side + 1) % 3, b->half[(side + 1) % 3], low, high) &&
           cut(axis, (side + 2) % 3, b->half[(side + 2) % 3], low, high);
}

/* Touches of the spheres at t, and at low and high where there is a common length. */
static uint32_t touch_along(const AfxiPlacedPair *pair, const Axis *axis, double t, AfxiTouch *out) {
    AfxVec3 center = vec3_load(pair->pa.t), d = place_axis(&pair->pa, 2);
    AfxiTouch nearest;
    if (!add_sphere(pair, vec3_mad(center, t, d), 0, &nearest))
        return 0;
    double low, high, least = INFINITY;
    uint32_t count = 0;
    AfxVec3 n = place_local_direction(&pair->pb, vec3_load(nearest.normal));
    if (common_length(axis, pair->b, n, &low, &high)) {
        count += add_sphere(pair, vec3_mad(center, low, d), 1, out + count);
        count += add_sphere(pair, vec3_mad(center, high, d), 2, out + count);
    }
    for (uint32_t k = 0; k < count; k++)
        least = fmin(least, out[k].gap);
    if (nearest.gap < least - 1e-10 * (axis->length + pair->a->radius))
        out[count++] = nearest;
    return count;
}

uint32_t afxi_touch_capsule(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]) {
    Axis axis = {.length = pair->a->half_length};
    vec3_store(axis.x, place_local_point(&pair->pb, vec3_load(pair->pa.t)));
    vec3_store(axis.d, place_local_direction(&pair->pb, place_axis(&pair->pa, 2)));
    double t = pair->b->kind == AFXI_GEOMETRY_CAPSULE    ? nearest_to_segment(&axis, pair->b->half_length)
               : pair->b->kind == AFXI_GEOMETRY_CYLINDER ? nearest_to_cylinder(&axis, pair->b)
                                                         : nearest_to_box(&axis, pair->b->half);
    AfxVec3 center = vec3_mad(vec3_load(pair->pa.t), t, place_axis(&pair->pa, 2));
    double core = afxi_nearest(pair->b, &pair->pb, center).distance + core_radius(pair->b);
    if (core > 1e-9 * (axis.length + pair->a->radius) || axis.length == 0)
        return touch_along(pair, &axis, t, out);
    return afxi_touch_convex(pair, out); /* the axes meet, or the axis is inside */
}
