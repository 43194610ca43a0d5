/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of finding contact points of a world: tolerances, caps and shares, each with what it rests on or
 * trades off. */
#ifndef AFXI_COLLIDE_TUNING_H
#define AFXI_COLLIDE_TUNING_H

/* Points are looked for within this share of a shape's way in the step, and of its inner radius: margins that are too
 * wide make points that never touch, too narrow ones make steps look again. */
#define AFXI_MARGIN_WAY 0.1
#define AFXI_MARGIN_SIZE 1e-3
/* Strain |S² - I| below which a body is as rigid as its shapes are taken to be: links of nets that are struck are
 * strained by 2 %, and lie deeper by it for a step if that counts. But where strain carries points by so many times g
 * dt², which is what huge bodies do, it counts. */
#define AFXI_STRAIN_LEAST 0.05
#define AFXI_STRAIN_FALLS 10
/* A shape that moves by more than this share of its inner radius relative to another is swept, up to this share of it
 * before the other. */
#define AFXI_SWEEP_SHARE 0.5
#define AFXI_SWEEP_TARGET 1e-3
/* Of the distance of their middles when they met: nearer, as no box that has only been turned can come, they have gone
 * through each other. */
#define AFXI_SWEEP_PASSED 0.3
/* Slower approach than this share of g dt is no impact: what rests, or rolls on, comes so fast. */
#define AFXI_IMPACT_LEAST 0.5
/* Share of a body's weight with which a point may pull before it is let go. */
#define AFXI_PULL_WEIGHT 1e-3
/* k = this m/dt²: a body sinks in by a thousandth at most of what its weight moves it in a step
 * (docs/decisions/contact-stiffness.md: 200 would take a third less time in piles, with ten times the depth). */
#define AFXI_CONTACT_STIFFNESS 2e3
/* Of it, for friction that holds: softer, so that what sticks and what slides are not told apart by rounding. */
#define AFXI_GRIP_SHARE 0.005
/* Share of its inner radius by which a link of a chain may sink in for a step: chains look for their points once a
 * step. */
#define AFXI_LINK_SLACK 0.01
/* Points may no longer fit when bodies come to lie by this share of their size, or round ones of their radius,
 * elsewhere than expected. */
#define AFXI_STALE_SHIFT 5e-3
#define AFXI_STALE_SHIFT_ROUND 0.1
/* They do not when a gap is by this share of the inner radius another, or a normal by this cosine. */
#define AFXI_STALE_GAP 1e-4
#define AFXI_STALE_NORMAL 0.98
/* Share of the inner radius by which a shape may come to lie in another unseen; beyond, the step is done in parts
 * (docs/contact.md). */
#define AFXI_PENETRATION_MOST 0.025
/* The same where a material is soft: what sinks in does so by its law. */
#define AFXI_PENETRATION_SOFT 0.5
/* By this share of its numbers a cluster's bound is wider than it would be without rounding: a box is a sum of a dozen
 * numbers, each off by 1e-16. */
#define AFXI_BOUND_ROUNDING 1e-13
/* Of what a point lies deeper than its load explains, this share comes out in a step: a spring that did it at once
 * would throw the body (docs/decisions/contact-law.md). */
#define AFXI_RECOVERY 0.2
/* m/s²: the speed of coming out is at most sqrt(2 a depth), with the acceleration of gravity or, where that is less,
 * this one: .1 m takes about a second in weightlessness (docs/decisions/contact-law.md). */
#define AFXI_RECOVERY_ACCELERATION 0.1
/* A normal comes from a cross product or difference that is scaled to length 1: off by a few 1e-16, or it is none. */
#define AFXI_NORMAL_OFF 1e-6
/* Differences of touches (vary.c): steps in rad, and in inner radii. Those of fourth order are off by step^4, rounding
 * by 1e-16 over it; where near and far ones differ by more than SMOOTH step² of curvature, or rounding, there is an
 * edge between, and a tenth is tried, TRIES times in all. */
#define AFXI_VARY_STEP 1e-3
#define AFXI_VARY_TRIES 6
#define AFXI_VARY_SMOOTH 100.0
#define AFXI_VARY_ROUNDING 1e-13
/* Margins are wider by so many steps, so that what goes apart a little is still seen. */
#define AFXI_VARY_MARGIN 16.0
/* A touch is that of a point where normals, and places over the size of the shape, are as near as this. */
#define AFXI_VARY_FOUND 1e-9

#endif
