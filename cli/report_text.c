/* SPDX-License-Identifier: Apache-2.0 */
/* The readable report: what ran, a table over time, a plot for a single body, and what it took. */
#include "cli/plot.h"
#include "cli/report.h"

#include <inttypes.h>

const char *const cli_stage_names[AFX_STAGE_COUNT] = {
    [AFX_STAGE_INPUT] = "input",   [AFX_STAGE_START] = "start", [AFX_STAGE_CONTACT] = "contact",
    [AFX_STAGE_JOINTS] = "joints", [AFX_STAGE_FREE] = "free",   [AFX_STAGE_CHECK] = "check",
};

const char *cli_flag_name(uint32_t bit) {
    static const char *const names[] = {"restarted",     "capped",      "inertia_floor", "rotation_rescued",
                                        "failed",        "regularised", "halved",        "impact",
                                        "broken",        "assembled",   "loose",         "unconverged",
                                        "contact_rough", "light"};
    return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;
}

static double length(AfxVec3 v) {
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static AfxVec3 difference(AfxVec3 a, AfxVec3 b) {
    return (AfxVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static void print_head(const CliSettings *settings, const CliRun *run) {
    const AfxiCaseArguments *arguments = &settings->source.arguments;
    const AfxiCase *from = arguments->from;
    uint32_t bodies = afx_model_body_count(run->model), joints = afx_model_joint_count(run->model);
    uint32_t threads = afx_sim_threads(run->sim), lanes = afx_sim_lanes(run->sim);
    printf(from ? "%s: %s\n " : "%s%s\n ", settings->source.label, from ? from->summary : "");
    for (uint32_t k = 0; from && k < from->parameter_count; ++k) {
        const AfxiCaseParameter *parameter = &from->parameters[k];
        if (parameter->kind == AFXI_CASE_CHOICE) {
            printf(" %s=%s", parameter->name, parameter->choices[(uint32_t)arguments->values[k]]);
        } else {
            printf(" %s=%.10g", parameter->name, arguments->values[k]);
        }
    }
    printf("%s\n  %u bod%s, ", settings->rigid ? " --rigid" : "", bodies, bodies == 1 ? "y" : "ies");
    if (joints) {
        printf("%u joint%s with %u rows, ", joints, joints == 1 ? "" : "s", afx_model_row_count(run->model));
        if (run->mobile) {
            printf("%" PRId64 " degrees of freedom, %" PRIu32 " redundant rows, ", run->freedom, run->redundant);
        }
        if (settings->sim.formulation == AFX_AFFIX) {
            char solvers[80];
            cli_solvers(run->model, solvers, sizeof(solvers));
            printf("solver %s, ", solvers);
        }
    }
    if (settings->sim.formulation != AFX_AFFIX) {
        printf("formulation %s, ", cli_settings_formulation(settings));
    }
    printf("%s, dt %g s, %" PRIu64 " steps to %.10g s, %u thread%s, %u lane%s (%s)\n",
           cli_settings_integrator(settings), afx_sim_dt(run->sim), run->steps, afx_sim_time(run->sim), threads,
           threads == 1 ? "" : "s", lanes, lanes == 1 ? "" : "s", afx_sim_instruction_set(run->sim));
}

/* Relative where there is something to relate to. */
static double related(double change, double scale) {
    return scale > 0 ? change / scale : change;
}

/* What energy changes are related to: the total may be near zero by chance. trace may be NULL. */
static double energy_scale(const CliRun *run, const CliTrace *trace) {
    double scale = fmax(fabs(run->energy_first.total), run->energy_first.kinetic);
    if (afx_model_joint_count(run->model)) { /* released at rest, most of them */
        scale =
            fmax(scale, fmax(run->energy_last.kinetic, fabs(run->energy_last.potential - run->energy_first.potential)));
        for (uint32_t k = 0; trace && k < trace->row_count; ++k) {
            scale = fmax(scale, trace->rows[k].kinetic);
        }
    }
    return scale;
}

static void print_joint_table(const CliRun *run, const CliTrace *trace) {
    const CliTraceRow *first = &trace->rows[0];
    const char *marker = run->names.marker_count ? run->names.markers[0].text : "";
    printf("\n                energy    largest\n     time, s    change   residual   %s%s%s\n",
           marker[0] ? "marker " : "", marker, marker[0] ? ", m" : "");
    for (uint32_t k = 0; k < trace->row_count; ++k) {
        const CliTraceRow *row = &trace->rows[k];
        printf("  %10.6g  %+8.1e   %8.1e", row->time, related(row->energy - first->energy, energy_scale(run, trace)),
               row->residual);
        if (run->names.marker_count) {
            printf("   %+11.6f %+11.6f %+11.6f", row->marker.x, row->marker.y, row->marker.z);
        }
        putchar('\n');
    }
}

static void print_table(const CliRun *run, const CliTrace *trace) {
    const CliTraceRow *first = &trace->rows[0];
    if (trace->jointed) {
        print_joint_table(run, trace);
        return;
    }
    printf("\n                energy  ang. momentum   angular velocity of the %s,\n"
           "     time, s    change         change   its own axes, rad/s\n",
           trace->single ? "body" : "first body");
    for (uint32_t k = 0; k < trace->row_count; ++k) {
        const CliTraceRow *row = &trace->rows[k];
        double energy = related(row->energy - first->energy, energy_scale(run, trace));
        double angular = related(length(difference(row->angular, first->angular)), length(first->angular));
        printf("  %10.6g  %+8.1e       %8.1e  %+10.5f %+10.5f %+10.5f\n", row->time, energy, angular, row->omega[0],
               row->omega[1], row->omega[2]);
    }
}

static void print_plot(const CliTrace *trace) {
    int k = cli_trace_component(trace);
    if (k < 0) {
        return;
    }
    const CliTraceFlips *flips = &trace->flips[k];
    printf("\n  angular velocity about the body's own %c, rad/s\n", "xyz"[k]);
    cli_plot(stdout, trace->low[k], trace->high[k], CLI_TRACE_COLUMNS, trace->time);
    if (trace->jointed) { /* it swings rather than flips */
        return;
    }
    if (flips->count > 1) {
        printf("  %u flips, the first at %.6f s, then every %.6f s on average\n", flips->count, flips->first,
               (flips->last - flips->first) / (flips->count - 1));
    } else if (flips->count == 1) {
        printf("  1 flip, at %.6f s\n", flips->first);
    }
}

static void print_cost(const CliRun *run) {
    printf("\n  %" PRIu64 " steps in %.3g s", run->steps, run->wall_seconds);
    if (run->steps) {
        double steps = (double)run->steps;
        printf(": %.4g ms a step (median), %.3g solves a step (most %u)\n  stages, ms a step:", 1e3 * run->step_seconds,
               run->solves_sum / steps, run->solves_max);
        for (int k = 0; k < AFX_STAGE_COUNT; ++k) {
            printf("%s %s %.3g", k ? "," : "", cli_stage_names[k], 1e3 * run->stage_seconds[k] / steps);
        }
    }
    double peak = (double)run->memory.peak;
    printf("\n  memory at most %.4g %s\n", peak < 1e6 ? 1e-3 * peak : 1e-6 * peak, peak < 1e6 ? "kB" : "MB");
}

static void print_state(const CliRun *run, const CliTrace *trace) {
    AfxVec3 p = run->momentum_last.linear, angular = run->momentum_last.angular;
    double energy = related(run->energy_last.total - run->energy_first.total, energy_scale(run, trace));
    if (afx_model_joint_count(run->model)) {
        printf("  joints met within %.2e m or rad at every step (%.1e of the scene's size)\n", run->residual_max,
               run->residual_max / afx_model_size(run->model));
    }
    if (run->contacts_max) {
        printf("  at most %u point%s touch at once, at most %.2e m deep\n", run->contacts_max,
               run->contacts_max == 1 ? "" : "s", run->depth_max);
    }
    printf("  energy %.10g J at first, %.10g J at last (change %+.2e)\n", run->energy_first.total,
           run->energy_last.total, energy);
    printf("  momentum (%.8g, %.8g, %.8g) kg m/s, angular (%.8g, %.8g, %.8g) kg m2/s\n", p.x, p.y, p.z, angular.x,
           angular.y, angular.z);
    for (uint32_t k = 0; k < run->names.marker_count; ++k) {
        AfxVec3 at = {NAN, NAN, NAN};
        afx_sim_marker(run->sim, run->names.markers[k].index, &at, NULL);
        printf("  marker %s at (%.10g, %.10g, %.10g) m\n", run->names.markers[k].text, at.x, at.y, at.z);
    }
}

static void print_start(const CliRun *run) {
    if (run->flags & AFX_STEP_ASSEMBLED) {
        puts("  note: the start did not fit the joints: bodies were moved, and elastic ones stretched, until it did");
    }
    if (run->depth_max > 0.02 * afx_model_size(run->model)) {
        printf("  note: bodies were up to %.2e m inside each other, which throws them apart (move them apart at the "
               "start, "
               "or exclude the pair from contact)\n",
               run->depth_max);
    }
}

static void print_flags(uint32_t flags) {
    if (flags & AFX_STEP_CAPPED) {
        puts("  note: some steps reached the largest number of solves (use a smaller --dt)");
    }
    if (flags & AFX_STEP_INERTIA_FLOOR) {
        puts("  note: a body has no rotary inertia about some axis; it was lifted to a floor");
    }
    if (flags & AFX_STEP_ROTATION_RESCUED) {
        puts("  note: a body was badly stretched or inverted for a while (use a smaller --dt or a larger young)");
    }
    if (flags & AFX_STEP_REGULARISED) {
        puts("  note: redundant rows share their load by a small compliance");
    }
    if (flags & AFX_STEP_HALVED) {
        puts("  note: some steps were done in smaller ones");
    }
    if (flags & AFX_STEP_UNCONVERGED) {
        puts("  note: sweeps over the joints reached their cap; rows hold only to the residual (use another --solver)");
    }
    if (flags & AFX_STEP_CONTACT_ROUGH) {
        puts("  note: in some steps contact forces did not settle");
    }
}

void cli_report_text(const CliSettings *settings, const CliRun *run, const CliTrace *trace) {
    print_head(settings, run);
    if (trace) {
        print_table(run, trace);
        print_plot(trace);
    }
    print_cost(run);
    print_state(run, trace);
    print_start(run);
    if (run->verify.on) {
        cli_verify_print(&run->verify, &run->names);
    }
    print_flags(run->flags);
}
