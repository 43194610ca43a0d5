/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of contact points that bounce, in terms of velocities: stiff springs of rate, so that many points of one body
 * share what they do. */
#include "constraint/bounce.h"

#include <math.h>
#include <string.h>

#include "constraint/tuning.h"

/* The speed of approach is that at the moment of touch: from the beginning of
 * the step to there, gravity has added its share. */
double afxi_bounce_speed(const AfxiContactSet *set, const AfxiPoint *point) {
    AfxVec3 gravity = vec3_load(afxi_world_param(set->world, AFX_PARAM_GRAVITY, 0));
    if (point->chained || !(point->restitution > 0) || !(point->force > 0) || !(point->approach < 0)) {
        return 0;
    }
    double pull = point->pair ? 0 : -vec3_dot(gravity, vec3_load(point->axis));
    double way = point->first_gap - point->dt * point->approach; /* gap at the beginning of the step */
    double speed = sqrt(fmax(0, point->approach * point->approach + 2 * pull * fmax(0, way)));
    double after = point->restitution * speed;
    return after > AFXI_BOUNCE_LEAST * vec3_length(gravity) * point->dt ? after : 0;
}

/* Where b is not solved for: a stiff row in the block of a. What b moves along the normal is part of the speed. */
static void bounce_touch(AfxiContactSet *set, AfxiRows *rows, const AfxiPoint *point, double after) {
    uint32_t body = rows->graph->local[point->body_a];
    AfxiContactRow side[2];
    AfxiWoodburyRow *row = &set->woodbury.row[point->row];
    afxi_contacts_row(set, point, 0, side);
    memcpy(row->g, side[0].g, sizeof row->g);
    double at[AFXI_AFFINE_WIDTH];
    memcpy(at, rows->frame[body].m, 9 * sizeof *at);
    vec3_store(at + 9, rows->origin[body]);
    row->target = 0;
    row->target = afxi_woodbury_value(row, at) + after + point->carried;
    row->stiffness = AFXI_BOUNCE_STIFFNESS * afxi_world_class(set->world, point->body_a)->mass;
}

static void bounce_pair(const AfxiContactSet *set, AfxiRows *rows, const AfxiPoint *point, double after) {
    uint32_t row = point->row;
    rows->active[row] = 1;
    rows->value[row] = -after;
    rows->compliance[row] = 1 / (AFXI_BOUNCE_STIFFNESS * afxi_world_class(set->world, point->body_a)->mass);
    afxi_contacts_gradient(set, rows, point, 0);
}

void afxi_bounce_rows(AfxiContactSet *set, AfxiRows *rows, bool pairs, const uint32_t *point, uint32_t count) {
    const AfxiGraph *graph = rows->graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        uint32_t own = set->woodbury_of[graph->body[k]];
        for (uint32_t r = 0; own != UINT32_MAX && r < set->woodbury.body[own].row_count; r++) {
            set->woodbury.row[set->woodbury.body[own].first_row + r].stiffness = 0;
        }
    }
    if (pairs) {
        afxi_contacts_clear(rows);
    }
    for (uint32_t k = 0; k < count; k++) {
        const AfxiPoint *own = &set->now.point[point[k]];
        double after = afxi_bounce_speed(set, own);
        if (after > 0 && own->row_count) {
            afxi_trace_bounce(set->world->trace, own->body_a);
            if (own->pair) {
                bounce_pair(set, rows, own, after);
            } else {
                bounce_touch(set, rows, own, after);
            }
        }
    }
}
