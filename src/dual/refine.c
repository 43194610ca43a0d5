/* SPDX-License-Identifier: Apache-2.0 */
/* With M for the matrix that was factored, refinement is lambda += M^-1 (rhs - K lambda). Where eps of M is small
 * beside K it takes all but eps / (eps + sigma) of what is left, with sigma for the share of K in what is left: most of
 * it at once. Stiff holds make sigma as small as eps, and redundant rows then keep a good part each time. From there
 * on steps are those of conjugate gradients with M^-1 before them (Hestenes and Stiefel 1952): each is as long as it
 * should be, and a direction or two is all that differs. */
#include "dual/refine.h"

#include <math.h>
#include <string.h>

#include "dual/hubs.h"
#include "dual/primal.h"
#include "dual/recursion.h"
#include "dual/tuning.h"
#include "sparse/solve.h"

void afxi_refine_add(AfxiSystem *system) {
    for (uint32_t row = 0; row < afxi_graph_planned_rows(system->graph); row++) {
        system->lambda[row] += system->scale[row] * system->residual[row];
    }
    if (system->graph->hub_width) {
        afxi_hubs_correct(system);
    }
}

double afxi_refine_goal(const AfxiSystem *system, bool regularised, double first) {
    const bool by_recursion = system->graph->recursion.on;    /* rows as they are */
    bool places = !by_recursion && !system->graph->hub_width; /* else contacts have scales of their own */
    double scale = by_recursion ? 1 : INFINITY;
    for (uint32_t row = 0; places && row < system->graph->row_count; row++) {
        scale = system->scale[row] > 0 && system->scale[row] < scale ? system->scale[row] : scale;
    }
    double rounding = scale < INFINITY ? scale * system->rounding : 0;
    return fmax((regularised ? AFXI_RESIDUAL_FLOOR : AFXI_RESIDUAL_ENOUGH) * first, rounding);
}

/* The last step, in scaled rows, and the best so far once steps are slow. */
typedef struct Step {
    double goal;     /* for the residual */
    bool agrees;     /* rows do, as far as they are redundant; else all steps are plain ones */
    bool conjugate;  /* it was one of conjugate gradients, and delta is not that of lambda */
    double square;   /* left . M^-1 left */
    double best;     /* residual, with lambda in `image`; infinite before */
    uint32_t missed; /* steps since */
} Step;

static double dot(const double *a, const double *b, uint32_t rows) {
    double sum = 0;
    for (uint32_t row = 0; row < rows; row++) {
        sum += a[row] * b[row];
    }
    return sum;
}

/* `residual` becomes the direction to go, with what was left before in `left`. */
static void choose(AfxiSystem *system, Step *step, uint32_t rows) {
    double *left = system->older.left, *direction = system->older.direction;
    const size_t size = rows * sizeof(double);
    memcpy(left, system->residual, size);
    if (system->graph->recursion.on) {
        afxi_recursion_correct(system);
    } else {
        afxi_block_solve(&system->graph->plan, &system->factor, system->residual);
    }
    if (!step->conjugate) {
        memcpy(direction, system->residual, size);
        return;
    }
    const double share = dot(left, system->residual, rows) / step->square;
    for (uint32_t row = 0; row < rows; row++) {
        direction[row] = system->residual[row] + share * direction[row];
    }
    memcpy(system->residual, direction, size);
}

/* The length of the direction at whose end the residual is shortest, as M^-1 measures it. What is left has no part
 * along the direction before, so that its product with the new one is that with M^-1 left. */
static double length_of(const AfxiSystem *system, Step *step, uint32_t rows) {
    double image = 0;
    step->square = dot(system->older.left, system->older.direction, rows);
    for (uint32_t row = 0; row < rows; row++) {
        image += system->older.direction[row] * (system->older.left[row] - system->residual[row]);
    }
    return step->square / image;
}

/* Goes on in the direction, or back, to the end of that length; false where it has none, as K is zero there but for
 * rounding. */
static bool lengthen(AfxiSystem *system, Step *step, uint32_t rows, double *residual) {
    double length = length_of(system, step, rows), largest = 0;
    step->conjugate = length > 0 && length <= AFXI_REFINEMENT_LONGEST;
    for (uint32_t row = 0; step->conjugate && row < rows; row++) {
        const double left = system->older.left[row];
        system->lambda[row] += (length - 1) * system->scale[row] * system->older.direction[row];
        system->residual[row] = left + length * (system->residual[row] - left);
        largest = fmax(largest, fabs(system->residual[row]));
    }
    *residual = step->conjugate ? largest : *residual;
    return step->conjugate;
}

/* Residuals of conjugate gradients go up and down on their way. */
static void remember(AfxiSystem *system, Step *step, uint32_t rows, double residual) {
    step->missed++;
    if (residual < step->best) {
        memcpy(system->older.image, system->lambda, rows * sizeof(double));
        step->best = residual;
        step->missed = 0;
    }
}

static double evaluate(AfxiSystem *system) {
    afxi_dual_primal(system);
    return afxi_dual_residual(system, true);
}

/* One step; false where another is of no use. */
static bool advance(AfxiSystem *system, Step *step, uint32_t rows, double *residual) {
    const bool before = step->conjugate;
    choose(system, step, rows);
    afxi_refine_add(system);
    double next = evaluate(system);
    bool on = before || next < AFXI_REFINEMENT_STALL * *residual;
    const bool rounding = next <= AFXI_REFINEMENT_ROUNDING * step->goal;
    bool slow = on && next > AFXI_REFINEMENT_SLOW * *residual && step->agrees;
    on = on && !(slow && rounding);
    slow = slow && on;
    step->conjugate = false;
    if (slow || step->best < INFINITY) {
        remember(system, step, rows, next);
        on = on && (!slow || lengthen(system, step, rows, &next));
        remember(system, step, rows, next);
        on = on && step->missed < AFXI_REFINEMENT_MISSES;
    }
    *residual = next;
    return on;
}

void afxi_refine(AfxiSystem *system, uint32_t most, double goal, double residual, AfxiDualReport *out) {
    const uint32_t rows = afxi_graph_planned_rows(system->graph);
    Step step = {.goal = goal, .best = INFINITY};
    step.agrees = most > AFXI_REFINEMENTS_FIRST && !system->graph->hub_width;
    for (bool on = true; on && out->refinements < most && !(residual <= goal); out->refinements++) {
        on = advance(system, &step, rows, &residual);
    }
    const bool back = step.best < residual;
    if (back) {
        memcpy(system->lambda, system->older.image, rows * sizeof(double));
    }
    out->residual = step.conjugate || back ? evaluate(system) : residual;
}
