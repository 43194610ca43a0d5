/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a sequence of calls of the public functions, with numbers of every sort. Calls may be refused; nothing may
 * crash, leak, or leave a state that is not finite behind a step that says it is fine. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_MOST 120
#define BODIES_MOST 24u
#define STEPS_MOST 12

typedef struct Tape {
    const uint8_t *p, *end;
} Tape;

static unsigned byte(Tape *tape) {
    return tape->p < tape->end ? *tape->p++ : 0;
}

/** Mostly tame numbers; now and then one that must be refused. */
static double number(Tape *tape) {
    static const double special[] = {0,     -0.0,      NAN,  INFINITY, -INFINITY, 1e308,  -1e308, 1e-308,
                                     1e-12, 123456789, -1e9, 5e-324,   1e150,     1e-150, 3.5,    -1};
    unsigned sort = byte(tape);
    return sort < 224 ? ((int)sort - 112) / 16.0 : special[sort % 16];
}

static AfxVec3 vector(Tape *tape) {
    double x = number(tape), y = number(tape), z = number(tape);
    return (AfxVec3){x, y, z};
}

static AfxPose pose(Tape *tape) {
    AfxPose p = {vector(tape), {1, 0, 0, 0}};
    unsigned sort = byte(tape);
    if (sort % 4 == 1) {
        AfxVec3 axis = vector(tape);
        p.rotation = afx_quat_from_axis_angle(axis, number(tape));
    } else if (sort % 16 == 2) {
        p.rotation = (AfxQuat){number(tape), number(tape), number(tape), number(tape)};
    }
    return p;
}

static AfxSignal signal(Tape *tape) {
    static double times[4], values[4]; /* copied by every call that takes a signal */
    AfxSignal s = {.kind = (AfxSignalKind)(byte(tape) % 5)};
    for (int k = 0; k < AFX_SIGNAL_COEFFICIENTS; k++) {
        s.coefficients[k] = number(tape);
    }
    s.sample_count = byte(tape) % 5;
    for (uint32_t k = 0; k < 4; k++) {
        times[k] = byte(tape) % 8 ? 0.01 * k : number(tape);
        values[k] = number(tape);
    }
    s.times = byte(tape) % 32 ? times : NULL;
    s.values = values;
    return s;
}

static const char *name(Tape *tape) {
    static const char *const names[] = {NULL, "", "a", "b", "c", "d", "world", "\xff"};
    return names[byte(tape) % 8];
}

/* ---- what is alive ---- */

typedef struct World {
    FuzzMemory memory;
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    int steps;
} World;

static AfxBodyId body(World *world, Tape *tape) {
    uint32_t count = afx_scene_body_count(world->scene);
    unsigned k = byte(tape);
    if (k == 255) {
        return (AfxBodyId){k, k};
    }
    return k % 8 == 7 || count == 0 ? afx_world() : afx_scene_body(world->scene, k % count);
}

static AfxJointId joint(World *world, Tape *tape) {
    uint32_t count = afx_scene_joint_count(world->scene);
    unsigned k = byte(tape);
    return k == 255 || count == 0 ? (AfxJointId){k, 1} : afx_scene_joint(world->scene, k % count);
}

/* ---- authoring ---- */

static AfxBodyDef body_def(Tape *tape) {
    AfxBodyDef def = afx_default_body();
    unsigned use = byte(tape);
    def.name = name(tape);
    def.kind = (AfxBodyKind)(byte(tape) % 4);
    def.pose = pose(tape);
    if (use & 1) {
        def.linear_velocity = vector(tape);
        def.angular_velocity = vector(tape);
    }
    if (use & 2) {
        def.mass_source = (AfxMassSource)(byte(tape) % 3);
        def.mass = number(tape);
        def.center = vector(tape);
        for (int k = 0; k < 6; k++) {
            def.inertia[k] = number(tape);
        }
    }
    if (use & 4) {
        def.young = number(tape);
        def.poisson = number(tape);
        def.linear_damping = number(tape);
        def.angular_damping = number(tape);
        def.gravity = byte(tape) % 2;
    }
    if (use & 8) {
        for (int k = 0; k < 3; k++) {
            def.motion.translation[k].kind = AFX_SIGNAL_POLYNOMIAL;
            def.motion.translation[k].coefficients[1] = number(tape);
        }
        def.motion.axis = vector(tape);
        def.motion.angle = signal(tape);
    }
    def.cookie -= (use & 128) && (use & 64) && (use & 32);
    return def;
}

static void add_shape(World *world, Tape *tape) {
    static const uint32_t solid[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    double vertices[24];
    uint32_t triangles[12], count = byte(tape) % 9;
    AfxBodyId id = body(world, tape);
    AfxShapeDef def = afx_default_sphere(number(tape));
    def.kind = (AfxShapeKind)(byte(tape) % 8);
    def.half_extents = vector(tape);
    def.length = number(tape);
    def.density = byte(tape) % 4 ? 1000 : number(tape);
    def.mass = byte(tape) % 4 ? 0 : number(tape);
    def.pose = pose(tape);
    for (int k = 0; k < 24; k++) {
        vertices[k] = number(tape);
    }
    for (int k = 0; k < 12; k++) {
        triangles[k] = byte(tape) % 8 ? solid[k] : byte(tape);
    }
    def.vertices = vertices;
    def.vertex_count = count;
    def.triangles = triangles;
    def.triangle_count = byte(tape) % 5;
    AfxStatus status = afx_scene_add_shape(world->scene, id, &def);
    AfxMass mass;
    if (status == AFX_OK && afx_scene_body_mass(world->scene, id, &mass) == AFX_OK) {
        fuzz_expect(isfinite(mass.mass) && isfinite(mass.inertia[0]), "a mass is not finite");
    }
}

static void add_joint(World *world, Tape *tape) {
    AfxJointDef def = afx_default_joint((AfxJointKind)(byte(tape) % (AFX_JOINT_KIND_COUNT + 1)));
    unsigned way = byte(tape);
    AfxJointId ids[2];
    AfxBodyId cross;
    def.name = name(tape);
    def.base = body(world, tape);
    def.follower = body(world, tape);
    def.length = number(tape);
    def.pitch = number(tape);
    def.active = byte(tape) % 8;
    def.break_force = byte(tape) % 4 ? 0 : number(tape);
    def.break_torque = byte(tape) % 4 ? 0 : number(tape);
    if (way % 4 == 0) {
        def.base_frame = pose(tape);
        def.follower_frame = pose(tape);
    } else if (way % 4 == 1) {
        AfxVec3 at = vector(tape), along = vector(tape);
        (void)afx_joint_place(world->scene, &def, afx_frame_along(at, along));
    } else if (way % 4 == 2) {
        AfxVec3 points[4] = {vector(tape), vector(tape), vector(tape), vector(tape)};
        (void)afx_joint_on_points(world->scene, &def, points, points + (way & 16 ? 2 : 0));
    }
    if (way % 32 == 31) {
        (void)afx_scene_add_universal_cross(world->scene, &def, number(tape), number(tape), ids, &cross);
    } else {
        (void)afx_scene_add_joint(world->scene, &def, ids);
    }
}

static void add_drive(World *world, Tape *tape) {
    AfxDriveDef def = afx_default_drive((AfxDriveKind)(byte(tape) % 8));
    AfxDriveId id;
    def.name = name(tape);
    def.joint = joint(world, tape);
    def.axis = byte(tape) % 8;
    def.target = signal(tape);
    def.from_input = byte(tape) % 4 == 1;
    def.stiffness = number(tape);
    def.damping = number(tape);
    def.rest = number(tape);
    def.effort = byte(tape) % 2 ? def.effort : number(tape);
    def.lower = byte(tape) % 2 ? def.lower : number(tape);
    def.upper = byte(tape) % 2 ? def.upper : number(tape);
    def.restitution = byte(tape) / 255.0;
    def.coefficient = byte(tape) % 2 ? 0 : number(tape);
    def.radius = number(tape);
    (void)afx_scene_add_drive(world->scene, &def, &id);
}

static void add_coupling(World *world, Tape *tape) {
    AfxCouplingDef def = afx_default_coupling();
    AfxCouplingId id;
    def.name = name(tape);
    def.term_count = byte(tape) % 10;
    for (int k = 0; k < AFX_COUPLING_TERMS; k++) {
        def.joint[k] = joint(world, tape);
        def.axis[k] = byte(tape) % 6;
        def.factor[k] = number(tape);
    }
    def.constant = number(tape);
    def.compliance = byte(tape) % 2 ? 0 : number(tape);
    (void)afx_scene_add_coupling(world->scene, &def, &id);
}

static void add_other(World *world, Tape *tape) {
    unsigned sort = byte(tape) % 4;
    AfxBodyId id = body(world, tape);
    if (sort == 0) {
        AfxSpringDef def = afx_default_spring();
        AfxSpringId spring;
        def.body_a = id;
        def.body_b = body(world, tape);
        def.point_a = vector(tape);
        def.point_b = vector(tape);
        def.rest_length = number(tape);
        def.stiffness = number(tape);
        def.damping = number(tape);
        (void)afx_scene_add_spring(world->scene, &def, &spring);
    } else if (sort == 1) {
        AfxWrenchDef def = afx_default_wrench();
        AfxWrenchId wrench;
        def.body = id;
        def.frame = (AfxFrame)(byte(tape) % 3);
        def.point = vector(tape);
        def.force = vector(tape);
        def.torque = vector(tape);
        (void)afx_scene_add_wrench(world->scene, &def, &wrench);
    } else if (sort == 2) {
        AfxMarkerId marker;
        (void)afx_scene_add_marker(world->scene, id, name(tape), vector(tape), &marker);
    } else {
        (void)afx_scene_set_gravity(world->scene, vector(tape));
    }
}

/* ---- running ---- */

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
    double values[16];
    for (int k = 0; k < 16; k++) {
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
