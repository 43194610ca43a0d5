/* SPDX-License-Identifier: Apache-2.0 */
/* A cable-stayed bridge with fans of cables (the BRIDGE of RedMax, Tab. 2): a deck of equal pieces in a row of hinges
 * on a shallow arc, grounded at both ends, and a cable from every joint of the deck to the upper third of the nearer
 * tower, the longest to its top. A cable is a spring between two bodies, however far apart these are in the joint
 * graph. With tower = 0 towers are rigid and the deck alone moves; else each is a row of pieces on hinges as well. The
 * published count of freedoms is that of hinges: deck + 2 tower.
 *
 * Hinges carry springs and dampers, EI / l of the section: however fine the pieces, it is the same beam. The deck is
 * grounded by a hinge at one end and a slot across at the other, which leaves no row redundant.
 *
 * The start is the equilibrium under its own weight: with half the weight w of a piece at either end, the tension P of
 * the pieces and T of the cables follow joint by joint from the first abutment, where P = 0, by
 *     P' d' + T u = P d + (0, w),
 * d, d' the directions of the pieces before and after the joint, u that to the top of the tower; the rest length of a
 * cable is its length less T / k. At time 0 a load is put on the middle of the deck. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#include <stdio.h>

#define SPAN 80.0  /* m */
#define CAMBER 1.6 /* m, of the deck's middle */
#define TOP 20.0   /* m, of the towers above the abutments */
#define FOOT -10.0 /* m */
#define FAN 10.0   /* m, from the first anchor of cables to the top */
#define WIDTH 4.0  /* m, of the deck, 0.3 m thick */
#define DEPTH 0.3
#define TOWER 2.0      /* m, side of a tower */
#define DENSITY 2400.0 /* kg/m³ */
#define GRAVITY 9.81
#define BENDING 2.7e6        /* Nm², of the deck */
#define TOWER_BENDING 4e9    /* Nm² */
#define CABLE 2e8            /* N of stiffness for a strain of 1, for each metre of deck */
#define CABLE_RELAXATION 0.1 /* s */
#define HINGE_RELAXATION 0.02

enum { DECK, TOWERS, LOAD, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [DECK] = {.name = "deck",
              .kind = AFXI_CASE_INTEGER,
              .fallback = "80",
              .min = 4,
              .max = 1e5,
              .help = "pieces of the deck"},
    [TOWERS] = {.name = "tower",
                .kind = AFXI_CASE_INTEGER,
                .fallback = "0",
                .min = 0,
                .max = 1e5,
                .help = "pieces of each tower; 0: rigid towers"},
    [LOAD] = {.name = "load",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "1e6",
              .min = 0,
              .max = 1e7,
              .help = "force on the middle of the deck, N"},
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

/* The deck: joint k of `count` pieces, on an arc through both abutments. */
typedef struct Deck {
    uint32_t count;
    double radius, half_angle, length; /* of the arc; of a piece */
} Deck;

static Deck make_deck(uint32_t count) {
    Deck deck = {.count = count, .radius = (0.25 * SPAN * SPAN + CAMBER * CAMBER) / (2 * CAMBER)};
    deck.half_angle = asin(0.5 * SPAN / deck.radius);
    deck.length = 2 * deck.radius * sin(deck.half_angle / count);
    return deck;
}

static AfxVec3 deck_joint(const Deck *deck, uint32_t k) {
    double angle = deck->half_angle * (2.0 * k / deck->count - 1);
    return (AfxVec3){0.5 * SPAN + deck->radius * sin(angle), 0, CAMBER - deck->radius * (1 - cos(angle))};
}

static AfxVec3 tower_top(int side) {
    return (AfxVec3){(side ? 0.75 : 0.25) * SPAN, 0, TOP};
}

/* Where the cable of a joint of the deck ends. */
static AfxVec3 anchor(AfxVec3 joint, int side) {
    AfxVec3 top = tower_top(side);
    return (AfxVec3){top.x, 0, TOP - FAN * (1 - fabs(joint.x - top.x) / (0.25 * SPAN))};
}

/* A bar from `from` to `to`, its frame at `from` with x along it. */
static AfxBodyId add_bar(AfxiCaseBuilder *builder, const char *name, AfxBodyKind kind, AfxVec3 from, AfxVec3 to,
                         double width, double depth, double young) {
    AfxVec3 along = afxi_case_sub(to, from);
    double length = sqrt(afxi_case_dot(along, along));
    AfxBodyDef bar = afx_default_body();
    bar.name = name;
    bar.kind = kind;
    bar.young = young;
    bar.pose = afxi_case_frame(from, along, (AfxVec3){0, 1, 0});
    AfxBodyId id = afxi_case_body(builder, &bar);
    AfxShapeDef box = afx_default_box(length, width, depth);
    box.pose.position.x = 0.5 * length;
    box.density = DENSITY;
    afxi_case_shape(builder, id, &box);
    return id;
}

/* A hinge about y. stiffness 0: without a spring. */
static void add_hinge(AfxiCaseBuilder *builder, AfxBodyId base, AfxBodyId follower, AfxVec3 at, double stiffness) {
    AfxPose frame = afxi_case_frame(at, (AfxVec3){0, 1, 0}, (AfxVec3){0, 0, 1});
    AfxDriveDef spring = afx_default_drive(AFX_DRIVE_SPRING);
    spring.joint = afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, base, follower, frame);
    spring.stiffness = stiffness;
    spring.damping = HINGE_RELAXATION * stiffness;
    if (stiffness > 0) {
        afxi_case_drive(builder, &spring);
    }
}

/* A tower: its pieces, whose indices follow each other from the foot up. */
typedef struct Tower {
    uint32_t first, pieces;
    double length; /* of a piece */
} Tower;

static Tower add_tower(AfxiCaseBuilder *builder, int side, const AfxiCaseArguments *args) {
    uint32_t pieces = (uint32_t)args->values[TOWERS];
    bool rigid = pieces == 0;
    Tower tower = {.first = builder->scene ? afx_scene_body_count(builder->scene) : 0, .pieces = rigid ? 1 : pieces};
    tower.length = (TOP - FOOT) / tower.pieces;
    AfxBodyId below = afx_world();
    for (uint32_t k = 0; k < tower.pieces && builder->status == AFX_OK; ++k) {
        char name[32];
        snprintf(name, sizeof(name), "tower-%d-%u", side + 1, (unsigned)k + 1);
        AfxVec3 from = tower_top(side), to = from;
        from.z = FOOT + tower.length * k;
        to.z = FOOT + tower.length * (k + 1);
        AfxBodyId piece = add_bar(builder, name, rigid ? AFX_BODY_FIXED : AFX_BODY_DYNAMIC, from, to, TOWER, TOWER,
                                  args->values[YOUNG]);
        if (!rigid) {
            add_hinge(builder, below, piece, from, TOWER_BENDING / tower.length);
        }
        below = piece;
    }
    return tower;
}

/* The body and its point at this height. */
static AfxBodyId tower_at(const AfxiCaseBuilder *builder, const Tower *tower, double z, AfxVec3 *out_point) {
    double along = (z - FOOT) / tower->length;
    uint32_t k = along < tower->pieces ? (uint32_t)along : tower->pieces - 1;
    *out_point = (AfxVec3){tower->length * (along - k), 0, 0};
    return builder->status == AFX_OK ? afx_scene_body(builder->scene, tower->first + k) : afx_world();
}

static void add_cable(AfxiCaseBuilder *builder, const Tower *tower, AfxVec3 from, AfxBodyId piece, AfxVec3 to,
                      double spacing, double tension) {
    AfxVec3 along = afxi_case_sub(from, to);
    double length = sqrt(afxi_case_dot(along, along));
    AfxSpringDef cable = afx_default_spring();
    cable.body_a = tower_at(builder, tower, from.z, &cable.point_a);
    cable.body_b = piece;
    cable.stiffness = CABLE * spacing / length;
    cable.damping = CABLE_RELAXATION * cable.stiffness;
    cable.rest_length = length - tension / cable.stiffness;
    afxi_case_spring(builder, &cable);
}

/* The cables of joint k (of both towers at the very middle), by what the joint needs; *tension is that of the piece
 * before it, and then of the one after. The frame of a piece is at its first joint. */
static void hang_joint(AfxiCaseBuilder *builder, const Deck *deck, uint32_t k, const Tower towers[2], AfxBodyId piece,
                       double *tension) {
    AfxVec3 at = deck_joint(deck, k), sum = {0, 0, 0};
    AfxVec3 before = afxi_case_unit(afxi_case_sub(at, deck_joint(deck, k - 1)));
    AfxVec3 after = afxi_case_unit(afxi_case_sub(deck_joint(deck, k + 1), at));
    bool used[2] = {2 * k <= deck->count, 2 * k >= deck->count};
    for (int side = 0; side < 2; ++side) {
        if (used[side]) {
            sum = afxi_case_add(sum, afxi_case_unit(afxi_case_sub(anchor(at, side), at)));
        }
    }
    double weight = DENSITY * WIDTH * DEPTH * deck->length * GRAVITY;
    double right_x = *tension * before.x, right_z = *tension * before.z + weight;
    double determinant = after.x * sum.z - after.z * sum.x;
    double pull = (after.x * right_z - after.z * right_x) / determinant;
    *tension = (right_x * sum.z - right_z * sum.x) / determinant;
    for (int side = 0; side < 2; ++side) {
        if (used[side]) {
            add_cable(builder, &towers[side], anchor(at, side), piece, at, deck->length, pull);
        }
    }
}

static void add_deck(AfxiCaseBuilder *builder, const AfxiCaseArguments *args, const Tower towers[2]) {
    Deck deck = make_deck((uint32_t)args->values[DECK]);
    AfxBodyId before = afx_world();
    double tension = 0;
    for (uint32_t k = 0; k < deck.count && builder->status == AFX_OK; ++k) {
        char name[24];
        snprintf(name, sizeof(name), "deck-%u", (unsigned)k + 1);
        AfxVec3 from = deck_joint(&deck, k), to = deck_joint(&deck, k + 1);
        AfxBodyId piece = add_bar(builder, name, AFX_BODY_DYNAMIC, from, to, WIDTH, DEPTH, args->values[YOUNG]);
        add_hinge(builder, before, piece, from, k ? BENDING / deck.length : 0);
        if (k > 0) {
            hang_joint(builder, &deck, k, towers, piece, &tension);
        }
        if (k == deck.count / 2) {
            afxi_case_marker(builder, piece, "middle", (AfxVec3){0, 0, 0});
            afxi_case_force(builder, piece, (AfxVec3){0, 0, -args->values[LOAD]});
        }
        before = piece;
    }
    AfxPose end = afx_frame_along(deck_joint(&deck, deck.count), (AfxVec3){0, 1, 0});
    afxi_case_joint_at(builder, AFX_JOINT_SLOT, afx_world(), before, end);
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -GRAVITY});
    Tower towers[2];
    for (int side = 0; side < 2; ++side) {
        towers[side] = add_tower(&builder, side, args);
    }
    add_deck(&builder, args, towers);
    for (int side = 0; side < 2; ++side) {
        AfxVec3 point;
        AfxBodyId top = tower_at(&builder, &towers[side], TOP, &point);
        afxi_case_marker(&builder, top, side ? "top-2" : "top-1", point);
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_bridge = {
    .name = "bridge",
    .summary = "a cable-stayed bridge: a deck of hinged pieces on cables that are springs, with a load on its middle",
    .dt = 0.01,
    .time = 5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
