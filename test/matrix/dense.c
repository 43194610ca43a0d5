/* SPDX-License-Identifier: Apache-2.0 */
/* Residuals of the elements. */
#include "dense_inner.h"

#include <math.h>
#include <string.h>

/* ---- small matrices, columns first ---- */

static double determinant(const double a[9]) {
    return a[0] * (a[4] * a[8] - a[5] * a[7]) + a[3] * (a[7] * a[2] - a[1] * a[8]) + a[6] * (a[1] * a[5] - a[4] * a[2]);
}

/* The rotation part by Newton's iteration on the matrix and its inverse transposed. */
void dense_rotation(const double a[9], double r[9]) {
    memcpy(r, a, 9 * sizeof *r);
    for (int pass = 0; pass < 60; pass++) {
        double cofactor[9], d = determinant(r), change = 0;
        for (int c = 0; c < 3; c++) {
            const double *u = r + 3 * ((c + 1) % 3), *v = r + 3 * ((c + 2) % 3);
            for (int e = 0; e < 3; e++) {
                cofactor[3 * c + e] = u[(e + 1) % 3] * v[(e + 2) % 3] - u[(e + 2) % 3] * v[(e + 1) % 3];
            }
        }
        for (int k = 0; k < 9; k++) {
            double next = 0.5 * (r[k] + cofactor[k] / d);
            change = fmax(change, fabs(next - r[k]));
            r[k] = next;
        }
        if (change < 1e-16) {
            break;
        }
    }
}

void dense_product_transposed(const double a[9], const double b[9], double out[9]) {
    for (int c = 0; c < 3; c++) {
        for (int e = 0; e < 3; e++) {
            out[3 * c + e] = a[3 * e] * b[3 * c] + a[3 * e + 1] * b[3 * c + 1] + a[3 * e + 2] * b[3 * c + 2];
        }
    }
}

void dense_product(const double a[9], const double b[9], double out[9]) {
    for (int c = 0; c < 3; c++) {
        for (int e = 0; e < 3; e++) {
            out[3 * c + e] = a[e] * b[3 * c] + a[3 + e] * b[3 * c + 1] + a[6 + e] * b[3 * c + 2];
        }
    }
}

/* ---- bodies ---- */

static void elastic(const DenseBody *body, const double *q, double *r) {
    double frame[9], b[9], p[9], stress[9];
    dense_rotation(q, frame);
    dense_product_transposed(frame, q, b);
    double trace = b[0] + b[4] + b[8] - 3;
    for (int c = 0; c < 3; c++) {
        for (int e = 0; e < 3; e++) {
            double strain = 0.5 * (b[3 * c + e] + b[3 * e + c]) - (c == e);
            p[3 * c + e] = body->volume * (2 * body->mu * strain + (c == e) * body->lambda * trace);
        }
    }
    dense_product(frame, p, stress);
    for (int k = 0; k < 9; k++) {
        r[k] += stress[k];
    }
}

/* A^T A = I: six rows, force A (X + X^T) for the symmetric matrix of multipliers. */
static void rigid(const double *q, const double *lambda, double *r) {
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; k++) {
        int c = pair[k][0], d = pair[k][1];
        r[12 + k] = -(c == d);
        for (int e = 0; e < 3; e++) {
            r[12 + k] += q[3 * c + e] * q[3 * d + e];
            r[3 * c + e] += lambda[k] * q[3 * d + e];
            r[3 * d + e] += lambda[k] * q[3 * c + e];
        }
    }
}

static void body_residual(const Dense *dense, const DenseBody *body, const double *q, const double *lambda, double *r) {
    for (int k = 0; k < 12; k++) {
        double mass = k < 9 ? body->moment[k / 3] : body->mass;
        double acceleration = (q[k] - body->hat[k]) / dense->h_squared;
        r[k] = mass * (acceleration + body->damping[k < 9] * (q[k] - body->past[k]) / dense->h_rate);
    }
    for (int e = 0; e < 3; e++) {
        r[9 + e] -= body->weight[e];
    }
    if (body->rigid) {
        rigid(q, lambda, r);
    } else {
        elastic(body, q, r);
    }
}

/* ---- rows and laws ---- */

/* gradient . rate of the bodies at q */
static double rate_along(const Dense *dense, const DenseElement *element, double q[][12], double gradient[][12]) {
    double sum = 0;
    for (uint32_t k = 0; k < 12 * element->ends; k++) {
        const DenseBody *body = &dense->body[element->body[k / 12]];
        double rate = body->moves ? (q[k / 12][k % 12] - body->past[k % 12]) / dense->h_rate : body->rate[k % 12];
        sum += gradient[k / 12][k % 12] * rate;
    }
    return sum;
}

static void push(const DenseElement *element, double gradient[][12], double force, double *r) {
    for (uint32_t k = 0; k < 12 * element->ends; k++) {
        r[k] -= gradient[k / 12][k % 12] * force;
    }
}

static void exact_rows(const Dense *dense, const DenseElement *element, double q[][12], const double *lambda,
                       double *r) {
    double gradient[DENSE_ENDS_MOST][12];
    for (uint32_t row = 0; row < element->rows; row++) {
        bool joint = element->kind == DENSE_JOINT;
        double value = dense_measure(element, joint ? DENSE_OF_JOINT : DENSE_OF_SUM, row, q, gradient);
        push(element, gradient, -lambda[row], r);
        r[12 * element->ends + row] = element->kind == DENSE_STICK
                                          ? rate_along(dense, element, q, gradient) * dense->h_rate
                                      : joint ? value
                                              : value - element->target;
    }
}

static void law(const Dense *dense, const DenseElement *element, double q[][12], double *r) {
    double gradient[DENSE_ENDS_MOST][12];
    bool spring = element->kind == DENSE_SPRING;
    double value = dense_measure(element, spring ? DENSE_OF_LENGTH : DENSE_OF_SUM, 0, q, gradient);
    double rate = rate_along(dense, element, q, gradient);
    double force = element->stiffness * (element->target - value) + element->damping * (element->target_rate - rate);
    force -= dense_table(&element->table[0], value - element->target) + dense_table(&element->table[1], rate);
    push(element, gradient, element->kind == DENSE_GIVEN ? element->target : force, r);
}

/* Friction of a ball on a plane that it did not touch before: a spring over the slip of this step, the end's velocity
 * of the point that touches times dt, up to its limit. */
static void rub(const Dense *dense, const DenseElement *element, const double *q, double load, double *r) {
    const DenseBody *body = &dense->body[element->body[0]];
    double x[3], v[3], along = 0, size = 0;
    for (int c = 0; c < 3; c++) { /* bodies are nearly rigid: A^-1 is A^T */
        const double *n = element->normal, *a = q + 3 * c;
        x[c] = element->point[0][c] - element->radius * (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]);
    }
    for (int e = 0; e < 3; e++) {
        v[e] = (q[9 + e] - body->past[9 + e]) / dense->h_rate;
        for (int c = 0; c < 3; c++) {
            v[e] += (q[3 * c + e] - body->past[3 * c + e]) / dense->h_rate * x[c];
        }
        along += v[e] * element->normal[e];
    }
    for (int e = 0; e < 3; e++) {
        v[e] -= along * element->normal[e];
        size += v[e] * v[e];
    }
    for (int e = 0; e < 3 && size > 0; e++) {
        double most = fmin(element->friction * load, element->stiffness / 200 * dense->dt * sqrt(size));
        double force = -most * v[e] / sqrt(size);
        for (int c = 0; c < 3; c++) {
            r[3 * c + e] -= force * x[c];
        }
        r[9 + e] -= force;
    }
}

static void touch(const Dense *dense, const DenseElement *element, double q[][12], double *r) {
    double gradient[DENSE_ENDS_MOST][12];
    bool pair = element->kind == DENSE_PAIR;
    double gap = dense_measure(element, pair ? DENSE_OF_LENGTH : DENSE_OF_HEIGHT, 0, q, gradient) - element->radius;
    double load = element->stiffness * fmax(0, -gap);
    push(element, gradient, load, r);
    if (element->friction > 0 && !pair) {
        rub(dense, element, q[0], load, r);
    }
}

static void hold(const Dense *dense, const DenseElement *element, double q[][12], double *r) {
    const DenseBody *body = &dense->body[element->body[0]];
    const double *x = element->point[0];
    for (int e = 0; e < 3; e++) {
        double p = q[0][9 + e], before = body->past[9 + e];
        for (int c = 0; c < 3; c++) {
            p += q[0][3 * c + e] * x[c];
            before += body->past[3 * c + e] * x[c];
        }
        double force = element->stiffness * (element->place[e] - p) - element->damping * (p - before) / dense->h_rate;
        force += element->push[e];
        for (int c = 0; c < 3; c++) {
            r[3 * c + e] -= force * x[c];
        }
        r[9 + e] -= force;
    }
}

void dense_residual(const Dense *dense, const DenseElement *element, double q[][12], const double *lambda, double *r) {
    memset(r, 0, (12 * element->ends + element->rows) * sizeof *r);
    switch (element->kind) {
    case DENSE_BODY:
        body_residual(dense, &dense->body[element->body[0]], q[0], lambda, r);
        break;
    case DENSE_JOINT:
    case DENSE_EXACT:
    case DENSE_STICK:
        exact_rows(dense, element, q, lambda, r);
        break;
    case DENSE_LAW:
    case DENSE_GIVEN:
    case DENSE_SPRING:
        law(dense, element, q, r);
        break;
    case DENSE_TURN:
        dense_turn_spring(dense, element, q, r);
        break;
    case DENSE_HOLD:
        hold(dense, element, q, r);
        break;
    case DENSE_GROUND:
    case DENSE_PAIR:
        touch(dense, element, q, r);
        break;
    }
}

static double measured(const Dense *dense, const DenseElement *element, bool rate) {
    double q[DENSE_ENDS_MOST][12], gradient[DENSE_ENDS_MOST][12];
    for (uint32_t k = 0; k < element->ends; k++) {
        dense_coordinates(dense, element->body[k], q[k]);
    }
    double value = dense_measure(element, DENSE_OF_SUM, 0, q, gradient);
    return rate ? rate_along(dense, element, q, gradient) : value;
}

double dense_value(const Dense *dense, const DenseElement *element) {
    return measured(dense, element, false);
}

double dense_rate(const Dense *dense, const DenseElement *element) {
    return measured(dense, element, true);
}
