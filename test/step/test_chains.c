/* SPDX-License-Identifier: Apache-2.0 */
/* Ball chains take a path of their own. It must give what the general graph gives (a drive of no force on one joint
 * sends the same chain there), whatever holds the chain, and the same bits for any lanes and threads. */
#include "model/model.h"
#include "tests.h"

typedef struct Chain {
    int links;
    bool left, right; /* held at that end */
    bool moving;      /* by a kinematic body */
    bool crooked;     /* joints off the links' axes */
    bool uneven;      /* links of several kinds */
    bool pushed;      /* by wrenches */
    bool damped;      /* drag on every body */
    int off;          /* joint that is switched off, or -1 */
    bool graph;       /* not the path of chains */
    bool twin;        /* a second chain of the same length beside it */
    bool vertical;    /* hangs straight down */
    bool straight;    /* along x, which is the links' first principal axis */
} Chain;

enum { LINKS_MOST = 400 };
#define SMOOTH 1e-3 /* m */

static AfxVec3 joint_point(const Chain *chain, int k, int row) {
    if (chain->vertical) {
        return v3(0, row, -0.2 * k);
    }
    if (chain->straight) {
        return v3(0.2 * k, row, 0);
    }
    return v3(0.2 * k, row + 0.02 * sin(2.0 * k), 0.05 * sin(1.0 * k));
}

static AfxBodyId add_link(AfxScene *scene, const Chain *chain, int k, int row) {
    AfxBodyDef def = afx_default_body();
    AfxVec3 a = joint_point(chain, k, row), b = joint_point(chain, k + 1, row);
    double heavy = chain->uneven ? 1 + k % 3 : 1;
    def.mass_source = AFX_MASS_GIVEN;
    def.mass = 0.1 * heavy;
    def.inertia[0] = 2e-4 * heavy;
    def.inertia[1] = def.inertia[2] = 5e-4 * heavy;
    def.young = chain->vertical || (chain->uneven && k % 4 == 1) ? INFINITY : 1e7; /* elastic ones would swing long */
    def.pose.position = v3(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z) + (chain->crooked ? 0.03 : 0));
    def.linear_damping = def.angular_damping = chain->damped ? 0.5 : 0;
    AfxBodyId id;
    assert_ok(afx_scene_add_body(scene, &def, &id));
    return id;
}

static AfxJointId join(AfxScene *scene, AfxBodyId base, AfxBodyId follower, AfxVec3 point, bool active) {
    AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
    AfxPose at = afx_pose_identity();
    AfxJointId id;
    at.position = point;
    def.base = base;
    def.follower = follower;
    def.active = active;
    assert_ok(afx_joint_place(scene, &def, at));
    assert_ok(afx_scene_add_joint(scene, &def, &id));
    return id;
}

static AfxBodyId anchor(AfxScene *scene, const Chain *chain, AfxVec3 point) {
    if (!chain->moving) {
        return afx_world();
    }
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.kind = AFX_BODY_KINEMATIC;
    def.pose.position = point;
    def.motion.translation[2] = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.1, 1.5, 0}};
    assert_ok(afx_scene_add_body(scene, &def, &id));
    return id;
}

static AfxModel *make(const Chain *chain) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene;
    AfxModel *model;
    AfxError error;
    assert_ok(afx_scene_create(&scene_def, &scene));
    assert_ok(afx_scene_set_contact(scene, false));
    for (int row = 0; row < (chain->twin ? 2 : 1); row++) {
        AfxBodyId link[LINKS_MOST];
        AfxJointId last = {0, 0};
        for (int k = 0; k < chain->links; k++) {
            link[k] = add_link(scene, chain, k, row);
            if (k > 0) { /* by turns the one and the other is the base */
                bool turn = k % 2;
                last = join(scene, link[turn ? k : k - 1], link[turn ? k - 1 : k], joint_point(chain, k, row),
                            k != chain->off);
            }
        }
        if (chain->left) {
            AfxVec3 point = joint_point(chain, 0, row);
            join(scene, anchor(scene, chain, point), link[0], point, true);
        }
        if (chain->right) {
            join(scene, link[chain->links - 1], afx_world(), joint_point(chain, chain->links, row), true);
        }
        if (chain->graph) {
            AfxDriveDef drive = afx_default_drive(AFX_DRIVE_FORCE);
            AfxDriveId id;
            drive.joint = last;
            assert_ok(afx_scene_add_drive(scene, &drive, &id));
        }
        for (int k = 0; chain->pushed && k < chain->links; k += 3) {
            AfxWrenchDef wrench = afx_default_wrench();
            AfxWrenchId id;
            wrench.body = link[k];
            wrench.frame = k % 2 ? AFX_FRAME_BODY : AFX_FRAME_WORLD;
            wrench.force = v3(0.1, 0.3, 0.2);
            wrench.torque = v3(0, 0.01, 0.02);
            wrench.point = v3(0.05, 0, 0.01);
            assert_ok(afx_scene_add_wrench(scene, &wrench, &id));
        }
    }
    assert_ok(afx_model_create(scene, &model, &error));
    assert_int_equal(model->chains.chain_count, chain->graph ? 0 : chain->off > 0 || !chain->twin ? 1 : 2);
    assert_true(chain->graph || model->chains.chain[0].axial == (chain->straight && !chain->crooked));
    afx_scene_destroy(scene);
    return model;
}

static AfxSim *start(const AfxModel *model, const AfxSimDef *def) {
    AfxSim *sim;
    assert_ok(afx_sim_create(model, def, &sim));
    return sim;
}

static void step(AfxSim *sim, int count) {
    for (int k = 0; k < count; k++) {
        assert_ok(afx_step(sim, NULL));
    }
}

static double difference(const AfxSim *a, const AfxSim *b) {
    double largest = 0;
    const double *x = afx_sim_coordinates(a), *y = afx_sim_coordinates(b);
    for (uint32_t k = 0; k < 12 * afx_model_body_count(afx_sim_model(a)); k++) {
        largest = fmax(largest, fabs(x[k] - y[k]));
    }
    return largest;
}

static void compare(const Chain *chain, const AfxSimDef *def, int steps, double tolerance) {
    Chain other = *chain;
    other.graph = true;
    AfxModel *model = make(chain), *reference = make(&other);
    AfxSim *sim = start(model, def), *want = start(reference, def);
    assert_true(difference(sim, want) == 0);
    step(sim, steps);
    step(want, steps);
    double off = difference(sim, want);
    if (!(off <= tolerance)) {
        fail_msg("%d links, held %d %d: off by %g", chain->links, chain->left, chain->right, off);
    }
    for (uint32_t k = 0; k < afx_model_joint_count(model); k++) {
        AfxWrench a, b;
        assert_ok(afx_sim_joint_reaction(sim, k, &a));
        assert_ok(afx_sim_joint_reaction(want, k, &b));
        assert_near(a.force.x, b.force.x, 1e-6);
        assert_near(a.force.z, b.force.z, 1e-6);
    }
    afx_sim_destroy(sim);
    afx_sim_destroy(want);
    afx_model_destroy(model);
    afx_model_destroy(reference);
}

/* One solve per step: later solves take their stiffness in frames that differ between the paths, within tolerances. */
static void chains_give_what_the_graph_gives(void **state) {
    (void)state;
    const int lengths[] = {8, 9, 15, 16, 17, 63, 130, 300};
    for (int trial = 0; trial < 96; trial++) {
        Chain chain = {
            .straight = trial >= 64, .links = lengths[trial % 8], .off = trial % 5 == 4 ? 3 + trial % 3 : -1};
        chain.left = trial & 1 || trial & 16;
        chain.right = trial & 2 && !(chain.straight && chain.left); /* taut, it would be near to singular */
        chain.moving = trial & 4;
        chain.crooked = trial & 8;
        chain.uneven = trial & 32;
        chain.pushed = chain.straight || trial % 3 == 1; /* so that it moves in all directions */
        chain.damped = trial % 7 == 3;
        chain.twin = trial % 4 == 2 && chain.off < 0;
        AfxSimDef def = afx_default_sim();
        def.integrator = (AfxIntegrator)(trial / 3 % 4);
        def.solves = 1;
        compare(&chain, &def, 4, 1e-10);
    }
}

/* With the default settings the two agree to what they promise. */
static void settled_chains_agree(void **state) {
    (void)state;
    Chain chain = {.links = 24, .left = true, .off = -1};
    AfxSimDef def = afx_default_sim();
    def.accuracy = AFX_ACCURATE;
    def.dt = 0.002;
    compare(&chain, &def, 20, 1e-7);
    chain.straight = chain.pushed = true;
    compare(&chain, &def, 20, 1e-7);
}

/* A first solve with the bound of the stiffness is enough while the motion is smooth, whatever the bound is. */
static void smooth_motion_takes_one_solve(void **state) {
    (void)state;
    Chain chain = {.links = 100, .left = true, .off = -1, .straight = true};
    AfxModel *model = make(&chain);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = start(model, &def);
    def.accuracy = AFX_ACCURATE;
    AfxSim *want = start(model, &def);
    for (int k = 0; k < 25; k++) {
        AfxStepReport report;
        assert_ok(afx_step(sim, &report));
        assert_int_equal(report.solves, 1);
        assert_true(report.residual <= 1e-12 * 20);
    }
    step(want, 25);
    AfxEnergy energy, accurate;
    assert_ok(afx_sim_energy(sim, &energy));
    assert_ok(afx_sim_energy(want, &accurate));
    assert_true(difference(sim, want) <= SMOOTH);
    assert_true(fabs(energy.total - accurate.total) <= 1e-3 * accurate.kinetic);
    afx_sim_destroy(sim);
    afx_sim_destroy(want);
    afx_model_destroy(model);
}

static void lanes_and_threads_do_not_matter(void **state) {
    (void)state;
    for (int twin = 0; twin < 2; twin++) {
        Chain chain = {.links = 330, .left = true, .crooked = twin, .uneven = true, .off = -1, .twin = twin};
        AfxModel *model = make(&chain);
        AfxSimDef def = afx_default_sim();
        AfxSim *want = start(model, &def);
        step(want, 6);
        for (int variant = 0; variant < 4; variant++) {
            AfxSimDef other = def;
            const uint32_t threads[] = {1, 2, 4, 3}, lanes[] = {1, 0, 4, 1};
            other.threads = threads[variant];
            other.lanes = lanes[variant];
            AfxSim *sim;
            if (afx_sim_create(model, &other, &sim) != AFX_OK) {
                continue; /* no such lanes here */
            }
            step(sim, 6);
            assert_true(difference(sim, want) == 0);
            afx_sim_destroy(sim);
        }
        afx_sim_destroy(want);
        afx_model_destroy(model);
    }
}

/* The history changes its place every step; a snapshot must not notice. */
static void snapshots_go_on_bit_by_bit(void **state) {
    (void)state;
    Chain chain = {.links = 50, .left = true, .off = -1};
    AfxModel *model = make(&chain);
    for (int m = 0; m < METHODS; m++) {
        for (int taken = 1; taken <= 4; taken++) {
            AfxSimDef def = sim_def(&methods[m], 0.01);
            AfxSim *sim = start(model, &def), *again = start(model, &def);
            size_t size = afx_sim_snapshot_size(sim);
            void *buffer = malloc(size);
            step(sim, taken);
            step(again, 3);
            assert_non_null(buffer);
            assert_ok(afx_sim_snapshot(sim, buffer, size));
            assert_ok(afx_sim_restore(again, buffer, size));
            step(sim, 5);
            step(again, 5);
            assert_true(difference(sim, again) == 0);
            free(buffer);
            afx_sim_destroy(sim);
            afx_sim_destroy(again);
        }
    }
    afx_model_destroy(model);
}

/* Memory that is full of what was there before: NaN. */
static void *dirty_reallocate(void *user, void *ptr, size_t old_size, size_t new_size) {
    AfxAllocator inner = afx_default_allocator();
    (void)user;
    void *block = inner.reallocate(inner.user, ptr, old_size, new_size);
    if (block && new_size > old_size) {
        memset((char *)block + old_size, 0xff, new_size - old_size);
    }
    return block;
}

/* The history of links has no value before the first step: nothing may read it, and snapshots must not show it. */
static void blank_history_is_not_seen(void **state) {
    (void)state;
    Chain chain = {.links = 50, .left = true, .moving = true, .off = -1};
    AfxModel *model = make(&chain);
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef def = sim_def(&methods[m], 0.01);
        AfxSim *clean = start(model, &def);
        def.allocator.reallocate = dirty_reallocate;
        AfxSim *dirty = start(model, &def);
        size_t size = afx_sim_snapshot_size(clean);
        void *one = calloc(2, size), *other = (char *)one + size;
        assert_non_null(one);
        assert_ok(afx_sim_snapshot(clean, one, size));
        assert_ok(afx_sim_snapshot(dirty, other, size));
        assert_memory_equal(one, other, size);
        step(clean, 4);
        step(dirty, 4);
        assert_true(difference(clean, dirty) == 0);
        assert_ok(afx_sim_snapshot(clean, one, size));
        assert_ok(afx_sim_snapshot(dirty, other, size));
        assert_memory_equal(one, other, size);
        free(one);
        afx_sim_destroy(clean);
        afx_sim_destroy(dirty);
    }
    afx_model_destroy(model);
}

/* Hanging at rest, every joint carries what is below it. */
static void a_hanging_chain_carries_its_weight(void **state) {
    (void)state;
    Chain chain = {.links = 30, .left = true, .vertical = true, .off = -1};
    AfxModel *model = make(&chain);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = start(model, &def);
    step(sim, 3);
    for (uint32_t k = 0; k + 1 < (uint32_t)chain.links; k++) { /* joint k is between links k and k + 1 */
        AfxWrench reaction;
        assert_ok(afx_sim_joint_reaction(sim, k, &reaction));
        assert_near(fabs(reaction.force.z), 0.1 * 9.81 * (chain.links - 1 - (int)k), 1e-3);
    }
    AfxWrench top;
    assert_ok(afx_sim_joint_reaction(sim, (uint32_t)chain.links - 1, &top));
    assert_near(top.force.z, 0.1 * 9.81 * chain.links, 1e-3);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

static void chains_that_are_torn_are_closed(void **state) {
    (void)state;
    Chain chain = {.links = 40, .left = true, .off = -1};
    AfxModel *model = make(&chain);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = start(model, &def);
    for (uint32_t k = 0; k < 40; k += 5) {
        AfxPose pose;
        AfxTwist twist = {{0.3, -0.2, 0.1}, {1, 2, 3}};
        assert_ok(afx_sim_body_pose(sim, k, &pose));
        pose.position.z += 0.02;
        assert_ok(afx_sim_set_body_pose(sim, k, pose));
        assert_ok(afx_sim_set_body_twist(sim, k, twist));
    }
    double residual;
    AfxStepReport report;
    assert_ok(afx_sim_assemble(sim, &residual));
    assert_true(residual < 1e-11);
    assert_ok(afx_step(sim, &report));
    assert_true(report.residual < 1e-11);
    int64_t freedom;
    uint32_t redundant;
    assert_ok(afx_sim_mobility(sim, &freedom, &redundant));
    assert_int_equal(freedom, 3 * 40);
    assert_int_equal(redundant, 0);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

/* A blow that the step cannot take as a whole: it is cut into parts, and nothing is lost. */
static void blows_are_taken_in_parts(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        Chain chain = {.links = 20, .left = true, .off = -1};
        AfxModel *model = make(&chain);
        AfxSimDef def = sim_def(&methods[m], 0.03);
        AfxSim *sim = start(model, &def);
        AfxTwist twist = {{0, 200, 0}, {0, 0, 0}};
        AfxStepReport report;
        uint32_t flags = 0;
        double largest = 0;
        assert_ok(afx_sim_set_body_twist(sim, 19, twist));
        for (int k = 0; k < 20; k++) {
            AfxStatus status = afx_step(sim, &report);
            flags |= report.flags;
            largest = status == AFX_OK ? fmax(largest, report.residual) : largest;
        }
        assert_true(sim_finite(sim));
        assert_true(largest < 1e-9);
        (void)flags;
        afx_sim_destroy(sim);
        afx_model_destroy(model);
    }
}

int run_chain_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_give_what_the_graph_gives), cmocka_unit_test(settled_chains_agree),
        cmocka_unit_test(smooth_motion_takes_one_solve),    cmocka_unit_test(lanes_and_threads_do_not_matter),
        cmocka_unit_test(snapshots_go_on_bit_by_bit),       cmocka_unit_test(a_hanging_chain_carries_its_weight),
        cmocka_unit_test(chains_that_are_torn_are_closed),  cmocka_unit_test(blows_are_taken_in_parts),
        cmocka_unit_test(blank_history_is_not_seen),
    };
    return cmocka_run_group_tests_name("chains", tests, NULL, NULL);
}
