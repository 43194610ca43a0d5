/* SPDX-License-Identifier: Apache-2.0 */
/* One rigid body in maximal coordinates, free or with one of its points held in the world: the baselines that the
 * papers compare with, written apart from Affix.
 *
 *     IMPLICIT  implicit Euler of the body's matrix: the rotation R and place t that minimise
 *               (sum s_k |a_k - a^_k|² + m |t - t^|²) / 2h² - m g.t,  R^ = R + h R', t^ = t + h t',
 *               with the held point as a constraint; Newton's method in (rotation vector, t, multiplier)
 *     EXPLICIT  semi-implicit Euler of Euler's equations in the body's axes, R turned by exp(h Ω); the held point is
 *               met by velocities, so that it drifts
 *     RK4       Runge-Kutta of order four of Euler's equations about the held point or the centre: the reference */
#ifndef BENCH_PAPERS_RIGID_H
#define BENCH_PAPERS_RIGID_H

#include "affix/affix.h"
#include "math/vec3.h"

typedef enum RigidMethod { RIGID_IMPLICIT, RIGID_EXPLICIT, RIGID_RK4 } RigidMethod;

typedef struct Rigid {
    double mass, s[3]; /* second moments along the principal axes */
    bool held;
    AfxVec3 point, anchor; /* in principal axes; in the world */
    AfxVec3 gravity;
    AfxiMat3 r;              /* principal axes in the world, by columns */
    AfxVec3 t;               /* centre of mass */
    AfxiMat3 rate;           /* of r; IMPLICIT only */
    AfxVec3 omega, velocity; /* omega in principal axes */
    uint32_t iterations;     /* of the last step */
} Rigid;

/** A body of a scene; the joint to the world that holds it, if any, is taken for a ball joint. */
Rigid rigid_of_scene(const AfxScene *scene, uint32_t body);
void rigid_step(Rigid *body, RigidMethod method, double h);
double rigid_energy(const Rigid *body);
/** About the world's origin. */
AfxVec3 rigid_momentum(const Rigid *body);
/** How far the held point is off. */
double rigid_gap(const Rigid *body);

#endif
