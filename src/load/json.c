/* SPDX-License-Identifier: Apache-2.0 */
/* Scene JSON: the file as a whole. */
#include "load/json.h"

static bool check_version(const AfxiJsonFile *file, const AfxiJsonNode *top) {
    const AfxiJsonNode *node;
    double version = 0;
    if (!afxi_json_need(file, top, "affix_scene", &node) || !afxi_json_number_at(file, node, 1, &version)) {
        return false;
    }
    return version == AFXI_JSON_VERSION ||
           afxi_json_error_as(file, AFX_E_VERSION, node, "this version of scene JSON is not known",
                              "write \"affix_scene\": 1, or use a newer program");
}

static bool read_settings(AfxiJsonFile *file, const AfxiJsonNode *top) {
    const AfxiJsonNode *units = afxi_json_get(top, "units"), *gravity = afxi_json_get(top, "gravity");
    AfxVec3 value;
    if ((units && !afxi_json_units(file, units)) || !afxi_json_read_contact(file, top)) {
        return false;
    }
    double unit = file->units.length / (file->units.time * file->units.time);
    return !gravity ||
           (afxi_json_vec3_at(file, gravity, unit, &value) &&
            (afx_scene_set_gravity(file->load->scene, value) == AFX_OK || afxi_json_scene_error(file, gravity)));
}

static bool read_top(AfxiJsonFile *file) {
    const AfxiJsonNode *top = file->nodes;
    const AfxiJsonScope scope = {.place = afx_pose_identity()};
    return afxi_json_keys(
               file, top,
               "affix_scene units gravity contact textures materials default_material material_pairs bodies groups "
               "joints drives couplings springs markers wrenches exclusions parameters run cameras robot $schema") &&
           check_version(file, top) && afxi_json_parameters(file, top) && read_settings(file, top) &&
           afxi_json_read_textures(file, top) && afxi_json_count_block(file, top) &&
           afxi_json_read_block(file, &scope, top) && afxi_json_read_robot(file, &scope, top) &&
           afxi_json_read_run(file, top);
}

bool afxi_load_json(AfxiLoad *load, const AfxiText *text, const char *path) {
    AfxiJsonFile file = {.load = load, .path = path, .units = {1, 1, 1, 1, 1, 1, 1, 1}};
    bool fine = afxi_json_parse(&file, text) && read_top(&file);
    afxi_json_free(&file);
    return fine;
}
