/* SPDX-License-Identifier: Apache-2.0 */
/* affix info: what a case or file is made of, how its joints hang together, how they are solved and what that takes. */
#include "cli/command.h"
#include "cli/json.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/settings.h"
#include "load/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_SOLVER = CLI_OPTION_FIRST, OPTION_JSON, OPTION_SOURCE };

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    [OPTION_SOLVER] = {"solver", "NAME", "auto (default), dense, chain, tree, schur, graph, cg or gs"},
    [OPTION_JSON] = {"json", NULL, "print one JSON object"},
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

typedef struct Info {
    CliSource source;
    AfxModelDef def;
    bool json;
    CliMemory memory;
    AfxModel *model;
    AfxComponent *components; /* [component_count], equal ones next to each other, large groups first */
    uint32_t component_count, jointed;
    uint64_t touching; /* shapes */
} Info;

static int compare_components(const void *a, const void *b) {
    const AfxComponent *x = a, *y = b;
    const uint32_t left[] = {y->bodies, x->structure, x->solver, y->joints, y->rows, y->loop_rows};
    const uint32_t right[] = {x->bodies, y->structure, y->solver, x->joints, x->rows, x->loop_rows};
    for (int k = 0; k < 6; ++k) {
        if (left[k] != right[k]) {
            return left[k] < right[k] ? -1 : 1;
        }
    }
    return 0;
}

/* One pass over all shapes that take part in contact: collects their groups and masks, and counts those that match what
 * an earlier pass has collected. */
static uint64_t scan_shapes(const AfxScene *scene, uint32_t groups, uint32_t masks, uint32_t *out_groups,
                            uint32_t *out_masks) {
    uint64_t count = 0;
    for (uint32_t k = 0; k < afx_scene_body_count(scene); ++k) {
        AfxBodyId body = afx_scene_body(scene, k);
        for (uint32_t s = 0; s < afx_scene_shape_count(scene, body); ++s) {
            AfxShapeDef shape;
            if (afx_scene_get_shape(scene, body, s, &shape) == AFX_OK && !shape.visual) {
                *out_groups |= shape.contact_group;
                *out_masks |= shape.contact_mask;
                count += (shape.contact_group & masks) || (shape.contact_mask & groups);
            }
        }
    }
    return count;
}

/* Shapes that can touch some shape by their groups and masks. */
static uint64_t touching_shapes(const AfxScene *scene) {
    uint32_t groups = 0, masks = 0;
    if (!afx_scene_contact(scene)) {
        return 0;
    }
    scan_shapes(scene, 0, 0, &groups, &masks);
    return scan_shapes(scene, groups, masks, &groups, &masks);
}

static int build(Info *info) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxError error = {0};
    def.allocator = cli_memory_allocator(&info->memory);
    int code = cli_source_build(&info->source, &def, &scene);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    AfxStatus status = afx_model_create_with(scene, &info->def, &info->model, &error);
    info->touching = touching_shapes(scene);
    afx_scene_destroy(scene);
    if (status != AFX_OK) {
        error.status = status;
        return cli_error_from(&error);
    }
    info->component_count = afx_model_component_count(info->model);
    info->components = malloc((info->component_count + 1) * sizeof(*info->components));
    if (!info->components) {
        cli_error("memory", "use a smaller scene", "%s", afx_status_text(AFX_E_MEMORY));
        return CLI_EXIT_SYSTEM;
    }
    for (uint32_t k = 0; k < info->component_count; ++k) {
        afx_model_component(info->model, k, &info->components[k]);
        info->jointed += info->components[k].bodies;
    }
    qsort(info->components, info->component_count, sizeof(*info->components), compare_components);
    return CLI_EXIT_FINE;
}

/* Components from `first` on that are equal to it. */
static uint32_t alike(const Info *info, uint32_t first) {
    uint32_t end = first + 1;
    while (end < info->component_count && compare_components(&info->components[first], &info->components[end]) == 0) {
        ++end;
    }
    return end - first;
}

static uint32_t moving(const AfxModel *model) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < afx_model_body_count(model); ++k) {
        count += afx_model_body_kind(model, k) == AFX_BODY_DYNAMIC;
    }
    return count;
}

static void print_bytes(const char *name, uint64_t bytes, uint32_t bodies) {
    double size = (double)bytes;
    printf("  %-13s %.4g %s, %.4g bytes per body\n", name, size < 1e6 ? 1e-3 * size : 1e-6 * size,
           size < 1e6 ? "kB" : "MB", bodies ? size / bodies : 0);
}

static void print_text(const Info *info, const AfxModelCosts *costs, uint64_t sim_bytes) {
    const AfxModel *model = info->model;
    uint32_t bodies = afx_model_body_count(model), joints = afx_model_joint_count(model);
    uint32_t rows = afx_model_row_count(model), classes = afx_model_class_count(model);
    uint32_t compliant = afx_model_compliant_row_count(model), dynamic = moving(model);
    const AfxiCase *from = info->source.arguments.from;
    printf("%s%s%s\n  %u bod%s (%u moving), %u set%s of body constants, %u joint%s with %u constraint%s",
           info->source.label, from ? ": " : "", from ? from->summary : "", bodies, cli_plural(bodies, "y", "ies"),
           dynamic, classes, cli_plural(classes, "", "s"), joints, cli_plural(joints, "", "s"), rows,
           cli_plural(rows, "", "s"));
    if (compliant) {
        printf(", %u compliant", compliant);
    }
    if (info->touching) {
        printf(", %" PRIu64 " shape%s that can collide", info->touching, info->touching == 1 ? "" : "s");
    }
    puts("\n");
    for (uint32_t k = 0, count; k < info->component_count; k += count) {
        const AfxComponent *c = &info->components[k];
        count = alike(info, k);
        printf("  %u x %s: %u bod%s, %u joint%s, %u constraint%s", count, afx_structure_name(c->structure), c->bodies,
               cli_plural(c->bodies, "y", "ies"), c->joints, cli_plural(c->joints, "", "s"), c->rows,
               cli_plural(c->rows, "", "s"));
        if (c->loop_rows) {
            printf(" (%u close loops)", c->loop_rows);
        }
        printf(", solver %s\n", afx_solver_name(c->solver));
    }
    if (dynamic > info->jointed) {
        printf("  %u free bod%s\n", dynamic - info->jointed, cli_plural(dynamic - info->jointed, "y", "ies"));
    }
    printf("\n  elimination   %.4g flops per solver iteration\n", costs->flops);
    print_bytes("model", costs->model_bytes, bodies);
    print_bytes("sim", sim_bytes, bodies);
    print_bytes("  its factor", costs->factor_bytes, bodies);
}

static void print_json(const Info *info, const AfxModelCosts *costs, uint64_t sim_bytes) {
    const AfxModel *model = info->model;
    char solvers[80];
    cli_solvers(model, solvers, sizeof(solvers));
    CliJson json = cli_json_begin(stdout, 2);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "case", info->source.label);
    cli_json_integer(&json, "bodies", afx_model_body_count(model));
    cli_json_integer(&json, "moving", moving(model));
    cli_json_integer(&json, "free", moving(model) - info->jointed);
    cli_json_integer(&json, "classes", afx_model_class_count(model));
    cli_json_integer(&json, "joints", afx_model_joint_count(model));
    cli_json_integer(&json, "rows", afx_model_row_count(model));
    cli_json_integer(&json, "compliant_rows", afx_model_compliant_row_count(model));
    cli_json_integer(&json, "touching_shapes", info->touching);
    cli_json_text(&json, "solver", solvers);
    cli_json_array(&json, "components");
    for (uint32_t k = 0, count; k < info->component_count; k += count) {
        const AfxComponent *c = &info->components[k];
        count = alike(info, k);
        cli_json_object(&json, NULL);
        cli_json_integer(&json, "count", count);
        cli_json_text(&json, "structure", afx_structure_name(c->structure));
        cli_json_text(&json, "solver", afx_solver_name(c->solver));
        cli_json_integer(&json, "bodies", c->bodies);
        cli_json_integer(&json, "joints", c->joints);
        cli_json_integer(&json, "rows", c->rows);
        cli_json_integer(&json, "loop_rows", c->loop_rows);
        cli_json_close(&json);
    }
    cli_json_close(&json);
    cli_json_number(&json, "flops", costs->flops);
    cli_json_integer(&json, "model_bytes", costs->model_bytes);
    cli_json_integer(&json, "sim_bytes", sim_bytes);
    cli_json_integer(&json, "factor_bytes", costs->factor_bytes);
    cli_json_close(&json);
    cli_json_end(&json);
}

static void report(const Info *info) {
    AfxModelCosts costs = {0};
    AfxSimDef def = afx_default_sim();
    afx_model_costs(info->model, &costs);
    uint64_t sim_bytes = afx_sim_bytes(info->model, &def);
    if (info->json) {
        print_json(info, &costs, sim_bytes);
    } else {
        print_text(info, &costs, sim_bytes);
    }
}

static int read_arguments(const CliArguments *given, Info *info) {
    uint32_t solver = AFX_SOLVER_AUTO;
    const char *text = given->values[OPTION_SOLVER];
    if (text && !cli_option_choice("solver", text, afxi_solver_names, &solver)) {
        return CLI_EXIT_USAGE;
    }
    info->def = afx_default_model();
    info->def.solver = (AfxSolver)solver;
    info->json = given->values[OPTION_JSON] != NULL;
    return cli_source_read(given, "info", OPTION_SOURCE, &info->source);
}

static int start(CliArguments *given) {
    Info info = {0};
    int code = read_arguments(given, &info);
    if (code == CLI_EXIT_FINE) {
        code = build(&info);
    }
    if (code == CLI_EXIT_FINE) {
        report(&info);
    }
    cli_source_destroy(&info.source);
    free(info.components);
    afx_model_destroy(info.model);
    return code;
}

const CliCommand cli_command_info = {
    .name = "info",
    .help = "report the structure of a case or a file, how it is solved, and what that takes",
    .usage = "<case|file> [name=value ...] [options]",
    .about = "Reports the structure of a scene: components, how each is solved, predicted work and memory.",
    .options = options,
    .option_count = OPTION_COUNT,
    .scene = true,
    .run = start,
};
