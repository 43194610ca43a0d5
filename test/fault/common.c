/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of faults share. */
#include "tests.h"

#include "cases/cases.h"

const Small small_cases[] = {
    {"incline", "mu=0.2"},         {"rolling", NULL},        {"stack", "n=4"},
    {"net-cylinder", "k=3"},       {"ragdolls", "count=1"},  {"grasp", NULL},
    {"falling-joints", "pairs=3"}, {"hagfish", "joints=20"}, {"cloak", "rows=3"},
    {"pulley", "links=700"},
};
const uint32_t small_count = sizeof small_cases / sizeof small_cases[0];

World world_make(const Small *small, const AfxAllocator *allocator) {
    World world = {0};
    AfxSceneDef def = afx_default_scene();
    AfxSimDef sim = afx_default_sim();
    AfxiCaseArguments args;
    AfxError error = {0};
    const AfxiCase *from = afxi_case_find(small->name);
    assert_non_null(from);
    def.allocator = sim.allocator = *allocator;
    sim.dt = from->dt;
    AfxStatus status = afxi_case_arguments(from, small->argument ? 1 : 0, &small->argument, &args, &error);
    status = status ? status : afxi_case_build(&args, &def, &world.scene, &error);
    status = status ? status : afx_model_create(world.scene, &world.model, &error);
    status = status ? status : afx_sim_create(world.model, &sim, &world.sim);
    if (status != AFX_OK) {
        fail_msg("%s %s: %s: %s: %s", small->name, small->argument ? small->argument : "", afx_status_name(status),
                 error.element, error.text);
    }
    return world;
}

void world_free(World *world) {
    afx_sim_destroy(world->sim);
    afx_model_destroy(world->model);
    afx_scene_destroy(world->scene);
    *world = (World){0};
}

void *world_state(const World *world, size_t *out_size) {
    *out_size = afx_sim_snapshot_size(world->sim);
    void *state = malloc(*out_size);
    assert_non_null(state);
    assert_int_equal(afx_sim_snapshot(world->sim, state, *out_size), AFX_OK);
    return state;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    for (size_t k = 0; k < size; ++k) {
        hash = (hash ^ p[k]) * 0x100000001b3ull;
    }
    return hash;
}

uint64_t world_hash(const World *world) {
    size_t size = 12 * sizeof(double) * (size_t)afx_model_body_count(world->model);
    uint64_t hash = hash_bytes(0xcbf29ce484222325ull, afx_sim_coordinates(world->sim), size);
    return hash_bytes(hash, afx_sim_velocities(world->sim), size);
}
