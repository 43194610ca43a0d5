/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar functions of barrier contact, each with its derivatives. */
#ifndef AFXI_BARRIER_ENERGY_H
#define AFXI_BARRIER_ENERGY_H

/** B(d) = -(d - g)² ln(d / g) for 0 < d < g, else 0; out: B, B', B''. Twice differentiable at d = g, infinite at 0. */
void afxi_barrier_function(double d, double g, double out[3]);
/** The gap d < g at which -B' is `force` > 0. */
double afxi_barrier_gap_of(double force, double g);
/** m(c) = (2 - c/e) c/e for c < e, else 1; out: m, m'. */
void afxi_mollifier(double c, double e, double out[2]);
/** Friction of a slip s: f = s - e/3 + ... beyond e the slip itself; out: f, f'/s, f'. f' is the share of Coulomb's
 * force. */
void afxi_friction_function(double s, double e, double out[3]);

#endif
