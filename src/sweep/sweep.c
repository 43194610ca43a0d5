/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep from beginning to end. Rank 0 prepares the folder and reads what it holds; every process does runs; then the
 * journals are closed, and the files for people are made of them. */
#include "sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/error.h"
#include "sweep/finish.h"
#include "sweep/loop.h"

typedef struct Sweep {
    const AfxiSweepDef *def;
    const AfxiTransport *transport;
    uint32_t rank, size;
    AfxiStudy *study;
    int lock; /* of the folder, rank 0; -1: none */
    AfxiSweepHand hand;
    bool handed; /* hand is alive */
    AfxiJournal journal;
    bool journalled;
    bool looped; /* it has taken part until rank 0 stopped all */
    bool stopped;
} Sweep;

AfxiSweepDef afxi_default_sweep(void) {
    return (AfxiSweepDef){.jobs = 1, .hdf5 = true, .replays = 3};
}

/* ---- the folder ---- */

static AfxStatus make_folder(const char *path, AfxError *out_error) {
    struct stat info;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))) {
        return AFX_OK;
    }
    return afxi_sweep_system(out_error, path, "cannot be made", errno);
}

static AfxStatus lock_folder(Sweep *sweep, AfxError *out_error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/journal/lock", sweep->def->folder);
    sweep->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (sweep->lock < 0) {
        return afxi_sweep_system(out_error, path, "cannot be made", errno);
    }
    if (flock(sweep->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return afxi_sweep_error(out_error, AFX_E_SYSTEM, sweep->def->folder, "sweep",
                                "wait for it, or take another folder", "another sweep is writing into this folder");
    }
    return AFX_OK; /* a file system without locks has none */
}

/* Rank 0: folder, lock, and what earlier starts have done. */
static AfxStatus prepare(Sweep *sweep, AfxError *out_error) {
    char path[4096];
    AfxiJournals journals = {0};
    snprintf(path, sizeof path, "%s/journal", sweep->def->folder);
    AfxStatus status = make_folder(sweep->def->folder, out_error);
    status = status ? status : make_folder(path, out_error);
    status = status ? status : lock_folder(sweep, out_error);
    status =
        status ? status : afxi_journals_open(sweep->study, sweep->def->folder, AFXI_JOURNAL_ALL, &journals, out_error);
    if (status == AFX_OK && journals.count && !sweep->def->resume) {
        status = afxi_sweep_error(out_error, AFX_E_INPUT, sweep->def->folder, "sweep",
                                  "add --resume to go on with it, or take another folder",
                                  "this folder holds runs of a sweep already");
    }
    status = status ? status : afxi_hand_create(&sweep->hand, sweep->study, &journals, out_error);
    sweep->handed = status == AFX_OK;
    afxi_journals_close(&journals);
    return status;
}

/* ---- runs ---- */

static AfxStatus do_runs(Sweep *sweep, AfxError *out_error) {
    AfxiWorkerPool pool;
    AfxiLoop loop = {.def = sweep->def,
                     .transport = sweep->transport,
                     .rank = sweep->rank,
                     .size = sweep->size,
                     .hand = sweep->rank == 0 ? &sweep->hand : NULL,
                     .pool = &pool,
                     .wants = calloc(sweep->size, sizeof(uint32_t)),
                     .jobs = calloc(sweep->size, sizeof(uint32_t))};
    AfxStatus status = loop.wants && loop.jobs ? AFX_OK : afxi_sweep_memory(out_error);
    status = status ? status
                    : afxi_pool_start(&pool, sweep->study, &sweep->journal, sweep->def->jobs ? sweep->def->jobs : 1,
                                      out_error);
    if (status == AFX_OK) {
        afxi_loop_run(&loop);
        sweep->looped = true;
        sweep->stopped = loop.stopped;
        status = afxi_pool_end(&pool, out_error);
        if (loop.status != AFX_OK) {
            status = loop.status;
            *out_error = loop.error;
        }
    }
    free(loop.wants);
    free(loop.jobs);
    return status;
}

/* ---- files ---- */

static AfxStatus make_ranks(const Sweep *sweep, AfxError *out_error) {
    AfxiJournals journals;
    if (!sweep->def->hdf5) {
        return AFX_OK;
    }
    AfxStatus status = afxi_journals_open(sweep->study, sweep->def->folder, AFXI_JOURNAL_ALL, &journals, out_error);
    status = status
                 ? status
                 : afxi_write_ranks(sweep->study, &journals, sweep->def->folder, sweep->rank, sweep->size, out_error);
    afxi_journals_close(&journals);
    return status;
}

/* Rank 0, when all have left: what is for people. */
static AfxStatus make_files(const Sweep *sweep, AfxiSweepOutcome *outcome, AfxError *out_error) {
    const AfxiSweepDef *def = sweep->def;
    AfxiJournals journals;
    AfxiTableRows rows = {0};
    AfxStatus status = afxi_journals_open(sweep->study, def->folder, AFXI_JOURNAL_ALL, &journals, out_error);
    status = status ? status : afxi_rows_create(sweep->study, &journals, &rows, out_error);
    status = status ? status : afxi_write_table(sweep->study, &journals, &rows, def->folder, out_error);
    if (def->hdf5) {
        double begin = afxi_sweep_clock();
        status = status ? status : afxi_write_index(sweep->study, &journals, def->folder, out_error);
        outcome->index_seconds = afxi_sweep_clock() - begin;
    }
    if (def->merge) {
        status = status ? status : afxi_write_merged(sweep->study, &journals, &rows, def->folder, out_error);
    }
    status = status ? status
                    : afxi_write_report(sweep->study, &journals, &rows, def->folder, sweep->stopped ? 0 : def->replays,
                                        out_error);
    if (status == AFX_OK) {
        outcome->progress.done = rows.count;
        outcome->progress.failed = rows.failed;
        if (rows.best != UINT64_MAX) {
            const AfxiEntry *best = rows.entries[rows.best];
            outcome->best_run = best->run;
            outcome->best_objective = afxi_entry_values(&journals, best)[sweep->study->value_count - 1];
        }
    }
    afxi_rows_destroy(&rows);
    afxi_journals_close(&journals);
    return status;
}

/* ---- agreement ---- */

/* Rank 0 asks all for an answer and takes the first error of any. */
static AfxStatus gather(const Sweep *sweep, AfxiMessageKind answer, AfxStatus own, AfxError *error) {
    AfxStatus status = own;
    for (uint32_t k = 1; k < sweep->size; k++) {
        AfxiSweepMessage *message = afxi_loop_expect(sweep->transport, answer, answer);
        const AfxError *theirs = afxi_sweep_message_text(message);
        if (status == AFX_OK && theirs->status != AFX_OK) {
            status = theirs->status;
            *error = *theirs;
        }
        free(message);
    }
    return status;
}

static void tell_all(const Sweep *sweep, AfxiMessageKind kind) {
    for (uint32_t k = 1; k < sweep->size; k++) {
        afxi_loop_send(sweep->transport, k, afxi_sweep_message_create(kind, 0, 0));
    }
}

static void tell_zero(const Sweep *sweep, AfxiMessageKind kind, AfxStatus status, const AfxError *error) {
    AfxError copy = *error;
    copy.status = status;
    afxi_loop_send(sweep->transport, 0, afxi_sweep_message_error(kind, &copy));
}

/* Closes the journal in any case. */
static AfxStatus leave_runs(Sweep *sweep, AfxStatus status, AfxError *error) {
    if (sweep->journalled) {
        AfxError own = {0};
        AfxStatus closed = afxi_journal_close(&sweep->journal, true, &own);
        if (closed != AFX_OK && (status == AFX_OK || status == AFX_E_SYSTEM)) {
            status = closed; /* the same error, with its cure */
            *error = own;
        }
    }
    return status;
}

static AfxStatus run_zero(Sweep *sweep, AfxStatus status, AfxiSweepOutcome *outcome, AfxError *error) {
    double begin = afxi_sweep_clock();
    status = status ? status : prepare(sweep, error);
    tell_all(sweep, status == AFX_OK ? AFXI_MESSAGE_START : AFXI_MESSAGE_STOP);
    if (status == AFX_OK) {
        status = afxi_journal_open(sweep->study, sweep->def->folder, 0, &sweep->journal, error);
        sweep->journalled = status == AFX_OK;
        status = status ? status : do_runs(sweep, error);
        if (!sweep->looped) {
            tell_all(sweep, AFXI_MESSAGE_STOP);
        }
        status = leave_runs(sweep, status, error);
        status = gather(sweep, AFXI_MESSAGE_LEFT, status, error);
        outcome->progress = sweep->hand.progress;
        outcome->progress.processes = sweep->size;
        outcome->busy_seconds = sweep->hand.busy;
        outcome->run_seconds = afxi_sweep_clock() - begin;
        begin = afxi_sweep_clock();
        tell_all(sweep, status == AFX_OK ? AFXI_MESSAGE_FINISH : AFXI_MESSAGE_BYE);
        if (status == AFX_OK) {
            status = make_ranks(sweep, error);
            status = gather(sweep, AFXI_MESSAGE_MADE, status, error);
            status = status ? status : make_files(sweep, outcome, error);
            tell_all(sweep, AFXI_MESSAGE_BYE);
            outcome->finish_seconds = afxi_sweep_clock() - begin;
        }
    }
    outcome->stopped = sweep->stopped;
    return status;
}

static AfxStatus run_other(Sweep *sweep, AfxStatus status, AfxError *error) {
    AfxiSweepMessage *message = afxi_loop_expect(sweep->transport, AFXI_MESSAGE_START, AFXI_MESSAGE_STOP);
    bool start = message->kind == AFXI_MESSAGE_START;
    free(message);
    if (!start) {
        return status;
    }
    status = status ? status : afxi_journal_open(sweep->study, sweep->def->folder, sweep->rank, &sweep->journal, error);
    sweep->journalled = status == AFX_OK;
    status = status ? status : do_runs(sweep, error);
    if (!sweep->looped) { /* rank 0 stops all, this one too */
        tell_zero(sweep, AFXI_MESSAGE_FAIL, status, error);
        free(afxi_loop_expect(sweep->transport, AFXI_MESSAGE_STOP, AFXI_MESSAGE_STOP));
    }
    status = leave_runs(sweep, status, error);
    tell_zero(sweep, AFXI_MESSAGE_LEFT, status, error);
    message = afxi_loop_expect(sweep->transport, AFXI_MESSAGE_FINISH, AFXI_MESSAGE_BYE);
    if (message->kind == AFXI_MESSAGE_FINISH) {
        status = make_ranks(sweep, error);
        tell_zero(sweep, AFXI_MESSAGE_MADE, status, error);
        free(afxi_loop_expect(sweep->transport, AFXI_MESSAGE_BYE, AFXI_MESSAGE_BYE));
    }
    free(message);
    return status;
}

AfxStatus afxi_sweep_study(const AfxiSweepDef *def, AfxiSweepOutcome *out_outcome, AfxError *out_error) {
    Sweep sweep = {.def = def, .transport = def->transport, .size = 1, .lock = -1};
    AfxError error = {0};
    if (def->transport) {
        sweep.rank = def->transport->rank;
        sweep.size = def->transport->size;
    }
    *out_outcome = (AfxiSweepOutcome){.best_run = UINT64_MAX, .best_objective = NAN};
    AfxStatus status = afxi_study_open(def->path, def->text, def->scene, &sweep.study, &error);
    status = sweep.rank == 0 ? run_zero(&sweep, status, out_outcome, &error) : run_other(&sweep, status, &error);
    if (sweep.handed) {
        afxi_hand_destroy(&sweep.hand);
    }
    if (sweep.lock >= 0) {
        close(sweep.lock);
    }
    afxi_study_close(sweep.study);
    if (status != AFX_OK && out_error) {
        error.status = status;
        *out_error = error;
    }
    return status;
}
