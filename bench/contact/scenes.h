/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of many contacts that are no cases: walls, piles in a pit, a robot that stands, figures on a plane. */
#ifndef BENCH_CONTACT_SCENES_H
#define BENCH_CONTACT_SCENES_H

#include "affix/affix.h"

/* m, the smallest edge or diameter of a body of the scenes below. */
#define BENCH_WALL_LEAST 0.2
#define BENCH_PILE_LEAST 0.16
#define BENCH_ROBOT_LEAST 0.04
#define BENCH_FIGURE_LEAST 0.1

/** A wall of `size` courses of `size` bricks in running bond, with half bricks at the ends, on a plane. */
AfxStatus bench_wall(uint32_t size, AfxScene **out, AfxError *error);
/** size³ boxes, all of other sizes and turned anyhow, that fall into a pit. */
AfxStatus bench_boxes(uint32_t size, AfxScene **out, AfxError *error);
/** The same with spheres. */
AfxStatus bench_spheres(uint32_t size, AfxScene **out, AfxError *error);
/** `size` robots of four legs with three hinges each, which servos hold; targets are set by who steps. */
AfxStatus bench_robots(uint32_t size, AfxScene **out, AfxError *error);
/** `size` figures of eleven capsules on balls and hinges with limits, that fall onto a plane. */
AfxStatus bench_figures(uint32_t size, AfxScene **out, AfxError *error);
/** `size` boxes at one place: a crowd, in which everything touches everything. */
AfxStatus bench_crowd(uint32_t size, AfxScene **out, AfxError *error);

#endif
