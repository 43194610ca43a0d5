/* SPDX-License-Identifier: Apache-2.0 */
/* A growing list of derivatives. */
#include "grad/terms.h"

void afxi_grad_terms_release(AfxiGradTerms *terms) {
    afxi_release(terms->allocator, terms->term, terms->capacity * sizeof *terms->term);
    *terms = (AfxiGradTerms){.allocator = terms->allocator};
}

void afxi_grad_term(AfxiGradTerms *terms, uint32_t row, uint32_t slot, double value) {
    terms->failed = terms->failed || afxi_array_reserve(terms->allocator, (void **)&terms->term, &terms->capacity,
                                                        terms->count + 1, sizeof *terms->term) != AFX_OK;
    if (!terms->failed && value != 0) {
        terms->term[terms->count++] = (AfxiGradTerm){row, slot, value};
    }
}

void afxi_grad_terms_of(AfxiGradTerms *terms, AfxiTape *tape, uint32_t row, AfxiVar y) {
    afxi_tape_reverse(tape, y);
    for (uint32_t k = 0; !afxi_is_number(y) && !tape->failed && k <= y.id; k++) {
        if (tape->node[k].op == AFXI_TAPE_LEAF && tape->bar[k] != 0) {
            afxi_grad_term(terms, row, tape->node[k].slot, tape->bar[k]);
        }
    }
    afxi_tape_forget(tape, y);
    terms->failed = terms->failed || tape->failed;
}
