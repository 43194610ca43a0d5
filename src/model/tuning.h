/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of compiling a model: tolerances, caps and shares, each with what it rests on or trades off. */
#ifndef AFXI_MODEL_TUNING_H
#define AFXI_MODEL_TUNING_H

#include <stddef.h>
#include <stdint.h>

/* Ball chains with fewer links are left to the tree recursion: their kernel gains nothing there (docs/solvers.md, 2).
 */
#define AFXI_CHAIN_LINKS_LEAST 8u
/* A chain up to this length is worked on whole, one of a crowd side by side with the others. Alone it leaves lanes
 * empty: 64 links take as long then as 250 that are cut. */
#define AFXI_CHAIN_WHOLE_MOST 64u
/* Any other is cut into spans of about this many links, at least SPANS_LEAST of them and a multiple of that, besides
 * one for what is left over. The cut must not depend on the number of lanes, nor on other chains, so that results do
 * not. */
#define AFXI_CHAIN_SPAN_LINKS 64u
#define AFXI_CHAIN_SPANS_LEAST 4u
/* Where at most one body in so many, and one more, goes by its gradients, first solves of a forest go from the state
 * to the result in two passes. Passes over all bodies, four at a time, are the better choice with more of them. */
#define AFXI_GENERAL_SHARE 8u
/* Kinds of bodies that go by their gradients, four of a kind side by side: numbers of rows of their joints. More of
 * them in one forest go one by one. Bounds the time of compiling. */
#define AFXI_GENERAL_KINDS 64u
/* A point so near to the first axis, over its place along that, is on it: rounding. */
#define AFXI_ON_AXIS 1e-13
/* Bodies of a part of a forest that one thread eliminates, at least, and parts at most: threads against the serial rest
 * above them. */
#define AFXI_FOREST_PART_LEAST 256u
#define AFXI_FOREST_PARTS 16u
/* Bodies that are not solved for are looked for among so many: a twin only takes a little memory. */
#define AFXI_GROUNDS_SEEN 64u
/* Small trees of balls that are all alike in their rows are solved side by side; larger ones fill lanes by themselves.
 */
#define AFXI_POOLED_BODIES_MOST 64u
#define AFXI_POOLED_DEGREE_MOST 3u
/* Share of its distance from the origin that a component counts for at least in its size: rows of coordinates as large
 * hold to 1e-13 of them (rounding), and row tolerances are 1e-11 of the size. */
#define AFXI_SIZE_FAR 0.01
/* Rows that may be dense: their factor takes 1.6 GB. */
#define AFXI_DENSE_ROWS_MOST 20000u
/* kg/m³: a body that brings no volume is taken to be of water. */
#define AFXI_DEFAULT_DENSITY 1000.0
/* m: points and axes of a body that are in the same cell of a grid are the same. Far below what is built apart, and far
 * above what rounding or the digits of a file leave between two that are meant to be one. */
#define AFXI_PIN_CELL 1.0471975511965976e-6
/* Share of its inner radius by which a shape may end before a pin and still count as on it: links are often drawn from
 * pin to pin. */
#define AFXI_PIN_SLACK 0.1
/* Pairs of bodies on one pin that are kept from touching: 2,900 bodies at one point, 64 MB and a tenth of a second;
 * files of strangers could ask for a thousand times that. */
#define AFXI_PIN_PAIRS_MOST ((uint64_t)1 << 22)
/* Pairs of shapes that are looked at for one that may touch; where none is found, one is assumed: bounds the time of
 * compiling. */
#define AFXI_SHAPE_PAIRS_MOST ((uint64_t)1 << 22)

/** Bodies above which a scene that names no generalised coordinates has none: lists of them would be a third of what a
 * model of a million links takes, and nobody asks for their names. */
#define AFXI_GENERALIZED_BODIES 50000u

#endif
