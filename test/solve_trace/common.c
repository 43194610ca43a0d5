/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the trace share. */
#include "tests.h"

#include "cases/cases.h"

enum { CAPACITY = 4096 };

World world_make(double gravity, bool contact) {
    return (World){.scene = scene_make((AfxVec3){0, 0, -gravity}, contact)};
}

World world_case(const char *name, const char *argument, const AfxSimDef *def) {
    World world = {0};
    AfxSceneDef scene = afx_default_scene();
    AfxSimDef own = afx_default_sim();
    AfxiCaseArguments args;
    assert_ok(afxi_case_arguments(afxi_case_find(name), argument ? 1 : 0, &argument, &args, NULL));
    assert_ok(afxi_case_build(&args, &scene, &world.scene, NULL));
    own.dt = args.from->dt;
    world_start(&world, def ? def : &own);
    return world;
}

void world_start(World *world, const AfxSimDef *def) {
    sim_start(world->scene, &world->model, &world->sim, def);
    assert_ok(afx_sim_trace(world->sim, CAPACITY));
}

void world_free(World *world) {
    afx_sim_destroy(world->sim);
    afx_model_destroy(world->model);
    afx_scene_destroy(world->scene);
    *world = (World){0};
}

AfxBodyId world_body(World *world, const AfxBodyDef *def) {
    AfxBodyId id;
    assert_ok(afx_scene_add_body(world->scene, def, &id));
    return id;
}

AfxJointId world_joint(World *world, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxPose frame) {
    return scene_joint(world->scene, kind, base, follower, frame);
}

AfxTraceEvent event_at(const AfxSim *sim, uint32_t index) {
    AfxTraceEvent event;
    assert_ok(afx_sim_trace_event(sim, index, &event));
    return event;
}

uint32_t count_kind(const AfxSim *sim, AfxTraceKind kind) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < afx_sim_trace_count(sim); k++) {
        count += event_at(sim, k).kind == kind;
    }
    return count;
}

uint32_t count_reason(const AfxSim *sim, AfxTraceReason reason) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < afx_sim_trace_count(sim); k++) {
        AfxTraceEvent event = event_at(sim, k);
        count += event.kind == AFX_TRACE_SOLVE && event.reason == reason;
    }
    return count;
}

AfxTraceEvent first_of(const AfxSim *sim, AfxTraceKind kind) {
    for (uint32_t k = 0; k < afx_sim_trace_count(sim); k++) {
        AfxTraceEvent event = event_at(sim, k);
        if (event.kind == kind) {
            return event;
        }
    }
    fail_msg("no event \"%s\"", afx_trace_kind_name(kind));
    return (AfxTraceEvent){0};
}

AfxStatus traced_step(AfxSim *sim, AfxStepReport *out_report) {
    afx_sim_trace_clear(sim);
    return afx_step(sim, out_report);
}
