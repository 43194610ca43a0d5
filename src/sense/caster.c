/* SPDX-License-Identifier: Apache-2.0 */
/* Rays against the shapes of a scene (collide/cast.h), bodies being where a sim has them. */
#include <math.h>

#include "affix/ray.h"
#include "base/memory.h"
#include "base/status.h"
#include "collide/cast.h"
#include "model/contacts.h"
#include "scene/scene.h"

struct AfxCaster {
    AfxAllocator allocator;
    AfxiCast cast;
};

AfxCasterDef afx_default_caster(void) {
    return (AfxCasterDef){.cookie = AFXI_COOKIE, .allocator = afx_default_allocator()};
}

AfxRay afx_default_ray(AfxVec3 from, AfxVec3 direction) {
    return (AfxRay){.from = from, .direction = direction, .reach = INFINITY, .skip = AFX_RAY_NO_BODY};
}

/* Geometries go by the scene's own shapes, of which each is kept once. */
static AfxStatus add_items(AfxiCast *cast, const AfxScene *scene, bool visual) {
    AfxStatus status = AFX_OK;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        uint32_t number = 0;
        for (uint32_t use = scene->bodies[body].first_shape; use != AFXI_NONE && status == AFX_OK;
             use = scene->uses[use].next, number++) {
            const AfxiSceneShape *shape = afxi_scene_shape(scene, use);
            if (visual || !shape->visual) {
                AfxiContactGeometry source = afxi_contact_geometry(scene, shape);
                AfxiMat3 turn = mat3_from_quat(shape->pose.rotation);
                status =
                    afxi_cast_add(cast, body, number, scene->uses[use].shape, &source, &turn, shape->pose.position);
            }
        }
    }
    return status;
}

AfxStatus afx_caster_create(const AfxCasterDef *def, const AfxScene *scene, AfxCaster **out_caster) {
    if (out_caster) {
        *out_caster = NULL;
    }
    if (!def || def->cookie != AFXI_COOKIE || !scene || !out_caster) {
        return AFX_E_ARGUMENT;
    }
    AfxCaster *caster = afxi_allocate(&def->allocator, sizeof *caster);
    if (!caster) {
        return AFX_E_MEMORY;
    }
    caster->allocator = def->allocator;
    AfxStatus status = afxi_cast_reserve(&caster->cast, &def->allocator, scene->body_count, scene->shapes.count);
    status = status == AFX_OK ? add_items(&caster->cast, scene, def->visual) : status;
    if (status != AFX_OK) {
        afx_caster_destroy(caster);
        return status;
    }
    *out_caster = caster;
    return AFX_OK;
}

void afx_caster_destroy(AfxCaster *caster) {
    if (caster) {
        AfxAllocator allocator = caster->allocator;
        afxi_cast_destroy(&caster->cast);
        afxi_release(&allocator, caster, sizeof *caster);
    }
}

/* ---- rays ---- */

static AfxStatus place_bodies(AfxiCast *cast, const AfxSim *sim) {
    static const AfxVec3 rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (uint32_t k = 0; k < cast->bodies; k++) {
        AfxVec3 at[4];
        AfxStatus status = afx_sim_control_points(sim, k, rest, at, NULL);
        if (status != AFX_OK) {
            return status;
        }
        AfxiMat3 a = mat3_from_columns(vec3_sub(at[1], at[0]), vec3_sub(at[2], at[0]), vec3_sub(at[3], at[0]));
        afxi_cast_place(cast, k, &a, at[0]);
    }
    afxi_cast_move(cast, afx_sim_time(sim));
    return AFX_OK;
}

static bool is_ray(const AfxRay *ray) {
    double length = vec3_length(ray->direction);
    return vec3_finite(ray->from) && length > 0 && isfinite(length) && ray->reach >= 0;
}

AfxStatus afx_caster_cast(AfxCaster *caster, const AfxSim *sim, const AfxRay *rays, uint32_t count,
                          AfxRayHit *out_hits) {
    if (!caster || !sim || (count && (!rays || !out_hits)) ||
        afx_model_body_count(afx_sim_model(sim)) != caster->cast.bodies) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!is_ray(&rays[k])) {
            return AFX_E_ARGUMENT;
        }
    }
    AfxStatus status = place_bodies(&caster->cast, sim);
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        afxi_cast_ray(&caster->cast, &rays[k], &out_hits[k]);
    }
    return status;
}
