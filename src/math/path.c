/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest path around a sphere lies in the plane of its ends and the centre; around a cylinder it is a helix, seen
 * along the axis the same path around a circle, and straight where the cylinder is unrolled. Which of the two ways
 * around a circle, and whether there is one at all, is decided as MuJoCo does. Where `side` is inside, the path goes
 * through the circle and touches it in one point, where it is shortest. */
#include "math/path.h"

#include <math.h>

#include "math/vec3.h"

#define TINY 1e-15

/* Lengths below which points are one. */
#define APART 1e-12

typedef struct Flat {
    double x, y;
} Flat;

static double dot2(Flat a, Flat b) {
    return a.x * b.x + a.y * b.y;
}

static Flat minus2(Flat a, Flat b) {
    return (Flat){a.x - b.x, a.y - b.y};
}

/* Whether the lines from a to b and from c to d cross. */
static bool cross2(Flat a, Flat b, Flat c, Flat d) {
    Flat u = minus2(b, a), v = minus2(d, c), w = minus2(a, c);
    double det = v.y * u.x - v.x * u.y;
    if (fabs(det) < TINY) {
        return false;
    }
    double s = (v.x * w.y - v.y * w.x) / det, t = (u.x * w.y - u.y * w.x) / det;
    return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

/* Where the tangents from a and b touch a circle about the origin, on one side or the other. */
static void tangents(Flat a, Flat b, double radius, double sign, Flat out[2]) {
    double aa = dot2(a, a), bb = dot2(b, b), r2 = radius * radius;
    double la = sign * radius * sqrt(fmax(aa - r2, 0)), lb = sign * radius * sqrt(fmax(bb - r2, 0));
    out[0] = (Flat){(a.x * r2 + a.y * la) / aa, (a.y * r2 - a.x * la) / aa};
    out[1] = (Flat){(b.x * r2 - b.y * lb) / bb, (b.y * r2 + b.x * lb) / bb};
}

/* How good a way around is: towards the side, or else short. */
static double goodness(Flat a, Flat b, const Flat t[2], const Flat *side) {
    if (cross2(a, t[0], b, t[1])) {
        return -INFINITY;
    }
    if (!side) {
        Flat gap = minus2(t[0], t[1]);
        return -dot2(gap, gap);
    }
    Flat middle = {t[0].x + t[1].x, t[0].y + t[1].y};
    double length = sqrt(dot2(middle, middle));
    return length > TINY ? dot2(middle, *side) / length : 0;
}

/* Length around a circle about the origin, negative for none; out: the ends of the arc. */
static double around(Flat a, Flat b, double radius, const Flat *side, Flat out[2]) {
    Flat way = minus2(b, a);
    double square = dot2(way, way), r2 = radius * radius;
    if (dot2(a, a) < r2 || dot2(b, b) < r2 || radius < TINY || square < TINY) {
        return -1;
    }
    double share = fmin(fmax(-dot2(way, a) / square, 0), 1);
    Flat near = {a.x + share * way.x, a.y + share * way.y};
    if (dot2(near, near) > r2 && (!side || dot2(near, *side) >= 0)) {
        return -1;
    }
    Flat t[2][2];
    tangents(a, b, radius, 1, t[0]);
    tangents(a, b, radius, -1, t[1]);
    double first = goodness(a, b, t[0], side), second = goodness(a, b, t[1], side);
    int best = first > second ? 0 : 1;
    if (fmax(first, second) == -INFINITY) {
        return -1;
    }
    out[0] = t[best][0];
    out[1] = t[best][1];
    double turn = acos(fmin(fmax(dot2(out[0], out[1]) / r2, -1), 1));
    double sense = out[0].y * out[1].x - out[0].x * out[1].y;
    if ((sense > 0 && best == 1) || (sense < 0 && best == 0)) {
        turn = 2 * 3.14159265358979323846 - turn;
    }
    return radius * turn;
}

/* The point of a circle about the origin where the way from a to b over it is shortest, on the side of both: there the
 * angles to the normal are equal, asin(A z) + asin(B z) - 2 asin(z) + G = 0 with z the sine of that angle, which falls
 * from G to below 0 on the way from z = 0. 0; negative: the straight line goes through the circle anyway. */
static double through(Flat a, Flat b, double radius, Flat out[2]) {
    Flat way = minus2(b, a), sum;
    double la = sqrt(dot2(a, a)), lb = sqrt(dot2(b, b)), square = dot2(way, way);
    if (la <= radius || lb <= radius || radius < TINY) {
        return -1;
    }
    double share = square > TINY ? -dot2(way, a) / square : -1;
    Flat near = {a.x + share * way.x, a.y + share * way.y};
    if (share > 0 && share < 1 && dot2(near, near) <= radius * radius) {
        return -1;
    }
    double cosine = dot2(a, b) / (la * lb), angle = acos(fmin(fmax(cosine, -1), 1));
    if (cosine < -1 + TINY) {
        return -1;
    }
    double p = radius / la, q = radius / lb, low = 0, high = 1;
    for (int k = 0; k < 54; k++) { /* f > 0 at low; to rounding */
        double z = 0.5 * (low + high);
        bool above = asin(p * z) + asin(q * z) - 2 * asin(z) + angle > 0;
        *(above ? &low : &high) = z;
    }
    bool left = a.x * b.y - a.y * b.x > 0; /* from a to b counter-clockwise */
    Flat first = left ? a : b;
    double length = left ? la : lb, turn = asin(low) - asin((left ? p : q) * low), c = cos(turn), s = sin(turn);
    sum = (Flat){radius * (c * first.x - s * first.y) / length, radius * (s * first.x + c * first.y) / length};
    out[0] = out[1] = sum;
    return 0;
}

static AfxVec3 in_frame(const AfxPose *pose, AfxVec3 point) {
    AfxQuat q = pose->rotation;
    return afx_quat_rotate((AfxQuat){q.w, -q.x, -q.y, -q.z}, vec3_sub(point, pose->position));
}

static AfxVec3 some_normal(AfxVec3 v) {
    AfxVec3 least = fabs(v.x) <= fabs(v.y) && fabs(v.x) <= fabs(v.z) ? vec3(1, 0, 0)
                    : fabs(v.y) <= fabs(v.z)                         ? vec3(0, 1, 0)
                                                                     : vec3(0, 0, 1);
    return vec3_cross(v, least);
}

double afxi_path_wrap(const AfxiStop *stop, AfxVec3 from, AfxVec3 to, AfxVec3 *out_from, AfxVec3 *out_to) {
    AfxVec3 a = in_frame(&stop->pose, from), b = in_frame(&stop->pose, to), side = in_frame(&stop->pose, stop->side);
    AfxVec3 x = vec3(1, 0, 0), y = vec3(0, 1, 0);
    bool ball = stop->kind == AFXI_STOP_SPHERE;
    if (vec3_length(a) < TINY || vec3_length(b) < TINY) {
        return -1;
    }
    if (ball) {
        AfxVec3 normal = vec3_cross(a, b);
        normal = vec3_length(normal) > TINY * vec3_length(a) * vec3_length(b) ? normal : some_normal(a);
        x = vec3_scale(1 / vec3_length(a), a);
        y = vec3_cross(vec3_scale(1 / vec3_length(normal), normal), x);
    }
    Flat p[2] = {{vec3_dot(a, x), vec3_dot(a, y)}, {vec3_dot(b, x), vec3_dot(b, y)}}, t[2];
    Flat towards = {vec3_dot(side, x), vec3_dot(side, y)};
    bool inside = stop->sided && vec3_length(side) < stop->radius;
    double arc = inside ? through(p[0], p[1], stop->radius, t)
                        : around(p[0], p[1], stop->radius, stop->sided ? &towards : NULL, t);
    if (arc < 0) {
        return -1;
    }
    double z[2] = {0, 0};
    if (!ball) { /* along the axis in proportion to the way */
        Flat first = minus2(t[0], p[0]), last = minus2(t[1], p[1]);
        double before = sqrt(dot2(first, first)), behind = sqrt(dot2(last, last)), all = before + arc + behind;
        z[0] = a.z + (b.z - a.z) * before / all;
        z[1] = a.z + (b.z - a.z) * (before + arc) / all;
        arc = sqrt(arc * arc + (z[1] - z[0]) * (z[1] - z[0]));
    }
    AfxVec3 at[2];
    for (int k = 0; k < 2; k++) {
        at[k] = vec3_mad(vec3_scale(t[k].x, x), t[k].y, y);
        at[k].z += z[k];
        at[k] = afx_pose_apply(stop->pose, at[k]);
    }
    *out_from = at[0];
    *out_to = at[1];
    return arc;
}

static double stretch(AfxiStretch *out, uint32_t *count, AfxiStretch s) {
    double length = vec3_length(vec3_sub(s.to, s.from));
    if (length > APART) {
        out[(*count)++] = s;
    }
    return s.share * length;
}

double afxi_path_length(const AfxiStop *stops, uint32_t count, AfxiStretch *out_stretches, uint32_t *out_count) {
    double length = 0, share = 1;
    uint32_t last = UINT32_MAX, geom = UINT32_MAX;
    *out_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (stops[k].kind == AFXI_STOP_PULLEY) {
            share = 1 / stops[k].divisor;
            last = geom = UINT32_MAX;
            continue;
        }
        if (stops[k].kind != AFXI_STOP_POINT) {
            geom = k;
            continue;
        }
        AfxVec3 to = stops[k].pose.position, from = last == UINT32_MAX ? to : stops[last].pose.position, t[2];
        double arc =
            last == UINT32_MAX || geom == UINT32_MAX ? -1 : afxi_path_wrap(&stops[geom], from, to, &t[0], &t[1]);
        if (last != UINT32_MAX && arc < 0) {
            length += stretch(out_stretches, out_count, (AfxiStretch){from, to, last, k, share});
        } else if (last != UINT32_MAX) {
            length += share * arc + stretch(out_stretches, out_count, (AfxiStretch){from, t[0], last, geom, share});
            length += stretch(out_stretches, out_count, (AfxiStretch){t[1], to, geom, k, share});
        }
        last = k;
        geom = UINT32_MAX;
    }
    return length;
}
