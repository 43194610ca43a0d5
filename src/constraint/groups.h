/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of joints four by four, for kernels that take one joint per lane: joints of one kind, and drives of one
 * coordinate of one kind, side by side. Whatever a joint is, its rows go through the same kernels; couplings and
 * springs between points are few and go row by row (rows.c), as all rows do between steps.
 *
 * What a solve linearises leaves behind, for each row, the matrix of its geometric stiffness on both bodies.
 * Multipliers times these are then all that the stiffness of a solve takes. */
#ifndef AFXI_CONSTRAINT_GROUPS_H
#define AFXI_CONSTRAINT_GROUPS_H

#include "joint/kind.h"

struct AfxiRows;
struct AfxModel;

#define AFXI_GROUP_LANES 4

/* What rows of a group are: those of the joint's kind, that of a screw, or a coordinate 0 ... 5. */
enum { AFXI_GROUP_SCREW = 6, AFXI_GROUP_OWN = 7 };

/* Numbers that are kept of a row: stiffness on both bodies, 6 each, and lever arms; and its frozen direction. */
#define AFXI_KEPT_ROW 14
#define AFXI_KEPT_ALIGN 17
/* Of the three rows of a point together: both frames, and lever arms. */
#define AFXI_KEPT_POINT 20
/* Numbers of a body's share in the stiffness of a block: the bound, then xx, yy, zz, xy, xz, yz. */
#define AFXI_SHARE 8
/* Numbers of an AfxiJointFrame. */
#define AFXI_FRAME_NUMBERS 24

/** Lanes that are empty repeat the last one. Arrays of two are of follower and base. */
typedef struct AfxiRowGroup {
    const AfxiJointKind *kind;
    uint32_t joint[AFXI_GROUP_LANES];
    const double *frames;                 /* of the joints, as `pack` puts them */
    uint32_t row[AFXI_GROUP_LANES];       /* its first one */
    uint32_t place[2][AFXI_GROUP_LANES];  /* body of the graph; behind those, what is not solved for */
    uint32_t entry[2][AFXI_GROUP_LANES];  /* UINT32_MAX: not solved for */
    size_t gradient[2][AFXI_GROUP_LANES]; /* of the first row, into jacobian */
    uint32_t drive[AFXI_GROUP_LANES];     /* of a coordinate */
    size_t kept;                          /* into AfxiRowGroups.kept */
    uint8_t lanes;
    uint8_t rows;  /* AFXI_GROUP_... */
    uint8_t law;   /* of a coordinate: AfxDriveKind of all its drives, or AFXI_LAW_TABLES */
    bool grounded; /* some places are of what is not solved for */
} AfxiRowGroup;

/** Where a group is at the result of a solve. */
typedef struct AfxiGroupResult {
    double residual; /* largest row of a joint that is switched on */
    bool flipped;    /* the two sides of an axis no longer point the same way */
} AfxiGroupResult;

/** Groups [begin, end). */
typedef void AfxiGroupPass(const struct AfxiRows *rows, uint32_t begin, uint32_t end);
/** Stiffness of the multipliers [rows] into the shares of entries; without `exact` the bound alone. */
typedef void AfxiGroupStiffness(const struct AfxiRows *rows, const double *lambda, bool exact, uint32_t begin,
                                uint32_t end);
/** Whether drives of a coordinate are surely on the branch that fits these multipliers [rows] and the result. */
typedef bool AfxiGroupSettled(const struct AfxiRows *rows, const double *lambda, const AfxiRowGroup *group);
/** The bound and, unless NULL, the exact stiffness of bodies [count], NULL: the first ones, from the shares of their
 * entries. */
typedef void AfxiGroupSums(const struct AfxiRows *rows, const uint32_t *bodies, uint32_t count, double *bound,
                           double *exact);
/** Coordinates of joints of one kind, turns counted on from what `angle` has: `lanes` of them, of bodies that are at
 * q[0], q[1], [12] each. */
typedef struct AfxiAngleGroup {
    const AfxiJointKind *kind;
    const double *frames; /* as `pack` puts them */
    const double *q[2][AFXI_GROUP_LANES];
    double *angle[AFXI_GROUP_LANES];
    uint32_t lanes;
} AfxiAngleGroup;
typedef void AfxiGroupAngles(const AfxiAngleGroup *group);

/** Joint frames side by side as the kernels read them, AFXI_GROUP_LANES * AFXI_FRAME_NUMBERS. */
typedef void AfxiGroupPack(const AfxiJointFrame *const frame[AFXI_GROUP_LANES], double *out);

typedef struct AfxiGroupKernel {
    AfxiGroupPass *linearise; /* values, gradients, what is kept; of drives what they measure, its rate, their laws */
    AfxiGroupStiffness *stiffness;
    AfxiGroupSums *sum;
    AfxiGroupPass *result; /* AfxiGroupResult; of drives what they measure there */
    AfxiGroupPass *values; /* what joints' own rows measure there */
    AfxiGroupAngles *angles;
    AfxiGroupSettled *settled;
    AfxiGroupPack *pack;
} AfxiGroupKernel;

typedef struct AfxiRowGroups {
    const AfxiGroupKernel *kernel;
    AfxiRowGroup *group;         /* [general_count] of blocks that closed forms leave, then of others, [count] in all */
    AfxiGroupResult *result;     /* [count] */
    double *kept;                /* four of each number of a group side by side */
    double *frames;              /* joint frames of groups; neighbours that have the same share them */
    double *share;               /* [entries of joints][AFXI_SHARE] */
    uint32_t *ground;            /* [ground_count] bodies of the model, or the world, that are not solved for */
    double *ground_q, *ground_v; /* [ground_count][12] */
    uint32_t *single;            /* [single_count] blocks of couplings and springs, which go row by row */
    uint32_t *odd;               /* [odd_count] rows of drives on angles of balls, which go row by row as well */
    uint32_t *table;             /* [table_count] rows of springs with tables, wherever they go */
    uint32_t own_count;          /* of the general groups those of joints; coordinates follow */
    uint32_t count, general_count, ground_count, entry_count, single_count, odd_count, table_count;
    bool steady; /* lever arms of all rows stay as they are: bounds follow from multipliers alone */
} AfxiRowGroups;

/** Whether rows of a coordinate may hold exactly. */
static inline bool afxi_group_exact(const AfxiRowGroup *group) {
    return group->rows == AFXI_GROUP_SCREW || group->law == AFX_DRIVE_POSITION || group->law == AFX_DRIVE_VELOCITY ||
           group->law == AFX_DRIVE_LIMIT;
}

/** Joint frames for groups of four, one after the other: those of the group before, where they are the same ones. */
typedef struct AfxiFramePacker {
    const AfxiGroupKernel *kernel;
    double *next; /* of the first one at first; AFXI_GROUP_LANES * AFXI_FRAME_NUMBERS for each group that may differ */
    const AfxiJointFrame *last[AFXI_GROUP_LANES];
    const double *packed;
} AfxiFramePacker;
const double *afxi_frames_pack(AfxiFramePacker *packer, const AfxiJointFrame *const frame[AFXI_GROUP_LANES]);
/** Numbers that `groups` groups take at most. */
size_t afxi_frames_size(const struct AfxModel *model, uint32_t groups);

/** The kernel for a lane count. */
const AfxiGroupKernel *afxi_group_kernel(uint32_t lanes);
/** Rows of joints at the frames: values and gradients, and the laws of drives. */
void afxi_groups_linearise(struct AfxiRows *rows);
/** Shares of the entries of joints in the stiffness of multipliers [rows]; without `exact` in the bound alone. */
void afxi_groups_stiffness(const struct AfxiRows *rows, const double *lambda, bool exact);
/** Rows of joints at the result: the largest one of a joint that is switched on. */
double afxi_groups_residual(const struct AfxiRows *rows);
/** Joints' own rows at the result, all of them, into AfxiRows.result. */
void afxi_groups_values(const struct AfxiRows *rows);
/** Whether no joint had flipped over at the last result that was looked at. */
bool afxi_groups_consistent(const struct AfxiRows *rows);

#endif
