/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots that somebody has changed: what a step could not have left is refused and changes nothing; with what is
 * taken the run goes on soundly. Where there are assertions, the validators look at it. */
#include "tests.h"

#include "step/sim.h"
#include "support/rigid_reference.h"

static AfxBodyId add(AfxScene *scene, bool rigid, AfxBodyKind kind, AfxVec3 position, AfxShapeDef shape) {
    AfxBodyId id;
    AfxBodyDef body = afx_default_body();
    body.kind = kind;
    body.pose.position = position;
    body.young = rigid ? INFINITY : body.young;
    body.linear_velocity.x = kind == AFX_BODY_DYNAMIC;
    assert_int_equal(afx_scene_add_body(scene, &body, &id), AFX_OK);
    assert_int_equal(afx_scene_add_shape(scene, id, &shape), AFX_OK);
    return id;
}

/* A wrench, a marker, and a spring to the world. */
static void add_forces(AfxScene *scene, AfxBodyId body) {
    AfxWrenchDef wrench = afx_default_wrench();
    AfxSpringDef spring = afx_default_spring();
    AfxWrenchId wrench_id;
    AfxSpringId spring_id;
    AfxMarkerId marker;
    wrench.body = spring.body_b = body;
    spring.body_a = afx_world();
    spring.point_a = v3(6, 1, 3);
    spring.stiffness = 2;
    assert_int_equal(afx_scene_add_wrench(scene, &wrench, &wrench_id), AFX_OK);
    assert_int_equal(afx_scene_add_spring(scene, &spring, &spring_id), AFX_OK);
    assert_int_equal(afx_scene_add_marker(scene, body, "tip", v3(0, 0, -0.5), &marker), AFX_OK);
}

/* A box that slides on the ground, an arm with a servo and a limit, and a body that is led. `smooth`: the box falls,
 * and there is no limit. */
static void build(AfxScene *scene, bool smooth) {
    add(scene, smooth, AFX_BODY_FIXED, v3(0, 0, smooth ? -100 : 0), afx_default_plane());
    add(scene, smooth, AFX_BODY_DYNAMIC, v3(0, 0, 0.5), afx_default_box(1, 1, 1));
    AfxBodyId arm = add(scene, smooth, AFX_BODY_DYNAMIC, v3(5, 0, 3), afx_default_box(1, 1, 1));
    add(scene, smooth, AFX_BODY_KINEMATIC, v3(0, 8, 4), afx_default_box(1, 1, 1));
    AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
    AfxJointId hinge;
    joint.base = afx_world();
    joint.follower = arm;
    assert_int_equal(afx_joint_place(scene, &joint, (AfxPose){v3(5, 0, 4), {0.8, 0.6, 0, 0}}), AFX_OK);
    assert_int_equal(afx_scene_add_joint(scene, &joint, &hinge), AFX_OK);
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO), limit = afx_default_drive(AFX_DRIVE_LIMIT);
    servo.joint = limit.joint = hinge;
    servo.stiffness = 50;
    servo.effort = 5;
    limit.lower = -0.1;
    limit.upper = 0.1;
    AfxDriveId id;
    if (!smooth) {
        assert_int_equal(afx_scene_add_drive(scene, &servo, &id), AFX_OK);
        assert_int_equal(afx_scene_add_drive(scene, &limit, &id), AFX_OK);
        AfxDriveDef led = afx_default_drive(AFX_DRIVE_FORCE);
        led.joint = hinge;
        led.from_input = true;
        assert_int_equal(afx_scene_add_drive(scene, &led, &id), AFX_OK);
    }
    add_forces(scene, arm);
}

World world_mixed(AfxIntegrator integrator) {
    World world = {0};
    bool smooth = integrator >= AFX_CONSERVING;
    AfxSceneDef def = afx_default_scene();
    AfxSimDef sim = afx_default_sim();
    sim.integrator = integrator;
    assert_int_equal(afx_scene_create(&def, &world.scene), AFX_OK);
    build(world.scene, smooth);
    assert_int_equal(afx_scene_set_contact(world.scene, !smooth), AFX_OK);
    assert_int_equal(afx_model_create(world.scene, &world.model, NULL), AFX_OK);
    assert_int_equal(afx_sim_create(world.model, &sim, &world.sim), AFX_OK);
    AfxPose led = {v3(0, 8, 4.1), {1, 0, 0, 0}};
    assert_int_equal(afx_sim_set_body_target(world.sim, 3, led, (AfxTwist){v3(0, 0, 1), v3(0, 0, 0)}), AFX_OK);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(afx_step(world.sim, NULL), AFX_OK);
    }
    return world;
}

/* ---- values out of range ---- */

static char *bytes; /* a copy of a good snapshot */

/* `size` bytes of a snapshot from `at` on that no step leaves. */
typedef struct Fault {
    size_t at, size;
    uint64_t value;
} Fault;

static size_t place(const AfxiState *state, const void *part) {
    return (size_t)((const char *)part - (const char *)state->head);
}

static Fault number(size_t at, double value) {
    Fault fault = {at, sizeof value, 0};
    memcpy(&fault.value, &value, sizeof value);
    return fault;
}

static Fault flag(size_t at, uint8_t value) {
    return (Fault){at, 1, value};
}

/* Fills out with all faults, and returns how many there are. */
static size_t list_faults(const AfxModel *model, const AfxiState *s, Fault *out) {
    size_t memory = s->size, led = AFXI_AFFINE_WIDTH * (size_t)model->kinematic[0].body;
    const Fault all[] = {
        {offsetof(AfxiStateHead, uneven), 4, 2},
        {offsetof(AfxiStateHead, has_history), 4, 7},
        number(offsetof(AfxiStateHead, dt), 0),
        number(offsetof(AfxiStateHead, dt), 1e7),
        number(offsetof(AfxiStateHead, base_time), NAN),
        number(offsetof(AfxiStateHead, rho), -1),
        number(place(s, s->q + 13), NAN),
        number(place(s, s->v + 17), INFINITY),
        number(place(s, s->home_x2 + 14), NAN),
        number(place(s, s->home_x3 + 14), INFINITY),
        number(place(s, s->gap + 14), NAN),
        number(place(s, s->last_gap + 14), INFINITY),
        number(place(s, s->lambda), -INFINITY),
        number(place(s, s->angle), NAN),
        number(place(s, s->drive_travel), NAN),
        number(place(s, s->drive_input + 1), NAN),
        flag(place(s, s->drive_branch), 3),
        flag(place(s, s->joint_active), 2),
        flag(place(s, s->curved + 1), 255),
        flag(place(s, s->regularise), 2),
        flag(place(s, s->pace + 1), 0x40),
        flag(place(s, s->pace + 1), AFXI_PACE_RESTART), /* and the head says that there is none */
        number(place(s, s->q + led), 1.001),
        number(place(s, &s->targets[0].q[4]), 2),
        number(place(s, &s->targets[0].v[9]), NAN),
        {place(s, &s->targets[0].active), 8, 2},
        {memory + offsetof(AfxiPointMemory, item_a), 4, model->contacts.shape_count},
        {memory + offsetof(AfxiPointMemory, item_b), 4, UINT32_MAX},
        {memory + offsetof(AfxiPointMemory, feature), 4, UINT32_MAX}, /* out of their order */
        {memory + offsetof(AfxiPointMemory, sliding), 4, 2},
        number(memory + offsetof(AfxiPointMemory, limit), -1),
        number(memory + offsetof(AfxiPointMemory, slip), NAN),
        number(memory + offsetof(AfxiPointMemory, push), INFINITY),
        number(memory + offsetof(AfxiPointMemory, stretch), NAN),
    };
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static void what_no_step_leaves_is_refused(void **state) {
    (void)state;
    World world = world_mixed(AFX_BDF2);
    const AfxiState *own = &world.sim->world.state;
    size_t size, after_size;
    void *good = world_state(&world, &size);
    assert_true(own->head->contact_points > 1 && own->head->has_history && own->targets[0].active &&
                !own->head->uneven);
    Fault faults[64];
    size_t count = list_faults(world.model, own, faults);
    bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t k = 0; k < count; k++) {
        memcpy(bytes, good, size);
        memcpy(bytes + faults[k].at, &faults[k].value, faults[k].size); /* the lowest bytes come first */
        AfxStatus status = afx_sim_restore(world.sim, bytes, size);
        if (status != AFX_E_INPUT) {
            fail_msg("fault %zu: %s", k, afx_status_name(status));
        }
        void *after = world_state(&world, &after_size);
        assert_int_equal(after_size, size);
        assert_memory_equal(after, good, size);
        free(after);
    }
    assert_int_equal(afx_sim_restore(world.sim, good, size), AFX_OK);
    free(bytes);
    free(good);
    world_free(&world);
}

/* ---- any change ---- */

/* Restores, and steps where that goes well: the state stays finite, and the next good snapshot is taken. */
static bool goes_soundly(const World *world, const void *good, size_t size) {
    bool taken = afx_sim_restore(world->sim, bytes, size) == AFX_OK;
    if (taken && afx_step(world->sim, NULL) == AFX_OK) {
        const double *q = afx_sim_coordinates(world->sim), *v = afx_sim_velocities(world->sim);
        for (size_t k = 0; k < 12 * (size_t)afx_model_body_count(world->model); k++) {
            assert_true(isfinite(q[k]) && isfinite(v[k]));
        }
    }
    assert_int_equal(afx_sim_restore(world->sim, good, size), AFX_OK);
    return taken;
}

static void any_change_is_refused_or_gone_on_from(void **state) {
    (void)state;
    static const double numbers[] = {NAN, INFINITY, -1, 1e300, -1e-300};
    uint32_t tried = 0, taken = 0;
    for (int integrator = AFX_BDF2; integrator <= AFX_REFERENCE; integrator++) {
        World world = world_mixed((AfxIntegrator)integrator);
        size_t size;
        void *good = world_state(&world, &size);
        bytes = malloc(size);
        assert_non_null(bytes);
        for (size_t k = (size_t)integrator % 3; k < size / 8; k += 3) {
            memcpy(bytes, good, size);
            memcpy(bytes + 8 * k, &numbers[k % 5], 8);
            tried++;
            taken += goes_soundly(&world, good, size);
            memcpy(bytes, good, size);
            bytes[8 * k + (k / 8) % 8] ^= (char)(1 << k % 8);
            tried++;
            taken += goes_soundly(&world, good, size);
        }
        free(bytes);
        free(good);
        world_free(&world);
    }
    print_message("  %u changed snapshots, %u taken\n", tried, taken);
    assert_true(taken > 0 && taken < tried);
}

int run_foreign_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_no_step_leaves_is_refused),
                                       cmocka_unit_test(any_change_is_refused_or_gone_on_from)};
    return cmocka_run_group_tests_name("fault: foreign", tests, NULL, NULL);
}
