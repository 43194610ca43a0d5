/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: definitions in and out. A definition is checked, then everything that may fail is done (room in the arrays,
 * copies), and only then is the scene changed. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "scene/check.h"
#include "scene/motion.h"
#include "scene/name.h"
#include "scene/shape.h"
#include "scene/store.h"

static const AfxBodyId no_body = {UINT32_MAX, 0};

AfxBodyDef afx_default_body(void) {
    return (AfxBodyDef){.cookie = AFXI_COOKIE,
                        .kind = AFX_BODY_DYNAMIC,
                        .pose = {.rotation = {1, 0, 0, 0}},
                        .mass_source = AFX_MASS_FROM_SHAPES,
                        .young = 1e9,
                        .poisson = 0.3,
                        .gravity = true,
                        .motion = {.axis = {0, 0, 1}}};
}

static AfxStatus check_material(const AfxiErrorPlace *place, const AfxBodyDef *d) {
    if (!(d->young > 0)) {
        return afxi_fail(place, AFX_E_INPUT, "its Young's modulus is not positive",
                         "give it in Pa, or INFINITY for an exactly rigid body");
    }
    if (!(d->poisson > -1 && d->poisson < 0.5)) {
        return afxi_fail(place, AFX_E_INPUT, "its Poisson's ratio is not between -1 and 0.5",
                         "most solids have 0.2 to 0.45");
    }
    AfxStatus status = afxi_check_number(place, d->linear_damping, "its linear damping");
    status = status ? status : afxi_check_number(place, d->angular_damping, "its angular damping");
    if (!status && (d->linear_damping < 0 || d->angular_damping < 0)) {
        return afxi_fail(place, AFX_E_INPUT, "its damping is negative", "give a rate of 0 or more, in 1/s");
    }
    return status;
}

static AfxStatus check_mass(const AfxiErrorPlace *place, const AfxBodyDef *d) {
    AfxStatus status = afxi_check_number(place, d->mass, "its mass");
    status = status ? status : afxi_check_vec3(place, d->center, "its centre of mass");
    if (status) {
        return status;
    }
    bool given = d->mass_source == AFX_MASS_GIVEN;
    if (d->mass < 0 || (d->mass == 0 && given && d->kind == AFX_BODY_DYNAMIC)) {
        return afxi_fail(place, AFX_E_INPUT, d->mass < 0 ? "its mass is negative" : "its mass is zero",
                         given ? "give a mass above 0 kg" : "give a mass above 0 kg, or 0 to take that of the shapes");
    }
    if (d->mass > 0) { /* a point of that mass: only the number itself can be out of range */
        AfxMass point = {.mass = d->mass, .center = d->center, .inertia = {1, 1, 1, 0, 0, 0}, .volume = 1};
        status = afxi_check_mass_range(place, &point);
    }
    if (status) {
        return status;
    }
    if (given) {
        return afxi_check_inertia(place, d->inertia);
    }
    for (int k = 0; k < 6 && !status; k++) {
        status = afxi_check_number(place, d->inertia[k], "its inertia");
    }
    return status;
}

static AfxiSceneMatter matter_of(const AfxBodyDef *d) {
    AfxiSceneMatter matter = {.mass = d->mass,
                              .center = d->center,
                              .young = d->young,
                              .poisson = d->poisson,
                              .linear_damping = d->linear_damping,
                              .angular_damping = d->angular_damping,
                              .kind = (uint32_t)d->kind,
                              .mass_source = (uint32_t)d->mass_source,
                              .gravity = d->gravity};
    memcpy(matter.inertia, d->inertia, sizeof matter.inertia);
    return matter;
}

/** Whether the last body that was added is of this matter: then it has been checked. */
static bool is_last_matter(const AfxScene *scene, const AfxBodyDef *d) {
    AfxiSceneMatter matter = matter_of(d);
    return scene->body_count > 0 &&
           memcmp(&matter, afxi_scene_matter(scene, scene->body_count - 1), sizeof matter) == 0;
}

/** Checks a definition but for its cookie; makes rotation and axis unit. */
static AfxStatus check_def(const AfxScene *scene, const AfxiErrorPlace *place, AfxBodyDef *d, uint32_t self) {
    if ((unsigned)d->kind > AFX_BODY_KINEMATIC) {
        return afxi_fail(place, AFX_E_INPUT, "its kind is not one of AfxBodyKind",
                         "give AFX_BODY_DYNAMIC, AFX_BODY_FIXED or AFX_BODY_KINEMATIC");
    }
    if ((unsigned)d->mass_source > AFX_MASS_GIVEN) {
        return afxi_fail(place, AFX_E_INPUT, "its mass source is not one of AfxMassSource",
                         "give AFX_MASS_FROM_SHAPES or AFX_MASS_GIVEN");
    }
    AfxStatus status = afxi_check_name(place, d->name, &scene->body_names, self);
    status = status ? status : afxi_check_pose(place, &d->pose, "its");
    status = status ? status : afxi_check_vec3(place, d->linear_velocity, "its linear velocity");
    status = status ? status : afxi_check_vec3(place, d->angular_velocity, "its angular velocity");
    if (!status && !is_last_matter(scene, d)) {
        status = check_mass(place, d);
        status = status ? status : check_material(place, d);
    }
    if (!status && d->kind == AFX_BODY_KINEMATIC) {
        status = afxi_check_motion(place, &d->motion);
    }
    return status;
}

static AfxStatus reserve_body(AfxScene *scene) {
    void *bodies = scene->bodies;
    AfxStatus status = afxi_array_reserve(&scene->allocator, &bodies, &scene->body_capacity, scene->body_count + 1,
                                          sizeof *scene->bodies);
    scene->bodies = bodies;
    return status;
}

static AfxStatus reserve_motion(AfxScene *scene) {
    void *motions = scene->motions;
    AfxStatus status = afxi_array_reserve(&scene->allocator, &motions, &scene->motion_capacity, scene->motion_count + 1,
                                          sizeof *scene->motions);
    scene->motions = motions;
    return status;
}

static void enter_motion(AfxScene *scene, uint32_t index, const AfxMotion *motion) {
    scene->bodies[index].motion = scene->motion_count;
    scene->motions[scene->motion_count++] = (AfxiSceneMotion){*motion, index};
}

/** Frees the motion of a body; the last one takes its place. */
static void remove_motion(AfxScene *scene, uint32_t index) {
    uint32_t gap = scene->bodies[index].motion;
    afxi_motion_free(scene, &scene->motions[gap].motion);
    scene->motions[gap] = scene->motions[--scene->motion_count];
    scene->bodies[scene->motions[gap].body].motion = gap;
    scene->bodies[index].motion = AFXI_NONE;
}

/** Room for a twist, and a place among the matters. `twist`: where the body has one already, or AFXI_NONE. */
static AfxStatus reserve_own(AfxScene *scene, const AfxBodyDef *d, uint32_t twist, AfxiSceneBody *out) {
    static const AfxTwist rest;
    AfxTwist own = {d->linear_velocity, d->angular_velocity};
    AfxiSceneMatter matter = matter_of(d);
    AfxStatus status = afxi_intern_growing(&scene->allocator, &scene->matters, &matter, &out->matter);
    out->pose = d->pose;
    out->twist = twist;
    if (twist == AFXI_NONE && memcmp(&own, &rest, sizeof own) != 0) {
        void *twists = scene->twists;
        status = status ? status
                        : afxi_array_reserve(&scene->allocator, &twists, &scene->twist_capacity, scene->twist_count + 1,
                                             sizeof *scene->twists);
        scene->twists = twists;
        out->twist = scene->twist_count;
    }
    return status;
}

/** Everything but name, shapes and motion; `own` has its places. */
static void fill(AfxScene *scene, AfxiSceneBody *body, const AfxBodyDef *d, const AfxiSceneBody *own) {
    body->pose = own->pose;
    body->matter = own->matter;
    body->twist = own->twist;
    if (own->twist != AFXI_NONE) {
        scene->twists[own->twist] = (AfxTwist){d->linear_velocity, d->angular_velocity};
        scene->twist_count += own->twist == scene->twist_count;
    }
}

AfxStatus afx_scene_add_body(AfxScene *scene, const AfxBodyDef *def, AfxBodyId *out_body) {
    if (out_body) {
        *out_body = no_body;
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    uint32_t index = scene->body_count;
    AfxiErrorPlace place = {scene->error, "body", NULL, index, AFXI_NONE};
    if (!def || !out_body) {
        return afxi_fail_null(&place, def ? "out_body" : "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_body");
    if (status) {
        return status;
    }
    AfxBodyDef d = *def;
    place.name = d.name;
    status = check_def(scene, &place, &d, AFXI_NONE);
    if (status) {
        return status;
    }
    bool moved = d.kind == AFX_BODY_KINEMATIC;
    AfxiSceneBody own;
    status = reserve_body(scene);
    status = status ? status : reserve_own(scene, &d, AFXI_NONE, &own);
    status = status ? status : afxi_name_reserve(scene, &scene->body_names, d.name);
    status = status || !moved ? status : reserve_motion(scene);
    status = status || !moved ? status : afxi_motion_copy(scene, &d.motion);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    AfxiSceneBody *body = scene->bodies + index;
    *body = (AfxiSceneBody){.first_shape = AFXI_NONE, .last_shape = AFXI_NONE, .motion = AFXI_NONE};
    fill(scene, body, &d, &own);
    scene->body_count++;
    body->name = afxi_name_enter(scene, &scene->body_names, d.name, index);
    if (moved) {
        enter_motion(scene, index, &d.motion);
    }
    *out_body = (AfxBodyId){index, scene->id};
    return AFX_OK;
}

uint32_t afx_scene_body_count(const AfxScene *scene) {
    return scene ? scene->body_count : 0;
}

AfxBodyId afx_scene_body(const AfxScene *scene, uint32_t index) {
    return scene && index < scene->body_count ? (AfxBodyId){index, scene->id} : no_body;
}

AfxStatus afx_scene_find_body(const AfxScene *scene, const char *name, AfxBodyId *out_body) {
    if (out_body) {
        *out_body = no_body;
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "body", name, AFXI_NONE, AFXI_NONE};
    if (!name || !out_body) {
        return afxi_fail_null(&place, name ? "out_body" : "name");
    }
    uint32_t index = afxi_names_find(&scene->body_names, name);
    if (index == AFXI_NONE) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no body of this name", "check the spelling");
    }
    *out_body = (AfxBodyId){index, scene->id};
    return AFX_OK;
}

const char *afx_scene_body_name(const AfxScene *scene, AfxBodyId body) {
    if (!scene || afxi_check_body(scene, body)) {
        return NULL;
    }
    const char *name = scene->bodies[body.index].name;
    return name ? name : "";
}

AfxStatus afx_scene_get_body(const AfxScene *scene, AfxBodyId body, AfxBodyDef *out_def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = afxi_check_body(scene, body);
    if (status) {
        return status;
    }
    if (!out_def) {
        AfxiErrorPlace place = afxi_body_place(scene, body.index);
        return afxi_fail_null(&place, "out_def");
    }
    const AfxiSceneBody *b = scene->bodies + body.index;
    const AfxiSceneMatter *matter = afxi_scene_matter(scene, body.index);
    AfxTwist twist = afxi_scene_twist(scene, body.index);
    AfxBodyDef d = afx_default_body();
    d.name = b->name;
    d.kind = (AfxBodyKind)matter->kind;
    d.pose = b->pose;
    d.linear_velocity = twist.linear;
    d.angular_velocity = twist.angular;
    d.mass_source = (AfxMassSource)matter->mass_source;
    d.mass = matter->mass;
    d.center = matter->center;
    memcpy(d.inertia, matter->inertia, sizeof d.inertia);
    d.young = matter->young;
    d.poisson = matter->poisson;
    d.gravity = matter->gravity != 0;
    d.linear_damping = matter->linear_damping;
    d.angular_damping = matter->angular_damping;
    if (b->motion != AFXI_NONE) {
        d.motion = scene->motions[b->motion].motion;
    }
    *out_def = d;
    return AFX_OK;
}

/** Replaces the name of a body; room is reserved. */
static void rename_body(AfxScene *scene, uint32_t index, const char *name) {
    AfxiSceneBody *body = scene->bodies + index;
    if (body->name) {
        afxi_names_remove(&scene->body_names, body->name);
    }
    body->name = afxi_name_enter(scene, &scene->body_names, name, index);
}

AfxStatus afx_scene_set_body(AfxScene *scene, AfxBodyId body, const AfxBodyDef *def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = afxi_check_body(scene, body);
    if (status) {
        return status;
    }
    AfxiErrorPlace place = afxi_body_place(scene, body.index);
    if (!def) {
        return afxi_fail_null(&place, "def");
    }
    status = afxi_check_cookie(&place, def->cookie, "afx_default_body");
    if (status) {
        return status;
    }
    AfxBodyDef d = *def;
    status = check_def(scene, &place, &d, body.index);
    if (status) {
        return status;
    }
    status = afxi_shapes_fit(scene, body.index, d.kind, d.mass_source);
    if (status) {
        return status;
    }
    AfxiSceneBody *b = scene->bodies + body.index;
    bool moved = d.kind == AFX_BODY_KINEMATIC;
    bool renamed = strcmp(d.name ? d.name : "", b->name ? b->name : "") != 0;
    AfxiSceneBody own;
    status = reserve_own(scene, &d, b->twist, &own);
    status = status || !renamed ? status : afxi_name_reserve(scene, &scene->body_names, d.name);
    status = status || !moved ? status : reserve_motion(scene);
    status = status || !moved ? status : afxi_motion_copy(scene, &d.motion);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    fill(scene, b, &d, &own);
    if (renamed) {
        rename_body(scene, body.index, d.name);
    }
    if (b->motion != AFXI_NONE) {
        remove_motion(scene, body.index);
    }
    if (moved) {
        enter_motion(scene, body.index, &d.motion);
    }
    return AFX_OK;
}

AfxStatus afx_scene_make_rigid(AfxScene *scene) {
    AfxStatus status = scene ? AFX_OK : AFX_E_ARGUMENT;
    uint32_t count = afx_scene_body_count(scene);
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        AfxBodyDef body;
        AfxBodyId id = afx_scene_body(scene, k);
        status = afx_scene_get_body(scene, id, &body);
        if (status == AFX_OK && !isinf(body.young)) {
            body.young = INFINITY;
            status = afx_scene_set_body(scene, id, &body);
        }
    }
    return status;
}
