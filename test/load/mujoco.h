/* SPDX-License-Identifier: Apache-2.0 */
/* MuJoCo's own reading of MJCF files (test/mujoco/reference.mjs) beside the scene that the loader makes of them. */
#ifndef AFX_TEST_LOAD_MUJOCO_H
#define AFX_TEST_LOAD_MUJOCO_H

#include "tests.h"

#define MUJOCO_ROOT "../shared/data/mjcf"
#define MUJOCO_TOLERANCE 1e-9
#define MUJOCO_BODIES 4000
#define MUJOCO_JOINTS 6000
#define MUJOCO_SITES 200

typedef struct MujocoJoint {
    bool turns;
    uint32_t body;
    double value, start; /* of hinges and slides; NAN for others */
} MujocoJoint;

/** One model: what MuJoCo says of it, and the scene. */
typedef struct MujocoCase {
    char file[300];
    AfxScene *scene; /* NULL once it is done with */
    AfxStatus status;
    AfxError error;
    uint32_t notices[3]; /* by kind */
    bool refused, deformable;
    uint32_t body_count, joint_count, place_count, site_count, after_count, mover_count;
    uint32_t movers[MUJOCO_BODIES]; /* bodies of the scene, in MuJoCo's order */
    bool free[MUJOCO_BODIES];       /* has a free joint */
    MujocoJoint joints[MUJOCO_JOINTS];
    AfxPose places[MUJOCO_BODIES];
    char site_names[MUJOCO_SITES][100];
    AfxVec3 sites[MUJOCO_SITES];
    AfxVec3 after[MUJOCO_BODIES];
    double after_error; /* MuJoCo's own */
    uint32_t bad;       /* comparisons that failed */
    double worst;       /* distance of a place, m */
    uint32_t site_checks;
} MujocoCase;

/** A scene's model and sim in MuJoCo's posture. */
typedef struct MujocoRig {
    AfxModel *model;
    AfxSim *sim;
    double *values; /* [coordinates] */
} MujocoRig;

/** Starts the script on the file names that the shell command `list` prints; NULL after a SKIP line when it cannot. */
FILE *mujoco_start(const char *list, const char *command);
/** Reads the script's lines up to the end of one model, loads its scene with `insert` behind the opening tag, and
 * compares bodies. False when there is no model left. */
bool mujoco_next(FILE *script, const char *insert, MujocoCase *c);
void mujoco_drop(MujocoCase *c);
/** Compares; a difference beyond the tolerance, or NaN, is counted and the first few are printed. */
void mujoco_compare(MujocoCase *c, const char *what, uint32_t number, double got, double want, double tolerance);

/** Loads a file of the root folder, with `insert` behind the opening tag. */
AfxStatus mujoco_load(AfxScene *scene, const char *file, const char *insert, AfxError *error, uint32_t notices[3]);

/** Whether a body or joint of this name is a helper: armature, the length of a tendon, a part between joints. */
bool mujoco_is_helper(const char *name);
/** Puts a case without equalities into MuJoCo's posture: MuJoCo's places are given to the bodies, the joint coordinates
 * that are read from them are compared with MuJoCo's, and then the bodies are placed by coordinates alone and compared,
 * and so are the sites. */
void mujoco_place(MujocoCase *c, MujocoRig *rig);
void mujoco_free(MujocoRig *rig);

#endif
