/* SPDX-License-Identifier: Apache-2.0 */
/* Ball chains: spans that lanes can hold side by side stand side by side. */
#include "tests.h"

enum { CHAINS = 9, LINKS = 12 };

/* A ball joint at a point of the world. */
static void ball(Rig *rig, AfxBodyId base, AfxBodyId follower, AfxVec3 at) {
    AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
    def.base = base;
    def.follower = follower;
    assert_ok(afx_joint_place(rig->scene, &def, afx_frame_along(at, (AfxVec3){1, 0, 0})));
    AfxJointId id;
    assert_ok(afx_scene_add_joint(rig->scene, &def, &id));
}

/* Bent and straight chains in turn, as a scene may have them: by length and by how their links are shaped in `order`.
 */
static void spans_of_a_kind_stand_together(void **state) {
    (void)state;
    Rig rig = rig_make();
    for (int c = 0; c < CHAINS; c++) {
        double off = c % 3 == 0 ? 0 : 0.2;
        AfxBodyId before = rig_box(&rig, AFX_BODY_DYNAMIC);
        for (int k = 1; k < LINKS + (c == CHAINS - 1); k++) {
            AfxBodyId next = rig_box(&rig, AFX_BODY_DYNAMIC);
            AfxBodyDef body;
            assert_ok(afx_scene_get_body(rig.scene, next, &body));
            AfxVec3 middle = {body.pose.position.x - 0.5, k % 2 ? off : 0, 0};
            ball(&rig, before, next, middle);
            before = next;
        }
    }
    assert_ok(afx_model_create(rig.scene, &rig.model, NULL));
    const AfxiChains *chains = &rig.model->chains;
    assert_int_equal(chains->chain_count, CHAINS);
    assert_int_equal(chains->span_count, CHAINS);
    uint32_t changes = 0, seen[CHAINS] = {0};
    for (uint32_t k = 0; k < chains->span_count; k++) {
        const AfxiChain *own = &chains->chain[chains->span[chains->order[k]].chain];
        const AfxiChain *last = k ? &chains->chain[chains->span[chains->order[k - 1]].chain] : own;
        seen[chains->order[k]]++;
        assert_true(own->link_count >= last->link_count);
        changes +=
            own->link_count != last->link_count || own->collinear != last->collinear || own->axial != last->axial;
    }
    assert_int_equal(changes, 2); /* straight, bent, and the longer one */
    for (uint32_t k = 0; k < CHAINS; k++) {
        assert_int_equal(seen[k], 1);
    }
    rig_free(&rig);
}

int run_chain_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_of_a_kind_stand_together),
    };
    return cmocka_run_group_tests_name("chains", tests, NULL, NULL);
}
