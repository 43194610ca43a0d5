/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs: the public functions. They decide when a frame is due and combine reports; the kinds write. */
#include "out/output.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "out/file.h"

#define MARK_MAGIC UINT64_C(0x336b72616d786661) /* "afxmark", and the version of its layout */
#define MARK_NAME UINT64_C(0x00ffffffffffffff)  /* what all versions share */

/* The beginning of every mark. */
typedef struct MarkHead {
    uint64_t magic, identity;
    uint64_t frames, since, step;
    double residual, rotation_error, depth;
    uint32_t solves, flags, contacts, reason;
} MarkHead;

static const AfxiOutputKind *const kinds[] = {
    [AFX_OUTPUT_HDF5] = &afxi_output_hdf5, [AFX_OUTPUT_CSV] = &afxi_output_csv,   [AFX_OUTPUT_GLTF] = &afxi_output_gltf,
    [AFX_OUTPUT_VTK] = &afxi_output_vtk,   [AFX_OUTPUT_HTML] = &afxi_output_html, [AFX_OUTPUT_LIVE] = &afxi_output_live,
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

AfxOutputDef afx_default_output(AfxOutputKind kind) {
    return (AfxOutputDef){
        .cookie = AFXI_COOKIE,
        .allocator = afx_default_allocator(),
        .kind = kind,
        .every = 1,
        .compression = 1,
    };
}

AfxStatus afxi_output_memory(const AfxOutput *output, AfxError *out_error) {
    return afxi_file_error(out_error, AFX_E_MEMORY, output->path, afx_status_text(AFX_E_MEMORY), "record less");
}

AfxStatus afxi_mark_put(AfxOutput *output, const void *data, size_t size) {
    if (size > output->mark_capacity - output->mark_size) {
        if (size > SIZE_MAX / 2 - output->mark_size) {
            return AFX_E_LIMIT;
        }
        size_t wanted = 2 * (output->mark_size + size);
        unsigned char *grown =
            output->allocator.reallocate(output->allocator.user, output->mark, output->mark_capacity, wanted);
        if (!grown) {
            return AFX_E_MEMORY;
        }
        output->mark = grown;
        output->mark_capacity = wanted;
    }
    if (size) {
        memcpy(output->mark + output->mark_size, data, size);
        output->mark_size += size;
    }
    return AFX_OK;
}

bool afxi_mark_get(AfxiMark *mark, void *out_data, size_t size) {
    if (size > mark->size) {
        return false;
    }
    if (size) {
        memcpy(out_data, mark->data, size);
        mark->data += size;
        mark->size -= size;
    }
    return true;
}

AfxStatus afxi_mark_damaged(const AfxOutput *output, AfxError *out_error) {
    return afxi_file_error(out_error, AFX_E_VERSION, output->path, "the mark to go on from is not one of this output",
                           "ask for the same output as when the run was started");
}

static uint64_t identity(const AfxOutputDef *def, const AfxiCatalog *catalog) {
    uint64_t numbers[] = {(uint64_t)def->kind, def->every, def->chunk, def->compression, catalog->model_hash};
    uint64_t hash = afxi_hash(AFXI_HASH_START, numbers, sizeof numbers);
    return afxi_hash(hash, def->what ? def->what : "", def->what ? strlen(def->what) : 0);
}

static AfxStatus check(const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim, AfxError *out_error) {
    if (!scene || !sim || !def || !def->path || !def->allocator.reallocate || (unsigned)def->kind >= KIND_COUNT) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "output", "scene, sim, path or allocator is missing, or the kind",
                          "start from afx_default_output");
    }
    if (def->cookie != AFXI_COOKIE) {
        return afxi_error(out_error, AFX_E_VERSION, "output", "the definition was not made by afx_default_output",
                          "start from afx_default_output");
    }
    if (def->every == 0 || def->compression > 9) {
        return afxi_file_error(out_error, AFX_E_ARGUMENT, def->path, "every is 0, or the compression beyond 9",
                               "start from afx_default_output");
    }
    return AFX_OK;
}

static AfxStatus read_head(AfxOutput *output, AfxiMark *mark, AfxError *out_error) {
    MarkHead head = {0};
    bool whole = afxi_mark_get(mark, &head, sizeof head);
    if (whole && head.magic != MARK_MAGIC && (head.magic & MARK_NAME) == (MARK_MAGIC & MARK_NAME)) {
        return afxi_file_error(out_error, AFX_E_VERSION, output->path,
                               "the mark to go on from was made by another version of Affix",
                               "finish the run with the version that began it, or start the run anew");
    }
    if (!whole || head.magic != MARK_MAGIC || head.identity != output->identity || head.since >= output->every ||
        head.frames == 0) {
        return afxi_mark_damaged(output, out_error);
    }
    output->frames = head.frames;
    output->since = head.since;
    output->reason = head.reason < AFX_TRACE_REASON_COUNT ? (AfxTraceReason)head.reason : AFX_TRACE_FINE;
    output->report = (AfxStepReport){.flags = head.flags,
                                     .solves = head.solves,
                                     .residual = head.residual,
                                     .rotation_error = head.rotation_error,
                                     .contacts = head.contacts,
                                     .depth = head.depth,
                                     .step = head.step};
    return AFX_OK;
}

static void destroy(AfxOutput *output) {
    AfxAllocator allocator = output->allocator;
    afxi_catalog_destroy(&output->catalog);
    afxi_lock_release(&output->lock);
    afxi_path_release(&allocator, output->path);
    afxi_release(&allocator, output->mark, output->mark_capacity);
    afxi_release(&allocator, output, sizeof *output);
}

static AfxStatus write_frame(AfxOutput *output, const AfxSim *sim, AfxError *out_error) {
    AfxStatus status = output->kind->frame(output, sim, out_error);
    if (status == AFX_OK) {
        output->frames++;
        output->since = 0;
        output->report = (AfxStepReport){.step = output->report.step};
        output->reason = AFX_TRACE_FINE;
    }
    return status;
}

static AfxStatus open_output(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                             AfxiMark *mark, AfxError *out_error) {
    output->path = afxi_path_with(&output->allocator, def->path, "");
    if (!output->path) {
        return afxi_file_error(out_error, AFX_E_MEMORY, def->path, afx_status_text(AFX_E_MEMORY), "");
    }
    AfxStatus status = afxi_catalog_create(&output->allocator, scene, afx_sim_model(sim), &output->catalog);
    if (status != AFX_OK) {
        return afxi_file_error(
            out_error, status, def->path,
            status == AFX_E_ARGUMENT ? "the sim's model is not one of this scene" : afx_status_text(status), "");
    }
    output->identity = identity(def, &output->catalog);
    if (mark) {
        status = read_head(output, mark, out_error);
    }
    if (status == AFX_OK && !(def->kind == AFX_OUTPUT_CSV && strcmp(output->path, "-") == 0)) {
        status = afxi_lock_take(&output->allocator, output->path, &output->lock, out_error);
    }
    if (status == AFX_OK) {
        status = output->kind->open(output, def, scene, sim, mark, out_error);
    }
    if (status == AFX_OK && !mark) {
        status = write_frame(output, sim, out_error);
        if (status != AFX_OK) {
            output->kind->close(output, false, NULL);
        }
    }
    return status;
}

static AfxStatus create(const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim, AfxiMark *mark,
                        AfxOutput **out_output, AfxError *out_error) {
    *out_output = NULL;
    AfxStatus status = check(def, scene, sim, out_error);
    if (status != AFX_OK) {
        return status;
    }
    AfxOutput *output = afxi_allocate(&def->allocator, sizeof *output);
    if (!output) {
        return afxi_file_error(out_error, AFX_E_MEMORY, def->path, afx_status_text(AFX_E_MEMORY), "");
    }
    output->allocator = def->allocator;
    output->kind = kinds[def->kind];
    output->every = def->every;
    status = open_output(output, def, scene, sim, mark, out_error);
    if (status != AFX_OK) {
        destroy(output);
        return status;
    }
    *out_output = output;
    return AFX_OK;
}

AfxStatus afx_output_create(const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim, AfxOutput **out_output,
                            AfxError *out_error) {
    return out_output ? create(def, scene, sim, NULL, out_output, out_error) : AFX_E_ARGUMENT;
}

AfxStatus afx_output_resume(const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim, const void *mark,
                            size_t size, AfxOutput **out_output, AfxError *out_error) {
    if (!out_output || !mark) {
        return AFX_E_ARGUMENT;
    }
    AfxiMark left = {mark, size};
    return create(def, scene, sim, &left, out_output, out_error);
}

/* Keeps an error, for every later call. */
static AfxStatus keep(AfxOutput *output, AfxStatus status, const AfxError *error, AfxError *out_error) {
    if (status != AFX_OK) {
        output->error = *error;
        output->error.status = status;
        if (out_error) {
            *out_error = output->error;
        }
    }
    return status;
}

/* The larger; NaN when either is: it must not go unseen. */
static double worst(double a, double b) {
    return b <= a ? a : (isnan(a) ? a : b);
}

AfxStatus afx_output_step(AfxOutput *output, const AfxSim *sim, const AfxStepReport *report, AfxError *out_error) {
    if (!output || !sim || !report) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "output", "output, sim or report is missing", "");
    }
    if (output->error.status != AFX_OK) {
        return keep(output, output->error.status, &output->error, out_error);
    }
    AfxStepReport *sum = &output->report;
    sum->flags |= report->flags;
    output->reason = report->solves > sum->solves ? afx_sim_trace_reason(sim) : output->reason;
    sum->solves = report->solves > sum->solves ? report->solves : sum->solves;
    sum->residual = worst(sum->residual, report->residual);
    sum->rotation_error = worst(sum->rotation_error, report->rotation_error);
    sum->contacts = report->contacts > sum->contacts ? report->contacts : sum->contacts;
    sum->depth = worst(sum->depth, report->depth);
    sum->step = report->step;
    for (int k = 0; k < AFX_STAGE_COUNT; k++) {
        sum->stage_seconds[k] += report->stage_seconds[k];
    }
    if (++output->since < output->every) {
        return AFX_OK;
    }
    AfxError error = {0};
    return keep(output, write_frame(output, sim, &error), &error, out_error);
}

AfxStatus afx_output_mark(AfxOutput *output, const void **out_mark, size_t *out_size, AfxError *out_error) {
    if (!output || !out_mark || !out_size) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "output", "an argument is missing", "");
    }
    if (output->error.status != AFX_OK) {
        return keep(output, output->error.status, &output->error, out_error);
    }
    const AfxStepReport *sum = &output->report;
    MarkHead head = {.magic = MARK_MAGIC,
                     .identity = output->identity,
                     .frames = output->frames,
                     .since = output->since,
                     .step = sum->step,
                     .residual = sum->residual,
                     .rotation_error = sum->rotation_error,
                     .depth = sum->depth,
                     .solves = sum->solves,
                     .flags = sum->flags,
                     .contacts = sum->contacts,
                     .reason = (uint32_t)output->reason};
    AfxError error = {0};
    output->mark_size = 0;
    AfxStatus status = afxi_mark_put(output, &head, sizeof head);
    if (status == AFX_OK) {
        status = output->kind->mark(output, &error);
    } else {
        afxi_output_memory(output, &error);
    }
    *out_mark = output->mark;
    *out_size = output->mark_size;
    return keep(output, status, &error, out_error);
}

AfxStatus afx_output_draw(AfxOutput *output, const AfxDrawing *drawing, AfxError *out_error) {
    if (!output) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "output", "output is missing", "");
    }
    if (output->error.status != AFX_OK) {
        return keep(output, output->error.status, &output->error, out_error);
    }
    return output->kind->draw ? output->kind->draw(output, drawing, out_error) : AFX_OK;
}

uint64_t afx_output_frames(const AfxOutput *output) {
    return output ? output->frames : 0;
}

AfxStatus afx_output_close(AfxOutput *output, AfxError *out_error) {
    if (!output) {
        return AFX_OK;
    }
    AfxError error = output->error;
    bool complete = output->error.status == AFX_OK;
    AfxStatus status = output->kind->close(output, complete, complete ? &error : NULL);
    status = keep(output, complete ? status : output->error.status, &error, out_error);
    destroy(output);
    return status;
}
