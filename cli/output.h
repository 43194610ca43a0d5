/* SPDX-License-Identifier: Apache-2.0 */
/* cli/output.h: the files that `affix run` writes: what was asked for, and the run's outputs while it goes on. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "affix/io.h"
#include "affix/out.h"
#include "cli/options.h"

/* The options, in the order of the help. */
enum {
    CLI_OUTPUT_TRAJECTORY = 0,
    CLI_OUTPUT_CSV,
    CLI_OUTPUT_GLTF,
    CLI_OUTPUT_VTK,
    CLI_OUTPUT_HTML,
    CLI_OUTPUT_LIVE,
    CLI_OUTPUT_FILES, /* the options above name a file each, in the order of AfxOutputKind */
    CLI_OUTPUT_RECORD = CLI_OUTPUT_FILES,
    CLI_OUTPUT_COLUMNS,
    CLI_OUTPUT_EVERY,
    CLI_OUTPUT_CHUNK,
    CLI_OUTPUT_COMPRESS,
    CLI_OUTPUT_SNAPSHOT,
    CLI_OUTPUT_SNAPSHOT_EVERY,
    CLI_OUTPUT_RESUME,
    CLI_OUTPUT_OPTION_COUNT
};

/* Their lines of an option table, from `first` on. */
#define CLI_OUTPUT_OPTIONS(first)                                                                                      \
    [(first) +                                                                                                         \
        CLI_OUTPUT_TRAJECTORY] = {"out", "FILE",                                                                       \
                                  "write an HDF5 trajectory; .csv, .glb, .pvd, .html, .live: as the options below"},   \
        [(first) + CLI_OUTPUT_CSV] = {"csv", "FILE", "write a table; - for stdout"},                                   \
        [(first) + CLI_OUTPUT_GLTF] = {"gltf", "FILE", "write an animation (.glb)"},                                   \
        [(first) + CLI_OUTPUT_VTK] = {"vtk", "FILE", "write a series for VTK (.pvd, and a .vtp for each frame)"},      \
        [(first) + CLI_OUTPUT_HTML] = {"html", "FILE", "write a page that plays the run in a browser"},                \
        [(first) + CLI_OUTPUT_LIVE] = {"live", "FILE", "keep the latest state for affix view FILE to show meanwhile"}, \
        [(first) +                                                                                                     \
            CLI_OUTPUT_RECORD] = {"record", "LIST", "what a trajectory holds: poses,joints,energy,report ... or all"}, \
        [(first) +                                                                                                     \
            CLI_OUTPUT_COLUMNS] = {"columns", "LIST", "columns of a table: time,energy,body:NAME.z,joint:NAME ..."},   \
        [(first) + CLI_OUTPUT_EVERY] = {"every", "N",                                                                  \
                                        "write a frame after every N steps (default 1; for --html 60 frames/s)"},      \
        [(first) + CLI_OUTPUT_CHUNK] = {"chunk", "N", "frames that a trajectory writes at once (default: by size)"},   \
        [(first) + CLI_OUTPUT_COMPRESS] = {"compress", "N", "compression of a trajectory, 0 to 9 (default 1)"},        \
        [(first) + CLI_OUTPUT_SNAPSHOT] = {"snapshot", "FILE", "keep what is needed to resume the run"},               \
        [(first) +                                                                                                     \
            CLI_OUTPUT_SNAPSHOT_EVERY] = {"snapshot-every", "N", "after every N steps (default: once a minute)"},      \
        [(first) +                                                                                                     \
            CLI_OUTPUT_RESUME] = {"resume", "FILE", "go on from a snapshot; the rest is as when it was started"}

typedef struct CliOutputSettings {
    const char *paths[CLI_OUTPUT_FILES]; /* NULL: not asked for */
    const char *record, *columns;
    uint64_t every; /* 0: not given */
    uint32_t chunk, compression;
    const char *snapshot;
    uint64_t snapshot_every; /* 0: by the clock */
} CliOutputSettings;

/** Reads given[CLI_OUTPUT_OPTION_COUNT]; where no file is asked for there, those of `run` are (NULL: they are not
 * known yet). False after an error was
 * printed. */
bool cli_output_read(const char *const *given, const AfxRunDef *run, CliOutputSettings *out_settings);
/** Whether stdout is one of the files. */
bool cli_output_is_stdout(const CliOutputSettings *settings);
/** Whether any file is to be written. */
bool cli_output_any(const CliOutputSettings *settings);
/** "out", "csv", ...: the option, and the part of a snapshot. */
const char *cli_output_name(uint32_t file);

/** The outputs of a run. */
typedef struct CliOutputs {
    AfxOutput *files[CLI_OUTPUT_FILES];
    bool failed; /* one could not be written; the error was printed */
} CliOutputs;

/** Opens all outputs, anew or as a snapshot (may be NULL) tells. An exit code, with the error printed. */
int cli_outputs_open(CliOutputs *outputs, const CliOutputSettings *settings, const AfxAllocator *allocator,
                     const char *title, const AfxRunDef *run, const AfxScene *scene, AfxSim *sim,
                     const AfxSnapshot *snapshot);
/** After every step. One that fails is closed, and said so. */
void cli_outputs_step(CliOutputs *outputs, const AfxSim *sim, const AfxStepReport *report);
/** Adds a part for every output; *count grows. False after an error was printed. */
bool cli_outputs_mark(CliOutputs *outputs, AfxSnapshotPart *parts, uint32_t *count);
/** Finishes the files. */
void cli_outputs_close(CliOutputs *outputs);

#endif
