/* SPDX-License-Identifier: Apache-2.0 */
/* Components, bodies, blocks, rows and entries of a model. */
#ifndef AFXI_CONSERVE_LIST_H
#define AFXI_CONSERVE_LIST_H

#include "conserve/inner.h"

/** Memory while the structure is made. */
typedef struct AfxiConserveDraft {
    uint32_t *component; /* [bodies] of the model; UINT32_MAX: not solved for */
    uint32_t *lambda;    /* [couplings + springs] row in the state */
    uint32_t *next;      /* [components + 1] */
    uint32_t *size;      /* [blocks] */
    uint32_t *clique, *member;
    void *raw;
    size_t raw_size;
} AfxiConserveDraft;

/** Joints, couplings and springs, of which each may be a block. */
uint32_t afxi_conserve_source_count(const AfxModel *model);
/** Numbers of blocks, rows, entries and gradients. */
void afxi_conserve_count(AfxiConserve *work);
/** Numbers the components of all moving bodies. */
void afxi_conserve_number(AfxiConserve *work, AfxiConserveDraft *draft);
/** Fills the lists, which are there and zero. */
void afxi_conserve_list(AfxiConserve *work, AfxiConserveDraft *draft);

#endif
