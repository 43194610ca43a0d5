/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a stage, all of it, against differences of its energy: inertia, elasticity, barriers of all kinds of
 * primitives, mollified edges, friction, springs and servos; momentum of contacts. */
#include "tests.h"

#include "barrier/body.h"
#include "barrier/candidates.h"
#include "barrier/contacts.h"
#include "barrier/newton.h"
#include "barrier/search.h"
#include "step/sim.h"

static double total(const AfxiBarrier *work, int end) {
    double sum = 0;
    for (uint32_t k = 0; k < work->body_count; k++) {
        sum += work->energy[end][k];
    }
    return sum;
}

/* The energy with unknown c moved by h. */
static double energy_at(AfxiBarrier *work, double *unknowns, uint32_t c, double h) {
    size_t bytes = (size_t)AFXI_AFFINE_WIDTH * work->model->body_count * sizeof(double);
    memcpy(work->place[AFXI_TRIED], work->place[AFXI_NOW], bytes);
    memset(unknowns, 0, work->width_count * sizeof *unknowns);
    unknowns[c] = h;
    for (uint32_t k = 0; k < work->body_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * work->bodies[k].body;
        afxi_barrier_retract(&work->bodies[k], work->place[AFXI_NOW] + at, unknowns, 1, work->place[AFXI_TRIED] + at);
    }
    afxi_barrier_rotations(work, AFXI_TRIED);
    afxi_barrier_vertices(work, AFXI_TRIED, work->x[1]);
    afxi_barrier_energies(work, 1);
    return total(work, 1);
}

/* At the result of the last step, moved a little off it. The largest difference, of the largest gradient. */
static double check(World *world) {
    AfxiBarrier *work = world->sim->work;
    uint64_t seed = 5;
    double *unknowns = calloc(work->width_count, sizeof *unknowns), worst = 0, largest = 0, unused;
    for (uint32_t k = 0; k < work->body_count; k++) { /* so that nothing is in balance */
        double *q = work->place[AFXI_NOW] + (size_t)AFXI_AFFINE_WIDTH * work->bodies[k].body;
        double from[AFXI_AFFINE_WIDTH];
        for (uint32_t c = 0; c < work->bodies[k].width; c++) {
            unknowns[work->bodies[k].first + c] = 1e-5 * (random_unit(&seed) - 0.5) * (c < 6 ? 1 : 1e-3);
        }
        memcpy(from, q, sizeof from);
        afxi_barrier_retract(&work->bodies[k], from, unknowns, 1, q);
    }
    afxi_barrier_rotations(work, AFXI_NOW);
    afxi_barrier_vertices(work, AFXI_NOW, work->x[0]);
    assert_ok(afxi_barrier_contacts(work, &unused));
    assert_true(work->contact_count > 0);
    afxi_barrier_gradients(work);
    for (uint32_t c = 0; c < work->width_count; c++) {
        largest = fmax(largest, fabs(work->gradient[c]));
    }
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        for (uint32_t c = body->first; c < body->first + body->width; c++) {
            double h = c - body->first < 6 ? 1e-8 : 1e-9, slope = work->gradient[c];
            for (uint32_t b = 0; b < work->block_count; b++) { /* compliant rows have their own multipliers */
                for (uint32_t e = work->blocks[b].first_entry;
                     e < work->blocks[b].first_entry + work->blocks[b].entry_count; e++) {
                    for (uint32_t r = 0; work->entries[e].slot == k && r < work->blocks[b].row_count; r++) {
                        const AfxiBarrierRow *row = &work->rows[work->blocks[b].first_row + r];
                        double g =
                            work->row_gradient[work->entries[e].gradient + AFXI_BARRIER_WIDTH * r + c - body->first];
                        slope += row->active && row->compliance > 0 ? g * row->value / row->compliance : 0;
                    }
                }
            }
            double quotient = (energy_at(work, unknowns, c, h) - energy_at(work, unknowns, c, -h)) / (2 * h);
            worst = fmax(worst, fabs(quotient - slope));
        }
    }
    free(unknowns);
    return worst / largest;
}

/* Shapes of all kinds that rest on each other, tilted. */
static void gradients_are_those_of_the_energy(void **state) {
    (void)state;
    const AfxShapeDef shapes[] = {afx_default_box(0.4, 0.3, 0.2), afx_default_sphere(0.15),
                                  afx_default_capsule(0.1, 0.3), afx_default_cylinder(0.15, 0.3)};
    for (size_t a = 0; a < COUNT(shapes); a++) {
        for (size_t b = 0; b < COUNT(shapes); b++) {
            World world = world_make(GRAVITY, 0.5);
            world_plane(&world);
            AfxPose low = {v3(0, 0, 0.3), q_about(v3(1, 0.2, 0), 0.9)};
            AfxPose high = {v3(0.05, 0.03, 0.75), q_about(v3(0.3, 1, 0.4), 1.1)};
            world_put(&world, &shapes[a], low, a % 2 == 0);
            world_put(&world, &shapes[b], high, b % 2 == 1);
            world_start(&world, AFX_BDF1, 0.005);
            uint32_t checked = 0;
            for (uint32_t k = 0; k < 60 && checked < 3; k++) {
                world_run(&world, 1, NULL);
                if (afx_sim_contact_count(world.sim) > 0) {
                    assert_below(check(&world), 2e-4);
                    checked++;
                }
            }
            assert_true(checked > 0);
            world_free(&world);
        }
    }
}

static void springs_and_servos_have_their_energy(void **state) {
    (void)state;
    World world = world_make(GRAVITY, 0.3);
    world_plane(&world);
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
    AfxBodyId a = world_put(&world, &box, (AfxPose){v3(0, 0, 0.1005), q_about(v3(0, 0, 1), 0)}, true);
    AfxBodyId b = world_put(&world, &box, (AfxPose){v3(0.5, 0, 0.3), q_about(v3(0, 1, 0), 0.5)}, false);
    AfxJointId hinge =
        scene_joint(world.scene, AFX_JOINT_REVOLUTE, a, b, (AfxPose){v3(0.25, 0, 0.2), q_about(v3(0, 0, 1), 1.57)});
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO);
    servo.joint = hinge;
    servo.stiffness = 50;
    servo.damping = 0; /* of dampers the change of the gradient itself is left out */
    AfxDriveId drive;
    AfxSpringId added;
    assert_ok(afx_scene_add_drive(world.scene, &servo, &drive));
    AfxSpringDef spring = afx_default_spring();
    spring.body_a = a;
    spring.body_b = b;
    spring.point_b = v3(0.1, 0, 0.1);
    spring.stiffness = 300;
    spring.damping = 0;
    spring.rest_length = 0.2;
    assert_ok(afx_scene_add_spring(world.scene, &spring, &added));
    world_start(&world, AFX_BDF1, 0.01);
    for (int k = 0; k < 5; k++) {
        assert_below(world_run(&world, 3, NULL), 1e-12);
        if (afx_sim_contact_count(world.sim)) {
            assert_below(check(&world), 2e-4);
        }
    }
    world_free(&world);
}

/* Forces and torques of all contacts of a free pair add up to nothing. */
static void contacts_keep_momentum(void **state) {
    (void)state;
    World world = world_make(0, 0.5);
    AfxShapeDef box = afx_default_box(0.4, 0.3, 0.2), capsule = afx_default_capsule(0.1, 0.4);
    AfxBodyId a = world_put(&world, &box, (AfxPose){v3(0, 0, 0), q_about(v3(1, 2, 3), 1)}, true);
    AfxBodyId b = world_put(&world, &capsule, (AfxPose){v3(0.7, 0.02, 0.02), q_about(v3(3, 1, 1), 2)}, false);
    (void)a;
    world_start(&world, AFX_BDF1, 0.005);
    assert_ok(afx_sim_set_body_twist(world.sim, b.index, (AfxTwist){v3(-2, 0, 0), v3(1, 2, 3)}));
    AfxMomentum before, after;
    assert_ok(afx_sim_momentum(world.sim, &before));
    uint32_t met = 0;
    for (int k = 0; k < 80; k++) {
        world_run(&world, 1, NULL);
        met += afx_sim_contact_count(world.sim) > 0;
    }
    assert_ok(afx_sim_momentum(world.sim, &after));
    assert_true(met > 0);
    assert_vec3(after.linear, before.linear, 1e-7 * vec3_length(before.linear));
    world_free(&world);
}

/* Bodies that are bound and take the same rigid motion keep where they are to each other, to rounding. */
static void bodies_that_turn_together_stay_together(void **state) {
    (void)state;
    AfxiBarrierBody body = {.width = 6, .bound = true};
    uint64_t seed = 8;
    for (int n = 0; n < 100; n++) {
        AfxVec3 turn = random_vec3(&seed, n < 50 ? 1 : 1e-5), shift = random_vec3(&seed, 1), relative[2];
        double to[2][AFXI_AFFINE_WIDTH];
        for (int end = 0; end < 2; end++) {
            AfxiMat3 a = afxi_mat3_rotation(random_vec3(&seed, 2));
            double from[AFXI_AFFINE_WIDTH], delta[6];
            AfxVec3 centre = random_vec3(&seed, 1);
            memcpy(from, a.m, sizeof a.m);
            vec3_store(from + 9, centre);
            vec3_store(delta, mat3_apply_transposed(&a, turn));
            vec3_store(delta + 3, vec3_add(shift, vec3_cross(turn, centre)));
            afxi_barrier_retract(&body, from, delta, 1, to[end]);
            relative[end] = mat3_apply_transposed(&a, centre); /* of the origin, in the body */
        }
        AfxVec3 origin[2];
        for (int end = 0; end < 2; end++) {
            AfxiMat3 a = mat3_load(to[end]);
            origin[end] = vec3_sub(vec3_load(to[end] + 9), mat3_apply(&a, relative[end]));
        }
        assert_near(vec3_length(vec3_sub(origin[0], origin[1])), 0, 1e-14);
    }
}

int run_gradient_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_the_energy),
        cmocka_unit_test(springs_and_servos_have_their_energy),
        cmocka_unit_test(contacts_keep_momentum),
        cmocka_unit_test(bodies_that_turn_together_stay_together),
    };
    return cmocka_run_group_tests_name("barrier: gradients", tests, NULL, NULL);
}
