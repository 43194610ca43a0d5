/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of where shapes touch: tolerances, caps and shares, each with what it rests on or trades off. */
#ifndef AFXI_CONTACT_TUNING_H
#define AFXI_CONTACT_TUNING_H

/* Iterations of GJK, of the expanding polytope, of Newton's method on the separation, and of sweeps: caps for what
 * rounding makes turn in circles. */
#define AFXI_GJK_TURNS 64
#define AFXI_EXPAND_TURNS 64
#define AFXI_POLISH_TURNS 10
#define AFXI_SWEEP_TURNS 100
/* Triangles whose corners are this near to a larger one's plane belong to it; relative to the hull's extent. */
#define AFXI_HULL_FLAT 1e-7
/* A corner that is out by less than this part of the piece's size counts as inside: equal boxes on each other keep
 * their corners, and do not change them for crossings of edges that nearly coincide. */
#define AFXI_CLIP_INSIDE 1e-7
/* Features that can decide the separation: faces by the cosine to the estimate, edges by the sine of its angle to their
 * normal plane. */
#define AFXI_NEAR_FACE 0.9
#define AFXI_NEAR_EDGE 0.2
/* Of distances: a point must be farther by this to be taken for spread, so that rounding does not choose. */
#define AFXI_CLEARLY_FARTHER 1.0001
/* Of the extent of all points: a point that is deeper by less does not take another's place. Few points are those of
 * one flat piece, whose distance is known apart from them. */
#define AFXI_DEEPER_FEW 1e-6
#define AFXI_DEEPER_MANY 1e-10
/* An axis is "along" a surface when the sine of its angle to it is below this: two points instead of one. */
#define AFXI_ALONG_SINE 0.1
/* Hulls with more vertices than this are climbed, not scanned. */
#define AFXI_HULL_SCAN_MOST 40
/* Cosines between the axis of a cylinder or capsule and a direction: an end faces it above, the side below. */
#define AFXI_END_FACES 0.9
#define AFXI_SIDE_FACES 0.25
/* Corners of a cylinder's end as a polygon, which are fixed to it. A cylinder stands on them where its axis is off the
 * normal by less than this sine, and the lowest point of the rim is none of its points: that one goes around with the
 * least tilt, loads change hands, and friction that holds lets go a little each time (.5 mm/s on a slope at 98 % of the
 * angle of friction). They are higher than it by the last number at most, of
 * the radius. */
#define AFXI_RIM 8
#define AFXI_RIM_TILT 2e-3
#define AFXI_RIM_HIGHER 2e-4
/* Sine of the angle between neighbouring triangles above which their edge is a ridge, and above which it can touch
 * before the faces do, for shapes that overlap. */
#define AFXI_RIDGE_SINE 0.01
#define AFXI_RIDGE_SINE_DEEP 0.2

#endif
