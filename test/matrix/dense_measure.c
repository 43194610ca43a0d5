/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of joints, joint coordinates and distances, in complex numbers: the imaginary part of a value at q + i h e is h
 * times its derivative along e, without the loss of a difference. */
#include "dense_inner.h"

#include <complex.h>
#include <math.h>

typedef double complex Complex;

static Complex dot(const Complex a[3], const Complex b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A x of coordinates q, without the translation. */
static void turn(const Complex *q, const double x[3], Complex out[3]) {
    for (int e = 0; e < 3; e++) {
        out[e] = q[e] * x[0] + q[3 + e] * x[1] + q[6 + e] * x[2];
    }
}

static void place(const Complex *q, const double x[3], Complex out[3]) {
    turn(q, x, out);
    for (int e = 0; e < 3; e++) {
        out[e] += q[9 + e];
    }
}

/* Follower's and base's coordinates; frozen: the real parts of the base's, for directions that are held fixed. */
typedef struct Ends {
    const DenseJoint *joint;
    const Complex *a, *b;
} Ends;

static void difference(const Ends *ends, Complex d[3]) {
    Complex b[3];
    place(ends->a, ends->joint->point_a, d);
    place(ends->b, ends->joint->point_b, b);
    for (int e = 0; e < 3; e++) {
        d[e] -= b[e];
    }
}

static Complex direction(const Ends *ends, int i, int j) {
    Complex u[3], v[3];
    turn(ends->a, ends->joint->axes_a + 3 * i, u);
    turn(ends->b, ends->joint->axes_b + 3 * j, v);
    return dot(u, v);
}

/* e . (A_a u_i - A_b v_i), e = R_b v_j made square to A_b v_i, its derivative left out. */
static Complex align(const Ends *ends, int i, int j) {
    double a[9], r[9], e[3], axis[3], along = 0, square = 0;
    for (int k = 0; k < 9; k++) {
        a[k] = creal(ends->b[k]);
    }
    dense_rotation(a, r);
    const double *v_j = ends->joint->axes_b + 3 * j, *v_i = ends->joint->axes_b + 3 * i;
    for (int k = 0; k < 3; k++) {
        e[k] = r[k] * v_j[0] + r[3 + k] * v_j[1] + r[6 + k] * v_j[2];
        axis[k] = a[k] * v_i[0] + a[3 + k] * v_i[1] + a[6 + k] * v_i[2];
        along += e[k] * axis[k];
        square += axis[k] * axis[k];
    }
    Complex u[3], v[3], sum = 0;
    turn(ends->a, ends->joint->axes_a + 3 * i, u);
    turn(ends->b, v_i, v);
    for (int k = 0; k < 3; k++) {
        sum += (e[k] - along / square * axis[k]) * (u[k] - v[k]);
    }
    return sum;
}

/* atan2 whose imaginary part is the derivative's. */
static Complex angle(Complex f, Complex g) {
    double re_f = creal(f), re_g = creal(g);
    return atan2(re_f, re_g) + I * (re_g * cimag(f) - re_f * cimag(g)) / (re_f * re_f + re_g * re_g);
}

/* Turns about x (m = 1, n = 2) of a hinge; Cardan angles of ball and free joints; translations of free and slide. */
static Complex coordinate(const Ends *ends, uint32_t axis) {
    AfxJointKind kind = ends->joint->kind;
    uint32_t slides = kind == AFX_JOINT_FREE ? 3 : kind == AFX_JOINT_PRISMATIC ? 1 : 0;
    if (axis < slides) {
        Complex d[3], v[3];
        difference(ends, d);
        turn(ends->b, ends->joint->axes_b + 3 * axis, v);
        return dot(v, d);
    }
    if (kind == AFX_JOINT_REVOLUTE) {
        return angle(direction(ends, 1, 2), direction(ends, 1, 1));
    }
    if (axis - slides == 0) {
        return angle(-direction(ends, 2, 1), direction(ends, 2, 2));
    }
    if (axis - slides == 2) {
        return angle(-direction(ends, 1, 0), direction(ends, 0, 0));
    }
    Complex y = direction(ends, 2, 1), z = direction(ends, 2, 2); /* the middle one, below a right angle */
    return angle(direction(ends, 2, 0), csqrt(y * y + z * z));
}

static Complex joint_row(const Ends *ends, uint32_t row) {
    static const int turns[2][2] = {{0, 2}, {0, 1}}, locked[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    bool slide = ends->joint->kind == AFX_JOINT_PRISMATIC;
    Complex d[3], v[3];
    if (row < (slide ? 2u : 3u)) {
        difference(ends, d);
        if (!slide) {
            return d[row];
        }
        turn(ends->b, ends->joint->axes_b + 3 * (row + 1), v);
        return dot(v, d);
    }
    if (ends->joint->kind == AFX_JOINT_REVOLUTE) {
        return align(ends, turns[row - 3][0], turns[row - 3][1]);
    }
    row -= slide ? 2 : 3;
    return align(ends, locked[row][0], locked[row][1]);
}

/* ---- values with gradients ---- */

typedef Complex Measure(const DenseElement *element, Complex q[][12], uint32_t row);

static Complex measure_joint(const DenseElement *element, Complex q[][12], uint32_t row) {
    return joint_row(&(Ends){element->joint, q[0], q[1]}, row);
}

static Complex measure_sum(const DenseElement *element, Complex q[][12], uint32_t row) {
    (void)row;
    Complex sum = 0;
    for (uint32_t k = 0; k < element->term_count; k++) {
        const DenseTerm *term = &element->term[k];
        sum += term->factor * coordinate(&(Ends){term->joint, q[term->at_a], q[term->at_b]}, term->axis);
    }
    return sum;
}

static Complex measure_length(const DenseElement *element, Complex q[][12], uint32_t row) {
    (void)row;
    Complex a[3], b[3];
    place(q[0], element->point[0], a);
    place(q[1], element->point[1], b);
    for (int e = 0; e < 3; e++) {
        a[e] -= b[e];
    }
    return csqrt(dot(a, a));
}

static Complex measure_height(const DenseElement *element, Complex q[][12], uint32_t row) {
    (void)row;
    Complex p[3], sum = 0;
    place(q[0], element->point[0], p);
    for (int e = 0; e < 3; e++) {
        sum += element->normal[e] * (p[e] - element->place[e]);
    }
    return sum;
}

double dense_measure(const DenseElement *element, DenseMeasure kind, uint32_t row, double q[][12],
                     double gradient[][12]) {
    static Measure *const measures[] = {
        [DENSE_OF_JOINT] = measure_joint,
        [DENSE_OF_SUM] = measure_sum,
        [DENSE_OF_LENGTH] = measure_length,
        [DENSE_OF_HEIGHT] = measure_height,
    };
    Measure *measure = measures[kind];
    Complex z[DENSE_ENDS_MOST][12];
    for (uint32_t k = 0; k < 12 * element->ends; k++) {
        z[k / 12][k % 12] = q[k / 12][k % 12];
    }
    double value = creal(measure(element, z, row));
    const double small = 1e-40;
    for (uint32_t k = 0; k < 12 * element->ends; k++) {
        z[k / 12][k % 12] += I * small;
        gradient[k / 12][k % 12] = cimag(measure(element, z, row)) / small;
        z[k / 12][k % 12] = q[k / 12][k % 12];
    }
    return value;
}

double dense_coordinate(const DenseJoint *joint, uint32_t axis, const double a[12], const double b[12]) {
    Complex z[2][12];
    for (int k = 0; k < 12; k++) {
        z[0][k] = a[k];
        z[1][k] = b[k];
    }
    return creal(coordinate(&(Ends){joint, z[0], z[1]}, axis));
}
