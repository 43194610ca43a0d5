/* SPDX-License-Identifier: Apache-2.0 */
/* affix check: loads and compiles a scene, and tells what is in it. */
#include "cli/command.h"
#include "cli/json.h"
#include "cli/source.h"
#include "cli/start.h"
#include "load/run.h"

#include <math.h>

#include <inttypes.h>
#include <string.h>

enum { OPTION_SOURCE = CLI_OPTION_FIRST, OPTION_JSON = OPTION_SOURCE + CLI_SOURCE_OPTION_COUNT, OPTION_CONTACT };

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
    [OPTION_JSON] = {"json", NULL, "print one JSON object on stdout"},
    [OPTION_CONTACT] = {"contact", "NAME", "compliant or barrier, as affix run (default: as the file says)"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))
#define DRIVE_KIND_COUNT (AFX_DRIVE_FRICTION + 1)

static const char *const drive_kinds[DRIVE_KIND_COUNT] = {"position", "velocity", "force",   "servo",
                                                          "spring",   "limit",    "friction"};

/* What there is. */
typedef struct Survey {
    uint32_t bodies[3]; /* by AfxBodyKind */
    uint64_t shapes;
    uint32_t joints[AFX_JOINT_KIND_COUNT];
    uint32_t inactive;
    uint32_t drives[DRIVE_KIND_COUNT];
    uint32_t couplings, springs, markers, wrenches;
    double mass; /* of the moving bodies */
    AfxVec3 center;
    uint32_t rows, compliant_rows, coordinates;
    bool mobile; /* freedom and redundant are known */
    int64_t freedom;
    uint32_t redundant;
    uint32_t floored; /* bodies without rotary inertia about some axis */
    double size;
    uint64_t hash;
    CliNames names;
    CliMisfits misfits;
} Survey;

static void survey_scene(const AfxScene *scene, Survey *survey) {
    for (uint32_t k = 0; k < afx_scene_body_count(scene); ++k) {
        AfxBodyDef body;
        AfxBodyId id = afx_scene_body(scene, k);
        afx_scene_get_body(scene, id, &body);
        survey->bodies[body.kind]++;
        survey->shapes += afx_scene_shape_count(scene, id);
    }
    for (uint32_t k = 0; k < afx_scene_joint_count(scene); ++k) {
        AfxJointDef joint;
        afx_scene_get_joint(scene, afx_scene_joint(scene, k), &joint);
        survey->joints[joint.kind]++;
        survey->inactive += !joint.active;
    }
    for (uint32_t k = 0; k < afx_scene_drive_count(scene); ++k) {
        AfxDriveDef drive;
        afx_scene_get_drive(scene, k, &drive);
        survey->drives[drive.kind]++;
    }
    survey->couplings = afx_scene_coupling_count(scene);
    survey->springs = afx_scene_spring_count(scene);
    survey->markers = afx_scene_marker_count(scene);
    survey->wrenches = afx_scene_wrench_count(scene);
}

/* The sim is one of the contact model that the run has. */
static int survey_model(const AfxModel *model, const AfxSimDef *run, Survey *survey) {
    AfxError error = {0};
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    def.contact_model = run->contact_model;
    def.contact_gap = run->contact_gap;
    def.error = &error;
    survey->rows = afx_model_row_count(model);
    survey->compliant_rows = afx_model_compliant_row_count(model);
    survey->coordinates = afx_model_coordinate_count(model);
    survey->size = afx_model_size(model);
    survey->hash = afx_model_hash(model);
    for (uint32_t k = 0; k < afx_model_body_count(model); ++k) {
        survey->floored += afx_model_body_floored(model, k);
    }
    if (afx_sim_create(model, &def, &sim) != AFX_OK) {
        return cli_error_from(&error);
    }
    int code = cli_misfits_find(sim, &survey->names, &survey->misfits);
    AfxMomentum momentum;
    if (afx_sim_momentum(sim, &momentum) == AFX_OK) {
        survey->mass = momentum.mass;
        survey->center = momentum.center;
    }
    survey->mobile = afx_sim_mobility(sim, &survey->freedom, &survey->redundant) == AFX_OK;
    afx_sim_destroy(sim);
    return code;
}

static int survey_source(CliSource *source, const char *contact, Survey *survey) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxError error = {0};
    int code = cli_source_build(source, &def, &scene);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    survey_scene(scene, survey);
    AfxStatus status = afx_model_create(scene, &model, &error);
    bool named = cli_names_create(scene, &survey->names);
    afx_scene_destroy(scene);
    if (status == AFX_OK && !named) {
        status = AFX_E_MEMORY;
        snprintf(error.text, sizeof(error.text), "%s", afx_status_text(status));
    }
    status = status == AFX_OK ? cli_source_check(source, model, &error) : status;
    if (status != AFX_OK) {
        error.status = status;
        afx_model_destroy(model);
        return cli_error_from(&error);
    }
    uint32_t contact_model = source->run.sim.contact_model;
    bool known = !contact || cli_option_choice("contact", contact, afxi_contact_model_names, &contact_model);
    source->run.sim.contact_model = (AfxContactModel)contact_model;
    code = known ? survey_model(model, &source->run.sim, survey) : CLI_EXIT_USAGE;
    afx_model_destroy(model);
    return code;
}

/* ---- telling ---- */

static uint32_t sum(const uint32_t *counts, int count) {
    uint32_t total = 0;
    for (int k = 0; k < count; ++k) {
        total += counts[k];
    }
    return total;
}

/* "  joints     12: 10 revolute, 2 prismatic" */
static void print_kinds(const char *what, const uint32_t *counts, int count, const char *(*name)(int kind)) {
    uint32_t total = sum(counts, count);
    const char *before = ": ";
    if (total == 0) {
        return;
    }
    printf("  %-10s %" PRIu32, what, total);
    for (int k = 0; k < count; ++k) {
        if (counts[k]) {
            printf("%s%" PRIu32 " %s", before, counts[k], name(k));
            before = ", ";
        }
    }
    putchar('\n');
}

static void print_count(const char *what, uint64_t count) {
    if (count) {
        printf("  %-10s %" PRIu64 "\n", what, count);
    }
}

static const char *body_kind(int kind) {
    static const char *const names[] = {"moving", "fixed", "kinematic"};
    return names[kind];
}

static const char *joint_kind(int kind) {
    return afx_joint_kind_name((AfxJointKind)kind);
}

static const char *drive_kind(int kind) {
    return drive_kinds[kind];
}

/* How it would be run, and what can be set. */
static void print_run(const AfxRunDef *run) {
    printf("  %-10s dt %.10g s, %.10g s, %s, %s\n", "run", run->sim.dt, run->time,
           afxi_integrator_name(run->sim.integrator), afxi_accuracy_names[run->sim.accuracy]);
    for (uint32_t k = 0; k < run->output_count; ++k) {
        printf("  %-10s %s\n", k ? "" : "outputs", run->outputs[k]);
    }
    for (uint32_t k = 0; k < run->camera_count; ++k) {
        printf("  %-10s %s\n", k ? "" : "cameras", run->cameras[k].name[0] ? run->cameras[k].name : "(without a name)");
    }
    for (uint32_t k = 0; k < run->parameter_count; ++k) {
        const AfxRunParameter *one = &run->parameters[k];
        printf("  %-10s %s=%.10g", k ? "" : "parameters", one->name, one->value);
        if (isfinite(one->min) || isfinite(one->max)) {
            printf("  (%.10g to %.10g)", one->min, one->max);
        }
        printf("%s%s\n", one->about[0] ? "  " : "", one->about);
    }
}

static void write_run(const AfxRunDef *run, CliJson *json) {
    cli_json_object(json, "run");
    cli_json_number(json, "dt", run->sim.dt);
    cli_json_number(json, "time", run->time);
    cli_json_text(json, "integrator", afxi_integrator_name(run->sim.integrator));
    cli_json_text(json, "accuracy", afxi_accuracy_names[run->sim.accuracy]);
    cli_json_close(json);
    cli_json_array(json, "parameters");
    for (uint32_t k = 0; k < run->parameter_count; ++k) {
        const AfxRunParameter *one = &run->parameters[k];
        cli_json_object(json, NULL);
        cli_json_text(json, "name", one->name);
        cli_json_number(json, "value", one->value);
        cli_json_number(json, "min", one->min);
        cli_json_number(json, "max", one->max);
        cli_json_text(json, "about", one->about);
        cli_json_close(json);
    }
    cli_json_close(json);
}

static void print_text(const CliSource *source, const Survey *survey) {
    printf("%s: fine\n", strcmp(source->label, "-") == 0 ? "stdin" : source->label);
    print_kinds("bodies", survey->bodies, 3, body_kind);
    print_count("shapes", survey->shapes);
    print_kinds("joints", survey->joints, AFX_JOINT_KIND_COUNT, joint_kind);
    print_count("inactive", survey->inactive);
    print_kinds("drives", survey->drives, DRIVE_KIND_COUNT, drive_kind);
    print_count("couplings", survey->couplings);
    print_count("springs", survey->springs);
    print_count("markers", survey->markers);
    print_count("wrenches", survey->wrenches);
    if (survey->bodies[AFX_BODY_DYNAMIC]) {
        printf("  %-10s %.10g kg, centre at (%.6g, %.6g, %.6g) m\n", "mass", survey->mass, survey->center.x,
               survey->center.y, survey->center.z);
    }
    if (survey->mobile) {
        printf("  %-10s %" PRId64 " degree%s of freedom; %" PRIu32 " constraint%s, %" PRIu32 " redundant\n", "mobility",
               survey->freedom, survey->freedom == 1 ? "" : "s", survey->rows, cli_plural(survey->rows, "", "s"),
               survey->redundant);
    } else {
        printf("  %-10s not counted: loops and too many constraints (%" PRIu32 ")\n", "mobility", survey->rows);
    }
    if (survey->floored) {
        printf("  note: %" PRIu32 " bod%s no moment of inertia about some axis: a floor is given\n", survey->floored,
               cli_plural(survey->floored, "y has", "ies have"));
    }
    print_run(&source->run);
    cli_misfits_print(&survey->misfits, &survey->names);
    if (source->notice_count) {
        printf("  %" PRIu32 " notice%s:\n", source->notice_count, source->notice_count == 1 ? "" : "s");
        cli_source_print_notices(source, "    ");
    }
}

static void write_kinds(CliJson *json, const char *key, const uint32_t *counts, int count,
                        const char *(*name)(int kind)) {
    cli_json_object(json, key);
    for (int k = 0; k < count; ++k) {
        if (counts[k]) {
            cli_json_integer(json, name(k), counts[k]);
        }
    }
    cli_json_close(json);
}

static void print_json(const CliSource *source, const Survey *survey) {
    char hash[24];
    snprintf(hash, sizeof(hash), "%016" PRIx64, survey->hash);
    CliJson json = cli_json_begin(stdout, 2);
    cli_json_object(&json, NULL);
    cli_json_text(&json, source->file ? "file" : "case", source->label);
    cli_json_integer(&json, "bodies", sum(survey->bodies, 3));
    write_kinds(&json, "body_kinds", survey->bodies, 3, body_kind);
    cli_json_integer(&json, "shapes", survey->shapes);
    cli_json_integer(&json, "joints", sum(survey->joints, AFX_JOINT_KIND_COUNT));
    write_kinds(&json, "joint_kinds", survey->joints, AFX_JOINT_KIND_COUNT, joint_kind);
    cli_json_integer(&json, "inactive", survey->inactive);
    cli_json_integer(&json, "drives", sum(survey->drives, DRIVE_KIND_COUNT));
    write_kinds(&json, "drive_kinds", survey->drives, DRIVE_KIND_COUNT, drive_kind);
    cli_json_integer(&json, "couplings", survey->couplings);
    cli_json_integer(&json, "springs", survey->springs);
    cli_json_integer(&json, "markers", survey->markers);
    cli_json_integer(&json, "wrenches", survey->wrenches);
    cli_json_number(&json, "mass", survey->mass);
    cli_json_numbers(&json, "center", (const double[]){survey->center.x, survey->center.y, survey->center.z}, 3);
    cli_json_integer(&json, "rows", survey->rows);
    cli_json_integer(&json, "compliant_rows", survey->compliant_rows);
    cli_json_integer(&json, "coordinates", survey->coordinates);
    cli_json_number(&json, "dof", survey->mobile ? (double)survey->freedom : NAN);
    cli_json_number(&json, "redundant_rows", survey->mobile ? (double)survey->redundant : NAN);
    cli_json_number(&json, "size", survey->size);
    cli_json_text(&json, "model_hash", hash);
    write_run(&source->run, &json);
    cli_misfits_write(&survey->misfits, &survey->names, &json);
    cli_source_write_notices(source, &json);
    cli_json_text(&json, "status", "ok");
    cli_json_close(&json);
    cli_json_end(&json);
}

static int start(CliArguments *given) {
    CliSource source;
    Survey survey = {0};
    int code = cli_source_read(given, "check", OPTION_SOURCE, &source);
    code = code != CLI_EXIT_FINE ? code : survey_source(&source, given->values[OPTION_CONTACT], &survey);
    if (code == CLI_EXIT_FINE && given->values[OPTION_JSON]) {
        print_json(&source, &survey);
    } else if (code == CLI_EXIT_FINE) {
        print_text(&source, &survey);
    }
    cli_names_destroy(&survey.names);
    cli_source_destroy(&source);
    return code;
}

const CliCommand cli_command_check = {
    .name = "check",
    .help = "load a case or a file and report what is in it",
    .usage = "<case|file> [name=value ...] [options]",
    .about = "Loads and compiles a scene (-: stdin) and reports what is in it, what overlaps or does not meet at the "
             "start, and which elements of a file are unsupported.",
    .options = options,
    .option_count = OPTION_COUNT,
    .scene = true,
    .run = start,
};
