/* SPDX-License-Identifier: Apache-2.0 */
/* The report: one page (report.html, which stands in the library as text) with the runs as JSON in it, and pages that
 * play the best ones. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sweep/error.h"
#include "sweep/finish.h"
#include "sweep/number.h"

#define ROWS_MOST 20000u
#define BEST_MOST 100u
#define MARK "@AFFIX_SWEEP_DATA@"

extern const char afxi_sweep_page[];

/* A text for JSON inside a page. */
static void put_text(FILE *file, const char *text) {
    fputc('"', file);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\' || *at == '<' || *at < 0x20) {
            fprintf(file, "\\u%04x", *at);
        } else {
            fputc(*at, file);
        }
    }
    fputc('"', file);
}

static void put_number(FILE *file, double value) {
    if (isfinite(value)) {
        fprintf(file, "%.9g", value);
    } else {
        fputs("null", file);
    }
}

static void put_columns(FILE *file, const AfxiStudy *study) {
    fputs("\"columns\":[", file);
    for (uint32_t k = 0; k < study->vary_count; k++) {
        const AfxiVary *vary = &study->vary[k];
        fprintf(file, "%s{\"kind\":\"parameter\",\"log\":%s,\"name\":", k ? "," : "", vary->log ? "true" : "false");
        put_text(file, vary->name);
        if (vary->parameter && vary->parameter->kind == AFXI_CASE_CHOICE) {
            fputs(",\"choices\":[", file);
            for (uint32_t c = 0; vary->parameter->choices[c]; c++) {
                fputs(c ? "," : "", file);
                put_text(file, vary->parameter->choices[c]);
            }
            fputc(']', file);
        }
        fputc('}', file);
    }
    for (uint32_t k = 0; k < study->value_count; k++) {
        fputs(",{\"kind\":\"value\",\"name\":", file);
        put_text(file, study->value_names[k]);
        fputc('}', file);
    }
    fputs("],", file);
}

static void put_row(FILE *file, const AfxiStudy *study, const AfxiJournals *journals, const AfxiEntry *entry) {
    fprintf(file, "[%" PRIu64 ",%d", entry->run, entry->status);
    for (uint32_t k = 0; k < study->vary_count; k++) {
        fputc(',', file);
        put_number(file, afxi_entry_point(entry)[k]);
    }
    for (uint32_t k = 0; k < study->value_count; k++) {
        fputc(',', file);
        put_number(file, afxi_entry_values(journals, entry)[k]);
    }
    fputc(']', file);
}

static void put_data(FILE *file, const AfxiStudy *study, const AfxiJournals *journals, const AfxiTableRows *rows,
                     const uint64_t *best, uint32_t best_count, uint32_t replays) {
    uint64_t stride = rows->count / ROWS_MOST + 1;
    fputs("{\"scene\":", file);
    put_text(file, study->label);
    fputs(",\"study\":", file);
    put_text(file, study->path);
    fprintf(file, ",\"runs\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"stride\":%" PRIu64 ",\"maximise\":%s,", rows->count,
            rows->failed, stride, study->maximise ? "true" : "false");
    put_columns(file, study);
    fputs("\"best\":[", file);
    for (uint32_t k = 0; k < best_count; k++) {
        fputs(k ? ",\n" : "\n", file);
        put_row(file, study, journals, rows->entries[best[k]]);
    }
    fprintf(file, "],\"replays\":%u,\"rows\":[", replays);
    for (uint64_t k = 0; k < rows->count; k += stride) {
        fputs(k ? ",\n" : "\n", file);
        put_row(file, study, journals, rows->entries[k]);
    }
    fputs("]}", file);
}

/* A build without the viewer makes no pages; that is no reason to lose the rest. */
static bool no_viewer(AfxStatus status, const AfxError *error) {
    return status == AFX_E_SYSTEM && strcmp(error->element, "viewer") == 0;
}

/* Pages of the best runs, best first; *out_made: how many there are. */
static AfxStatus make_replays(const AfxiStudy *study, const AfxiTableRows *rows, const char *folder,
                              const uint64_t *best, uint32_t count, uint32_t *out_made, AfxError *out_error) {
    char path[4096], title[120];
    AfxiWorker *worker = NULL;
    AfxError error = {0};
    *out_made = 0;
    snprintf(path, sizeof path, "%s/replays", folder);
    if (count == 0) {
        return AFX_OK;
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        return afxi_sweep_system(out_error, path, "cannot be made", errno);
    }
    AfxStatus status = afxi_worker_create(study, &worker, &error);
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        const AfxiEntry *entry = rows->entries[best[k]];
        snprintf(path, sizeof path, "%s/replays/run-%" PRIu64 ".html", folder, entry->run);
        snprintf(title, sizeof title, "%.80s, run %" PRIu64, study->label, entry->run);
        status = afxi_worker_replay(worker, afxi_entry_point(entry), path, title, &error);
        *out_made += status == AFX_OK;
    }
    afxi_worker_destroy(worker);
    if (status == AFX_OK || no_viewer(status, &error)) {
        return AFX_OK;
    }
    if (out_error) {
        *out_error = error;
        snprintf(out_error->cure, sizeof out_error->cure, "make room, then go on with --resume; or --replays 0");
    }
    return status;
}

AfxStatus afxi_write_report(const AfxiStudy *study, const AfxiJournals *journals, const AfxiTableRows *rows,
                            const char *folder, uint32_t replays, AfxError *out_error) {
    AfxiFresh fresh;
    uint64_t best[BEST_MOST];
    uint32_t best_count = afxi_rows_best(study, journals, rows, BEST_MOST, best);
    AfxStatus status =
        make_replays(study, rows, folder, best, replays < best_count ? replays : best_count, &replays, out_error);
    status = status ? status : afxi_fresh_open(&fresh, folder, "report.html", out_error);
    if (status != AFX_OK) {
        return status;
    }
    const char *mark = strstr(afxi_sweep_page, MARK);
    size_t head = mark ? (size_t)(mark - afxi_sweep_page) : 0;
    fwrite(afxi_sweep_page, 1, head, fresh.file);
    put_data(fresh.file, study, journals, rows, best, best_count, replays);
    fputs(mark ? mark + strlen(MARK) : "", fresh.file);
    return afxi_fresh_close(&fresh, out_error);
}
