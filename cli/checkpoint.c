/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of a run. Beside the sim's state they hold the command line, where every output stands, and the sums that
 * the report is made of, so that a resumed run reports as if it had never stopped. */
#include "cli/checkpoint.h"
#include "out/kept.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INTERVAL 60.0 /* s between snapshots by the clock */
#define ACCOUNT_VERSION 2u

/* The sums of a run, as they are stored. */
typedef struct Account {
    uint32_t version, flags;
    uint64_t steps;
    double wall_seconds, stage_seconds[AFX_STAGE_COUNT], solves_sum, residual_max, rotation_error_max, depth_max;
    uint64_t solves_max, contacts_max;
    AfxEnergy energy_first;
    AfxMomentum momentum_first;
} Account;

static Account account_of(const CliRun *run) {
    Account account = {
        .version = ACCOUNT_VERSION,
        .flags = run->flags,
        .steps = run->steps,
        .wall_seconds = run->wall_seconds,
        .solves_sum = run->solves_sum,
        .residual_max = run->residual_max,
        .rotation_error_max = run->rotation_error_max,
        .depth_max = run->depth_max,
        .solves_max = run->solves_max,
        .contacts_max = run->contacts_max,
        .energy_first = run->energy_first,
        .momentum_first = run->momentum_first,
    };
    memcpy(account.stage_seconds, run->stage_seconds, sizeof(account.stage_seconds));
    return account;
}

static void restore_account(CliRun *run, const Account *account) {
    run->flags = account->flags;
    run->steps = run->resumed_step = account->steps;
    run->wall_seconds = account->wall_seconds;
    run->solves_sum = account->solves_sum;
    run->residual_max = account->residual_max;
    run->rotation_error_max = account->rotation_error_max;
    run->depth_max = account->depth_max;
    run->solves_max = (uint32_t)account->solves_max;
    run->contacts_max = (uint32_t)account->contacts_max;
    run->energy_first = account->energy_first;
    run->momentum_first = account->momentum_first;
    memcpy(run->stage_seconds, account->stage_seconds, sizeof(run->stage_seconds));
}

/* A snapshot that cannot be written is better known now than after hours. It is locked for as long as the run takes. */
static int try_path(const char *path, CliRun *run) {
    AfxError error = {0};
    AfxAllocator allocator = cli_memory_allocator(&run->memory);
    if (afxi_lock_take(&allocator, path, &run->checkpoint.lock, &error) != AFX_OK) {
        return cli_error_from(&error);
    }
    size_t size = strlen(path) + 5;
    struct stat info;
    char *name = malloc(size);
    int number = name ? 0 : ENOMEM;
    if (name) {
        snprintf(name, size, "%s.new", path);
        FILE *file = fopen(name, "wb");
        number = file ? 0 : errno;
        if (file) {
            fclose(file);
            unlink(name);
        }
    }
    free(name);
    if (number == 0 && stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        cli_error(path, "give the name of a file", "is not a regular file");
        return CLI_EXIT_SYSTEM;
    }
    if (number) {
        cli_error(path, "choose a place that you may write to", "cannot be made: %s", strerror(number));
    }
    return number ? CLI_EXIT_SYSTEM : CLI_EXIT_FINE;
}

int cli_checkpoint_restore(const CliSettings *settings, CliRun *run) {
    const AfxSnapshot *snapshot = settings->resume.snapshot;
    const void *data = NULL;
    size_t size = 0;
    Account account;
    run->checkpoint.next = cli_clock() + INTERVAL;
    int code = settings->output.snapshot ? try_path(settings->output.snapshot, run) : CLI_EXIT_FINE;
    if (!snapshot || code != CLI_EXIT_FINE) {
        return code;
    }
    AfxError error = {0};
    AfxStatus status = afx_snapshot_restore(snapshot, run->sim, &error);
    if (status != AFX_OK) {
        error.status = status;
        return cli_error_from(&error);
    }
    if (afx_snapshot_part(snapshot, "account", &data, &size) != AFX_OK || size != sizeof(account)) {
        cli_error("snapshot", "use the program that wrote it", "is of another version of this program");
        return CLI_EXIT_INPUT;
    }
    memcpy(&account, data, sizeof(account));
    if (account.version != ACCOUNT_VERSION || account.steps > settings->steps) {
        cli_error("snapshot", "give a longer --time",
                  "was taken at step %" PRIu64 ", after the end of the run at %" PRIu64, account.steps,
                  settings->steps);
        return CLI_EXIT_USAGE;
    }
    restore_account(run, &account);
    run->checkpoint.keep = !settings->resume.previous;
    run->checkpoint.saved = true;
    if (!settings->quiet) {
        cli_note("going on from step %" PRIu64 ", time %.10g s", run->steps, afx_sim_time(run->sim));
    }
    return CLI_EXIT_FINE;
}

bool cli_checkpoint_restore_trace(const CliSettings *settings, CliTrace *trace) {
    const void *data = NULL;
    size_t size = 0;
    CliTrace stored;
    if (!settings->resume.snapshot || afx_snapshot_part(settings->resume.snapshot, "trace", &data, &size) != AFX_OK ||
        size != sizeof(stored)) {
        return false;
    }
    memcpy(&stored, data, sizeof(stored));
    if (stored.steps != settings->steps || stored.row_count > CLI_TRACE_ROWS) {
        return false;
    }
    *trace = stored;
    return true;
}

/* The first snapshot of a run that starts anew has no other to keep: what may lie there is of another run. */
static void forget_older(const char *path) {
    size_t size = strlen(path) + 3;
    char *older = malloc(size);
    if (older) {
        snprintf(older, size, "%s.1", path);
        unlink(older);
        free(older);
    }
}

static bool save(const CliSettings *settings, CliRun *run, const CliTrace *trace) {
    Account account = account_of(run);
    AfxSnapshotPart parts[AFX_SNAPSHOT_PARTS] = {
        {"command", settings->command, settings->command_size},
        {"account", &account, sizeof(account)},
    };
    uint32_t count = 2;
    if (trace) {
        parts[count++] = (AfxSnapshotPart){"trace", trace, sizeof(*trace)};
    }
    if (run->checkpoint.scene.size) {
        parts[count++] = (AfxSnapshotPart){AFXI_KEPT_PART, run->checkpoint.scene.data, run->checkpoint.scene.size};
    }
    if (!cli_outputs_mark(&run->outputs, parts, &count)) {
        return false;
    }
    AfxSnapshotDef def = afx_default_snapshot();
    def.allocator = cli_memory_allocator(&run->memory);
    def.path = settings->output.snapshot;
    def.keep = run->checkpoint.keep;
    def.step = run->steps;
    def.parts = parts;
    def.part_count = count;
    AfxError error = {0};
    AfxStatus status = afx_snapshot_write(&def, run->sim, &error);
    if (status != AFX_OK) {
        error.status = status;
        if (!run->checkpoint.failed) { /* said once; it is tried again */
            cli_error_from(&error);
        }
        return false;
    }
    if (!run->checkpoint.saved) {
        forget_older(def.path);
    }
    run->checkpoint.keep = run->checkpoint.saved = true;
    return true;
}

void cli_checkpoint_update(const CliSettings *settings, CliRun *run, const CliTrace *trace, double now, bool wanted) {
    uint64_t every = settings->output.snapshot_every;
    bool due = every ? run->steps % every == 0 : now >= run->checkpoint.next;
    if (!settings->output.snapshot || !(due || wanted)) {
        return;
    }
    double begin = cli_clock();
    run->checkpoint.failed = !save(settings, run, trace);
    run->checkpoint.next = cli_clock() + fmax(INTERVAL, 20 * (cli_clock() - begin)); /* at most 5 % of the time */
}
