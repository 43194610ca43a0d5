/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of a scene file, with their markers and wrenches. The instances of a repeated body are copies of the first
 * one: its definition is read once. */
#include "load/json.h"

/* ---- motion ---- */

static void free_motion(const AfxiJsonFile *file, AfxMotion *motion) {
    for (int k = 0; k < 3; k++) {
        afxi_json_signal_free(file, &motion->translation[k]);
    }
    afxi_json_signal_free(file, &motion->angle);
}

static bool read_motion(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxMotion *motion) {
    const AfxiJsonNode *translation = afxi_json_get(node, "translation"), *angle = afxi_json_get(node, "angle");
    if (!afxi_json_keys(file, node, "translation axis angle")) {
        return false;
    }
    if (translation && (!json_is_array(translation->value) || translation->count != 3)) {
        return afxi_json_error(file, translation, "these are not three functions of time", "give one each for x, y, z");
    }
    bool fine = true;
    const AfxiJsonNode *child = afxi_json_first(translation);
    for (int k = 0; k < 3 && child && fine; k++) {
        fine = afxi_json_signal_at(file, child, file->units.length, &motion->translation[k]);
        child = afxi_json_next(translation, child);
    }
    return fine && (!angle || afxi_json_signal_at(file, angle, file->units.angle, &motion->angle)) &&
           afxi_json_vec3(file, node, "axis", 1, &motion->axis);
}

/* ---- the definition ---- */

static bool read_mass(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxBodyDef *def) {
    const AfxiJsonUnits *u = &file->units;
    const AfxiJsonNode *inertia = afxi_json_get(node, "inertia"), *center = afxi_json_get(node, "center");
    if (!afxi_json_number(file, node, "mass", u->mass, &def->mass)) {
        return false;
    }
    if (!inertia) {
        return !center || afxi_json_error(file, center, "a centre of mass is given without an inertia",
                                          "give mass, center and inertia, or leave all to the shapes");
    }
    def->mass_source = AFX_MASS_GIVEN;
    return afxi_json_vec3(file, node, "center", u->length, &def->center) &&
           afxi_json_numbers_at(file, inertia, 6, u->mass * u->length * u->length, def->inertia);
}

static bool read_kind(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxBodyDef *def) {
    const AfxiJsonNode *kind = afxi_json_get(node, "kind"), *motion = afxi_json_get(node, "motion");
    uint32_t index = 0;
    if (kind && !afxi_json_word(file, kind, "dynamic fixed kinematic", &index)) {
        return false;
    }
    def->kind = (AfxBodyKind)index;
    if (motion && def->kind != AFX_BODY_KINEMATIC) {
        return afxi_json_error(file, motion, "only a kinematic body has a motion", "set \"kind\" to \"kinematic\"");
    }
    return !motion || read_motion(file, motion, &def->motion);
}

/** Everything but the name; *density is that of its material. */
static bool read_def(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxBodyDef *def, double *density) {
    const AfxiJsonUnits *u = &file->units;
    return afxi_json_pose(file, node, &def->pose) &&
           afxi_json_vec3(file, node, "velocity", u->length / u->time, &def->linear_velocity) &&
           afxi_json_vec3(file, node, "angular_velocity", u->angle / u->time, &def->angular_velocity) &&
           afxi_json_material(file, node, density, &def->young, &def->poisson) &&
           afxi_json_extended(file, node, "young", u->pressure, &def->young) &&
           afxi_json_number(file, node, "poisson", 1, &def->poisson) &&
           afxi_json_boolean(file, node, "gravity", &def->gravity) &&
           afxi_json_number(file, node, "linear_damping", 1 / u->time, &def->linear_damping) &&
           afxi_json_number(file, node, "angular_damping", 1 / u->time, &def->angular_damping) &&
           read_mass(file, node, def) && read_kind(file, node, def);
}

/* ---- instances ---- */

/** Shapes of the first instance are read, those of the others copied from it. */
static bool add_shapes(const AfxiJsonFile *file, const AfxiJsonNode *node, double density, AfxMaterialId material,
                       AfxBodyId body, AfxBodyId first) {
    AfxScene *scene = file->load->scene;
    const AfxiJsonNode *shapes = afxi_json_get(node, "shapes");
    bool fine = true;
    if (body.index == first.index) {
        AfxiJsonLook look = {0};
        fine = afxi_json_color(file, node, &look.color) && afxi_json_texture(file, node, &look.texture);
        for (const AfxiJsonNode *child = afxi_json_first(shapes); child && fine;
             child = afxi_json_next(shapes, child)) {
            fine = afxi_json_read_shape(file, child, density, material, look, body);
        }
        return fine;
    }
    uint32_t count = afx_scene_shape_count(scene, first);
    for (uint32_t k = 0; k < count && fine; k++) {
        AfxShapeDef shape;
        afx_scene_get_shape(scene, first, k, &shape);
        fine = afxi_load_shape(file->load, &shape, file->path, shapes->line) &&
               (afx_scene_add_shape(scene, body, &shape) == AFX_OK || afxi_json_scene_error(file, shapes));
    }
    return fine;
}

static bool add_attached(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                         AfxBodyId body) {
    const AfxiJsonNode *markers = afxi_json_get(node, "markers"), *wrenches = afxi_json_get(node, "wrenches"), *child;
    bool fine = true;
    for (child = afxi_json_first(markers); child && fine; child = afxi_json_next(markers, child)) {
        fine = afxi_json_read_marker(file, scope, child, &body);
    }
    for (child = afxi_json_first(wrenches); child && fine; child = afxi_json_next(wrenches, child)) {
        fine = afxi_json_read_wrench(file, scope, child, &body);
    }
    return fine;
}

static bool add_body(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                     const AfxBodyDef *def, AfxBodyId *out_body) {
    char name[AFXI_NAME_SIZE];
    AfxBodyDef placed = *def;
    if (!afxi_json_name(file, scope, node, name, &placed.name)) {
        return false;
    }
    placed.pose = afxi_json_place_pose(scope, def->pose);
    placed.linear_velocity = afxi_json_place_vector(scope, def->linear_velocity);
    placed.angular_velocity = afxi_json_place_vector(scope, def->angular_velocity);
    if (def->kind == AFX_BODY_KINEMATIC && !afxi_json_place_motion(scope, &placed.motion)) {
        return afxi_json_error(file, node, "a turned group or instance would add functions of time that do not add up",
                               "move it along one axis only, by numbers, polynomials or a sine; or do not turn it");
    }
    return afxi_json_count_motion(file, &placed.motion, node) &&
           (afx_scene_add_body(file->load->scene, &placed, out_body) == AFX_OK || afxi_json_scene_error(file, node));
}

/** Ties the newest body to its neighbours before it. */
static bool add_joints(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonRepeat *repeat,
                       AfxBodyId body) {
    bool fine = true;
    for (uint32_t d = 0; d < repeat->directions && fine; d++) {
        if (repeat->joint[d] && repeat->index[d] > 0) {
            uint32_t before = body.index - afxi_json_repeat_stride(repeat, d);
            AfxBodyId ends[2] = {afx_scene_body(file->load->scene, before), body};
            fine = afxi_json_read_joint(file, scope, repeat->joint[d], ends);
        }
    }
    return fine;
}

static bool add_instances(const AfxiJsonFile *file, const AfxiJsonScope *outer, const AfxiJsonNode *node,
                          const AfxBodyDef *def, double density, AfxMaterialId material, AfxiJsonRepeat *repeat) {
    uint32_t first = afx_scene_body_count(file->load->scene);
    bool fine = true;
    for (; repeat->number < repeat->total && fine; afxi_json_repeat_next(repeat)) {
        AfxiJsonScope scope = *outer;
        AfxBodyId body;
        afxi_json_repeat_suffix(repeat, scope.suffix);
        afxi_json_repeat_place(repeat, &scope);
        fine = add_body(file, &scope, node, def, &body) &&
               add_shapes(file, node, density, material, body, afx_scene_body(file->load->scene, first)) &&
               add_attached(file, &scope, node, body) && add_joints(file, &scope, repeat, body);
    }
    return fine;
}

bool afxi_json_read_body(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    AfxBodyDef def = afx_default_body();
    AfxiJsonRepeat repeat;
    double density = afx_default_sphere(1).density;
    AfxMaterialId material = {0, 0};
    const AfxiJsonNode *unused;
    bool fine = afxi_json_keys(file, node,
                               "name kind position rotation velocity angular_velocity mass center inertia material "
                               "young poisson gravity linear_damping angular_damping motion shapes markers wrenches "
                               "repeat color texture") &&
                afxi_json_array(file, node, "shapes", &unused) && afxi_json_array(file, node, "markers", &unused) &&
                afxi_json_array(file, node, "wrenches", &unused) && afxi_json_repeat(file, node, true, &repeat) &&
                read_def(file, node, &def, &density) && afxi_json_surface(file, node, &material) &&
                add_instances(file, scope, node, &def, density, material, &repeat);
    free_motion(file, &def.motion);
    return fine;
}

/* ---- markers and wrenches ---- */

/** The body that "body" names, unless it is given. */
static bool read_holder(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                        const AfxBodyId *given, AfxBodyId *out_body, bool *out_absent) {
    const AfxiJsonNode *body;
    *out_absent = false;
    if (given) {
        *out_body = *given;
        return true;
    }
    return afxi_json_need(file, node, "body", &body) &&
           afxi_json_body_ref(file, scope, body, false, out_body, out_absent);
}

bool afxi_json_read_marker(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                           const AfxBodyId *body) {
    AfxVec3 point = {0, 0, 0};
    AfxBodyId holder = {0};
    AfxMarkerId id;
    char buffer[AFXI_NAME_SIZE];
    const char *name;
    const AfxiJsonNode *unused;
    bool absent;
    if (!afxi_json_keys(file, node, body ? "name point" : "name body point") ||
        !afxi_json_need(file, node, "name", &unused) || !afxi_json_name(file, scope, node, buffer, &name) ||
        !read_holder(file, scope, node, body, &holder, &absent) ||
        !afxi_json_vec3(file, node, "point", file->units.length, &point)) {
        return false;
    }
    return absent || afx_scene_add_marker(file->load->scene, holder, name, point, &id) == AFX_OK ||
           afxi_json_scene_error(file, node);
}

/** Three signals, for the components of a vector. */
static bool read_signals(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, double unit,
                         AfxSignal out[3]) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    if (!node) {
        return true;
    }
    if (!json_is_array(node->value) || node->count != 3) {
        return afxi_json_error(file, node, "these are not three functions of time", "write [x, y, z]");
    }
    bool fine = true;
    int k = 0;
    for (const AfxiJsonNode *child = afxi_json_first(node); child && fine; child = afxi_json_next(node, child)) {
        fine = afxi_json_signal_at(file, child, unit, &out[k++]);
    }
    return fine;
}

bool afxi_json_read_wrench(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                           const AfxBodyId *body) {
    AfxWrenchDef def = afx_default_wrench();
    AfxWrenchId id;
    bool absent;
    uint32_t frame = AFX_FRAME_WORLD;
    const AfxiJsonNode *axes = afxi_json_get(node, "frame");
    if (!afxi_json_keys(file, node,
                        body ? "frame point force torque force_signal torque_signal"
                             : "body frame point force torque force_signal torque_signal") ||
        !read_holder(file, scope, node, body, &def.body, &absent) ||
        (axes && !afxi_json_word(file, axes, "world body", &frame)) ||
        !afxi_json_vec3(file, node, "point", file->units.length, &def.point) ||
        !afxi_json_vec3(file, node, "force", file->units.force, &def.force) ||
        !afxi_json_vec3(file, node, "torque", file->units.torque, &def.torque)) {
        return false;
    }
    def.frame = (AfxFrame)frame;
    if (def.frame == AFX_FRAME_WORLD) {
        def.force = afxi_json_place_vector(scope, def.force);
        def.torque = afxi_json_place_vector(scope, def.torque);
    }
    bool fine = read_signals(file, node, "force_signal", file->units.force, def.force_signal) &&
                read_signals(file, node, "torque_signal", file->units.torque, def.torque_signal);
    if (fine && def.frame == AFX_FRAME_WORLD &&
        (!afxi_json_place_signals(scope, def.force_signal) || !afxi_json_place_signals(scope, def.torque_signal))) {
        fine = afxi_json_error(file, node, AFXI_JSON_UNTURNED_WRENCH, AFXI_JSON_UNTURNED_WRENCH_CURE);
    }
    fine = fine && (absent || afx_scene_add_wrench(file->load->scene, &def, &id) == AFX_OK ||
                    afxi_json_scene_error(file, node));
    for (int k = 0; k < 3; k++) {
        afxi_json_signal_free(file, &def.force_signal[k]);
        afxi_json_signal_free(file, &def.torque_signal[k]);
    }
    return fine;
}
