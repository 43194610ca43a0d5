/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts with what is not solved for and held points, inside a body's own block (equations in woodbury.h). */
#include "body/woodbury.h"

#include <math.h>
#include <string.h>

static double dot12(const double a[AFXI_AFFINE_WIDTH], const double b[AFXI_AFFINE_WIDTH]) {
    double sum = 0;
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

double afxi_woodbury_value(const AfxiWoodburyRow *row, const double q[AFXI_AFFINE_WIDTH]) {
    return dot12(row->g, q) - row->target;
}

void afxi_woodbury_gradient(const AfxiWoodburyRow *row, const AfxiMat3 *r, double local[AFXI_AFFINE_WIDTH]) {
    if (row->turns) {
        AfxiMat3 on_a = mat3_skew(vec3_scale(0.5, vec3_load(row->g)));
        memcpy(local, on_a.m, sizeof on_a.m);
        vec3_store(local + 9, vec3(0, 0, 0));
        return;
    }
    for (int c = 0; c < 3; c++) {
        vec3_store(local + 3 * c, mat3_apply_transposed(r, vec3_load(row->g + 3 * c)));
    }
    vec3_store(local + 9, vec3_load(row->g + 9));
}

/* `kept`: what the values of rows count from; NULL: 0. */
static void load(const AfxiWoodburySet *woodbury, uint32_t index, const AfxiMat3 *r, AfxVec3 origin,
                 const AfxiBodyInverse *inverse, const double *kept, double *delta) {
    AfxiWoodburyBody *own = &woodbury->body[index];
    const AfxiWoodburyRow *row = woodbury->row + own->first_row;
    double *image = woodbury->image + AFXI_AFFINE_WIDTH * (size_t)own->first_row;
    double local[AFXI_WOODBURY_ROWS_MOST][AFXI_AFFINE_WIDTH], lower[AFXI_WOODBURY_ROWS_MOST][AFXI_WOODBURY_ROWS_MOST];
    double miss[AFXI_WOODBURY_ROWS_MOST];
    double at[AFXI_AFFINE_WIDTH];
    uint32_t count = 0;
    for (int e = 0; e < 9; e++) {
        at[e] = r->m[e];
    }
    vec3_store(at + 9, origin);
    for (uint32_t k = 0; k < own->row_count; k++) {
        if (!(row[k].stiffness > 0)) {
            continue;
        }
        double root = sqrt(row[k].stiffness), *g = local[count], *z = image + AFXI_AFFINE_WIDTH * (size_t)count;
        double value = row[k].turns ? 0 : afxi_woodbury_value(&row[k], at);
        value -= kept && !row[k].turns ? afxi_woodbury_value(&row[k], kept) : 0;
        afxi_woodbury_gradient(&row[k], r, g);
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            g[e] *= root;
        }
        miss[count] = root * value + (delta ? dot12(g, delta) : 0);
        afxi_body_apply(inverse, g, z);
        for (uint32_t j = 0; j <= count; j++) {
            lower[count][j] = dot12(local[j], z) + (j == count);
        }
        count++;
    }
    own->image_count = count;
    own->changed = false;
    for (uint32_t i = 0; i < count; i++) { /* Cholesky, then L^-1 on Z^T and on what the rows miss */
        double *y = image + AFXI_AFFINE_WIDTH * (size_t)i;
        for (uint32_t j = 0; j < i; j++) {
            double sum = lower[i][j];
            for (uint32_t k = 0; k < j; k++) {
                sum -= lower[i][k] * lower[j][k];
            }
            lower[i][j] = sum / lower[j][j];
        }
        double pivot = lower[i][i];
        for (uint32_t k = 0; k < i; k++) {
            pivot -= lower[i][k] * lower[i][k];
        }
        lower[i][i] = sqrt(pivot > 1 ? pivot : 1); /* never below 1 but for rounding */
        for (uint32_t k = 0; k < i; k++) {
            const double *before = image + AFXI_AFFINE_WIDTH * (size_t)k;
            miss[i] -= lower[i][k] * miss[k];
            for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
                y[e] -= lower[i][k] * before[e];
            }
        }
        miss[i] /= lower[i][i];
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            y[e] /= lower[i][i];
        }
    }
    for (uint32_t i = 0; delta && i < count; i++) {
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            delta[e] -= image[AFXI_AFFINE_WIDTH * (size_t)i + e] * miss[i];
        }
    }
}

void afxi_woodbury_load(const AfxiWoodburySet *woodbury, uint32_t index, const AfxiMat3 *r, AfxVec3 origin,
                        const AfxiBodyInverse *inverse, double delta[AFXI_AFFINE_WIDTH]) {
    load(woodbury, index, r, origin, inverse, NULL, delta);
}

void afxi_woodbury_load_balanced(const AfxiWoodburySet *woodbury, uint32_t index, const AfxiMat3 *r, AfxVec3 origin,
                                 const AfxiBodyInverse *inverse, const double q[AFXI_AFFINE_WIDTH],
                                 double delta[AFXI_AFFINE_WIDTH]) {
    load(woodbury, index, r, origin, inverse, q, delta);
}

void afxi_woodbury_image(const AfxiWoodburySet *woodbury, uint32_t index, const double g[AFXI_AFFINE_WIDTH],
                         double *out) {
    const AfxiWoodburyBody *own = &woodbury->body[index];
    const double *image = woodbury->image + AFXI_AFFINE_WIDTH * (size_t)own->first_row;
    for (uint32_t i = 0; i < own->image_count; i++) {
        out[i] = dot12(image + AFXI_AFFINE_WIDTH * (size_t)i, g);
    }
}

void afxi_woodbury_apply(const AfxiWoodburySet *woodbury, uint32_t index, const double g[AFXI_AFFINE_WIDTH],
                         double out[AFXI_AFFINE_WIDTH]) {
    const AfxiWoodburyBody *own = &woodbury->body[index];
    const double *image = woodbury->image + AFXI_AFFINE_WIDTH * (size_t)own->first_row;
    for (uint32_t i = 0; i < own->image_count; i++) {
        double weight = dot12(image + AFXI_AFFINE_WIDTH * (size_t)i, g);
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            out[e] -= image[AFXI_AFFINE_WIDTH * (size_t)i + e] * weight;
        }
    }
}
