/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller in C can get wrong: numbers that are none, for every setter and every number it takes; ids of another
 * scene; and, where there are assertions, objects that were destroyed. */
#include "tests.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/rigid_reference.h"

/* ---- numbers that are none ---- */

enum { BODIES = 4, BOX = 1, ARM = 2, LED = 3, NUMBERS_MOST = 12 * BODIES };

/** A setter of a sim by the numbers it takes: `which` chooses what else it needs. */
typedef AfxStatus Set(AfxSim *sim, uint32_t which, const double *number);

static AfxVec3 vec(const double *number) {
    return v3(number[0], number[1], number[2]);
}

static AfxPose pose(const double *number) {
    return (AfxPose){vec(number), {number[3], number[4], number[5], number[6]}};
}

static AfxStatus set_dt(AfxSim *sim, uint32_t which, const double *number) {
    (void)which;
    return afx_sim_set_dt(sim, number[0]);
}

static AfxStatus set_coordinates(AfxSim *sim, uint32_t which, const double *number) {
    return afx_sim_set_state(sim, which ? NULL : number, which ? number : NULL);
}

static AfxStatus set_pose(AfxSim *sim, uint32_t which, const double *number) {
    return afx_sim_set_body_pose(sim, which, pose(number));
}

static AfxStatus set_poses(AfxSim *sim, uint32_t which, const double *number) {
    AfxPose poses[BODIES];
    assert_int_equal(afx_sim_poses(sim, poses), AFX_OK);
    poses[which] = pose(number);
    return afx_sim_set_poses(sim, poses);
}

static AfxStatus set_twist(AfxSim *sim, uint32_t which, const double *number) {
    return afx_sim_set_body_twist(sim, which, (AfxTwist){vec(number), vec(number + 3)});
}

static AfxStatus set_twists(AfxSim *sim, uint32_t which, const double *number) {
    AfxTwist twists[BODIES];
    assert_int_equal(afx_sim_twists(sim, twists), AFX_OK);
    twists[which] = (AfxTwist){vec(number), vec(number + 3)};
    return afx_sim_set_twists(sim, twists);
}

static AfxStatus set_points(AfxSim *sim, uint32_t which, const double *number) {
    AfxVec3 rest[4] = {v3(0, 0, 0), v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)}, other[4];
    for (int k = 0; k < 4; k++) {
        other[k] = vec(number + (size_t)3 * k);
    }
    return which == 0   ? afx_sim_set_control_points(sim, BOX, other, rest, NULL)
           : which == 1 ? afx_sim_set_control_points(sim, BOX, rest, other, NULL)
                        : afx_sim_set_control_points(sim, BOX, rest, NULL, other);
}

static AfxStatus set_wrench(AfxSim *sim, uint32_t which, const double *number) {
    return afx_sim_set_wrench(sim, which, (AfxWrench){vec(number), vec(number + 3)});
}

static AfxStatus set_wrenches(AfxSim *sim, uint32_t which, const double *number) {
    AfxWrench wrenches[BODIES] = {0};
    wrenches[which] = (AfxWrench){vec(number), vec(number + 3)};
    return afx_sim_set_body_wrenches(sim, wrenches);
}

static AfxStatus set_target(AfxSim *sim, uint32_t which, const double *number) {
    return afx_sim_set_body_target(sim, which, pose(number), (AfxTwist){vec(number + 7), vec(number + 10)});
}

static AfxStatus set_hold(AfxSim *sim, uint32_t which, const double *number) {
    return afx_sim_hold(sim, which, vec(number), vec(number + 3), number[6], number[7]);
}

static AfxStatus set_coordinate(AfxSim *sim, uint32_t which, const double *number) {
    return afx_sim_set_joint_coordinate(sim, which, 0, number[0], NULL);
}

static AfxStatus set_all_coordinates(AfxSim *sim, uint32_t which, const double *number) {
    (void)which;
    return afx_sim_set_joint_coordinates(sim, number, NULL);
}

static AfxStatus set_drive(AfxSim *sim, uint32_t which, const double *number) {
    return afx_sim_set_drive_target(sim, which, number[0], number[1]);
}

static AfxStatus set_param(AfxSim *sim, uint32_t which, const double *number) {
    return afx_sim_set_param(sim, (AfxParamKind)which, 0, number);
}

static const struct {
    const char *name;
    Set *set;
    uint32_t which, count; /* count: of the numbers */
    bool infinite;         /* that none of them may be */
} setters[] = {
    {"dt", set_dt, 0, 1, true},
    {"coordinates", set_coordinates, 0, 12 * BODIES, true},
    {"velocities", set_coordinates, 1, 12 * BODIES, true},
    {"pose", set_pose, BOX, 7, true},
    {"pose of a jointed body", set_pose, ARM, 7, true},
    {"poses", set_poses, BOX, 7, true},
    {"twist", set_twist, BOX, 6, true},
    {"twists", set_twists, BOX, 6, true},
    {"points at rest", set_points, 0, 12, true},
    {"points", set_points, 1, 12, true},
    {"velocities of points", set_points, 2, 12, true},
    {"wrench", set_wrench, 0, 6, true},
    {"wrenches", set_wrenches, ARM, 6, true},
    {"target", set_target, LED, 13, true},
    {"hold", set_hold, BOX, 8, true},
    {"joint coordinate", set_coordinate, 0, 1, true},
    {"joint coordinates", set_all_coordinates, 0, 1, true},
    {"drive target", set_drive, 2, 2, true},
};

/* Puts each value into each place of what the setter takes: it refuses, and the state is what it was. */
static void refuse(const World *world, const char *name, Set *set, uint32_t which, const double *good, uint32_t count,
                   bool infinite) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    size_t size, after_size;
    void *before = world_state(world, &size);
    for (uint32_t k = 0; k < count; k++) {
        for (int b = 0; b < (infinite ? 3 : 1); b++) {
            double number[NUMBERS_MOST];
            memcpy(number, good, count * sizeof *number);
            number[k] = bad[b];
            AfxStatus status = set(world->sim, which, number);
            if (status != AFX_E_ARGUMENT && status != AFX_E_INPUT) {
                fail_msg("%s, number %u: %g: %s", name, k, bad[b], afx_status_name(status));
            }
            void *after = world_state(world, &after_size);
            assert_int_equal(after_size, size);
            assert_memory_equal(after, before, size);
            free(after);
        }
    }
    free(before);
}

static void no_setter_takes_what_is_no_number(void **state) {
    (void)state;
    World world = world_mixed(AFX_BDF2), other = world_mixed(AFX_BDF2);
    assert_int_equal(afx_model_body_count(world.model), BODIES);
    static const double good[NUMBERS_MOST] = {0.01, 0.02, 0.03, 1};
    for (size_t k = 0; k < sizeof setters / sizeof setters[0]; k++) {
        refuse(&world, setters[k].name, setters[k].set, setters[k].which, good, setters[k].count, setters[k].infinite);
    }
    uint32_t kinds = 0;
    for (uint32_t kind = 0; kind < AFX_PARAM_KIND_COUNT; kind++) { /* some are infinite for never, or for rigid */
        AfxParamInfo info;
        double number[NUMBERS_MOST];
        assert_int_equal(afx_model_param_info(world.model, (AfxParamKind)kind, &info), AFX_OK);
        if (info.count && afx_sim_param(world.sim, (AfxParamKind)kind, 0, number) == AFX_OK) {
            refuse(&world, info.name, set_param, kind, number, info.size, false);
            kinds++;
        }
    }
    assert_true(kinds >= 14);
    for (int k = 0; k < 5; k++) { /* and it goes on as one that was not bothered */
        assert_int_equal(afx_step(world.sim, NULL), AFX_OK);
        assert_int_equal(afx_step(other.sim, NULL), AFX_OK);
    }
    assert_true(world_hash(&world) == world_hash(&other));
    world_free(&world);
    world_free(&other);
}

/* ---- ids of another scene ---- */

static void ids_of_another_scene_are_refused(void **state) {
    (void)state;
    AfxSceneDef def = afx_default_scene();
    AfxScene *own = NULL, *other = NULL;
    AfxBodyDef body = afx_default_body();
    AfxBodyId mine, foreign;
    AfxShapeDef box = afx_default_box(1, 1, 1);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
    AfxJointId hinge, foreign_hinge;
    assert_int_equal(afx_scene_create(&def, &own), AFX_OK);
    assert_int_equal(afx_scene_create(&def, &other), AFX_OK);
    assert_int_equal(afx_scene_add_body(own, &body, &mine), AFX_OK);
    assert_int_equal(afx_scene_add_body(other, &body, &foreign), AFX_OK);
    joint.base = afx_world();
    joint.follower = foreign;
    assert_int_equal(afx_scene_add_joint(own, &joint, &hinge), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_add_joint(other, &joint, &foreign_hinge), AFX_OK);
    joint.base = foreign;
    joint.follower = mine;
    assert_int_equal(afx_scene_add_joint(own, &joint, &hinge), AFX_E_ARGUMENT);
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_FORCE);
    AfxDriveId drive_id;
    drive.joint = foreign_hinge;
    assert_int_equal(afx_scene_add_drive(own, &drive, &drive_id), AFX_E_ARGUMENT);
    AfxSpringDef spring = afx_default_spring();
    AfxSpringId spring_id;
    spring.body_a = mine;
    spring.body_b = foreign;
    assert_int_equal(afx_scene_add_spring(own, &spring, &spring_id), AFX_E_ARGUMENT);
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrenchId wrench_id;
    wrench.body = foreign;
    assert_int_equal(afx_scene_add_wrench(own, &wrench, &wrench_id), AFX_E_ARGUMENT);
    AfxMarkerId marker;
    assert_int_equal(afx_scene_add_marker(own, foreign, NULL, v3(0, 0, 0), &marker), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_add_shape(own, foreign, &box), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_set_body(own, foreign, &body), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_exclude_contact(own, mine, foreign), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_shape_count(own, foreign), 0);
    afx_scene_clear(other); /* what it gave is stale in itself too */
    assert_int_equal(afx_scene_add_body(other, &body, &mine), AFX_OK);
    assert_int_equal(afx_scene_add_shape(other, foreign, &box), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_body_count(own), 1);
    afx_scene_destroy(own);
    afx_scene_destroy(other);
}

/* ---- objects that were destroyed ---- */

#if defined(AFXI_ASSERTIONS)

/* Gives nothing back: what was destroyed can be read, so that it is the library that notices. */
static void *keep_all(void *user, void *block, size_t old_size, size_t new_size) {
    (void)user;
    void *grown = new_size ? calloc(1, new_size) : NULL;
    if (grown && block) {
        memcpy(grown, block, old_size < new_size ? old_size : new_size);
    }
    return grown;
}

static void use_destroyed(int which, const World *world) {
    static char buffer[1 << 20];
    AfxModel *model;
    AfxSim *sim;
    AfxSimDef def = afx_default_sim();
    afx_sim_destroy(world->sim);
    afx_model_destroy(world->model);
    afx_scene_destroy(world->scene);
    switch (which) {
    case 0:
        afx_step(world->sim, NULL);
        break;
    case 1:
        afx_sim_destroy(world->sim);
        break;
    case 2:
        afx_sim_restore(world->sim, buffer, sizeof buffer);
        break;
    case 3:
        afx_sim_create(world->model, &def, &sim);
        break;
    case 4:
        afx_model_destroy(world->model);
        break;
    case 5:
        afx_model_create(world->scene, &model, NULL);
        break;
    default:
        afx_scene_destroy(world->scene);
    }
}

enum { USES = 7 };

static void what_was_destroyed_is_noticed(void **state) {
    (void)state;
    AfxAllocator allocator = {keep_all, NULL};
    for (int which = 0; which < USES; which++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            World world = world_make(&small_cases[0], &allocator);
            signal(SIGABRT, SIG_DFL);
            fclose(stderr); /* it is told what is wrong there */
            use_destroyed(which, &world);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) {
            fail_msg("use %d after destroying went unnoticed", which);
        }
    }
}

#endif

int run_misuse_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_setter_takes_what_is_no_number),
        cmocka_unit_test(ids_of_another_scene_are_refused),
#if defined(AFXI_ASSERTIONS)
        cmocka_unit_test(what_was_destroyed_is_noticed),
#endif
    };
    return cmocka_run_group_tests_name("fault: misuse", tests, NULL, NULL);
}
