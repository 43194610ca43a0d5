/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a run up again. The stored command line is read by the same code as one that is typed. */
#include "cli/resume.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RESUME "resume"

/* What may differ from when the run was started; results do not depend on it, but for their end. */
static bool may_differ(const char *name) {
    static const char *const names[] = {"time",     "steps",          "threads", "lanes",  "json",    "quiet",
                                        "snapshot", "snapshot-every", RESUME,    "help",   "version", "package",
                                        "trace",    "dump-failure",   "from",    "verify", "brief",   "energy-book"};
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); ++k) {
        if (strcmp(name, names[k]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_stored(const char *name) {
    static const char *const names[] = {RESUME, "help", "version", "trace", "dump-failure", "from"};
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); ++k) {
        if (strcmp(name, names[k]) == 0) {
            return false;
        }
    }
    return true;
}

/* An option that may be repeated; there is one in a table. */
static bool is_many(const CliOption *option) {
    return option->value && strstr(option->value, "...") != NULL;
}

/* One option to `out`, or only its size when that is NULL. */
static size_t put_option(const CliOption *option, const char *value, char *out) {
    size_t room = strlen(option->name) + strlen(value) + (option->value ? 4 : 3);
    if (out) {
        snprintf(out, room, option->value ? "--%s=%s" : "--%s%s", option->name, value);
    }
    return room;
}

/* Writes the words to `out`, or only measures when it is NULL. */
static size_t put_words(const CliOption *options, uint32_t option_count, const CliArguments *arguments, char *out) {
    size_t used = 0;
    for (uint32_t k = 0; k < option_count; ++k) {
        if (!arguments->values[k] || !is_stored(options[k].name)) {
            continue;
        }
        bool many = is_many(&options[k]);
        for (uint32_t item = 0; item < (many ? arguments->many_count : 1); ++item) {
            const char *value = many ? arguments->many[item] : arguments->values[k];
            used += put_option(&options[k], value, out ? out + used : NULL);
        }
    }
    for (uint32_t k = 0; k <= arguments->word_count; ++k) { /* "--": what follows is no option */
        const char *word = k == 0 ? "--" : arguments->words[k - 1];
        size_t room = strlen(word) + 1;
        if (out) {
            memcpy(out + used, word, room);
        }
        used += room;
    }
    return used;
}

char *cli_resume_command(const CliOption *options, uint32_t option_count, const CliArguments *arguments,
                         size_t *out_size) {
    *out_size = put_words(options, option_count, arguments, NULL);
    char *text = malloc(*out_size);
    if (text) {
        put_words(options, option_count, arguments, text);
    }
    return text;
}

void cli_resume_destroy(CliResume *resume) {
    afx_snapshot_destroy(resume->snapshot);
    free(resume->text);
    free(resume->words);
    *resume = (CliResume){0};
}

/* The snapshot at path, or the one before it. */
static bool read_snapshot(const char *path, CliResume *resume, int *out_code) {
    AfxError error = {0}, other = {0};
    AfxStatus status = afx_snapshot_read(path, NULL, &resume->snapshot, &error);
    if (status == AFX_OK) {
        return true;
    }
    size_t size = strlen(path) + 3;
    char *before = malloc(size);
    if (before && status != AFX_E_MEMORY) {
        snprintf(before, size, "%s.1", path);
        if (afx_snapshot_read(before, NULL, &resume->snapshot, &other) == AFX_OK) {
            cli_note("%s: %s; going on from the snapshot before it, %s, at step %" PRIu64, path, error.text, before,
                     afx_snapshot_step(resume->snapshot));
            resume->previous = true;
        }
    }
    free(before);
    if (!resume->snapshot) {
        error.status = status;
        *out_code =
            cli_error_from(&error) == CLI_EXIT_SYSTEM && status == AFX_E_MEMORY ? CLI_EXIT_SYSTEM : CLI_EXIT_INPUT;
    }
    return resume->snapshot != NULL;
}

/* The words of the stored command line as argc and argv; argv[0] is a command's name. */
static int split_words(CliResume *resume) {
    const void *data = NULL;
    size_t size = 0;
    if (afx_snapshot_part(resume->snapshot, "command", &data, &size) != AFX_OK || size == 0 ||
        ((const char *)data)[size - 1] != '\0') {
        return -1;
    }
    size_t count = 1;
    for (size_t k = 0; k < size; ++k) {
        count += ((const char *)data)[k] == '\0';
    }
    resume->text = malloc(size);
    resume->words = count < 100000 ? malloc((count + 1) * sizeof(char *)) : NULL;
    if (!resume->text || !resume->words) {
        return -1;
    }
    memcpy(resume->text, data, size);
    int used = 0;
    resume->words[used++] = resume->text + size - 1; /* "" */
    for (size_t at = 0; at < size; at += strlen(resume->text + at) + 1) {
        resume->words[used++] = resume->text + at;
    }
    resume->words[used] = NULL;
    return used;
}

static bool same_words(const CliArguments *given, const CliArguments *stored) {
    bool same = given->word_count == 0 || given->word_count == stored->word_count;
    for (uint32_t k = 0; k < given->word_count && same; ++k) {
        same = strcmp(given->words[k], stored->words[k]) == 0;
    }
    if (!same) {
        cli_error(given->words[0], "leave it out, or give it as it was", "the snapshot is of another run: of %s%s",
                  stored->word_count ? stored->words[0] : "nothing", stored->word_count > 1 ? " with parameters" : "");
    }
    return same;
}

/* Puts what was given over what was stored. */
static bool merge(const CliOption *options, uint32_t option_count, const CliArguments *given, CliArguments *stored) {
    if (!same_words(given, stored)) {
        return false;
    }
    bool duration = false;
    for (uint32_t k = 0; k < option_count; ++k) {
        duration = duration || (given->values[k] &&
                                (strcmp(options[k].name, "time") == 0 || strcmp(options[k].name, "steps") == 0));
    }
    for (uint32_t k = 0; k < option_count; ++k) {
        const char *name = options[k].name, *value = given->values[k], *before = stored->values[k];
        if (duration && (strcmp(name, "time") == 0 || strcmp(name, "steps") == 0)) {
            stored->values[k] = value;
        } else if (value && !may_differ(name) && (!before || strcmp(value, before) != 0)) {
            char element[40];
            snprintf(element, sizeof(element), "--%s", name);
            cli_error(element, "leave it out", "cannot change when a run is resumed; it was %s",
                      !before     ? "not given"
                      : before[0] ? before
                                  : "given");
            return false;
        } else if (value) {
            stored->values[k] = value;
        }
        if (value && is_many(&options[k])) {
            memcpy(stored->many, given->many, sizeof(stored->many));
            stored->many_count = given->many_count;
        }
    }
    return true;
}

bool cli_resume_read(const char *path, const CliOption *options, uint32_t option_count, CliArguments *arguments,
                     CliResume *out_resume, int *out_code) {
    *out_resume = (CliResume){0};
    *out_code = CLI_EXIT_INPUT;
    if (!read_snapshot(path, out_resume, out_code)) {
        return false;
    }
    CliArguments stored;
    int count = split_words(out_resume);
    if (count < 0 || !cli_options_read(options, option_count, count, out_resume->words, &stored)) {
        cli_error(path, "give a snapshot that affix run wrote", "holds no command line that this program knows");
        return false;
    }
    *out_code = CLI_EXIT_USAGE;
    if (!merge(options, option_count, arguments, &stored)) {
        return false;
    }
    *arguments = stored;
    return true;
}
