/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of one affine body. In the principal frame the mass matrix is diagonal and
 * mass plus linear elasticity split into 3 scalars, three 2x2 blocks and one 3x3 block. Only inverse blocks are
 * kept: with the compliance e = 1 / (V mu) they are finite for every E, and e = 0 is the exactly rigid body.
 * Equal bodies share one class. */
#ifndef AFXI_BODY_CLASS_H
#define AFXI_BODY_CLASS_H

#include "affix/base.h"
#include "body/dof.h"

/** What a body's constants are made from; compared bit by bit when bodies are interned. */
typedef struct AfxiBodyClass {
    double mass;
    double s[3];   /* second moments along the principal axes, kg m² */
    double volume; /* m³ */
    double young, poisson;
    double linear_damping, angular_damping;
    double gravity; /* 1 or 0 */
} AfxiBodyClass;

/** What an integrator says of one solve: q'' = (q - qhat) / h² and v = (q - qv) / hv. */
typedef struct AfxiScale {
    double h_squared; /* effective step squared */
    double h_rate;    /* effective step of the velocity */
} AfxiScale;

/* Constants of a class for one AfxiScale, as the free-body kernel loads them. */
enum {
    AFXI_FREE_C = 0,         /* 3: s_k / (h² w), w the weight below */
    AFXI_FREE_PAIR = 3,      /* 9: for the pairs 01, 02, 12: P_ik, P_ki, O */
    AFXI_FREE_DIAGONAL = 12, /* 6: D_00, D_11, D_22, D_01, D_02, D_12 */
    AFXI_FREE_FRAME = 18,    /* 3: the frame is the rotation part of A-hat diag(this) ... */
    AFXI_FREE_NEWTON = 21,   /* 4: what the inverse weighs in the first two Newton passes; both factors of the third */
    AFXI_FREE_GRAVITY = 25,  /* t moves by this times g */
    AFXI_FREE_WEIGHT_A = 26, /* damping: A is drawn to w qhat + (1 - w) qv */
    AFXI_FREE_WEIGHT_T = 27,
    AFXI_FREE_COMMON = 28, /* what follows is only for bodies with forces, and for rods */
    AFXI_FREE_FORCE = 28,  /* t moves by this times f */
    AFXI_FREE_EXACT = 29,  /* ... plus this times F; 0 for a thin rod: that of A + h A' instead */
    AFXI_FREE_SIZE = 32
};

/** Local inverse blocks of H in the body's frame: pairs (0,1), (0,2), (1,2), the diagonal block, translation. */
typedef struct AfxiBlocks {
    double c[3];        /* s_k / h², damping included */
    double pair[3][3];  /* P_ik, P_ki, O */
    double diagonal[6]; /* D_00, D_11, D_22, D_01, D_02, D_12 */
    double translation; /* 1 / H_t */
    double weight_a, weight_t;
} AfxiBlocks;

/** Inverse blocks of a class under geometric stiffness gamma. */
AfxiBlocks afxi_body_blocks(const AfxiBodyClass *body, AfxiScale scale, double gamma);
/** The constants [AFXI_FREE_SIZE] of a class for bodies without joints. */
void afxi_body_free_constants(const AfxiBodyClass *body, AfxiScale scale, double *out);
/** Lifts rotary inertias below 1e-12 m L² to that floor; true when one was. */
bool afxi_body_floor(double mass, double size, double s[3]);

#endif
