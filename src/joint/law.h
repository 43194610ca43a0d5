/* SPDX-License-Identifier: Apache-2.0 */
/* What acts on a joint coordinate x, as one row. Its multiplier is minus the force Q along the axis; in a solve x and
 * its rate are x_k + s and w + s / h, s the change that is solved for. A row is
 *     value + s - compliance lambda = 0, or lambda given.
 *
 *     position, velocity   x = p                                   exact
 *     force                lambda = -p
 *     spring, servo        lambda = k (x - p) + d (x' - p')        implicit, |lambda| <= effort
 *     spring with tables   lambda = k (x - p) + d x' + f(x - p) + g(x'), linear about where the row is made
 *     limit                x >= lower, lambda <= 0; x <= upper, lambda >= 0
 *     friction             x' = 0 while |lambda| <= effort, else lambda = +-effort */
#ifndef AFXI_JOINT_LAW_H
#define AFXI_JOINT_LAW_H

#include "affix/joint.h"

/* Numbers of a drive in the parameter block. */
enum {
    AFXI_DRIVE_STIFFNESS,
    AFXI_DRIVE_DAMPING,
    AFXI_DRIVE_REST,
    AFXI_DRIVE_EFFORT,
    AFXI_DRIVE_LOWER,
    AFXI_DRIVE_UPPER,
    AFXI_DRIVE_RESTITUTION,
    AFXI_DRIVE_COEFFICIENT,
    AFXI_DRIVE_RADIUS,
    AFXI_DRIVE_SIZE
};

/** Which branch of its law a drive is on. */
typedef enum AfxiBranch {
    AFXI_BRANCH_FREE = 0, /* limit: away from both ends; servo: below its effort; friction: sticks */
    AFXI_BRANCH_LOW,      /* limit: at the lower end; servo, friction: lambda = -effort */
    AFXI_BRANCH_HIGH      /* limit: at the upper end; servo, friction: lambda = +effort */
} AfxiBranch;

/** What a group of rows in lanes is told of springs with tables, behind the kinds of drives. */
enum { AFXI_LAW_TABLES = AFX_DRIVE_FRICTION + 1 };

/** The tables of a spring; without samples: none. */
typedef struct AfxiSpringTables {
    AfxForceTable spring, damper;
} AfxiSpringTables;

typedef struct AfxiLawInput {
    double x, rate; /* coordinate and the rate's constant part w */
    double h_rate;  /* h */
    double target, target_rate;
    double friction_limit; /* friction: effort with the reaction's share */
    double shift;          /* tables: the s about which the law is linear */
    bool tabled;
    AfxiSpringTables tables;
} AfxiLawInput;

typedef struct AfxiLawRow {
    double value, compliance, fixed;
    bool active;
} AfxiLawRow;

/** The row of a drive on a branch. numbers are [AFXI_DRIVE_SIZE]. */
AfxiLawRow afxi_law_row(AfxDriveKind kind, AfxiBranch branch, const double *numbers, const AfxiLawInput *input);
/** The branch that fits the result of a solve: x and rate after it, and the row's multiplier. `slack`: what rounding
 * may make of x or, for friction, of the rate. */
AfxiBranch afxi_law_branch(AfxDriveKind kind, AfxiBranch branch, const double *numbers, double x, double rate,
                           double lambda, double friction_limit, double slack);
/** The multiplier at rest in a state: what a start takes as given. */
double afxi_law_fixed(AfxDriveKind kind, AfxiBranch branch, const double *numbers, const AfxiLawInput *input);
/** What a spring with tables gives at x and a rate, with its derivatives by both. numbers are [AFXI_DRIVE_SIZE]. */
double afxi_law_spring(const double *numbers, const AfxiSpringTables *tables, double x, double rate,
                       double *out_stiffness, double *out_damping);
/** Whether the kind is an equality row, counted with the joints'. */
bool afxi_law_exact(AfxDriveKind kind);

#endif
