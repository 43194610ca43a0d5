/* SPDX-License-Identifier: Apache-2.0 */
/* Two things that let one solve of ball-jointed bodies do (jointed.c, settle.c).
 *
 * Bodies that weigh nothing. A few nodes of a net that spin about the pull of their links can be far off in angle and
 * yet hold next to no energy. A step of BDF1 lowers T + V by what it dissipates, up to the amount by which the function
 * that it minimises (docs/step.md, section 3) is above its least value. For a body whose torques are off by r that is
 * r^T (I + |k|)^-1 r / 2: `excess`. Where this, summed over the bodies that are not settled, is next to nothing of the
 * kinetic energy of what they are joined to, the step stands.
 *
 * The strain of a turn. A solve gives A = R (I + [w] + s), w the turn and s the strain that it means; the body should
 * be at R exp[w] (I + s). The difference, [w]²/2 and smaller, is put into the solve without rows, and the rows are met
 * again with the same factor: a substitution, no new matrix. (This is the second-order correction of sequential
 * quadratic programming.) Its stiff directions are those of R, off by w, so that about |w| of the difference is left:
 * up to three times it is done again. */
#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "math/polar.h"
#include "step/rows.h"

/* Of the kinetic energy, in one step. */
#define LIGHT 1e-6
/* No body may be off by more, rad. */
#define LIGHT_ERROR 0.5
/* Smaller turns leave a strain of 5e-7 at most, rad. */
#define TURN_STRAINING 1e-3
#define UNSTRAINS_MOST 3
/* A strain that is small enough to stay. */
#define STRAIN_LEFT 1e-4

/* Of body k in the last solve. */
static double kinetic_energy(const AfxSim *sim, uint32_t k) {
    const AfxiJointed *jointed = &sim->jointed;
    const AfxiBodyClass *class = afxi_sim_class(sim, sim->model->graph.body[k]);
    const double *next = jointed->next + (size_t)12 * k, *qv = jointed->qv + (size_t)12 * k;
    double sum = 0;
    for (int e = 0; e < 12; e++) {
        double v = (next[e] - qv[e]) / jointed->h_rate;
        sum += 0.5 * (e < 9 ? class->s[e / 3] : class->mass) * v * v;
    }
    return sum;
}

bool afxi_sharp_light(AfxSim *sim, double tolerance) {
    const AfxiGraph *graph = &sim->model->graph;
    AfxiJointed *jointed = &sim->jointed;
    double *excess = jointed->share, *energy = jointed->share + graph->body_count;
    bool apart = graph->component_count > 1;
    if (apart) {
        afxi_graph_join(graph, graph->joint_blocks, jointed->tied);
    }
    memset(jointed->share, 0, 2 * (size_t)graph->body_count * sizeof *jointed->share);
    for (uint32_t k = 0; k < graph->body_count; k++) {
        uint32_t root = apart ? afxi_forest_root(jointed->tied, k) : 0;
        if (!(jointed->error[k] <= LIGHT_ERROR)) {
            return false;
        }
        excess[root] += jointed->error[k] > tolerance ? jointed->excess[k] : 0;
        energy[root] += kinetic_energy(sim, k);
    }
    for (uint32_t k = 0; k < graph->body_count; k++) {
        if (!(excess[k] <= LIGHT * energy[k])) {
            return false;
        }
    }
    return true;
}

/* The strain that a solve means: s of A = R (I + [w] + s). */
static void keep_strains(AfxSim *sim) {
    for (uint32_t k = 0; k < sim->model->graph.body_count; k++) {
        const double *beta = sim->jointed.system.delta + (size_t)12 * k;
        double *strain = sim->jointed.strain + (size_t)9 * k;
        for (int e = 0; e < 9; e++) {
            strain[e] = 0.5 * (beta[e] + beta[e % 3 * 3 + e / 3]);
        }
    }
}

/* Moves the start of a body from I + beta to its rotation times I + s; how far comes back. */
static double shift_start(AfxSim *sim, uint32_t k, bool first) {
    const double *beta = sim->jointed.system.delta + (size_t)12 * k, *strain = sim->jointed.strain + (size_t)9 * k;
    double *start = sim->jointed.system.start + (size_t)12 * k, largest = 0;
    AfxiMat3 a = mat3_load(beta), stretched = mat3_load(strain), turned;
    if (first) {
        turned = afxi_mat3_rotation(mat3_axial(&a));
    }
    for (int e = 0; e < 9; e += 4) {
        a.m[e] += 1;
        stretched.m[e] += 1;
    }
    if (!first) {
        turned = afxi_rotation_part(&a, NULL);
    }
    stretched = mat3_multiply(&turned, &stretched);
    for (int e = 0; e < 9; e++) {
        double move = stretched.m[e] - a.m[e];
        start[e] += move;
        largest = fmax(largest, fabs(move));
    }
    return largest;
}

void afxi_sharp_unstrain(AfxSim *sim, double turn, AfxiDualReport *dual) {
    double largest = INFINITY;
    keep_strains(sim);
    for (int pass = 0; pass < UNSTRAINS_MOST && largest * turn > STRAIN_LEFT; pass++) {
        largest = 0;
        for (uint32_t k = 0; k < sim->model->graph.body_count; k++) {
            if (sim->jointed.turn[k] > TURN_STRAINING) {
                largest = fmax(largest, shift_start(sim, k, pass == 0));
            }
        }
        afxi_dual_solve_again(&sim->jointed.system, dual);
    }
}
