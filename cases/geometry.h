/* SPDX-License-Identifier: Apache-2.0 */
/* cases/geometry.h: vectors, frames and links that the jointed cases are laid out with. */
#ifndef AFXI_CASES_GEOMETRY_H
#define AFXI_CASES_GEOMETRY_H

#include "affix/affix.h"

#include <math.h>

#define AFXI_CASE_PI 3.14159265358979323846
#define AFXI_CASE_DEGREE (AFXI_CASE_PI / 180)

/* The default link: a capsule of water's density whose cylindrical part is 0.1 m long, from joint to joint. */
#define AFXI_CASE_LINK_LENGTH 0.1
#define AFXI_CASE_LINK_RADIUS 0.01

static inline AfxVec3 afxi_case_add(AfxVec3 a, AfxVec3 b) {
    return (AfxVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline AfxVec3 afxi_case_sub(AfxVec3 a, AfxVec3 b) {
    return (AfxVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline AfxVec3 afxi_case_scale(double s, AfxVec3 a) {
    return (AfxVec3){s * a.x, s * a.y, s * a.z};
}

static inline AfxVec3 afxi_case_cross(AfxVec3 a, AfxVec3 b) {
    return (AfxVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double afxi_case_dot(AfxVec3 a, AfxVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline AfxVec3 afxi_case_unit(AfxVec3 a) {
    return afxi_case_scale(1 / sqrt(afxi_case_dot(a, a)), a);
}

static inline AfxVec3 afxi_case_middle(AfxVec3 a, AfxVec3 b) {
    return (AfxVec3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

/** The frame at `point` with x along `x` and y along the part of `y` across it. */
AfxPose afxi_case_frame(AfxVec3 point, AfxVec3 x, AfxVec3 y);
/** A capsule whose cylindrical part goes from one point of the body to another. */
AfxShapeDef afxi_case_rod(AfxVec3 from, AfxVec3 to, double radius);
/** A ring about z: vertices [3 around sides] and triangles [6 around sides] of a tube about a circle. */
void afxi_case_torus(double radius, double tube, uint32_t around, uint32_t sides, double *out_vertices,
                     uint32_t *out_triangles);
/** A solid between z = -height/2 and height/2 whose outline [2 count] goes round the origin, every point of it in
 * sight: vertices [3 (2 count + 2)], triangles [12 count]. */
void afxi_case_extrude(const double *outline, uint32_t count, double height, double *out_vertices,
                       uint32_t *out_triangles);
/** The four corners of a side as two triangles, out[6]. */
void afxi_case_quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t out[6]);

#endif
