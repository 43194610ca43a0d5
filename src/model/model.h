/* SPDX-License-Identifier: Apache-2.0 */
/* The compiled model: dense arrays in one block. Free of formulation: poses, frames, classes, parameters. */
#ifndef AFXI_MODEL_MODEL_H
#define AFXI_MODEL_MODEL_H

#include "affix/params.h"
#include "base/intern.h"
#include "body/class.h"
#include "joint/kind.h"
#include "math/vec3.h"
#include "model/chains.h"
#include "model/contacts.h"
#include "model/graph.h"
#include "model/phase.h"
#include "model/robot.h"

/** The principal frame of a body in the body's own frame. */
typedef struct AfxiFrame {
    AfxVec3 center;
    AfxiMat3 axes;
} AfxiFrame;

/** Prescribed motion of a kinematic body. */
typedef struct AfxiKinematic {
    uint32_t body;
    AfxMotion motion; /* tables are the model's own */
} AfxiKinematic;

/** What signals add to a wrench, force first. */
typedef struct AfxiWrenchSignal {
    uint32_t wrench;
    AfxSignal of[6]; /* tables are the model's own */
} AfxiWrenchSignal;

/** A compiled joint. */
typedef struct AfxiJoint {
    uint32_t base, follower;           /* bodies, AFXI_WORLD for the world */
    uint32_t frame;                    /* into joint_frames */
    uint32_t row;                      /* its first one, in the state; UINT32_MAX: it has none */
    uint32_t slot;                     /* of a ball chain; UINT32_MAX: it is in none */
    uint32_t coordinate;               /* first of its coordinates */
    uint32_t angle;                    /* where a sim counts their turns; UINT32_MAX: not counted */
    uint32_t rotational_spring;        /* its spring about three axes; UINT32_MAX: it has none */
    uint8_t kind;                      /* AfxJointKind */
    uint16_t acted;                    /* axes that drives or couplings act on, a bit each */
    uint32_t first_drive, drive_count; /* into drive_order */
    bool active;                       /* at the start */
    bool reversed;                     /* in its slot, left minus right is base minus follower */
    bool counted;                      /* its turns are counted: not for balls that nothing drives */
} AfxiJoint;

/** A drive on one axis of a joint. Its numbers are in the parameters. */
typedef struct AfxiDrive {
    uint32_t joint;
    uint32_t row; /* in the state; UINT32_MAX: both bodies stand still */
    uint8_t axis, kind;
    bool from_input;
    bool folded;      /* an earlier one of its joint acts on the same coordinate: trees solve for them together */
    AfxSignal target; /* tables are the model's own */
} AfxiDrive;

/** A relation between joint coordinates. */
typedef struct AfxiCoupling {
    uint32_t joint[AFX_COUPLING_TERMS];
    uint8_t axis[AFX_COUPLING_TERMS];
    uint8_t term_count;
} AfxiCoupling;

/** A spring between two points, given in principal frames. */
typedef struct AfxiSpring {
    uint32_t body_a, body_b;
    AfxVec3 point_a, point_b;
    uint32_t row;      /* its multiplier; UINT32_MAX: neither end is solved for */
    uint32_t reserved; /* 0, in the place of padding: springs are hashed as they stand */
} AfxiSpring;

/** Where the samples of a spring's two tables are: items of AFX_PARAM_TABLE, and of AfxModel.table_position. */
typedef struct AfxiTables {
    uint32_t spring, spring_count;
    uint32_t damper, damper_count;
} AfxiTables;

/** Bodies and the interned constants they share. */
typedef struct AfxiClasses {
    uint32_t *of;      /* [bodies] */
    AfxiIntern intern; /* of AfxiBodyClass */
} AfxiClasses;

/** What drives block k of the rotors (rotor.h): body `shown.bodies + k` on joint `shown.joints + k`. */
typedef struct AfxiRotor {
    uint32_t coupling; /* its last term is the block's, with the factor -1 */
} AfxiRotor;

/** How many of each were authored: rotors stand behind them (rotor.h). */
typedef struct AfxiShown {
    uint32_t bodies, joints, coordinates, couplings;
} AfxiShown;

struct AfxModel {
    AfxAllocator allocator;
    void *raw; /* what to release, with its size */
    size_t raw_size;

    uint32_t body_count, marker_count, wrench_count, kinematic_count;
    uint32_t dynamic_count;   /* bodies that are solved for */
    uint8_t *kind;            /* [bodies] AfxBodyKind */
    uint8_t *floored;         /* [bodies] */
    uint32_t *frame_of;       /* [bodies] */
    AfxiIntern frames;        /* of AfxiFrame */
    AfxiClasses classes;      /* from the default parameters */
    AfxPose *start_pose;      /* [bodies] of the body's own frame */
    AfxTwist *start_twist;    /* [bodies]; NULL: all are at rest */
    uint32_t *dynamic;        /* [dynamic_count] */
    AfxiKinematic *kinematic; /* [kinematic_count] */
    double *samples;          /* tables of the motions */
    uint32_t *marker_body;    /* [markers] */
    uint32_t *wrench_body;    /* [wrenches] */
    uint8_t *wrench_frame;    /* [wrenches] AfxFrame */
    uint32_t wrench_signal_count;
    AfxiWrenchSignal *wrench_signal; /* [wrench_signal_count] of the wrenches that change with time, in their order */

    uint32_t joint_count, coordinate_count, drive_count, coupling_count, spring_count;
    uint32_t angle_count;              /* coordinates of the joints whose turns are counted */
    uint32_t rotational_spring_count;  /* springs of ball joints, about all three axes */
    AfxiJoint *joints;                 /* [joints] */
    uint32_t *rotational_spring_joint; /* [turns] */
    AfxiDrive *drives;                 /* [drives] */
    uint32_t *drive_order;             /* [drives] by joint */
    AfxiCoupling *couplings;           /* [couplings] */
    AfxiShown shown;                   /* what users see of these counts */
    uint32_t rotor_count;              /* blocks behind the bodies */
    uint32_t armature_count;           /* of them, those of joints, which come first */
    AfxiRotor *rotors;                 /* [rotor_count] */
    AfxiRobot robot;
    AfxiSpring *springs;       /* [springs] */
    uint32_t table_count;      /* samples of all tables of springs */
    double *table_position;    /* [table_count] */
    uint8_t *table_damps;      /* [table_count] the sample is one of a damper */
    AfxiTables *drive_tables;  /* [drives]; NULL: no spring has a table */
    AfxiTables *spring_tables; /* [springs] the same */
    AfxiIntern joint_frames;   /* of AfxiJointFrame, in principal frames */
    uint8_t *in_chain;         /* [bodies] a link of a ball chain */
    AfxiChains chains;
    AfxiGraph *graph; /* [graph_count] everything else that is jointed: a component each, or many small trees */
    uint32_t graph_count, graph_allocated;
    uint32_t *local;    /* [bodies] body of its graph, or UINT32_MAX */
    uint32_t *graph_of; /* [bodies] its graph, or UINT32_MAX */
    uint32_t *root;     /* [bodies] a body that names the component; UINT32_MAX: not solved for */
    uint32_t row_count; /* of all graphs; multipliers of ball chains stand behind theirs */
    AfxSolver solver;   /* what was asked for */
    AfxiPhaseTrees phase;
    AfxiContacts contacts;
    AfxiContacts seen; /* all shapes, those for looks too, where some sensor casts a ray; else empty */

    double *params; /* [param_length] */
    size_t param_length;
    size_t param_offset[AFX_PARAM_KIND_COUNT];
    uint32_t param_count[AFX_PARAM_KIND_COUNT];

    double size;
    bool any_floored;
    bool breakable; /* some joint has a breaking load */
    uint64_t hash;
};

/** The component of a body that has a graph. */
const AfxiGraphPart *afxi_model_part(const AfxModel *model, uint32_t body);
/** Size of the component that a dynamic body belongs to, m: what tolerances of its contacts go by. */
double afxi_model_extent(const AfxModel *model, uint32_t body);
/** Whether a body is a link of a ball chain. */
bool afxi_model_in_chain(const AfxModel *model, uint32_t body);
/** The principal frame of a body. */
const AfxiFrame *afxi_model_frame(const AfxModel *model, uint32_t body);
/** A pose in the principal frame of a body; the world's (AFXI_WORLD) is its own. */
void afxi_principal_pose(const AfxModel *model, uint32_t body, AfxPose pose, AfxVec3 *out_point, AfxiMat3 *out_axes);
/** Diagonal of the box around bodies where they start, or their distance over 100 if that is more: rounding of their
 * coordinates. `bodies` NULL: all, and the diagonal alone. */
double afxi_model_measure(const AfxModel *model, const uint32_t *bodies, uint32_t count);

#endif
