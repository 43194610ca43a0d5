/* SPDX-License-Identifier: Apache-2.0 */
/* How a scene file is to be run, and where it is looked at from: its objects "run" and "cameras". */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "load/json.h"
#include "load/point.h"
#include "load/run.h"

#define RUN_KEYS                                                                                                      \
    "dt time integrator rho accuracy iterations solver formulation contact limits sleep rigid energy_book set every " \
    "record columns outputs"

/** The number of a word in a NULL-terminated list; absent leaves it as it is. */
static bool read_word(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, const char *const *words,
                      uint32_t *index) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    char list[256] = "";
    for (size_t used = 0; *words; words++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? " " : "", *words);
    }
    return !node || afxi_json_word(file, node, list, index);
}

static bool read_positive(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, double least,
                          double *value) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    if (!node) {
        return true;
    }
    return afxi_json_number_at(file, node, file->units.time, value) &&
           (*value >= least || afxi_json_error(file, node, "this is not a time that can be", "give a positive number"));
}

static bool read_method(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxRunDef *run) {
    uint32_t integrator = 0, accuracy = 0, solver = 0, formulation = 0, iterations = 0;
    const AfxiJsonNode *rho = afxi_json_get(node, "rho"), *count = afxi_json_get(node, "iterations");
    if (!read_word(file, node, "integrator", afxi_integrator_names, &integrator) ||
        !read_word(file, node, "accuracy", afxi_accuracy_names, &accuracy) ||
        !read_word(file, node, "solver", afxi_solver_names, &solver) ||
        !read_word(file, node, "formulation", afxi_formulation_names, &formulation) ||
        !afxi_json_number(file, node, "rho", 1, &run->sim.rho) ||
        (count && !afxi_json_whole_at(file, count, 1000, &iterations))) {
        return false;
    }
    run->sim.integrator = afxi_integrators[integrator];
    run->sim.accuracy = (AfxAccuracy)accuracy;
    run->sim.formulation = (AfxFormulation)formulation;
    run->sim.solves = iterations;
    run->model.solver = (AfxSolver)solver;
    if (formulation != AFX_AFFIX && !afxi_json_get(node, "integrator")) {
        run->sim.integrator = afxi_usual_integrator(run->sim.formulation);
    }
    if (rho && (run->sim.integrator != AFX_ALPHA || !(run->sim.rho >= 0 && run->sim.rho <= 1))) {
        return afxi_json_error(file, rho, "rho is a number from 0 to 1 of the integrator alpha",
                               "add \"integrator\": \"alpha\", or leave it out");
    }
    if (count && (iterations == 0 || afxi_json_get(node, "accuracy"))) {
        return afxi_json_error(file, count, "iterations are 1 to 1000, in place of an accuracy", "leave one out");
    }
    return true;
}

/** "contact": {"model": "barrier", "gap": 1e-3, "lags": 5} */
static bool read_contact(const AfxiJsonFile *file, const AfxiJsonNode *run, AfxSimDef *sim) {
    const AfxiJsonNode *node = afxi_json_get(run, "contact"), *lags, *gap;
    uint32_t model = AFX_CONTACT_COMPLIANT;
    if (!node) {
        return true;
    }
    if (!afxi_json_keys(file, node, "model gap lags") ||
        !read_word(file, node, "model", afxi_contact_model_names, &model)) {
        return false;
    }
    sim->contact_model = (AfxContactModel)model;
    gap = afxi_json_get(node, "gap");
    lags = afxi_json_get(node, "lags");
    if ((gap || lags) && model != AFX_CONTACT_BARRIER) {
        return afxi_json_error(file, gap ? gap : lags, "this is a setting of barrier contact",
                               "add \"model\": \"barrier\", or leave it out");
    }
    if (gap && (!afxi_json_number_at(file, gap, file->units.length, &sim->contact_gap) || !(sim->contact_gap > 0))) {
        return afxi_json_error(file, gap, "a gap is a length above 0", "leave it out for 1e-3 of the largest body");
    }
    return !lags || afxi_json_whole_at(file, lags, 1000, &sim->friction_lags);
}

/** "limits": {"flops": 2e11, "bytes": 8e9} */
static bool read_limits(const AfxiJsonFile *file, const AfxiJsonNode *run, AfxSimDef *sim) {
    const AfxiJsonNode *node = afxi_json_get(run, "limits");
    static const char *const keys[] = {"flops", "bytes"};
    double *const limits[] = {&sim->flops_most, &sim->bytes_most};
    if (node && !afxi_json_keys(file, node, "flops bytes")) {
        return false;
    }
    for (int k = 0; node && k < 2; k++) {
        const AfxiJsonNode *limit = afxi_json_get(node, keys[k]);
        if (limit && !afxi_json_number_at(file, limit, 1, limits[k])) {
            return false;
        }
        if (limit && !(*limits[k] > 0)) {
            return afxi_json_error(file, limit, "a limit is a number above 0", "leave it out for the default");
        }
    }
    return true;
}

/** "sleep": {"speed": 0.01, "time": 0.5} */
static bool read_sleep(const AfxiJsonFile *file, const AfxiJsonNode *run, AfxSimDef *sim) {
    const AfxiJsonNode *node = afxi_json_get(run, "sleep");
    if (!node) {
        return true;
    }
    if (!afxi_json_keys(file, node, "speed time")) {
        return false;
    }
    const AfxiJsonNode *speed = afxi_json_get(node, "speed"), *time = afxi_json_get(node, "time");
    if (!speed) {
        return afxi_json_error(file, node, "sleep needs a speed", "give \"speed\", below which bodies rest");
    }
    if (!afxi_json_number_at(file, speed, file->units.length, &sim->sleep_speed) || !(sim->sleep_speed > 0)) {
        return afxi_json_error(file, speed, "a speed of sleep is a number above 0", "leave \"sleep\" out for none");
    }
    if (time && (!afxi_json_number_at(file, time, 1, &sim->sleep_time) || !(sim->sleep_time > 0))) {
        return afxi_json_error(file, time, "a time of sleep is a number above 0", "leave it out for half a second");
    }
    return true;
}

/** Texts of a list, or one text, with commas between, into out[size]. */
static bool read_list(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, char *out, size_t size) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    size_t used = 0;
    if (!node) {
        return true;
    }
    bool list = json_is_array(node->value);
    for (const AfxiJsonNode *one = list ? afxi_json_first(node) : node; one;
         one = list ? afxi_json_next(node, one) : NULL) {
        const char *text;
        if (!afxi_json_text_at(file, one, &text)) {
            return false;
        }
        if (used + strlen(text) + 2 > size) {
            return afxi_json_error(file, one, "this list is too long", "leave some out");
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "," : "", text);
    }
    return true;
}

/** Parameters of the sim, as `affix run --set` takes them. */
static bool read_set(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxRunDef *run) {
    const AfxiJsonNode *node = afxi_json_get(object, "set");
    size_t used = 0;
    if (node && !json_is_object(node->value)) {
        return afxi_json_error(file, node, "this is not an object", "write {\"body.mass:NAME\": 2, ...}");
    }
    for (const AfxiJsonNode *one = afxi_json_first(node); one; one = afxi_json_next(node, one)) {
        double value;
        char number[40];
        if (strcmp(one->key, "about") == 0) {
            continue;
        }
        if (!afxi_json_number_at(file, one, 1, &value)) {
            return false;
        }
        snprintf(number, sizeof number, "%.17g", value);
        afxi_decimal_point(number);
        if (strpbrk(one->key, ",=") || used + strlen(one->key) + strlen(number) + 3 > sizeof run->set) {
            return afxi_json_error(file, one, "this name has a comma or =, or the list is too long",
                                   "name parameters of the run as in docs/sweeps.md");
        }
        used += (size_t)snprintf(run->set + used, sizeof run->set - used, "%s%s=%s", used ? "," : "", one->key, number);
    }
    return true;
}

/** A file is not trusted with more than names of results in the present folder. */
static bool check_output(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *name, const AfxRunDef *run) {
    int kind = afxi_run_output_kind(name);
    if (kind < 0 || strpbrk(name, "/\\") || name[0] == '.' || name[0] == '-' || strlen(name) > 200) {
        return afxi_json_error(file, node, "this is no name of an output",
                               "a name without folders that ends with .h5, .csv, .glb, .pvd or .html");
    }
    for (uint32_t k = 0; k < run->output_count; k++) {
        if (afxi_run_output_kind(run->outputs[k]) == kind) {
            return afxi_json_error(file, node, "there are two outputs of this kind", "leave one out");
        }
    }
    return true;
}

static bool read_outputs(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxRunDef *run) {
    const AfxiJsonNode *list;
    const char *name;
    bool fine = afxi_json_array(file, object, "outputs", &list);
    for (const AfxiJsonNode *one = fine ? afxi_json_first(list) : NULL; one && fine; one = afxi_json_next(list, one)) {
        fine = afxi_json_text_at(file, one, &name) && check_output(file, one, name, run);
        if (fine) { /* kinds differ, so there is room */
            snprintf(run->outputs[run->output_count], sizeof run->outputs[0], "%s", name);
            run->output_count++;
        }
    }
    return fine;
}

static bool read_run(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxRunDef *run) {
    const AfxiJsonNode *every = afxi_json_get(node, "every");
    uint32_t frames = 0;
    if (!afxi_json_keys(file, node, RUN_KEYS) || !read_positive(file, node, "dt", DBL_TRUE_MIN, &run->sim.dt) ||
        !read_positive(file, node, "time", 0, &run->time) || !read_method(file, node, run) ||
        !read_contact(file, node, &run->sim) || !read_limits(file, node, &run->sim) ||
        !read_sleep(file, node, &run->sim) || !afxi_json_boolean(file, node, "rigid", &run->rigid) ||
        !afxi_json_boolean(file, node, "energy_book", &run->energy_book) || !read_set(file, node, run) ||
        (every && !afxi_json_whole_at(file, every, UINT32_MAX - 1, &frames))) {
        return false;
    }
    if (every && frames == 0) {
        return afxi_json_error(file, every, "frames are written after every 1 or more steps", "give 1 or more");
    }
    run->every = frames;
    return read_list(file, node, "record", run->record, sizeof run->record) &&
           read_list(file, node, "columns", run->columns, sizeof run->columns) && read_outputs(file, node, run);
}

static bool read_camera(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxRunDef *run) {
    AfxCamera camera = {.pose = afx_pose_identity()};
    const AfxiJsonNode *pose = afxi_json_get(node, "pose");
    const AfxiJsonNode *position, *angle = afxi_json_get(node, "field_of_view");
    const char *name = "", *follow = "";
    if (!afxi_json_keys(file, node, "name position target field_of_view follow pose") ||
        (pose && !(afxi_json_keys(file, pose, "position rotation") && afxi_json_pose(file, pose, &camera.pose))) ||
        !afxi_json_text(file, node, "name", &name) || !afxi_json_need(file, node, "position", &position) ||
        !afxi_json_vec3_at(file, position, file->units.length, &camera.position) ||
        !afxi_json_vec3(file, node, "target", file->units.length, &camera.target) ||
        !afxi_json_number(file, node, "field_of_view", file->units.angle, &camera.field_of_view) ||
        !afxi_json_text(file, node, "follow", &follow)) {
        return false;
    }
    camera.carried = pose != NULL;
    if (run->camera_count == AFX_RUN_CAMERAS) {
        return afxi_json_error_as(file, AFX_E_LIMIT, node, "a file may have 16 cameras", "leave some out");
    }
    if (strlen(name) >= sizeof camera.name || strlen(follow) >= sizeof camera.follow) {
        return afxi_json_error(file, node, "a name of this camera is too long", "use at most 63 bytes");
    }
    if (angle && !(camera.field_of_view > 0.01 && camera.field_of_view < 3)) {
        return afxi_json_error(file, angle, "this is no angle that a camera can have",
                               "more than 0.01 and below 3 rad");
    }
    AfxBodyId body;
    bool absent;
    AfxiJsonScope top = {0};
    if (follow[0] && !afxi_json_body_ref(file, &top, afxi_json_get(node, "follow"), false, &body, &absent)) {
        return false;
    }
    snprintf(camera.name, sizeof camera.name, "%s", name);
    snprintf(camera.follow, sizeof camera.follow, "%s", follow);
    if (camera.position.x == camera.target.x && camera.position.y == camera.target.y &&
        camera.position.z == camera.target.z) {
        return afxi_json_error(file, node, "this camera is where it looks", "move position or target");
    }
    run->cameras[run->camera_count++] = camera;
    return true;
}

bool afxi_json_read_run(const AfxiJsonFile *file, const AfxiJsonNode *top) {
    const AfxiJsonNode *node = afxi_json_get(top, "run"), *cameras;
    if (file->load->depth > 0) {
        return true; /* a file in a file is not run */
    }
    AfxRunDef unused = afx_default_run(), *run = file->load->def->run ? file->load->def->run : &unused;
    const AfxiJsonNode *about = afxi_json_get(top, "about");
    if (about && json_is_string(about->value)) {
        snprintf(run->about, sizeof run->about, "%.*s", (int)sizeof run->about - 1, json_string_value(about->value));
    }
    bool fine = afxi_json_array(file, top, "cameras", &cameras) && (!node || read_run(file, node, run)) &&
                (!run->rigid || afx_scene_make_rigid(file->load->scene) == AFX_OK || afxi_json_scene_error(file, node));
    for (const AfxiJsonNode *one = fine ? afxi_json_first(cameras) : NULL; one && fine;
         one = afxi_json_next(cameras, one)) {
        fine = read_camera(file, one, run);
    }
    return fine;
}
