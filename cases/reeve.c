/* SPDX-License-Identifier: Apache-2.0 */
/* Chains over pulleys. The joints start on a curve of straight runs and arcs. A straight link between two joints on an
 * arc of radius c touches a pulley of radius R with its middle when c² = (R + r)² + l²/4, l and r being its length and
 * radius. Each joint is found from the one before: along the curve by s with |p(s) - p(s0)| = l. The step
 * s += l - |p(s) - p(s0)| converges, since that distance grows nearly as fast as s. */
#include "cases/reeve.h"
#include "cases/geometry.h"
#include "cases/text.h"

#define JERK_TIME 0.1        /* s */
#define JERK_WAY 20.0        /* in lengths of a link */
#define BREAK_FORCE 12.0     /* of the hand's joint, in weights of the anchor */
#define MARCH_STEPS_MOST 100 /* each gains two digits */

enum { LINKS = 1, PULLEYS = 2 }; /* groups */

/* ---- the curve ---- */

/* A point on the curve: piece by piece, from the hand to the anchor. Even pieces are vertical, the last one without an
 * end; odd pieces are half circles. */
typedef struct Walk {
    const AfxiReeve *reeve;
    double curve, height;
    uint32_t piece;
    double at; /* length since the piece's beginning */
} Walk;

static double piece_length(const Walk *walk, uint32_t piece) {
    if (piece == 0) {
        return walk->reeve->link * AFXI_REEVE_RUN;
    }
    if (piece % 2 == 1) {
        return AFXI_CASE_PI * walk->curve;
    }
    return piece == 4 * walk->reeve->upper - 2 ? INFINITY : walk->height;
}

/* The centre of the pulley of an arc; x grows from the anchor to the hand. */
static AfxVec3 pulley_center(const AfxiReeve *reeve, double height, uint32_t pulley) {
    uint32_t from_left = 2 * reeve->upper - 2 - pulley;
    AfxVec3 offset = {2 * afxi_reeve_curve(reeve) * from_left, 0, pulley % 2 == 0 ? height : 0};
    return afxi_case_add(reeve->origin, offset);
}

static AfxVec3 walk_point(const Walk *walk) {
    uint32_t pulley = (walk->piece ? walk->piece - 1 : 0) / 2;
    AfxVec3 center = pulley_center(walk->reeve, walk->height, pulley);
    bool upper = pulley % 2 == 0;
    double side = upper ? 1 : -1; /* over it, or under it; always towards the anchor */
    if (walk->piece == 0) {
        return afxi_case_add(center, (AfxVec3){walk->curve, 0, walk->at - piece_length(walk, 0)});
    }
    if (walk->piece % 2 == 1) {
        double angle = walk->at / walk->curve;
        return afxi_case_add(center, (AfxVec3){walk->curve * cos(angle), 0, side * walk->curve * sin(angle)});
    }
    return afxi_case_add(center, (AfxVec3){-walk->curve, 0, -side * walk->at});
}

static Walk walk_on(Walk walk, double way) {
    walk.at += way;
    while (walk.at > piece_length(&walk, walk.piece)) {
        walk.at -= piece_length(&walk, walk.piece);
        ++walk.piece;
    }
    return walk;
}

/* The next joint: one link away, as the crow flies. */
static Walk next_joint(const Walk *walk, AfxVec3 from) {
    const double link = walk->reeve->link;
    double way = link;
    Walk next = walk_on(*walk, way);
    for (int k = 0; k < MARCH_STEPS_MOST; ++k) {
        AfxVec3 chord = afxi_case_sub(walk_point(&next), from);
        double missing = link - sqrt(afxi_case_dot(chord, chord));
        if (fabs(missing) <= 2e-16 * link) {
            break;
        }
        way += missing;
        next = walk_on(*walk, way);
    }
    return next;
}

double afxi_reeve_curve(const AfxiReeve *reeve) {
    double touch = AFXI_REEVE_RADIUS + AFXI_REEVE_BEAD + AFXI_REEVE_GAP;
    return reeve->link * sqrt(touch * touch + 0.25);
}

double afxi_reeve_height(const AfxiReeve *reeve) {
    double arcs = (2.0 * reeve->upper - 1) * AFXI_CASE_PI * afxi_reeve_curve(reeve);
    return (reeve->link * (reeve->links - AFXI_REEVE_RUN) - arcs) / (2.0 * reeve->upper - 1);
}

AfxStatus afxi_reeve_check(const AfxiReeve *reeve, const char *element, AfxError *out_error) {
    double height = afxi_reeve_height(reeve);
    if (height >= reeve->link * (3 * AFXI_REEVE_FLANGE + reeve->lift)) {
        return AFX_OK;
    }
    return afxi_case_error(out_error, AFX_E_INPUT, element, "give more links, less pulleys or a smaller lift",
                           "%u links reach over %u upper pulleys only if the rows are %.3g m apart", reeve->links,
                           reeve->upper, height);
}

/* ---- what is in it ---- */

static void add_pulley(AfxiCaseBuilder *builder, double link, AfxVec3 center) {
    const AfxQuat to_y = {sqrt(0.5), sqrt(0.5), 0, 0}; /* z to -y */
    AfxBodyDef body = afx_default_body();
    body.kind = AFX_BODY_FIXED;
    body.pose.position = center;
    AfxBodyId id = afxi_case_body(builder, &body);
    for (int side = -1; side <= 1; ++side) {
        AfxShapeDef part = side == 0 ? afx_default_cylinder(link * AFXI_REEVE_RADIUS, link * AFXI_REEVE_GROOVE)
                                     : afx_default_cylinder(link * AFXI_REEVE_FLANGE, link * AFXI_REEVE_FLANGE_WIDTH);
        part.pose.position.y = side * link * (AFXI_REEVE_GROOVE + AFXI_REEVE_FLANGE_WIDTH) / 2;
        part.pose.rotation = to_y;
        part.contact_group = PULLEYS;
        part.contact_mask = LINKS;
        afxi_case_shape(builder, id, &part);
    }
}

/* Draws in, holds, jerks. The tables are copied. */
static AfxBodyId add_hand(AfxiCaseBuilder *builder, const AfxiReeve *reeve, AfxVec3 start) {
    enum { SAMPLES = 11, KNOTS = 7 };
    double times[SAMPLES + KNOTS], along[SAMPLES + KNOTS], aside[SAMPLES + KNOTS];
    uint32_t count = 0;
    for (int k = 0; k < SAMPLES; ++k) { /* a smooth rise */
        double share = k / (SAMPLES - 1.0), rise = share * share * share * (10 - share * (15 - 6 * share));
        times[count] = AFXI_REEVE_BEGIN + share * (AFXI_REEVE_HOLD - AFXI_REEVE_BEGIN);
        along[count] = -rise * reeve->lift * reeve->link;
        aside[count++] = reeve->sway * reeve->link * sin(2 * AFXI_CASE_PI * rise);
    }
    for (int k = 0; k < KNOTS; ++k) { /* the jerk: a parabola, after a rest */
        double share = fmax(0, (k - 2) / (KNOTS - 3.0));
        times[count] = AFXI_REEVE_JERK + (k - 2) * JERK_TIME / (KNOTS - 3.0);
        along[count] = -reeve->link * (reeve->lift + share * share * JERK_WAY);
        aside[count++] = 0;
    }
    AfxBodyDef hand = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(reeve->link);
    hand.kind = AFX_BODY_KINEMATIC;
    hand.pose.position = start;
    hand.motion.translation[2] =
        (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = along, .sample_count = count};
    hand.motion.translation[1] =
        (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = aside, .sample_count = count};
    ball.visual = true;
    AfxBodyId id = afxi_case_body(builder, &hand);
    afxi_case_shape(builder, id, &ball);
    return id;
}

/* A thin rod from joint to joint, and in its middle a bead, which touches. */
static void add_link_shapes(AfxiCaseBuilder *builder, AfxBodyId body, double length) {
    const AfxVec3 end = {length / 2, 0, 0};
    AfxShapeDef rod = afxi_case_rod(afxi_case_scale(-1, end), end, length * AFXI_REEVE_ROD);
    AfxShapeDef bead = afx_default_sphere(length * AFXI_REEVE_BEAD);
    rod.contact_group = rod.contact_mask = 0;
    bead.contact_group = LINKS;
    bead.contact_mask = PULLEYS;
    afxi_case_shape(builder, body, &rod);
    afxi_case_shape(builder, body, &bead);
}

static double body_mass(AfxiCaseBuilder *builder, AfxBodyId body) {
    AfxMass mass = {0};
    if (builder->status == AFX_OK) {
        builder->status = afx_scene_body_mass(builder->scene, body, &mass);
    }
    return mass.mass;
}

/* What an anchor looks like, in lengths of a link: shank, stock, and two arms. It has neither mass nor contact. */
static void add_anchor_look(AfxiCaseBuilder *builder, AfxBodyId body, double link) {
    static const double rods[][5] = {/* from x, z to x, z; radius. x points away from the chain */
                                     {-0.5, 0, 7, 0, 0.3},
                                     {1.2, -1.8, 1.2, 1.8, 0.22},
                                     {7, 0, 4.6, -3, 0.35},
                                     {7, 0, 4.6, 3, 0.35}};
    for (size_t k = 0; k < sizeof rods / sizeof *rods; ++k) {
        const double *rod = rods[k];
        AfxShapeDef part = afxi_case_rod((AfxVec3){link * rod[0], 0, link * rod[1]},
                                         (AfxVec3){link * rod[2], 0, link * rod[3]}, link * rod[4]);
        part.visual = true;
        afxi_case_shape(builder, body, &part);
    }
}

/* Gives a link the mass of so many by a ball, half way between its joints. */
static void add_weight(AfxiCaseBuilder *builder, AfxBodyId body, double radius, double links) {
    AfxShapeDef ball = afx_default_sphere(radius);
    ball.mass = (links - 1) * body_mass(builder, body);
    ball.contact_mask = ball.contact_group = 0;
    if (links > 1) {
        afxi_case_shape(builder, body, &ball);
    }
}

AfxBodyId afxi_reeve_add(AfxiCaseBuilder *builder, const AfxiReeve *reeve) {
    Walk walk = {.reeve = reeve, .curve = afxi_reeve_curve(reeve), .height = afxi_reeve_height(reeve)};
    for (uint32_t k = 0; k < 2 * reeve->upper - 1; ++k) {
        add_pulley(builder, reeve->link, pulley_center(reeve, walk.height, k));
    }
    AfxVec3 from = walk_point(&walk);
    AfxBodyDef link = afx_default_body();
    link.young = reeve->young;
    AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
    joint.follower = add_hand(builder, reeve, from);
    joint.follower_frame.position.x = -reeve->link / 2;
    for (uint32_t k = 0; k < reeve->links && builder->status == AFX_OK; ++k) {
        walk = next_joint(&walk, from);
        AfxVec3 to = walk_point(&walk);
        link.pose = afx_frame_along(afxi_case_middle(from, to), afxi_case_sub(to, from));
        joint.base = joint.follower;
        joint.base_frame.position.x = k == 0 ? 0 : reeve->link / 2;
        joint.follower = afxi_case_body(builder, &link);
        add_link_shapes(builder, joint.follower, reeve->link);
        if (k == 0) {
            joint.break_force = BREAK_FORCE * 9.81 * reeve->anchor * body_mass(builder, joint.follower);
        }
        afxi_case_joint(builder, &joint);
        joint.break_force = 0;
        from = to;
    }
    add_weight(builder, joint.follower, reeve->link, reeve->anchor);
    add_anchor_look(builder, joint.follower, reeve->link);
    if (reeve->marker) {
        afxi_case_marker(builder, joint.follower, reeve->marker, (AfxVec3){0, 0, 0});
    }
    return joint.follower;
}
