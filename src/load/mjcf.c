/* SPDX-License-Identifier: Apache-2.0 */
/* MJCF (mujoco.readthedocs.io, XML reference) into a scene: the stages in their order. */
#include "load/mjcf.h"

#include <locale.h>

#include "base/memory.h"
#include "scene/name.h"

/* Bodies inside bodies and files inside files, whatever the caller allows: the tree is walked by recursion. */
#define DEPTH_MOST 1000u

static bool load_model(AfxiMjcf *m, const AfxiText *text, const char *path) {
    return afxi_mjcf_open(m, text, path, NULL, &m->main) && afxi_mjcf_read_options(m) && afxi_mjcf_read_tree(m) &&
           afxi_mjcf_weigh_bodies(m) && afxi_mjcf_find_start(m) && afxi_mjcf_add_bodies(m) &&
           afxi_mjcf_add_materials(m) && afxi_mjcf_add_shapes(m) && afxi_mjcf_add_exclusions(m) &&
           afxi_mjcf_add_joints(m) && afxi_mjcf_add_coordinates(m) && afxi_mjcf_add_tendons(m) &&
           afxi_mjcf_add_equalities(m) && afxi_mjcf_add_actuators(m) && afxi_mjcf_add_sensors(m) &&
           afxi_mjcf_add_keyframes(m) && afxi_mjcf_add_cameras(m) && afxi_mjcf_tell_unused(m);
}

static void release(AfxiMjcf *m) {
    const AfxAllocator *allocator = &m->load->allocator;
    for (AfxiMjcfModel *model = m->models; model; model = model->next) {
        for (uint32_t k = 0; k < model->mesh_count; k++) {
            afxi_mesh_free_data(m->load, &model->meshes[k].data);
        }
        afxi_release(allocator, model->class_table, model->class_capacity * sizeof *model->class_table);
        afxi_names_free(&model->class_names, allocator);
        afxi_names_free(&model->mesh_names, allocator);
        afxi_names_free(&model->hfield_names, allocator);
        afxi_names_free(&model->look_names, allocator);
        afxi_names_free(&model->texture_names, allocator);
    }
    afxi_release(allocator, m->control_place, m->control_capacity * sizeof *m->control_place);
    afxi_release(allocator, m->bodies, m->body_capacity * sizeof *m->bodies);
    afxi_release(allocator, m->joints, m->joint_capacity * sizeof *m->joints);
    afxi_release(allocator, m->geoms, m->geom_capacity * sizeof *m->geoms);
    afxi_release(allocator, m->cameras, m->camera_capacity * sizeof *m->cameras);
    afxi_release(allocator, m->sites, m->site_capacity * sizeof *m->sites);
    afxi_release(allocator, m->tendons, m->tendon_capacity * sizeof *m->tendons);
    afxi_release(allocator, m->materials, m->material_capacity * sizeof *m->materials);
    afxi_release(allocator, m->pairs, m->pair_capacity * sizeof *m->pairs);
    afxi_release(allocator, m->instances, m->instance_capacity * sizeof *m->instances);
    afxi_release(allocator, m->suffixes, m->suffix_capacity * sizeof *m->suffixes);
    afxi_names_free(&m->body_names, allocator);
    afxi_names_free(&m->joint_names, allocator);
    afxi_names_free(&m->geom_names, allocator);
    afxi_names_free(&m->site_names, allocator);
    afxi_names_free(&m->tendon_names, allocator);
    afxi_names_free(&m->suffix_names, allocator);
    afxi_xml_free(m->load, &m->arena);
}

bool afxi_load_mjcf(AfxiLoad *load, const AfxiText *text, const char *path) {
    AfxiMjcf m = {.load = load, .depth_most = load->def->depth_most < DEPTH_MOST ? load->def->depth_most : DEPTH_MOST};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    bool good = load_model(&m, text, path);
    uselocale(before);
    freelocale(plain);
    release(&m);
    return good;
}
