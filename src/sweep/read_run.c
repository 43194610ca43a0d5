/* SPDX-License-Identifier: Apache-2.0 */
/* Scene and run settings of a study; the same defaults as those of `affix run`. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"
#include "sweep/read.h"

#define STEPS_MOST 1000000000000000u
#define DIVIDES 1e-9
#define TEXTS AFXI_CASE_PARAMETER_LIMIT

static bool names_a_case(const char *text) {
    return afxi_case_find(text) != NULL;
}

/* Values of the parameters of the case, or of the scene file. */
static AfxStatus read_parameters(const AfxiReader *reader, const AfxiCase *from, const json_t *parameters) {
    char texts[TEXTS][200];
    const char *given[TEXTS];
    uint32_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)parameters, key, value) {
        if (count == TEXTS) {
            return afxi_read_refuse(reader, "scene.parameters", "", "has too many members");
        }
        if (json_is_string(value)) {
            snprintf(texts[count], sizeof texts[count], "%s=%s", key, json_string_value(value));
        } else {
            snprintf(texts[count], sizeof texts[count], "%s=%.17g", key, json_number_value(value));
        }
        given[count] = texts[count];
        count++;
    }
    AfxStatus status = afxi_case_arguments(from, count, given, &reader->study->arguments, reader->error);
    if (status != AFX_OK && reader->error) {
        snprintf(reader->error->file, sizeof reader->error->file, "%.150s", reader->study->path);
    }
    for (uint32_t k = 0; k < from->parameter_count && reader->study->file; k++) {
        if (json_object_get(parameters, from->parameters[k].name)) {
            afxi_file_case_give(reader->study->file, k);
        }
    }
    return status;
}

/* A path of the study is relative to its folder; one of the command line to where the user is. */
static AfxStatus take_file(const AfxiReader *reader, const char *path, bool relative) {
    const char *folder = relative && path[0] != '/' ? reader->study->folder : "";
    size_t size = strlen(folder) + strlen(path) + 1;
    char *whole = malloc(size);
    if (!whole) {
        return afxi_sweep_memory(reader->error);
    }
    snprintf(whole, size, "%s%s", folder, path);
    reader->study->scene_path = whole;
    return AFX_OK;
}

/* How the file is run, and its parameters. One that cannot be loaded is told of later, by who needs it. */
static AfxStatus look_into(const AfxiReader *reader, const json_t *parameters) {
    AfxiStudy *study = reader->study;
    AfxSceneDef def = afx_default_scene();
    AfxLoadDef load = study->load;
    AfxScene *scene = NULL;
    load.run = &reader->study->usual;
    if (afx_scene_create(&def, &scene) == AFX_OK) {
        afx_scene_load(scene, study->scene_path, &load, NULL);
    }
    afx_scene_destroy(scene);
    if (study->usual.parameter_count == 0 && !parameters) {
        return AFX_OK;
    }
    study->file = afxi_file_case_create(&study->usual);
    return study->file ? read_parameters(reader, afxi_file_case(study->file), parameters)
                       : afxi_sweep_memory(reader->error);
}

static AfxStatus take_label(const AfxiReader *reader, const char *label, const json_t *parameters, bool relative) {
    if (!names_a_case(label)) {
        bool path = strchr(label, '/') || strchr(label, '.');
        const char *near = path ? NULL : afxi_case_nearest(label);
        char cure[96];
        snprintf(cure, sizeof cure, "%s%s", near ? "did you mean " : "affix cases lists them", near ? near : "");
        AfxStatus status = path ? take_file(reader, label, relative)
                                : afxi_read_refuse(reader, "scene", cure, "there is no case \"%.80s\"", label);
        status = status ? status : look_into(reader, parameters);
        return status ? status : afxi_read_copy(reader, label, &reader->study->label);
    }
    AfxStatus status = read_parameters(reader, afxi_case_find(label), parameters);
    return status ? status : afxi_read_copy(reader, label, &reader->study->label);
}

AfxStatus afxi_read_scene(const AfxiReader *reader, const json_t *root, const char *override) {
    static const char *const members[] = {"case",       "file",      "parameters",    "strict",
                                          "keep_fixed", "free_base", "allow_outside", NULL};
    const json_t *scene = json_object_get(root, "scene"), *label = scene, *parameters = NULL;
    AfxiStudy *study = reader->study;
    study->load = afx_default_load();
    study->usual = afx_default_run();
    if (json_is_object(scene)) {
        bool free_base = false;
        AfxStatus status = afxi_read_members(reader, scene, "scene", members);
        status = status ? status : afxi_read_flag(reader, scene, "scene", "strict", &study->load.strict);
        status = status ? status : afxi_read_flag(reader, scene, "scene", "keep_fixed", &study->load.keep_fixed);
        status = status ? status : afxi_read_flag(reader, scene, "scene", "free_base", &free_base);
        status = status ? status : afxi_read_flag(reader, scene, "scene", "allow_outside", &study->load.allow_outside);
        if (status != AFX_OK) {
            return status;
        }
        study->load.fixed_base = !free_base;
        label = json_object_get(scene, "case");
        label = label ? label : json_object_get(scene, "file");
        parameters = json_object_get(scene, "parameters");
    }
    if (override) {
        return take_label(reader, override, names_a_case(override) ? parameters : NULL, false);
    }
    if (!json_is_string(label)) {
        return afxi_read_refuse(reader, "scene", "a case, a path, or {\"case\": ..., \"parameters\": {...}}",
                                "which scene?");
    }
    return take_label(reader, json_string_value(label), parameters, true);
}

static AfxStatus read_method(const AfxiReader *reader, const json_t *run) {
    static const char *const integrators[] = {"bdf2",      "bdf1", "alpha", "sdirk2", "conserving", "conserving4",
                                              "reference", "rk4",  "auto",  "gauss2", NULL};
    static const char *const accuracies[] = {"fast", "accurate", "converged", NULL};
    static const char *const formulations[] = {
#define NAME(formulation, name) name,
        AFX_FORMULATION_TABLE(NAME)
#undef NAME
            NULL};
    static const char *const solvers[] = {
#define NAME(solver, name) name,
        AFX_SOLVER_TABLE(NAME)
#undef NAME
            NULL};
    AfxiStudy *study = reader->study;
    uint32_t integrator = study->sim.integrator, accuracy = study->sim.accuracy, solver = study->model.solver;
    uint32_t formulation = study->sim.formulation;
    uint64_t solves = json_object_get(run, "accuracy") ? 0 : study->sim.solves;
    AfxStatus status =
        afxi_read_choice(reader, json_object_get(run, "formulation"), "run.formulation", formulations, &formulation);
    if (formulation != AFX_AFFIX && json_object_get(run, "formulation")) {
        /* those that were published are of implicit Euler, unless another method is asked for */
        uint32_t own = study->sim.formulation == AFX_AFFIX ? integrator : AFX_BDF2; /* any of these serves the choice */
        integrator = formulation == AFX_CHOOSE ? own : formulation == AFX_REDUCED ? AFX_AUTO : AFX_BDF1;
    }
    status = status ? status
                    : afxi_read_choice(reader, json_object_get(run, "integrator"), "run.integrator", integrators,
                                       &integrator);
    status = status ? status
                    : afxi_read_choice(reader, json_object_get(run, "accuracy"), "run.accuracy", accuracies, &accuracy);
    status = status ? status : afxi_read_choice(reader, json_object_get(run, "solver"), "run.solver", solvers, &solver);
    status = status ? status : afxi_read_number(reader, run, "run", "rho", 0, 1, &study->sim.rho);
    status = status ? status : afxi_read_count(reader, run, "run", "solves", 0, 1000, &solves);
    status = status ? status : afxi_read_count(reader, run, "run", "iterations", 1, 1000, &solves);
    status = status ? status : afxi_read_flag(reader, run, "run", "rigid", &study->rigid);
    study->sim.formulation = (AfxFormulation)formulation;
    study->sim.integrator = (AfxIntegrator)integrator;
    study->sim.accuracy = (AfxAccuracy)accuracy;
    study->sim.solves = (uint32_t)solves;
    study->model.solver = (AfxSolver)solver;
    return status;
}

AfxStatus afxi_read_run(const AfxiReader *reader, const json_t *root) {
    static const char *const members[] = {"dt",         "time",   "steps",  "integrator",  "rho",   "accuracy",
                                          "iterations", "solves", "solver", "formulation", "rigid", NULL};
    const json_t *run = json_object_get(root, "run");
    AfxiStudy *study = reader->study;
    const AfxiCase *from = study->scene_path ? NULL : study->arguments.from;
    double time = from ? from->time : study->usual.time;
    study->model = study->usual.model;
    study->sim = study->usual.sim;
    study->sim.dt = from ? from->dt : study->sim.dt;
    study->sim.threads = 1;
    AfxStatus status = run ? afxi_read_members(reader, run, "run", members) : AFX_OK;
    status = status ? status : afxi_read_number(reader, run, "run", "dt", DBL_MIN, DBL_MAX, &study->sim.dt);
    status = status ? status : afxi_read_number(reader, run, "run", "time", 0, DBL_MAX, &time);
    status = status ? status : read_method(reader, run);
    if (status != AFX_OK) {
        return status;
    }
    double ratio = time / study->sim.dt, whole = nearbyint(ratio);
    whole = fabs(ratio - whole) > DIVIDES * fmax(1, ratio) ? ceil(ratio) : whole;
    if (json_object_get(run, "steps")) {
        if (json_object_get(run, "time")) {
            return afxi_read_refuse(reader, "run", "give one of them", "time and steps exclude each other");
        }
        return afxi_read_count(reader, run, "run", "steps", 0, STEPS_MOST, &study->steps);
    }
    if (!(whole <= (double)STEPS_MOST)) {
        return afxi_read_refuse(reader, "run.time", "use a shorter time or a larger dt", "takes more than 1e15 steps");
    }
    study->steps = (uint64_t)whole;
    return AFX_OK;
}
