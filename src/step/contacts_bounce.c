/* SPDX-License-Identifier: Apache-2.0 */
/* Restitution: a point that struck leaves with e times the speed of approach. The step itself stops what strikes; this
 * comes after it, as a change of velocities in the metric of the rigid mass matrix. The speed of approach is that at
 * the moment of touch: from the beginning of the step to there, gravity has added its share. */
#include <math.h>
#include <string.h>

#include "step/contacts.h"

/* Slower than this many times g dt nothing bounces: it would never come to rest. */
#define BOUNCE_LEAST 2
/* Rows of bounces are met to about one over this. */
#define BOUNCE_STIFFNESS 1e8

/* Speed away from b after the bounce, or 0. */
static double bounce_of(const AfxSim *sim, const AfxiPoint *point) {
    const AfxiContactWork *work = sim->contacts;
    AfxVec3 gravity = vec3_load(afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0));
    if (point->chained || !(point->restitution > 0) || !(point->force > 0) || !(point->approach < 0)) {
        return 0;
    }
    double pull = point->pair ? 0 : -vec3_dot(gravity, vec3_load(point->axis));
    double way = point->first_gap - work->dt * point->approach; /* gap at the beginning of the step */
    double speed = sqrt(fmax(0, point->approach * point->approach + 2 * pull * fmax(0, way)));
    double after = point->restitution * speed;
    return after > BOUNCE_LEAST * vec3_length(gravity) * work->dt ? after : 0;
}

bool afxi_contacts_bouncing(const AfxSim *sim) {
    for (uint32_t k = 0; sim->contacts && k < sim->contacts->now.count; k++) {
        if (bounce_of(sim, &sim->contacts->now.point[k]) > 0) {
            return true;
        }
    }
    return false;
}

/* Where b is not solved for: a stiff row in the block of a. What b moves along the normal is part of the speed. */
static void bounce_touch(AfxSim *sim, AfxiPoint *point, double after) {
    AfxiContactWork *work = sim->contacts;
    uint32_t body = sim->model->graph.local[point->body_a];
    AfxiContactRow side[2];
    AfxiTouchRow *row = &work->touches.row[point->row];
    afxi_contacts_row(work, point, 0, side);
    memcpy(row->g, side[0].g, sizeof row->g);
    double at[12];
    memcpy(at, sim->jointed.frame[body].m, 9 * sizeof *at);
    vec3_store(at + 9, sim->jointed.origin[body]);
    row->target = 0;
    row->target = afxi_touch_value(row, at) + after + point->carried;
    row->stiffness = BOUNCE_STIFFNESS * afxi_sim_class(sim, point->body_a)->mass;
}

static void bounce_pair(AfxSim *sim, const AfxiPoint *point, double after) {
    AfxiSystem *system = &sim->jointed.system;
    uint32_t row = point->row;
    system->active[row] = 1;
    system->value[row] = -after;
    system->compliance[row] = 1 / (BOUNCE_STIFFNESS * afxi_sim_class(sim, point->body_a)->mass);
    afxi_contacts_gradient(sim, point, 0);
}

void afxi_contacts_bounce_rows(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    const AfxiGraph *graph = &sim->model->graph;
    AfxiJointed *jointed = &sim->jointed;
    for (uint32_t k = 0; k < work->touches.row_count; k++) {
        work->touches.row[k].stiffness = 0;
    }
    afxi_contacts_clear(sim);
    for (uint32_t k = 0; k < work->now.count; k++) {
        AfxiPoint *point = &work->now.point[k];
        double after = bounce_of(sim, point);
        if (after > 0 && point->row_count) {
            if (point->pair) {
                bounce_pair(sim, point, after);
            } else {
                bounce_touch(sim, point, after);
            }
        }
    }
    for (uint32_t k = 0; k < work->touches.body_count; k++) {
        uint32_t body = graph->local[work->touches.body[k].body];
        if (body != UINT32_MAX) {
            afxi_touch_load(&work->touches, k, &jointed->frame[body], jointed->origin[body],
                            &jointed->system.inverse[body], jointed->system.start + (size_t)12 * body);
        }
    }
}
