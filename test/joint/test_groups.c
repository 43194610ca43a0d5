/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of joints in lanes against the same rows one by one, whose gradients other tests compare with differences: every
 * kind of joint, a servo and a limit on every coordinate, bodies that are strained and joints that do not hold. */
#include "constraint/groups.h"
#include "constraint/rows.h"
#include "constraint/tuning.h"
#include "driven.h"
#include "pair.h"
#include "step/sim.h"

enum { OF_EACH_KIND = 5, ROUNDS = 3 };

/* A tree in which every kind holds several joints, on a body, on the world or on one that is moved. */
static Rig every_kind(uint64_t *seed) {
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyDef carriage = afx_default_body();
    carriage.kind = AFX_BODY_KINEMATIC;
    AfxBodyId base[3] = {afx_world(), rig_body(&rig, &carriage), {0}}, before = {0};
    for (int k = 0; k < OF_EACH_KIND * AFX_JOINT_KIND_COUNT; k++) {
        AfxBodyDef def = odd_def(seed);
        AfxJointDef joint = afx_default_joint((AfxJointKind)(k % AFX_JOINT_KIND_COUNT));
        def.pose.position = random_vec3(seed, 1);
        AfxBodyId body = rig_body(&rig, &def);
        joint.base = k == 0 ? base[0] : before;
        joint.follower = body;
        joint.base_frame.position = random_vec3(seed, 0.5);
        joint.follower_frame.position = random_vec3(seed, 0.5);
        joint.follower_frame.rotation = random_quat(seed);
        joint.length = 0.7;
        joint.pitch = PITCH;
        if (k % 2) { /* held a second time, so that all is one graph */
            AfxJointDef ball = joint;
            ball.kind = AFX_JOINT_SPHERICAL;
            rig_joint_def(&rig, &ball);
            joint.base = base[k % 4 == 1];
        }
        AfxJointId id = rig_joint_def(&rig, &joint);
        for (uint32_t axis = 0; axis < afxi_joint_kind(joint.kind)->axis_count; axis++) {
            for (int limit = 0; limit < 2; limit++) {
                AfxDriveDef drive = afx_default_drive(limit ? AFX_DRIVE_LIMIT : AFX_DRIVE_SERVO);
                drive.joint = id;
                drive.axis = axis;
                drive.stiffness = 3;
                drive.damping = 0.2;
                drive.lower = -1;
                drive.upper = 1;
                add_drive(&rig, &drive);
            }
        }
        before = body;
    }
    return rig;
}

/* Bodies anywhere, strained by a few per cent, with a past and a result. */
static void scatter(AfxSim *sim, AfxiRows *rows, double *lambda, uint64_t *seed) {
    const AfxiGraph *graph = rows->graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        rows->frame[k] = mat3_from_quat(random_quat(seed));
        rows->origin[k] = random_vec3(seed, 1);
        AfxiMat3 turn = mat3_from_quat(random_quat(seed));
        for (int e = 0; e < 12; e++) {
            size_t at = 12 * (size_t)k + e;
            const double frame = e < 9 ? rows->frame[k].m[e] : (&rows->origin[k].x)[e - 9];
            rows->at[at] = frame + (e < 9 ? 0.05 * (random_unit(seed) - 0.5) : 0);
            rows->qv[at] = frame + 0.1 * (random_unit(seed) - 0.5);
            rows->next[at] = e < 9 ? turn.m[e] + 0.05 * (random_unit(seed) - 0.5) : 2 * random_unit(seed) - 1;
        }
    }
    for (uint32_t row = 0; row < graph->row_count; row++) {
        lambda[row] = 2 * random_unit(seed) - 1;
    }
    for (uint32_t k = 0; k < sim->model->angle_count; k++) { /* turns to count on from */
        sim->world.state.angle[k] = 40 * (random_unit(seed) - 0.5);
    }
    rows->h_rate = 0.013;
    rows->strained = true;
    rows->placed = false;
    rows->cache->joint = UINT32_MAX;
}

static double *copy_of(const double *from, size_t count) {
    double *to = malloc(count * sizeof *to);
    assert_non_null(to);
    memcpy(to, from, count * sizeof *to);
    return to;
}

static double worst_of(const double *a, const double *b, size_t count) {
    double worst = 0;
    for (size_t k = 0; k < count; k++) {
        double off = fabs(a[k] - b[k]) / (1 + fabs(b[k]));
        worst = off > worst || isnan(off) ? off : worst;
    }
    return worst;
}

/* Geometric stiffness from the gradients one by one. */
static void reference_stiffness(AfxiRows *rows, const double *lambda, double *bound, double *exact) {
    const AfxiGraph *graph = rows->graph;
    memset(bound, 0, graph->body_count * sizeof *bound);
    memset(exact, 0, 6 * (size_t)graph->body_count * sizeof *exact);
    for (uint32_t e = 0; e < graph->entry_count; e++) {
        const AfxiGraphBlock *block = &graph->block[graph->entry[e].block];
        uint32_t k = graph->entry[e].dof.index, joint = block->index;
        const AfxiJoint *own = &rows->world->model->joints[joint];
        for (uint32_t r = 0; r < block->row_count; r++) {
            double l = lambda[block->first_row + r], arm[2], square = 0;
            const double *g = rows->jacobian + graph->entry[e].jacobian + 12 * (size_t)r;
            for (int i = 0; i < 9; i++) {
                square += g[i] * g[i];
            }
            arm[0] = arm[1] = 2 * sqrt(square);
            if (graph->row[block->first_row + r].source == AFXI_SOURCE_JOINT) {
                afxi_row_arms(afxi_row_spec(rows, block->first_row + r), afxi_world_joint_frame(rows->world, joint),
                              afxi_row_state(rows, joint, AFXI_AT_FRAMES), &arm[0], &arm[1]);
            }
            const double trace = g[0] + g[4] + g[8];
            const double k6[6] = {g[0] - trace,        g[4] - trace,        g[8] - trace,
                                  (g[1] + g[3]) * 0.5, (g[2] + g[6]) * 0.5, (g[5] + g[7]) * 0.5};
            bound[k] += fabs(l) * arm[graph->body[k] != own->follower];
            for (int i = 0; i < 6; i++) {
                exact[6 * (size_t)k + i] += l * k6[i];
            }
        }
    }
}

/* Values, gradients and rates; those of coordinates before their laws. */
static void check_frames(AfxiRows *rows) {
    const AfxiGraph *graph = rows->graph;
    size_t count = graph->row_count, numbers = graph->jacobian_length;
    afxi_rows_linearise(rows);
    double *jacobian = copy_of(rows->jacobian, numbers), *value = copy_of(rows->value, count);
    double *measured = copy_of(rows->measured, count), *rate = copy_of(rows->rate, count);
    double *compliance = copy_of(rows->compliance, count);
    bool points_out = rows->points_out;
    rows->rates = true;
    afxi_rows_linearise(rows);
    rows->rates = false;
    for (uint32_t e = 0; points_out && e < graph->entry_count; e++) { /* not there, and not wanted */
        uint32_t joint = graph->block[graph->entry[e].block].index;
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)rows->world->model->joints[joint].kind);
        if (kind->row_count >= 3 && kind->rows[0].type == AFXI_ROW_POINT) {
            memcpy(jacobian + graph->entry[e].jacobian, rows->jacobian + graph->entry[e].jacobian,
                   36 * sizeof *jacobian);
        }
    }
    assert_true(worst_of(jacobian, rows->jacobian, numbers) < 1e-13);
    assert_true(worst_of(value, rows->value, count) < 1e-12);
    assert_true(worst_of(compliance, rows->compliance, count) < 1e-15);
    for (uint32_t row = 0; row < count; row++) {
        if (graph->row[row].source == AFXI_SOURCE_DRIVE) {
            assert_true(fabs(measured[row] - rows->measured[row]) < 1e-12);
            assert_true(fabs(rate[row] - rows->rate[row]) < 1e-11);
        }
    }
    free(jacobian);
    free(value);
    free(measured);
    free(rate);
    free(compliance);
}

static void check_stiffness(AfxiRows *rows, const double *lambda) {
    size_t bodies = rows->graph->body_count;
    double *all = calloc(14 * bodies, sizeof *all);
    assert_non_null(all);
    afxi_rows_linearise(rows);
    afxi_rows_stiffness(rows, lambda, all, all + bodies);
    rows->rates = true; /* with the gradients of all rows */
    afxi_rows_linearise(rows);
    rows->rates = false;
    reference_stiffness(rows, lambda, all + 7 * bodies, all + 8 * bodies);
    assert_true(worst_of(all, all + 7 * bodies, 7 * bodies) < 1e-12);
    free(all);
}

static void check_result(AfxiRows *rows) {
    const AfxiGraph *graph = rows->graph;
    double largest = 0;
    bool flipped = false;
    double residual = afxi_rows_residual(rows);
    for (uint32_t row = 0; row < graph->row_count; row++) {
        const AfxiGraphRow *source = &graph->row[row];
        uint32_t joint = graph->block[source->block].index;
        const AfxiJoint *own = &rows->world->model->joints[joint];
        const AfxiJointFrame *frame = afxi_world_joint_frame(rows->world, joint);
        const AfxiPairState *state = afxi_row_state(rows, joint, AFXI_AT_RESULT);
        if (source->source == AFXI_SOURCE_JOINT) {
            double value = afxi_row_value(afxi_row_spec(rows, row), frame, afxi_row_length(rows, joint), state);
            largest = rows->active[row] ? fmax(largest, fabs(value)) : largest;
        } else if (source->source == AFXI_SOURCE_DRIVE) {
            const AfxiDrive *drive = &rows->world->model->drives[source->index];
            double last = rows->world->state.angle[own->angle + drive->axis];
            double value = afxi_axis_counted(afxi_row_axis(rows, joint, drive->axis, state), frame, state, last);
            if (drive->kind == AFX_DRIVE_LIMIT) {
                assert_true(fabs(value - rows->result[row]) < 1e-13 * (1 + fabs(value)));
            }
        } else if (source->source == AFXI_SOURCE_SCREW) {
            largest = fmax(largest, fabs(rows->result[row]));
        }
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)own->kind);
        for (uint32_t c = 0; c < kind->consistency_count && rows->world->state.joint_active[joint]; c++) {
            AfxiRowSpec spec = {AFXI_ROW_DIRECTION, kind->consistency[c].i, kind->consistency[c].j, 1, 0};
            flipped |= !(afxi_row_value(spec, frame, 1, state) > AFXI_CONSISTENT_COSINE);
        }
    }
    assert_true(fabs(residual - largest) < 1e-12 * (1 + largest));
    assert_int_equal(afxi_joints_consistent(rows), !flipped);
}

static void rows_in_lanes_are_those_one_by_one(void **state) {
    (void)state;
    uint64_t seed = 21;
    Rig rig = every_kind(&seed);
    for (uint32_t lanes = 0; lanes < 2; lanes++) {
        AfxSimDef def = sim_def(AFX_BDF2, 0.01);
        def.lanes = lanes;
        rig_start(&rig, &def);
        assert_int_equal(rig.model->graph_count, 1);
        AfxiRows *rows = &rig.sim->solver.lot[0].rows;
        double *lambda = calloc(rows->graph->row_count, sizeof *lambda);
        assert_non_null(lambda);
        assert_true(rows->groups.count > AFX_JOINT_KIND_COUNT);
        for (int round = 0; round < ROUNDS; round++) {
            rig.sim->world.state.joint_active[round] = round != 1;
            scatter(rig.sim, rows, lambda, &seed);
            check_frames(rows);
            check_stiffness(rows, lambda);
            check_result(rows);
        }
        free(lambda);
    }
    rig_free(&rig);
}

/* Joints that hold are consistent; one that has turned over at its result is noticed, unless it is switched off. */
static void one_joint_of_many_that_flips_is_noticed(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId before = afx_world();
    uint64_t seed = 5;
    for (int k = 0; k < 7; k++) {
        AfxBodyDef def = odd_def(&seed);
        AfxPose at = afx_pose_identity();
        at.position = random_vec3(&seed, 1);
        AfxBodyId body = rig_body(&rig, &def);
        rig_joint(&rig, AFX_JOINT_REVOLUTE, before, body, at);
        before = body;
    }
    AfxSimDef def = sim_def(AFX_BDF2, 0.001);
    rig_start(&rig, &def);
    rig_run(&rig, 2, NULL);
    AfxiRows *rows = &rig.sim->solver.lot[0].rows;
    assert_true(afxi_rows_residual(rows) < 1e-9 && afxi_joints_consistent(rows));
    for (int k = 0; k < 9; k++) { /* the last body turned over, a half turn about any axis */
        rows->next[12 * (size_t)6 + k] *= k % 3 == 1 ? 1 : -1;
    }
    bool flips = false;
    for (int axis = 0; axis < 2; axis++) {
        assert_true(afxi_rows_residual(rows) > 0.01);
        flips |= !afxi_joints_consistent(rows);
        for (int k = 0; k < 9; k++) {
            rows->next[12 * (size_t)6 + k] *= k % 3 == 2 ? 1 : -1;
        }
    }
    assert_true(flips);
    for (uint32_t joint = 0; joint < 7; joint++) {
        rig.sim->world.state.joint_active[joint] = 0;
    }
    assert_true(afxi_rows_residual(rows) == 0 && afxi_joints_consistent(rows));
    rig_free(&rig);
}

/* A hinge whose sine and cosine are y and x: its coordinate is the angle that the kernels make of them. */
static double angle_of(const AfxiGroupKernel *kernel, double y, double x, double last, int lane) {
    AfxiJointFrame frame = {{0, 0, 0}, {0, 0, 0}, mat3_identity(), mat3_identity()};
    double q[AFXI_GROUP_LANES][12] = {{0}}, base[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, angle[AFXI_GROUP_LANES];
    const AfxiJointFrame *frames[AFXI_GROUP_LANES] = {&frame, &frame, &frame, &frame};
    _Alignas(64) double packed[AFXI_GROUP_LANES * AFXI_FRAME_NUMBERS];
    AfxiAngleGroup group = {.kind = &afxi_joint_revolute, .frames = packed, .lanes = AFXI_GROUP_LANES};
    kernel->pack(frames, packed);
    for (int l = 0; l < AFXI_GROUP_LANES; l++) {
        q[l][4] = l == lane ? x : 0.3 * l;
        q[l][5] = l == lane ? y : 1;
        angle[l] = l == lane ? last : 0;
        group.q[0][l] = q[l];
        group.q[1][l] = base;
        group.angle[l] = &angle[l];
    }
    kernel->angles(&group);
    return angle[lane];
}

static void angles_of_the_whole_plane_are_right_to_rounding(void **state) {
    (void)state;
    for (uint32_t lanes = 0; lanes < 2; lanes++) {
        const AfxiGroupKernel *kernel = afxi_group_kernel(lanes);
        double worst = 0, relative = 0;
        for (int k = -3000; k <= 3000; k++) {
            double radius = pow(10, k % 7 * 20), turn = k * 0.00104719, x = radius * cos(turn), y = radius * sin(turn);
            long double truth = atan2l(y, x);
            double off = (double)fabsl(angle_of(kernel, y, x, 0, abs(k) % 4) - truth);
            worst = fmax(worst, off);
            double small = pow(10, -(abs(k) % 15)), slope = (double)atan2l(small * y, x);
            relative = fmax(relative, fabs(angle_of(kernel, small * y, x, 0, 0) - slope) / fabs(slope + !slope));
        }
        assert_true(worst < 7e-16); /* the last place of an angle above 2 is 4.4e-16 */
        assert_true(relative < 7e-16);
        const double cases[][3] = {
            {0, 0, 0},        {0, 1, 0},           {1, 0, PI / 2},        {-1, 0, -PI / 2},        {1, 1, PI / 4},
            {-1, 1, -PI / 4}, {1, -1, 3 * PI / 4}, {-1, -1, -3 * PI / 4}, {1e-300, 1e-300, PI / 4}};
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            assert_true(fabs(angle_of(kernel, cases[k][0], cases[k][1], 0, 1) - cases[k][2]) < 2.3e-16);
        }
        assert_true(fabs(fabs(angle_of(kernel, 0, -1, 0, 2)) - PI) < 1e-15);
        assert_true(isnan(angle_of(kernel, NAN, 1, 0, 0)) && isnan(angle_of(kernel, 1, NAN, 0, 3)));
    }
}

static void angles_are_counted_on_from_the_last_turn(void **state) {
    (void)state;
    const AfxiGroupKernel *kernel = afxi_group_kernel(0);
    for (int turns = -400; turns <= 400; turns += 40) {
        for (int k = -31; k <= 31; k++) {
            double angle = 2 * PI * turns + 0.1 * k, last = angle + 3 * sin(k);
            assert_true(fabs(angle_of(kernel, sin(angle), cos(angle), last, k & 3) - angle) < 2e-12);
        }
    }
}

int run_groups_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_in_lanes_are_those_one_by_one),
        cmocka_unit_test(one_joint_of_many_that_flips_is_noticed),
        cmocka_unit_test(angles_of_the_whole_plane_are_right_to_rounding),
        cmocka_unit_test(angles_are_counted_on_from_the_last_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
