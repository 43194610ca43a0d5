/* SPDX-License-Identifier: Apache-2.0 */
/* SDF (Simulation Description Format, sdformat.org) into a scene: models with their links and joints, in a world or by
 * themselves, nested and included. Whatever was not asked for by then is told. */
#include "load/sdf.h"

#include <locale.h>

#include "base/memory.h"

static const AfxiXmlReason reasons[] = {
    {"plugin", NULL, "settings of another program"},
    {"physics", NULL, "the step and its method are settings of the sim"},
    {"light", NULL, "there are no lights"},
    {"scene", NULL, "it is about looks"},
    {"gui", NULL, "settings of another program"},
    {"sensor", NULL, "sensors of SDF are not read"},
    {"actor", NULL, "there are no actors"},
    {"atmosphere", NULL, "there is no air"},
    {"wind", NULL, "there is no air"},
    {"audio", NULL, "settings of another program"},
    {"spherical_coordinates", NULL, "there is no globe"},
    {"battery", NULL, "there are no batteries"},
    {"particle_emitter", NULL, "it is about looks"},
    {"joint", "gearbox_ratio", "gear boxes are not read"},
    {"link", "self_collide", "bodies collide unless a joint is between them"},
    {"link", "kinematic", "it moves as others do"},
    {"model", "self_collide", "bodies collide unless a joint is between them"},
    {"model", "allow_auto_disable", "bodies do not sleep"},
    {"limit", "velocity", "no drive limits the speed of a joint"},
    {"limit", "*", "limits are exact"},
    {"material", "*", "a material is its diffuse colour"},
    {"material", NULL, "a material is its diffuse colour"},
    {"script", NULL, "a material is its diffuse colour"},
    {"ode", NULL, "settings of another engine"},
    {"ode", "*", "settings of another engine"},
    {"bullet", NULL, "settings of another engine"},
    {"surface", "*", "contact is that of materials"},
    {"torsional", NULL, "there is sliding friction only"},
    {"contact", NULL, "contact is that of materials"},
    {"sdf", "*", "all versions are read alike"},
};

static bool add_parts(AfxiSdf *sdf) {
    for (uint32_t k = 0; k < sdf->count; k++) {
        if (sdf->frames[k].kind == AFXI_SDF_LINK && !afxi_sdf_add_link(sdf, sdf->frames + k)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < sdf->count; k++) {
        AfxiSdfFrame *frame = sdf->frames + k;
        if (frame->kind == AFXI_SDF_JOINT && !afxi_sdf_add_joint(sdf, frame)) {
            return false;
        }
        AfxMarkerId marker;
        bool marked = frame->kind == AFXI_SDF_FRAME && frame->link != AFXI_SDF_NONE && frame->link != 0;
        if (marked) {
            AfxPose in = afx_pose_compose(afx_pose_invert(sdf->frames[frame->link].world), frame->world);
            if (afx_scene_add_marker(sdf->urdf.load->scene, sdf->frames[frame->link].body, frame->name, in.position,
                                     &marker) != AFX_OK) {
                return afxi_load_scene_error(sdf->urdf.load, frame->node->file, frame->node->line);
            }
        }
    }
    return true;
}

/** Friction 1, as SDF has it where a surface says nothing. */
static bool set_default(AfxiSdf *sdf) {
    AfxMaterialDef def = afx_default_material();
    AfxScene *scene = sdf->urdf.load->scene;
    def.friction = 1;
    return afx_scene_set_material(scene, afx_scene_material(scene, 0), &def) == AFX_OK ||
           afxi_load_scene_error(sdf->urdf.load, sdf->urdf.path, 0);
}

static bool load_file(AfxiSdf *sdf, const AfxiText *text) {
    AfxiLoad *load = sdf->urdf.load;
    AfxiXmlNode *root;
    if (!afxi_xml_parse_values(load, &sdf->urdf.arena, text, sdf->urdf.path, &root)) {
        return false;
    }
    if (!afxi_xml_is(root, "sdf")) {
        return afxi_xml_error(load, root, NULL, "the first element is not sdf", "give an SDF file");
    }
    root->used = true;
    afxi_xml_text(root, "version");
    sdf->roots[sdf->root_count++] = root;
    if (!set_default(sdf) || !afxi_sdf_collect(sdf, root) || !afxi_sdf_place(sdf) || !add_parts(sdf)) {
        return false;
    }
    if (afx_scene_body_count(load->scene) == 0) {
        return afxi_xml_error(load, root, NULL, "it has no link", "give a model with one at least");
    }
    for (uint32_t k = 0; k < sdf->root_count; k++) {
        if (!afxi_xml_tell_unused(load, sdf->roots[k], reasons, sizeof reasons / sizeof reasons[0])) {
            return false;
        }
    }
    return true;
}

bool afxi_load_sdf(AfxiLoad *load, const AfxiText *text, const char *path) {
    AfxiSdf sdf = {.urdf = {.load = load, .path = path}};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    bool good = load_file(&sdf, text);
    uselocale(before);
    freelocale(plain);
    afxi_names_free(&sdf.names, &load->allocator);
    afxi_release(&load->allocator, sdf.frames, sdf.capacity * sizeof *sdf.frames);
    afxi_xml_free(load, &sdf.urdf.arena);
    return good;
}
