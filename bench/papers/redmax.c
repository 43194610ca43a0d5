/* SPDX-License-Identifier: Apache-2.0 */
/* RedMax as published, on a case: the linearly implicit step of its Eq. 2 in joint coordinates,
 *     (J^T (M + h D + h² K) J + h D_r + h² K_r) u1 = M_r u0 + h f,   G u1 = targets,
 * matrix-free by conjugate gradients with the preconditioner of its Alg. 1, to a relative residual of 1e-6, and the
 * constraints by its dual problem, Eq. 4: a solution for each row, one for the forces, one for the result. */
#include "papers/redmax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "papers/papers.h"

#define LEFT 1e-6 /* relative residual, as printed */
/* A row that nothing changes, as those out of the plane of a planar loop: rounding of its square, of the largest. */
#define NO_ROW 1e-20

static double dot(const double *a, const double *b, uint32_t n) {
    double sum = 0;
    for (uint32_t k = 0; k < n; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* ---- conjugate gradients ---- */

static void solve(Redmax *redmax, const double *b, double *x) {
    uint32_t n = redmax->dofs;
    double square = dot(b, b, n), least = LEFT * LEFT * square, before = 0;
    memset(x, 0, n * sizeof(double));
    memcpy(redmax->r, b, n * sizeof(double));
    redmax->solves++;
    for (uint32_t pass = 0; square > least && pass < 10 * n; ++pass) {
        redmax_solve(&redmax->body, redmax->r, redmax->z);
        double now = dot(redmax->r, redmax->z, n), share = pass ? now / before : 0;
        for (uint32_t d = 0; d < n; ++d) {
            redmax->p[d] = redmax->z[d] + share * redmax->p[d];
        }
        redmax_multiply(redmax, redmax->p, redmax->product);
        double step = now / dot(redmax->p, redmax->product, n);
        for (uint32_t d = 0; d < n; ++d) {
            x[d] += step * redmax->p[d];
            redmax->r[d] -= step * redmax->product[d];
        }
        square = dot(redmax->r, redmax->r, n);
        before = now;
        redmax->iterations++;
    }
}

/* ---- the step ---- */

/* The dual matrix S = G M^-1 G^T in place by Cholesky; rows that are nothing get a multiplier of 0. */
static void factor(double *s, uint32_t m) {
    double most = 0;
    for (uint32_t i = 0; i < m; ++i) {
        most = fmax(most, s[i * m + i]);
    }
    for (uint32_t i = 0; i < m; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            s[i * m + j] = (s[i * m + j] - dot(s + i * m, s + j * m, j)) / s[j * m + j];
        }
        double pivot = s[i * m + i] - dot(s + i * m, s + i * m, i);
        s[i * m + i] = pivot > NO_ROW * most ? sqrt(pivot) : INFINITY;
    }
}

static void solve_factored(const double *s, uint32_t m, double *x) {
    for (uint32_t i = 0; i < m; ++i) {
        x[i] = (x[i] - dot(s + i * m, x, i)) / s[i * m + i];
    }
    for (uint32_t i = m; i-- > 0;) {
        for (uint32_t j = i + 1; j < m; ++j) {
            x[i] -= s[j * m + i] * x[j];
        }
        x[i] /= s[i * m + i];
    }
}

/* force -= G^T lambda with what the constraints ask for. */
static void constrain(Redmax *redmax) {
    uint32_t n = redmax->dofs, m = redmax->row_count;
    double lambda[128], most = 0;
    solve(redmax, redmax->force, redmax->trial);
    for (uint32_t i = 0; i < m; ++i) {
        const double *row = redmax->row + (size_t)i * n;
        most = fmax(most, dot(row, row, n));
        lambda[i] = dot(row, redmax->trial, n) - redmax->target[i];
    }
    for (uint32_t i = 0; i < m; ++i) {
        const double *row = redmax->row + (size_t)i * n;
        double *answer = redmax->answer + (size_t)i * n;
        memset(answer, 0, n * sizeof(double));
        if (dot(row, row, n) > NO_ROW * most) {
            solve(redmax, row, answer);
        }
        for (uint32_t j = 0; j <= i; ++j) { /* both triangles are as near as the iterations */
            redmax->dual[i * m + j] = redmax->dual[j * m + i] = dot(redmax->row + (size_t)j * n, answer, n);
        }
    }
    factor(redmax->dual, m);
    solve_factored(redmax->dual, m, lambda);
    for (uint32_t i = 0; i < m; ++i) {
        for (uint32_t d = 0; d < n; ++d) {
            redmax->force[d] -= redmax->row[(size_t)i * n + d] * lambda[i];
        }
    }
}

static void step(Redmax *redmax) {
    uint32_t n = redmax->dofs;
    RedmaxTree *body = &redmax->body;
    redmax_forces(redmax, redmax->force);
    redmax_momenta(body, redmax->u, redmax->result);
    for (uint32_t d = 0; d < n; ++d) {
        redmax->force[d] = redmax->result[d] + redmax->h * redmax->force[d];
    }
    redmax_prepare(body);
    if (redmax->row_count) {
        redmax_rows(redmax);
        constrain(redmax);
    }
    solve(redmax, redmax->force, redmax->u);
    afxi_tree_move(&body->tree, redmax->q, redmax->u, redmax->h, redmax->q);
    redmax->time += redmax->h;
}

/* ---- a case ---- */

static double *numbers(size_t count) {
    double *out = calloc(count + 1, sizeof *out);
    if (!out) {
        papers_check(AFX_E_MEMORY, "redmax");
    }
    return out;
}

static void make(Redmax *redmax, const AfxModel *model, const AfxScene *scene, double h) {
    *redmax = (Redmax){.model = model, .h = h, .spring_count = model->spring_count};
    if (!redmax_tree_make(&redmax->body, model)) {
        papers_check(AFX_E_MEMORY, "redmax");
    }
    uint32_t n = redmax->dofs = redmax->body.tree.dof_count;
    redmax_rows(redmax); /* counts them */
    uint32_t m = redmax->row_count;
    if (m > 128) {
        papers_check(AFX_E_LIMIT, "redmax: constraints");
    }
    redmax->spring = calloc(model->spring_count + 1, sizeof *redmax->spring);
    redmax->load = calloc(2 * (size_t)model->body_count + 1, sizeof *redmax->load);
    if (!redmax->spring || !redmax->load) {
        papers_check(AFX_E_MEMORY, "redmax");
        return;
    }
    redmax->load_at = redmax->load + model->body_count;
    redmax->q = numbers(redmax->body.tree.coordinate_count);
    double **by_dof[] = {&redmax->u, &redmax->force, &redmax->trial, &redmax->result,
                         &redmax->r, &redmax->p,     &redmax->z,     &redmax->product};
    for (size_t k = 0; k < sizeof by_dof / sizeof *by_dof; ++k) {
        *by_dof[k] = numbers(n);
    }
    redmax->row = numbers((size_t)m * n);
    redmax->answer = numbers((size_t)m * n);
    redmax->dual = numbers((size_t)m * m);
    redmax->target = numbers(m);
    redmax->value = numbers(m);
    for (uint32_t k = 0; k < afx_scene_wrench_count(scene); ++k) {
        AfxWrenchDef wrench;
        papers_check(afx_scene_get_wrench(scene, k, &wrench), "wrench");
        const AfxiFrame *frame = afxi_model_frame(model, wrench.body.index);
        redmax->load[wrench.body.index] = wrench.force;
        redmax->load_at[wrench.body.index] = mat3_apply_transposed(&frame->axes, vec3_sub(wrench.point, frame->center));
    }
}

static void drop(Redmax *redmax) {
    void *all[] = {redmax->spring, redmax->load,   redmax->q,     redmax->u,      redmax->force, redmax->trial,
                   redmax->result, redmax->r,      redmax->p,     redmax->z,      redmax->row,   redmax->answer,
                   redmax->dual,   redmax->target, redmax->value, redmax->product};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        free(all[k]);
    }
    redmax_tree_drop(&redmax->body);
}

/* The largest distance of a body from where Affix has it by BDF1 in as many steps. */
static double apart(const Redmax *redmax, AfxSim *sim, uint32_t steps) {
    double most = 0;
    for (uint32_t k = 0; k < steps; ++k) {
        papers_check(afx_step(sim, NULL), "a step of Affix");
    }
    afxi_tree_pose((AfxiTreeWork *)&redmax->body.work, redmax->q);
    for (uint32_t k = 0; k < redmax->model->body_count; ++k) {
        if (redmax->model->kind[k] == AFX_BODY_DYNAMIC) {
            AfxiMat3 r;
            AfxVec3 t, there = vec3_load(afx_sim_coordinates(sim) + (size_t)AFXI_AFFINE_WIDTH * k + 9);
            afxi_tree_body(&redmax->body.work, redmax->body.tree.place[k], &r, &t);
            most = fmax(most, vec3_length(vec3_sub(t, there)));
        }
    }
    return most;
}

int papers_redmax(int count, char **words) {
    double h = count >= 4 ? strtod(words[0], NULL) : 0, limit = count >= 4 ? strtod(words[2], NULL) : 0;
    long steps = count >= 4 ? strtol(words[1], NULL, 10) : 0, done = 0;
    if (!(h > 0) || !(limit > 0) || steps < 1) {
        fprintf(stderr, "bench_papers: redmax DT STEPS LIMIT CASE [name=value ...]\n");
        return 2;
    }
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    Redmax redmax;
    def.dt = h;
    def.integrator = AFX_BDF1;
    AfxScene *scene = papers_scene(words[3], count - 4, words + 4);
    papers_check(afx_scene_make_rigid(scene), "scene");
    papers_check(afx_model_create(scene, &model, NULL), "model");
    papers_check(afx_sim_create(model, &def, &sim), "sim");
    make(&redmax, model, scene, h);
    redmax.start = afx_sim_coordinates(sim);
    afxi_tree_from_raw(&redmax.body.tree, afx_sim_coordinates(sim), afx_sim_velocities(sim), NULL, redmax.q, redmax.u);
    double begin = papers_seconds();
    for (; done < steps && papers_seconds() - begin < limit; ++done) {
        step(&redmax);
        for (uint32_t k = 0; k < redmax.row_count; ++k) {
            redmax.violation = fmax(redmax.violation, fabs(redmax.value[k]));
        }
    }
    double seconds = papers_seconds() - begin;
    printf("{\"status\": \"AFX_OK\", \"dofs\": %u, \"rows\": %u, \"steps\": %ld, \"wanted\": %ld, \"ms_mean\": %.6g, "
           "\"iterations\": %.6g, \"solves\": %.4g, \"residual\": %.4g, \"apart\": %.4g}\n",
           redmax.dofs, redmax.row_count, done, steps, 1e3 * seconds / (double)done,
           (double)redmax.iterations / (double)done, (double)redmax.solves / (double)done, redmax.violation,
           apart(&redmax, sim, (uint32_t)done));
    drop(&redmax);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return 0;
}
