/* SPDX-License-Identifier: Apache-2.0 */
/* Spatial vectors and inertias, inline. */
#ifndef AFXI_REDUCED_SPATIAL_H
#define AFXI_REDUCED_SPATIAL_H

#include "reduced/dynamics.h"

static inline AfxiSpatial spatial(AfxVec3 w, AfxVec3 v) {
    return (AfxiSpatial){w, v};
}
static inline AfxiSpatial spatial_add(AfxiSpatial a, AfxiSpatial b) {
    return spatial(vec3_add(a.w, b.w), vec3_add(a.v, b.v));
}
static inline AfxiSpatial spatial_sub(AfxiSpatial a, AfxiSpatial b) {
    return spatial(vec3_sub(a.w, b.w), vec3_sub(a.v, b.v));
}
static inline AfxiSpatial spatial_mad(AfxiSpatial a, double s, AfxiSpatial b) {
    return spatial(vec3_mad(a.w, s, b.w), vec3_mad(a.v, s, b.v));
}
static inline double spatial_dot(AfxiSpatial a, AfxiSpatial b) {
    return vec3_dot(a.w, b.w) + vec3_dot(a.v, b.v);
}
/** Rate of a motion that is carried along by v. */
static inline AfxiSpatial spatial_cross(AfxiSpatial v, AfxiSpatial s) {
    return spatial(vec3_cross(v.w, s.w), vec3_add(vec3_cross(v.w, s.v), vec3_cross(v.v, s.w)));
}
/** Rate of a wrench (torque, force) that is carried along by v. */
static inline AfxiSpatial spatial_cross_force(AfxiSpatial v, AfxiSpatial f) {
    return spatial(vec3_add(vec3_cross(v.w, f.w), vec3_cross(v.v, f.v)), vec3_cross(v.w, f.v));
}
/** I v */
static inline AfxiSpatial inertia_apply(const AfxiSpatialInertia *i, AfxiSpatial v) {
    return spatial(vec3_add(sym3_apply(i->inertia, v.w), vec3_cross(i->moment, v.v)),
                   vec3_sub(vec3_scale(i->mass, v.v), vec3_cross(i->moment, v.w)));
}
static inline void inertia_add(AfxiSpatialInertia *to, const AfxiSpatialInertia *i) {
    to->mass += i->mass;
    to->moment = vec3_add(to->moment, i->moment);
    for (int k = 0; k < 6; k++) {
        to->inertia[k] += i->inertia[k];
    }
}

/** An inertia given in a frame with axes r at p, in world axes about the reference point:
 * I = R I R^T + (2 p.h + m p.p) 1 - p h^T - h p^T - m p p^T with h = R moment. */
static inline AfxiSpatialInertia inertia_place(double mass, AfxVec3 moment, const double inertia[6], const AfxiMat3 *r,
                                               AfxVec3 p) {
    AfxVec3 h = mat3_apply(r, moment), k = vec3_mad(h, 0.5 * mass, p); /* p h^T + h p^T + m p p^T = p k^T + k p^T */
    AfxVec3 x = mat3_column(r, 0), y = mat3_column(r, 1), z = mat3_column(r, 2);
    AfxVec3 ix = vec3_mad(vec3_mad(vec3_scale(inertia[0], x), inertia[3], y), inertia[4], z);
    AfxVec3 iy = vec3_mad(vec3_mad(vec3_scale(inertia[3], x), inertia[1], y), inertia[5], z);
    AfxVec3 iz = vec3_mad(vec3_mad(vec3_scale(inertia[4], x), inertia[5], y), inertia[2], z);
    double px = p.x * k.x, py = p.y * k.y, pz = p.z * k.z;
    return (AfxiSpatialInertia){mass,
                                vec3_mad(h, mass, p),
                                {ix.x * x.x + iy.x * y.x + iz.x * z.x + 2 * (py + pz),
                                 ix.y * x.y + iy.y * y.y + iz.y * z.y + 2 * (px + pz),
                                 ix.z * x.z + iy.z * y.z + iz.z * z.z + 2 * (px + py),
                                 ix.x * x.y + iy.x * y.y + iz.x * z.y - p.x * k.y - k.x * p.y,
                                 ix.x * x.z + iy.x * y.z + iz.x * z.z - p.x * k.z - k.x * p.z,
                                 ix.y * x.z + iy.y * y.z + iz.y * z.z - p.y * k.z - k.y * p.z}};
}

#endif
