/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of barrier contact: tolerances and caps, each with what it rests on or trades off. */
#ifndef AFXI_BARRIER_TUNING_H
#define AFXI_BARRIER_TUNING_H

/* The gap below which surfaces push, of the largest extent of what moves, where none is given (BARRIER.md). */
#define AFXI_BARRIER_GAP 1e-3
/* Share of a gap that a step of additive CCD may use up, and its cap of iterations, beyond which the time that was
 * reached is the answer: 0 false negatives on all public queries. */
#define AFXI_CCD_SHARE 0.9
#define AFXI_CCD_ITERATIONS_MOST 512u
/* Share of the first gap that is always left: a tenth but for rounding, since steps straight at each other end there.
 */
#define AFXI_CCD_LEFT 0.0999
/* Gaps below this, of the coordinates, count as none: 4096 roundings. At 1e-10 of them rings of a soup passed. */
#define AFXI_CCD_FLOOR 1e-12
/* Cosine of the angle between the vector of the nearest points and a normal above which they are the same. */
#define AFXI_CCD_SAME 0.9999
/* What is taken of a time that CCD allows: constraints are restored after the cut, which moves bodies a little. */
#define AFXI_CCD_USED 0.99
/* Below this sine of the angle between two edges their contact fades out: their nearest points leap where they are
 * parallel. sine² is compared (as in IPC, which takes 1e-3 of the product of the squared rest lengths). */
#define AFXI_MOLLIFIER 1e-3
/* Sine of the angle between two triangles below which the edge between them is no edge: they are one flat face. */
#define AFXI_FLAT 1e-9
/* Sides of the prism that stands for a cylinder: 0.5 % of the radius off. */
#define AFXI_CYLINDER_SIDES 32u
/* Barrier stiffness of a pair is this times its reduced mass over h². A body at rest under gravity at 10 ms stands at
 * about half the gap with 1. */
#define AFXI_BARRIER_STIFFNESS 1.0
/* Bodies that come at each other get what stops them at a quarter of the gap: -B'(1/4) = 4.33 for a gap of 1, so that
 * kappa = m / h² (way / gap) / 4.33. With the rest stiffness alone a ball of 8 m/s came to 1/400 of the gap, and its
 * step took hundreds of iterations. */
#define AFXI_BARRIER_IMPACT 4.33
/* The gap, of the full one, at which a surface is expected to hold what runs into it, while nothing is known of forces.
 * Lines that stand for barriers touch them at 0.8 of the gap at most: beyond it they have next to no stiffness. */
#define AFXI_WATCH_AIM 0.25
#define AFXI_WATCH_MOST 0.8
/* What a trial leaves of a gap at least; how much of what it was to leave may be missing before gaps are brought back,
 * how often that is done, and in how many trials of a line search. On the wrecking ball: 17 iterations a step in place
 * of 37. */
#define AFXI_BEND_LEFT 0.2
#define AFXI_BENT 0.5
#define AFXI_BEND_TIMES 4u
#define AFXI_BEND_TRIALS 7u
/* Gaps below this share of the full one make a body's stiffness double, up to the next number; above the third one it
 * goes back by the fourth a step. A load of 1000 times the mass of what carries it stays above 1e-3 of the gap so. */
#define AFXI_BARRIER_NEAR 0.1
#define AFXI_BARRIER_STIFFEST 1024.0
#define AFXI_BARRIER_FAR 0.5
#define AFXI_BARRIER_BACK 0.9
/* Primitives of a shape that reach into a box are sorted by insertion up to this many: a ring that holds another has 10
 * to 40 of them. */
#define AFXI_NEAR_SHORT 64u
/* How far a shape may go in a step, of what its speed takes it, and in steps of dt² of gravity besides: what goes
 * further makes a step be done again. A fall from rest takes 1, a body that a limit or spring throws back 2 of the
 * first. */
#define AFXI_REACH_AHEAD 1.5
#define AFXI_REACH_FALL 2.0
/* Slip, of the gap, at which friction is all there. It is remembered from step to step, so that nothing creeps. */
#define AFXI_FRICTION_SLIP 0.1
/* Change of the normal forces, of their largest, at which friction needs no further lag. */
#define AFXI_FRICTION_ENOUGH 0.01
/* ... and at which one more is taken than there should be: a box that is set down while it slides stops too early by
 * 8 % without. */
#define AFXI_FRICTION_WRONG 0.5
/* How far forces may be from what the last Newton step led to, of the largest, for the next lag. To converge every lag
 * first takes a third more iterations on the wrecking ball; with 1 instead of 0.3 friction is of forces that are not
 * there yet. */
#define AFXI_FRICTION_LAG_AT 0.3
/* Lags of a step at most where none are given, the first with the forces that the step begins with: houses of 2 to 10
 * levels of cards stand with 2, and the wrecking ball takes 10 iterations a step in place of 16 with 5. */
#define AFXI_FRICTION_LAGS 2u
/* Motion of a vertex in an iteration, of its body's size, times the step over a second: by accuracy. The last iteration
 * is applied, so what is left is about its square. */
#define AFXI_BARRIER_FAST 1e-2
#define AFXI_BARRIER_ACCURATE 1e-5
#define AFXI_BARRIER_CONVERGED 1e-9
/* Iterations of a step, over all lags; the paper's scenes take 2 to 43. */
#define AFXI_BARRIER_ITERATIONS_MOST 300u
/* Trials of a line search, and the decrease that it asks for (Armijo). */
#define AFXI_BARRIER_TRIALS_MOST 40u
#define AFXI_BARRIER_ARMIJO 1e-4
/* Rounding of energies, of the sum of their sizes: below it they say nothing. */
#define AFXI_BARRIER_ROUNDING 1e-12
/* Rounding of places, of their size, as it shows in energies: with the number above 1e-15 of them. */
#define AFXI_BARRIER_PLACE 1e-9
/* Steps that are cut below this so many times in a row are blocked. */
#define AFXI_BARRIER_BLOCKED 1e-8
#define AFXI_BARRIER_BLOCKED_TIMES 5u
/* Parts that a step is cut into at most where it did not converge. */
#define AFXI_BARRIER_PARTS_MOST 16u
/* Regularisation of the rows of the scaled system, and passes that take it out again. */
#define AFXI_BARRIER_REGULARISATION 1e-9
#define AFXI_BARRIER_PASSES 4u
/* ... unless what is left is rounding, of the right-hand side. */
#define AFXI_BARRIER_SOLVED 1e-15
/* Constraints are restored to this, of the size of the model, by at most so many solves. */
#define AFXI_BARRIER_RESTORED 1e-13
#define AFXI_BARRIER_RESTORES_MOST 12u
/* What is good enough where that is not reached (redundant rows at a singular position). */
#define AFXI_BARRIER_MET 1e-9
/* Least eigenvalue of a body's rotational stiffness, of its inertia's: bodies that contacts press together turn with
 * more than inertia lets them, and with 1e-3 steps were far too long (spiked knots 8.6 iterations in place of 7.8). */
#define AFXI_BARRIER_DEFINITE 0.3
/* Speeds below what gravity gives in so many steps do not bounce (as AFXI_BOUNCE_LEAST); stiffness of contacts that
 * bounce, of that of their barriers: speeds are met to its inverse; how much of the largest a contact may come nearer
 * before it pushes too; and rounds of that. */
#define AFXI_BARRIER_BOUNCE 2.0
#define AFXI_BARRIER_BOUNCE_STIFF 1e7
#define AFXI_BARRIER_BOUNCE_OFF 1e-4
#define AFXI_BARRIER_BOUNCE_ROUNDS 12u
/* Steps of BDF1 after a contact, of methods with history. */
#define AFXI_BARRIER_REDUCED 2

#endif
