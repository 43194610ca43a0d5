/* SPDX-License-Identifier: Apache-2.0 */
/* Control points: four points of a body in place of its raw coordinates. With x_k the points in the principal frame,
 *     y_k = A x_k + t,
 * linear in (A, t) and invertible when the x_k span a volume: with the edges E = [x_1 - x_0, x_2 - x_0, x_3 - x_0] and
 * Y likewise, A = Y E^-1 and t = y_0 - A x_0. Velocities go the same way. */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "step/history.h"
#include "step/sim.h"
#include "step/tuning.h"

static bool all_finite(const AfxVec3 points[4]) {
    return vec3_finite(points[0]) && vec3_finite(points[1]) && vec3_finite(points[2]) && vec3_finite(points[3]);
}

static bool arguments_valid(const AfxSim *sim, uint32_t body, const AfxVec3 rest[4]) {
    return sim && body < sim->model->shown.bodies && rest && all_finite(rest);
}

static void to_principal(const AfxiFrame *frame, const AfxVec3 rest[4], AfxVec3 out[4]) {
    for (int k = 0; k < 4; k++) {
        out[k] = mat3_apply_transposed(&frame->axes, vec3_sub(rest[k], frame->center));
    }
}

/* The points of raw coordinates, or the velocities of raw velocities. */
static void points_from_raw(const double *raw, const AfxVec3 x[4], AfxVec3 out[4]) {
    AfxiMat3 a;
    memcpy(a.m, raw, sizeof a.m);
    for (int k = 0; k < 4; k++) {
        out[k] = vec3_add(vec3_load(raw + 9), mat3_apply(&a, x[k]));
    }
}

/* E^-1, by rows; false when the points do not span a volume. Edges are made unit first: only their directions count. */
static bool invert_edges(const AfxVec3 x[4], AfxiMat3 *out_rows) {
    AfxVec3 edge[3];
    double length[3];
    for (int k = 0; k < 3; k++) {
        edge[k] = vec3_sub(x[k + 1], x[0]);
        length[k] = hypot(hypot(edge[k].x, edge[k].y), edge[k].z);
        edge[k] = vec3(edge[k].x / length[k], edge[k].y / length[k], edge[k].z / length[k]);
    }
    double volume = vec3_dot(edge[0], vec3_cross(edge[1], edge[2]));
    if (!(fabs(volume) > AFXI_POINTS_FLAT)) { /* also an edge of length zero, or too long */
        return false;
    }
    for (int k = 0; k < 3; k++) {
        AfxVec3 across = vec3_cross(edge[(k + 1) % 3], edge[(k + 2) % 3]);
        vec3_store(out_rows->m + 3 * k, vec3_scale(1 / volume / length[k], across));
    }
    return true;
}

/* Raw coordinates of the points y, or raw velocities of their velocities; false when they are not finite. */
static bool raw_from_points(const AfxiMat3 *rows, const AfxVec3 x[4], const AfxVec3 y[4],
                            double out_raw[AFXI_AFFINE_WIDTH]) {
    AfxiMat3 edges = mat3_from_columns(vec3_sub(y[1], y[0]), vec3_sub(y[2], y[0]), vec3_sub(y[3], y[0]));
    AfxiMat3 inverse = mat3_transpose(rows), a = mat3_multiply(&edges, &inverse);
    AfxVec3 t = vec3_sub(y[0], mat3_apply(&a, x[0]));
    memcpy(out_raw, a.m, sizeof a.m);
    vec3_store(out_raw + 9, t);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        if (!isfinite(out_raw[k])) {
            return false;
        }
    }
    return true;
}

AfxStatus afx_sim_control_points(const AfxSim *sim, uint32_t body, const AfxVec3 rest[4], AfxVec3 out_positions[4],
                                 AfxVec3 out_velocities[4]) {
    if (!arguments_valid(sim, body, rest)) {
        return AFX_E_ARGUMENT;
    }
    AfxVec3 x[4];
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    to_principal(afxi_model_frame(sim->model, body), rest, x);
    if (out_positions) {
        points_from_raw(sim->world.state.q + at, x, out_positions);
    }
    if (out_velocities) {
        points_from_raw(sim->world.state.v + at, x, out_velocities);
    }
    return AFX_OK;
}

AfxStatus afx_sim_set_control_points(AfxSim *sim, uint32_t body, const AfxVec3 rest[4], const AfxVec3 positions[4],
                                     const AfxVec3 velocities[4]) {
    AfxVec3 x[4];
    AfxiMat3 rows;
    double q[AFXI_AFFINE_WIDTH], v[AFXI_AFFINE_WIDTH];
    if (!arguments_valid(sim, body, rest)) {
        return AFX_E_ARGUMENT;
    }
    to_principal(afxi_model_frame(sim->model, body), rest, x);
    if (!invert_edges(x, &rows) || (positions && !raw_from_points(&rows, x, positions, q)) ||
        (velocities && !raw_from_points(&rows, x, velocities, v))) {
        return AFX_E_ARGUMENT;
    }
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    if (positions) {
        memcpy(sim->world.state.q + at, q, sizeof q);
    }
    if (velocities) {
        memcpy(sim->world.state.v + at, v, sizeof v);
    }
    afxi_history_drop(sim);
    return AFX_OK;
}
