/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the free-body kernel, and the consistent acceleration that integrators start from.
 *
 * A free body's acceleration is that of the rigid motion: R^T A'' = W² + skew(alpha), W = skew(R^T A'), where
 * the virtual work of every rotation vanishes:
 *     J alpha = 2 axial(G - W² S),  J = tr(S) I - S,
 * G the generalised forces on A in the body's axes. */
#include "body/free.h"

#include <string.h>

#include "math/polar.h"
#include "math/variant.h"

extern AfxiFreeKernel afxi_free_step_base_1, afxi_free_step_base_2;
#ifdef AFXI_X86_VARIANTS
extern AfxiFreeKernel afxi_free_step_avx2_1, afxi_free_step_avx2_2, afxi_free_step_avx2_4, afxi_free_step_avx2_8,
    afxi_free_step_avx512_8;
#endif

static AfxiFreeVariant base_variant(uint32_t lanes) {
    switch (lanes) {
    case 1:
        return (AfxiFreeVariant){afxi_free_step_base_1, 1, "base"};
    case 0:
    case 2:
        return (AfxiFreeVariant){afxi_free_step_base_2, 2, "base"};
    default:
        return (AfxiFreeVariant){NULL, 0, "none"};
    }
}

#ifdef AFXI_X86_VARIANTS
static AfxiFreeVariant avx2_variant(uint32_t lanes) {
    switch (lanes) {
    case 1:
        return (AfxiFreeVariant){afxi_free_step_avx2_1, 1, "avx2"};
    case 2:
        return (AfxiFreeVariant){afxi_free_step_avx2_2, 2, "avx2"};
    case 0:
    case 4:
        return (AfxiFreeVariant){afxi_free_step_avx2_4, 4, "avx2"};
    case 8:
        return (AfxiFreeVariant){afxi_free_step_avx2_8, 8, "avx2"};
    default:
        return (AfxiFreeVariant){NULL, 0, "none"};
    }
}
#endif

AfxiFreeVariant afxi_free_variant(uint32_t lanes) {
#ifdef AFXI_X86_VARIANTS
    if (afxi_instructions() >= AFXI_INSTRUCTIONS_AVX512 && (lanes == 0 || lanes == 8)) {
        return (AfxiFreeVariant){afxi_free_step_avx512_8, 8, "avx512"};
    }
    if (afxi_instructions() >= AFXI_INSTRUCTIONS_AVX2) {
        return avx2_variant(lanes);
    }
#endif
    return base_variant(lanes);
}

AfxiMat3 afxi_free_forces(const AfxiFreeForce *force, const AfxiMat3 *r, AfxVec3 *out_force) {
    AfxiMat3 world, body;
    memcpy(world.m, force->world, sizeof world.m);
    memcpy(body.m, force->body, sizeof body.m);
    AfxiMat3 g = mat3_multiply_tn(r, &world);
    AfxiMat3 torque = mat3_skew(vec3_scale(0.5, mat3_apply_transposed(r, vec3_load(force->torque))));
    for (int k = 0; k < 9; k++) {
        g.m[k] += body.m[k] + torque.m[k];
    }
    *out_force = vec3_add(vec3_load(force->force), mat3_apply(r, vec3_load(force->body_force)));
    return g;
}

void afxi_free_acceleration(const AfxiBodyClass *body, const double *q, const double *v, const double gravity[3],
                            const AfxiFreeForce *force, double *out) {
    AfxiMat3 a;
    memcpy(a.m, q, sizeof a.m);
    AfxiMat3 r = afxi_rotation_part(&a, NULL);
    afxi_free_acceleration_at(body, &r, v, gravity, force, out);
}

void afxi_free_acceleration_at(const AfxiBodyClass *body, const AfxiMat3 *frame, const double *v,
                               const double gravity[3], const AfxiFreeForce *force, double *out) {
    AfxiMat3 r = *frame, rate;
    memcpy(rate.m, v, sizeof rate.m);
    AfxiMat3 local = mat3_multiply_tn(&r, &rate);
    AfxiMat3 spin = mat3_skew(mat3_axial(&local));
    AfxiMat3 spin_squared = mat3_multiply(&spin, &spin);
    AfxVec3 applied = vec3(0, 0, 0);
    AfxiMat3 g = {{0}};
    if (force) {
        g = afxi_free_forces(force, &r, &applied);
    }
    const double *s = body->s;
    for (int k = 0; k < 9; k++) {
        g.m[k] -= s[k / 3] * (spin_squared.m[k] + body->angular_damping * local.m[k]);
    }
    AfxVec3 turn = vec3_scale(2, mat3_axial(&g));
    AfxiMat3 alpha = mat3_skew(vec3(turn.x / (s[1] + s[2]), turn.y / (s[0] + s[2]), turn.z / (s[0] + s[1])));
    for (int k = 0; k < 9; k++) {
        alpha.m[k] += spin_squared.m[k];
    }
    AfxiMat3 result = mat3_multiply(&r, &alpha);
    memcpy(out, result.m, sizeof result.m);
    AfxVec3 linear = vec3_mad(vec3_scale(1 / body->mass, applied), body->gravity, vec3_load(gravity));
    vec3_store(out + 9, vec3_mad(linear, -body->linear_damping, vec3_load(v + 9)));
}
