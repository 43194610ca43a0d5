/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON report. Keys are added, never renamed. */
#include "cli/json.h"
#include "cli/report.h"

#include <math.h>

#include <inttypes.h>

static void write_parameters(CliJson *json, const CliSource *source) {
    const AfxiCaseArguments *arguments = &source->arguments;
    cli_json_object(json, "parameters");
    for (uint32_t k = 0; k < source->run.parameter_count; ++k) {
        cli_json_number(json, source->run.parameters[k].name, source->run.parameters[k].value);
    }
    for (uint32_t k = 0; arguments->from && k < arguments->from->parameter_count; ++k) {
        const AfxiCaseParameter *parameter = &arguments->from->parameters[k];
        double value = arguments->values[k];
        if (parameter->kind == AFXI_CASE_CHOICE) {
            cli_json_text(json, parameter->name, parameter->choices[(uint32_t)value]);
        } else if (isinf(value)) {
            cli_json_text(json, parameter->name, value < 0 ? "-inf" : "inf"); /* as it is given */
        } else {
            cli_json_number(json, parameter->name, value);
        }
    }
    cli_json_close(json);
}

static void write_stages(CliJson *json, const CliRun *run) {
    double scale = run->steps ? 1e3 / (double)run->steps : 0;
    cli_json_object(json, "stages_ms");
    for (int k = 0; k < AFX_STAGE_COUNT; ++k) {
        cli_json_number(json, cli_stage_names[k], scale * run->stage_seconds[k]);
    }
    cli_json_close(json);
}

static void write_vector(CliJson *json, const char *key, AfxVec3 value) {
    cli_json_numbers(json, key, (const double[]){value.x, value.y, value.z}, 3);
}

static void write_markers(CliJson *json, const CliRun *run) {
    cli_json_object(json, "markers");
    for (uint32_t k = 0; k < run->names.marker_count; ++k) {
        AfxVec3 position = {NAN, NAN, NAN};
        afx_sim_marker(run->sim, run->names.markers[k].index, &position, NULL);
        write_vector(json, run->names.markers[k].text, position);
    }
    cli_json_close(json);
}

static void write_flags(CliJson *json, uint32_t flags) {
    cli_json_array(json, "flags");
    for (uint32_t bit = 0; cli_flag_name(bit); ++bit) {
        if (flags >> bit & 1) {
            cli_json_text(json, NULL, cli_flag_name(bit));
        }
    }
    cli_json_close(json);
}

static void write_start(CliJson *json, const CliRun *run) {
    static const char *const names[CLI_START_COUNT] = {"scene", "compile", "create"};
    double sum = 0;
    for (int k = 0; k < CLI_START_COUNT; ++k) {
        sum += run->start_seconds[k];
    }
    cli_json_number(json, "start_s", sum);
    cli_json_object(json, "start_parts_s");
    for (int k = 0; k < CLI_START_COUNT; ++k) {
        cli_json_number(json, names[k], run->start_seconds[k]);
    }
    cli_json_close(json);
}

static void write_solution(CliJson *json, const CliRun *run) {
    double size = afx_model_size(run->model);
    write_start(json, run);
    cli_json_number(json, "wall_s", run->wall_seconds);
    cli_json_number(json, "ms_per_step", 1e3 * run->step_seconds);
    write_stages(json, run);
    cli_json_number(json, "solves_mean", run->steps ? run->solves_sum / (double)run->steps : 0);
    cli_json_integer(json, "solves_max", run->solves_max);
    cli_json_number(json, "residual_max", run->residual_max);
    cli_json_number(json, "residual_rel", run->residual_max == 0 ? 0 : run->residual_max / size);
    cli_json_integer(json, "compliant_rows", afx_model_compliant_row_count(run->model));
    cli_json_number(json, "dof", run->mobile ? (double)run->freedom : NAN); /* null where nothing settles it */
    cli_json_number(json, "redundant_rows", run->mobile ? (double)run->redundant : NAN);
    cli_json_number(json, "rotation_error_max", run->rotation_error_max);
    cli_json_integer(json, "contacts_max", run->contacts_max);
    cli_json_integer(json, "asleep", run->asleep);
    cli_json_number(json, "depth_max", run->depth_max);
}

void cli_report_json(const CliSettings *settings, const CliRun *run) {
    char hash[24], solvers[80];
    snprintf(hash, sizeof(hash), "%016" PRIx64, cli_run_hash(run));
    CliJson json = cli_json_begin(stdout, 1);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "case", settings->source.label);
    cli_json_boolean(&json, "file", settings->source.file);
    write_parameters(&json, &settings->source);
    cli_json_integer(&json, "bodies", afx_model_body_count(run->model));
    cli_json_integer(&json, "joints", afx_model_joint_count(run->model));
    cli_json_integer(&json, "rows", afx_model_row_count(run->model));
    cli_solvers(run->model, solvers, sizeof(solvers));
    cli_json_text(&json, "solver", solvers);
    AfxFormulation formulation = settings->sim.formulation;
    char reason[400] = "";
    afx_sim_formulation(run->sim, &formulation, reason, sizeof reason);
    cli_json_text(&json, "formulation", cli_formulation_name(formulation));
    if (settings->sim.formulation == AFX_CHOOSE) {
        cli_json_text(&json, "formulation_reason", reason);
    }
    cli_json_text(&json, "integrator", cli_settings_integrator(settings));
    cli_json_number(&json, "dt", afx_sim_dt(run->sim));
    cli_json_integer(&json, "steps", run->steps);
    cli_json_integer(&json, "resumed_step", run->resumed_step);
    cli_json_number(&json, "time", afx_sim_time(run->sim));
    cli_json_integer(&json, "threads", afx_sim_threads(run->sim));
    cli_json_integer(&json, "lanes", afx_sim_lanes(run->sim));
    cli_json_text(&json, "instruction_set", afx_sim_instruction_set(run->sim));
    write_solution(&json, run);
    cli_json_number(&json, "energy_first", run->energy_first.total);
    cli_json_number(&json, "energy_last", run->energy_last.total);
    write_vector(&json, "momentum", run->momentum_last.linear);
    write_vector(&json, "angular_momentum", run->momentum_last.angular);
    write_markers(&json, run);
    cli_json_integer(&json, "peak_bytes", run->memory.peak);
    cli_json_text(&json, "state_hash", hash);
    write_flags(&json, run->flags);
    cli_misfits_write(&run->misfits, &run->names, &json);
    if (run->verify.on) {
        cli_verify_write(&run->verify, &run->names, &json);
    }
    if (run->energy_book.on) {
        cli_energy_write(&run->energy_book, &json);
    }
    cli_source_write_notices(&settings->source, &json);
    cli_json_boolean(&json, "finite", run->finite);
    cli_json_text(&json, "status", run->status == AFX_OK ? "ok" : afx_status_name(run->status));
    cli_json_close(&json);
    cli_json_end(&json);
}
