/* SPDX-License-Identifier: Apache-2.0 */
/* cases/planar.h: plane linkages in the x-z plane, with velocities, so that a case starts closed and moving as it
 * should. Angles run from x to z, about -y. A link's frame has its origin at the link's first pivot and x towards the
 * second one; (along, across) are coordinates in it. */
#ifndef AFXI_CASES_PLANAR_H
#define AFXI_CASES_PLANAR_H

#include "cases/builder.h"
#include "cases/cases.h"

typedef struct AfxiPlanar {
    double x, z;   /* m */
    double vx, vz; /* m/s */
} AfxiPlanar;

/** A point at rest. */
AfxiPlanar afxi_planar_point(double x, double z);
double afxi_planar_distance(AfxiPlanar a, AfxiPlanar b);
/** The end of a crank on `center` (at rest), at `angle` and turning at `rate`. */
AfxiPlanar afxi_planar_crank(AfxiPlanar center, double length, double angle, double rate);
/** The pivot that is length_a from a and length_b from b: on the left of the line from a to b when side is 1, on the
 * right when it is -1. */
AfxiPlanar afxi_planar_dyad(AfxiPlanar a, double length_a, AfxiPlanar b, double length_b, double side);
/** The point (along, across) of the link whose first two pivots are a and b. */
AfxiPlanar afxi_planar_on(AfxiPlanar a, AfxiPlanar b, double along, double across);
/** Coordinates of p in the frame of the link through a and b: the opposite of afxi_planar_on. */
void afxi_planar_local(AfxiPlanar a, AfxiPlanar b, AfxiPlanar p, double *out_along, double *out_across);

/** Adds the link through a and b, at that y, moving as they do; shapes are still to be given. */
AfxBodyId afxi_planar_link(AfxiCaseBuilder *builder, const char *name, AfxiPlanar a, AfxiPlanar b, double y,
                           double young);
/** Gives a link a rod of the default radius from one of its points to another, (along, across) each. */
void afxi_planar_rod(AfxiCaseBuilder *builder, AfxBodyId link, double along_a, double across_a, double along_b,
                     double across_b);
/** The frame of a hinge about -y at (along, across) of a link, or at (x, z) of the world with that y. */
AfxPose afxi_planar_frame(double along, double across, double y);
/** A hinge between two frames of afxi_planar_frame: its coordinate is the angle of the follower less the base's. */
AfxJointId afxi_planar_hinge(AfxiCaseBuilder *builder, AfxBodyId base, AfxPose base_frame, AfxBodyId follower,
                             AfxPose follower_frame);

/* The parameters of a mechanism with one driven crank: its speed, one turn a second by default, and Young's modulus. */
enum { AFXI_CRANK_OMEGA, AFXI_CRANK_YOUNG, AFXI_CRANK_PARAMETERS };
extern const AfxiCaseParameter afxi_crank_parameters[AFXI_CRANK_PARAMETERS];

#endif
