/* SPDX-License-Identifier: Apache-2.0 */
/* Couplings and springs of a scene file.
 *
 * A coupling sum f_k x_k = c is written for coordinates in the units of the file, U_k each. With x_k = X_k / U_k and
 * the whole multiplied by U_0 it is, in SI, sum (f_k U_0 / U_k) X_k = c U_0; its compliance, the violation for a unit
 * of effort on the first coordinate, is then multiplied by U_0 / F_0, F_0 being the unit of force or torque. */
#include "load/json.h"

/** Term k; *unit is what its coordinate is measured in, *effort what acts on it. */
static bool read_term(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node, uint32_t k,
                      AfxCouplingDef *def, double *unit, double *effort, bool *absent) {
    const AfxiJsonNode *joint;
    bool turns = false;
    def->factor[k] = 1;
    if (!afxi_json_keys(file, node, "joint axis factor") || !afxi_json_need(file, node, "joint", &joint) ||
        !afxi_json_joint_ref(file, scope, joint, &def->joint[k], absent) || *absent) {
        return *absent;
    }
    bool fine = afxi_json_axis(file, node, def->joint[k], &def->axis[k], &turns) &&
                afxi_json_number(file, node, "factor", 1, &def->factor[k]);
    *unit = turns ? file->units.angle : file->units.length;
    *effort = turns ? file->units.torque : file->units.force;
    return fine;
}

static bool read_terms(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                       AfxCouplingDef *def, double *first_unit, double *first_effort, bool *out_absent) {
    const AfxiJsonNode *terms;
    *out_absent = false;
    if (!afxi_json_need(file, node, "terms", &terms)) {
        return false;
    }
    if (!json_is_array(terms->value) || terms->count < 1 || terms->count > AFX_COUPLING_TERMS) {
        return afxi_json_error(file, terms, "these are not 1 to 8 terms", "couple more with several couplings");
    }
    for (const AfxiJsonNode *term = afxi_json_first(terms); term; term = afxi_json_next(terms, term)) {
        uint32_t k = def->term_count++;
        double unit = 1, effort = 1;
        bool absent = false;
        if (!read_term(file, scope, term, k, def, &unit, &effort, &absent)) {
            return false;
        }
        *out_absent |= absent;
        if (k == 0) {
            *first_unit = unit;
            *first_effort = effort;
        } else {
            def->factor[k] *= *first_unit / unit;
        }
    }
    return true;
}

/** Item k of a path. */
static bool read_item(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node, AfxPathItem *item,
                      bool *absent) {
    const AfxiJsonNode *kind = afxi_json_get(node, "kind"), *body = afxi_json_get(node, "body");
    uint32_t index = 0;
    *item = (AfxPathItem){.body = afx_world(), .pose = afx_pose_identity(), .divisor = 1};
    if (!afxi_json_keys(file, node, "kind body position rotation radius side divisor") ||
        (kind && !afxi_json_word(file, kind, "point sphere cylinder pulley", &index)) ||
        (body && !afxi_json_body_ref(file, scope, body, true, &item->body, absent)) ||
        !afxi_json_pose(file, node, &item->pose) ||
        !afxi_json_number(file, node, "radius", file->units.length, &item->radius) ||
        !afxi_json_vec3(file, node, "side", file->units.length, &item->side) ||
        !afxi_json_number(file, node, "divisor", 1, &item->divisor)) {
        return false;
    }
    item->kind = (AfxPathKind)index;
    item->sided = afxi_json_get(node, "side") != NULL;
    if (item->body.index == UINT32_MAX) {
        item->pose.position = afxi_json_place_point(scope, item->pose.position);
    }
    return true;
}

/** The path of a coupling into items [AFX_PATH_ITEMS]. */
static bool read_path(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                      AfxCouplingDef *def, AfxPathItem *items, bool *absent) {
    const AfxiJsonNode *list, *child;
    if (!afxi_json_array(file, node, "path", &list)) {
        return false;
    }
    if (list && list->count > AFX_PATH_ITEMS) {
        return afxi_json_error(file, list, "a path has at most 256 items", "leave some out");
    }
    for (child = list ? afxi_json_first(list) : NULL; child; child = afxi_json_next(list, child)) {
        if (!read_item(file, scope, child, &items[def->path_count++], absent)) {
            return false;
        }
    }
    def->path = def->path_count ? items : NULL;
    return true;
}

bool afxi_json_read_coupling(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    AfxCouplingDef def = afx_default_coupling();
    AfxCouplingId id;
    char name[AFXI_NAME_SIZE];
    double unit = 1, effort = 1;
    bool absent;
    AfxPathItem items[AFX_PATH_ITEMS];
    if (!afxi_json_keys(file, node, "name terms constant compliance inertia path") ||
        !afxi_json_name(file, scope, node, name, &def.name) ||
        !read_terms(file, scope, node, &def, &unit, &effort, &absent) ||
        !read_path(file, scope, node, &def, items, &absent) ||
        !afxi_json_number(file, node, "constant", unit, &def.constant) ||
        !afxi_json_number(file, node, "compliance", unit / effort, &def.compliance) ||
        !afxi_json_number(file, node, "inertia", effort * file->units.time * file->units.time / unit, &def.inertia)) {
        return false;
    }
    return absent || afx_scene_add_coupling(file->load->scene, &def, &id) == AFX_OK ||
           afxi_json_scene_error(file, node);
}

/** An end of a spring: a body, or the world when absent. */
static bool read_end(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node, const char *body,
                     const char *point, AfxBodyId *out_body, AfxVec3 *out_point, bool *absent) {
    const AfxiJsonNode *end = afxi_json_get(node, body);
    if ((end && !afxi_json_body_ref(file, scope, end, true, out_body, absent)) ||
        !afxi_json_vec3(file, node, point, file->units.length, out_point)) {
        return false;
    }
    if (out_body->index == UINT32_MAX) {
        *out_point = afxi_json_place_point(scope, *out_point);
    }
    return true;
}

bool afxi_json_read_spring(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    const AfxiJsonUnits *u = &file->units;
    AfxSpringDef def = afx_default_spring();
    AfxSpringId id;
    char name[AFXI_NAME_SIZE];
    bool absent_a = false, absent_b = false;
    if (!afxi_json_keys(file, node,
                        "name body_a body_b point_a point_b rest_length stiffness damping spring_table "
                        "damper_table") ||
        !afxi_json_name(file, scope, node, name, &def.name) ||
        !read_end(file, scope, node, "body_a", "point_a", &def.body_a, &def.point_a, &absent_a) ||
        !read_end(file, scope, node, "body_b", "point_b", &def.body_b, &def.point_b, &absent_b) ||
        !afxi_json_number(file, node, "rest_length", u->length, &def.rest_length) ||
        !afxi_json_number(file, node, "stiffness", u->force / u->length, &def.stiffness) ||
        !afxi_json_number(file, node, "damping", u->force * u->time / u->length, &def.damping) ||
        !afxi_json_tables(file, node, u->length, u->force, &def.spring_table, &def.damper_table)) {
        return false;
    }
    bool fine = absent_a || absent_b || afx_scene_add_spring(file->load->scene, &def, &id) == AFX_OK ||
                afxi_json_scene_error(file, node);
    afxi_json_tables_free(file, &def.spring_table, &def.damper_table);
    return fine;
}
