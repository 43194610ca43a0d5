/* SPDX-License-Identifier: Apache-2.0 */
/* affix/contact.h: authoring of contact: materials, and which shapes may collide.
 *
 * Shapes of different bodies may collide when all of this holds:
 *   - contact is switched on for the scene (it is by default), and neither shape is visual;
 *   - one of the bodies is dynamic;
 *   - the pair of bodies is not excluded, no joint whose AfxJointDef.contact is false ties them together, and no chain
 * of such joints does so at one point or, of hinges, on one axis that both reach: rods on one crank pin;
 *   - (a.contact_group & b.contact_mask) || (b.contact_group & a.contact_mask).
 *
 * Ground is a shape of a fixed body:
 *
 *     AfxBodyDef ground = afx_default_body();
 *     ground.kind = AFX_BODY_FIXED;
 *     afx_scene_add_body(scene, &ground, &id);
 *     AfxShapeDef plane = afx_default_plane();
 *     afx_scene_add_shape(scene, id, &plane); */
#ifndef AFFIX_CONTACT_H
#define AFFIX_CONTACT_H

#include "affix/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- materials ---- */

/** What a surface brings to a contact. */
typedef struct AfxMaterialDef {
    uint32_t cookie;           /* set by afx_default_material */
    const char *name;          /* optional, unique when given; copied */
    double friction;           /* Coulomb's coefficient, >= 0; default 0.5 */
    double restitution;        /* 0 .. 1, of the speed of approach; default 0 */
    double rolling_friction;   /* m: resists rolling with this lever of the normal force; default 0 */
    double torsional_friction; /* m: the same against spinning about the normal; default 0 */
    double
        stiffness; /* N/m of one contact; 0 (default): 2000 m/dt²; between two moving bodies half that of the heavier */
    double damping;          /* N s/m of one contact, with a stiffness; default 0 */
    double impedance[5];     /* makes a contact stiffer the deeper it is; default all 0: it does not */
    double friction_damping; /* N s/m: below its limit friction is a damper; default 0: what sticks stays */
    double margin;           /* m: it touches from this far on; default 0 */
} AfxMaterialDef;

/* With an impedance {first, last, depth, middle, power} the normal force at depth r is
 *     N = d/(1 - d) (d stiffness r + damping r'),
 * at least 0, with d(r) going from first (r = 0) to last (r >= depth), both within 0.0001 .. 0.9999: by x = r/depth it
 * is first + (last - first) y, y = x^power/middle^(power - 1) up to x = middle and 1 - (1 - x)^power/(1 -
 * middle)^(power - 1) beyond. That is MuJoCo's solimp, with stiffness and damping from solref and the inverse weight of
 * the bodies. A stiffness that the step cannot tell from rigid acts as the default one.
 *
 * With a friction damping c a point that sticks creeps by F/c under a force F, with an impedance by F (1 - d)/(c d).
 * With a margin the depth is that of surfaces which stand out by it: a ball rests its margin above the ground. */

/* The most materials that a scene can have: a model has a set of numbers for each pair of them. */
#define AFX_MATERIALS_MOST 1024

/** Friction 0.5, no restitution, no rolling or torsional friction, the default stiffness. */
AFX_API AfxMaterialDef afx_default_material(void);
/** Adds a material. Material 0, nameless and with the default numbers, is there from the beginning; shapes have it
 * unless they name another. */
AFX_API AfxStatus afx_scene_add_material(AfxScene *scene, const AfxMaterialDef *def, AfxMaterialId *out_material);
/** Replaces a material's definition; shapes and pairs stay. */
AFX_API AfxStatus afx_scene_set_material(AfxScene *scene, AfxMaterialId material, const AfxMaterialDef *def);
/** Number of materials, at least 1. */
AFX_API uint32_t afx_scene_material_count(const AfxScene *scene);
/** The id of material `index` in authoring order; an id that is not valid when out of range. */
AFX_API AfxMaterialId afx_scene_material(const AfxScene *scene, uint32_t index);
/** Finds a material by name; AFX_E_ARGUMENT when there is none. */
AFX_API AfxStatus afx_scene_find_material(const AfxScene *scene, const char *name, AfxMaterialId *out_material);
/** Reads a material's definition back (its name points into the scene). */
AFX_API AfxStatus afx_scene_get_material(const AfxScene *scene, AfxMaterialId material, AfxMaterialDef *out_def);

/** What two materials give where nothing was said of the pair: friction is the geometric mean; restitution, rolling and
 * torsional friction are the larger ones; stiffnesses act in series, k = k_a k_b / (k_a + k_b), and where one is 0 it
 * is the other; so do dampings, of friction too; impedances are the means, and where one is all 0 it is the other;
 * margins add up. Symmetric. No name. */
AFX_API AfxMaterialDef afx_material_combine(const AfxMaterialDef *a, const AfxMaterialDef *b);
/** Numbers for a pair of materials (also of one with itself), in either order, instead of afx_material_combine's; the
 * definition's name is not used. A pair that is set again is replaced. */
AFX_API AfxStatus afx_scene_set_material_pair(AfxScene *scene, AfxMaterialId a, AfxMaterialId b,
                                              const AfxMaterialDef *def);
/** Number of pairs that afx_scene_set_material_pair has set. */
AFX_API uint32_t afx_scene_material_pair_count(const AfxScene *scene);
/** Reads pair `index` back, in the order in which the pairs were first set. */
AFX_API AfxStatus afx_scene_get_material_pair(const AfxScene *scene, uint32_t index, AfxMaterialId *out_a,
                                              AfxMaterialId *out_b, AfxMaterialDef *out_def);

/* ---- which pairs collide ---- */

/** Excludes two bodies from collision, in whatever order they are given; excluding them twice does no harm. */
AFX_API AfxStatus afx_scene_exclude_contact(AfxScene *scene, AfxBodyId a, AfxBodyId b);
/** Number of pairs of bodies that were excluded. */
AFX_API uint32_t afx_scene_exclusion_count(const AfxScene *scene);
/** The bodies of exclusion `index`, as they were given. */
AFX_API AfxStatus afx_scene_get_exclusion(const AfxScene *scene, uint32_t index, AfxBodyId *out_a, AfxBodyId *out_b);

/** Switches contact for the whole scene. Like gravity, it stays when the scene is cleared. */
AFX_API AfxStatus afx_scene_set_contact(AfxScene *scene, bool on);
/** Whether it is on; default true. */
AFX_API bool afx_scene_contact(const AfxScene *scene);

#ifdef __cplusplus
}
#endif
#endif
