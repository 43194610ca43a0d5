/* SPDX-License-Identifier: Apache-2.0 */
/* cli/energy.h: where the energy of a run went, by the book of its sim. */
#ifndef CLI_ENERGY_H
#define CLI_ENERGY_H

#include "affix/sim.h"
#include "cli/json.h"

typedef struct CliEnergyBook {
    bool on;
    AfxEnergyBook total;
    double gain; /* J, the largest that the integrator made in a step */
    uint64_t gain_step;
} CliEnergyBook;

/** The sim keeps a book from now on. */
AfxStatus cli_energy_begin(CliEnergyBook *book, AfxSim *sim);
/** After a step that went through. */
void cli_energy_step(CliEnergyBook *book, const AfxSim *sim, uint64_t step);
void cli_energy_print(const CliEnergyBook *book);
void cli_energy_write(const CliEnergyBook *book, CliJson *json);

#endif
