/* SPDX-License-Identifier: Apache-2.0 */
/* The readable report: what ran, a table over time, a plot for a single body, and what it took. Which columns the
 * table has depends on what there is: joints, contacts, or bodies in free flight. */
#include "cli/plot.h"
#include "cli/report.h"

#include <inttypes.h>

const char *const cli_stage_names[AFX_STAGE_COUNT] = {
    [AFX_STAGE_INPUT] = "input",   [AFX_STAGE_START] = "start", [AFX_STAGE_CONTACT] = "contact",
    [AFX_STAGE_JOINTS] = "joints", [AFX_STAGE_FREE] = "free",   [AFX_STAGE_CHECK] = "check",
};

const char *cli_flag_name(uint32_t bit) {
    static const char *const names[] = {
        "restarted",     "capped", "inertia_floor",   "rotation_rescued", "failed", "regularised",
        "halved",        "impact", "broken",          "assembled",        "loose",  "unconverged",
        "contact_rough", "light",  "contact_dropped", "singular_angles",  "energy", "turns_far"};
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
    const AfxRunDef *asked = &settings->source.run;
    printf("%s%s%s\n ", settings->source.label, asked->about[0] ? ": " : "", asked->about);
    for (uint32_t k = 0; from && k < from->parameter_count; ++k) {
        const AfxiCaseParameter *parameter = &from->parameters[k];
        if (parameter->kind == AFXI_CASE_CHOICE) {
            printf(" %s=%s", parameter->name, parameter->choices[(uint32_t)arguments->values[k]]);
        } else {
            printf(" %s=%.10g", parameter->name, arguments->values[k]);
        }
    }
    for (uint32_t k = 0; k < asked->parameter_count; ++k) {
        printf(" %s=%.10g", asked->parameters[k].name, asked->parameters[k].value);
    }
    printf("%s\n  %u bod%s", settings->rigid ? " --rigid" : "", bodies, cli_plural(bodies, "y", "ies"));
    if (joints) {
        uint32_t rows = afx_model_row_count(run->model);
        printf(", %u joint%s with %u constraint%s", joints, cli_plural(joints, "", "s"), rows,
               cli_plural(rows, "", "s"));
        if (run->mobile) {
            printf(" (%" PRIu32 " redundant), %" PRId64 " degree%s of freedom", run->redundant, run->freedom,
                   run->freedom == 1 ? "" : "s");
        }
    }
    printf("\n  ");
    AfxFormulation formulation = settings->sim.formulation;
    char reason[400] = "";
    afx_sim_formulation(run->sim, &formulation, reason, sizeof reason);
    if (settings->sim.formulation == AFX_CHOOSE) {
        printf("formulation %s\n  ", reason);
    } else if (formulation != AFX_AFFIX) {
        printf("formulation %s, ", cli_formulation_name(formulation));
    } else if (joints) {
        char solvers[80];
        cli_solvers(run->model, solvers, sizeof(solvers));
        printf("solver %s, ", solvers);
    }
    printf("%s, dt %g s, %" PRIu64 " step%s to %.10g s, %u thread%s, %u lane%s (%s)\n",
           cli_settings_integrator(settings), afx_sim_dt(run->sim), run->steps, cli_plural(run->steps, "", "s"),
           afx_sim_time(run->sim), threads, cli_plural(threads, "", "s"), lanes, cli_plural(lanes, "", "s"),
           afx_sim_instruction_set(run->sim));
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

/* Time, energy and its change since the first row. */
static void print_energy(const CliTraceRow *row, const CliTraceRow *first) {
    printf("  %10.6g  %+12.6e  %+9.2e", row->time, row->energy, row->energy - first->energy);
}

/* What is held by joints or touches: violation, contacts, iterations, and the place of a marker or body. */
static void print_held_table(const CliRun *run, const CliTrace *trace) {
    char place[160];
    bool contacts = run->contacts_max > 0;
    if (run->names.marker_count) {
        snprintf(place, sizeof(place), "marker %s", run->names.markers[0].text);
    } else {
        cli_names_body(&run->names, trace->body, place, sizeof(place));
    }
    printf("\n                               energy%s%s solver\n", trace->jointed ? "  constraint" : "",
           contacts ? "           penetra-" : "");
    printf("     time, s     energy, J  change, J%s%s  iter.   %s, m\n", trace->jointed ? "   violation" : "",
           contacts ? "  contacts  tion, m" : "", place);
    for (uint32_t k = 0; k < trace->row_count; ++k) {
        const CliTraceRow *row = &trace->rows[k];
        print_energy(row, &trace->rows[0]);
        if (trace->jointed) {
            printf("  %10.1e", row->residual);
        }
        if (contacts) {
            printf("  %8u  %7.1e", row->contacts, row->depth);
        }
        printf("  %5u   %+11.6f %+11.6f %+11.6f\n", row->iterations, row->place.x, row->place.y, row->place.z);
    }
}

static void print_free_table(const CliRun *run, const CliTrace *trace) {
    const CliTraceRow *first = &trace->rows[0];
    char body[160];
    cli_names_body(&run->names, trace->body, body, sizeof(body));
    printf("\n                               energy  ang. momentum,   angular velocity of %s,\n"
           "     time, s     energy, J  change, J    rel. change    in its own axes, rad/s\n",
           body);
    for (uint32_t k = 0; k < trace->row_count; ++k) {
        const CliTraceRow *row = &trace->rows[k];
        double angular = related(length(difference(row->angular, first->angular)), length(first->angular));
        print_energy(row, first);
        printf("        %8.1e  %+10.5f %+10.5f %+10.5f\n", angular, row->omega[0], row->omega[1], row->omega[2]);
    }
}

static void print_table(const CliRun *run, const CliTrace *trace) {
    if (trace->jointed || run->contacts_max > 0) {
        print_held_table(run, trace);
    } else {
        print_free_table(run, trace);
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
    printf("\n  %" PRIu64 " step%s in %.3g s", run->steps, cli_plural(run->steps, "", "s"), run->wall_seconds);
    if (run->steps) {
        double steps = (double)run->steps;
        printf(": %.4g ms per step (median)\n  solver iterations per step: mean %.3g, max %u\n  time per step, ms:",
               1e3 * run->step_seconds, run->solves_sum / steps, run->solves_max);
        for (int k = 0; k < AFX_STAGE_COUNT; ++k) {
            printf("%s %s %.3g", k ? "," : "", cli_stage_names[k], 1e3 * run->stage_seconds[k] / steps);
        }
    }
    double peak = (double)run->memory.peak;
    printf("\n  peak memory %.4g %s\n", peak < 1e6 ? 1e-3 * peak : 1e-6 * peak, peak < 1e6 ? "kB" : "MB");
}

static void print_state(const CliRun *run, const CliTrace *trace) {
    AfxVec3 p = run->momentum_last.linear, angular = run->momentum_last.angular;
    double change = run->energy_last.total - run->energy_first.total;
    if (afx_model_joint_count(run->model)) {
        printf("  max constraint violation %.2g m or rad (%.1e of the scene's size)\n", run->residual_max,
               run->residual_max / afx_model_size(run->model));
    }
    if (run->contacts_max) {
        printf("  max contacts %u, max penetration %.3g m\n", run->contacts_max, run->depth_max);
    }
    if (run->asleep) {
        printf("  %u bodies sleep\n", (unsigned)run->asleep);
    }
    printf("  energy %.10g J at the start, %.10g J at the end: change %+.3g J (%+.2e relative)\n",
           run->energy_first.total, run->energy_last.total, change, related(change, energy_scale(run, trace)));
    printf("  linear momentum (%.8g, %.8g, %.8g) kg m/s, angular momentum (%.8g, %.8g, %.8g) kg m2/s\n", p.x, p.y, p.z,
           angular.x, angular.y, angular.z);
    for (uint32_t k = 0; k < run->names.marker_count; ++k) {
        AfxVec3 at = {NAN, NAN, NAN};
        afx_sim_marker(run->sim, run->names.markers[k].index, &at, NULL);
        printf("  marker %s at (%.10g, %.10g, %.10g) m\n", run->names.markers[k].text, at.x, at.y, at.z);
    }
}

static void print_start(const CliRun *run) {
    cli_misfits_print(&run->misfits, &run->names);
    if (run->flags & AFX_STEP_ASSEMBLED && run->misfits.gap_count == 0) {
        puts("  note: velocities, drives or couplings violated constraints at the start: it was assembled");
    }
    if (run->depth_max > 0.02 * afx_model_size(run->model)) {
        printf("  note: excessive penetration, up to %.2e m (move bodies apart at the start, or exclude the pair from "
               "contact)\n",
               run->depth_max);
    }
}

static void print_flags(uint32_t flags) {
    static const struct {
        uint32_t flag;
        const char *text;
    } notes[] = {
        {AFX_STEP_CAPPED,
         "some steps reached the cap of solver iterations before the tolerance (--verify reports how far "
         "the equations are off; --trace FILE and affix explain FILE report why)"},
        {AFX_STEP_INERTIA_FLOOR, "a body has no moment of inertia about some axis; it was given a floor"},
        {AFX_STEP_ROTATION_RESCUED,
         "a body was badly strained or inverted for a while: it is too soft for its load, or "
         "turns too far in a step (use a larger young, or a smaller --dt)"},
        {AFX_STEP_REGULARISED,
         "redundant constraints share their load by a small compliance, or by weights (--drive-weight)"},
        {AFX_STEP_LOOSE, "redundant constraints at a singular position hold only to the violation above"},
        {AFX_STEP_SINGULAR_ANGLES, "drives act on angles of a ball joint that lose their meaning near a middle angle "
                                   "of 90 degrees, or a swing of "
                                   "180; swing and twist have no such place below 180 degrees"},
        {AFX_STEP_TURNS_FAST, "some bodies turn too far in a step for generalised-alpha: their mechanisms went by BDF2 "
                              "meanwhile (use a smaller --dt)"},
        {AFX_STEP_HALVED, "some steps were sub-stepped"},
        {AFX_STEP_UNCONVERGED,
         "Gauss-Seidel sweeps reached their cap: constraints hold only to the violation above (use "
         "another --solver)"},
        {AFX_STEP_CONTACT_ROUGH, "in some steps contact forces did not converge"},
        {AFX_STEP_ENERGY,
         "WARNING: the integrator has made energy from nothing, more than 5 % of all that moves or was "
         "worked: the motion is not to be trusted (use a smaller --dt, --accuracy converged, or "
         "--integrator bdf1)"},
        {AFX_STEP_CONTACT_DROPPED,
         "a body touched fixed or kinematic bodies at more points than can carry load (64 constraint "
         "equations a body); give it fewer shapes there, or join them by fixed joints to several bodies"},
    };
    for (size_t k = 0; k < sizeof(notes) / sizeof(notes[0]); ++k) {
        if (flags & notes[k].flag) {
            printf("  note: %s\n", notes[k].text);
        }
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
    if (run->energy_book.on) {
        cli_energy_print(&run->energy_book);
    }
    print_flags(run->flags);
}
