/* SPDX-License-Identifier: Apache-2.0 */
/* The energy that a first solve makes or loses, against what the integrator takes. With w the turn of a body away from
 * its frame and theta its turn in the step, such a solve
 *
 *     has the bound gamma for the geometric stiffness K, which is a moment (K - gamma I) w that nothing exerts: its
 *         work is theta . (K - gamma I) w, of either sign,
 *     leaves A = R (I + [w]), longer by |w|²/2: the energy of the motion grows by about |w|² of it.
 *
 * BDF2 takes theta^4 of the energy of a body that spins freely, and more of one that turns about a joint. All are
 * summed over the bodies of an island: what holds little energy makes little. w is of third order in the step and the
 * works of fourth and more, so that small steps take one solve. Drives that lead or hold something give and take
 * whatever is missing: they are no matter of energy from nothing. */
#include "solve/gain.h"

#include <math.h>

#include "model/model.h"
#include "solve/tuning.h"

/* The turn from one A to another, in the axes of a frame. */
static AfxVec3 turn_between(const AfxiMat3 *frame, const double *from, const double *to) {
    AfxVec3 sum = vec3(0, 0, 0);
    for (int c = 0; c < 3; c++) {
        sum = vec3_add(sum, vec3_cross(vec3_load(from + 3 * c), vec3_load(to + 3 * c)));
    }
    return mat3_apply_transposed(frame, vec3_scale(0.5, sum));
}

/* (K - gamma I) w, K by its entries xx, yy, zz, xy, xz, yz. */
static AfxVec3 left_out(const double k[6], double gamma, AfxVec3 w) {
    return vec3((k[0] - gamma) * w.x + k[3] * w.y + k[4] * w.z, k[3] * w.x + (k[1] - gamma) * w.y + k[5] * w.z,
                k[4] * w.x + k[5] * w.y + (k[2] - gamma) * w.z);
}

/* Whether something is led or held by drives, into which false moments go. */
static bool is_driven(const AfxiRows *rows) {
    const AfxiGraph *graph = rows->graph;
    bool driven = false;
    for (uint32_t k = 0; k < graph->drive_count && !driven; k++) {
        AfxDriveKind kind = rows->world->model->drives[graph->row[graph->drive_row[k]].index].kind;
        driven = kind == AFX_DRIVE_POSITION || kind == AFX_DRIVE_VELOCITY || kind == AFX_DRIVE_SERVO;
    }
    return driven;
}

bool afxi_gain_matters(const AfxiLot *lot, double turn) {
    const AfxiRows *rows = &lot->rows;
    const AfxiWorld *world = rows->world;
    double work = 0, strain = 0, taken = 0, scale = 1 / lot->plan.weights.scale.h_squared;
    if (turn <= AFXI_TURN_GAINLESS || is_driven(rows)) {
        return false;
    }
    for (uint32_t k = 0; k < rows->graph->body_count; k++) {
        uint32_t body = rows->graph->body[k];
        const double *next = rows->next + (size_t)AFXI_AFFINE_WIDTH * k;
        const double *q = world->state.q + (size_t)AFXI_AFFINE_WIDTH * body;
        const AfxiBodyClass *class = afxi_world_class(world, body);
        double energy = 0, turned = 0;
        for (int c = 0; c < 4; c++) {
            AfxVec3 way = vec3_sub(vec3_load(next + 3 * c), vec3_load(q + 3 * c));
            double square = vec3_dot(way, way);
            energy += scale * (c < 3 ? class->s[c] : class->mass) * square;
            turned += c < 3 ? 0.5 * square : 0; /* |A - A_n|² = 2 theta² */
        }
        AfxVec3 w = turn_between(&rows->frame[k], rows->frame[k].m, next);
        AfxVec3 theta = turn_between(&rows->frame[k], q, next);
        work += vec3_dot(theta, left_out(lot->stiffness + 6 * (size_t)k, lot->gamma[k], w));
        strain += energy * vec3_dot(w, w);
        taken += energy * (turned * turned + AFXI_GAIN_LEAST);
    }
    return fabs(work) + strain > AFXI_GAIN_MOST * taken;
}
