/* SPDX-License-Identifier: Apache-2.0 */
/* What closes loops, on joint coordinates: with the gradients G of these rows and velocities that G u = 0 allows,
 *     P = 1 - M^-1 G^T (G M^-1 G^T)^-1 G,   P M^-1 = P M^-1 P^T
 * takes any velocity to the allowed one that is nearest by kinetic energy, and any force to an acceleration. Redundant
 * rows share their load (reduced/system.h). */
#include <math.h>
#include <string.h>

#include "affix/dynamics.h"
#include "base/memory.h"
#include "reduced/explicit.h"
#include "reduced/system.h"
#include "step/dynamics_query.h"
#include "step/tuning.h"

uint32_t afx_sim_constraint_count(AfxSim *sim) {
    AfxiDynamics *kept;
    return sim && afxi_dynamics_rows(sim, &kept) == AFX_OK ? kept->rows.exact_count : 0;
}

AfxStatus afx_sim_constraint_jacobian(AfxSim *sim, double *out_jacobian, double *out_values) {
    AfxiDynamics *kept;
    AfxStatus status = sim ? afxi_dynamics_rows(sim, &kept) : AFX_E_ARGUMENT;
    if (status != AFX_OK) {
        return status;
    }
    size_t m = kept->rows.exact_count;
    if (out_jacobian) {
        afxi_dynamics_tell_rows(kept, kept->rows.gradient, m, out_jacobian);
    }
    for (size_t k = 0; out_values && k < m; k++) {
        out_values[k] = kept->rows.measure[k].value;
    }
    return AFX_OK;
}

/* ---- the projection ---- */

/* Trees at the present state with M factored and P ready; with `bent`, `side` is what rows bend by at no acceleration.
 */
static AfxStatus prepare(AfxSim *sim, bool bent, AfxiDynamics **out) {
    AfxStatus status = sim ? afxi_dynamics_rows(sim, out) : AFX_E_ARGUMENT;
    if (status != AFX_OK) {
        return status;
    }
    AfxiDynamics *kept = *out;
    AfxiReduced *rows = &kept->rows;
    memset(rows->side, 0, rows->exact_count * sizeof *rows->side);
    if (bent && rows->exact_count) {
        afxi_tree_inverse(&kept->work, NULL, NULL, kept->x);
        afxi_reduced_sides(rows, 0, kept->q, kept->u);
        afxi_tree_inertia(&kept->work);
    }
    afxi_tree_mass_packed(&kept->work, &rows->rows, rows->mass);
    if (!kept->work.kernels->factor(&rows->rows, rows->mass)) {
        return AFX_E_NUMERIC;
    }
    memset(kept->y, 0, kept->tree.dof_count * sizeof *kept->y); /* makes the factor of the rows */
    return afxi_reduced_correct(rows, kept->y, 0, 1) ? AFX_OK : AFX_E_NUMERIC;
}

/* x, of the tree's own dofs, to what the rows allow, their right side kept. */
static AfxStatus correct(AfxiDynamics *kept, double *x) {
    bool fine = kept->rows.exact_count == 0 || afxi_reduced_correct_again(&kept->rows, x, AFXI_REDUCED_REFINE_MOST);
    return fine && afxi_dynamics_finite(x, kept->tree.dof_count) ? AFX_OK : AFX_E_NUMERIC;
}

/* What kinematic bodies make of the rows' rates goes to `side`. */
static void set_moved(AfxiDynamics *kept) {
    size_t n = kept->tree.dof_count;
    for (size_t k = 0; k < kept->rows.exact_count; k++) {
        double rate = kept->rows.measure[k].rate;
        for (size_t d = 0; d < n; d++) {
            rate -= kept->rows.gradient[k * n + d] * kept->u[d];
        }
        kept->rows.side[k] = rate;
    }
}

AfxStatus afx_sim_project_velocities(AfxSim *sim, const double *velocities, double *out_velocities) {
    AfxiDynamics *kept;
    AfxStatus status = velocities && out_velocities ? prepare(sim, false, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK && !afxi_dynamics_finite(velocities, kept->dofs.count)) {
        status = AFX_E_ARGUMENT;
    }
    if (status == AFX_OK) {
        set_moved(kept);
        afxi_dofs_motion_in(&kept->dofs, velocities, false, kept->y);
        status = correct(kept, kept->y);
    }
    if (status == AFX_OK) {
        afxi_dofs_motion_out(&kept->dofs, kept->y, false, out_velocities);
    }
    return status;
}

/* M y, from the lower triangle of M. */
static void multiply_mass(const AfxiDynamics *kept, const double *y, double *out) {
    size_t n = kept->tree.dof_count;
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            out[i] += kept->mass[i * n + j] * y[j];
            out[j] += i == j ? 0 : kept->mass[i * n + j] * y[i];
        }
    }
}

AfxStatus afx_sim_projected_mass_matrix(AfxSim *sim, double *out_mass) {
    AfxiDynamics *kept;
    AfxStatus status = out_mass ? prepare(sim, false, &kept) : AFX_E_ARGUMENT;
    size_t n = status == AFX_OK ? kept->dofs.count : 0;
    if (status == AFX_OK) {
        afxi_tree_mass(&kept->work, kept->mass);
    }
    for (size_t j = 0; j < n && status == AFX_OK; j++) { /* column j: P^T M P e_j = M P e_j */
        memset(kept->x, 0, kept->tree.dof_count * sizeof *kept->x);
        kept->x[j] = 1;
        afxi_dofs_motion_in(&kept->dofs, kept->x, false, kept->y);
        status = correct(kept, kept->y);
        multiply_mass(kept, kept->y, kept->x);
        afxi_dofs_force_out(&kept->dofs, kept->x, kept->y);
        for (size_t i = 0; i < n; i++) {
            out_mass[i * n + j] = kept->y[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            out_mass[i * n + j] = out_mass[j * n + i] = 0.5 * (out_mass[i * n + j] + out_mass[j * n + i]);
        }
    }
    return status;
}

/* ---- dynamics ---- */

AfxStatus afx_sim_constrained_forward_dynamics(AfxSim *sim, const double *forces, double *out_accelerations) {
    AfxiDynamics *kept;
    AfxStatus status = forces && out_accelerations ? prepare(sim, true, &kept) : AFX_E_ARGUMENT;
    if (status == AFX_OK && !afxi_dynamics_finite(forces, kept->dofs.count)) {
        status = AFX_E_ARGUMENT;
    }
    if (status == AFX_OK) {
        afxi_dofs_force_in(&kept->dofs, forces, kept->x);
        afxi_tree_forward(&kept->work, kept->x, NULL, kept->y);
        status = correct(kept, kept->y);
    }
    if (status == AFX_OK) {
        afxi_dofs_motion_out(&kept->dofs, kept->y, true, out_accelerations);
    }
    return status;
}

/* (P M^-1) f, for public forces f; to `out`, public too. */
static AfxStatus answer(AfxiDynamics *kept, const double *force, double *out) {
    afxi_dofs_force_in(&kept->dofs, force, kept->y);
    kept->work.kernels->solve(&kept->rows.rows, kept->rows.mass, kept->y);
    AfxStatus status = correct(kept, kept->y);
    afxi_dofs_motion_out(&kept->dofs, kept->y, false, out);
    return status;
}

/* Cholesky in place of a symmetric matrix with a share of its trace added; a pivot that is lost is a large number. */
static void factor_dense(double *a, size_t n, double share) {
    double trace = 0;
    for (size_t i = 0; i < n; i++) {
        trace += a[i * n + i];
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * n + j] + (i == j ? share * trace : 0);
            for (size_t k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = i == j ? (sum > 0 ? sqrt(sum) : INFINITY) : sum / a[j * n + j];
        }
    }
}

static void solve_dense(const double *l, size_t n, double *x) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            x[i] -= l[i * n + k] * x[k];
        }
        x[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            x[i] -= l[k * n + i] * x[k];
        }
        x[i] /= l[i * n + i];
    }
}

/* What inverse dynamics with loops works on. */
typedef struct Inverse {
    const bool *actuated;
    double *wanted, *given, *k; /* [n], [n], [a][a] */
    uint32_t *which;            /* [a] */
    size_t n, a;
} Inverse;

/* K = (P M^-1) between actuated dofs. */
static AfxStatus set_answers(AfxiDynamics *kept, Inverse *in, double *scratch) {
    AfxStatus status = AFX_OK;
    for (size_t j = 0; j < in->a && status == AFX_OK; j++) {
        memset(scratch, 0, in->n * sizeof *scratch);
        scratch[in->which[j]] = 1;
        status = answer(kept, scratch, in->given);
        for (size_t i = 0; i < in->a; i++) {
            in->k[i * in->a + j] = in->given[in->which[i]];
        }
    }
    return status;
}

/* Forces tau of actuated dofs with P M^-1 tau = P M^-1 (M a + bias): K regularised and refined, so that of many it is
 * nearly the least. False where they cannot. */
static AfxStatus solve_inverse(AfxiDynamics *kept, Inverse *in, double *rest, double *out) {
    double first = 0, most = 0;
    factor_dense(in->k, in->a, AFXI_ACTUATED_SHARE);
    memset(out, 0, in->n * sizeof *out);
    for (int pass = 0; pass <= AFXI_ACTUATED_PASSES; pass++) {
        for (size_t d = 0; d < in->n; d++) {
            rest[d] = in->wanted[d] - out[d];
        }
        AfxStatus status = answer(kept, rest, in->given);
        if (status != AFX_OK) {
            return status;
        }
        most = 0;
        for (size_t d = 0; d < in->n; d++) {
            most = fmax(most, fabs(in->given[d]));
        }
        first = pass == 0 ? most : first;
        for (size_t j = 0; j < in->a; j++) {
            rest[j] = in->given[in->which[j]];
        }
        solve_dense(in->k, in->a, rest);
        for (size_t j = 0; pass < AFXI_ACTUATED_PASSES && j < in->a; j++) {
            out[in->which[j]] += rest[j];
        }
    }
    return most <= AFXI_ACTUATED_LEFT * first ? AFX_OK : AFX_E_NUMERIC;
}

AfxStatus afx_sim_constrained_inverse_dynamics(AfxSim *sim, const double *accelerations, const bool *actuated,
                                               double *out_forces) {
    AfxiDynamics *kept;
    if (!sim || !accelerations || !out_forces) {
        return AFX_E_ARGUMENT;
    }
    size_t n = afx_sim_dof_count(sim), bytes = (n * n + 4 * n + 1) * sizeof(double);
    double *block = n > AFX_DOFS_MOST ? NULL : afxi_allocate(&sim->def.allocator, bytes);
    if (!block) {
        return n > AFX_DOFS_MOST ? AFX_E_LIMIT : AFX_E_MEMORY;
    }
    Inverse in = {.actuated = actuated, .wanted = block, .given = block + n, .k = block + 4 * n, .n = n};
    in.which = (uint32_t *)(void *)(block + 2 * n);
    for (uint32_t d = 0; d < n; d++) {
        if (!actuated || actuated[d]) {
            in.which[in.a++] = d;
        }
    }
    AfxStatus status = afx_sim_inverse_dynamics(sim, accelerations, in.wanted);
    status = status ? status : prepare(sim, false, &kept);
    status = status ? status : set_answers(kept, &in, block + 3 * n);
    status = status ? status : solve_inverse(kept, &in, block + 3 * n, out_forces);
    afxi_release(&sim->def.allocator, block, bytes);
    return status;
}

/* ---- operational space ---- */

static AfxStatus invert(const double *a, size_t n, double *scratch, double *out) {
    memcpy(scratch, a, n * n * sizeof *a);
    factor_dense(scratch, n, 0);
    for (size_t j = 0; j < n; j++) {
        double *row = out + j * n;
        double pivot = scratch[j * n + j]; /* infinite where rounding has left nothing of it */
        if (!(pivot * pivot > AFXI_SINGULAR * a[j * n + j] && isfinite(pivot))) {
            return AFX_E_NUMERIC;
        }
        memset(row, 0, n * sizeof *row);
        row[j] = 1;
        solve_dense(scratch, n, row);
    }
    return afxi_dynamics_finite(out, n * n) ? AFX_OK : AFX_E_NUMERIC;
}

static AfxStatus task_mobility(AfxiDynamics *kept, uint32_t rows, const double *jacobian, double *scratch,
                               double *out) {
    size_t n = kept->dofs.count;
    AfxStatus status = AFX_OK;
    for (size_t j = 0; j < rows && status == AFX_OK; j++) {
        status = answer(kept, jacobian + j * n, scratch);
        for (size_t i = 0; i < rows; i++) {
            double sum = 0;
            for (size_t d = 0; d < n; d++) {
                sum += jacobian[i * n + d] * scratch[d];
            }
            out[i * rows + j] = sum;
        }
    }
    return status;
}

AfxStatus afx_sim_operational_inertia(AfxSim *sim, uint32_t rows, const double *jacobian, double *out_inverse,
                                      double *out_inertia) {
    AfxiDynamics *kept;
    if (!sim || !jacobian || rows > AFX_DOFS_MOST) {
        return AFX_E_ARGUMENT;
    }
    size_t n = afx_sim_dof_count(sim), m = rows, bytes = (n + 2 * m * m + 1) * sizeof(double);
    double *block = afxi_allocate(&sim->def.allocator, bytes);
    if (!block) {
        return AFX_E_MEMORY;
    }
    AfxStatus status = afxi_dynamics_finite(jacobian, m * n) ? prepare(sim, false, &kept) : AFX_E_ARGUMENT;
    status = status ? status : task_mobility(kept, rows, jacobian, block, block + n);
    if (status == AFX_OK && out_inverse) {
        memcpy(out_inverse, block + n, m * m * sizeof *block);
    }
    if (status == AFX_OK && out_inertia) {
        status = invert(block + n, m, block + n + m * m, out_inertia);
    }
    afxi_release(&sim->def.allocator, block, bytes);
    return status;
}
