/* SPDX-License-Identifier: Apache-2.0 */
/* Two convex shapes of any kind: distance or depth of the cores, an exact normal from it, and the points along that. */
#include "contact/convex.h"

#include "contact/expand.h"
#include "contact/gjk.h"
#include "contact/inner.h"
#include "contact/manifold.h"
#include "contact/polish.h"
#include "contact/support.h"
#include "contact/tuning.h"

/* The feature of a nearest point that is no corner of flat pieces. */
#define NEAREST UINT32_MAX

/* Has the core one point only that is farthest along n? */
static bool is_single(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 n) {
    double up = fabs(vec3_dot(n, place_axis(place, 2)));
    switch (g->kind) {
    case AFXI_GEOMETRY_SPHERE:
    case AFXI_GEOMETRY_ELLIPSOID:
        return true;
    case AFXI_GEOMETRY_CAPSULE:
        return up > 1e-7;
    case AFXI_GEOMETRY_CYLINDER:
        return up > 1e-7 && up < 1 - 1e-14;
    default:
        return false;
    }
}

static AfxVec3 weighted(const AfxiSimplex *s, bool of_a) {
    AfxVec3 p = vec3(0, 0, 0);
    for (uint32_t k = 0; k < s->count; k++)
        p = vec3_mad(p, s->weight[k], of_a ? s->corner[k].a : s->corner[k].b);
    return p;
}

AfxiApart afxi_apart(const AfxiPlacedPair *pair, double reach) {
    AfxiApart apart = {.far = true};
    AfxiSimplex simplex;
    AfxVec3 v, n;
    double size = afxi_core_size(pair->a) + afxi_core_size(pair->b);
    if (!afxi_gjk(pair, reach, &simplex, &v))
        return apart;
    double length = vec3_length(v);
    bool overlap = simplex.count == 4 || length <= 1e-10 * size;
    n = overlap ? afxi_expand(pair, &simplex) : vec3_scale(1 / length, v);
    n = afxi_polish(pair, n, size);
    AfxiCorner c = afxi_corner(pair, vec3_scale(-1, n));
    apart = (AfxiApart){.normal = n, .point_a = c.a, .point_b = c.b, .distance = vec3_dot(n, c.w)};
    if (overlap && afxi_separation(pair, vec3_scale(-1, n)) > apart.distance) {
        /* flat cores: either side */
        n = vec3_scale(-1, n);
        c = afxi_corner(pair, vec3_scale(-1, n));
        apart = (AfxiApart){.normal = n, .point_a = c.a, .point_b = c.b, .distance = vec3_dot(n, c.w)};
    }
    if (is_single(pair->a, &pair->pa, n)) {
        apart.point_b = vec3_mad(c.a, -apart.distance, n);
    } else if (is_single(pair->b, &pair->pb, n)) {
        apart.point_a = vec3_mad(c.b, apart.distance, n);
    } else if (!overlap || simplex.count < 4) {
        apart.point_a = weighted(&simplex, true);
        apart.point_b = weighted(&simplex, false);
    }
    return apart;
}

/* Whether a cylinder stands on one of its ends along the normal. */
static bool stands(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 normal) {
    return g->kind == AFXI_GEOMETRY_CYLINDER && vec3_length(vec3_cross(place_axis(place, 2), normal)) < AFXI_RIM_TILT;
}

static bool any_stands(const AfxiPlacedPair *pair, AfxVec3 normal) {
    return stands(pair->a, &pair->pa, normal) || stands(pair->b, &pair->pb, normal);
}

/* The point of touch that belongs to the distance itself, when no corner of the manifold has it. It takes the place of
 * a corner that is nearly the same, with its name. */
static uint32_t add_nearest(const AfxiPlacedPair *pair, const AfxiApart *apart, uint32_t count, AfxiTouch *out) {
    double ra = core_radius(pair->a), rb = core_radius(pair->b), gap = apart->distance - ra - rb;
    double size = fmin(afxi_core_size(pair->a) + ra, afxi_core_size(pair->b) + rb); /* of the smaller one */
    double least = INFINITY, nearest = INFINITY;
    uint32_t at = 0;
    AfxVec3 pa = vec3_mad(apart->point_a, -ra, apart->normal), pb = vec3_mad(apart->point_b, rb, apart->normal);
    for (uint32_t k = 0; k < count; k++) {
        double away = vec3_length(vec3_sub(vec3_load(out[k].point_b), pb));
        least = fmin(least, out[k].gap);
        at = away < nearest ? k : at;
        nearest = fmin(nearest, away);
    }
    if (least <= gap + (count > 2 && any_stands(pair, apart->normal) ? AFXI_RIM_HIGHER : 1e-10) * size)
        return count;
    bool same = nearest < 1e-4 * size;
    at = same ? at : count;
    touch_set(out + at, pa, pb, apart->normal, gap, same ? out[at].feature : NEAREST);
    return at == count ? count + 1 : count;
}

uint32_t afxi_touch_apart(const AfxiPlacedPair *pair, const AfxiApart *apart, uint32_t limit,
                          AfxiTouch out[AFXI_TOUCH_MAX]) {
    double gap = apart->distance - core_radius(pair->a) - core_radius(pair->b);
    if (apart->far || !(gap < pair->margin))
        return 0;
    uint32_t count = afxi_manifold(pair, apart->normal, limit, out);
    return add_nearest(pair, apart, count, out);
}

uint32_t afxi_touch_convex(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]) {
    AfxiApart apart = afxi_apart(pair, pair->margin + core_radius(pair->a) + core_radius(pair->b));
    return afxi_touch_apart(pair, &apart, any_stands(pair, apart.normal) ? AFXI_RIM : 4, out);
}
