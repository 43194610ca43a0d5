/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of time that users write as text: compiled once into a program of doubles, which is copied, hashed and kept
 * as the samples of a table are, and run with derivatives. */
#ifndef AFXI_MATH_FORMULA_H
#define AFXI_MATH_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

/** Longest program, in doubles: formulas as people write them have some twenty. */
#define AFXI_FORMULA_MOST 256

/** A value with its first two derivatives by time. */
typedef struct AfxiJet {
    double value, rate, acceleration;
} AfxiJet;

/** Compiles a text into `program` [AFXI_FORMULA_MOST]; its length comes back, or 0 and what is wrong with it, in plain
 * words, and where (from 0). */
uint32_t afxi_formula_compile(const char *text, double *program, const char **out_fault, uint32_t *out_place);
/** Runs a program at a time. */
AfxiJet afxi_formula_run(const double *program, uint32_t length, double t);

#endif
