/* SPDX-License-Identifier: Apache-2.0 */
/* Names, references and places inside files, groups and instances. A name is looked for in the scope where it is
 * written, then in the scopes around it. */
#include <stdio.h>
#include <string.h>

#include "load/json.h"
#include "load/nearest.h"
#include "math/vec3.h"
#include "scene/scene.h"

/* Names that are looked through for what a wrong one may have meant. */
#define NAMES_TRIED 10000u

bool afxi_json_name(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *object,
                    char out[AFXI_NAME_SIZE], const char **out_name) {
    const char *name = NULL;
    const AfxiJsonNode *node = afxi_json_get(object, "name");
    *out_name = NULL;
    if (!node) {
        return true;
    }
    if (!afxi_json_text_at(file, node, &name)) {
        return false;
    }
    if (!name[0]) {
        return afxi_json_error(file, node, "this name is empty", "give it a name, or take the key away");
    }
    int length = snprintf(out, AFXI_NAME_SIZE, "%s%s%s", scope->prefix, name, scope->suffix);
    if (length < 0 || length >= AFXI_NAME_SIZE) {
        return afxi_json_error(file, node, "with those of its groups this name is longer than 255 bytes",
                               "use shorter names");
    }
    *out_name = out;
    return true;
}

/* ---- references ---- */

/** Bodies and joints are found alike. */
typedef struct Finder {
    const char *what;
    bool joint;
    uint32_t count; /* in the scene */
} Finder;

static Finder make_finder(const AfxiJsonFile *file, bool joint) {
    const AfxScene *scene = file->load->scene;
    return (Finder){joint ? "joint" : "body", joint,
                    joint ? afx_scene_joint_count(scene) : afx_scene_body_count(scene)};
}

static uint32_t first_of(const Finder *finder, AfxiJsonStart start) {
    return finder->joint ? start.joint : start.body;
}

/** The index of prefix + name; UINT32_MAX when there is none. */
static uint32_t find_name(const AfxiJsonFile *file, const Finder *finder, const char *prefix, const char *name) {
    char full[AFXI_NAME_SIZE];
    AfxBodyId body = {UINT32_MAX, 0};
    AfxJointId joint = {UINT32_MAX, 0};
    int length = snprintf(full, sizeof full, "%s%s", prefix, name);
    if (length < 0 || length >= (int)sizeof full) {
        return UINT32_MAX;
    }
    if (finder->joint) {
        afx_scene_find_joint(file->load->scene, full, &joint);
        return joint.index;
    }
    afx_scene_find_body(file->load->scene, full, &body);
    return body.index;
}

/** The name that may have been meant, of those that were made first; "" when none is near. */
static AfxiNearest nearest_name(const AfxiJsonFile *file, const Finder *finder, const char *word) {
    const AfxScene *scene = file->load->scene;
    AfxiNearest nearest = {.word = word};
    for (uint32_t k = 0; k < finder->count && k < NAMES_TRIED; k++) {
        const char *name = finder->joint ? scene->joints[k].name : scene->bodies[k].name;
        if (name) {
            afxi_nearest_try(&nearest, name, strlen(name));
        }
    }
    return nearest;
}

static bool not_found(const AfxiJsonFile *file, const Finder *finder, const AfxiJsonNode *node) {
    char text[120], cure[120] = "check the spelling; names in groups are written group/name";
    if (json_is_string(node->value)) {
        AfxiNearest nearest = nearest_name(file, finder, json_string_value(node->value));
        snprintf(text, sizeof text, "there is no %s \"%.60s\"", finder->what, json_string_value(node->value));
        if (nearest.best[0]) {
            snprintf(cure, sizeof cure, "did you mean \"%s\"? names in groups are written group/name", nearest.best);
        }
    } else {
        snprintf(text, sizeof text, "there is no %s of this number", finder->what);
    }
    return afxi_json_error(file, node, text, cure);
}

/** A name or a number among those from `first` to before `end`; a name is looked for in outer scopes too when there
 * is a scope. */
static bool find_here(const AfxiJsonFile *file, const AfxiJsonScope *scope, const Finder *finder,
                      const AfxiJsonNode *node, const char *prefix, uint32_t first, uint32_t end, uint32_t *out_index) {
    uint32_t index = UINT32_MAX;
    if (json_is_string(node->value)) {
        const char *name = json_string_value(node->value);
        index = find_name(file, finder, prefix, name);
        for (; index == UINT32_MAX && scope; scope = scope->outer) {
            index = find_name(file, finder, scope->prefix, name);
        }
    } else if (json_is_number(node->value)) {
        if (!afxi_json_whole_at(file, node, UINT32_MAX - 1, &index)) {
            return false;
        }
        index = index < end - first ? first + index : UINT32_MAX;
    } else {
        return afxi_json_error(file, node, "this is not a reference", "give a name, or a number that counts from 0");
    }
    *out_index = index;
    return index != UINT32_MAX || not_found(file, finder, node);
}

/** {"previous": reference, "along": direction}. */
static bool find_previous(const AfxiJsonFile *file, const AfxiJsonScope *scope, const Finder *finder,
                          const AfxiJsonNode *node, uint32_t *out_index, bool *out_absent) {
    const AfxiJsonNode *of, *along = afxi_json_get(node, "along");
    uint32_t direction = 0;
    while (scope && !scope->repeat) {
        scope = scope->outer;
    }
    if (!afxi_json_keys(file, node, "previous along") || !afxi_json_need(file, node, "previous", &of)) {
        return false;
    }
    if (!scope) {
        return afxi_json_error(file, node, "nothing is repeated here", "\"previous\" belongs into a repeated group");
    }
    if (along && !afxi_json_whole_at(file, along, scope->repeat->directions - 1, &direction)) {
        return false;
    }
    const AfxiJsonRepeat *repeat = scope->repeat;
    *out_absent = repeat->index[direction] == 0;
    if (*out_absent) {
        return true;
    }
    AfxiJsonRepeat before = *repeat;
    char suffix[AFXI_SUFFIX_SIZE], prefix[AFXI_NAME_SIZE + AFXI_SUFFIX_SIZE];
    before.number -= afxi_json_repeat_stride(repeat, direction);
    before.index[direction]--;
    afxi_json_repeat_suffix(&before, suffix);
    snprintf(prefix, sizeof prefix, "%s%s/", scope->stem, suffix + (scope->stem[0] ? 0 : 1));
    return find_here(file, NULL, finder, of, prefix, first_of(finder, scope->starts[before.number]),
                     first_of(finder, scope->starts[before.number + 1]), out_index);
}

static bool find(const AfxiJsonFile *file, const AfxiJsonScope *scope, const Finder *finder, const AfxiJsonNode *node,
                 uint32_t *out_index, bool *out_absent) {
    *out_absent = false;
    if (json_is_object(node->value)) {
        return find_previous(file, scope, finder, node, out_index, out_absent);
    }
    return find_here(file, scope->outer, finder, node, scope->prefix, first_of(finder, scope->start), finder->count,
                     out_index);
}

bool afxi_json_body_ref(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node, bool world,
                        AfxBodyId *out_body, bool *out_absent) {
    if (world && json_is_string(node->value) && strcmp(json_string_value(node->value), "world") == 0) {
        *out_body = afx_world();
        return true;
    }
    Finder finder = make_finder(file, false);
    uint32_t index = 0;
    bool fine = find(file, scope, &finder, node, &index, out_absent);
    if (fine && !*out_absent) {
        *out_body = afx_scene_body(file->load->scene, index);
    }
    return fine;
}

bool afxi_json_joint_ref(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                         AfxJointId *out_joint, bool *out_absent) {
    Finder finder = make_finder(file, true);
    uint32_t index = 0;
    bool fine = find(file, scope, &finder, node, &index, out_absent);
    if (fine && !*out_absent) {
        *out_joint = afx_scene_joint(file->load->scene, index);
    }
    return fine;
}

bool afxi_json_coupling_ref(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                            AfxCouplingId *out_coupling, bool *out_turns) {
    const AfxScene *scene = file->load->scene;
    char name[2 * AFXI_NAME_SIZE];
    uint32_t index = UINT32_MAX;
    if (json_is_string(node->value)) {
        snprintf(name, sizeof name, "%s%s", scope->prefix, json_string_value(node->value));
        index = afxi_names_find(&scene->coupling_names, name);
    } else if (!scope->outer && !afxi_json_whole_at(file, node, UINT32_MAX - 1, &index)) {
        return false;
    }
    if (index >= scene->coupling_count) {
        return afxi_json_error(file, node, "there is no such coupling here",
                               "give the name of a coupling of the same group, or at the top its number");
    }
    const AfxiSceneCoupling *coupling = &scene->couplings[index];
    AfxJointDef joint;
    afx_scene_get_joint(scene, afx_scene_joint(scene, coupling->joint[0]), &joint);
    *out_turns = afxi_json_axis_turns(joint.kind, coupling->axis[0]);
    *out_coupling = (AfxCouplingId){index, scene->id};
    return true;
}

/* ---- places ---- */

AfxPose afxi_json_place_pose(const AfxiJsonScope *scope, AfxPose pose) {
    return scope->placed ? afx_pose_compose(scope->place, pose) : pose;
}

AfxVec3 afxi_json_place_point(const AfxiJsonScope *scope, AfxVec3 point) {
    return scope->placed ? afx_pose_apply(scope->place, point) : point;
}

AfxVec3 afxi_json_place_vector(const AfxiJsonScope *scope, AfxVec3 vector) {
    return scope->placed ? afx_quat_rotate(scope->place.rotation, vector) : vector;
}

static bool is_still(const AfxSignal *signal) {
    return signal->kind == AFX_SIGNAL_CONSTANT && signal->coefficients[0] == 0;
}

/** The signals along the turned axes are sums of the given ones: of polynomials that is a polynomial, of one sine alone
 * it is a sine. The sum of others is no signal that a scene can have. */
bool afxi_json_place_signals(const AfxiJsonScope *scope, AfxSignal from[3]) {
    AfxQuat q = scope->place.rotation;
    if (!scope->placed || (q.x == 0 && q.y == 0 && q.z == 0)) {
        return true;
    }
    AfxSignal turned[3] = {0};
    AfxSignalKind kind = AFX_SIGNAL_CONSTANT;
    int others = 0, sines = 0;
    for (int k = 0; k < 3; k++) {
        kind = from[k].kind > kind ? from[k].kind : kind;
        others += !is_still(&from[k]);
        sines += from[k].kind == AFX_SIGNAL_SINE;
    }
    if (others == 0) {
        return true;
    }
    if (kind >= AFX_SIGNAL_TABLE || (sines && others > 1)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        turned[k].kind = kind;
        for (int c = 0; c < AFX_SIGNAL_COEFFICIENTS; c++) {
            AfxVec3 given = {from[0].coefficients[c], from[1].coefficients[c], from[2].coefficients[c]};
            AfxVec3 sum = sines && c > 1 ? vec3(given.x + given.y + given.z, 0, 0) : afx_quat_rotate(q, given);
            double parts[3] = {sum.x, sum.y, sum.z};
            turned[k].coefficients[c] = sines && c > 1 ? parts[0] : parts[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        from[k] = turned[k];
    }
    return true;
}

bool afxi_json_place_motion(const AfxiJsonScope *scope, AfxMotion *motion) {
    motion->axis = afxi_json_place_vector(scope, motion->axis);
    return afxi_json_place_signals(scope, motion->translation);
}
