/* SPDX-License-Identifier: Apache-2.0 */
/* Chains at large steps with default settings: what a light link under tension does to other engines. Capsules of 0.1
 * m, radius 0.01 m, density 1000, E = 1e8, on ball joints, released from rest. */
#include "tests.h"

enum { LINKS = 50 };
static const double link_length = 0.1, gravity = 9.81;

static void add_link(Rig *rig, AfxBodyId *last, AfxVec3 from, AfxVec3 to, double mass_factor) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef capsule = afx_default_capsule(0.01, link_length);
    def.pose = afx_frame_along(from, v3_sub(to, from));
    def.pose.position = v3_scale(0.5, v3_add(from, to));
    def.young = 1e8;
    capsule.pose.rotation = q_about(v3(0, 1, 0), PI / 2); /* its z along the link's x */
    capsule.density *= mass_factor;
    AfxBodyId body = rig_body(rig, &def);
    assert_ok(afx_scene_add_shape(rig->scene, body, &capsule));
    rig_joint(rig, AFX_JOINT_SPHERICAL, *last, body, (AfxPose){from, {1, 0, 0, 0}});
    *last = body;
}

/* Straight and level, or folded up in a zigzag above each other. */
static Rig chain_rig(bool zigzag, double end_mass) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxBodyId last = afx_world();
    AfxVec3 at = v3(0, 0, 0), slant = v3(link_length * cos(0.2), 0, -link_length * sin(0.2));
    for (int k = 0; k < LINKS; k++) {
        AfxVec3 way = zigzag ? v3(k % 2 ? -slant.x : slant.x, 0, slant.z) : v3(link_length, 0, 0);
        AfxVec3 next = v3_add(at, way);
        add_link(&rig, &last, at, next, k == LINKS - 1 ? end_mass : 1);
        at = next;
    }
    return rig;
}

typedef struct Outcome {
    double residual, gain, loss, solves; /* energy over its start, at most, and at the end; in units of its fall */
} Outcome;

static Outcome run_chain(Rig *rig, double dt, double duration) {
    AfxSimDef sim = afx_default_sim();
    AfxMomentum momentum;
    Outcome out = {0};
    sim.dt = dt;
    rig_start(rig, &sim);
    assert_ok(afx_sim_momentum(rig->sim, &momentum));
    double start = rig_energy(rig), scale = momentum.mass * gravity * LINKS * link_length, solves = 0;
    int steps = (int)lround(duration / dt);
    for (int n = 0; n < steps; n++) {
        AfxStepReport report;
        assert_ok(afx_step(rig->sim, &report));
        assert_true(rig_finite(rig));
        assert_false(report.flags & AFX_STEP_REGULARISED);
        out.residual = fmax(out.residual, report.residual);
        out.gain = fmax(out.gain, (rig_energy(rig) - start) / scale);
        solves += report.solves;
    }
    out.loss = (start - rig_energy(rig)) / scale;
    out.solves = solves / steps;
    return out;
}

static void check_chain(double dt, double loss) {
    Rig rig = chain_rig(false, 1);
    Outcome out = run_chain(&rig, dt, 3);
    print_message("chain of %d, h = %.3g: residual %.2g, energy gain %.2g, loss %.3g, %.2f solves\n", LINKS, dt,
                  out.residual, out.gain, out.loss, out.solves);
    assert_below(out.residual, 1e-12 * LINKS * link_length);
    assert_below(out.gain, 1e-6); /* of the whole fall; 2e-8 was measured */
    assert_below(out.solves, 2.5);
    assert_below(out.loss, loss); /* damping is not stability */
    rig_free(&rig);
}

static void a_chain_falls_at_a_hundredth(void **state) {
    (void)state;
    check_chain(0.01, 0.03);
}

static void a_chain_falls_at_a_thirtieth(void **state) {
    (void)state;
    check_chain(1.0 / 30, 0.1);
}

/* Ten thousand to one: the string snaps taut, again and again. */
static void a_heavy_end_falls_from_a_zigzag(void **state) {
    (void)state;
    Rig rig = chain_rig(true, 10000);
    Outcome out = run_chain(&rig, 0.01, 2);
    print_message("10,000:1 zigzag: residual %.2g, energy gain %.2g, loss %.3g, %.2f solves\n", out.residual, out.gain,
                  out.loss, out.solves);
    assert_below(out.residual, 1e-12 * LINKS * link_length);
    assert_below(out.gain, 1e-8);
    assert_below(out.solves, 2.5);
    assert_below(out.loss, 0.05);
    rig_free(&rig);
}

int run_chain_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_falls_at_a_hundredth),
        cmocka_unit_test(a_chain_falls_at_a_thirtieth),
        cmocka_unit_test(a_heavy_end_falls_from_a_zigzag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
