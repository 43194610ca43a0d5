/* SPDX-License-Identifier: Apache-2.0 */
/* A Hoberman sphere, thrown with spin: six rings on the great circles of an icosidodecahedron, each of twenty scissor
 * pairs that span 18 degrees. A pair is two equal angulated links hinged at their middle; where two pairs of a ring
 * meet, their outer ends are hinged and so are their inner ends; where two rings cross (30 places), ball joints tie
 * their outer ends and their inner ends. 240 links; 120 + 240 hinges and 60 ball joints: the 420 joints and 1980 rows
 * of the quaternion paper, Tab. 5. One degree of freedom within itself.
 *
 * A pair spans α. Its links have arms of length a from the middle pivot, at angles ±(π/2 + α/2) from the radial
 * direction when fully open, where outer and inner ends coincide: a singular position. Opening angle γ: the two links
 * are turned by ±(π/2 - γ) from there, and the pivot is at the radius a sin γ / sin(α/2). Both ends then lie on the
 * pair's two bounding radii for every γ, so that the rings stay closed; past the full extension the ends change
 * places. Rigid, with the default values, it is fully open at 0.21087 s and then every 0.42175 s, by the equation of
 * motion of γ alone. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define RINGS 6
#define PAIRS 20 /* per ring */
#define HALF_SPAN (AFXI_CASE_PI / PAIRS)
#define ARM AFXI_CASE_LINK_LENGTH
#define GOLDEN 1.6180339887498948482
#define TOLERANCE 1e-9 /* between directions */

enum { OPENING, SPIN, SPEED, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [OPENING] = {.name = "opening",
                 .kind = AFXI_CASE_NUMBER,
                 .fallback = "45",
                 .min = 10,
                 .max = 90,
                 .help = "opening angle at the start, degrees; 90: fully open"},
    [SPIN] = {.name = "spin",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "6",
              .min = -1e3,
              .max = 1e3,
              .help = "angular velocity about the vertical, rad/s"},
    [SPEED] = {.name = "speed",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "10",
               .min = -1e3,
               .max = 1e3,
               .help = "upward velocity of the throw, m/s"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

typedef struct Ring {
    AfxVec3 x, y, normal;      /* x: through a crossing with another ring */
    AfxBodyId links[PAIRS][2]; /* pair k spans from radius k to radius k + 1; [0] has its outer end at radius k */
} Ring;

/* Half of the vertices of an icosahedron are the normals; a crossing is where two of the planes meet. */
static void place_rings(Ring rings[RINGS]) {
    static const AfxVec3 normals[RINGS] = {{0, 1, GOLDEN},  {0, -1, GOLDEN}, {1, GOLDEN, 0},
                                           {-1, GOLDEN, 0}, {GOLDEN, 0, 1},  {GOLDEN, 0, -1}};
    for (int r = 0; r < RINGS; ++r) {
        rings[r].normal = afxi_case_unit(normals[r]);
        rings[r].x = afxi_case_unit(afxi_case_cross(normals[r], normals[(r + 1) % RINGS]));
        rings[r].y = afxi_case_cross(rings[r].normal, rings[r].x);
    }
}

/* The direction `steps` pair spans from the ring's x. */
static AfxVec3 radial(const Ring *ring, double steps) {
    double angle = 2 * HALF_SPAN * steps;
    return afxi_case_add(afxi_case_scale(cos(angle), ring->x), afxi_case_scale(sin(angle), ring->y));
}

/* The link's frame is at its middle pivot: x radial when fully open, z the ring's normal. side -1 is its end at the
 * lower radius of the pair, 1 that at the upper one. */
static AfxVec3 link_end(double side) {
    return (AfxVec3){-ARM * sin(HALF_SPAN), side * ARM * cos(HALF_SPAN), 0};
}

static AfxBodyId add_link(AfxiCaseBuilder *builder, const Ring *ring, int pair, double turn,
                          const AfxiCaseArguments *args) {
    double opening = args->values[OPENING] * AFXI_CASE_DEGREE;
    AfxVec3 out = radial(ring, pair + 0.5);
    AfxVec3 at = afxi_case_scale(ARM * sin(opening) / sin(HALF_SPAN), out);
    AfxBodyDef link = afx_default_body();
    link.young = args->values[YOUNG];
    link.pose = afxi_case_frame(at, out, afxi_case_cross(ring->normal, out));
    link.pose.rotation = afx_quat_multiply(link.pose.rotation, afx_quat_from_axis_angle((AfxVec3){0, 0, 1}, turn));
    link.angular_velocity.z = args->values[SPIN];
    link.linear_velocity = afxi_case_cross(link.angular_velocity, at);
    link.linear_velocity.z += args->values[SPEED];
    AfxBodyId id = afxi_case_body(builder, &link);
    for (int side = -1; side <= 1; side += 2) {
        AfxShapeDef arm = afxi_case_rod((AfxVec3){0, 0, 0}, link_end(side), AFXI_CASE_LINK_RADIUS);
        afxi_case_shape(builder, id, &arm);
    }
    return id;
}

static void tie(AfxiCaseBuilder *builder, AfxJointKind kind, AfxBodyId base, AfxVec3 base_point, AfxBodyId follower,
                AfxVec3 follower_point) {
    const AfxVec3 normal = {0, 0, 1};
    afxi_case_joint_between(builder, kind, base, afx_frame_along(base_point, normal), follower,
                            afx_frame_along(follower_point, normal));
}

static void add_ring(AfxiCaseBuilder *builder, Ring *ring, const AfxiCaseArguments *args) {
    double turn = AFXI_CASE_PI / 2 - args->values[OPENING] * AFXI_CASE_DEGREE;
    for (int k = 0; k < PAIRS; ++k) {
        ring->links[k][0] = add_link(builder, ring, k, turn, args);
        ring->links[k][1] = add_link(builder, ring, k, -turn, args);
    }
    for (int k = 0; k < PAIRS; ++k) {
        const AfxBodyId *pair = ring->links[k], *before = ring->links[(k + PAIRS - 1) % PAIRS];
        const AfxVec3 middle = {0, 0, 0};
        tie(builder, AFX_JOINT_REVOLUTE, pair[0], middle, pair[1], middle);
        tie(builder, AFX_JOINT_REVOLUTE, before[1], link_end(1), pair[0], link_end(-1)); /* outer ends */
        tie(builder, AFX_JOINT_REVOLUTE, before[0], link_end(1), pair[1], link_end(-1)); /* inner ends */
    }
}

/* Ties two rings at both places where they cross: these are at radii of even number on either. */
static void cross_rings(AfxiCaseBuilder *builder, const Ring *a, const Ring *b) {
    for (int k = 0; k < PAIRS; k += 2) {
        for (int m = 0; m < PAIRS; m += 2) {
            AfxVec3 apart = afxi_case_sub(radial(a, k), radial(b, m));
            if (afxi_case_dot(apart, apart) < TOLERANCE) {
                tie(builder, AFX_JOINT_SPHERICAL, a->links[k][0], link_end(-1), b->links[m][0], link_end(-1));
                tie(builder, AFX_JOINT_SPHERICAL, a->links[k][1], link_end(-1), b->links[m][1], link_end(-1));
            }
        }
    }
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    Ring rings[RINGS];
    place_rings(rings);
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    for (int r = 0; r < RINGS; ++r) {
        add_ring(&builder, &rings[r], args);
    }
    for (int r = 0; r < RINGS; ++r) {
        for (int other = r + 1; other < RINGS; ++other) {
            cross_rings(&builder, &rings[r], &rings[other]);
        }
    }
    afxi_case_marker(&builder, rings[0].links[0][0], "hub", link_end(-1));
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_hoberman = {
    .name = "hoberman",
    .summary = "a Hoberman sphere of 240 links thrown with spin: it opens through its singular position",
    .dt = 0.01,
    .time = 4,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
