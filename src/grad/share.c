/* SPDX-License-Identifier: Apache-2.0 */
/* The objective changes by a . dJ y, a = W^-1 (bar - J b), G b = J^T W^-1 bar (Eq. 41 of Maloisel et al. 2025 as an
 * adjoint). J^T a is what the blocks of rows put on bodies with a in the place of their multipliers: its derivatives
 * are those of their programs. */
#include "grad/share.h"

#include <string.h>

#include "solve/tuning.h"

/* Adds y . d(J^T a) by everything that comes in; the equations were evaluated with a. */
static void add_gradients(AfxiGradWork *work, const AfxiGradEntry *entry, const double *y, const AfxiGradPass *pass) {
    const AfxiGradLayout *layout = &work->layout;
    const AfxModel *model = work->model;
    uint32_t wide = AFXI_AFFINE_WIDTH * layout->bodies, first = model->dynamic_count + model->wrench_count, blocks = 0;
    for (uint32_t k = 0; k < model->graph_count; k++) {
        blocks += model->graph[k].joint_blocks;
    }
    for (uint32_t e = first; e < first + blocks; e++) {
        const AfxiProgram *program = &work->equations.now[e].program;
        for (uint32_t k = 0; k < program->term_count; k++) {
            const AfxiProgramTerm *term = &program->term[k];
            double by = term->row < wide ? y[term->row] * afxi_program_term(program, term) : 0;
            if (by == 0) {
                continue;
            }
            if (term->slot < layout->lambda) {
                bool solved = afxi_grad_solves(entry, term->slot / AFXI_AFFINE_WIDTH);
                (solved ? pass->more : pass->rate)[term->slot] += by;
            } else if (term->slot >= layout->param && term->slot < layout->count) {
                pass->param[term->slot - layout->param] += by;
            }
        }
    }
}

static void keep_told(const AfxiShare *share, AfxiGradEntry *const *entry, uint32_t count, const double *lambda,
                      uint32_t rows) {
    for (uint32_t k = 0; k < count; k++) {
        double *own = (double *)entry[k]->at.lambda; /* of the entry itself */
        for (uint32_t row = 0; !entry[k]->start && entry[k]->fraction >= 1 && row < rows; row++) {
            own[row] = afxi_share_has(share, row) ? lambda[row] : own[row];
        }
    }
}

/* Whether an elastic body has a part in what is shared. */
static bool is_elastic(const AfxiShare *share, const AfxiGradEntry *entry) {
    const AfxModel *model = entry->at.model;
    bool found = false;
    for (uint32_t g = 0; g < model->graph_count; g++) {
        const AfxiGraph *graph = &model->graph[g];
        bool shared = graph->row_count && afxi_share_has(share, graph->first_row);
        for (uint32_t b = 0; shared && b < graph->body_count; b++) {
            found = found || afxi_grad_width(entry, graph->body[b]) != 6;
        }
    }
    return found;
}

AfxStatus afxi_grad_share(AfxiGradWork *work, AfxiShare *share, AfxiGradEntry *const *entry, uint32_t count,
                          const AfxiGradPass *pass) {
    const AfxiGradEntry *last = entry[count - 1];
    uint32_t rows = work->layout.rows;
    double *lambda = work->solution, *a = work->equation, *y = work->old;
    AfxiGradEntry with = *last;
    bool any = false;
    for (uint32_t k = 0; k < rows; k++) {
        any = any || pass->lambda[k] != 0;
    }
    if (!any) {
        return AFX_OK;
    }
    memset(a, 0, rows * sizeof *a);
    memcpy(lambda, last->at.lambda, rows * sizeof *lambda);
    afxi_share_prepare(share, &last->at);
    if (afxi_share_apply(share, lambda, y) > AFXI_SHARE_POOR ||
        afxi_share_reverse(share, pass->lambda, a) > AFXI_SHARE_POOR) {
        return AFX_E_NUMERIC;
    }
    keep_told(share, entry, count, lambda, rows);
    with.at.lambda = a;
    AfxStatus status = afxi_grad_equations(&work->equations, &with);
    work->equations.local.entry = last;
    if (status != AFX_OK) {
        return status;
    }
    add_gradients(work, last, y, pass);
    return is_elastic(share, last) ? AFX_E_NUMERIC : AFX_OK;
}
