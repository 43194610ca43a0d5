/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of law.h. */
#include "joint/law.h"

#include <math.h>

#include "joint/tuning.h"
#include "math/table.h"

static double limit_end(AfxiBranch branch, const double *numbers) {
    return numbers[branch == AFXI_BRANCH_LOW ? AFXI_DRIVE_LOWER : AFXI_DRIVE_UPPER];
}

static double clamp(double value, double most) {
    return value > most ? most : value < -most ? -most : value;
}

/* k (x - p) + d (x' - p') as a compliant row: stiffness and damping act together as k + d / h. */
static AfxiLawRow compliant(double k, double d, double p, double p_rate, const AfxiLawInput *input) {
    double total = k + d / input->h_rate;
    if (!(total > 0)) {
        return (AfxiLawRow){0, 0, 0, false};
    }
    double value = (k * (input->x - p) + d * (input->rate - p_rate)) / total;
    return (AfxiLawRow){value, 1 / total, 0, true};
}

double afxi_law_spring(const double *numbers, const AfxiSpringTables *tables, double x, double rate,
                       double *out_stiffness, double *out_damping) {
    double k = numbers[AFXI_DRIVE_STIFFNESS], d = numbers[AFXI_DRIVE_DAMPING], off = x - numbers[AFXI_DRIVE_REST];
    double rise, drag, force = afxi_table_force(&tables->spring, off, &rise);
    force += afxi_table_force(&tables->damper, rate, &drag);
    *out_stiffness = k + rise;
    *out_damping = d + drag;
    return k * off + d * rate + force;
}

/* Newton's linear law about s. Where the force falls, the row would take the system its definiteness: it is given then,
 * and follows from solve to solve. */
static AfxiLawRow tabled(const double *numbers, const AfxiLawInput *input) {
    double s = input->shift, k, d;
    double force = afxi_law_spring(numbers, &input->tables, input->x + s, input->rate + s / input->h_rate, &k, &d);
    double stiffness = k + d / input->h_rate;
    if (!(stiffness > AFXI_TABLE_SOFTEST * (fabs(k) + fabs(d) / input->h_rate))) {
        return (AfxiLawRow){0, 0, force, false};
    }
    return (AfxiLawRow){force / stiffness - s, 1 / stiffness, 0, true};
}

AfxiLawRow afxi_law_row(AfxDriveKind kind, AfxiBranch branch, const double *numbers, const AfxiLawInput *input) {
    double k = numbers[AFXI_DRIVE_STIFFNESS], d = numbers[AFXI_DRIVE_DAMPING], effort = numbers[AFXI_DRIVE_EFFORT];
    switch (kind) {
    case AFX_DRIVE_POSITION:
    case AFX_DRIVE_VELOCITY:
        return (AfxiLawRow){input->x - input->target, 0, 0, true};
    case AFX_DRIVE_FORCE:
        return (AfxiLawRow){0, 0, -clamp(input->target, effort), false};
    case AFX_DRIVE_SERVO:
        if (branch != AFXI_BRANCH_FREE) {
            return (AfxiLawRow){0, 0, branch == AFXI_BRANCH_LOW ? -effort : effort, false};
        }
        return compliant(k, d, input->target, input->target_rate, input);
    case AFX_DRIVE_SPRING:
        return input->tabled ? tabled(numbers, input) : compliant(k, d, numbers[AFXI_DRIVE_REST], 0, input);
    case AFX_DRIVE_LIMIT:
        if (branch == AFXI_BRANCH_FREE) {
            return (AfxiLawRow){0, 0, 0, false};
        }
        return (AfxiLawRow){input->x - limit_end(branch, numbers), 0, 0, true};
    case AFX_DRIVE_FRICTION:
        if (branch != AFXI_BRANCH_FREE) {
            return (AfxiLawRow){0, 0, branch == AFXI_BRANCH_LOW ? -input->friction_limit : input->friction_limit,
                                false};
        }
        return (AfxiLawRow){input->rate * input->h_rate, 0, 0, true};
    }
    return (AfxiLawRow){0, 0, 0, false};
}

AfxiBranch afxi_law_branch(AfxDriveKind kind, AfxiBranch branch, const double *numbers, double x, double rate,
                           double lambda, double friction_limit, double slack) {
    double most = kind == AFX_DRIVE_FRICTION ? friction_limit : numbers[AFXI_DRIVE_EFFORT];
    switch (kind) {
    case AFX_DRIVE_LIMIT:
        if (branch == AFXI_BRANCH_FREE) {
            return x < numbers[AFXI_DRIVE_LOWER] - slack   ? AFXI_BRANCH_LOW
                   : x > numbers[AFXI_DRIVE_UPPER] + slack ? AFXI_BRANCH_HIGH
                                                           : AFXI_BRANCH_FREE;
        }
        return (branch == AFXI_BRANCH_LOW ? lambda > 0 : lambda < 0) ? AFXI_BRANCH_FREE : branch;
    case AFX_DRIVE_SERVO:
        if (branch == AFXI_BRANCH_FREE) {
            return lambda > most ? AFXI_BRANCH_HIGH : lambda < -most ? AFXI_BRANCH_LOW : AFXI_BRANCH_FREE;
        }
        /* lambda here is what the law would ask for now */
        return (branch == AFXI_BRANCH_HIGH ? lambda < most : lambda > -most) ? AFXI_BRANCH_FREE : branch;
    case AFX_DRIVE_FRICTION:
        if (branch == AFXI_BRANCH_FREE) {
            return lambda > most ? AFXI_BRANCH_HIGH : lambda < -most ? AFXI_BRANCH_LOW : AFXI_BRANCH_FREE;
        }
        return (branch == AFXI_BRANCH_HIGH ? rate < -slack : rate > slack) ? AFXI_BRANCH_FREE : branch;
    default:
        return branch;
    }
}

double afxi_law_fixed(AfxDriveKind kind, AfxiBranch branch, const double *numbers, const AfxiLawInput *input) {
    double k = numbers[AFXI_DRIVE_STIFFNESS], d = numbers[AFXI_DRIVE_DAMPING], effort = numbers[AFXI_DRIVE_EFFORT];
    switch (kind) {
    case AFX_DRIVE_FORCE:
        return -clamp(input->target, effort);
    case AFX_DRIVE_SERVO:
        return clamp(k * (input->x - input->target) + d * (input->rate - input->target_rate), effort);
    case AFX_DRIVE_SPRING:
        if (input->tabled) {
            return afxi_law_spring(numbers, &input->tables, input->x, input->rate, &k, &d);
        }
        return k * (input->x - numbers[AFXI_DRIVE_REST]) + d * input->rate;
    case AFX_DRIVE_FRICTION:
        return branch == AFXI_BRANCH_FREE  ? 0
               : branch == AFXI_BRANCH_LOW ? -input->friction_limit
                                           : input->friction_limit;
    default:
        return 0;
    }
}

bool afxi_law_exact(AfxDriveKind kind) {
    return kind == AFX_DRIVE_POSITION || kind == AFX_DRIVE_VELOCITY;
}
