/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest point on the surface of a simple shape, in its own frame, from outside and from inside.
 *
 * Ellipsoid: the point is x_i = e_i^2 y_i / (t + e_i^2), where t is the largest root of
 * F(t) = sum (e_i y_i / (t + e_i^2))^2 - 1 (Eberly, "Distance from a point to an ellipse, an ellipsoid or a
 * hyperellipsoid"). F is convex and falling there, so Newton's method from the left goes to the root without
 * overshooting. s = t + e_k^2, of the shortest axis k, is what is iterated: it does not cancel near the pole. */
#include "contact/nearest.h"

#include "contact/inner.h"

static AfxiNearPoint near_sphere(double radius, AfxVec3 x) {
    AfxVec3 n = unit_or(x, vec3(0, 0, 1));
    return (AfxiNearPoint){vec3_scale(radius, n), n, vec3_length(x) - radius};
}

static AfxiNearPoint near_capsule(const AfxiGeometry *g, AfxVec3 x) {
    AfxVec3 on_axis = vec3(0, 0, clamp(x.z, -g->half_length, g->half_length));
    AfxVec3 d = vec3_sub(x, on_axis), n = unit_or(d, vec3(1, 0, 0));
    return (AfxiNearPoint){vec3_mad(on_axis, g->radius, n), n, vec3_length(d) - g->radius};
}

static AfxiNearPoint near_box(const double half[3], AfxVec3 x) {
    double p[3], q[3], shallow = INFINITY;
    int side = 0;
    vec3_store(p, x);
    for (int k = 0; k < 3; k++) {
        q[k] = clamp(p[k], -half[k], half[k]);
        double depth = half[k] - fabs(p[k]);
        if (depth < shallow) {
            shallow = depth;
            side = k;
        }
    }
    AfxVec3 d = vec3_sub(x, vec3_load(q));
    double distance = vec3_length(d), n[3] = {0, 0, 0};
    if (distance > 1e-150)
        return (AfxiNearPoint){vec3_load(q), vec3_scale(1 / distance, d), distance};
    n[side] = p[side] < 0 ? -1 : 1;
    q[side] = n[side] * half[side];
    return (AfxiNearPoint){vec3_load(q), vec3_load(n), -shallow};
}

static AfxiNearPoint near_cylinder(const AfxiGeometry *g, AfxVec3 x) {
    double rho = sqrt(x.x * x.x + x.y * x.y), up = x.z < 0 ? -1 : 1;
    AfxVec3 radial = rho > 1e-150 ? vec3(x.x / rho, x.y / rho, 0) : vec3(1, 0, 0);
    double out = rho - g->radius, above = fabs(x.z) - g->half_length;
    if (out <= 0 && above <= 0) {
        if (out >= above)
            return (AfxiNearPoint){vec3_mad(vec3(0, 0, x.z), g->radius, radial), radial, out};
        return (AfxiNearPoint){vec3(x.x, x.y, up * g->half_length), vec3(0, 0, up), above};
    }
    AfxVec3 n = unit_or(vec3_mad(vec3(0, 0, fmax(above, 0) * up), fmax(out, 0), radial), radial);
    double distance = sqrt(fmax(out, 0) * fmax(out, 0) + fmax(above, 0) * fmax(above, 0));
    return (AfxiNearPoint){vec3_mad(x, -distance, n), n, distance};
}

/* Newton's iteration for s; y >= 0, above[i] is e[i]^2 less that of the shortest axis. 0: no root, see there. */
static double ellipsoid_root(const double e[3], const double above[3], const double y[3]) {
    double s = 0;
    for (int k = 0; k < 3; k++)
        s = fmax(s, e[k] * y[k] - above[k]);
    for (int turn = 0; turn < 40; turn++) {
        double f = -1, slope = 0;
        for (int k = 0; k < 3; k++) {
            double c = y[k] > 0 ? e[k] * y[k] / (s + above[k]) : 0;
            f += c * c;
            slope += y[k] > 0 ? 2 * c * c / (s + above[k]) : 0;
        }
        double step = f / slope;
        if (!(step > 1e-16 * s))
            break;
        s += step;
    }
    return s;
}

static AfxiNearPoint near_ellipsoid(const double e[3], AfxVec3 at) {
    double p[3], y[3], above[3], x[3], n[3];
    int shortest = e[1] < e[0] ? 1 : 0;
    shortest = e[2] < e[shortest] ? 2 : shortest;
    vec3_store(p, at);
    for (int k = 0; k < 3; k++) {
        y[k] = fabs(p[k]);
        above[k] = (e[k] - e[shortest]) * (e[k] + e[shortest]);
    }
    double s = ellipsoid_root(e, above, y), inside = 0;
    for (int k = 0; k < 3; k++) {
        double below = s + above[k];
        x[k] = below > 0 ? fmin(e[k] * (e[k] * y[k] / below), e[k]) : 0;
        inside += k == shortest ? 0 : (x[k] / e[k]) * (x[k] / e[k]);
    }
    /* On the plane of symmetry, and inside the evolute: the point leaves the plane. */
    if (s == 0)
        x[shortest] = e[shortest] * sqrt(fmax(1 - inside, 0));
    for (int k = 0; k < 3; k++) {
        x[k] = p[k] < 0 ? -x[k] : x[k];
        n[k] = x[k] / e[k] * (e[shortest] / e[k]);
    }
    AfxVec3 normal = unit_or(vec3_load(n), vec3(0, 0, 1));
    return (AfxiNearPoint){vec3_load(x), normal, vec3_dot(normal, vec3_sub(at, vec3_load(x)))};
}

AfxiNearPoint afxi_nearest(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 x) {
    AfxVec3 local = place_local_point(place, x);
    AfxiNearPoint near = {.normal = {0, 0, 1}};
    switch (g->kind) {
    case AFXI_GEOMETRY_PLANE:
        near = (AfxiNearPoint){vec3(local.x, local.y, 0), vec3(0, 0, 1), local.z};
        break;
    case AFXI_GEOMETRY_SPHERE:
        near = near_sphere(g->radius, local);
        break;
    case AFXI_GEOMETRY_CAPSULE:
        near = near_capsule(g, local);
        break;
    case AFXI_GEOMETRY_BOX:
        near = near_box(g->half, local);
        break;
    case AFXI_GEOMETRY_CYLINDER:
        near = near_cylinder(g, local);
        break;
    case AFXI_GEOMETRY_ELLIPSOID:
        near = near_ellipsoid(g->half, local);
        break;
    default:
        break;
    }
    near.point = place_point(place, near.point);
    near.normal = place_direction(place, near.normal);
    return near;
}
