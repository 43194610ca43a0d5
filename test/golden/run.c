/* SPDX-License-Identifier: Apache-2.0 */
#include "golden/run.h"

#include "cases/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run that cannot go on is left after so many failed steps in a row: a failed step keeps the state, but its inputs
 * may change. */
#define FAILURES_MOST 3
#define ARGUMENTS_MOST 16

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash ^= word + 0x9e3779b97f4a7c15ull;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebull;
    return hash ^ (hash >> 31);
}

static uint64_t mix_numbers(uint64_t hash, const double *values, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        uint64_t word;
        memcpy(&word, values + k, sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

static uint64_t mix_vector(uint64_t hash, AfxVec3 v) {
    return mix_numbers(hash, (const double[]){v.x, v.y, v.z}, 3);
}

/* The order in which contacts are listed is not a value: their hashes are added. */
static uint64_t contacts_hash(const AfxSim *sim) {
    uint64_t sum = 0;
    uint32_t count = afx_sim_contact_count(sim);
    for (uint32_t k = 0; k < count; ++k) {
        AfxContact contact;
        if (afx_sim_contact(sim, k, &contact) != AFX_OK) {
            return mix(sum, k);
        }
        uint64_t hash = mix(contact.body_a, contact.body_b);
        hash = mix(mix(hash, contact.shape_a), contact.shape_b);
        hash = mix_vector(mix_vector(hash, contact.point), contact.normal);
        hash = mix_numbers(hash, (const double[]){contact.depth, contact.force}, 2);
        hash = mix_vector(mix_vector(hash, contact.friction), contact.moment);
        sum += mix(hash, contact.sliding);
    }
    return mix(sum, count);
}

static uint64_t values_hash(const AfxSim *sim, uint64_t hash) {
    const AfxModel *model = afx_sim_model(sim);
    size_t numbers = (size_t)12 * afx_model_body_count(model);
    hash = mix_numbers(hash, afx_sim_coordinates(sim), numbers);
    hash = mix_numbers(hash, afx_sim_velocities(sim), numbers);
    uint32_t joints = afx_model_joint_count(model), coordinates = afx_model_coordinate_count(model);
    for (uint32_t k = 0; k < joints; ++k) {
        AfxWrench reaction;
        if (afx_sim_joint_reaction(sim, k, &reaction) == AFX_OK) {
            hash = mix_vector(mix_vector(hash, reaction.force), reaction.torque);
        }
        hash = mix(hash, afx_sim_joint_active(sim, k));
        uint32_t end = k + 1 < joints ? afx_model_joint_coordinate(model, k + 1) : coordinates;
        for (uint32_t axis = 0; axis < end - afx_model_joint_coordinate(model, k); ++axis) {
            double value[2] = {0, 0};
            afx_sim_joint_coordinate(sim, k, axis, &value[0], &value[1]);
            hash = mix_numbers(hash, value, 2);
        }
    }
    return mix(hash, contacts_hash(sim));
}

/* Memory of a sim, which may have run out. */
typedef struct Purse {
    AfxAllocator real;
    bool empty;
} Purse;

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
    Purse *purse = user;
    bool more = new_size > old_size;
    return purse->empty && more ? NULL : purse->real.reallocate(purse->real.user, block, old_size, new_size);
}

static void run_steps(const GoldenScene *scene, const GoldenSettings *settings, AfxSim *sim, Purse *purse,
                      GoldenLine *line) {
    GoldenMemory memory = {0};
    uint32_t in_a_row = 0, steps = scene->steps ? scene->steps : settings->steps;
    for (uint32_t k = 0; k < steps && in_a_row < FAILURES_MOST; ++k) {
        purse->empty = scene->poor && k + 1 >= scene->poor && k < scene->poor + 1;
        if (scene->act) {
            scene->act(sim, k, &memory);
        }
        AfxStepReport report;
        memset(&report, 0, sizeof report);
        AfxStatus status = afx_step(sim, &report);
        in_a_row = status == AFX_OK ? 0 : in_a_row + 1;
        line->failed += status != AFX_OK;
        ++line->steps;
        line->flags |= report.flags;
        line->values = values_hash(sim, line->values);
        line->solves = mix(mix(mix(line->solves, (uint64_t)(int64_t)status), report.solves), report.flags);
        line->solves = mix_numbers(line->solves, &report.solves_mean, 1);
        if (settings->watch) {
            settings->watch(sim, &report);
        }
    }
    purse->empty = false;
    free(memory.snapshot);
}

static bool write_dump(const char *label, const AfxSim *sim, FILE *dump) {
    uint64_t numbers = (uint64_t)12 * afx_model_body_count(afx_sim_model(sim));
    uint32_t length = (uint32_t)strlen(label);
    return fwrite(&length, sizeof length, 1, dump) == 1 && fwrite(label, 1, length, dump) == length &&
           fwrite(&numbers, sizeof numbers, 1, dump) == 1 &&
           fwrite(afx_sim_coordinates(sim), sizeof(double), numbers, dump) == numbers;
}

static AfxStatus build_case(const GoldenScene *scene, double *dt, AfxScene **out_scene, AfxError *error) {
    const AfxiCase *from = afxi_case_find(scene->from);
    if (!from) {
        return AFX_E_ARGUMENT;
    }
    *dt = from->dt;
    char text[256];
    const char *texts[ARGUMENTS_MOST];
    uint32_t count = 0;
    snprintf(text, sizeof text, "%s", scene->args ? scene->args : "");
    for (char *part = strtok(text, " "); part && count < ARGUMENTS_MOST; part = strtok(NULL, " ")) {
        texts[count++] = part;
    }
    AfxiCaseArguments args;
    AfxStatus status = afxi_case_arguments(from, count, texts, &args, error);
    AfxSceneDef def = afx_default_scene();
    return status == AFX_OK ? afxi_case_build(&args, &def, out_scene, error) : status;
}

static void final_values(const AfxSim *sim, GoldenLine *line) {
    AfxEnergy energy = {0};
    afx_sim_energy(sim, &energy);
    line->energy = energy.total;
    const double *q = afx_sim_coordinates(sim);
    for (size_t k = 0; k < (size_t)12 * afx_model_body_count(afx_sim_model(sim)); ++k) {
        line->largest = fmax(line->largest, fabs(q[k]));
    }
}

bool golden_takes(const GoldenScene *scene, AfxIntegrator integrator) {
    return scene->formulation == AFX_AFFIX || integrator == AFX_BDF1;
}

bool golden_run(const GoldenScene *golden, const GoldenSettings *settings, const char *label, FILE *dump,
                GoldenLine *out_line, AfxError *error) {
    *out_line = (GoldenLine){.values = 1, .solves = 1};
    memset(error, 0, sizeof *error);
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    AfxModelDef model_def = afx_default_model();
    model_def.solver = golden->solver;
    AfxStatus status = golden->from ? build_case(golden, &def.dt, &scene, error) : golden->build(&scene);
    if (golden->dt > 0) {
        def.dt = golden->dt;
    }
    def.integrator = settings->integrator;
    def.accuracy = settings->accuracy;
    def.lanes = settings->lanes;
    def.threads = settings->threads;
    def.error = error;
    def.solves = golden->solves;
    def.formulation = golden->formulation;
    Purse purse = {def.allocator, false};
    def.allocator = (AfxAllocator){reallocate, &purse};
    if (status == AFX_OK) {
        status = afx_model_create_with(scene, &model_def, &model, error);
    }
    if (status == AFX_OK) {
        status = afx_sim_create(model, &def, &sim);
    }
    if (status == AFX_OK && settings->watch) {
        settings->watch(sim, NULL);
    }
    if (status == AFX_OK) {
        run_steps(golden, settings, sim, &purse, out_line);
        final_values(sim, out_line);
        if (dump && !write_dump(label, sim, dump)) {
            status = AFX_E_SYSTEM;
        }
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    error->status = status;
    return status == AFX_OK;
}
