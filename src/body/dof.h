/* SPDX-License-Identifier: Apache-2.0 */
/* Degrees of freedom come in families of equal width: a row of constraints attaches to {family, index}, and its
 * gradient there has as many numbers as the family is wide. Affine bodies are the only family so far; others (joint
 * coordinates, nodes of elements) are lines of this table. What is written for affine bodies says so by
 * AFXI_AFFINE_WIDTH; what only counts, stores or copies goes by afxi_dof_width. */
#ifndef AFXI_BODY_DOF_H
#define AFXI_BODY_DOF_H

#include <stdint.h>

/* Of an affine body: A column by column, then t. */
#define AFXI_AFFINE_WIDTH 12

/* Family, name, width. */
#define AFXI_DOF_TABLE(X) X(AFXI_DOF_AFFINE, "affine", AFXI_AFFINE_WIDTH)

typedef enum AfxiDofFamily {
#define AFXI_DOF_ENUM(family, name, width) family,
    AFXI_DOF_TABLE(AFXI_DOF_ENUM)
#undef AFXI_DOF_ENUM
        AFXI_DOF_FAMILY_COUNT
} AfxiDofFamily;

/** What a row attaches to: in a joint graph, the index is that of the graph. */
typedef struct AfxiDof {
    uint32_t index;
    uint8_t family; /* AfxiDofFamily */
} AfxiDof;

/** Numbers of one of a family. */
static inline uint32_t afxi_dof_width(uint8_t family) {
    static const uint32_t widths[AFXI_DOF_FAMILY_COUNT] = {
#define AFXI_DOF_WIDTH(family, name, width) width,
        AFXI_DOF_TABLE(AFXI_DOF_WIDTH)
#undef AFXI_DOF_WIDTH
    };
    return widths[family];
}

#endif
