/* SPDX-License-Identifier: Apache-2.0 */
/* The joint graph of a model: blocks of rows, the bodies each touches, and the plan of elimination. */
#ifndef AFXI_MODEL_GRAPH_H
#define AFXI_MODEL_GRAPH_H

#include "affix/model.h"
#include "body/dof.h"
#include "sparse/block.h"

typedef enum AfxiBlockType {
    AFXI_BLOCK_JOINT,    /* rows of a joint, then its drives' */
    AFXI_BLOCK_COUPLING, /* one relation */
    AFXI_BLOCK_SPRING,   /* one compliant distance */
    AFXI_BLOCK_CONTACT   /* points of two bodies that touch; only in the graph of a sim */
} AfxiBlockType;

/* Rows of a fixed joint, or of a ball with a spring. */
#define AFXI_LEADING_MOST 6

typedef struct AfxiGraphBlock {
    uint32_t first_row, row_count;
    uint32_t first_entry, entry_count; /* the moving bodies it touches */
    uint32_t index;                    /* joint, coupling or spring */
    uint32_t
        rotational_spring; /* spring of a ball joint, in the graph: three rows after the plain ones; UINT32_MAX: none */
    uint8_t type;
    bool loop;        /* closes a loop, or is redundant in itself */
    bool repeats;     /* is redundant in itself, or can be by its drives */
    uint8_t plain;    /* leading rows that are those of a point and of alignments */
    uint8_t leading;  /* plain rows and those of a rotational spring */
    bool closed_form; /* a ball, with or without a spring, and nothing else: its products have a closed form */
    uint32_t folded;  /* last rows, of drives on whose coordinates earlier ones act: trees do without (dual/fold.h) */
    bool flywheel;    /* a coupling that alone drives a body, `carried`, (model/flywheel.h) ... */
    uint32_t carried, carrier; /* ... from the coordinate that the row `carrier` is of */
} AfxiGraphBlock;

typedef enum AfxiRowSource {
    AFXI_SOURCE_JOINT,             /* index: row of the joint's kind */
    AFXI_SOURCE_ROTATIONAL_SPRING, /* index: world axis */
    AFXI_SOURCE_SCREW,             /* advance minus pitch times angle */
    AFXI_SOURCE_DRIVE,             /* index: drive */
    AFXI_SOURCE_COUPLING,          /* index: coupling */
    AFXI_SOURCE_SPRING,            /* index: spring */
    AFXI_SOURCE_CONTACT
} AfxiRowSource;

typedef struct AfxiGraphRow {
    uint32_t block, index;
    uint8_t source;
    uint8_t lead; /* folded: the row of its block that has the same gradient */
} AfxiGraphRow;

/** Where the rows of a block attach. */
typedef struct AfxiGraphEntry {
    uint32_t block;
    AfxiDof dof;     /* of the graph: a body */
    size_t jacobian; /* where its gradients begin, row after row, each as wide as the family */
} AfxiGraphEntry;

#define AFXI_BODY_ROWS_MOST 48

/** Bodies whose entries have the same numbers of rows, one after the other in AfxiGraph.alike. */
typedef struct AfxiGraphBatch {
    uint32_t first, count;
    bool closed_form; /* all their blocks are */
} AfxiGraphBatch;

/** Where a body is held by a closed block: the point, and +1 for the follower, -1 for the base. */
typedef struct AfxiLever {
    double point[3], sign;
} AfxiLever;

/** A closed block. Bodies that are not solved for are numbered behind those that are, by AfxiClosedForm.ground. */
typedef struct AfxiClosedFormJoint {
    uint32_t a, b; /* follower, base */
    uint32_t block, first_row;
    uint32_t frame;             /* into joint_frames: its two points */
    uint32_t rotational_spring; /* UINT32_MAX: no spring */
} AfxiClosedFormJoint;

/** What is worked on in closed form. */
typedef struct AfxiClosedForm {
    uint8_t *body;    /* [bodies of the graph] all blocks of a body are in closed form, and it is no high-degree body */
    AfxiLever *lever; /* [entries] in the order of body_entry; of closed-form blocks */
    uint32_t *first_row;        /* [entries] in the order of body_entry */
    AfxiClosedFormJoint *joint; /* [joint_count] without springs first */
    uint32_t joint_count, ball_count;
    uint32_t *general_body;  /* [general_body_count] bodies that are not in closed form */
    uint32_t *general_block; /* [general_block_count] blocks that are not in closed form, or hold such a body */
    uint32_t general_body_count, general_block_count;
    uint32_t general_row_end, general_body_end; /* behind the last row and body of general blocks, */
    size_t general_jacobian_end;                /* and behind their gradients */
    uint32_t *ground; /* [ground_count] bodies of the model, or the world, that closed-form blocks are fixed to */
    uint32_t ground_count;
    void *raw;
    size_t raw_size;
} AfxiClosedForm;

/* Bodies of a job side by side, and the most joints away from the root that they may have. */
#define AFXI_RECURSION_LANES 4
#define AFXI_RECURSION_CHILDREN 3
/* Numbers of a body that the first solve of a stage keeps for the forward pass; and of a 6 x 6 inverse and a solution.
 */
#define AFXI_RECURSION_STORED 25
#define AFXI_RECURSION_SIX 27
/* Numbers of a body of a batched job that a step reads in the order of jobs, besides its springs. */
#define AFXI_RECURSION_PACK 17
/* Numbers of a high-degree body, besides nine for each joint away from the root. */
#define AFXI_RECURSION_HIGH_DEGREE 345

/** One joint of each body of a job. */
typedef struct AfxiRecursionJoint {
    double reach[AFXI_RECURSION_LANES];     /* batched: where it holds the body, along its first axis; */
    double sign[AFXI_RECURSION_LANES];      /* as in AfxiLever */
    uint32_t other[AFXI_RECURSION_LANES];   /* body or ground at its far side, numbered as in AfxiClosedFormJoint */
    uint32_t message[AFXI_RECURSION_LANES]; /* of that body; of grounds: behind those of bodies */
    uint32_t place[AFXI_RECURSION_LANES];   /* own entry, into body_entry and what goes with it */
    uint32_t row[AFXI_RECURSION_LANES];     /* its first one */
    uint32_t rotational_spring[AFXI_RECURSION_LANES]; /* spring; UINT32_MAX: none */
    bool aligned;                                     /* the messages are those of one job, in order */
    bool outward;                                     /* all are bases of what they hold */
} AfxiRecursionJoint;

/* What stands beyond a joint of a general job. */
typedef enum AfxiBeyond {
    AFXI_BEYOND_NOTHING, /* the ground */
    AFXI_BEYOND_GENERAL, /* a body of a general job */
    AFXI_BEYOND_CLOSED   /* a body in closed form */
} AfxiBeyond;

/** One joint of each body of a general job, besides what AfxiRecursionJoint has of it. Its first three rows may be
 * those of a point in world axes, whose gradients follow from the frame of the body; those of all others are stored. */
typedef struct AfxiGeneralJoint {
    double point[3][AFXI_RECURSION_LANES]; /* where it holds the body, times `sign`; with `points` */
    double sign[AFXI_RECURSION_LANES];     /* as in AfxiLever */
    size_t jacobian[AFXI_RECURSION_LANES]; /* where the gradients of its rows on the body begin */
    size_t left[AFXI_RECURSION_LANES];     /* general beyond, away from the root: where T and t of that body are kept */
    uint32_t row[AFXI_RECURSION_LANES];
    uint8_t rows, first;    /* rows, and where they begin among those of the body */
    uint8_t points, stored; /* rows of a point, 3 or 0, and where the others begin among those of the body */
    uint8_t hard;           /* leading rows that have no compliance, ever */
    uint8_t beyond;         /* AfxiBeyond */
    uint8_t plain;          /* rows before those of a rotational spring; 0: there is none */
    bool still;             /* rows that are not of a point do not depend on the body's place, only on A */
    bool aligned;           /* T and t of all lanes stand side by side */
} AfxiGeneralJoint;

/* The most rows besides those of points for which kernels of jobs whose joints are all alike are made, and of joints
 * away from the root. */
#define AFXI_GENERAL_REST 3
#define AFXI_GENERAL_SIX (AFXI_GENERAL_REST + 1)
#define AFXI_GENERAL_CHILDREN 2

/* What a general job keeps for the forward pass, in numbers of each lane: the frame, gradients of rows that are not of
 * points, start, values, compliances and inverse pivots of the rows away from the root; the matrix, its lower half
 * column by column, of which those columns become the factor and the solution of each row alone, and the others T; t;
 * the largest right-hand side of the subtree. */
typedef struct AfxiGeneralLayout {
    uint32_t gradient, start, value, compliance, pivot, matrix, left, gap, largest, end; /* the frame comes first */
} AfxiGeneralLayout;

static inline AfxiGeneralLayout afxi_general_layout(uint32_t inner, uint32_t size, uint32_t stored) {
    uint32_t start = 9 + 12 * stored, value = start + 12, compliance = value + inner, pivot = compliance + inner;
    uint32_t matrix = pivot + inner, own = size - inner, gap = matrix + size * (size + 1) / 2;
    uint32_t left = gap - own * (own + 1) / 2;
    return (AfxiGeneralLayout){9, start, value, compliance, pivot, matrix, left, gap, gap + own, gap + own + 1};
}

/* What a general job of one body keeps for the forward pass, behind what it has for others: columns of the factor,
 * `padded` long, inverse pivots and the solutions of the rows away from the root; the start; values and compliances of
 * rows; their gradients. */
typedef struct AfxiOneLayout {
    uint32_t padded, factor, pivot, solution, start, value, compliance, gradient, end;
} AfxiOneLayout;

static inline AfxiOneLayout afxi_one_layout(uint32_t inner, uint32_t size) {
    uint32_t padded = (size + 3) / 4 * 4, pivot = inner * padded, solution = pivot + padded, start = solution + padded;
    uint32_t value = start + 12, compliance = value + padded, gradient = compliance + padded;
    return (AfxiOneLayout){padded, 0, pivot, solution, start, value, compliance, gradient, gradient + 12 * padded};
}

/** Bodies that are eliminated side by side; lanes that are empty repeat the last one. */
typedef struct AfxiRecursionJob {
    uint32_t body[AFXI_RECURSION_LANES]; /* of the graph */
    uint32_t lanes;
    uint32_t first_joint; /* into joint: `children` away from the root, then with `rooted` the one towards it */
    uint32_t children;    /* grounds are among them */
    uint8_t rows;         /* of every joint: 3 or 6; 0: of each its own, by gradients, or `high_degree` */
    uint8_t inner, size;  /* general: rows away from the root, and all */
    uint8_t stored;       /* general: rows that are not of points */
    uint8_t rest; /* general: of every joint, after a point, rows that turn only; AFXI_GENERAL_SIX: six rows of any sort
                     and no point; more: neither */
    bool rooted;
    bool high_degree;       /* one body that balls hold, too many for anything else */
    bool batched;           /* rooted, six rows, all joints on the first axis, those away from the root at one point */
    uint32_t message;       /* where it leaves what the next ones take: four of them, in use until then */
    size_t forward;         /* into what is kept for the forward pass */
    size_t pack;            /* batched: into what a step reads in the order of jobs */
    uint32_t first_general; /* general: into general, as first_joint */
} AfxiRecursionJob;

/** A joint of a job with the ground. */
typedef struct AfxiRecursionGround {
    uint32_t joint; /* into closed.joint */
    bool follower;  /* the ground is its follower */
} AfxiRecursionGround;

/** Elimination from the leaves to the roots of a forest. */
typedef struct AfxiRecursion {
    bool on;
    bool whole; /* most bodies are in closed form: a first solve goes from the state to the result in two passes */
    bool keeps; /* contact may change single bodies from solve to solve: sims have room for what others have left */
    AfxiRecursionJob *job;       /* [job_count] children before parents, part by part */
    AfxiRecursionJoint *joint;   /* [joint_count] */
    AfxiGeneralJoint *general;   /* [general_count] */
    AfxiRecursionGround *ground; /* [ground_count] with the messages after those of jobs, one for each */
    uint32_t *place;             /* [bodies] 4 * job + lane */
    uint32_t *part;         /* [part_count + 1] into job; parts do not depend on each other, but for the last one */
    uint32_t flywheel_jobs; /* first ones, before all parts: bodies that couplings carry */
    uint32_t job_count, joint_count, general_count, part_count, ground_count, message_count;
    size_t forward_length, pack_length; /* doubles */
    void *raw;
    size_t raw_size;
} AfxiRecursion;

/** A component of a graph, or several, that are solved together: bodies and rows that follow one another. */
typedef struct AfxiGraphPart {
    uint32_t first_body, first_row, first_block; /* of the graph */
    double size;                                 /* m, of the component: what its tolerances go by */
} AfxiGraphPart;

typedef struct AfxiGraph {
    uint32_t body_count, block_count, entry_count, row_count;
    uint32_t joint_blocks, joint_rows; /* those that are not of contacts: the first ones */
    uint32_t first_row;                /* of the model: where its multipliers stand in the state */
    uint32_t *body;                    /* [body_count] body of the model */
    const uint32_t *local; /* [bodies of the model] body of its own graph, UINT32_MAX: not solved for by any. All graphs
                              of a model share it */
    AfxiGraphPart *part;   /* [part_count + 1] components */
    uint32_t part_count;
    bool pooled; /* small trees of springy balls, one or many, each for itself: what one comes to is no matter of how
                    many there are */
    double size; /* largest of a part */
    uint32_t *drive_row;               /* [drive_count] rows of drives */
    uint32_t *rotational_spring_block; /* [rotational_spring_count] blocks with a spring of a ball joint */
    uint32_t drive_count, rotational_spring_count;
    AfxiGraphBlock *block;  /* [block_count] */
    AfxiGraphRow *row;      /* [row_count] */
    AfxiGraphEntry *entry;  /* [entry_count] */
    uint32_t *body_start;   /* [body_count + 1] into body_entry */
    uint32_t *body_entry;   /* [entry_count] entries of each body */
    size_t jacobian_length; /* numbers of all gradients */
    uint32_t *alike;        /* [body_count] bodies by their numbers of rows, high-degree bodies left out */
    AfxiGraphBatch *batch;
    uint32_t batch_count;
    uint32_t *high_degree; /* [high_degree_count] bodies with more than AFXI_BODY_ROWS_MOST rows: blocks of the plan
                              after all others */
    uint32_t high_degree_count;
    uint8_t *hub_width;   /* [body_count] of a graph whose contacts are no rows of the plan (dual/hubs.h): rows of each
                             body's own block, 0: it has none. Such bodies are its high-degree ones. NULL elsewhere */
    AfxiBlockSpot *touch; /* [block_count - joint_blocks] of both hubs of a pair that touches, where there are hubs */
    size_t *pair_start;   /* [body_count] into spot; of a high-degree body: one spot for each entry, then that of the
                             high-degree body itself */
    AfxiBlockSpot *spot;  /* of entries a >= b of a body: pair_start + a (a + 1) / 2 + b */
    AfxiBlockSpot *diagonal; /* [block_count] */
    void *spots_raw;         /* what to release */
    size_t spots_raw_size;
    uint32_t loop_rows;   /* rows of blocks that close loops; 0: a forest, never redundant */
    bool ball_loops;      /* all that closes loops are balls, which are seldom redundant */
    bool rings;           /* some loops close among bodies that are solved for, not through the ground */
    uint32_t ball_blocks; /* joints that are balls without drives */
    uint32_t equality_rows, compliant_rows;
    AfxiClosedForm closed_form;
    AfxiRecursion recursion;
    AfxSolver solver;        /* what was asked for */
    AfxiBlockOrder order;    /* how AFX_SOLVER_GRAPH finds its order */
    AfxComponent *component; /* [component_count] */
    uint32_t component_count;
    uint32_t *sweep; /* [block_count] blocks along paths through the graph; for AFX_SOLVER_GS, else NULL */
    AfxiBlockPlan plan;
    void *raw; /* what to release */
    size_t raw_size;
} AfxiGraph;

/** Rows of a hub: the motions of a rigid body, or all numbers of a body. */
#define AFXI_HUB_NARROW 6u
#define AFXI_HUB_WIDEST 12u
/** Blocks and rows that are rows of the plan: all, but contacts where bodies are hubs. */
static inline uint32_t afxi_graph_planned_blocks(const AfxiGraph *graph) {
    return graph->hub_width ? graph->joint_blocks : graph->block_count;
}
static inline uint32_t afxi_graph_planned_rows(const AfxiGraph *graph) {
    return graph->hub_width ? graph->joint_rows : graph->row_count;
}
/** How many of a body's entries, which are its first ones, belong to such blocks. */
uint32_t afxi_graph_planned_entries(const AfxiGraph *graph, uint32_t body);
/** Gives back all that a graph has allocated. */
void afxi_graph_release(const AfxAllocator *allocator, AfxiGraph *graph);
/** Whether a block is a ball joint without drives. */
bool afxi_graph_is_ball(const AfxModel *model, const AfxiGraphBlock *block);
/** The bodies' lists of entries. */
void afxi_graph_list_bodies(AfxiGraph *graph);
/** The graphs of all components, from the compiled joints (graph.c). */
AfxStatus afxi_compile_graphs(AfxModel *model);
void afxi_graphs_destroy(AfxModel *model);

#endif
