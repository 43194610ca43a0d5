/* SPDX-License-Identifier: Apache-2.0 */
/* affix run: simulates a case or a file and reports. */
#include "cli/report.h"

#include <inttypes.h>
#include <stdlib.h>

static void say_failure(const CliRun *run) {
    char body[160];
    cli_names_body(&run->names, run->failure.body, body, sizeof(body));
    cli_error(run->failure.body == UINT32_MAX ? "step" : body, "use a smaller --dt, or milder values",
              "step %" PRIu64 ", from time %.10g s on, did not give a finite state; the state before it was kept",
              run->failure.step, afx_sim_time(run->sim));
}

static int simulate_and_report(const CliSettings *settings, CliRun *run) {
    CliTrace *trace = settings->json || settings->quiet ? NULL : malloc(sizeof(*trace));
    int code = cli_run_simulate(settings, run, trace);
    if (code == CLI_EXIT_FINE) {
        if (settings->json) {
            cli_report_json(settings, run);
        } else {
            cli_report_text(settings, run, trace);
        }
        if (settings->overshoots && !settings->quiet && run->status == AFX_OK) {
            fprintf(stderr, "affix: note: dt does not divide the time: the run reached %.10g s\n",
                    afx_sim_time(run->sim));
        }
        if (run->status == AFX_E_NUMERIC) {
            fflush(stdout);
            say_failure(run);
        } else if (run->status != AFX_OK) {
            cli_error("step", NULL, "%s", afx_status_text(run->status));
        }
        code = cli_exit_code(run->status);
        if (code == CLI_EXIT_FINE && !run->finite) {
            cli_error("state", "use a smaller --dt", "is not finite");
            code = CLI_EXIT_NUMERIC;
        }
    }
    free(trace);
    return code;
}

int cli_run(int argc, char **argv) {
    CliArguments given;
    CliSettings settings;
    int code = CLI_EXIT_FINE;
    if (!cli_settings_read(argc, argv, &given, &settings, &code)) {
        return code;
    }
    CliRun run;
    code = cli_run_create(&settings, &run);
    if (!settings.json && !settings.quiet) {
        cli_source_print_notices(&settings.source, stderr, "affix: note: ");
    }
    if (code == CLI_EXIT_FINE) {
        code = simulate_and_report(&settings, &run);
    }
    cli_run_destroy(&run);
    cli_source_destroy(&settings.source);
    return code;
}
