/* SPDX-License-Identifier: Apache-2.0 */
/* Two boxes: the largest separation over the fifteen axes that can be it (Gottschalk, Lin and Manocha 1996), and the
 * corners of the faces' common part along it. For overlapping boxes that is exact. For boxes apart it is when a corner
 * of that part has the separation as its gap; else the nearest points are corners or edges, and the general method
 * finds them. */
#include "contact/box.h"

#include "contact/convex.h"
#include "contact/inner.h"
#include "contact/manifold.h"
#include "contact/support.h"

typedef struct Search {
    AfxVec3 best; /* from b to a, not unit */
    double s, length;
} Search;

/* Takes the axis if boxes are apart by more along it, and by more than `bias` more. */
static void consider(Search *search, AfxVec3 axis, double offset, double reach, double length, double bias) {
    double s = (fabs(offset) - reach) / length;
    if (!(s > search->s + bias))
        return;
    search->s = s;
    search->best = offset < 0 ? vec3_scale(-1, axis) : axis;
    search->length = length;
}

static void search_faces(Search *search, const double r[3][3], const double ha[3], const double hb[3],
                         const AfxiPlacedPair *pair, AfxVec3 d) {
    for (int k = 0; k < 3; k++) {
        AfxVec3 axis = place_axis(&pair->pa, k);
        double reach = ha[k] + hb[0] * fabs(r[k][0]) + hb[1] * fabs(r[k][1]) + hb[2] * fabs(r[k][2]);
        consider(search, axis, vec3_dot(axis, d), reach, 1, 0);
    }
    for (int k = 0; k < 3; k++) {
        AfxVec3 axis = place_axis(&pair->pb, k);
        double reach = hb[k] + ha[0] * fabs(r[0][k]) + ha[1] * fabs(r[1][k]) + ha[2] * fabs(r[2][k]);
        consider(search, axis, vec3_dot(axis, d), reach, 1, 0);
    }
}

static void search_edges(Search *search, const double r[3][3], const double ha[3], const double hb[3],
                         const AfxiPlacedPair *pair, AfxVec3 d, double bias) {
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double square = 1 - r[i][j] * r[i][j];
            if (square < 1e-12) /* parallel edges: a face's normal is as good */
                continue;
            AfxVec3 axis = vec3_cross(place_axis(&pair->pa, i), place_axis(&pair->pb, j));
            double reach =
                ha[i1] * fabs(r[i2][j]) + ha[i2] * fabs(r[i1][j]) + hb[j1] * fabs(r[i][j2]) + hb[j2] * fabs(r[i][j1]);
            consider(search, axis, vec3_dot(axis, d), reach, sqrt(square), bias);
        }
    }
}

uint32_t afxi_touch_boxes(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]) {
    double r[3][3];
    AfxVec3 d = vec3_sub(vec3_load(pair->pa.t), vec3_load(pair->pb.t));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = vec3_dot(place_axis(&pair->pa, i), place_axis(&pair->pb, j));
    Search search = {.s = -INFINITY, .length = 1};
    double size = fmin(afxi_core_size(pair->a), afxi_core_size(pair->b));
    search_faces(&search, r, pair->a->half, pair->b->half, pair, d);
    if (search.s >= pair->margin)
        return 0;
    search_edges(&search, r, pair->a->half, pair->b->half, pair, d, 1e-10 * size);
    if (search.s >= pair->margin)
        return 0;
    AfxVec3 n = vec3_scale(1 / vec3_length(search.best), search.best);
    uint32_t count = afxi_manifold(pair, n, 8, out);
    for (uint32_t k = 0; k < count; k++)
        if (out[k].gap <= search.s + 1e-10 * size)
            return count;
    AfxiApart apart = afxi_apart(pair, pair->margin);
    return afxi_touch_apart(pair, &apart, 8, out);
}
