/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the Newton loop that a filter shortens: the loop goes on from where they were left until a whole one is
 * accepted, with the same equations met; a filter that lets nothing through makes the step fail, and nothing moves. */
#include "tests.h"

#include "step/sim.h"

enum { BODIES_MOST = 32, LINKS = 24 };

/* Lets no coordinate of a body change by more than `most` in one solve. */
typedef struct Gate {
    const double *begin; /* [bodies][12] at the beginning of the step */
    double most;
    uint32_t asked, shortened;
    double expected[BODIES_MOST][12]; /* where bodies should go out from next, ... */
    bool known[BODIES_MOST];          /* ... of those that were asked for in this step */
    double off;                       /* by how much they did not */
} Gate;

static double share(void *context, const uint32_t *bodies, uint32_t count, const double *from, const double *to) {
    Gate *gate = context;
    double largest = 0;
    for (uint32_t n = 0; n < count; n++) {
        for (int e = 0; e < 12; e++) {
            size_t at = (size_t)12 * bodies[n] + e;
            largest = fmax(largest, fabs(to[at] - from[at]));
            double expected = gate->known[bodies[n]] ? gate->expected[bodies[n]][e] : gate->begin[at];
            gate->off = fmax(gate->off, fabs(from[at] - expected));
        }
    }
    double part = largest > gate->most ? gate->most / largest : 1;
    for (uint32_t n = 0; n < count; n++) {
        for (int e = 0; e < 12; e++) {
            size_t at = (size_t)12 * bodies[n] + e;
            gate->expected[bodies[n]][e] = part < 1 ? from[at] + part * (to[at] - from[at]) : to[at];
        }
        gate->known[bodies[n]] = true;
    }
    gate->asked++;
    gate->shortened += part < 1;
    return part;
}

/* A row of three bodies on joints of a kind, that falls from the horizontal. */
static Rig make_row(AfxJointKind kind) {
    Rig rig = rig_make(at(0.2, 0.1, -9.81));
    AfxBodyId before = afx_world();
    for (int k = 0; k < 3; k++) {
        AfxBodyId body = rig_body(&rig, at(0.4 * k + 0.2, 0, 0), ELASTIC);
        rig_joint(&rig, kind, before, body, at(0.4 * k, 0, 0), at(0, 1, 0));
        before = body;
    }
    return rig;
}

/* A ball chain. */
static Rig make_chain(void) {
    Rig rig = rig_make(at(0.2, 0.1, -9.81));
    AfxBodyId before = afx_world();
    for (int k = 0; k < LINKS; k++) {
        AfxBodyDef def = afx_default_body();
        AfxShapeDef capsule = afx_default_capsule(0.02, 0.1);
        def.pose.position = at(0.16 * k, 0, 0);
        def.young = ELASTIC;
        capsule.pose.rotation = afx_quat_from_axis_angle(at(0, 1, 0), 1.5707963267948966);
        AfxBodyId link;
        assert_ok(afx_scene_add_body(rig.scene, &def, &link));
        assert_ok(afx_scene_add_shape(rig.scene, link, &capsule));
        rig_joint(&rig, AFX_JOINT_SPHERICAL, before, link, at(0.16 * k - 0.08, 0, 0), at(1, 0, 0));
        before = link;
    }
    return rig;
}

static AfxTraceEvent shortened_event(const AfxSim *sim, AfxTraceEngine engine) {
    AfxTraceEvent event = {0};
    for (uint32_t k = 0; k < afx_sim_trace_count(sim); k++) {
        assert_ok(afx_sim_trace_event(sim, k, &event));
        if (event.kind == AFX_TRACE_SOLVE && event.engine == engine && event.reason == AFX_TRACE_SHORTENED) {
            return event;
        }
    }
    fail_msg("no iteration was shortened");
    return event;
}

/* Steps with a gate and without: the equations are met as well, and bodies go the same way but for tolerances. */
static void check(const char *what, Rig *rig, double most, AfxTraceEngine engine) {
    enum { STEPS = 8 };
    double plain[BODIES_MOST * 12], begin[BODIES_MOST * 12];
    rig_start(rig, AFX_BDF2, 0);
    size_t bytes = afx_model_body_count(rig->model) * 12 * sizeof(double);
    assert_true(bytes <= sizeof plain);
    AfxResidual without = rig_run(rig, STEPS);
    memcpy(plain, afx_sim_coordinates(rig->sim), bytes);
    afx_sim_destroy(rig->sim);
    afx_model_destroy(rig->model);
    rig->sim = NULL;
    rig->model = NULL;
    rig_start(rig, AFX_BDF2, 0);
    assert_ok(afx_sim_trace(rig->sim, 1000));
    Gate gate = {.begin = begin, .most = most};
    AfxAllocator allocator = afx_default_allocator();
    rig->sim->solver.filter = afxi_filter_create(&allocator, afx_model_body_count(rig->model), share, &gate);
    assert_non_null(rig->sim->solver.filter);
    for (int k = 0; k < STEPS; k++) {
        memset(gate.known, 0, sizeof gate.known);
        memcpy(begin, afx_sim_coordinates(rig->sim), bytes);
        AfxResidual residual = rig_run(rig, 1);
        assert_met(what, residual, fmax(2 * without.force, MET));
    }
    assert_true(gate.shortened > 0 && gate.asked > gate.shortened);
    if (!rig->touching) { /* else it begins anew with other points */
        assert_true(gate.off == 0);
    }
    assert_true((afx_sim_contact_count(rig->sim) > 0) == rig->touching);
    assert_int_equal(shortened_event(rig->sim, engine).verdict, AFX_TRACE_NEW_FRAMES);
    for (size_t k = 0; k < bytes / sizeof(double); k++) {
        assert_near(afx_sim_coordinates(rig->sim)[k], plain[k], 1e-4);
    }
    afxi_filter_destroy(rig->sim->solver.filter);
    rig->sim->solver.filter = NULL;
    rig_free(rig);
}

static void test_engines(void **state) {
    (void)state;
    Rig hinges = make_row(AFX_JOINT_REVOLUTE), balls = make_row(AFX_JOINT_SPHERICAL);
    Rig chain = make_chain();
    check("hinges", &hinges, 0.01, AFX_TRACE_TREE);
    check("balls", &balls, 0.01, AFX_TRACE_TREE);
    check("ball chain", &chain, 0.01, AFX_TRACE_CHAIN);
}

static void test_contact(void **state) {
    (void)state;
    Rig rig = rig_make(at(0, 0, -9.81));
    rig.touching = true;
    rig_body(&rig, at(0, 0, 0.1), ELASTIC);
    rig_ground(&rig, 0);
    check("box on the ground", &rig, 0.002, AFX_TRACE_GRAPH);
}

/* Half of the way each time never gets there: the step is cut into parts, and fails. */
static double half(void *context, const uint32_t *bodies, uint32_t count, const double *from, const double *to) {
    (void)bodies;
    (void)count;
    (void)from;
    (void)to;
    ++*(uint32_t *)context;
    return 0.5;
}

static void test_nothing_passes(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        Rig rig = kind ? make_chain() : make_row(AFX_JOINT_REVOLUTE);
        AfxAllocator allocator = afx_default_allocator();
        uint32_t asked = 0;
        double before[LINKS * 12];
        AfxStepReport report;
        rig_start(&rig, AFX_BDF2, 0);
        rig_run(&rig, 2);
        size_t bytes = 12 * afx_model_body_count(rig.model) * sizeof(double);
        memcpy(before, afx_sim_coordinates(rig.sim), bytes);
        rig.sim->solver.filter = afxi_filter_create(&allocator, afx_model_body_count(rig.model), half, &asked);
        assert_int_equal(afx_step(rig.sim, &report), AFX_E_NUMERIC);
        assert_true(asked >= 30);
        assert_true(report.flags & AFX_STEP_HALVED);
        assert_memory_equal(before, afx_sim_coordinates(rig.sim), bytes);
        afxi_filter_destroy(rig.sim->solver.filter);
        rig.sim->solver.filter = NULL;
        assert_ok(afx_step(rig.sim, &report));
        rig_free(&rig);
    }
}

int run_filter_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_contact),
        cmocka_unit_test(test_nothing_passes),
    };
    return cmocka_run_group_tests_name("solve/filter", tests, NULL, NULL);
}
