/* SPDX-License-Identifier: Apache-2.0 */
/* A table of chosen columns as text, in the manner of RFC 4180: a line of names, commas, a point in numbers, names in
 * quotes where they need it. Numbers have 17 digits, so that they read back as the same doubles. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "out/column.h"
#include "out/file.h"
#include "out/output.h"

#define DIGITS 17
#define DEFAULT_COLUMNS "time,energy.total,residual"

typedef struct Csv {
    AfxiSink sink;
    AfxiColumns columns;
    size_t width[AFXI_QUANTITY_COUNT]; /* 0: no column needs it */
    double *rows[AFXI_QUANTITY_COUNT]; /* [width] of the frame being written */
} Csv;

static void release(AfxOutput *output) {
    Csv *csv = output->state;
    for (int k = 0; k < AFXI_QUANTITY_COUNT; k++) {
        afxi_release(&output->allocator, csv->rows[k], csv->width[k] * sizeof(double));
    }
    afxi_columns_destroy(&csv->columns);
    if (csv->sink.buffer) {
        afxi_sink_close(&csv->sink, false);
    }
    afxi_release(&output->allocator, csv, sizeof *csv);
    output->state = NULL;
}

static AfxStatus allocate(AfxOutput *output, const AfxOutputDef *def, AfxError *out_error) {
    Csv *csv = output->state = afxi_allocate(&output->allocator, sizeof *csv);
    if (!csv) {
        return afxi_output_memory(output, out_error);
    }
    csv->sink.fd = -1;
    csv->columns.allocator = output->allocator;
    AfxStatus status =
        afxi_columns_parse(&csv->columns, &output->catalog, def->what ? def->what : DEFAULT_COLUMNS, out_error);
    if (status == AFX_E_MEMORY) {
        return afxi_output_memory(output, out_error);
    }
    for (uint32_t k = 0; k < csv->columns.count && status == AFX_OK; k++) {
        AfxiQuantity quantity = csv->columns.items[k].quantity;
        if (csv->rows[quantity]) {
            continue;
        }
        size_t width = afxi_quantity_width(&output->catalog, UINT32_MAX, quantity);
        csv->rows[quantity] = afxi_allocate(&output->allocator, width * sizeof(double));
        if (!csv->rows[quantity]) {
            return afxi_output_memory(output, out_error);
        }
        csv->width[quantity] = width;
    }
    return status;
}

static void write_name(AfxiSink *sink, const char *name) {
    if (!strpbrk(name, ",\"\r\n")) {
        afxi_sink_text(sink, name);
        return;
    }
    afxi_sink_text(sink, "\"");
    for (const char *at = name; *at; at++) {
        afxi_sink_write(sink, at, 1);
        if (*at == '"') {
            afxi_sink_text(sink, "\"");
        }
    }
    afxi_sink_text(sink, "\"");
}

static void write_head(Csv *csv) {
    for (uint32_t k = 0; k < csv->columns.count; k++) {
        afxi_sink_text(&csv->sink, k ? "," : "");
        write_name(&csv->sink, csv->columns.items[k].name);
    }
    afxi_sink_text(&csv->sink, "\n");
}

/* Opens the file ("-": stdout), cut to `size` bytes; 0: anew. */
static AfxStatus open_file(AfxOutput *output, uint64_t size, AfxError *out_error) {
    Csv *csv = output->state;
    struct stat info;
    int fd = strcmp(output->path, "-") == 0
                 ? dup(STDOUT_FILENO)
                 : open(output->path, O_WRONLY | O_CLOEXEC | (size ? 0 : O_CREAT | O_TRUNC), 0666);
    if (fd < 0) {
        return afxi_file_errno(out_error, output->path, size ? "cannot be opened to go on from" : "cannot be made",
                               errno);
    }
    if (size > 0) {
        bool whole = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size >= size;
        if (!whole || ftruncate(fd, (off_t)size) != 0 || lseek(fd, (off_t)size, SEEK_SET) < 0) {
            close(fd);
            return afxi_file_error(out_error, AFX_E_INPUT, output->path, "is shorter than when the snapshot was taken",
                                   "restore it, or start the run anew");
        }
    }
    if (!afxi_sink_open(&output->allocator, fd, size, &csv->sink)) {
        close(fd);
        return afxi_output_memory(output, out_error);
    }
    return AFX_OK;
}

static AfxStatus csv_open(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                          AfxiMark *mark, AfxError *out_error) {
    (void)scene;
    (void)sim;
    uint64_t size = 0;
    if (mark && (!afxi_mark_get(mark, &size, sizeof size) || size == 0)) {
        return afxi_mark_damaged(output, out_error);
    }
    AfxStatus status = allocate(output, def, out_error);
    if (status == AFX_OK) {
        status = open_file(output, size, out_error);
    }
    if (status == AFX_OK && !mark) {
        write_head(output->state);
    }
    if (status != AFX_OK && output->state) {
        release(output);
    }
    return status;
}

static AfxStatus csv_frame(AfxOutput *output, const AfxSim *sim, AfxError *out_error) {
    Csv *csv = output->state;
    for (int k = 0; k < AFXI_QUANTITY_COUNT; k++) {
        if (csv->rows[k]) {
            afxi_quantity_take((AfxiQuantity)k, &output->catalog, sim, &output->report, csv->rows[k]);
        }
    }
    for (uint32_t k = 0; k < csv->columns.count; k++) {
        const AfxiColumn *column = &csv->columns.items[k];
        afxi_sink_text(&csv->sink, k ? "," : "");
        afxi_sink_number(&csv->sink, csv->rows[column->quantity][column->index], DIGITS);
    }
    afxi_sink_text(&csv->sink, "\n");
    return csv->sink.error ? afxi_file_errno(out_error, output->path, "cannot be written", csv->sink.error) : AFX_OK;
}

static AfxStatus csv_mark(AfxOutput *output, AfxError *out_error) {
    Csv *csv = output->state;
    if (!afxi_sink_flush(&csv->sink, true)) {
        return afxi_file_errno(out_error, output->path, "cannot be written", csv->sink.error);
    }
    AfxStatus status = afxi_mark_put(output, &csv->sink.size, sizeof csv->sink.size);
    return status == AFX_OK ? AFX_OK : afxi_output_memory(output, out_error);
}

static AfxStatus csv_close(AfxOutput *output, bool complete, AfxError *out_error) {
    (void)complete;
    Csv *csv = output->state;
    AfxStatus status = AFX_OK;
    if (!afxi_sink_close(&csv->sink, false)) {
        status = afxi_file_errno(out_error, output->path, "cannot be written", csv->sink.error);
    }
    release(output);
    return status;
}

const AfxiOutputKind afxi_output_csv = {csv_open, csv_frame, csv_mark, csv_close, NULL};
