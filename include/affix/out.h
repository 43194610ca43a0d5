/* SPDX-License-Identifier: Apache-2.0 */
/* affix/out.h: results of a run on disk: trajectories, tables, animations, and snapshots that a run is resumed from.
 * Part of libaffix_io, not of libaffix: it needs HDF5.
 *
 *     AfxOutputDef def = afx_default_output(AFX_OUTPUT_HDF5);
 *     def.path = "run.h5";
 *     AfxOutput *output = NULL;
 *     AfxError error;
 *     if (afx_output_create(&def, scene, sim, &output, &error) != AFX_OK) { ... error.file, error.text ... }
 *     while (...) {
 *         afx_step(sim, &report);
 *         afx_output_step(output, sim, &report, &error);
 *     }
 *     afx_output_close(output, &error);
 *
 * HDF5 itself is not made for several threads: use the outputs and tables of a process from one thread at a time. */
#ifndef AFFIX_OUT_H
#define AFFIX_OUT_H

#include "affix/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- outputs of a run ---- */

typedef struct AfxOutput AfxOutput;

typedef enum AfxOutputKind {
    AFX_OUTPUT_HDF5 = 0, /* trajectory; can be read while it is written (SWMR) */
    AFX_OUTPUT_CSV,      /* table of chosen columns; path "-" is stdout */
    AFX_OUTPUT_GLTF,     /* .glb: the shapes and an animation of their bodies */
    AFX_OUTPUT_VTK,      /* .pvd and one .vtp for each frame */
    AFX_OUTPUT_HTML,     /* one page that plays the run in a browser; AFX_E_SYSTEM where it was built without */
    AFX_OUTPUT_LIVE      /* the latest state only, for `affix view PATH` to show while the run goes on */
} AfxOutputKind;

/* What a trajectory can hold: record, its name in AfxOutputDef.what. Time and number of the step are always there. */
#define AFX_RECORD_TABLE(X)                \
    X(AFX_RECORD_POSES, "poses")           \
    X(AFX_RECORD_VELOCITIES, "velocities") \
    X(AFX_RECORD_JOINTS, "joints")         \
    X(AFX_RECORD_RATES, "rates")           \
    X(AFX_RECORD_REACTIONS, "reactions")   \
    X(AFX_RECORD_EFFORTS, "efforts")       \
    X(AFX_RECORD_MARKERS, "markers")       \
    X(AFX_RECORD_ENERGY, "energy")         \
    X(AFX_RECORD_MOMENTUM, "momentum")     \
    X(AFX_RECORD_REPORT, "report")         \
    X(AFX_RECORD_WORK, "work")

typedef enum AfxRecord {
#define AFX_RECORD_ENUM(record, name) record,
    AFX_RECORD_TABLE(AFX_RECORD_ENUM)
#undef AFX_RECORD_ENUM
        AFX_RECORD_COUNT
} AfxRecord;

typedef struct AfxOutputDef {
    uint32_t cookie; /* set by afx_default_output */
    AfxAllocator allocator;
    AfxOutputKind kind;
    const char *path;
    const char *what; /* HDF5: names of records, "poses,energy", or "all"; CSV: columns, "time,body:arm.z". NULL: the
                         default of the kind; see docs/output.md */
    uint64_t every;   /* a frame after every so many steps; default 1 */
    uint32_t chunk;   /* HDF5: frames written at once; 0: by their size */
    uint32_t compression; /* HDF5: 0 (none) to 9, default 1 */
    const char *title;    /* what ran, for whoever reads the file; may be NULL */
    const AfxRunDef *run; /* how: kept with the scene in trajectories; its cameras are those of pages; may be NULL */
} AfxOutputDef;

/** An output of a kind: no path yet, a frame after every step, the default records or columns, compression 1. */
AFX_API AfxOutputDef afx_default_output(AfxOutputKind kind);
/** Opens an output and writes its first frame: the state of `sim` as it is. `scene` is the one that the sim's model was
 * made from; neither is kept. On failure *out_output is NULL, and *out_error (may be NULL) names the file. */
AFX_API AfxStatus afx_output_create(const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                                    AfxOutput **out_output, AfxError *out_error);
/** To be called after every step: writes a frame when one is due. The flags of the steps since the last frame are
 * combined, and so are their largest constraint violation, rotation error, number of solver iterations and contacts,
 * and penetration. After an error nothing more is written, and every further call returns that error. */
AFX_API AfxStatus afx_output_step(AfxOutput *output, const AfxSim *sim, const AfxStepReport *report,
                                  AfxError *out_error);
/** Puts on disk what there is and gives where the output stands, for afx_output_resume: [*out_size] bytes that stay
 * until the next call for this output. */
AFX_API AfxStatus afx_output_mark(AfxOutput *output, const void **out_mark, size_t *out_size, AfxError *out_error);
/** Goes on from a mark: the file is cut back to what it held then. The definition must ask for the same as the first
 * one did. `sim` is at the state of the mark. */
AFX_API AfxStatus afx_output_resume(const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim, const void *mark,
                                    size_t size, AfxOutput **out_output, AfxError *out_error);
/** Frames so far, the first one included. */
AFX_API uint64_t afx_output_frames(const AfxOutput *output);
/** Finishes the file and frees the output, in any case. NULL is allowed. */
AFX_API AfxStatus afx_output_close(AfxOutput *output, AfxError *out_error);

/* ---- own geometry ---- */

/** Lines, arrows, points and texts of the caller's own, in the world, for what plays a run. */
typedef struct AfxDrawing AfxDrawing;

#define AFX_DRAWING_ITEMS 100000u /* of one drawing */
#define AFX_DRAWING_TEXT 256u     /* bytes of a text, its zero included */

/** An empty drawing. NULL for the allocator: the default one. */
AFX_API AfxStatus afx_drawing_create(const AfxAllocator *allocator, AfxDrawing **out_drawing);
/** Frees a drawing. NULL is allowed. */
AFX_API void afx_drawing_destroy(AfxDrawing *drawing);
/** Takes everything out of it. */
AFX_API AfxStatus afx_drawing_clear(AfxDrawing *drawing);
/** Adds a line; AFX_COLOR(red, green, blue), or 0: the viewer chooses. Of this and the following: AFX_E_INPUT for
 * numbers that are not finite, AFX_E_LIMIT when there are too many. */
AFX_API AfxStatus afx_drawing_line(AfxDrawing *drawing, AfxVec3 from, AfxVec3 to, uint32_t color);
/** Adds an arrow. */
AFX_API AfxStatus afx_drawing_arrow(AfxDrawing *drawing, AfxVec3 from, AfxVec3 to, uint32_t color);
/** Adds a point, drawn as a dot of some pixels. */
AFX_API AfxStatus afx_drawing_point(AfxDrawing *drawing, AfxVec3 at, uint32_t color);
/** Adds a text beside a point, UTF-8. */
AFX_API AfxStatus afx_drawing_text(AfxDrawing *drawing, AfxVec3 at, const char *text, uint32_t color);
/** Number of items. */
AFX_API uint32_t afx_drawing_count(const AfxDrawing *drawing);
/** What frames from now on show beside the bodies, until the next call; NULL: nothing. It is copied. Pages and
 * trajectories hold it (AFX_OUTPUT_HTML, AFX_OUTPUT_HDF5), a run that is watched shows it (AFX_OUTPUT_LIVE), other
 * kinds leave it out. A resumed output shows what it had at the mark. AFX_E_LIMIT when all drawings of an output have
 * more than 256 MiB. */
AFX_API AfxStatus afx_output_draw(AfxOutput *output, const AfxDrawing *drawing, AfxError *out_error);

/** Writes a drawing to a file that `affix view --draw FILE` shows, and looks at again while it runs. The file is
 * complete, or the old one stays. */
AFX_API AfxStatus afx_drawing_save(const AfxDrawing *drawing, const char *path, AfxError *out_error);

/* ---- the scene of a result ---- */

/** Reads the scene that a trajectory holds, or a snapshot of `affix run`, into `scene`, which must be empty: with
 * def->run, the whole run. It names no files, so that nothing else is needed. Files are not trusted: the limits of
 * `def` hold. AFX_E_INPUT where there is no scene. */
AFX_API AfxStatus afx_scene_load_result(AfxScene *scene, const char *path, const AfxLoadDef *def, AfxError *out_error);

/* ---- columns of a trajectory or table ---- */

typedef struct AfxTable AfxTable;

/** Reads columns (names as in AfxOutputDef.what of a CSV; one name can stand for several columns) from a trajectory,
 * also while it is being written, or from a CSV file. Files are not trusted. NULL for the allocator: the default one.
 */
AFX_API AfxStatus afx_table_read(const char *path, uint32_t name_count, const char *const *names,
                                 const AfxAllocator *allocator, AfxTable **out_table, AfxError *out_error);
/** Frees a table. NULL is allowed. */
AFX_API void afx_table_destroy(AfxTable *table);
/** Number of columns. */
AFX_API uint32_t afx_table_column_count(const AfxTable *table);
/** Number of rows, one for each frame. */
AFX_API uint64_t afx_table_row_count(const AfxTable *table);
/** Name of a column; NULL when out of range. */
AFX_API const char *afx_table_name(const AfxTable *table, uint32_t column);
/** [rows] numbers of a column; NULL when out of range. */
AFX_API const double *afx_table_column(const AfxTable *table, uint32_t column);

/* ---- columns of a running sim ---- */

typedef struct AfxProbe AfxProbe;

/** Columns by name (as in AfxOutputDef.what of a CSV, with commas; one name can stand for several) as numbers in
 * memory. `scene` is the one that `model` was made from, and is not kept. A probe has a workspace: one for each thread.
 * NULL for the allocator: the default one. */
AFX_API AfxStatus afx_probe_create(const AfxScene *scene, const AfxModel *model, const char *columns,
                                   const AfxAllocator *allocator, AfxProbe **out_probe, AfxError *out_error);
/** Frees a probe. NULL is allowed. */
AFX_API void afx_probe_destroy(AfxProbe *probe);
/** Number of columns. */
AFX_API uint32_t afx_probe_count(const AfxProbe *probe);
/** Name of a column; NULL when out of range. */
AFX_API const char *afx_probe_name(const AfxProbe *probe, uint32_t column);
/** [columns] numbers of a sim of that model, as it is; `report` is that of its last step, NULL before the first.
 * Allocates nothing. */
AFX_API AfxStatus afx_probe_read(AfxProbe *probe, const AfxSim *sim, const AfxStepReport *report, double *out_values);

/* ---- snapshot files ---- */

typedef struct AfxSnapshot AfxSnapshot;

/** Bytes of the caller's own that go with a snapshot. */
typedef struct AfxSnapshotPart {
    const char *name; /* 1 to 15 characters */
    const void *data;
    size_t size;
} AfxSnapshotPart;

#define AFX_SNAPSHOT_PARTS 32

typedef struct AfxSnapshotDef {
    uint32_t cookie; /* set by afx_default_snapshot */
    AfxAllocator allocator;
    const char *path;
    bool keep;     /* what is at `path` is kept as `path`.1; default true */
    uint64_t step; /* the caller's count of steps */
    const AfxSnapshotPart *parts;
    uint32_t part_count; /* at most AFX_SNAPSHOT_PARTS */
} AfxSnapshotDef;

/** No path yet, no parts; the snapshot before is kept. */
AFX_API AfxSnapshotDef afx_default_snapshot(void);
/** Writes the sim's state and the parts. The file is complete, or the old one stays: it is written under another name,
 * put on disk, and renamed. */
AFX_API AfxStatus afx_snapshot_write(const AfxSnapshotDef *def, const AfxSim *sim, AfxError *out_error);
/** Reads a snapshot and checks it; AFX_E_INPUT when it is damaged. NULL for the allocator: the default one. */
AFX_API AfxStatus afx_snapshot_read(const char *path, const AfxAllocator *allocator, AfxSnapshot **out_snapshot,
                                    AfxError *out_error);
/** Frees a snapshot that was read. NULL is allowed. */
AFX_API void afx_snapshot_destroy(AfxSnapshot *snapshot);
/** The caller's count of steps, as in AfxSnapshotDef.step. */
AFX_API uint64_t afx_snapshot_step(const AfxSnapshot *snapshot);
/** Simulated time of the state, s. */
AFX_API double afx_snapshot_time(const AfxSnapshot *snapshot);
/** afx_model_hash of the model whose state it is. */
AFX_API uint64_t afx_snapshot_model_hash(const AfxSnapshot *snapshot);
/** A part by its name: its bytes, aligned to 8, which live as long as the snapshot. AFX_E_ARGUMENT when there is none.
 */
AFX_API AfxStatus afx_snapshot_part(const AfxSnapshot *snapshot, const char *name, const void **out_data,
                                    size_t *out_size);
/** Puts the state into a sim of the same model, integrator and step: the run then continues bit for bit. AFX_E_VERSION
 * when it is another one. */
AFX_API AfxStatus afx_snapshot_restore(const AfxSnapshot *snapshot, AfxSim *sim, AfxError *out_error);

#ifdef __cplusplus
}
#endif
#endif
