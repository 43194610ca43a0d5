/* SPDX-License-Identifier: Apache-2.0 */
/* The energy book of `affix run --energy-book`. */
#include "cli/energy.h"

#include <inttypes.h>
#include <stdio.h>

AfxStatus cli_energy_begin(CliEnergyBook *book, AfxSim *sim) {
    *book = (CliEnergyBook){.on = true};
    return afx_sim_set_energy_book(sim, true);
}

void cli_energy_step(CliEnergyBook *book, const AfxSim *sim, uint64_t step) {
    AfxEnergyBook own;
    if (afx_sim_energy_book(sim, &own, &book->total) == AFX_OK && own.integrator > book->gain) {
        book->gain = own.integrator;
        book->gain_step = step;
    }
}

void cli_energy_print(const CliEnergyBook *book) {
    const AfxEnergyBook *total = &book->total;
    printf("  energy book: change %+.6g J, of which by\n", total->change);
#define PRINT(name, text)                                 \
    if (total->name != 0) {                               \
        printf("    %+13.6e J  %s\n", total->name, text); \
    }
    AFX_ENERGY_WORK_TABLE(PRINT)
#undef PRINT
    if (book->gain > 0) {
        printf("    the integrator gained most in step %" PRIu64 ": %.2e J\n", book->gain_step, book->gain);
    }
}

void cli_energy_write(const CliEnergyBook *book, CliJson *json) {
    const AfxEnergyBook *total = &book->total;
    cli_json_object(json, "energy_book");
    cli_json_number(json, "kinetic", total->kinetic);
    cli_json_number(json, "potential", total->potential);
    cli_json_number(json, "elastic", total->elastic);
    cli_json_number(json, "springs", total->springs);
    cli_json_number(json, "change", total->change);
#define WRITE(name, text) cli_json_number(json, #name, total->name);
    AFX_ENERGY_WORK_TABLE(WRITE)
#undef WRITE
    cli_json_number(json, "largest_gain", book->gain);
    cli_json_integer(json, "largest_gain_step", book->gain_step);
    cli_json_close(json);
}
