/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes for the commands. A word that names a built-in case is that case; one that looks like a path, or is a file
 * that is there, is a file. */
#include "cli/source.h"

#include "affix/out.h"
#include "cli/spool.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Operations of one solve that a file may ask for: some seconds. */
#define FLOPS_MOST 2e10

static bool is_stdin(const CliSource *source) {
    return source->file && strcmp(source->label, "-") == 0;
}

static bool looks_like_file(const char *word) {
    struct stat info;
    return strcmp(word, "-") == 0 || strchr(word, '/') || strchr(word, '.') ||
           (stat(word, &info) == 0 && S_ISREG(info.st_mode));
}

int cli_source_no_case(const char *word) {
    char cure[96] = "affix cases lists them";
    const char *nearest = afxi_case_nearest(word);
    if (nearest) {
        snprintf(cure, sizeof(cure), "did you mean %s? affix cases lists them", nearest);
    }
    cli_error(word, cure, "there is no such case");
    return CLI_EXIT_USAGE;
}

static int read_case(const CliArguments *given, const AfxiCase *from, uint32_t first, CliSource *source) {
    static const char *const names[] = {"--strict",    "--allow-outside", "--package",    "--keep-fixed",
                                        "--free-base", "--limit-items",   "--limit-flops"};
    for (uint32_t k = 0; k < CLI_SOURCE_OPTION_COUNT; ++k) {
        if (given->values[first + k]) {
            cli_error(names[k], "leave it out, or give a file", "is for files, and %s is a built-in case", from->name);
            return CLI_EXIT_USAGE;
        }
    }
    AfxError error;
    source->label = from->name;
    source->run.sim.dt = from->dt;
    source->run.time = from->time;
    snprintf(source->run.about, sizeof(source->run.about), "%s", from->summary);
    if (afxi_case_arguments(from, given->word_count - 1, given->words + 1, &source->arguments, &error) != AFX_OK) {
        cli_error_from(&error);
        return CLI_EXIT_USAGE;
    }
    return CLI_EXIT_FINE;
}

static int read_file(const CliArguments *given, uint32_t first, CliSource *source) {
    const char *const *values = given->values + first;
    source->label = given->words[0];
    source->file = true;
    for (uint32_t k = 1; k < given->word_count; ++k) {
        if (!strchr(given->words[k], '=')) {
            cli_error(given->words[k], "name=value sets a parameter of the file", "one file at a time");
            return CLI_EXIT_USAGE;
        }
    }
    source->result = is_stdin(source) ? AFXI_RESULT_NONE : afxi_result_kind(source->label);
    source->load = afx_default_load();
    source->load.parameters = given->words + 1;
    source->load.parameter_count = given->word_count - 1;
    source->load.strict = values[CLI_SOURCE_STRICT] != NULL;
    source->load.allow_outside = values[CLI_SOURCE_OUTSIDE] != NULL;
    source->load.keep_fixed = values[CLI_SOURCE_KEEP] != NULL;
    source->load.fixed_base = values[CLI_SOURCE_FREE] == NULL;
    source->load.package_paths = given->many;
    source->load.package_count = given->many_count;
    source->flops_most = FLOPS_MOST;
    uint64_t items = source->load.items_most;
    if ((values[CLI_SOURCE_ITEMS] &&
         !cli_option_integer("limit-items", values[CLI_SOURCE_ITEMS], 1, UINT32_MAX, &items)) ||
        (values[CLI_SOURCE_FLOPS] && !cli_option_number("limit-flops", values[CLI_SOURCE_FLOPS], 1, DBL_MAX,
                                                        "a number of 1 or more", &source->flops_most))) {
        return CLI_EXIT_USAGE;
    }
    source->load.items_most = (uint32_t)items;
    return CLI_EXIT_FINE;
}

int cli_source_read(const CliArguments *given, const char *command, uint32_t first, CliSource *out_source) {
    *out_source = (CliSource){.run = afx_default_run()};
    if (given->word_count == 0) {
        cli_error(command, "give a built-in case (affix cases lists them) or a file", "which case?");
        return CLI_EXIT_USAGE;
    }
    const AfxiCase *from = afxi_case_find(given->words[0]);
    if (from) {
        return read_case(given, from, first, out_source);
    }
    return looks_like_file(given->words[0]) ? read_file(given, first, out_source) : cli_source_no_case(given->words[0]);
}

/* ---- notices ---- */

static char *copy_text(char **at, const char *text) {
    char *copy = *at;
    size_t size = strlen(text) + 1;
    memcpy(copy, text, size);
    *at += size;
    return copy;
}

static bool grow(CliSource *source) {
    if (source->notice_count < source->notice_capacity) {
        return true;
    }
    uint32_t capacity = source->notice_capacity ? 2 * source->notice_capacity : 16;
    CliNotice *notices = realloc(source->notices, capacity * sizeof(*notices));
    if (notices) {
        source->notices = notices;
        source->notice_capacity = capacity;
    }
    return notices != NULL;
}

static void take_notice(void *user, const AfxNotice *notice) {
    CliSource *source = user;
    char *block = malloc(strlen(notice->file) + strlen(notice->element) + strlen(notice->text) + 3);
    if (!block || !grow(source)) {
        free(block);
        source->notices_lost = true;
        return;
    }
    CliNotice *copy = &source->notices[source->notice_count++];
    *copy = (CliNotice){.kind = notice->kind, .line = notice->line};
    copy->file = copy_text(&block, notice->file);
    copy->element = copy_text(&block, notice->element);
    copy->text = copy_text(&block, notice->text);
}

void cli_source_print_notices(const CliSource *source, const char *indent) {
    for (uint32_t k = 0; k < source->notice_count; ++k) {
        const CliNotice *notice = &source->notices[k];
        if (indent) {
            printf("%s%s:%d: %s: %s\n", indent, notice->file, notice->line, notice->element, notice->text);
        } else {
            cli_note("%s:%d: %s: %s", notice->file, notice->line, notice->element, notice->text);
        }
    }
    if (source->notices_lost) {
        cli_note("there were more notices; out of memory for them");
    }
}

void cli_source_write_notices(const CliSource *source, CliJson *json) {
    static const char *const kinds[] = {"ignored", "changed", "missing"};
    cli_json_array(json, "notices");
    for (uint32_t k = 0; k < source->notice_count; ++k) {
        const CliNotice *notice = &source->notices[k];
        cli_json_object(json, NULL);
        cli_json_text(json, "kind", kinds[notice->kind]);
        cli_json_text(json, "file", notice->file);
        cli_json_integer(json, "line", (uint64_t)notice->line);
        cli_json_text(json, "element", notice->element);
        cli_json_text(json, "text", notice->text);
        cli_json_close(json);
    }
    cli_json_close(json);
}

/* ---- building ---- */

/* Reads all of stdin, up to one byte more than is allowed: the loader refuses it then. */
static AfxStatus read_stdin(CliSource *source) {
    uint64_t most = source->load.bytes_most;
    size_t room = 0, got;
    do {
        if (source->text_size == room) {
            room = room ? 2 * room : 65536;
            char *text = realloc(source->text, room);
            if (!text) {
                return AFX_E_MEMORY;
            }
            source->text = text;
        }
        got = fread(source->text + source->text_size, 1, room - source->text_size, stdin);
        source->text_size += got;
    } while (got > 0 && source->text_size <= most);
    return ferror(stdin) ? AFX_E_SYSTEM : AFX_OK;
}

/* The format of a text by its first letters: JSON, or the first element of XML. */
static AfxFormat guess_format(const char *text, size_t size) {
    size_t k = 0;
    while (k < size && strchr(" \t\r\n", text[k])) {
        ++k;
    }
    bool xml = k < size && text[k] == '<';
    for (; xml && k + 6 < size; ++k) {
        if (strncmp(text + k, "<robot", 6) == 0) {
            return AFX_FORMAT_URDF;
        }
        if (strncmp(text + k, "<sdf", 4) == 0) {
            return AFX_FORMAT_SDF;
        }
        if (strncmp(text + k, "<mujoco", 7) == 0) {
            break;
        }
    }
    return xml ? AFX_FORMAT_MJCF : AFX_FORMAT_JSON;
}

static AfxStatus load_stdin(CliSource *source, AfxScene *scene, AfxError *out_error) {
    AfxStatus status = source->text ? AFX_OK : read_stdin(source);
    if (status != AFX_OK) {
        *out_error = (AfxError){.status = status};
        snprintf(out_error->element, sizeof(out_error->element), "stdin");
        return status;
    }
    source->load.format = guess_format(source->text, source->text_size);
    return afx_scene_load_text(scene, source->text, source->text_size, NULL, &source->load, out_error);
}

AfxStatus cli_source_make(CliSource *source, const AfxSceneDef *def, AfxScene **out_scene, AfxError *out_error) {
    AfxStatus status;
    *out_scene = NULL;
    if (!source->file) {
        status = afxi_case_build(&source->arguments, def, out_scene, out_error);
    } else {
        status = afx_scene_create(def, out_scene);
        source->load.notice = take_notice;
        source->load.notice_user = source;
        source->load.run = &source->run;
        if (status == AFX_OK) {
            status = is_stdin(source) ? load_stdin(source, *out_scene, out_error)
                     : source->result ? afx_scene_load_result(*out_scene, source->label, &source->load, out_error)
                                      : afx_scene_load(*out_scene, source->label, &source->load, out_error);
        }
        if (status != AFX_OK) {
            afx_scene_destroy(*out_scene);
            *out_scene = NULL;
        }
    }
    out_error->status = status;
    return status;
}

int cli_source_build(CliSource *source, const AfxSceneDef *def, AfxScene **out_scene) {
    AfxError error = {0};
    return cli_source_make(source, def, out_scene, &error) == AFX_OK ? CLI_EXIT_FINE : cli_error_from(&error);
}

/* The component that has most rows for its bodies. */
static AfxComponent tightest(const AfxModel *model) {
    AfxComponent worst = {0}, each;
    for (uint32_t k = 0; k < afx_model_component_count(model); ++k) {
        if (afx_model_component(model, k, &each) == AFX_OK &&
            (double)each.rows * worst.bodies >= (double)worst.rows * each.bodies) {
            worst = each;
        }
    }
    return worst;
}

AfxStatus cli_source_check(const CliSource *source, const AfxModel *model, AfxError *out_error) {
    AfxModelCosts costs = {0};
    if (!source->file || afx_model_costs(model, &costs) != AFX_OK || costs.flops <= source->flops_most) {
        return AFX_OK;
    }
    AfxComponent worst = tightest(model);
    *out_error = (AfxError){.status = AFX_E_LIMIT};
    snprintf(out_error->file, sizeof(out_error->file), "%s", source->label);
    snprintf(
        out_error->text, sizeof(out_error->text),
        "a solver iteration takes %.2g operations, and the limit is %.2g: %u joints with %u constraints hold %u bodies",
        costs.flops, source->flops_most, worst.joints, worst.rows, worst.bodies);
    snprintf(out_error->cure, sizeof(out_error->cure), "take redundant joints away, or raise --limit-flops above %.2g",
             costs.flops);
    return AFX_E_LIMIT;
}

bool cli_source_spares(const CliSource *source, const char *path) {
    if (!source->file || !cli_same_file(source->label, path)) {
        return true;
    }
    cli_error(path, "write to another file", "is the file that is read: it would be overwritten");
    return false;
}

void cli_source_forget(CliSource *source) {
    for (uint32_t k = 0; k < source->notice_count; ++k) {
        free(source->notices[k].file);
    }
    free(source->notices);
    source->notices = NULL;
    source->notice_count = source->notice_capacity = 0;
}

void cli_source_destroy(CliSource *source) {
    cli_source_forget(source);
    free(source->text);
    source->text = NULL;
    source->text_size = 0;
}
