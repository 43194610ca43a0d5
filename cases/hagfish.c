/* SPDX-License-Identifier: Apache-2.0 */
/* A long slender animal in an open overhand knot, above the floor: links with round ends on ball joints, as many joints
 * as are asked for. Muscles are servos across the body whose targets run along it as a wave; the other two rotations of
 * a joint have springs towards the straight body. It falls, pulls its knot together and works on the floor: it touches
 * itself and the floor in many places.
 *
 * The centre line is a piece of the trefoil (sin u + 2 sin 2u, cos u - 2 cos 2u, -sin 3u), cut into equal chords. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define LINK 0.05 /* m, from joint to joint */
#define RADIUS 0.015
#define CUT 0.1      /* share of the trefoil that is left out between head and tail */
#define OPEN 25.36   /* length of the rest, in its own units */
#define SLOWEST 3.89 /* the least derivative by u, which is sqrt(17 + 8 cos 3u + 9 cos^2 3u) */
#define HEIGHT 0.1   /* m, of the lowest point over the floor */
#define BISECTIONS 50
#define WAVELENGTH 25.0 /* joints */
#define TWISTING 0.5    /* Nm/rad */
#define RELAXATION 0.05 /* s, of the springs and servos */

enum { JOINTS, WAVE, FREQUENCY, STIFFNESS, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [JOINTS] = {.name = "joints",
                .kind = AFXI_CASE_INTEGER,
                .fallback = "100",
                .min = 20,
                .max = 2000,
                .help = "number of joints"},
    [WAVE] = {.name = "wave",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "0.15",
              .min = 0,
              .max = 1,
              .help = "largest target of a servo, rad"},
    [FREQUENCY] = {.name = "frequency",
                   .kind = AFXI_CASE_NUMBER,
                   .fallback = "0.5",
                   .min = 0,
                   .max = 100,
                   .help = "of the wave, Hz"},
    [STIFFNESS] = {.name = "stiffness",
                   .kind = AFXI_CASE_NUMBER,
                   .fallback = "1",
                   .min = 1e-6,
                   .max = 1e6,
                   .help = "of a joint against bending, N m/rad"},
    [FRICTION] = AFXI_CASE_FRICTION("0.3"),
    [YOUNG] = AFXI_CASE_YOUNG("1e7"),
};

static AfxVec3 knot(double u, double scale) {
    return (AfxVec3){scale * (sin(u) + 2 * sin(2 * u)), scale * (cos(u) - 2 * cos(2 * u)), -scale * sin(3 * u)};
}

/* The parameter of the next point of the curve at the distance LINK. */
static double next_on_knot(double u, double scale) {
    AfxVec3 from = knot(u, scale);
    double low = u, high = u + 2 * LINK / (SLOWEST * scale);
    for (int k = 0; k < BISECTIONS; ++k) {
        double middle = 0.5 * (low + high);
        AfxVec3 chord = afxi_case_sub(knot(middle, scale), from);
        if (afxi_case_dot(chord, chord) < LINK * LINK) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

static void add_joint(AfxiCaseBuilder *builder, AfxBodyId before, AfxBodyId after, uint32_t index,
                      const AfxiCaseArguments *args) {
    AfxPose tail = {{LINK / 2, 0, 0}, {1, 0, 0, 0}}, head = {{-LINK / 2, 0, 0}, {1, 0, 0, 0}};
    AfxJointId joint = afxi_case_joint_between(builder, AFX_JOINT_SPHERICAL, before, tail, after, head);
    AfxDriveDef spring = afx_default_drive(AFX_DRIVE_SPRING), servo = afx_default_drive(AFX_DRIVE_SERVO);
    spring.joint = servo.joint = joint;
    for (spring.axis = 0; spring.axis < 2; ++spring.axis) {
        spring.stiffness = spring.axis == 0 ? TWISTING : args->values[STIFFNESS];
        spring.damping = RELAXATION * spring.stiffness;
        afxi_case_drive(builder, &spring);
    }
    servo.axis = 2;
    servo.target = (AfxSignal){.kind = AFX_SIGNAL_SINE,
                               .coefficients = {0, args->values[WAVE], args->values[FREQUENCY],
                                                -2 * AFXI_CASE_PI * fmod(index / WAVELENGTH, 1)}};
    servo.stiffness = args->values[STIFFNESS];
    servo.damping = RELAXATION * servo.stiffness;
    servo.effort = INFINITY;
    afxi_case_drive(builder, &servo);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t links = (uint32_t)args->values[JOINTS] + 1;
    double scale = links * LINK / OPEN, u = CUT * AFXI_CASE_PI;
    AfxVec3 across = {0, 0, 1}, at = knot(u, scale);
    AfxShapeDef rod = afxi_case_rod((AfxVec3){-LINK / 2, 0, 0}, (AfxVec3){LINK / 2, 0, 0}, RADIUS);
    AfxPose floor = afx_pose_identity();
    floor.position.z = -scale - RADIUS - HEIGHT;

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, floor);
    AfxBodyId before = afx_world();
    for (uint32_t k = 0; k < links && builder.status == AFX_OK; ++k) {
        u = next_on_knot(u, scale);
        AfxVec3 next = knot(u, scale);
        AfxBodyDef body = afx_default_body();
        body.young = args->values[YOUNG];
        body.pose = afxi_case_frame(afxi_case_middle(at, next), afxi_case_sub(next, at), across);
        across = afx_quat_rotate(body.pose.rotation, (AfxVec3){0, 1, 0}); /* turned as little as the body bends */
        AfxBodyId link = afxi_case_body(&builder, &body);
        afxi_case_shape(&builder, link, &rod);
        if (k > 0) {
            add_joint(&builder, before, link, k, args);
        }
        before = link;
        at = next;
    }
    afxi_case_marker(&builder, before, "head", (AfxVec3){LINK / 2, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_hagfish = {
    .name = "hagfish",
    .summary = "a slender body in a knot, driven by a wave along it: it touches itself and the floor",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
