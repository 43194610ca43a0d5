/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: one converged step, plain and slow. All equations of a step (docs/step.md, docs/joints.md,
 * docs/contact.md) in the twelve coordinates of every body are put into one dense system and solved by Newton's method.
 * It knows scenes and numbers from the public interface alone and shares no code with the library.
 *
 * An element adds its part of the residual for the few bodies it touches; gradients of what it measures are taken by
 * complex steps, the matrix by differences of residuals. */
#ifndef AFX_TEST_MATRIX_DENSE_H
#define AFX_TEST_MATRIX_DENSE_H

#include "affix/affix.h"

#define DENSE_BODIES_MOST 32
#define DENSE_ELEMENTS_MOST 160
#define DENSE_ENDS_MOST 4

typedef enum DenseKind {
    DENSE_BODY,   /* inertia, elasticity or rigidity, weight, damping */
    DENSE_JOINT,  /* rows of a joint */
    DENSE_EXACT,  /* a sum of joint coordinates is `target` */
    DENSE_STICK,  /* the rate of a joint coordinate is 0 */
    DENSE_LAW,    /* a force stiffness (target - x) + damping (target_rate - x') along a sum of coordinates */
    DENSE_GIVEN,  /* a force `target` along a coordinate */
    DENSE_SPRING, /* between two points */
    DENSE_TURN,   /* the spring of a ball joint */
    DENSE_HOLD,   /* a point at a place, and a force on it */
    DENSE_GROUND, /* a ball against a plane */
    DENSE_PAIR    /* a ball against a ball */
} DenseKind;

/** A joint as the rows see it: points and axes (columns) in the principal frames of follower (a) and base (b). */
typedef struct DenseJoint {
    AfxJointKind kind;
    uint32_t a, b;
    double point_a[3], point_b[3], axes_a[9], axes_b[9];
} DenseJoint;

/** A term of a sum of joint coordinates. */
typedef struct DenseTerm {
    const DenseJoint *joint;
    uint32_t axis, at_a, at_b; /* which ends of the element its bodies are */
    double factor;
} DenseTerm;

typedef struct DenseElement {
    DenseKind kind;
    uint32_t ends, body[DENSE_ENDS_MOST];
    uint32_t rows, first_row;   /* multipliers: number, and the first in the solution */
    uint32_t term_count, drive; /* drive: what it was made from, UINT32_MAX for none */
    DenseTerm term[2];
    const DenseJoint *joint;
    double target, target_rate, stiffness, damping, effort, friction;
    AfxForceTable table[2]; /* of a law or spring: over x - target, and over x' */
    double point[2][3], place[3], normal[3], push[3], radius, rest[9], turn_stiffness[3], turn_damping[3];
} DenseElement;

typedef struct DenseBody {
    bool moves, rigid;
    double mass, moment[3], volume, mu, lambda, damping[2], weight[3];
    double hat[12], past[12]; /* of the integrator */
    double q[12], rate[12];   /* of what does not move; of the others the first guess */
    uint32_t first;           /* of the unknowns */
} DenseBody;

typedef struct Dense {
    uint32_t body_count, joint_count, element_count, size;
    double dt, h_squared, h_rate; /* the last two: ĥ², h_v */
    DenseBody body[DENSE_BODIES_MOST];
    DenseJoint joint[DENSE_BODIES_MOST];
    DenseElement element[DENSE_ELEMENTS_MOST];
    double *solution; /* coordinates of moving bodies, then multipliers */
} Dense;

/* The state before a step, and the one before that. */
typedef struct DenseHistory {
    AfxIntegrator integrator; /* AFX_BDF1, AFX_BDF2, or AFX_ALPHA with rho = 0 */
    bool fitted;              /* the sim's own integrator is fitted to bodies that turn */
    double dt, time;          /* of the step's end */
    double q[2][DENSE_BODIES_MOST * 12], v[2][DENSE_BODIES_MOST * 12];
    double gap[2][DENSE_BODIES_MOST * 12]; /* what velocities by differences have more than v */
} DenseHistory;

/* A hold, which a sim cannot be asked for. */
typedef struct DenseHold {
    uint32_t body; /* UINT32_MAX: none */
    AfxVec3 point, target;
    double stiffness, damping;
} DenseHold;

/** Everything of the scene as the sim has it (parameters, switched joints), for the step that ended in the sim's state:
 * that is also the first guess. Free it with dense_free. */
void dense_read(const AfxScene *scene, const AfxSim *sim, const DenseHistory *history, const DenseHold *hold,
                Dense *out_dense);
void dense_free(Dense *dense);
/** Residual of an element at local coordinates q [ends][12] and multipliers; r is [ends * 12 + rows]. */
void dense_residual(const Dense *dense, const DenseElement *element, double q[][12], const double *lambda, double *r);
/** Value of joint coordinate `axis` where the bodies are at a and b. */
double dense_coordinate(const DenseJoint *joint, uint32_t axis, const double a[12], const double b[12]);
/** The rotation part of A. */
void dense_rotation(const double a[9], double r[9]);
/** Newton's method. False when it does not settle. */
bool dense_solve(Dense *dense);
/** Coordinates of a body after the solve. */
void dense_coordinates(const Dense *dense, uint32_t body, double out_q[12]);
/** Rate of an element's sum of coordinates after the solve. */
double dense_rate(const Dense *dense, const DenseElement *element);
/** The value of an element's sum of coordinates after the solve. */
double dense_value(const Dense *dense, const DenseElement *element);

#endif
