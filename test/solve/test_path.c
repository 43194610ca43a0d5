/* SPDX-License-Identifier: Apache-2.0 */
/* Every way to solve: forms of mechanisms that each take another path, by every solver, with contact merely possible or
 * not, with bodies held or not; and all built-in cases. */
#include "cases/cases.h"
#include "support/small.h"
#include "tests.h"

typedef enum Form {
    FORM_FREE,   /* single bodies */
    FORM_CHAIN,  /* balls in a row, hanging by one end */
    FORM_STRING, /* by both */
    FORM_TREE,   /* balls */
    FORM_SPRUNG, /* balls with springs */
    FORM_HINGES, /* a tree of hinges */
    FORM_LOOP,   /* a closed loop of hinges with one axis: redundant */
    FORM_NET,    /* balls that close loops */
    FORM_HUB,    /* many balls on one body */
    FORMS
} Form;

static const char *const form_names[FORMS] = {"free",   "chain", "string", "tree", "sprung tree",
                                              "hinges", "loop",  "net",    "hub"};

static AfxBodyId add_link(Rig *rig, AfxVec3 position, double young) {
    AfxBodyId id = rig_body(rig, position, young);
    AfxBodyDef def;
    assert_ok(afx_scene_get_body(rig->scene, id, &def));
    def.linear_velocity = at(0.3 * position.y, 0.2, -0.1 * position.x);
    assert_ok(afx_scene_set_body(rig->scene, id, &def));
    return id;
}

static void join(Rig *rig, Form form, AfxBodyId base, AfxBodyId follower, AfxVec3 point) {
    bool hinge = form == FORM_HINGES || form == FORM_LOOP;
    AfxJointDef def = afx_default_joint(hinge ? AFX_JOINT_REVOLUTE : AFX_JOINT_SPHERICAL);
    AfxJointId id;
    def.base = base;
    def.follower = follower;
    if (form == FORM_SPRUNG) {
        def.spring = (AfxJointSpring){at(3, 5, 7), at(0.1, 0.2, 0.1), afx_quat_from_axis_angle(at(0, 0.6, 0.8), 0.2)};
    }
    assert_ok(afx_joint_place(rig->scene, &def, afx_frame_along(point, at(0, 1, 0))));
    assert_ok(afx_scene_add_joint(rig->scene, &def, &id));
}

/* It sags: a straight one between two ends would be singular. */
static AfxVec3 row_point(double k) {
    return at(0.4 * k, 0, -0.06 * k * (6 - k));
}

static void add_row(Rig *rig, Form form, double young) {
    const int links = 6;
    AfxBodyId before = afx_world();
    for (int k = 0; k < links; k++) {
        AfxBodyId body = add_link(rig, row_point(k + 0.5), young);
        join(rig, form, before, body, row_point(k));
        before = body;
    }
    if (form == FORM_STRING) {
        join(rig, form, before, afx_world(), row_point(links));
    }
}

static void add_tree(Rig *rig, Form form, double young) {
    AfxBodyId body[13];
    for (int k = 0; k < 13; k++) {
        int parent = (k - 1) / 3;
        body[k] = add_link(rig, at(0.3 * k, 0.2 * (k % 3), -0.1 * k), young);
        join(rig, form, k ? body[parent] : afx_world(), body[k], at(0.3 * k - 0.1, 0.1, -0.1 * k));
    }
}

/* Four links of a parallelogram, in space. */
static void add_loop(Rig *rig, Form form, double young) {
    const AfxVec3 corner[5] = {{0, 0, 0}, {0.3, 0, 0.4}, {0.9, 0, 0.4}, {0.8, 0, 0}, {0, 0, 0}};
    AfxBodyId before = afx_world();
    for (int k = 0; k < 3; k++) {
        AfxVec3 a = corner[k], b = corner[k + 1];
        AfxBodyId body = rig_body(rig, at((a.x + b.x) / 2, 0, (a.z + b.z) / 2), young);
        join(rig, form, before, body, a);
        before = body;
    }
    join(rig, form, before, afx_world(), corner[3]);
}

static void add_net(Rig *rig, Form form, double young) {
    AfxBodyId node[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            node[i][j] = add_link(rig, at(0.4 * i, 0.4 * j, 0.01 * i * j), young);
            if (i) {
                join(rig, form, node[i - 1][j], node[i][j], at(0.4 * i - 0.2, 0.4 * j, 0));
            }
            if (j) {
                join(rig, form, node[i][j - 1], node[i][j], at(0.4 * i, 0.4 * j - 0.2, 0));
            }
        }
    }
    join(rig, form, afx_world(), node[0][0], at(-0.1, -0.1, 0));
}

static void add_hub(Rig *rig, Form form, double young) {
    AfxBodyId middle = add_link(rig, at(0, 0, 0), young);
    join(rig, form, afx_world(), middle, at(0, 0, 0.1));
    for (int k = 0; k < 20; k++) {
        double angle = 0.3 * k;
        AfxVec3 point = {0.3 * cos(angle), 0.3 * sin(angle), 0};
        AfxBodyId arm = add_link(rig, at(1.5 * point.x, 1.5 * point.y, 0.02 * k), young);
        join(rig, form, middle, arm, point);
    }
}

static Rig make_form(Form form, double young) {
    Rig rig = rig_make(at(1, 2, -9));
    switch (form) {
    case FORM_FREE:
        for (int k = 0; k < 9; k++) {
            add_link(&rig, at(k, 0.1 * k, 0), k % 2 ? young : INFINITY);
        }
        break;
    case FORM_CHAIN:
    case FORM_STRING:
        add_row(&rig, form, young);
        break;
    case FORM_LOOP:
        add_loop(&rig, form, young);
        break;
    case FORM_NET:
        add_net(&rig, form, young);
        break;
    case FORM_HUB:
        add_hub(&rig, form, young);
        break;
    default:
        add_tree(&rig, form, young);
        break;
    }
    return rig;
}

/* False where the solver refuses loops. */
static bool compile(Rig *rig, AfxSolver solver) {
    AfxModelDef def = afx_default_model();
    def.solver = solver;
    return afx_model_create_with(rig->scene, &def, &rig->model, NULL) == AFX_OK;
}

static void hold_one(Rig *rig) {
    AfxVec3 rest[4] = {at(0.1, 0, 0.05), at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)}, now[4];
    assert_ok(afx_sim_control_points(rig->sim, 1, rest, now, NULL));
    now[0].x += 0.02;
    assert_ok(afx_sim_hold(rig->sim, 1, rest[0], now[0], 500, 20));
}

static void every_form_by_every_solver(void **state) {
    (void)state;
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};
    uint32_t ran[AFX_SOLVER_COUNT] = {0}, turn = 0;
    for (int form = 0; form < FORMS; form++) {
        for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
            for (int variant = 0; variant < 8;
                 variant += solver == AFX_SOLVER_GS || SANITIZED ? 7 : 1) { /* sweeps take long */
                char what[120];
                bool possible = variant & 1, held = variant & 2, rigid = variant & 4;
                Rig rig = make_form((Form)form, rigid ? INFINITY : ELASTIC);
                if (possible) {
                    rig_make_contact_possible(&rig);
                }
                if (compile(&rig, solver)) {
                    AfxIntegrator integrator = integrators[turn++ % COUNT(integrators)];
                    rig_start(&rig, integrator, 30);
                    if (held) {
                        hold_one(&rig);
                    }
                    snprintf(what, sizeof what, "%s by %s, %s%s%s, integrator %d", form_names[form],
                             afx_solver_name(solver), rigid ? "rigid" : "elastic", possible ? ", contact possible" : "",
                             held ? ", held" : "", integrator);
                    AfxResidual worst = rig_run(&rig, 4);
                    bool capped = rig.flags & AFX_STEP_UNCONVERGED; /* and says so */
                    assert_true(!capped || solver == AFX_SOLVER_GS);
                    assert_met(what, worst, capped ? 1e-2 : MET);
                    ran[solver] += !capped;
                }
                rig_free(&rig);
            }
        }
    }
    for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
        assert_true(ran[solver] >=
                    (solver == AFX_SOLVER_GS || SANITIZED ? 5 : 7 * 8)); /* the rest refused loops, or was capped */
    }
}

static void set_param(Rig *rig, AfxParamKind kind, uint32_t index, double value) {
    double values[AFX_PARAM_SIZE_MOST] = {0};
    assert_ok(afx_sim_param(rig->sim, kind, index, values));
    values[0] = kind == AFX_PARAM_BODY_YOUNG && isinf(values[0]) ? values[0] : value;
    assert_ok(afx_sim_set_param(rig->sim, kind, index, values));
}

/* Numbers that change between steps, and joints that are switched off and on, are those of the next step on all paths.
 */
static void changed_parameters_and_switched_joints(void **state) {
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        for (int variant = 0; variant < 8; variant++) {
            char what[120];
            bool possible = variant & 1, rigid = variant & 2, euler = variant & 4;
            Rig rig = make_form((Form)form, rigid ? INFINITY : ELASTIC);
            if (possible) {
                rig_make_contact_possible(&rig);
            }
            snprintf(what, sizeof what, "changed %s, %s%s", form_names[form], rigid ? "rigid" : "elastic",
                     possible ? ", contact possible" : "");
            assert_true(compile(&rig, AFX_SOLVER_AUTO));
            rig_start(&rig, euler ? AFX_BDF1 : AFX_BDF2, 30);
            rig_run(&rig, 2);
            set_param(&rig, AFX_PARAM_BODY_MASS, 1, 9);
            set_param(&rig, AFX_PARAM_BODY_SECOND_MOMENTS, 2, 0.3);
            set_param(&rig, AFX_PARAM_BODY_YOUNG, 0, 2e7);
            set_param(&rig, AFX_PARAM_GRAVITY, 0, -2);
            assert_met(what, rig_run(&rig, 2), MET);
            set_param(&rig, AFX_PARAM_BODY_ANGULAR_DAMPING, 1, 2);
            set_param(&rig, AFX_PARAM_BODY_LINEAR_DAMPING, 0, 3);
            set_param(&rig, AFX_PARAM_BODY_GRAVITY, 1, 0);
            if (form == FORM_SPRUNG) {
                set_param(&rig, AFX_PARAM_JOINT_SPRING, 2, 12);
            }
            assert_met(what, rig_run(&rig, 2), MET);
            if (form != FORM_FREE) {
                assert_ok(afx_sim_set_joint_active(rig.sim, 1, false));
                assert_met(what, rig_run(&rig, 2), MET);
            }
            rig_free(&rig);
        }
    }
}

/* A ring of rigid bodies that falls in long steps, which are cut into parts: all parts are looked at. */
static void steps_in_parts(void **state) {
    (void)state;
    Rig rig = rig_case("ring", "n=40");
    for (uint32_t k = 0; k < afx_scene_body_count(rig.scene); k++) {
        AfxBodyDef def;
        AfxBodyId id = afx_scene_body(rig.scene, k);
        assert_ok(afx_scene_get_body(rig.scene, id, &def));
        def.young = INFINITY;
        assert_ok(afx_scene_set_body(rig.scene, id, &def));
    }
    AfxSimDef def = afx_default_sim();
    def.dt = 0.2;
    def.accuracy = AFX_ACCURATE;
    sim_start(rig.scene, &rig.model, &rig.sim, &def);
    assert_ok(afx_sim_set_verify(rig.sim, true));
    uint32_t cut = 0;
    for (int k = 0; k < 10; k++) {
        AfxStepReport report;
        AfxResidual found;
        assert_ok(afx_step(rig.sim, &report));
        assert_ok(afx_sim_residual(rig.sim, &found));
        bool halved = report.flags & AFX_STEP_HALVED;
        cut += halved;
        assert_true(halved ? found.stages >= 2 && (found.stages & (found.stages - 1)) == 0 : found.stages == 1);
        assert_below(found.force, 1e-2); /* what `accurate` leaves: far from converged, and far from a wrong past */
        assert_below(found.constraint, 1e-4);
    }
    assert_true(cut > 0);
    rig_free(&rig);
}

/* Loops keep the bound of their stiffness, so that some take more solves than there may be. */
static double case_most(const char *name) {
    static const struct {
        const char *name;
        double most;
    } slow[] = {{"cloak", 1e-6}, {"hagfish", 1e-4}};
    for (size_t k = 0; k < COUNT(slow); k++) {
        if (strcmp(slow[k].name, name) == 0) {
            return slow[k].most;
        }
    }
    return MET;
}

static void every_case(void **state) {
    (void)state;
    for (uint32_t k = 0; k < afxi_case_count(); k++) {
        const AfxiCase *from = afxi_case_at(k);
        Rig rig = rig_case(from->name, small_case(from->name));
        AfxSimDef def = afx_default_sim();
        def.dt = from->dt;
        def.solves = 30;
        def.accuracy = AFX_ACCURATE;
        sim_start(rig.scene, &rig.model, &rig.sim, &def);
        assert_ok(afx_sim_set_verify(rig.sim, true));
        assert_met(from->name, rig_run(&rig, 3), case_most(from->name));
        rig_free(&rig);
    }
}

int run_path_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_by_every_solver),
        cmocka_unit_test(changed_parameters_and_switched_joints),
        cmocka_unit_test(steps_in_parts),
        cmocka_unit_test(every_case),
    };
    return cmocka_run_group_tests_name("solve paths", tests, NULL, NULL);
}
