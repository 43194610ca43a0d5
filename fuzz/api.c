/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a sequence of calls of the public functions, with numbers of every sort. Calls may be refused; nothing may
 * crash, leak, or leave a state that is not finite behind a step that says it is fine. */
#include "api_scene.h"

#include <stdlib.h>

#define CALLS_MOST 120
#define STEPS_MOST 12

static void compile(World *world, Tape *tape) {
    AfxSimDef def = afx_default_sim();
    AfxError error;
    afx_sim_destroy(world->sim);
    afx_model_destroy(world->model);
    world->sim = NULL;
    AfxStatus status = afx_model_create(world->scene, &world->model, &error);
    fuzz_expect((status == AFX_OK) == (world->model != NULL), "a model and its status differ");
    if (status != AFX_OK) {
        return;
    }
    def.allocator = fuzz_allocator(&world->memory);
    def.integrator = (AfxIntegrator)(byte(tape) % 5);
    def.accuracy = (AfxAccuracy)(byte(tape) % 3);
    def.dt = byte(tape) % 2 ? 0.01 : number(tape);
    def.rho = byte(tape) % 2 ? 0.8 : number(tape);
    def.solves = byte(tape) % 4 ? 0 : byte(tape) % 8;
    def.lanes = byte(tape) % 4 ? 0 : byte(tape);
    def.error = &error;
    status = afx_sim_create(world->model, &def, &world->sim);
    fuzz_expect((status == AFX_OK) == (world->sim != NULL), "a sim and its status differ");
    fuzz_expect(!world->sim || fuzz_finite(world->sim), "a sim begins with a state that is not finite");
}

static void step(World *world) {
    AfxStepReport report;
    if (world->steps++ < STEPS_MOST) {
        AfxStatus status = afx_step(world->sim, &report);
        fuzz_expect(fuzz_finite(world->sim), "a step leaves a state that is not finite");
        fuzz_expect(status == AFX_OK || status == AFX_E_NUMERIC, "a step has another status");
    }
}

static void set_state(World *world, Tape *tape) {
    uint32_t which = byte(tape), joints = afx_model_joint_count(world->model);
    AfxTwist twist;
    switch (byte(tape) % 9) {
    case 0:
        (void)afx_sim_set_body_pose(world->sim, which % BODIES_MOST, pose(tape));
        break;
    case 1:
        twist.linear = vector(tape);
        twist.angular = vector(tape);
        (void)afx_sim_set_body_twist(world->sim, which % BODIES_MOST, twist);
        break;
    case 2:
        (void)afx_sim_set_dt(world->sim, number(tape));
        break;
    case 3:
        (void)afx_sim_set_joint_active(world->sim, which % (joints + 1), byte(tape) % 2);
        break;
    case 4:
        (void)afx_sim_set_joint_coordinate(world->sim, which % (joints + 1), byte(tape) % 6, number(tape), NULL);
        break;
    case 5:
        (void)afx_sim_set_drive_target(world->sim, which % 8, number(tape), number(tape));
        break;
    case 6:
        twist.linear = vector(tape);
        twist.angular = vector(tape);
        (void)afx_sim_set_body_target(world->sim, which % BODIES_MOST, pose(tape), twist);
        break;
    case 7:
        (void)afx_sim_assemble(world->sim, NULL);
        break;
    default: {
        AfxVec3 rest[4] = {vector(tape), vector(tape), vector(tape), vector(tape)};
        AfxVec3 at[4] = {vector(tape), vector(tape), vector(tape), vector(tape)};
        (void)afx_sim_set_control_points(world->sim, which % BODIES_MOST, rest, at, NULL);
    }
    }
    fuzz_expect(fuzz_finite(world->sim), "setting something leaves a state that is not finite");
}

static void set_param(World *world, Tape *tape) {
    AfxParamKind kind = (AfxParamKind)(byte(tape) % (AFX_PARAM_KIND_COUNT + 1));
    uint32_t index = byte(tape) % 16;
    double values[AFX_PARAM_SIZE_MOST];
    for (int k = 0; k < AFX_PARAM_SIZE_MOST; k++) {
        values[k] = byte(tape) % 2 ? 1 : number(tape);
    }
    (void)afx_sim_set_param(world->sim, kind, index, values);
    (void)afx_sim_param(world->sim, kind, index, values);
}

static void ask(World *world, Tape *tape) {
    AfxEnergy energy;
    AfxMomentum momentum;
    AfxWrench reaction;
    AfxPose at;
    double value, rate;
    int64_t freedom;
    uint32_t redundant, which = byte(tape) % 16;
    (void)afx_sim_energy(world->sim, &energy);
    (void)afx_sim_momentum(world->sim, &momentum);
    (void)afx_sim_body_pose(world->sim, which, &at);
    (void)afx_sim_joint_reaction(world->sim, which, &reaction);
    (void)afx_sim_joint_coordinate(world->sim, which, byte(tape) % 6, &value, &rate);
    (void)afx_sim_mobility(world->sim, &freedom, &redundant);
}

static void keep_and_restore(World *world) {
    size_t size = afx_sim_snapshot_size(world->sim);
    void *buffer = malloc(size);
    if (buffer && afx_sim_snapshot(world->sim, buffer, size) == AFX_OK) {
        step(world);
        fuzz_expect(afx_sim_restore(world->sim, buffer, size) == AFX_OK, "a sim refuses its own snapshot");
    }
    free(buffer);
}

static void call(World *world, Tape *tape) {
    unsigned what = byte(tape) % 20;
    bool room = afx_scene_body_count(world->scene) < BODIES_MOST;
    AfxBodyDef def;
    AfxBodyId id;
    if (what >= 14 && !world->sim) {
        what = 13;
    }
    switch (what) {
    case 0:
    case 1:
        def = body_def(tape);
        if (room) {
            (void)afx_scene_add_body(world->scene, &def, &id);
        }
        break;
    case 2:
    case 3:
    case 4:
        add_shape(world, tape);
        break;
    case 5:
    case 6:
        if (room) {
            add_joint(world, tape);
        }
        break;
    case 7:
    case 8:
        add_drive(world, tape);
        break;
    case 9:
        add_coupling(world, tape);
        break;
    case 10:
        add_other(world, tape);
        break;
    case 11:
        def = body_def(tape);
        (void)afx_scene_set_body(world->scene, body(world, tape), &def);
        break;
    case 12:
        if (byte(tape) % 8 == 0) {
            afx_scene_clear(world->scene);
        }
        break;
    case 13:
        compile(world, tape);
        break;
    case 14:
        set_state(world, tape);
        break;
    case 15:
        set_param(world, tape);
        break;
    case 16:
        ask(world, tape);
        break;
    case 17:
        keep_and_restore(world);
        break;
    default:
        step(world);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Tape tape = {data, data + size};
    World world = {0};
    world.scene = fuzz_scene(&world.memory);
    for (int k = 0; k < CALLS_MOST && tape.p < tape.end; k++) {
        call(&world, &tape);
    }
    afx_sim_destroy(world.sim);
    afx_model_destroy(world.model);
    afx_scene_destroy(world.scene);
    fuzz_done(&world.memory);
    return 0;
}
