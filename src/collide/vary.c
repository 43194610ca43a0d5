/* SPDX-License-Identifier: Apache-2.0 */
/* Differences of fourth order of the touch itself: closed forms exist for a few pairs of shapes only, and shapes of
 * metres are found to 1e-15, so that these have 11 digits or more. */
#include "collide/vary.h"

#include <math.h>
#include <string.h>

#include "collide/place.h"
#include "collide/tuning.h"

/* What is differentiated: the normal, and the point on either shape; world. */
enum { NUMBERS = 9 };

/* Where a body is, turned and shifted a little. */
static AfxiBodyPlace moved(const AfxiBodyPlace *place, int way, double by) {
    AfxiBodyPlace out = *place;
    double d[3] = {0, 0, 0};
    d[way % 3] = by;
    if (way < 3) {
        AfxiMat3 turn = afxi_mat3_rotation(vec3_load(d));
        out.frame = mat3_multiply(&turn, &place->frame);
    } else {
        out.origin = vec3_add(place->origin, vec3_load(d));
    }
    return out;
}

/* The touch of a point's items on bodies that are at place[2] that is nearest to it, for names of features may change
 * where there is no edge; `a` and `b` are those of the point. */
static bool touch_at(const AfxiCollide *collide, const AfxiPoint *point, const AfxiBodyPlace place[2], double margin,
                     double out[NUMBERS]) {
    const AfxiContactShape *shapes = collide->set.world->model->contacts.shapes;
    const AfxiContactShape *a = &shapes[point->memory.item_a], *b = &shapes[point->memory.item_b];
    const bool swapped = a->body != point->body_a;
    const AfxiBodyPlace *on_a = &place[swapped], *on_b = &place[!swapped];
    AfxiPlace place_a = afxi_shape_on(collide, a, &on_a->frame, on_a->origin),
              place_b = afxi_shape_on(collide, b, &on_b->frame, on_b->origin);
    AfxiTouch touch[AFXI_TOUCH_MAX];
    uint32_t count =
        afxi_touch(&collide->geometry[a->geometry], &place_a, &collide->geometry[b->geometry], &place_b, margin, touch);
    AfxVec3 near = vec3_add(mat3_apply(&place[0].frame, vec3_load(point->x_a)), place[0].origin);
    double least = INFINITY;
    for (uint32_t k = 0; k < count; k++) {
        const double *p_a = swapped ? touch[k].point_b : touch[k].point_a;
        double off = vec3_length(vec3_sub(vec3_load(p_a), near));
        if (off < least) {
            least = off;
            vec3_store(out, vec3_scale(swapped ? -1 : 1, vec3_load(touch[k].normal)));
            memcpy(out + 3, p_a, 3 * sizeof *out);
            memcpy(out + 6, swapped ? touch[k].point_a : touch[k].point_b, 3 * sizeof *out);
        }
    }
    return count > 0;
}

/* Derivatives along one way of one body, by steps of `turn` or `shift`; false: a feature is lost, or the touch is not
 * smooth as far as that. */
static bool differ(const AfxiCollide *collide, const AfxiPoint *point, const AfxiBodyPlace at[2], int way, double size,
                   double step, double out[NUMBERS]) {
    const int side = way / 6, own = way % 6;
    const double by = own < 3 ? step : step * size;
    double far[2][2][NUMBERS], largest = 0, off = 0;
    for (int k = 0; k < 4; k++) {
        AfxiBodyPlace place[2] = {at[0], at[1]};
        place[side] = moved(&at[side], own, (k % 2 ? -1 : 1) * (k / 2 ? 2 : 1) * by);
        if (!touch_at(collide, point, place,
                      collide->pad[point->memory.item_a] + collide->pad[point->memory.item_b] +
                          AFXI_VARY_MARGIN * step * size,
                      far[k / 2][k % 2])) {
            return false;
        }
    }
    for (int k = 0; k < NUMBERS; k++) {
        double near = (far[0][0][k] - far[0][1][k]) / (2 * by), wide = (far[1][0][k] - far[1][1][k]) / (4 * by);
        double scale = k < 3 ? (own < 3 ? 1 : size) : (own < 3 ? 1 / size : 1);
        out[k] = (4 * near - wide) / 3;
        largest = fmax(largest, fabs(out[k]) * scale);
        off = fmax(off, fabs(near - wide) * scale);
    }
    return off <= AFXI_VARY_SMOOTH * step * step * fmax(1, largest) + AFXI_VARY_ROUNDING / step;
}

/* What a point would be at the places where it was found, is it that? */
static bool is_found(const AfxiCollide *collide, const AfxiPoint *point, const AfxiBodyPlace at[2], double size) {
    double here[NUMBERS];
    double margin = collide->pad[point->memory.item_a] + collide->pad[point->memory.item_b];
    if (!touch_at(collide, point, at, margin, here)) {
        return false;
    }
    AfxVec3 p_a = vec3_add(mat3_apply(&at[0].frame, vec3_load(point->x_a)), at[0].origin);
    AfxVec3 n = vec3_sub(vec3_load(here), vec3_load(point->axis)), off = vec3_sub(vec3_load(here + 3), p_a);
    return vec3_length(n) <= AFXI_VARY_FOUND && vec3_length(off) <= AFXI_VARY_FOUND * (size + vec3_length(p_a));
}

bool afxi_collide_vary(const AfxiCollide *collide, const AfxiPoint *point, AfxiPointSlope *out) {
    const AfxiContactSet *set = &collide->set;
    const AfxiBodyPlace at[2] = {set->place[set->place_of[point->body_a]], set->place[set->place_of[point->body_b]]};
    double size = fmin(collide->box[collide->box_of[point->memory.item_a]].inner,
                       collide->box[collide->box_of[point->memory.item_b]].inner);
    memset(out, 0, sizeof *out);
    if (!is_found(collide, point, at, size)) {
        return false;
    }
    for (int way = 0; way < (point->pair ? 12 : 6); way++) {
        double slope[NUMBERS], step = AFXI_VARY_STEP;
        int tries = 0;
        while (tries < AFXI_VARY_TRIES && !differ(collide, point, at, way, size, step, slope)) {
            step *= 0.1;
            tries++;
        }
        if (tries == AFXI_VARY_TRIES) {
            return false;
        }
        for (int k = 0; k < 3; k++) {
            out->normal[k][way] = slope[k];
            out->point_a[k][way] = slope[3 + k];
            out->point_b[k][way] = slope[6 + k];
        }
    }
    return true;
}
