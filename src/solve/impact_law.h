/* SPDX-License-Identifier: Apache-2.0 */
/* The law of impacts: what velocities become when contact points and limits of joints strike, one or many at once. */
#ifndef AFXI_SOLVE_IMPACT_LAW_H
#define AFXI_SOLVE_IMPACT_LAW_H

#include "solve/newton.h"

/** What an impact came to, for who looks at it. */
typedef struct AfxiImpactTally {
    double *fitted;  /* [bodies of the model][12] velocities before it that fit the joints; NULL: nobody wants them */
    uint32_t passes; /* in which something struck */
    bool revised;    /* points or limits were let go, or taken in */
    bool slid;       /* friction slid, or was left out */
    bool unsound;    /* its result was not taken */
} AfxiImpactTally;

/** The run in which something struck; its bodies stand where the step has put them. */
typedef struct AfxiImpact {
    AfxiRun *run;
    AfxiWorld *world;
    AfxiContactSet *set; /* NULL: nothing can touch */
    double length;       /* s, of the part of the step that is over */
    AfxiImpactTally *tally;
} AfxiImpact;

/** Velocities of the bodies of the run, into [bodies of the graph][12]. */
void afxi_impact_keep(const AfxiImpact *impact, double *to);
/** The other way. */
void afxi_impact_bring_back(const AfxiImpact *impact, const double *from);
/** Kinetic energy of the bodies of the run, J; not finite where a velocity is not. */
double afxi_impact_kinetic(const AfxiImpact *impact);
/** Whether velocities have at most the kinetic energy `most`, J, or something is led that may have done work. A pass
 * makes no energy, by its equations: where it does, rows were so nearly dependent that its solve did not meet them. */
bool afxi_impact_sound(const AfxiImpact *impact, double most);
/** Rate of A = R of a body that has the angular momentum `local`, in its axes. */
AfxiMat3 afxi_impact_spin(const AfxiBodyClass *class, const AfxiMat3 *r, AfxVec3 local);
/** Which way a limit that is met is left: 1 at its lower end, -1 at its upper one. */
double afxi_impact_side(const AfxiWorld *world, uint32_t drive);
/** Whether a drive of the graph of a lot is a limit that is met, at the end of the stage. */
bool afxi_impact_limit(const AfxiWorld *world, uint32_t drive);
/** Limits that are met and approached faster than `least`, at the present velocities, are to leave with e times their
 * speed (AfxiWorld.limit_rate), or without `restitution` to stop; all others are left free. False: none is. */
bool afxi_impact_limits(const AfxiRows *rows, double least, bool restitution);
/** Velocities of the bodies of the run before the impact, in the state, become those after it; points and limits that
 * it went through are marked, and have the rates that they are to leave with in `jump` and `limit_rate`. Rates up to
 * what comes back are none. */
double afxi_impact_law(const AfxiImpact *impact);
/** Velocities, in the state, become the nearest ones with these rates. `again`: not the first time in this impact. */
void afxi_impact_meet(const AfxiImpact *impact, bool again);

#endif
