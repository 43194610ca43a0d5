/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes for what the built-in cases do not reach: fast paths and contact, events in trees, bounces. */
#include "golden/act.h"
#include "golden/make.h"
#include "golden/run.h"

#include <math.h>

#define SOFT 1e8
#define RIGID INFINITY

static AfxStatus tree_over_plane(AfxJointKind kind, double height, AfxScene **scene) {
    Maker maker = make_begin(true);
    make_plane(&maker, -height, 0.4, 0);
    make_tree(&maker, kind, afx_world(), (AfxVec3){0, 0, 0}, 4, SOFT, NULL, NULL, 0);
    return make_end(&maker, scene);
}

static AfxStatus hinge_tree_ground(AfxScene **scene) {
    return tree_over_plane(AFX_JOINT_REVOLUTE, 0.1, scene);
}

static AfxStatus ball_tree_ground(AfxScene **scene) {
    return tree_over_plane(AFX_JOINT_SPHERICAL, 0.1, scene);
}

/* Contact is possible and never there. */
static AfxStatus ball_tree_far(AfxScene **scene) {
    return tree_over_plane(AFX_JOINT_SPHERICAL, 50, scene);
}

static AfxStatus hinge_tree_far(AfxScene **scene) {
    return tree_over_plane(AFX_JOINT_REVOLUTE, 50, scene);
}

static AfxStatus tree_alone(AfxJointKind kind, double young, AfxScene **scene) {
    Maker maker = make_begin(false);
    make_tree(&maker, kind, afx_world(), (AfxVec3){0, 0, 0}, 4, young, NULL, NULL, 0);
    return make_end(&maker, scene);
}

static AfxStatus hinge_tree(AfxScene **scene) {
    return tree_alone(AFX_JOINT_REVOLUTE, SOFT, scene);
}

static AfxStatus hinge_twigs(AfxScene **scene) {
    Maker maker = make_begin(true);
    make_plane(&maker, -0.03, 0.4, 0);
    make_tree(&maker, AFX_JOINT_REVOLUTE, afx_world(), (AfxVec3){0, 0, 0}, 1, SOFT, NULL, NULL, 0);
    return make_end(&maker, scene);
}

static AfxStatus ball_tree(AfxScene **scene) {
    return tree_alone(AFX_JOINT_SPHERICAL, SOFT, scene);
}

static AfxStatus ball_tree_rigid(AfxScene **scene) {
    return tree_alone(AFX_JOINT_SPHERICAL, RIGID, scene);
}

static AfxStatus universal_tree(AfxScene **scene) {
    return tree_alone(AFX_JOINT_UNIVERSAL, SOFT, scene);
}

static AfxStatus chain_over_plane(AfxScene **scene) {
    Maker maker = make_begin(true);
    make_plane(&maker, -0.05, 0.5, 0);
    make_chain(&maker, afx_world(), true, (AfxVec3){0, 0, 0}, 12, SOFT, NULL);
    return make_end(&maker, scene);
}

static AfxStatus held_chain_over_plane(AfxScene **scene) {
    Maker maker = make_begin(true);
    make_plane(&maker, -0.2, 0.5, 0);
    make_chain(&maker, afx_world(), false, (AfxVec3){0, 0, 0}, 12, RIGID, NULL);
    return make_end(&maker, scene);
}

/* Two chains across each other: pairs of moving bodies that touch, and an own contact of each with the plane. */
static AfxStatus crossed_chains(AfxScene **scene) {
    Maker maker = make_begin(true);
    make_plane(&maker, -0.05, 0.5, 0);
    AfxBodyId links[8];
    make_chain(&maker, afx_world(), true, (AfxVec3){0, 0, 0}, 8, SOFT, links);
    AfxShapeDef ball = afx_default_sphere(0.04);
    make_body(&maker, (AfxVec3){0.42, 0.005, 0.06}, &ball, SOFT);
    make_body(&maker, (AfxVec3){0.15, -0.004, 0.08}, &ball, RIGID);
    return make_end(&maker, scene);
}

static AfxStatus bounces(AfxScene **scene) {
    Maker maker = make_begin(true);
    make_plane(&maker, 0, 0.3, 0.7);
    AfxShapeDef ball = afx_default_sphere(0.1), box = afx_default_box(0.2, 0.15, 0.1);
    make_body(&maker, (AfxVec3){0, 0, 0.25}, &ball, RIGID);
    make_body(&maker, (AfxVec3){0.01, 0, 0.5}, &ball, SOFT);
    make_body(&maker, (AfxVec3){1, 0, 0.2}, &box, SOFT);
    make_body(&maker, (AfxVec3){1.03, 0.02, 0.4}, &box, RIGID);
    return make_end(&maker, scene);
}

/* What starts deep in each other, and what flies through a thin plate in less than a step. */
static AfxStatus deep_and_fast(AfxScene **scene) {
    Maker maker = make_begin(true);
    make_plane(&maker, 0, 0.3, 0);
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2), plate = afx_default_box(1, 1, 0.01),
                ball = afx_default_sphere(0.02);
    make_body(&maker, (AfxVec3){0, 0, 0.07}, &box, RIGID);
    make_body(&maker, (AfxVec3){0.02, 0.01, 0.2}, &box, SOFT);
    make_body(&maker, (AfxVec3){2, 0, 0.005}, &plate, SOFT);
    AfxBodyId bullet = make_body(&maker, (AfxVec3){2, 0.1, 3}, &ball, SOFT);
    AfxBodyDef def;
    if (maker.status == AFX_OK) {
        maker.status = afx_scene_get_body(maker.scene, bullet, &def);
    }
    def.linear_velocity = (AfxVec3){1, 0, -60};
    if (maker.status == AFX_OK) {
        maker.status = afx_scene_set_body(maker.scene, bullet, &def);
    }
    return make_end(&maker, scene);
}

static AfxBodyId throw_ball(Maker *maker, AfxVec3 at, double radius, AfxVec3 velocity) {
    AfxShapeDef ball = afx_default_sphere(radius);
    AfxBodyId id = make_body(maker, at, &ball, RIGID);
    AfxBodyDef def;
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_get_body(maker->scene, id, &def);
    }
    if (maker->status == AFX_OK) {
        def.linear_velocity = velocity;
        maker->status = afx_scene_set_body(maker->scene, id, &def);
    }
    return id;
}

/* Pairs of balls that touch, one thrown into a row of others: what is struck comes to the next pair within the step. */
static AfxStatus row_of_pairs(AfxScene **scene) {
    Maker maker = make_begin(true);
    for (uint32_t k = 0; k < 4; ++k) {
        throw_ball(&maker, (AfxVec3){0.16 * k, 0, 0}, 0.03, (AfxVec3){0, 0, 0});
        throw_ball(&maker, (AfxVec3){0.16 * k + 0.0599, 0.001, 0}, 0.03, (AfxVec3){0, 0, 0});
    }
    throw_ball(&maker, (AfxVec3){-0.3, 0.002, 0.003}, 0.06, (AfxVec3){25, 0, 0});
    return make_end(&maker, scene);
}

/* Point masses and rods without thickness, free and in a pendulum. */
static AfxStatus needles(AfxScene **scene) {
    Maker maker = make_begin(false);
    for (uint32_t k = 0; k < 4; ++k) {
        AfxBodyDef def = afx_default_body();
        AfxBodyId body = {0};
        def.pose.position.x = k;
        def.mass_source = AFX_MASS_GIVEN;
        def.mass = 0.5;
        def.inertia[1] = def.inertia[2] = k % 2 ? 0.01 : 0;
        def.angular_velocity = (AfxVec3){1, 2, 3};
        def.young = k < 2 ? RIGID : SOFT;
        if (maker.status == AFX_OK) {
            maker.status = afx_scene_add_body(maker.scene, &def, &body);
        }
        if (k >= 2) {
            make_joint(&maker, AFX_JOINT_SPHERICAL, afx_world(), body, (AfxVec3){k, 0.2, 0.1}, (AfxVec3){1, 0, 0});
        }
    }
    return make_end(&maker, scene);
}

static void drive_on(Maker *maker, AfxDriveDef def, AfxJointId joint) {
    def.joint = joint;
    make_drive(maker, &def);
}

/* servo, limit with bounce and friction on a hinge arm, at small angles */
static AfxStatus arm_with(bool contact, AfxScene **scene) {
    Maker maker = make_begin(contact);
    if (contact) {
        make_plane(&maker, -0.12, 0.4, 0);
    }
    AfxBodyId before = afx_world();
    AfxJointId joints[4];
    for (uint32_t k = 0; k < 4; ++k) {
        AfxBodyId link = make_link(&maker, (AfxVec3){0.2 * k, 0, 0}, (AfxVec3){0.2 * (k + 1), 0, 0}, SOFT);
        joints[k] = make_joint(&maker, AFX_JOINT_REVOLUTE, before, link, (AfxVec3){0.2 * k, 0, 0},
                               (AfxVec3){0, 1, k == 3 ? 0.3 : 0});
        before = link;
    }
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO), limit = afx_default_drive(AFX_DRIVE_LIMIT);
    servo.target = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.5, 2, 0}};
    servo.stiffness = 20;
    servo.damping = 0.2;
    servo.effort = 3;
    limit.lower = -0.3;
    limit.upper = 0.3;
    limit.restitution = 0.5;
    AfxDriveDef friction = afx_default_drive(AFX_DRIVE_FRICTION), spring = afx_default_drive(AFX_DRIVE_SPRING);
    friction.effort = 0.05;
    friction.coefficient = 0.2;
    friction.radius = 0.02;
    spring.stiffness = 1;
    spring.damping = 0.01;
    drive_on(&maker, servo, joints[0]);
    drive_on(&maker, limit, joints[1]);
    drive_on(&maker, friction, joints[2]);
    drive_on(&maker, spring, joints[3]);
    return make_end(&maker, scene);
}

static AfxStatus arm(AfxScene **scene) {
    return arm_with(false, scene);
}

static AfxStatus arm_ground(AfxScene **scene) {
    return arm_with(true, scene);
}

/* position, velocity and force drives on a slide, a hinge and a cylindrical joint, and a gear between hinges */
static AfxStatus machine(AfxScene **scene) {
    Maker maker = make_begin(false);
    AfxShapeDef box = afx_default_box(0.1, 0.1, 0.1);
    AfxVec3 x = {1, 0, 0}, y = {0, 1, 0};
    AfxBodyId slide = make_body(&maker, (AfxVec3){0, 0, 0}, &box, SOFT);
    AfxBodyId wheel = make_body(&maker, (AfxVec3){0, 0.2, 0}, &box, RIGID);
    AfxBodyId rod = make_link(&maker, (AfxVec3){0.05, 0.3, 0}, (AfxVec3){0.35, 0.3, 0}, SOFT);
    AfxBodyId gear = make_body(&maker, (AfxVec3){0.4, 0.2, 0.2}, &box, SOFT);
    AfxJointId guide = make_joint(&maker, AFX_JOINT_PRISMATIC, afx_world(), slide, (AfxVec3){0, 0, 0}, x);
    AfxJointId axle = make_joint(&maker, AFX_JOINT_REVOLUTE, slide, wheel, (AfxVec3){0, 0.2, 0}, y);
    AfxJointId bush = make_joint(&maker, AFX_JOINT_CYLINDRICAL, wheel, rod, (AfxVec3){0.05, 0.3, 0}, x);
    AfxJointId bearing = make_joint(&maker, AFX_JOINT_REVOLUTE, afx_world(), gear, (AfxVec3){0.4, 0.2, 0.2}, y);
    AfxDriveDef position = afx_default_drive(AFX_DRIVE_POSITION), velocity = afx_default_drive(AFX_DRIVE_VELOCITY);
    AfxDriveDef force = afx_default_drive(AFX_DRIVE_FORCE);
    position.target = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.05, 1, 0}};
    velocity.target = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 5}};
    force.target = (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {0.3}};
    drive_on(&maker, position, guide);
    drive_on(&maker, velocity, axle);
    drive_on(&maker, force, bush);
    AfxCouplingDef coupling = afx_default_coupling();
    coupling.term_count = 2;
    coupling.joint[0] = axle;
    coupling.joint[1] = bearing;
    coupling.factor[0] = 2;
    coupling.factor[1] = 1;
    AfxCouplingId id;
    if (maker.status == AFX_OK) {
        maker.status = afx_scene_add_coupling(maker.scene, &coupling, &id);
    }
    return make_end(&maker, scene);
}

/* A kinematic base that turns by 2 rad a step across the hinge of what hangs on it: where that is expected its axis
 * points the other way. */
static AfxStatus turned_over(AfxScene **scene) {
    Maker maker = make_begin(false);
    AfxBodyDef def = afx_default_body();
    def.kind = AFX_BODY_KINEMATIC;
    def.motion.axis = (AfxVec3){1, 0, 0};
    def.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0, 2e4}};
    AfxBodyId base = {0};
    maker.status = maker.status == AFX_OK ? afx_scene_add_body(maker.scene, &def, &base) : maker.status;
    AfxBodyId link = make_link(&maker, (AfxVec3){0, 0, 0}, (AfxVec3){0.2, 0, 0}, SOFT);
    make_joint(&maker, AFX_JOINT_REVOLUTE, base, link, (AfxVec3){0, 0, 0}, (AfxVec3){0, 0, 1});
    return make_end(&maker, scene);
}

/* A kinematic base that shakes a ball chain and a hinge tree; springs between points. */
static AfxStatus kinematic_base(AfxScene **scene) {
    Maker maker = make_begin(false);
    AfxBodyId base = {0};
    AfxBodyDef def = afx_default_body();
    def.kind = AFX_BODY_KINEMATIC;
    def.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.05, 3, 0}};
    def.motion.axis = (AfxVec3){0, 1, 0};
    def.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.2, 2, 0}};
    maker.status = maker.status == AFX_OK ? afx_scene_add_body(maker.scene, &def, &base) : maker.status;
    AfxBodyId links[10];
    make_chain(&maker, base, false, (AfxVec3){0, 0, 0}, 10, SOFT, links);
    make_tree(&maker, AFX_JOINT_REVOLUTE, base, (AfxVec3){0, 1, 0}, 3, SOFT, NULL, NULL, 0);
    return make_end(&maker, scene);
}

static AfxStatus point_springs(AfxScene **scene) {
    Maker maker = make_begin(false);
    AfxBodyId links[10];
    make_chain(&maker, afx_world(), false, (AfxVec3){0, 0, 0}, 10, SOFT, links);
    AfxSpringDef spring = afx_default_spring();
    spring.body_a = links[9];
    spring.point_a = (AfxVec3){0, 0, 0.05};
    spring.body_b = afx_world();
    spring.point_b = (AfxVec3){1, 0, 0.4};
    spring.rest_length = 0.3;
    spring.stiffness = 100;
    spring.damping = 0.5;
    AfxSpringId id;
    if (maker.status == AFX_OK) {
        maker.status = afx_scene_add_spring(maker.scene, &spring, &id);
    }
    spring.body_b = links[3];
    spring.point_b = (AfxVec3){0, 0, 0};
    if (maker.status == AFX_OK) {
        maker.status = afx_scene_add_spring(maker.scene, &spring, &id);
    }
    return make_end(&maker, scene);
}

static AfxStatus springy_tree(AfxScene **scene) {
    Maker maker = make_begin(false);
    AfxBodyId links[6];
    make_chain(&maker, afx_world(), false, (AfxVec3){0, 0, 0}, 4, SOFT, links);
    for (uint32_t k = 0; k < 4; ++k) {
        AfxVec3 at = {0.1 * (k + 1), 0, 0};
        AfxBodyId twig = make_link(&maker, at, (AfxVec3){at.x, 0.12, 0.05}, SOFT);
        AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
        def.base = links[k];
        def.follower = twig;
        def.spring.stiffness = (AfxVec3){0.5, 0.4, 0.3};
        def.spring.damping = (AfxVec3){0.002, 0.002, 0.002};
        AfxJointId id;
        if (maker.status == AFX_OK) {
            maker.status = afx_joint_place(maker.scene, &def, afx_frame_along(at, (AfxVec3){0, 1, 0}));
        }
        if (maker.status == AFX_OK) {
            maker.status = afx_scene_add_joint(maker.scene, &def, &id);
        }
    }
    return make_end(&maker, scene);
}

/* Joints that break on the way: one ball of a chain, one hinge of a tree. */
static AfxStatus breaking(AfxScene **scene) {
    Maker maker = make_begin(false);
    for (uint32_t part = 0; part < 2; ++part) {
        AfxBodyId before = afx_world();
        for (uint32_t k = 0; k < 10; ++k) {
            AfxVec3 a = {0.1 * k, part, 0};
            AfxBodyId link = make_link(&maker, a, (AfxVec3){a.x + 0.1, a.y, 0}, SOFT);
            AfxJointDef def = afx_default_joint(part == 0 ? AFX_JOINT_SPHERICAL : AFX_JOINT_REVOLUTE);
            def.base = before;
            def.follower = link;
            def.break_force = k == 4 ? 5 : 0;
            AfxJointId id;
            if (maker.status == AFX_OK) {
                maker.status = afx_joint_place(maker.scene, &def, afx_frame_along(a, (AfxVec3){0, 1, 0}));
            }
            if (maker.status == AFX_OK) {
                maker.status = afx_scene_add_joint(maker.scene, &def, &id);
            }
            before = link;
        }
    }
    return make_end(&maker, scene);
}

/* A ball joint with a spring between two links. */
static void springy_ball(Maker *maker, AfxBodyId base, AfxBodyId follower, AfxVec3 at, double stiffness) {
    AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
    AfxJointId id;
    def.base = base;
    def.follower = follower;
    def.spring.stiffness = (AfxVec3){stiffness, 0.8 * stiffness, 0.6 * stiffness};
    def.spring.damping = (AfxVec3){0.002 * stiffness, 0.002 * stiffness, 0.002 * stiffness};
    if (maker->status == AFX_OK) {
        maker->status = afx_joint_place(maker->scene, &def, afx_frame_along(at, (AfxVec3){0, 1, 0}));
    }
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_add_joint(maker->scene, &def, &id);
    }
}

static void move_body(Maker *maker, AfxBodyId body, AfxVec3 velocity, AfxVec3 spin) {
    AfxBodyDef def;
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_get_body(maker->scene, body, &def);
    }
    def.linear_velocity = velocity;
    def.angular_velocity = spin;
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_set_body(maker->scene, body, &def);
    }
}

/* A rod without thickness: its inertia is floored. */
static AfxBodyId make_needle(Maker *maker, AfxVec3 at) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId body = {0};
    def.pose.position = at;
    def.mass_source = AFX_MASS_GIVEN;
    def.mass = 0.01;
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_add_body(maker->scene, &def, &body);
    }
    return body;
}

/* Small trees of springy balls, which share a lot: calm ones, one that whips, one that ends in a needle. */
static AfxStatus twigs(AfxScene **scene) {
    Maker maker = make_begin(false);
    for (uint32_t k = 0; k < 6; ++k) {
        AfxVec3 a = {0, 0.5 * k, 0}, b = {0.1, 0.5 * k, 0}, c = {0.2, 0.5 * k, 0.02}, d = {0.15, 0.5 * k + 0.1, 0};
        AfxBodyId stem = make_link(&maker, a, b, SOFT), left = make_link(&maker, b, c, SOFT);
        AfxBodyId right = make_link(&maker, b, d, k % 2 ? RIGID : SOFT);
        springy_ball(&maker, afx_world(), stem, a, 0.5);
        springy_ball(&maker, stem, left, b, 0.3);
        springy_ball(&maker, stem, right, b, 0.2);
        if (k == 2) {
            move_body(&maker, left, (AfxVec3){0, 0, 0}, (AfxVec3){0, 90, 60});
        }
        if (k == 4) {
            springy_ball(&maker, left, make_needle(&maker, (AfxVec3){0.2, 0.5 * k, 0.2}), c, 0.1);
        }
    }
    return make_end(&maker, scene);
}

/* A ring of balls, hung at a corner, with links on hinges: a net whose rows are not all linear. */
static AfxStatus ring_and_hinges(AfxScene **scene) {
    Maker maker = make_begin(false);
    AfxBodyId link[6];
    for (uint32_t k = 0; k < 6; ++k) {
        double from = 6.283185307179586 / 6 * k, to = from + 6.283185307179586 / 6;
        AfxVec3 a = {0.2 - 0.2 * cos(from), 0.2 * sin(from), 0}, b = {0.2 - 0.2 * cos(to), 0.2 * sin(to), 0};
        link[k] = make_link(&maker, a, b, SOFT);
        make_joint(&maker, AFX_JOINT_SPHERICAL, k ? link[k - 1] : afx_world(), link[k], a, (AfxVec3){1, 0, 0});
    }
    make_joint(&maker, AFX_JOINT_SPHERICAL, link[5], link[0], (AfxVec3){0, 0, 0}, (AfxVec3){1, 0, 0});
    for (uint32_t k = 1; k < 4; ++k) {
        double at = 6.283185307179586 / 6 * k;
        AfxVec3 a = {0.2 - 0.2 * cos(at), 0.2 * sin(at), 0}, b = {a.x, a.y, 0.15};
        AfxBodyId arm = make_link(&maker, a, b, SOFT);
        make_joint(&maker, AFX_JOINT_REVOLUTE, link[k], arm, a, (AfxVec3){k, 1, 0.2});
    }
    AfxBodyId before = link[3];
    for (uint32_t k = 0; k < 4; ++k) { /* a tail that whips */
        AfxVec3 a = {0.4 + 0.05 * k, 0, 0.03 * (k % 2)}, b = {a.x + 0.05, 0, 0.03 * ((k + 1) % 2)};
        AfxBodyId tail = make_link(&maker, a, b, SOFT);
        make_joint(&maker, AFX_JOINT_SPHERICAL, before, tail, a, (AfxVec3){1, 0, 0});
        move_body(&maker, tail, (AfxVec3){0, 0, 0}, (AfxVec3){20, k % 2 ? 40 : -60, 15});
        before = tail;
    }
    return make_end(&maker, scene);
}

const GoldenScene golden_made[] = {
    {.label = "hinge_tree", .build = hinge_tree},
    {.label = "hinge_tree_ground", .build = hinge_tree_ground},
    {.label = "hinge_tree_far", .build = hinge_tree_far},
    {.label = "ball_tree", .build = ball_tree},
    {.label = "ball_tree_rigid", .build = ball_tree_rigid},
    {.label = "ball_tree_ground", .build = ball_tree_ground},
    {.label = "ball_tree_far", .build = ball_tree_far},
    {.label = "universal_tree", .build = universal_tree},
    {.label = "chain_plane", .build = chain_over_plane},
    {.label = "held_chain_plane", .build = held_chain_over_plane},
    {.label = "crossed_chains", .build = crossed_chains},
    {.label = "bounces", .build = bounces},
    {.label = "deep_and_fast", .build = deep_and_fast},
    {.label = "row_of_pairs", .build = row_of_pairs},
    {.label = "needles", .build = needles},
    {.label = "arm", .build = arm},
    {.label = "arm_ground", .build = arm_ground},
    {.label = "machine", .build = machine},
    {.label = "kinematic_base", .build = kinematic_base},
    {.label = "point_springs", .build = point_springs},
    {.label = "springy_tree", .build = springy_tree},
    {.label = "breaking", .build = breaking},
    {.label = "ball_tree_hold", .build = ball_tree, .act = golden_act_hold},
    {.label = "hinge_tree_hold", .build = hinge_tree, .act = golden_act_hold},
    {.label = "ball_tree_far_hold", .build = ball_tree_far, .act = golden_act_hold},
    {.label = "chain_plane_hold", .build = chain_over_plane, .act = golden_act_hold},
    {.label = "bounces_hold", .build = bounces, .act = golden_act_hold},
    {.label = "ball_tree_switch", .build = ball_tree, .act = golden_act_switch},
    {.label = "hinge_tree_switch", .build = hinge_tree, .act = golden_act_switch},
    {.label = "ball_tree_ground_switch", .build = ball_tree_ground, .act = golden_act_switch},
    {.label = "arm_switch", .build = arm, .act = golden_act_switch},
    {.label = "ball_tree_params", .build = ball_tree, .act = golden_act_params},
    {.label = "hinge_tree_params", .build = hinge_tree, .act = golden_act_params},
    {.label = "ball_tree_ground_params", .build = ball_tree_ground, .act = golden_act_params},
    {.label = "kinematic_base_params", .build = kinematic_base, .act = golden_act_params},
    {.label = "ball_tree_ground_snapshot", .build = ball_tree_ground, .act = golden_act_snapshot},
    {.label = "hinge_tree_ground_snapshot", .build = hinge_tree_ground, .act = golden_act_snapshot},
    {.label = "arm_snapshot", .build = arm, .act = golden_act_snapshot},
    {.label = "bounces_snapshot", .build = bounces, .act = golden_act_snapshot},
    {.label = "chain_plane_snapshot", .build = chain_over_plane, .act = golden_act_snapshot},
    {.label = "ball_tree_push", .build = ball_tree, .act = golden_act_push},
    {.label = "hinge_tree_push", .build = hinge_tree, .act = golden_act_push},
    {.label = "ball_tree_cg", .build = ball_tree, .solver = AFX_SOLVER_CG},
    {.label = "hinge_tree_cg", .build = hinge_tree, .solver = AFX_SOLVER_CG},
    {.label = "arm_cg", .build = arm, .solver = AFX_SOLVER_CG},
    {.label = "ball_tree_ground_cg", .build = ball_tree_ground, .solver = AFX_SOLVER_CG},
    {.label = "hinge_twigs_gs", .build = hinge_twigs, .solver = AFX_SOLVER_GS, .steps = 4},
    {.label = "hinge_tree_coarse", .build = hinge_tree, .dt = 0.05},
    {.label = "ball_tree_coarse", .build = ball_tree_rigid, .dt = 0.05},
    {.label = "breaking_coarse", .build = breaking, .dt = 1.0 / 30},
    {.label = "twigs", .build = twigs},
    {.label = "ring_and_hinges", .build = ring_and_hinges},
    {.label = "ring_and_hinges_coarse", .build = ring_and_hinges, .dt = 0.05},
    {.label = "hinge_tree_coarser", .build = hinge_tree, .dt = 0.1},
    {.label = "turned_over", .build = turned_over, .steps = 4},
    {.label = "ball_tree_wild", .build = ball_tree, .act = golden_act_wild},
    {.label = "hinge_tree_ground_wild", .build = hinge_tree_ground, .act = golden_act_wild},
    {.label = "chain_plane_wild", .build = chain_over_plane, .act = golden_act_wild},
    {.label = "hinge_tree_three", .build = hinge_tree, .solves = 3},
    {.label = "chain_plane_three", .build = chain_over_plane, .solves = 3},
    {.label = "bounces_poor", .build = bounces, .poor = 12},
    {.label = "deep_and_fast_poor", .build = deep_and_fast, .poor = 1},
    {.label = "held_chain_plane_coarse", .build = held_chain_over_plane, .dt = 0.1},
};
const uint32_t golden_made_count = sizeof golden_made / sizeof golden_made[0];
