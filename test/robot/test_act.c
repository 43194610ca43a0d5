/* SPDX-License-Identifier: Apache-2.0 */
/* Adhesion, dampers that are led, bounds of safety controllers, contact sensors, and tendons beyond their limits. */
#include <unistd.h>

#include "tests.h"

#define GRAVITY 9.81

static void run(AfxSim *sim, int steps) {
    for (int k = 0; k < steps; k++) {
        assert_ok(afx_step(sim, NULL));
    }
}

static double qpos_of(const AfxSim *sim, uint32_t k) {
    double q[40];
    assert_ok(afx_sim_qpos(sim, q));
    return q[k];
}

static double qvel_of(const AfxSim *sim, uint32_t k) {
    double v[40];
    assert_ok(afx_sim_qvel(sim, v));
    return v[k];
}

static void end(AfxScene *scene, AfxModel *model, AfxSim *sim) {
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* ---- adhesion ---- */

/* A box of 2 kg at a wall, which is behind it in x: it slides down where adhesion times friction is below its weight.
 */
static const char wall[] =
    "<mujoco><worldbody><geom name='wall' type='box' size='.1 1 1' pos='-.1 0 0' friction='.8'/>"
    "<body name='box' pos='.0999 0 0'><freejoint/><geom name='own' type='box' size='.1 .1 .1' mass='2' friction='.8'/>"
    "</body></worldbody><actuator><adhesion name='glue' body='box' ctrlrange='0 1' gain='%g'/></actuator>"
    "<sensor><contact name='hold' body1='world' body2='box' num='1' data='found force' reduce='netforce'/>"
    "<actuatorfrc actuator='glue'/></sensor></mujoco>";

static void adhesion_holds_what_friction_can(void **state) {
    (void)state;
    char text[1000];
    const double gains[] = {20, 40}; /* 2 g / 0.8 = 24.5 */
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, wall, gains[k]);
        AfxScene *scene = scene_from(text, AFX_FORMAT_MJCF);
        AfxModel *model;
        AfxSim *sim = sim_of(scene, &model);
        double data[5];
        assert_ok(afx_sim_set_control(sim, 0, 7)); /* kept at 1 */
        run(sim, 400);
        assert_ok(afx_sim_sensordata(sim, data));
        if (k == 0) {
            double fallen = 0.5 * (GRAVITY - 0.8 * gains[0] / 2) * 0.4 * 0.4;
            assert_near(qpos_of(sim, 2), -fallen, 0.03 * fallen);
        } else {
            assert_true(fabs(qpos_of(sim, 2)) < 2e-3); /* it creeps a little, as the file's friction does */
            assert_true(data[0] >= 4);
            assert_near(data[1], gains[1], 0.01 * gains[1]); /* the wall pushes back by what the box is pulled by */
            assert_near(data[3], 2 * GRAVITY, 0.01 * 2 * GRAVITY);
        }
        assert_near(data[4], gains[k], 1e-12);
        assert_ok(afx_sim_set_control(sim, 0, 0));
        run(sim, 300);
        assert_true(qpos_of(sim, 2) < -0.3); /* let go, it falls */
        end(scene, model, sim);
    }
}

/* Wrenches from outside and adhesion add up. */
static void adhesion_leaves_wrenches_alone(void **state) {
    (void)state;
    char text[1000];
    snprintf(text, sizeof text, wall, 40.0);
    AfxScene *scene = scene_from(text, AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    AfxWrench wrenches[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
    uint32_t box = 0;
    AfxBodyId id;
    assert_ok(afx_scene_find_body(scene, "box", &id));
    box = id.index;
    assert_true(box < 2);
    assert_ok(afx_sim_set_control(sim, 0, 1));
    run(sim, 50);
    wrenches[box].force.x = 60; /* more than the glue holds */
    assert_ok(afx_sim_set_body_wrenches(sim, wrenches));
    run(sim, 50);
    assert_true(qpos_of(sim, 0) > 0.11);
    assert_ok(afx_sim_set_body_wrenches(sim, NULL));
    run(sim, 30); /* of a multistep method, whose steps remember the push */
    double before = qvel_of(sim, 0);
    run(sim, 20);
    assert_near(qvel_of(sim, 0), before, 1e-9); /* nothing pulls any more: it is away from the wall */
    end(scene, model, sim);
}

/* What is held goes on from a snapshot with the same bits; what was put elsewhere is not pulled by what it touched. */
static void adhesion_is_part_of_the_state(void **state) {
    (void)state;
    const AfxFormulation formulations[] = {AFX_AFFIX, AFX_REDUCED};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text, wall, 40.0);
        AfxScene *scene = scene_from(text, AFX_FORMAT_MJCF);
        AfxSimDef def = afx_default_sim();
        AfxModel *model = NULL;
        AfxSim *sim = NULL, *other = NULL;
        double q[2][7], v[2][6];
        def.formulation = formulations[k];
        def.dt = 1e-3;
        sim_start(scene, &model, &sim, &def);
        sim_start(scene, &model, &other, &def);
        assert_ok(afx_sim_set_control(sim, 0, 1));
        run(sim, 50);
        size_t size = afx_sim_snapshot_size(sim);
        void *block = malloc(size);
        assert_non_null(block);
        assert_ok(afx_sim_snapshot(sim, block, size));
        assert_ok(afx_sim_restore(other, block, size));
        free(block);
        run(sim, 20);
        run(other, 20);
        for (int s = 0; s < 2; s++) {
            assert_ok(afx_sim_qpos(s ? other : sim, q[s]));
            assert_ok(afx_sim_qvel(s ? other : sim, v[s]));
        }
        assert_memory_equal(q[0], q[1], sizeof q[0]);
        assert_memory_equal(v[0], v[1], sizeof v[0]);
        const double still[6] = {0, 0, 0, 0, 0, 0};
        q[0][0] += 1;
        assert_ok(afx_sim_set_qpos(sim, q[0]));
        assert_ok(afx_sim_set_qvel(sim, still));
        run(sim, 1);
        assert_near(qvel_of(sim, 0), 0, 1e-12);
        assert_near(qvel_of(sim, 2), -GRAVITY * def.dt, 1e-9);
        afx_sim_destroy(other);
        end(scene, model, sim);
    }
}

/* What pulls two bodies together leaves their common momentum at 0, and is carried by their contact. */
static void adhesion_acts_on_both_sides(void **state) {
    (void)state;
    AfxScene *scene = scene_from("<mujoco><option gravity='0 0 0'/><worldbody><body name='a'><freejoint/><geom "
                                 "type='box' size='.1 .1 .1' mass='2'/>"
                                 "</body><body name='b' pos='.1999 .03 0'><freejoint/><geom type='box' size='.1 .1 .1' "
                                 "mass='1'/></body></worldbody>"
                                 "<actuator><adhesion body='a' ctrlrange='0 1' gain='30'/></actuator></mujoco>",
                                 AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    assert_ok(afx_sim_set_control(sim, 0, 1));
    run(sim, 300);
    double v[12], force = 0;
    assert_ok(afx_sim_qvel(sim, v));
    for (int k = 0; k < 3; k++) {
        assert_near(2 * v[k] + v[6 + k], 0, 1e-6);
    }
    for (uint32_t k = 0; k < afx_sim_contact_count(sim); k++) {
        AfxContact contact;
        assert_ok(afx_sim_contact(sim, k, &contact));
        force += contact.force;
    }
    assert_near(force, 30, 0.5);
    end(scene, model, sim);
}

/* What adheres stays awake, beside what sleeps. */
static void what_adheres_does_not_sleep(void **state) {
    (void)state;
    AfxScene *scene = scene_from("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/>"
                                 "<geom type='box' size='.1 .1 .1' mass='2'/></body><body pos='1 0 .1'><freejoint/>"
                                 "<geom type='box' size='.1 .1 .1' mass='2'/></body><body name='glued' pos='2 0 .1'>"
                                 "<freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body></worldbody>"
                                 "<actuator><adhesion body='glued' ctrlrange='0 1' gain='30'/></actuator></mujoco>",
                                 AFX_FORMAT_MJCF);
    AfxSimDef def = afx_default_sim();
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxBodyId glued;
    def.sleep_speed = 0.01;
    def.dt = 5e-3;
    sim_start(scene, &model, &sim, &def);
    assert_ok(afx_scene_find_body(scene, "glued", &glued));
    run(sim, 200);
    uint32_t sleepers = 0;
    for (uint32_t k = 0; k < afx_model_body_count(model); k++) {
        bool asleep = afx_sim_asleep(sim, k);
        sleepers += asleep;
        assert_true(!asleep || k != glued.index);
    }
    assert_int_equal(sleepers, 2);
    end(scene, model, sim);
}

/* ---- dampers ---- */

static void dampers_brake_by_their_control(void **state) {
    (void)state;
    AfxScene *scene =
        scene_from("<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
                   "<geom size='.1' mass='2'/></body></worldbody><actuator><damper name='d' joint='x' kv='5' gear='2' "
                   "ctrlrange='0 1'/></actuator></mujoco>",
                   AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    const double v = 3;
    double force;
    assert_ok(afx_sim_set_qvel(sim, &v));
    run(sim, 100);
    assert_near(qvel_of(sim, 0), 3, 1e-9); /* its control is 0 */
    assert_ok(afx_sim_set_control(sim, 0, 0.25));
    run(sim, 200);
    assert_near(qvel_of(sim, 0), 3 * exp(-5 * 4 * 0.25 / 2 * 0.2),
                4e-3); /* gear² kv u / m; it jumps between two steps */
    assert_ok(afx_sim_control_force(sim, 0, &force));
    assert_near(force, -5 * 4 * 0.25 * qvel_of(sim, 0), 1e-2);
    AfxScene *again = scene_make((AfxVec3){0, 0, 0}, true);
    char path[] = "/tmp/afx_act_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    AfxLoadDef def = afx_default_load();
    AfxControlDef control;
    def.format = AFX_FORMAT_JSON;
    assert_ok(afx_scene_save(scene, path, NULL));
    assert_ok(afx_scene_load(again, path, &def, NULL));
    remove(path);
    assert_ok(afx_scene_get_control(again, 0, &control));
    assert_near(control.damping, 20, 1e-12);
    afx_scene_destroy(again);
    end(scene, model, sim);
}

/* ---- safety ---- */

static const char safe[] =
    "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/><inertia ixx='.1' iyy='.1' "
    "izz='.1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='revolute'><parent link='base'/>"
    "<child link='arm'/><axis xyz='0 0 1'/><limit lower='-2' upper='2' effort='20' velocity='1.5'/>"
    "<safety_controller soft_lower_limit='-1' soft_upper_limit='1' k_position='10' "
    "k_velocity='50'/></joint></robot>";

/* A link that a motor drives against its soft limit: it nears it as exp(-k_position t), and never faster than allowed.
 */
static void safety_keeps_soft_limits(void **state) {
    (void)state;
    AfxScene *scene = scene_from(safe, AFX_FORMAT_URDF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double fastest = 0;
    assert_int_equal(afx_model_control_count(model), 1);
    assert_ok(afx_sim_set_control(sim, 0, 5));
    for (int k = 0; k < 3000; k++) {
        run(sim, 1);
        fastest = fmax(fastest, qvel_of(sim, 0));
    }
    assert_true(fastest > 1.3 && fastest < 1.5 + 0.06);      /* u > k (1.5 - v): a little less, and a step later */
    assert_near(qpos_of(sim, 0), 1 + 5.0 / (50 * 10), 0.03); /* where the bound meets what is asked */
    assert_ok(afx_sim_set_control(sim, 0, -5));
    run(sim, 3000);
    assert_near(qpos_of(sim, 0), -1 - 5.0 / (50 * 10), 0.03);
    const double beyond = 1.8;
    assert_ok(afx_sim_set_qpos(sim, &beyond));
    assert_ok(afx_sim_set_control(sim, 0, 0));
    run(sim, 2000);
    assert_true(fabs(qpos_of(sim, 0)) < 1.02); /* what is beyond it comes back, and coasts as far as it may */
    end(scene, model, sim);
}

/* Without a position gain only speed is bounded: bounds of position are no rates. */
static void safety_without_gain_bounds_speed_alone(void **state) {
    (void)state;
    AfxScene *scene =
        scene_from("<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
                   "<geom size='.1' mass='2'/></body></worldbody></mujoco>",
                   AFX_FORMAT_MJCF);
    AfxDriveDef motor = afx_default_drive(AFX_DRIVE_FORCE), brake = afx_default_drive(AFX_DRIVE_SERVO);
    AfxControlDef control = afx_default_control();
    assert_ok(afx_scene_find_joint(scene, "x", &motor.joint));
    brake.joint = motor.joint;
    motor.from_input = brake.from_input = true;
    brake.damping = 50;
    assert_ok(afx_scene_add_drive(scene, &motor, &control.drive));
    assert_ok(afx_scene_add_drive(scene, &brake, &control.safety.brake));
    control.safety.lower = -0.5;
    control.safety.upper = 0.5;
    control.safety.speed = 2;
    assert_ok(afx_scene_add_control(scene, &control));
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    assert_ok(afx_sim_set_control(sim, 0, 4));
    run(sim, 500);
    assert_near(qvel_of(sim, 0), 4.0 / 2 * 0.5, 2e-2); /* F t / m */
    run(sim, 1500);
    assert_true(qvel_of(sim, 0) > 1.8 && qvel_of(sim, 0) < 2.01);
    end(scene, model, sim);
}

/* ---- derivatives ---- */

/* What follows contacts, rates or positions within a step has no derivative, and is refused by name. */
static void derivatives_of_what_follows_are_refused(void **state) {
    (void)state;
    static const char body[] = "<mujoco><worldbody><body name='b'><joint name='x' type='slide' axis='1 0 0'/>"
                               "<geom size='.1' mass='2'/></body></worldbody><actuator>%s</actuator></mujoco>";
    static const char *const actuators[][2] = {
        {"<motor joint='x'/>", NULL},
        {"<adhesion body='b' ctrlrange='0 1' gain='30'/>", "adhesion"},
        {"<damper joint='x' kv='5' ctrlrange='0 1'/>", "damping"},
        {NULL, "safety"},
    };
    for (size_t k = 0; k < sizeof actuators / sizeof *actuators; k++) {
        char text[1000];
        snprintf(text, sizeof text, body, actuators[k][0] ? actuators[k][0] : "");
        AfxScene *scene = actuators[k][0] ? scene_from(text, AFX_FORMAT_MJCF) : scene_from(safe, AFX_FORMAT_URDF);
        AfxSimDef def = afx_default_sim();
        AfxGradDef grad_def = afx_default_grad();
        AfxError error = {0};
        AfxModel *model = NULL;
        AfxSim *sim = NULL;
        AfxGrad *grad = NULL;
        def.accuracy = AFX_CONVERGED;
        grad_def.error = &error;
        sim_start(scene, &model, &sim, &def);
        assert_int_equal(afx_grad_create(sim, &grad_def, &grad), actuators[k][1] ? AFX_E_INPUT : AFX_OK);
        assert_true(!actuators[k][1] || strstr(error.text, actuators[k][1]));
        afx_grad_destroy(grad);
        end(scene, model, sim);
    }
}

/* ---- contact sensors ---- */

static const char pile[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='low' pos='0 0 .1'><freejoint/><geom name='box' type='box' size='.2 .2 .1' mass='3'/></body>"
    "<body name='high' pos='.05 0 .3'><freejoint/><geom name='ball' size='.1' mass='1'/>"
    "<site name='zone' type='box' size='.3 .3 .12'/></body></worldbody><sensor>"
    "<contact name='all' num='3' data='found dist'/>"
    "<contact name='ball' geom1='ball' data='found force torque dist pos normal tangent'/>"
    "<contact name='onto' geom2='ball' data='force normal'/>"
    "<contact name='floor' body1='low' geom2='floor' num='6' data='found force dist' reduce='maxforce'/>"
    "<contact name='net' body1='low' body2='world' data='found force torque dist pos' reduce='netforce'/>"
    "<contact name='none' geom1='ball' geom2='floor' num='2' data='found'/>"
    "<contact name='zone' site='zone' data='found'/></sensor></mujoco>";

static void contact_sensors_tell_contacts(void **state) {
    (void)state;
    AfxScene *scene = scene_from(pile, AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double data[100];
    const uint32_t sizes[] = {6, 17, 6, 30, 11, 2, 1};
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 7; k++) {
        AfxSensorDef def;
        assert_ok(afx_scene_get_sensor(scene, k, &def));
        assert_int_equal(afx_sensor_numbers(&def), sizes[k]);
        sum += sizes[k];
    }
    assert_int_equal(afx_model_sensordata_count(model), sum);
    run(sim, 1500);
    assert_ok(afx_sim_sensordata(sim, data));
    const double *all = data, *ball = all + 6, *onto = ball + 17, *flat = onto + 6, *net = flat + 30, *none = net + 11;
    assert_near(all[0], 5, 0); /* four corners and the ball, of which three are told */
    assert_near(all[2], 5, 0);
    assert_near(all[4], 5, 0);
    assert_near(ball[0], 1, 0);
    assert_near(ball[1], GRAVITY, 1e-3); /* by which the ball pushes what it is on */
    assert_near(hypot(ball[2], ball[3]), 0, 1e-3);
    assert_near(ball[7], qpos_of(sim, 9) - 0.1 - (qpos_of(sim, 2) + 0.1), 1e-5); /* the box leans by 4e-5 rad */
    assert_near(ball[8], qpos_of(sim, 7), 1e-4);
    assert_near(ball[10], 0.2, 2e-3);
    assert_near(ball[13], -1, 1e-9); /* down, from the ball to the box */
    assert_near(ball[11] * ball[14] + ball[12] * ball[15] + ball[13] * ball[16], 0, 1e-12);
    assert_near(onto[0], GRAVITY, 1e-3);
    assert_near(onto[5], 1, 1e-9); /* from the box to the ball */
    double load = 0;
    for (int k = 0; k < 4; k++) {
        assert_near(flat[5 * k], 4, 0);
        load += flat[5 * k + 1];
        assert_true(k == 0 ||
                    hypot(flat[5 * k + 1], flat[5 * k + 2]) <= hypot(flat[5 * k - 4], flat[5 * k - 3]) + 1e-9);
    }
    assert_near(load, 4 * GRAVITY, 1e-3);
    assert_near(flat[20], 0, 0); /* no fifth */
    assert_near(net[0], 4, 0);
    assert_near(net[3], -4 * GRAVITY, 1e-3);                                /* on the ground, in the world's axes */
    assert_near(net[8], (qpos_of(sim, 7) + 3 * qpos_of(sim, 0)) / 4, 1e-3); /* where its centre is */
    assert_near(hypot(net[4], net[5]), 0, 1e-6);
    assert_near(none[0] + none[1], 0, 0);
    assert_near(none[2], 1, 0);
    end(scene, model, sim);
}

/* What hangs on a body counts with it; sides that can touch nothing are left out. */
static void contact_sensors_take_subtrees(void **state) {
    (void)state;
    AfxScene *scene =
        scene_from("<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='arm' pos='0 0 .5'>"
                   "<joint axis='0 1 0'/><geom name='own' size='.05' mass='1'/><body name='hand' pos='.3 0 -.42'>"
                   "<joint axis='0 1 0'/><geom name='tip' size='.1' mass='1'/></body></body></worldbody><sensor>"
                   "<contact name='body' body1='arm' data='found'/><contact name='tree' subtree1='arm' data='found'/>"
                   "<contact name='floor' geom1='floor' subtree2='hand' data='found'/></sensor></mujoco>",
                   AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double data[3];
    run(sim, 2);
    assert_ok(afx_sim_sensordata(sim, data));
    assert_near(data[0], 0, 0);
    assert_near(data[1], 1, 0);
    assert_near(data[2], 1, 0);
    end(scene, model, sim);
}

static void contact_sensors_are_checked(void **state) {
    (void)state;
    AfxScene *scene = scene_from(pile, AFX_FORMAT_MJCF);
    AfxSensorDef def = afx_default_sensor(AFX_SENSOR_CONTACT);
    def.object = UINT32_MAX;
    assert_ok(afx_scene_add_sensor(scene, &def));
    def.slots = 0;
    assert_int_equal(afx_scene_add_sensor(scene, &def), AFX_E_INPUT);
    def.slots = 1;
    def.data = 128;
    assert_int_equal(afx_scene_add_sensor(scene, &def), AFX_E_INPUT);
    def.data = 1;
    def.reference = 77;
    assert_int_equal(afx_scene_add_sensor(scene, &def), AFX_E_INPUT);
    def.reference = UINT32_MAX;
    def.inside = 0; /* without a zone */
    assert_int_equal(afx_scene_add_sensor(scene, &def), AFX_E_INPUT);
    afx_scene_destroy(scene);
}

/* ---- tendons beyond their limits ---- */

/* A tendon over two hinges that is set beyond its range, and one that the file draws so: the first step moves it there
 * by positions alone, at any step length; the lighter joint moves more. */
static void tendons_beyond_their_limits_are_not_thrown(void **state) {
    (void)state;
    static const char text[] =
        "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><joint name='a' axis='0 1 0'/>"
        "<geom size='.1' pos='.3 0 0' mass='4'/></body><body pos='0 1 0'><joint name='b' axis='0 1 0' range='-3 .45'/>"
        "<geom size='.1' pos='.3 0 0' mass='1'/></body></worldbody><tendon><fixed name='t' range='%s'>"
        "<joint joint='a' coef='1'/><joint joint='b' coef='1'/></fixed></tendon><sensor><tendonpos "
        "tendon='t'/></sensor>"
        "</mujoco>";
    char own[1000];
    for (int drawn = 0; drawn < 2; drawn++) {
        snprintf(own, sizeof own, text, drawn ? "-2 -.25" : "-2 .25");
        AfxScene *scene = scene_from(own, AFX_FORMAT_MJCF);
        for (double dt = 1e-2; dt > 1e-5; dt /= 10) {
            AfxModel *model;
            AfxSim *sim = sim_of(scene, &model);
            const double q[2] = {0.2, 0.3};
            double read, want = drawn ? -0.25 : 0.25;
            AfxStepReport report;
            assert_ok(afx_sim_set_dt(sim, dt));
            if (!drawn) {
                assert_ok(afx_sim_set_qpos(sim, q));
                assert_near(qpos_of(sim, 0), 0.2, 1e-15);
            }
            assert_ok(afx_step(sim, &report));
            assert_true(report.flags & AFX_STEP_ASSEMBLED);
            assert_ok(afx_sim_sensordata(sim, &read));
            assert_near(read, want, 1e-9);
            assert_true(fabs(qvel_of(sim, 0)) + fabs(qvel_of(sim, 1)) < 1e-6);
            double moved[2] = {qpos_of(sim, 0) - (drawn ? 0 : q[0]), qpos_of(sim, 1) - (drawn ? 0 : q[1])};
            assert_near(moved[1] / moved[0], 4, 1e-6);
            assert_ok(afx_step(sim, &report));
            assert_false(report.flags & AFX_STEP_ASSEMBLED);
            end(NULL, model, sim);
        }
        afx_scene_destroy(scene);
    }
}

/* The same along a path, whose lever arms change on the way; and joints that are at limits of their own stay there. */
static void paths_beyond_their_limits_are_not_thrown(void **state) {
    (void)state;
    AfxScene *scene = scene_from(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><site name='o' pos='0 0 1'/><body>"
        "<joint name='a' axis='0 1 0' range='-1 3'/><geom size='.1' pos='.5 0 0' mass='1'/><site name='s' pos='.8 0 "
        "0'/>"
        "<body pos='1 0 0'><joint name='b' axis='0 1 0'/><geom size='.05' pos='.3 0 0' mass='.5'/>"
        "<site name='e' pos='.5 0 0'/></body></body></worldbody>"
        "<tendon><spatial name='t' range='0 1.6'><site site='o'/><site site='e'/></spatial></tendon>"
        "<sensor><tendonpos tendon='t'/></sensor></mujoco>",
        AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    const double q[2] = {-0.999, 0.3};
    double read;
    assert_ok(afx_sim_set_qpos(sim, q));
    run(sim, 1);
    assert_ok(afx_sim_sensordata(sim, &read));
    assert_true(read < 1.6 + 1e-6);
    assert_true(fabs(qvel_of(sim, 0)) + fabs(qvel_of(sim, 1)) < 1e-4);
    run(sim, 200);
    assert_true(fabs(qvel_of(sim, 0)) + fabs(qvel_of(sim, 1)) < 1e-2);
    end(scene, model, sim);
}

int run_act_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adhesion_holds_what_friction_can),
        cmocka_unit_test(adhesion_leaves_wrenches_alone),
        cmocka_unit_test(adhesion_is_part_of_the_state),
        cmocka_unit_test(adhesion_acts_on_both_sides),
        cmocka_unit_test(what_adheres_does_not_sleep),
        cmocka_unit_test(dampers_brake_by_their_control),
        cmocka_unit_test(safety_keeps_soft_limits),
        cmocka_unit_test(safety_without_gain_bounds_speed_alone),
        cmocka_unit_test(derivatives_of_what_follows_are_refused),
        cmocka_unit_test(contact_sensors_tell_contacts),
        cmocka_unit_test(contact_sensors_take_subtrees),
        cmocka_unit_test(contact_sensors_are_checked),
        cmocka_unit_test(tendons_beyond_their_limits_are_not_thrown),
        cmocka_unit_test(paths_beyond_their_limits_are_not_thrown),
    };
    return cmocka_run_group_tests_name("actuators and contact sensors", tests, NULL, NULL);
}
