/* SPDX-License-Identifier: Apache-2.0 */
/* How a scene is run, as scene JSON. */
#include <string.h>

#include "load/run.h"
#include "load/save_scene.h"
#include "math/formula.h"

/** Names with commas between, as a list. */
static void save_list(AfxiSave *save, const char *key, const char *names) {
    if (!names[0]) {
        return;
    }
    afxi_save_open(save, key, '[');
    while (*names) {
        char name[1024];
        size_t length = strcspn(names, ",");
        memcpy(name, names, length);
        name[length] = '\0';
        afxi_save_text(save, NULL, name);
        names += length + (names[length] == ',');
    }
    afxi_save_close(save, ']');
}

/** "name=value,name=value" as an object. */
static void save_set(AfxiSave *save, const char *list) {
    if (!list[0]) {
        return;
    }
    afxi_save_open(save, "set", '{');
    while (*list) {
        char name[1024];
        size_t length = strcspn(list, "=,");
        memcpy(name, list, length);
        name[length] = '\0';
        list += length;
        size_t value = strcspn(list, ",");
        char text[64] = "";
        double program[AFXI_FORMULA_MOST];
        const char *fault;
        uint32_t place;
        memcpy(text, list + 1, value > sizeof text ? sizeof text - 1 : value > 0 ? value - 1 : 0);
        uint32_t codes = afxi_formula_compile(text, program, &fault, &place); /* strtod would go by the locale */
        if (codes) {
            afxi_save_number(save, name, afxi_formula_run(program, codes, 0).value);
        }
        list += value + (list[value] == ',');
    }
    afxi_save_close(save, '}');
}

static void save_word(AfxiSave *save, const char *key, const char *word, bool unless) {
    if (!unless) {
        afxi_save_text(save, key, word);
    }
}

static void save_method(AfxiSave *save, const AfxRunDef *run) {
    const AfxSimDef *sim = &run->sim, usual = afx_default_sim();
    save_word(save, "integrator", afxi_integrator_name(sim->integrator),
              sim->integrator == usual.integrator && sim->formulation == AFX_AFFIX);
    if (sim->integrator == AFX_ALPHA) {
        afxi_save_number_unless(save, "rho", sim->rho, usual.rho);
    }
    if (sim->solves) {
        afxi_save_whole(save, "iterations", sim->solves);
    } else {
        save_word(save, "accuracy", afxi_accuracy_names[sim->accuracy], sim->accuracy == usual.accuracy);
    }
    save_word(save, "solver", afxi_solver_names[run->model.solver], run->model.solver == AFX_SOLVER_AUTO);
    save_word(save, "formulation", afxi_formulation_names[sim->formulation], sim->formulation == AFX_AFFIX);
    if (sim->contact_model != AFX_CONTACT_COMPLIANT) {
        afxi_save_open(save, "contact", '{');
        afxi_save_text(save, "model", afxi_contact_model_names[sim->contact_model]);
        afxi_save_number_unless(save, "gap", sim->contact_gap, 0);
        if (sim->friction_lags) {
            afxi_save_whole(save, "lags", sim->friction_lags);
        }
        afxi_save_close(save, '}');
    }
    if (sim->flops_most > 0 || sim->bytes_most > 0) {
        afxi_save_open(save, "limits", '{');
        afxi_save_number_unless(save, "flops", sim->flops_most, 0);
        afxi_save_number_unless(save, "bytes", sim->bytes_most, 0);
        afxi_save_close(save, '}');
    }
    if (sim->sleep_speed > 0) {
        afxi_save_open(save, "sleep", '{');
        afxi_save_number(save, "speed", sim->sleep_speed);
        afxi_save_number_unless(save, "time", sim->sleep_time, 0);
        afxi_save_close(save, '}');
    }
    if (run->rigid) {
        afxi_save_boolean(save, "rigid", true);
    }
    if (run->energy_book) {
        afxi_save_boolean(save, "energy_book", true);
    }
}

static void save_cameras(AfxiSave *save, const AfxRunDef *run) {
    if (run->camera_count == 0) {
        return;
    }
    afxi_save_open(save, "cameras", '[');
    for (uint32_t k = 0; k < run->camera_count; k++) {
        const AfxCamera *camera = &run->cameras[k];
        afxi_save_open(save, NULL, '{');
        if (camera->name[0]) {
            afxi_save_text(save, "name", camera->name);
        }
        afxi_save_vec3(save, "position", camera->position);
        afxi_save_vec3_unless_zero(save, "target", camera->target);
        afxi_save_number_unless(save, "field_of_view", camera->field_of_view, 0);
        if (camera->follow[0]) {
            afxi_save_text(save, "follow", camera->follow);
        }
        if (camera->carried) {
            afxi_save_open(save, "pose", '{');
            afxi_save_pose(save, camera->pose);
            afxi_save_close(save, '}');
        }
        afxi_save_close(save, '}');
    }
    afxi_save_close(save, ']');
    afxi_save_raw(save, ",\n  ");
    save->first = true;
}

void afxi_save_run(AfxiSave *save, const AfxRunDef *run) {
    if (!run) {
        return;
    }
    if (run->about[0]) {
        afxi_save_text(save, "about", run->about);
        afxi_save_raw(save, ",\n  ");
        save->first = true;
    }
    afxi_save_open(save, "run", '{');
    afxi_save_number(save, "dt", run->sim.dt);
    afxi_save_number(save, "time", run->time);
    save_method(save, run);
    save_set(save, run->set);
    if (run->every) {
        afxi_save_whole(save, "every", (uint32_t)run->every);
    }
    save_list(save, "record", run->record);
    save_list(save, "columns", run->columns);
    if (run->output_count) {
        afxi_save_open(save, "outputs", '[');
        for (uint32_t k = 0; k < run->output_count; k++) {
            afxi_save_text(save, NULL, run->outputs[k]);
        }
        afxi_save_close(save, ']');
    }
    afxi_save_close(save, '}');
    afxi_save_raw(save, ",\n  ");
    save->first = true;
    save_cameras(save, run);
}
