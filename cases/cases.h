/* SPDX-License-Identifier: Apache-2.0 */
/* cases/cases.h: the built-in scenes, in one table, for the command line, tests, benchmarks and viewer alike.
 *
 * A new case is one file that defines `const AfxiCase afxi_case_<name>` (see spinning_box.c) and one line in
 * AFXI_CASE_TABLE. Its parameters are given as text, "name=value"; afxi_case_arguments checks them all. */
#ifndef AFXI_CASES_CASES_H
#define AFXI_CASES_CASES_H

#include "affix/affix.h"

#include <math.h>

/* In the order of `affix cases`. */
#define AFXI_CASE_TABLE(X) \
    X(spinning_box)        \
    X(t_handle)            \
    X(free_top)            \
    X(tumbling)            \
    X(pendulum)            \
    X(a01)                 \
    X(a02)                 \
    X(bricard)             \
    X(heavy_top)           \
    X(slider_crank)        \
    X(universal_shaft)     \
    X(door)                \
    X(four_bar)            \
    X(klann)               \
    X(hoberman)            \
    X(satellite)           \
    X(gazelle)             \
    X(figure)              \
    X(hand)                \
    X(bridge)              \
    X(umbrella)            \
    X(chain)               \
    X(chains)              \
    X(beads)               \
    X(net)                 \
    X(ring)                \
    X(hub)                 \
    X(tree)                \
    X(incline)             \
    X(rolling)             \
    X(stack)               \
    X(arch)                \
    X(card_house)          \
    X(wrecking_ball)       \
    X(rings)               \
    X(chain_net)           \
    X(gears)               \
    X(knocker)             \
    X(tentacles)           \
    X(spiked_knots)        \
    X(compactor)           \
    X(turntable)           \
    X(grasp)               \
    X(panda_pick)          \
    X(protein)             \
    X(falling_joints)      \
    X(hagfish)             \
    X(net_cylinder)        \
    X(pulley)              \
    X(pulley_huge)         \
    X(ragdolls)            \
    X(cloak)

#define AFXI_CASE_PARAMETER_LIMIT 64 /* as many as a scene file may have: sweeps treat these alike */
#define AFXI_CASE_CHOICE_LIMIT 12

typedef enum AfxiCaseKind {
    AFXI_CASE_NUMBER = 0,
    AFXI_CASE_INTEGER, /* at most 2^53 in size */
    AFXI_CASE_CHOICE
} AfxiCaseKind;

typedef struct AfxiCaseParameter {
    const char *name;
    AfxiCaseKind kind;
    const char *fallback; /* the default, as a user would write it */
    double min, max;      /* numbers and integers: the range, ends included; max INFINITY allows "inf" */
    const char *choices[AFXI_CASE_CHOICE_LIMIT + 1]; /* choices: their names, then NULL */
    const char *help;
} AfxiCaseParameter;

typedef struct AfxiCase AfxiCase;

/** Checked values, one for each parameter in the order of the case: the number, or the index of the choice. */
typedef struct AfxiCaseArguments {
    const AfxiCase *from;
    double values[AFXI_CASE_PARAMETER_LIMIT];
} AfxiCaseArguments;

/** Makes the scene. def gives allocator and log; the case sets gravity itself. On failure *out_scene is NULL and
 * *out_error (may be NULL) is filled. */
typedef AfxStatus AfxiCaseBuild(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                                AfxError *out_error);

struct AfxiCase {
    const char *name;
    const char *summary; /* one line */
    double dt, time;     /* defaults, s */
    uint32_t parameter_count;
    const AfxiCaseParameter *parameters; /* [parameter_count] */
    AfxiCaseBuild *build;
};

#define AFXI_CASE_DECLARE(name) extern const AfxiCase afxi_case_##name;
AFXI_CASE_TABLE(AFXI_CASE_DECLARE)
#undef AFXI_CASE_DECLARE

/* Sets both `parameters` and `parameter_count` of a case. */
#define AFXI_CASE_PARAMETERS(array) .parameter_count = sizeof(array) / sizeof((array)[0]), .parameters = (array)

/* Young's modulus, which nearly every case has. */
#define AFXI_CASE_YOUNG(text)                                                                       \
    {                                                                                               \
        .name = "young", .kind = AFXI_CASE_NUMBER, .fallback = (text), .min = 1e3, .max = INFINITY, \
        .help = "Young's modulus, Pa; inf for exactly rigid bodies"                                 \
    }

/* Coulomb's coefficient, for cases with contact. */
#define AFXI_CASE_FRICTION(text)                                                          \
    {                                                                                     \
        .name = "mu", .kind = AFXI_CASE_NUMBER, .fallback = (text), .min = 0, .max = 100, \
        .help = "coefficient of friction"                                                 \
    }

/* The seed of cases that are random. */
#define AFXI_CASE_SEED                                                                     \
    {                                                                                      \
        .name = "seed", .kind = AFXI_CASE_INTEGER, .fallback = "1", .min = 0, .max = 1e15, \
        .help = "of the random generator: equal seeds give equal scenes"                   \
    }

uint32_t afxi_case_count(void);
/** Case `index` of the table; NULL when out of range. */
const AfxiCase *afxi_case_at(uint32_t index);
/** The case of that name, or NULL. */
const AfxiCase *afxi_case_find(const char *name);
/** The name in the table that `name` was perhaps meant to be, or NULL. */
const char *afxi_case_nearest(const char *name);

/** Fills *out_args with the defaults and then texts[count] ("name=value" each). AFX_E_INPUT, and *out_error (may be
 * NULL) says case, parameter and what is allowed, for anything that is not right. */
AfxStatus afxi_case_arguments(const AfxiCase *from, uint32_t count, const char *const *texts,
                              AfxiCaseArguments *out_args, AfxError *out_error);
/** Builds the case; see AfxiCaseBuild. */
AfxStatus afxi_case_build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                          AfxError *out_error);
/** What a parameter allows, in words: "0 to 1e4", "cube|box". */
void afxi_case_allowed(const AfxiCaseParameter *parameter, char *out_text, size_t size);

#endif
