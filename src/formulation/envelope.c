/* SPDX-License-Identifier: Apache-2.0 */
/* L D L^T of a matrix in envelope form (Jennings 1966), row by row:
 *     c_j = K_ij - sum_k c_k L_jk,  L_ij = c_j / D_j,  D_i = K_ii - sum_j c_j L_ij.
 * A pivot of no more than rounding belongs to a row that repeats others: its multiplier is left at zero. */
#include "formulation/inner.h"

#define ROUNDING 1e-13 /* of the diagonal */

static double dot(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

bool afxi_envelope_factor(AfxiEnvelope *matrix) {
    bool redundant = false;
    for (uint32_t i = 0; i < matrix->count; i++) {
        double *row = matrix->value + matrix->start[i];
        uint32_t first = matrix->first[i];
        matrix->diagonal[i] = row[i - first];
        for (uint32_t j = first; j < i; j++) { /* row holds c_k for k < j */
            const double *other = matrix->value + matrix->start[j];
            uint32_t from = matrix->first[j] > first ? matrix->first[j] : first;
            row[j - first] -= dot(row + (from - first), other + (from - matrix->first[j]), j - from);
        }
        for (uint32_t j = first; j < i; j++) {
            double c = row[j - first];
            row[j - first] = c * matrix->inverse[j];
            row[i - first] -= c * row[j - first];
        }
        bool repeats = row[i - first] <= ROUNDING * matrix->diagonal[i];
        matrix->inverse[i] = repeats ? 0 : 1 / row[i - first];
        redundant |= repeats;
    }
    return redundant;
}

void afxi_envelope_solve(const AfxiEnvelope *matrix, double *x) {
    for (uint32_t i = 0; i < matrix->count; i++) {
        uint32_t first = matrix->first[i];
        x[i] -= dot(matrix->value + matrix->start[i], x + first, i - first);
    }
    for (uint32_t i = 0; i < matrix->count; i++) {
        x[i] *= matrix->inverse[i];
    }
    for (uint32_t i = matrix->count; i-- > 0;) {
        const double *row = matrix->value + matrix->start[i];
        x[i] = matrix->inverse[i] == 0 ? 0 : x[i];
        for (uint32_t j = matrix->first[i]; j < i; j++) {
            x[j] -= row[j - matrix->first[i]] * x[i];
        }
    }
}
