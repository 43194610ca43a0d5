/* SPDX-License-Identifier: Apache-2.0 */
/* A tree that grows from a seed, with exactly as many links as asked for, and stands in the wind.
 *
 * A shoot gets a number of links to spend. Few: it is a twig, a chain of them all. Many: it spends some on its own axis
 * and shares the rest at random among side shoots, which grow in the same way; so nothing has to be stored while the
 * tree grows, and the depth of the calls is that of the branching. Directions wander at random and turn up or down from
 * link to link.
 *
 * A link that carries n links, itself included, has the radius r n^p and the length l n^q (r, l: of the last link of a
 * twig). So r^(1/p) is the same before and after a fork: Leonardo's rule, with an exponent near 2. A link bends at its
 * lower end: a ball joint with the stiffness E I / length of a round rod of that link's size, I = π radius⁴ / 4, and
 * E I / (1.3 length) in torsion; damping is proportional. The lowest link is fixed to the ground.
 *
 * The wind blows along x and does not change with time. Its speed grows with the fourth root of the height, as over
 * woods, and varies by three tenths from place to place; a link's drag is ½ · density · speed² · (area across the
 * wind), where the leaves make twigs five times as broad. The tree is let go in the shape it grew in: it sags and
 * leans, and sways about where it ends up. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/random.h"

#define FAN_MOST 9
#define GOLDEN_ANGLE 2.39996322972865332
#define AIR 1.2           /* kg/m³ */
#define LEAVES 5.0        /* how much broader leaves make a twig to the wind */
#define WIND_HEIGHT 10.0  /* m: where the wind has the speed given */
#define GUSTS 0.3         /* how much it varies, of itself */
#define GUST_LENGTH 3.0   /* m, between places of equal wind */
#define TORSION_RATIO 1.3 /* bending to torsional stiffness of a round rod: 1 + Poisson's ratio */

enum { LINKS, SEED, PRESET, WIND, MODULUS, DAMPING, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [LINKS] = {.name = "links",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "21000",
               .min = 1,
               .max = 1e7,
               .help = "number of links, exactly"},
    [SEED] = AFXI_CASE_SEED,
    [PRESET] = {.name = "preset",
                .kind = AFXI_CASE_CHOICE,
                .fallback = "willow",
                .choices = {"willow", "pear"},
                .help = "willow: long hanging twigs; pear: short ones, upright, more forks"},
    [WIND] = {.name = "wind",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "10",
              .min = -60,
              .max = 60,
              .help = "speed of the wind along x, 10 m above the ground, m/s"},
    [MODULUS] = {.name = "modulus",
                 .kind = AFXI_CASE_NUMBER,
                 .fallback = "2e9",
                 .min = 1e6,
                 .max = 1e12,
                 .help = "of the wood in bending, between the links, Pa"},
    [DAMPING] = {.name = "damping",
                 .kind = AFXI_CASE_NUMBER,
                 .fallback = "0.01",
                 .min = 0,
                 .max = 10,
                 .help = "of the wood: damping over stiffness, s"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

enum { TRUNK, BRANCH, TWIG };

/* How a kind of tree grows. */
typedef struct Habit {
    uint32_t twig;                           /* links up to which a shoot does not branch */
    uint32_t axis[2];                        /* links of one that does: trunk, branches */
    uint32_t fan;                            /* its side shoots, the last one at its tip */
    uint32_t bare[2];                        /* links without side shoots at the foot of trunk and branches */
    double spread;                           /* between a side shoot and its parent, rad */
    double wander;                           /* of the direction, per link, at most */
    double rise[3];                          /* of the direction, per link: trunk, branches, twigs */
    double radius, length;                   /* of a twig's last link, m */
    double radius_exponent, length_exponent; /* p and q */
} Habit;

static const Habit willow = {
    .twig = 60,
    .axis = {18, 14},
    .fan = 9,
    .bare = {11, 4},
    .spread = 0.9,
    .wander = 0.12,
    .rise = {0.1, -0.01, -0.2},
    .radius = 0.0015,
    .length = 0.035,
    .radius_exponent = 0.46,
    .length_exponent = 0.22,
};
static const Habit pear = {
    .twig = 9,
    .axis = {8, 8},
    .fan = 6,
    .bare = {3, 2},
    .spread = 0.7,
    .wander = 0.15,
    .rise = {0.1, 0.06, 0.06},
    .radius = 0.0012,
    .length = 0.03,
    .radius_exponent = 0.46,
    .length_exponent = 0.2,
};

typedef struct Tree {
    AfxiCaseBuilder builder;
    AfxiCaseRandom random;
    const Habit *habit;
    const double *values; /* of the parameters */
    AfxBodyId top;        /* the link that ends highest, */
    AfxVec3 top_end;      /* where, in its own frame, */
    double height;        /* and how high */
} Tree;

/* A shoot as it grows: the body, the point and the direction that it goes on from. */
typedef struct Shoot {
    int order;
    uint32_t links; /* still to spend, side shoots included */
    AfxBodyId body;
    AfxVec3 at, along;
} Shoot;

/* Drag of a link of this breadth from the wind at its middle. */
static AfxVec3 wind_force(double wind, AfxVec3 at, AfxVec3 along, double breadth, double length) {
    double gust = 1 + GUSTS * sin(2 * AFXI_CASE_PI * (at.x + at.y + at.z) / GUST_LENGTH);
    double speed = wind * sqrt(sqrt(fmax(at.z, 0) / WIND_HEIGHT)) * gust;
    double area = breadth * length * sqrt(fmax(0, 1 - along.x * along.x));
    return (AfxVec3){0.5 * AIR * speed * fabs(speed) * area, 0, 0};
}

/* Adds the next link of a shoot and moves the shoot to its end. */
static void add_link(Tree *tree, Shoot *shoot, int sort) {
    const double *values = tree->values;
    double radius = tree->habit->radius * pow(shoot->links, tree->habit->radius_exponent);
    double length = tree->habit->length * pow(shoot->links, tree->habit->length_exponent);
    AfxVec3 end = {length / 2, 0, 0}, tip = afxi_case_add(shoot->at, afxi_case_scale(length, shoot->along));
    AfxShapeDef rod = afxi_case_rod(afxi_case_scale(-1, end), end, radius);
    AfxPose foot = afx_frame_along(shoot->at, shoot->along);
    AfxBodyDef link = afx_default_body();
    link.young = values[YOUNG];
    link.pose = (AfxPose){afxi_case_middle(shoot->at, tip), foot.rotation};
    AfxBodyId id = afxi_case_body(&tree->builder, &link);
    afxi_case_shape(&tree->builder, id, &rod);
    if (shoot->body.index == afx_world().index) {
        afxi_case_joint_at(&tree->builder, AFX_JOINT_FIXED, shoot->body, id, foot);
    } else {
        double bending = values[MODULUS] * AFXI_CASE_PI / 4 * pow(radius, 4) / length;
        afxi_case_springy_ball(&tree->builder, shoot->body, id, foot, bending / TORSION_RATIO, bending,
                               values[DAMPING]);
    }
    if (values[WIND] != 0) {
        double breadth = 2 * radius * (sort == TWIG ? LEAVES : 1);
        afxi_case_force(&tree->builder, id,
                        wind_force(values[WIND], link.pose.position, shoot->along, breadth, length));
    }
    if (tip.z > tree->height) {
        tree->height = tip.z;
        tree->top = id;
        tree->top_end = end;
    }
    shoot->body = id;
    shoot->at = tip;
    --shoot->links;
}

/* A new direction for the next link: a random change and the rise of its sort. */
static void turn(Tree *tree, Shoot *shoot, int sort) {
    AfxVec3 change = afxi_case_random_in_ball(&tree->random, tree->habit->wander);
    change.z += tree->habit->rise[sort];
    shoot->along = afxi_case_unit(afxi_case_add(shoot->along, change));
}

/* The direction of a side shoot, `azimuth` round its parent. */
static AfxVec3 side_direction(AfxVec3 along, double spread, double azimuth) {
    AfxQuat frame = afx_frame_along((AfxVec3){0, 0, 0}, along).rotation;
    return afx_quat_rotate(frame, (AfxVec3){cos(spread), sin(spread) * cos(azimuth), sin(spread) * sin(azimuth)});
}

/* Shares `links` among `count` side shoots, by weights between 0.6 and 1.4. */
static void share(Tree *tree, uint32_t links, uint32_t count, uint32_t out_shares[FAN_MOST]) {
    double sums[FAN_MOST], sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += afxi_case_random_number(&tree->random, 0.6, 1.4);
        sums[k] = sum;
    }
    for (uint32_t k = 0, before = 0; k < count; ++k) {
        uint32_t until = k + 1 == count ? links : (uint32_t)(links * (sums[k] / sum));
        out_shares[k] = until - before;
        before = until;
    }
}

static void grow(Tree *tree, Shoot shoot) {
    const Habit *habit = tree->habit;
    bool twig = shoot.links <= habit->twig;
    int sort = shoot.order == 0 ? TRUNK : twig ? TWIG : BRANCH;
    uint32_t axis = twig ? shoot.links : habit->axis[sort], fan = twig ? 0 : habit->fan;
    uint32_t bare = twig ? 0 : habit->bare[sort];
    uint32_t shares[FAN_MOST], next = 0;
    double azimuth = afxi_case_random_number(&tree->random, 0, 2 * AFXI_CASE_PI);
    share(tree, shoot.links - axis, fan, shares);
    for (uint32_t k = 0; k < axis && tree->builder.status == AFX_OK; ++k) {
        turn(tree, &shoot, sort);
        add_link(tree, &shoot, sort);
        while (next < fan && k == bare + (axis - 1 - bare) * (next + 1) / fan) {
            double spread = next + 1 == fan ? habit->spread / 3 : habit->spread;
            Shoot side = {shoot.order + 1, shares[next], shoot.body, shoot.at,
                          side_direction(shoot.along, spread, azimuth + GOLDEN_ANGLE * next)};
            grow(tree, side);
            shoot.links -= shares[next++];
        }
    }
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    Tree tree = {
        .builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81}),
        .random = {(uint64_t)args->values[SEED]},
        .habit = args->values[PRESET] == 0 ? &willow : &pear,
        .values = args->values,
    };
    grow(&tree, (Shoot){0, (uint32_t)args->values[LINKS], afx_world(), {0, 0, 0}, {0, 0, 1}});
    afxi_case_marker(&tree.builder, tree.top, "top", tree.top_end);
    return afxi_case_end(&tree.builder, out_scene, out_error);
}

const AfxiCase afxi_case_tree = {
    .name = "tree",
    .summary = "a tree grown from a seed, its branches held by springs, in the wind",
    .dt = 0.01,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
