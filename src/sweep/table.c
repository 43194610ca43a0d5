/* SPDX-License-Identifier: Apache-2.0 */
/* runs.csv, and the order of the runs. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/error.h"
#include "sweep/finish.h"
#include "sweep/number.h"

/* ---- rows ---- */

static int by_run(const void *a, const void *b) {
    uint64_t x = (*(const AfxiEntry *const *)a)->run, y = (*(const AfxiEntry *const *)b)->run;
    return x < y ? -1 : x > y;
}

static double objective_of(const AfxiStudy *study, const AfxiJournals *journals, const AfxiEntry *entry) {
    return study->term_count ? afxi_entry_values(journals, entry)[study->value_count - 1] : NAN;
}

AfxStatus afxi_rows_create(const AfxiStudy *study, const AfxiJournals *journals, AfxiTableRows *out_rows,
                           AfxError *out_error) {
    uint64_t total = 0;
    *out_rows = (AfxiTableRows){.best = UINT64_MAX};
    for (uint32_t k = 0; k < journals->count; k++) {
        total += journals->maps[k].entries;
    }
    out_rows->entries = malloc((total + 1) * sizeof *out_rows->entries);
    if (!out_rows->entries) {
        return afxi_sweep_memory(out_error);
    }
    bool rising = true;
    for (uint32_t k = 0; k < journals->count; k++) {
        size_t offset = 0;
        for (const AfxiEntry *entry; (entry = afxi_journal_next(&journals->maps[k], &offset));) {
            rising &= out_rows->count == 0 || out_rows->entries[out_rows->count - 1]->run < entry->run;
            out_rows->entries[out_rows->count++] = entry;
        }
    }
    if (!rising) {
        qsort(out_rows->entries, out_rows->count, sizeof *out_rows->entries, by_run);
    }
    uint64_t count = 0;
    for (uint64_t k = 0; k < out_rows->count; k++) { /* a run that is there twice gave the same twice */
        const AfxiEntry *entry = out_rows->entries[k];
        if (count && out_rows->entries[count - 1]->run == entry->run) {
            continue;
        }
        double value = objective_of(study, journals, entry);
        out_rows->failed += entry->status != AFX_OK;
        if (!isnan(value) && (out_rows->best == UINT64_MAX ||
                              value < objective_of(study, journals, out_rows->entries[out_rows->best]))) {
            out_rows->best = count;
        }
        out_rows->entries[count++] = entry;
    }
    out_rows->count = count;
    return AFX_OK;
}

void afxi_rows_destroy(AfxiTableRows *rows) {
    free(rows->entries);
    *rows = (AfxiTableRows){0};
}

uint32_t afxi_rows_best(const AfxiStudy *study, const AfxiJournals *journals, const AfxiTableRows *rows, uint32_t most,
                        uint64_t *out_best) {
    uint32_t count = 0;
    for (uint64_t k = 0; k < rows->count && study->term_count; k++) {
        double value = objective_of(study, journals, rows->entries[k]);
        uint32_t at = count;
        if (isnan(value)) {
            continue;
        }
        while (at > 0 && objective_of(study, journals, rows->entries[out_best[at - 1]]) > value) {
            if (at < most) {
                out_best[at] = out_best[at - 1];
            }
            at--;
        }
        if (at < most) {
            out_best[at] = k;
            count += count < most;
        }
    }
    return count;
}

/* ---- files ---- */

AfxStatus afxi_fresh_open(AfxiFresh *fresh, const char *folder, const char *name, AfxError *out_error) {
    snprintf(fresh->path, sizeof fresh->path, "%s/%s", folder, name);
    snprintf(fresh->temporary, sizeof fresh->temporary, "%s.new", fresh->path);
    FILE *file = fopen(fresh->temporary, "w");
    fresh->file = file;
    return file ? AFX_OK : afxi_sweep_system(out_error, fresh->temporary, "cannot be written", errno);
}

AfxStatus afxi_fresh_close(AfxiFresh *fresh, AfxError *out_error) {
    FILE *file = fresh->file;
    bool failed = ferror(file) != 0;
    errno = 0;
    failed |= fclose(file) != 0;
    int number = errno;
    if (!failed && rename(fresh->temporary, fresh->path) != 0) {
        failed = true;
        number = errno;
    }
    if (failed) {
        unlink(fresh->temporary);
        return afxi_sweep_error(out_error, AFX_E_SYSTEM, fresh->path, NULL, "make room, then go on with --resume",
                                "cannot be written: %s", number ? strerror(number) : "the disk may be full");
    }
    return AFX_OK;
}

/* In the manner of RFC 4180. */
static void put_text(FILE *file, const char *text, size_t length) {
    bool quotes = false;
    for (size_t k = 0; k < length; k++) {
        quotes |= strchr(",\"\r\n", text[k]) != NULL;
    }
    if (!quotes) {
        fwrite(text, 1, length, file);
        return;
    }
    fputc('"', file);
    for (size_t k = 0; k < length; k++) {
        fputc(text[k], file);
        if (text[k] == '"') {
            fputc('"', file);
        }
    }
    fputc('"', file);
}

static void put_number(FILE *file, double value, int digits) {
    char text[AFXI_NUMBER_TEXT];
    size_t length = afxi_number_print(value, digits, text);
    text[length] = ',';
    fwrite(text, 1, length + 1, file);
}

static void put_head(FILE *file, const AfxiStudy *study) {
    fputs("run,id,status,", file);
    for (uint32_t k = 0; k < study->vary_count; k++) {
        put_text(file, study->vary[k].name, strlen(study->vary[k].name));
        fputc(',', file);
    }
    for (uint32_t k = 0; k < study->value_count; k++) {
        put_text(file, study->value_names[k], strlen(study->value_names[k]));
        fputc(',', file);
    }
    fputs("steps,state_hash,reason\n", file);
}

static void put_row(FILE *file, const AfxiStudy *study, const AfxiJournals *journals, const AfxiEntry *entry) {
    const double *point = afxi_entry_point(entry), *values = afxi_entry_values(journals, entry);
    fprintf(file, "%" PRIu64 ",%016" PRIx64 ",%s,", entry->run, entry->id,
            entry->status == AFX_OK ? "ok" : afx_status_name((AfxStatus)entry->status));
    for (uint32_t k = 0; k < study->vary_count; k++) {
        const AfxiCaseParameter *parameter = study->vary[k].parameter;
        if (parameter && parameter->kind == AFXI_CASE_CHOICE) {
            char text[64];
            afxi_study_format(&study->vary[k], point[k], text, sizeof text);
            put_text(file, text, strlen(text));
            fputc(',', file);
        } else {
            put_number(file, point[k], 15);
        }
    }
    for (uint32_t k = 0; k < study->value_count; k++) {
        put_number(file, values[k], 17);
    }
    fprintf(file, "%" PRIu64 ",%016" PRIx64 ",", entry->steps, entry->hash);
    put_text(file, afxi_entry_text(journals, entry), entry->text);
    fputc('\n', file);
}

AfxStatus afxi_write_table(const AfxiStudy *study, const AfxiJournals *journals, const AfxiTableRows *rows,
                           const char *folder, AfxError *out_error) {
    AfxiFresh fresh;
    AfxStatus status = afxi_fresh_open(&fresh, folder, "runs.csv", out_error);
    if (status != AFX_OK) {
        return status;
    }
    put_head(fresh.file, study);
    for (uint64_t k = 0; k < rows->count && !ferror(fresh.file); k++) {
        put_row(fresh.file, study, journals, rows->entries[k]);
    }
    return afxi_fresh_close(&fresh, out_error);
}
