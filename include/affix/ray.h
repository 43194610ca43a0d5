/* SPDX-License-Identifier: Apache-2.0 */
/* affix/ray.h: rays against the shapes of a sim: range finders, picking, lines of sight.
 *
 *     AfxCasterDef def = afx_default_caster();
 *     AfxCaster *caster = NULL;
 *     afx_caster_create(&def, scene, &caster);
 *     AfxRay ray = afx_default_ray((AfxVec3){0, 0, 2}, (AfxVec3){0, 0, -1});
 *     AfxRayHit hit;
 *     afx_caster_cast(caster, sim, &ray, 1, &hit);
 *
 * Whether contact is on does not matter. Surfaces are met from both sides: a ray that begins inside a solid meets it
 * where it leaves. */
#ifndef AFFIX_RAY_H
#define AFFIX_RAY_H

#include "affix/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The shapes of a scene, laid out for rays; one for each thread. */
typedef struct AfxCaster AfxCaster;

typedef struct AfxCasterDef {
    uint32_t cookie; /* set by afx_default_caster */
    AfxAllocator allocator;
    bool visual; /* shapes for looks too (AfxShapeDef.visual); default false */
} AfxCasterDef;

#define AFX_RAY_NO_BODY 0xffffffffu

typedef struct AfxRay {
    AfxVec3 from;
    AfxVec3 direction; /* any length but 0 */
    double reach;      /* m; default INFINITY */
    uint32_t skip;     /* a body that the ray goes through, such as the one that carries it; default AFX_RAY_NO_BODY */
} AfxRay;

typedef struct AfxRayHit {
    double distance;       /* m from the ray's beginning; INFINITY: nothing within its reach */
    uint32_t body;         /* AFX_RAY_NO_BODY: none */
    uint32_t shape;        /* of that body, as in afx_scene_get_shape */
    AfxVec3 point, normal; /* world; the normal is a unit and points outward of the shape */
} AfxRayHit;

/** Shapes that collide, those for looks left out. */
AFX_API AfxCasterDef afx_default_caster(void);
/** A ray of infinite reach that skips nothing. */
AFX_API AfxRay afx_default_ray(AfxVec3 from, AfxVec3 direction);
/** Lays out the shapes of a scene, which is not kept. */
AFX_API AfxStatus afx_caster_create(const AfxCasterDef *def, const AfxScene *scene, AfxCaster **out_caster);
/** Frees it. NULL is allowed. */
AFX_API void afx_caster_destroy(AfxCaster *caster);
/** What each of `count` rays meets first, bodies being where they are now, strained as they are. Allocates nothing.
 * AFX_E_ARGUMENT when the sim has another number of bodies than the scene, or a ray is not one; nothing is written
 * then. */
AFX_API AfxStatus afx_caster_cast(AfxCaster *caster, const AfxSim *sim, const AfxRay *rays, uint32_t count,
                                  AfxRayHit *out_hits);

#ifdef __cplusplus
}
#endif
#endif
