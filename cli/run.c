/* SPDX-License-Identifier: Apache-2.0 */
/* affix run: simulates a case or a file and reports. */
#include "cli/command.h"
#include "cli/diagnose.h"
#include "cli/report.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

static void say_failure(CliRun *run) {
    CliDiagnosis diagnosis;
    double time = afx_sim_time(run->sim);
    fflush(stdout);
    cli_diagnose(run, &diagnosis);
    cli_error(diagnosis.element, diagnosis.cure, "%s; the state before it, at time %.10g s, was kept", diagnosis.text,
              time);
}

static int simulate_and_report(const CliSettings *settings, CliRun *run) {
    bool silent = settings->silent && !settings->json;
    CliTrace *trace = settings->json || silent || settings->brief ? NULL : malloc(sizeof(*trace));
    int code = cli_run_simulate(settings, run, trace);
    if (code == CLI_EXIT_FINE) {
        if (settings->json) {
            cli_report_json(settings, run);
        } else if (!silent) {
            cli_report_text(settings, run, trace);
        }
        if (run->interrupted && !silent) {
            cli_note("interrupted after step %" PRIu64 "%s%s", run->steps,
                     settings->output.snapshot ? "; to go on: affix run --resume " : "",
                     settings->output.snapshot ? settings->output.snapshot : "");
        }
        if (settings->overshoots && !settings->quiet && run->status == AFX_OK && !run->interrupted) {
            cli_note("dt does not divide the time: the run reached %.10g s", afx_sim_time(run->sim));
        }
        code = cli_exit_code(run->status);
        if (run->status != AFX_OK) {
            say_failure(run);
        } else if (!run->finite) {
            cli_error("state", "please report it, with the scene", "is not finite, though every step said it was");
            code = CLI_EXIT_NUMERIC;
        }
        if (code == CLI_EXIT_FINE && (run->outputs.failed || run->checkpoint.failed || run->trace_file.failed)) {
            code = CLI_EXIT_SYSTEM; /* it was said when it happened */
        }
    }
    free(trace);
    return code;
}

static int start(CliArguments *given) {
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow any more is an error like a full disk, not the end */
    CliSettings settings;
    int code = CLI_EXIT_FINE;
    if (cli_settings_read(given, &settings, &code)) {
        CliRun run;
        code = cli_run_create(&settings, &run);
        if (!settings.json && !settings.quiet) {
            cli_source_print_notices(&settings.source, NULL);
        }
        if (code == CLI_EXIT_FINE) {
            code = simulate_and_report(&settings, &run);
        }
        cli_run_destroy(&run);
    }
    cli_settings_destroy(&settings);
    return code;
}

const CliCommand cli_command_run = {
    .name = "run",
    .help = "simulate a built-in case or a file",
    .usage = "<case|file> [name=value ...] [options]",
    .about = "Simulates a built-in case (affix cases lists them) or a file (-: stdin), and reports.\n"
             "name=value sets a parameter of the case.",
    .options = cli_settings_options,
    .option_count = CLI_SETTINGS_OPTION_COUNT,
    .scene = true,
    .numeric = true,
    .run = start,
};
