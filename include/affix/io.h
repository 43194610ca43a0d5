/* SPDX-License-Identifier: Apache-2.0 */
/* affix/io.h: scenes from and to files. Part of libaffix_io, not of libaffix: it needs expat and jansson.
 *
 * A loader reads a file into an empty scene and does nothing else:
 *
 *     AfxLoadDef load = afx_default_load();
 *     AfxError error;
 *     if (afx_scene_load(scene, "robot.urdf", &load, &error) != AFX_OK) { ... error.file, error.line, error.element ...
 * }
 *
 * Unsupported elements and attributes are reported once each, with file and line, through AfxLoadDef.notice; `strict`
 * makes them errors. Files are not trusted: sizes, counts, depth and includes are limited,
 * and a file outside the folder of the first one and the package folders is opened only with `allow_outside`. Memory is
 * the scene's allocator's, but for what jansson takes (malloc). docs/formats.md describes the formats. */
#ifndef AFFIX_IO_H
#define AFFIX_IO_H

#include "affix/joint.h"
#include "affix/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum AfxFormat {
    AFX_FORMAT_AUTO = 0, /* by the name's ending and, for .xml, the first element */
    AFX_FORMAT_JSON,     /* scene JSON, docs/formats.md */
    AFX_FORMAT_URDF,
    AFX_FORMAT_MJCF,
    AFX_FORMAT_SDF
} AfxFormat;

typedef enum AfxNoticeKind {
    AFX_NOTICE_IGNORED = 0, /* an unsupported element or attribute */
    AFX_NOTICE_CHANGED,     /* honoured, but not exactly: the text says how */
    AFX_NOTICE_MISSING      /* a file that could be done without */
} AfxNoticeKind;

/** Something a loader wants known. Strings live for the duration of the call. */
typedef struct AfxNotice {
    AfxNoticeKind kind;
    const char *file;
    int line;
    const char *element; /* for example: joint "elbow" attribute "frictionloss" */
    const char *text;
} AfxNotice;

/* ---- how a scene is run ---- */

/** A number that a scene file gives a name. Where the file is loaded another value can be given: AfxLoadDef.parameters.
 */
typedef struct AfxRunParameter {
    char name[64];
    char about[192];        /* "" when the file says nothing */
    double value, min, max; /* in the file's units; -INFINITY and INFINITY where there is no end */
} AfxRunParameter;

/** Where viewers may look from. */
typedef struct AfxCamera {
    char name[64];
    AfxVec3 position, target; /* m, world axes */
    double field_of_view;     /* rad, of the picture's height; 0: the viewer's own */
    char follow[256];         /* a body that the camera goes along with; "": none */
    bool carried;             /* it turns with that body too, as one on a robot does: `pose` holds for pictures, and
                                 position and target are what pages show */
    AfxPose pose;             /* in the frame of that body, or of the world; it looks along -z and has y up */
} AfxCamera;

#define AFX_RUN_PARAMETERS 64
#define AFX_RUN_OUTPUTS 8
#define AFX_RUN_CAMERAS 16

/** All of a run but the scene: what "run", "parameters" and "cameras" of a scene file say, what `affix run` takes as
 * options. */
typedef struct AfxRunDef {
    uint32_t cookie;   /* set by afx_default_run */
    char about[256];   /* what the file says of itself; "": nothing */
    AfxSimDef sim;     /* time step, integrator, accuracy, formulation; default dt 0.001 s */
    AfxModelDef model; /* solver */
    double time;       /* s, how long; default 1 */
    bool rigid;        /* every body is exactly rigid */
    bool energy_book;
    uint64_t every;                     /* a frame of outputs after every so many steps; 0: as the output has it */
    char set[1024];                     /* parameters of the sim, "body.mass:rod=2,gravity.z=-1.6" */
    char record[256];                   /* records of trajectories, "poses,energy"; "": the default */
    char columns[1024];                 /* columns of tables, "time,joint:elbow"; "": the default */
    char outputs[AFX_RUN_OUTPUTS][256]; /* files to write, by their endings .h5, .csv, .glb, .pvd, .html; no folders */
    uint32_t output_count;
    AfxRunParameter parameters[AFX_RUN_PARAMETERS];
    uint32_t parameter_count;
    AfxCamera cameras[AFX_RUN_CAMERAS];
    uint32_t camera_count;
} AfxRunDef;

/** afx_default_sim with a time step of 0.001 s, for 1 s; no outputs, parameters and cameras. */
AFX_API AfxRunDef afx_default_run(void);

typedef struct AfxLoadDef {
    uint32_t cookie; /* set by afx_default_load */
    AfxFormat format;
    bool strict;                      /* a notice is an error */
    bool allow_outside;               /* includes and meshes may lie outside the folder of the first file */
    bool keep_fixed;                  /* URDF: links joined by fixed joints stay bodies of their own; default: merged */
    bool fixed_base;                  /* URDF: the root link is fixed in the world; default true */
    bool meshes;                      /* read mesh files; default true */
    const char *const *package_paths; /* [package_count] "name=folder" for package://name/..., or folders to look in */
    uint32_t package_count;
    const char *const *parameters; /* [parameter_count] "name=value": values of the file's own parameters */
    uint32_t parameter_count;
    AfxRunDef *run;                                      /* takes how the file is to be run; may be NULL */
    uint64_t bytes_most;                                 /* of all files together; default 256 MiB */
    uint32_t items_most;                                 /* bodies, shapes, joints ... each; default 1 million. What
                                                          * is repeated or inherited is within a multiple of it */
    uint32_t depth_most;                                 /* of nesting and includes; default 64 */
    void (*notice)(void *user, const AfxNotice *notice); /* may be NULL */
    void *notice_user;
} AfxLoadDef;

/** Format by the file, notices ignored, URDF bases fixed and fixed links merged, the limits named in AfxLoadDef. */
AFX_API AfxLoadDef afx_default_load(void);

/** Reads a file into `scene`, which must be empty. On failure the scene is empty again and *out_error (may be NULL)
 * names file, line, element and cure. */
AFX_API AfxStatus afx_scene_load(AfxScene *scene, const char *path, const AfxLoadDef *def, AfxError *out_error);
/** The same from memory: `text` of `size` bytes, `path` for messages and for what it includes (may be NULL: it includes
 * nothing). def->format must be given. */
AFX_API AfxStatus afx_scene_load_text(AfxScene *scene, const char *text, size_t size, const char *path,
                                      const AfxLoadDef *def, AfxError *out_error);
/** Writes a scene as scene JSON. Reading it again gives a model with the same hash. The file is complete or not there.
 */
AFX_API AfxStatus afx_scene_save(const AfxScene *scene, const char *path, AfxError *out_error);
/** The same with how it is run, but for parameters, whose values are in the scene by now. NULL for `run` is
 * afx_scene_save. */
AFX_API AfxStatus afx_scene_save_run(const AfxScene *scene, const AfxRunDef *run, const char *path,
                                     AfxError *out_error);

#ifdef __cplusplus
}
#endif
#endif
