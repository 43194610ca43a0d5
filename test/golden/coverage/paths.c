/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the library between its files, wrapped by the linker (--wrap, listed in test/CMakeLists.txt): the
 * library itself has nothing in it for this. */
#include "golden/coverage/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "dual/cg.h"
#include "dual/gs.h"
#include "dual/recursion.h"
#include "engine/aitken.h"
#include "engine/full_newton.h"
#include "solve/stage.h"
#include "solve/start.h"

uint64_t path_count[PATH_COUNT];
bool path_spoil;

#define WRAP(type, name, ...)        \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

WRAP(void, afxi_lot_aitken, AfxiLot *lot, uint32_t solve, bool apart) {
    size_t bytes = (size_t)12 * lot->rows.graph->body_count * sizeof(double);
    void *before = malloc(bytes);
    if (before) {
        memcpy(before, lot->rows.next, bytes);
    }
    __real_afxi_lot_aitken(lot, solve, apart);
    path_count[PATH_AITKEN] += before && memcmp(before, lot->rows.next, bytes) != 0;
    free(before);
}

WRAP(void, afxi_full_newton_correct, AfxiLot *lot, double turn, AfxiDualReport *dual) {
    path_count[PATH_CORRECTION]++;
    __real_afxi_full_newton_correct(lot, turn, dual);
    lot->system.bodies.gap += path_spoil ? 1e-6 * lot->rows.graph->size : 0;
}

WRAP(bool, afxi_cg_solve, AfxiSystem *system, AfxiDualReport *out) {
    bool stale = system->older.stale, valid = *system->older.valid;
    bool solved = __real_afxi_cg_solve(system, out);
    path_count[PATH_CG_OLDER] += solved;
    path_count[PATH_CG_ANEW] += !solved && valid;
    path_count[PATH_CG_REFRESH] += stale && !system->older.stale;
    return solved;
}

WRAP(void, afxi_gs_solve, AfxiSystem *system, AfxiDualReport *out) {
    path_count[PATH_SWEEPS]++;
    __real_afxi_gs_solve(system, out);
}

WRAP(bool, afxi_recursion_stage, AfxiSystem *system) {
    bool fine = __real_afxi_recursion_stage(system);
    path_count[PATH_TREE_REFUSED] += !fine;
    return fine;
}

/* ---- chains ---- */

static AfxiChainLot *chain_lot;
static AfxiChainCondense *real_condense;
static bool condensed_now, condensed_ahead;

static void watch_condense(const AfxiChainStage *stage, const AfxiChainGroup *group, const AfxiChainGroup *next) {
    condensed_now |= stage == &chain_lot->stage;
    condensed_ahead |= stage == &chain_lot->after;
    real_condense(stage, group, next);
}

static bool is_cut(const AfxiRun *run) {
    const AfxiChains *chains = &run->chains->world->model->chains;
    for (uint32_t c = 0; c < run->count; c++) {
        if (run->open[c] && chains->chain[c].piece_count > 1) {
            return true;
        }
    }
    return false;
}

static void run_chains(AfxiRun *run) {
    bool cut = is_cut(run);
    chain_lot = run->chains;
    real_condense = chain_lot->variant.condense;
    chain_lot->variant.condense = watch_condense;
    condensed_now = condensed_ahead = false;
    bool touched = chain_lot->woodbury != NULL;
    void __real_afxi_newton(AfxiRun *);
    __real_afxi_newton(run);
    chain_lot->variant.condense = real_condense;
    path_count[PATH_CONDENSED] += condensed_now;
    path_count[PATH_READY] += cut && !condensed_now;
    path_count[PATH_TURNED] += chain_lot->ready && !condensed_ahead;
    path_count[PATH_TOUCHED_CHAIN] += touched;
}

/* ---- runs and stages ---- */

WRAP(void, afxi_newton, AfxiRun *run) {
    bool warm = run->warm, pairs = run->lot && run->lot->pairs, pooled = run->lot && run->count > 1;
    if (run->chains) {
        run_chains(run);
    } else {
        __real_afxi_newton(run);
    }
    path_count[PATH_WARM] += warm && run->lot;
    path_count[PATH_PAIR_ISLAND] += pairs;
    path_count[PATH_POOLED] += pooled;
    for (uint32_t k = 0; k < run->count; k++) {
        path_count[PATH_GIVEN_UP] += run->island[k].active.given_up;
    }
}

WRAP(AfxStatus, afxi_partition, AfxiSolver *solver) {
    uint32_t before = solver->island_count;
    AfxStatus status = __real_afxi_partition(solver);
    path_count[PATH_BETWEEN] += status == AFX_OK && before > solver->island_count;
    return status;
}

WRAP(void, afxi_chains_undo, AfxiChainLot *lot, const uint8_t *which) {
    path_count[PATH_CHAIN_UNDONE] += lot->moved;
    __real_afxi_chains_undo(lot, which);
}

WRAP(AfxStatus, afxi_stage_solve, AfxiSolver *solver, const AfxiStageDef *def, AfxiStageOutcome *out) {
    bool some = solver->any_absent && !def->whole;
    AfxStatus status = __real_afxi_stage_solve(solver, def, out);
    path_count[PATH_GROWN] += out->grown;
    uint32_t absent = 0;
    for (uint32_t k = 0; some && k < solver->world->model->dynamic_count; k++) {
        absent += solver->absent[solver->world->model->dynamic[k]];
    }
    path_count[PATH_PARTS_SOME] += absent > 0;
    return status;
}

WRAP(bool, afxi_repair, AfxiSolver *solver) {
    bool any = __real_afxi_repair(solver);
    path_count[PATH_CLOSED] += any;
    return any;
}
