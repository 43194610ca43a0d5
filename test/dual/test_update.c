/* SPDX-License-Identifier: Apache-2.0 */
/* What a solve tells of bodies that gradients hold: one body among many is beyond all bounds, or its load has jumped,
 * and the tally of all says so, whatever lane it is in. */
#include <math.h>

#include "dual/update.h"
#include "tests.h"

#define COUNT 11u /* bodies: full groups of lanes, and one with empty ones */
#define CLASSES 2u

/* Bodies that stay where they are; the list goes through them backwards. */
typedef struct Bodies {
    AfxiUpdate update;
    uint32_t list[COUNT], body[COUNT], class_of[COUNT];
    double constants[CLASSES * AFXI_CHAIN_SIZE];
    AfxiMat3 frame[COUNT];
    AfxVec3 origin[COUNT + 1];
    double delta[12 * COUNT], next[12 * COUNT], stiffness[6 * COUNT + 2];
    double turn[COUNT], gamma[COUNT], gamma_next[COUNT], held[COUNT], error[COUNT], excess[COUNT];
} Bodies;

static void make_bodies(Bodies *all, bool listed) {
    *all = (Bodies){0};
    for (uint32_t k = 0; k < COUNT; k++) {
        all->list[k] = COUNT - 1 - k;
        all->body[k] = (k + 3) % COUNT;
        all->class_of[k] = k % CLASSES;
        all->frame[k] = (AfxiMat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
        all->origin[k] = (AfxVec3){k, 1, -2};
        all->gamma[k] = 0.5 * k;
        all->held[k] = 0.25 * (k % 3);
    }
    for (uint32_t c = 0; c < CLASSES; c++) {
        double *own = all->constants + (size_t)AFXI_CHAIN_SIZE * c;
        own[AFXI_CHAIN_C] = own[AFXI_CHAIN_C + 1] = own[AFXI_CHAIN_C + 2] = 1 + c;
        own[AFXI_CHAIN_INERTIA] = 2 + 2 * c;
    }
    all->update = (AfxiUpdate){.list = listed ? all->list : NULL,
                               .body = all->body,
                               .class_of = all->class_of,
                               .constants = all->constants,
                               .frame = all->frame,
                               .origin = all->origin,
                               .delta = all->delta,
                               .next = all->next,
                               .turn = all->turn,
                               .gamma = all->gamma,
                               .gamma_next = all->gamma_next,
                               .held = all->held,
                               .stiffness = all->stiffness,
                               .error = all->error,
                               .excess = all->excess};
}

static AfxiBodiesTally tally_of(const Bodies *all, AfxiUpdatePass *pass) {
    AfxiBodiesTally tally = {0};
    pass(&all->update, 0, COUNT, &tally);
    return tally;
}

/* Numbers that are finite, but leave no finite velocities and accelerations, are too large as well. */
static void one_body_beyond_all_bounds_is_noticed(void **state) {
    (void)state;
    static const double far[] = {1e283, -1e300, INFINITY, -INFINITY, NAN};
    for (int k = 0; k < 4; k++) {
        const AfxiUpdateKernel *kernel = afxi_update_kernel(k / 2);
        Bodies all;
        make_bodies(&all, k % 2);
        for (uint32_t e = 0; e < 12 * COUNT; e++) {
            all.delta[e] = e % 2 ? 1e281 : -1e281; /* as far as a body may go */
        }
        assert_false(tally_of(&all, kernel->move).infinite);
        for (uint32_t e = 0; e < 12 * COUNT; e++) {
            double kept = all.delta[e];
            all.delta[e] = far[e % 5];
            assert_true(tally_of(&all, kernel->move).infinite);
            all.delta[e] = kept;
        }
        assert_false(tally_of(&all, kernel->move).infinite);
    }
}

/* A new stiffness of more than twice what the solve knew: its bound, the smallest inertia / h² and springs. */
static void one_load_that_jumps_is_noticed(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const AfxiUpdateKernel *kernel = afxi_update_kernel(k / 2);
        Bodies all;
        double known[COUNT];
        make_bodies(&all, k % 2);
        for (uint32_t b = 0; b < COUNT; b++) {
            known[b] = 2 * (all.gamma[b] + 2 + 2 * all.class_of[all.body[b]] + all.held[b]);
            all.gamma_next[b] = 0.999 * known[b];
        }
        assert_false(tally_of(&all, kernel->judge).jump);
        for (uint32_t b = 0; b < COUNT; b++) {
            all.gamma_next[b] = 1.001 * known[b];
            assert_true(tally_of(&all, kernel->judge).jump);
            all.gamma_next[b] = 0;
        }
        assert_false(tally_of(&all, kernel->judge).jump);
    }
}

int run_update_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_body_beyond_all_bounds_is_noticed),
        cmocka_unit_test(one_load_that_jumps_is_noticed),
    };
    return cmocka_run_group_tests_name("update", tests, NULL, NULL);
}
