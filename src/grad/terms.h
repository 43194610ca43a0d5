/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of many results by many inputs, one term each. */
#ifndef AFXI_GRAD_TERMS_H
#define AFXI_GRAD_TERMS_H

#include "grad/tape.h"

typedef struct AfxiGradTerm {
    uint32_t row, slot; /* result and input */
    double value;
} AfxiGradTerm;

typedef struct AfxiGradTerms {
    const AfxAllocator *allocator;
    AfxiGradTerm *term;
    uint32_t count, capacity;
    bool failed;
} AfxiGradTerms;

void afxi_grad_terms_release(AfxiGradTerms *terms);
void afxi_grad_term(AfxiGradTerms *terms, uint32_t row, uint32_t slot, double value);
/** The derivatives of a variable by all leaves of its tape. */
void afxi_grad_terms_of(AfxiGradTerms *terms, AfxiTape *tape, uint32_t row, AfxiVar y);

#endif
