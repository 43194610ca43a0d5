/* SPDX-License-Identifier: Apache-2.0 */
/* Length of a path that goes by points and around spheres and cylinders: a tendon. */
#ifndef AFXI_MATH_PATH_H
#define AFXI_MATH_PATH_H

#include "affix/math.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum AfxiStopKind { AFXI_STOP_POINT, AFXI_STOP_SPHERE, AFXI_STOP_CYLINDER, AFXI_STOP_PULLEY } AfxiStopKind;

/** What a path goes by, in one frame for all: a point; a sphere or a cylinder (without ends, its axis z of the pose)
 * that it goes around where it is in the way, on the side of `side` where that is given; a pulley, behind which lengths
 * count by 1/divisor and a new path begins. */
typedef struct AfxiStop {
    AfxiStopKind kind;
    AfxPose pose;
    double radius, divisor;
    bool sided;
    AfxVec3 side;
} AfxiStop;

/** A straight piece: where it begins and ends, which stops move its ends, and by how much its length counts. */
typedef struct AfxiStretch {
    AfxVec3 from, to;
    uint32_t stop_from, stop_to;
    double share;
} AfxiStretch;

/** Two points and what is between them: the arc around a stop, from *out_from to *out_to. Its length; negative: the
 * straight line between the points is the path. */
double afxi_path_wrap(const AfxiStop *stop, AfxVec3 from, AfxVec3 to, AfxVec3 *out_from, AfxVec3 *out_to);
/** The length of a path of `count` stops, and its straight pieces, of which there are fewer than 2 count. Two points in
 * one place give none. */
double afxi_path_length(const AfxiStop *stops, uint32_t count, AfxiStretch *out_stretches, uint32_t *out_count);

#endif
