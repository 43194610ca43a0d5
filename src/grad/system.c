/* SPDX-License-Identifier: Apache-2.0 */
/* Numbering, assembly and solution. The matrix is scaled so that its diagonal on bodies is 1 and rows of constraints
 * have length 1; exact rows get a small compliance when it is factored, which refinement takes out again: redundant
 * ones need it, and no other one notices. */
#include "grad/system.h"

#include <math.h>
#include <string.h>

#include "grad/tuning.h"
#include "model/params.h"
#include "sparse/degree.h"

#define NONE UINT32_MAX

static void take(AfxiGradSystem *system, AfxiArena *arena) {
    const AfxiGradLayout *layout = system->layout;
    size_t most = (size_t)AFXI_AFFINE_WIDTH * layout->bodies + layout->rows;
    system->first = afxi_arena_take(arena, layout->bodies, sizeof *system->first);
    system->row = afxi_arena_take(arena, layout->rows, sizeof *system->row);
    system->width = afxi_arena_take(arena, layout->bodies, sizeof *system->width);
    system->order = afxi_arena_take(arena, most, sizeof *system->order);
    system->exact = afxi_arena_take(arena, most, sizeof *system->exact);
    system->scale = afxi_arena_take(arena, most, sizeof *system->scale);
    for (int k = 0; k < 3; k++) {
        system->work[k] = afxi_arena_take(arena, most, sizeof(double));
    }
    system->solution = afxi_arena_take(arena, most, sizeof(double));
    system->turn = afxi_arena_take(arena, 9 * (size_t)layout->bodies, sizeof(double));
}

AfxStatus afxi_grad_system_create(AfxiGradSystem *system) {
    AfxiArena arena = {0};
    take(system, &arena);
    arena.base = arena.overflow
                     ? NULL
                     : afxi_allocate_aligned(system->allocator, arena.used + 1, &system->raw, &system->raw_size);
    arena.used = 0;
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    take(system, &arena);
    system->lu.allocator = system->entries.allocator = system->allocator;
    return AFX_OK;
}

void afxi_grad_system_release(AfxiGradSystem *system) {
    afxi_grad_lu_release(&system->lu);
    afxi_grad_terms_release(&system->entries);
    afxi_grad_columns_release(system->allocator, &system->matrix);
    afxi_release(system->allocator, system->raw, system->raw_size);
    system->raw = NULL;
}

/* ---- numbers ---- */

static void number(AfxiGradSystem *system, const AfxiGradEquations *equations) {
    const AfxModel *model = system->model;
    const AfxiGradEntry *entry = equations->local.entry;
    system->n = 0;
    system->start = entry->start;
    for (uint32_t k = 0; k < model->body_count; k++) {
        bool rigid = isinf(*afxi_param_const(model, entry->at.params, AFX_PARAM_BODY_YOUNG, k)) || entry->start;
        bool solved = afxi_grad_solves(entry, k);
        system->width[k] = rigid ? 6 : AFXI_AFFINE_WIDTH;
        system->first[k] = solved ? system->n : NONE;
        system->n += solved ? system->width[k] : 0;
        memcpy(system->turn + 9 * (size_t)k, entry->at.q + (size_t)AFXI_AFFINE_WIDTH * k, 9 * sizeof(double));
    }
    for (uint32_t k = 0; k < system->layout->rows; k++) {
        system->row[k] = equations->present[k] ? system->n++ : NONE;
    }
}

/* How coordinate e of a body depends on its unknowns: at most two of them. */
typedef struct Share {
    uint32_t count, unknown[2];
    double by[2];
} Share;

static Share share_of(const AfxiGradSystem *system, bool start, uint32_t body, uint32_t e) {
    uint32_t first = system->first[body];
    if (first == NONE || (start && e >= 6)) {
        return (Share){0};
    }
    if (start || system->width[body] == AFXI_AFFINE_WIDTH) {
        return (Share){1, {first + e, 0}, {1, 0}};
    }
    if (e >= 9) {
        return (Share){1, {first + e - 6, 0}, {1, 0}};
    }
    const double *a = system->turn + 9 * (size_t)body + 3 * (e / 3);
    uint32_t c = e % 3, m = (c + 1) % 3, n = (c + 2) % 3; /* (w x a)_c = w_m a_n - w_n a_m */
    return (Share){2, {first + m, first + n}, {a[n], -a[m]}};
}

/* The unknowns that an equation, or an input, stands for. */
static Share share_at(const AfxiGradSystem *system, bool start, uint32_t index) {
    uint32_t bodies = AFXI_AFFINE_WIDTH * system->layout->bodies;
    if (index < bodies) {
        return share_of(system, start, index / AFXI_AFFINE_WIDTH, index % AFXI_AFFINE_WIDTH);
    }
    if (index - bodies >= system->layout->rows || system->row[index - bodies] == NONE) {
        return (Share){0};
    }
    return (Share){1, {system->row[index - bodies], 0}, {1, 0}};
}

/* What the change of T makes of F: sum of (w x a_k) x F_k = sum of (a_k F_k^T - (a_k . F_k) I) w. */
static void add_turning(AfxiGradSystem *system, const AfxiGradEquations *equations, uint32_t body) {
    const double *a = system->turn + 9 * (size_t)body, *f = equations->value + (size_t)AFXI_AFFINE_WIDTH * body;
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 9; k += 3) {
                sum += a[k + i] * f[k + j];
                sum -= i == j ? a[k] * f[k] + a[k + 1] * f[k + 1] + a[k + 2] * f[k + 2] : 0;
            }
            afxi_grad_term(&system->entries, system->first[body] + i, system->first[body] + j, sum);
        }
    }
}

static void gather(AfxiGradSystem *system, const AfxiGradEquations *equations) {
    bool start = equations->local.entry->start;
    uint32_t unknowns = system->layout->qhat; /* q and lambda come first */
    system->entries.count = 0;
    for (uint32_t k = 0; k < equations->terms.count; k++) {
        const AfxiGradTerm *term = &equations->terms.term[k];
        if (term->slot >= unknowns) {
            continue;
        }
        Share to = share_at(system, start, term->row), from = share_at(system, start, term->slot);
        for (uint32_t i = 0; i < to.count; i++) {
            for (uint32_t j = 0; j < from.count; j++) {
                afxi_grad_term(&system->entries, to.unknown[i], from.unknown[j], to.by[i] * from.by[j] * term->value);
            }
        }
    }
    for (uint32_t k = 0; k < system->model->body_count; k++) {
        if (system->first[k] != NONE && system->width[k] == 6 && !start) {
            add_turning(system, equations, k);
        }
    }
}

/* Puts the entries into columns; each row of a column once, and the diagonal always. */
static AfxStatus compress(AfxiGradSystem *system) {
    AfxiGradColumns *matrix = &system->matrix;
    uint32_t n = system->n, count = 0, *last = system->lu.mark;
    const AfxiGradTerms *entries = &system->entries;
    AfxStatus status = afxi_grad_columns_reserve(system->allocator, matrix, n, entries->count + n + 1);
    if (status != AFX_OK) {
        return status;
    }
    memset(matrix->start, 0, (n + 1) * sizeof *matrix->start);
    for (uint32_t k = 0; k < entries->count; k++) {
        matrix->start[entries->term[k].slot + 1]++;
    }
    for (uint32_t k = 0; k < n; k++) {
        matrix->start[k + 1] += matrix->start[k];
    }
    for (uint32_t k = 0; k < entries->count; k++) { /* start[c] runs on to where column c + 1 began */
        uint32_t to = matrix->start[entries->term[k].slot]++;
        matrix->row[to] = entries->term[k].row;
        matrix->value[to] = entries->term[k].value;
    }
    for (uint32_t k = 0; k < n; k++) {
        last[k] = NONE;
    }
    for (uint32_t c = 0, begin = 0; c < n; c++) {
        uint32_t end = matrix->start[c], first = count;
        for (uint32_t p = begin; p < end; p++) {
            uint32_t row = matrix->row[p];
            if (last[row] != NONE && last[row] >= first) {
                matrix->value[last[row]] += matrix->value[p];
            } else {
                last[row] = count;
                matrix->row[count] = row;
                matrix->value[count++] = matrix->value[p];
            }
        }
        matrix->start[c] = first;
        begin = end;
    }
    matrix->start[n] = count;
    return AFX_OK;
}

/* ---- order ---- */

typedef struct Cliques {
    uint32_t *start, *member, *size;
    uint32_t count, members, start_capacity, member_capacity, size_capacity;
    bool failed;
} Cliques;

static void put_member(AfxiGradSystem *system, Cliques *cliques, uint32_t node) {
    cliques->failed =
        cliques->failed || afxi_array_reserve(system->allocator, (void **)&cliques->member, &cliques->member_capacity,
                                              cliques->members + 1, sizeof *cliques->member) != AFX_OK;
    if (!cliques->failed) {
        cliques->member[cliques->members++] = node;
    }
}

/* Ends a clique. */
static void end_clique(AfxiGradSystem *system, Cliques *cliques) {
    cliques->failed =
        cliques->failed || afxi_array_reserve(system->allocator, (void **)&cliques->start, &cliques->start_capacity,
                                              cliques->count + 2, sizeof *cliques->start) != AFX_OK;
    if (!cliques->failed) {
        cliques->start[0] = 0;
        cliques->start[++cliques->count] = cliques->members;
    }
}

/* A hash of where the matrix has entries (Fowler, Noll, Vo). */
static uint64_t pattern_of(const AfxiGradSystem *system) {
    const AfxiGradColumns *matrix = &system->matrix;
    uint64_t hash = UINT64_C(14695981039346656037) ^ system->n;
    for (uint32_t c = 0; c < system->n; c++) {
        for (uint32_t p = matrix->start[c]; p < matrix->start[c + 1]; p++) {
            hash = (hash ^ ((uint64_t)c << 32 | matrix->row[p])) * UINT64_C(1099511628211);
        }
    }
    return hash ? hash : 1;
}

/* A node of the graph for each unknown: those of a column and its rows are a clique. That is more than there is, and
 * few: columns of bodies have the rows of their neighbours. */
static AfxStatus find_order(AfxiGradSystem *system) {
    Cliques cliques = {0};
    uint32_t n = system->n;
    uint64_t pattern = pattern_of(system);
    if (pattern == system->pattern) { /* as in the entry before */
        return AFX_OK;
    }
    AfxStatus status =
        afxi_array_reserve(system->allocator, (void **)&cliques.size, &cliques.size_capacity, n, sizeof *cliques.size);
    for (uint32_t c = 0; c < n && status == AFX_OK; c++) {
        cliques.size[c] = 1;
        for (uint32_t p = system->matrix.start[c]; p < system->matrix.start[c + 1]; p++) {
            if (system->matrix.row[p] > c) { /* an edge is a clique of two */
                put_member(system, &cliques, c);
                put_member(system, &cliques, system->matrix.row[p]);
                end_clique(system, &cliques);
            }
        }
    }
    status = status == AFX_OK && cliques.failed ? AFX_E_MEMORY : status;
    if (status == AFX_OK && cliques.count) {
        AfxiBlockGraph graph = {.count = n,
                                .size = cliques.size,
                                .clique_count = cliques.count,
                                .clique_start = cliques.start,
                                .member = cliques.member,
                                .order = AFXI_ORDER_OWN};
        status = afxi_order_degree(system->allocator, &graph, system->order);
    }
    for (uint32_t k = 0; !cliques.count && k < n; k++) {
        system->order[k] = k;
    }
    system->pattern = status == AFX_OK ? pattern : 0;
    afxi_release(system->allocator, cliques.start, cliques.start_capacity * sizeof *cliques.start);
    afxi_release(system->allocator, cliques.member, cliques.member_capacity * sizeof *cliques.member);
    afxi_release(system->allocator, cliques.size, cliques.size_capacity * sizeof *cliques.size);
    return status;
}

/* ---- scaling ---- */

/* Bodies by their diagonals, rows by their lengths in these scales. */
static void find_scale(AfxiGradSystem *system, uint32_t bodies) {
    const AfxiGradColumns *matrix = &system->matrix;
    double *scale = system->scale, *square = system->work[0];
    uint32_t n = system->n;
    memset(square, 0, n * sizeof *square);
    for (uint32_t c = 0; c < n; c++) {
        system->exact[c] = c >= bodies;
        scale[c] = 1;
        for (uint32_t p = matrix->start[c]; p < matrix->start[c + 1]; p++) {
            double value = fabs(matrix->value[p]);
            bool diagonal = matrix->row[p] == c;
            scale[c] = c < bodies && diagonal && value > 0 ? 1 / sqrt(value) : scale[c];
            system->exact[c] = system->exact[c] && !(diagonal && value > 0);
        }
    }
    for (uint32_t c = 0; c < bodies; c++) {
        for (uint32_t p = matrix->start[c]; p < matrix->start[c + 1]; p++) {
            double value = matrix->value[p] * scale[c];
            square[matrix->row[p]] += matrix->row[p] >= bodies ? value * value : 0;
        }
    }
    for (uint32_t c = bodies; c < n; c++) {
        scale[c] = square[c] > 0 ? 1 / sqrt(square[c]) : 1;
    }
}

static void apply_scale(AfxiGradSystem *system, double compliance) {
    AfxiGradColumns *matrix = &system->matrix;
    for (uint32_t c = 0; c < system->n; c++) {
        for (uint32_t p = matrix->start[c]; p < matrix->start[c + 1]; p++) {
            matrix->value[p] *= system->scale[c] * system->scale[matrix->row[p]];
            matrix->value[p] -= matrix->row[p] == c && system->exact[c] ? compliance : 0;
        }
    }
}

/* Adds `by` to the diagonal of exact rows of the scaled matrix. */
static void shift(AfxiGradSystem *system, double by) {
    for (uint32_t c = 0; c < system->n; c++) {
        for (uint32_t p = system->matrix.start[c]; p < system->matrix.start[c + 1]; p++) {
            system->matrix.value[p] += system->matrix.row[p] == c && system->exact[c] ? by : 0;
        }
    }
}

AfxStatus afxi_grad_system_factor(AfxiGradSystem *system, const AfxiGradEquations *equations) {
    uint32_t bodies = 0;
    number(system, equations);
    gather(system, equations);
    for (uint32_t k = 0; k < system->n; k++) { /* so that there is a diagonal */
        system->entries.failed |=
            afxi_array_reserve(system->allocator, (void **)&system->entries.term, &system->entries.capacity,
                               system->entries.count + 1, sizeof *system->entries.term) != AFX_OK;
        if (!system->entries.failed) {
            system->entries.term[system->entries.count++] = (AfxiGradTerm){k, k, 0};
        }
    }
    for (uint32_t k = 0; k < system->model->body_count; k++) {
        bodies += system->first[k] != NONE ? system->width[k] : 0;
    }
    AfxStatus status = system->entries.failed ? AFX_E_MEMORY : AFX_OK;
    status = status == AFX_OK ? afxi_array_reserve(system->allocator, (void **)&system->lu.mark,
                                                   &system->lu.mark_capacity, system->n, sizeof *system->lu.mark)
                              : status;
    status = status == AFX_OK ? compress(system) : status;
    status = status == AFX_OK ? find_order(system) : status;
    if (status != AFX_OK) {
        return status;
    }
    find_scale(system, bodies);
    apply_scale(system, AFXI_GRAD_COMPLIANCE);
    status = afxi_grad_lu_factor(&system->lu, &system->matrix, system->n, system->order);
    shift(system, AFXI_GRAD_COMPLIANCE);
    return status;
}

/* ---- solution ---- */

/* out = b - K x, or with the transpose; the size of out comes back. */
static double residual(const AfxiGradSystem *system, bool transposed, const double *b, const double *x, double *out) {
    const AfxiGradColumns *matrix = &system->matrix;
    double size = 0;
    memcpy(out, b, system->n * sizeof *out);
    for (uint32_t c = 0; c < system->n; c++) {
        for (uint32_t p = matrix->start[c]; p < matrix->start[c + 1]; p++) {
            uint32_t to = transposed ? c : matrix->row[p], from = transposed ? matrix->row[p] : c;
            out[to] -= matrix->value[p] * x[from];
        }
    }
    for (uint32_t c = 0; c < system->n; c++) {
        size = fmax(size, fabs(out[c]));
    }
    return size;
}

/* Solves with the factor and refines with the matrix. work: right-hand side, residual, correction. */
static void refine(AfxiGradSystem *system, bool transposed, double *x) {
    double *b = system->work[0], *r = system->work[1], *d = system->work[2], size = 0, left = INFINITY;
    for (uint32_t k = 0; k < system->n; k++) {
        size = fmax(size, fabs(b[k]));
        x[k] = 0;
    }
    memcpy(r, b, system->n * sizeof *r);
    for (int pass = 0; pass < AFXI_GRAD_REFINEMENTS && size > AFXI_GRAD_NOTHING; pass++) {
        if (transposed) {
            afxi_grad_lu_solve_transposed(&system->lu, system->order, r, d);
        } else {
            afxi_grad_lu_solve(&system->lu, system->order, r, d);
        }
        for (uint32_t k = 0; k < system->n; k++) {
            x[k] += d[k];
        }
        double now = residual(system, transposed, b, x, r);
        if (!(now < 0.5 * left)) { /* no better: rounding, or rows that contradict each other */
            left = fmin(left, now);
            break;
        }
        left = now;
        if (now <= AFXI_GRAD_REFINED * size) {
            break;
        }
    }
    system->left = size > AFXI_GRAD_NOTHING ? left / size : 0;
}

void afxi_grad_system_solve(AfxiGradSystem *system, bool transposed, const double *b, double *x) {
    uint32_t all = AFXI_AFFINE_WIDTH * system->layout->bodies + system->layout->rows;
    bool start = system->start;
    memset(system->work[0], 0, system->n * sizeof(double));
    for (uint32_t k = 0; k < all; k++) {
        Share share = share_at(system, start, k);
        for (uint32_t i = 0; i < share.count; i++) {
            system->work[0][share.unknown[i]] += share.by[i] * b[k];
        }
    }
    for (uint32_t k = 0; k < system->n; k++) {
        system->work[0][k] *= system->scale[k];
    }
    refine(system, transposed, system->solution);
    for (uint32_t k = 0; k < all; k++) {
        Share share = share_at(system, start, k);
        x[k] = 0;
        for (uint32_t i = 0; i < share.count; i++) {
            x[k] += share.by[i] * system->scale[share.unknown[i]] * system->solution[share.unknown[i]];
        }
    }
}
