/* SPDX-License-Identifier: Apache-2.0 */
/* The scene as a whole: making and freeing it, its names, gravity, the last error. */
#include "scene/scene.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/released.h"
#include "base/status.h"
#include "math/vec3.h"
#include "scene/check.h"
#include "scene/material.h"
#include "scene/mesh.h"
#include "scene/motion.h"
#include "scene/name.h"
#include "scene/robot.h"
#include "scene/sensor.h"
#include "scene/store.h"
#include "scene/table.h"

AfxSceneDef afx_default_scene(void) {
    return (AfxSceneDef){
        .cookie = AFXI_COOKIE, .allocator = afx_default_allocator(), .log = {NULL, NULL}, .gravity = {0, 0, -9.81}};
}

/** Differs between scenes, also between those that lived at one address after another; never 0. */
static uint32_t make_id(const AfxScene *scene) {
    uintptr_t address = (uintptr_t)scene;
    double now = afxi_clock();
    uint64_t hash = afxi_hash(AFXI_HASH_START, &address, sizeof address);
    hash = afxi_hash(hash, &now, sizeof now);
    uint32_t id = (uint32_t)(hash ^ (hash >> 32));
    return id ? id : 1;
}

static void prepare_tables(AfxScene *scene) {
    scene->matters.item_size = sizeof(AfxiSceneMatter);
    scene->shapes.item_size = sizeof(AfxiSceneShape);
    scene->fits.item_size = sizeof(AfxiSceneFit);
}

AfxStatus afx_scene_create(const AfxSceneDef *def, AfxScene **out_scene) {
    if (!out_scene) {
        return AFX_E_ARGUMENT;
    }
    *out_scene = NULL;
    if (!def) {
        return AFX_E_ARGUMENT;
    }
    if (def->cookie != AFXI_COOKIE) {
        return AFX_E_VERSION;
    }
    if (!def->allocator.reallocate) {
        return AFX_E_ARGUMENT;
    }
    if (!vec3_finite(def->gravity)) {
        return AFX_E_INPUT;
    }
    AfxScene *scene = afxi_allocate(&def->allocator, sizeof *scene);
    AfxError *error = scene ? afxi_allocate(&def->allocator, sizeof *error) : NULL;
    if (!error) {
        afxi_release(&def->allocator, scene, sizeof *scene);
        return AFX_E_MEMORY;
    }
    prepare_tables(scene);
    scene->allocator = def->allocator;
    scene->log = def->log;
    scene->gravity = def->gravity;
    scene->contact = true;
    scene->first_material = afxi_material_first();
    scene->id = make_id(scene);
    scene->error = error;
    *out_scene = scene;
    return AFX_OK;
}

/** Frees all that is in the scene, but not the scene; its fields still say what was there. */
static void release_contents(AfxScene *scene) {
    AfxAllocator allocator = scene->allocator;
    for (uint32_t k = 0; k < scene->motion_count; k++) {
        afxi_motion_free(scene, &scene->motions[k].motion);
    }
    for (uint32_t k = 0; k < scene->drive_count; k++) {
        afxi_signal_free(scene, &scene->drives[k].target);
        afxi_tables_free(scene, &scene->drives[k].spring_table, &scene->drives[k].damper_table);
    }
    for (uint32_t k = 0; k < scene->wrench_signal_count; k++) {
        for (int c = 0; c < 6; c++) {
            afxi_signal_free(scene, &scene->wrench_signals[k].of[c]);
        }
    }
    for (uint32_t k = 0; k < scene->spring_count; k++) {
        afxi_tables_free(scene, &scene->springs[k].spring_table, &scene->springs[k].damper_table);
    }
    for (uint32_t k = 0; k < scene->mesh_count; k++) {
        afxi_mesh_free(scene, &scene->meshes[k]);
    }
    for (uint32_t k = 0; k < scene->texture_count; k++) {
        afxi_release(&allocator, scene->textures[k].data, scene->textures[k].size);
    }
    afxi_release(&allocator, scene->textures, scene->texture_capacity * sizeof *scene->textures);
    afxi_release(&allocator, scene->bodies, scene->body_capacity * sizeof *scene->bodies);
    afxi_release(&allocator, scene->twists, scene->twist_capacity * sizeof *scene->twists);
    afxi_release(&allocator, scene->uses, scene->use_capacity * sizeof *scene->uses);
    afxi_intern_release(&allocator, &scene->matters);
    afxi_intern_release(&allocator, &scene->shapes);
    afxi_intern_release(&allocator, &scene->fits);
    afxi_release(&allocator, scene->meshes, scene->mesh_capacity * sizeof *scene->meshes);
    afxi_release(&allocator, scene->motions, scene->motion_capacity * sizeof *scene->motions);
    afxi_release(&allocator, scene->markers, scene->marker_capacity * sizeof *scene->markers);
    afxi_release(&allocator, scene->wrenches, scene->wrench_capacity * sizeof *scene->wrenches);
    afxi_release(&allocator, scene->wrench_signals, scene->wrench_signal_capacity * sizeof *scene->wrench_signals);
    afxi_release(&allocator, scene->joints, scene->joint_capacity * sizeof *scene->joints);
    afxi_release(&allocator, scene->joint_springs, scene->joint_spring_capacity * sizeof *scene->joint_springs);
    afxi_release(&allocator, scene->armatures, scene->armature_capacity * sizeof *scene->armatures);
    afxi_release(&allocator, scene->drives, scene->drive_capacity * sizeof *scene->drives);
    for (uint32_t k = 0; k < scene->coupling_count; k++) {
        AfxiSceneCoupling *coupling = scene->couplings + k;
        afxi_release(&allocator, coupling->path, coupling->path_count * sizeof *coupling->path);
    }
    afxi_release(&allocator, scene->couplings, scene->coupling_capacity * sizeof *scene->couplings);
    afxi_release(&allocator, scene->springs, scene->spring_capacity * sizeof *scene->springs);
    afxi_release(&allocator, scene->materials, scene->material_capacity * sizeof *scene->materials);
    afxi_release(&allocator, scene->pairs, scene->pair_capacity * sizeof *scene->pairs);
    afxi_release(&allocator, scene->exclusions, scene->exclusion_capacity * sizeof *scene->exclusions);
    afxi_names_free(&scene->body_names, &allocator);
    afxi_names_free(&scene->marker_names, &allocator);
    afxi_names_free(&scene->joint_names, &allocator);
    afxi_names_free(&scene->drive_names, &allocator);
    afxi_names_free(&scene->coupling_names, &allocator);
    afxi_names_free(&scene->spring_names, &allocator);
    afxi_names_free(&scene->material_names, &allocator);
    afxi_robot_release(scene);
    afxi_sensors_release(scene);
    afxi_texts_free(&scene->texts, &allocator);
}

void afx_scene_destroy(AfxScene *scene) {
    if (!scene) {
        return;
    }
    AFXI_ASSERT_ALIVE(scene);
    AfxAllocator allocator = scene->allocator;
    release_contents(scene);
    afxi_release(&allocator, scene->error, sizeof *scene->error);
    afxi_release(&allocator, scene, sizeof *scene);
}

void afx_scene_clear(AfxScene *scene) {
    if (!scene) {
        return;
    }
    uint32_t old_id = scene->id;
    release_contents(scene);
    *scene = (AfxScene){.allocator = scene->allocator,
                        .log = scene->log,
                        .gravity = scene->gravity,
                        .contact = scene->contact,
                        .first_material = afxi_material_first(),
                        .id = make_id(scene),
                        .error = scene->error};
    prepare_tables(scene);
    if (scene->id == old_id) { /* within one tick of the clock */
        scene->id = old_id + 1 ? old_id + 1 : 1;
    }
}

const AfxError *afx_scene_error(const AfxScene *scene) {
    return scene ? scene->error : NULL;
}

AfxVec3 afx_scene_gravity(const AfxScene *scene) {
    return scene ? scene->gravity : vec3(0, 0, 0);
}

AfxStatus afx_scene_set_gravity(AfxScene *scene, AfxVec3 gravity) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = afxi_scene_place(scene);
    AfxStatus status = afxi_check_vec3(&place, gravity, "gravity");
    if (!status) {
        scene->gravity = gravity;
    }
    return status;
}
