/* SPDX-License-Identifier: Apache-2.0 */
/* affix/model.h: the compiled structure: dense, constant, without names. One model serves many sims and
 * threads. Body k of the model is body k of the scene in authoring order. */
#ifndef AFFIX_MODEL_H
#define AFFIX_MODEL_H

#include "affix/contact.h"
#include "affix/joint.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AfxModel AfxModel;

/* How the constraint equations of jointed bodies are solved (docs/solvers.md): solver, name. */
#define AFX_SOLVER_TABLE(X)      \
    X(AFX_SOLVER_AUTO, "auto")   \
    X(AFX_SOLVER_DENSE, "dense") \
    X(AFX_SOLVER_CHAIN, "chain") \
    X(AFX_SOLVER_TREE, "tree")   \
    X(AFX_SOLVER_SCHUR, "schur") \
    X(AFX_SOLVER_GRAPH, "graph") \
    X(AFX_SOLVER_CG, "cg")       \
    X(AFX_SOLVER_GS, "gs")

/** AUTO takes what is cheapest for each component. DENSE uses no structure (at most 20,000 constraint equations). CHAIN
 * is AUTO: ball chains by their own kernel. TREE eliminates from the leaves to the root and refuses loops; SCHUR does
 * the same with what closes loops last (at most 20,000 equations of a component); GRAPH takes a fill-reducing order. CG
 * iterates with an older factor, GS sweeps over the joints without one. All but AUTO and CHAIN solve ball chains like
 * everything else.
 */
typedef enum AfxSolver {
#define AFX_SOLVER_ENUM(solver, name) solver,
    AFX_SOLVER_TABLE(AFX_SOLVER_ENUM)
#undef AFX_SOLVER_ENUM
        AFX_SOLVER_COUNT
} AfxSolver;

/* structure, name */
#define AFX_STRUCTURE_TABLE(X)      \
    X(AFX_STRUCTURE_CHAIN, "chain") \
    X(AFX_STRUCTURE_TREE, "tree")   \
    X(AFX_STRUCTURE_LOOPS, "loops") \
    X(AFX_STRUCTURE_GRAPH, "graph")

/** What the moving bodies of a component form; what stands still couples nothing and does not count. CHAIN: a path.
 * TREE: no loops. LOOPS: a tree and few constraints that close loops (one pair of bodies, or at most a quarter of all).
 * GRAPH: anything else. */
typedef enum AfxStructure {
#define AFX_STRUCTURE_ENUM(structure, name) structure,
    AFX_STRUCTURE_TABLE(AFX_STRUCTURE_ENUM)
#undef AFX_STRUCTURE_ENUM
        AFX_STRUCTURE_COUNT
} AfxStructure;

/** The name in AFX_SOLVER_TABLE, or "unknown". */
AFX_API const char *afx_solver_name(AfxSolver solver);
/** The name in AFX_STRUCTURE_TABLE, or "unknown". */
AFX_API const char *afx_structure_name(AfxStructure structure);

typedef struct AfxModelDef {
    uint32_t cookie;
    AfxSolver solver; /* default AFX_SOLVER_AUTO */
} AfxModelDef;

/** AFX_SOLVER_AUTO. */
AFX_API AfxModelDef afx_default_model(void);

/** Compiles a scene. On failure *out_model is NULL, nothing is left to free, and *out_error (may be NULL) says
 * which body or element is wrong and what would cure it. The model does not refer to the scene afterwards. */
AFX_API AfxStatus afx_model_create(const AfxScene *scene, AfxModel **out_model, AfxError *out_error);
/** The same with a solver of your choice. AFX_E_INPUT when AFX_SOLVER_TREE meets a loop, AFX_E_LIMIT when there are too
 * many constraint equations for AFX_SOLVER_DENSE or AFX_SOLVER_SCHUR. */
AFX_API AfxStatus afx_model_create_with(const AfxScene *scene, const AfxModelDef *def, AfxModel **out_model,
                                        AfxError *out_error);
/** Frees the model; every sim made from it must be gone. NULL is allowed. */
AFX_API void afx_model_destroy(AfxModel *model);

/** Number of bodies, those that do not move included. */
AFX_API uint32_t afx_model_body_count(const AfxModel *model);
/** Number of markers. */
AFX_API uint32_t afx_model_marker_count(const AfxModel *model);
/** Number of wrenches of the scene. */
AFX_API uint32_t afx_model_wrench_count(const AfxModel *model);
/** Number of joints. */
AFX_API uint32_t afx_model_joint_count(const AfxModel *model);
/** Number of joint coordinates of all joints. */
AFX_API uint32_t afx_model_coordinate_count(const AfxModel *model);
/** Index of a joint's first coordinate among all joint coordinates. */
AFX_API uint32_t afx_model_joint_coordinate(const AfxModel *model, uint32_t joint);
/** The item of AFX_PARAM_JOINT_SPRING that a joint has: stiffness and damping about x, y, z, then the rest orientation
 * (w, x, y, z). UINT32_MAX: it has no spring. */
AFX_API uint32_t afx_model_joint_spring(const AfxModel *model, uint32_t joint);
/** The item of AFX_PARAM_JOINT_ARMATURE that free axis `axis` of a joint has; UINT32_MAX: it has none. */
AFX_API uint32_t afx_model_joint_armature(const AfxModel *model, uint32_t joint, uint32_t axis);
/** The first item of AFX_PARAM_TABLE of a drive's table, of its spring or its damper, and how many samples that has: 0
 * where there is none. out_count may be NULL. */
AFX_API uint32_t afx_model_drive_table(const AfxModel *model, uint32_t drive, bool damper, uint32_t *out_count);
/** The same for a spring between points. */
AFX_API uint32_t afx_model_spring_table(const AfxModel *model, uint32_t spring, bool damper, uint32_t *out_count);
/** Number of exact constraint equations of all joints, drives and couplings (rows of the Jacobian). */
AFX_API uint32_t afx_model_row_count(const AfxModel *model);
/** Number of compliant constraint equations: those of springs, servos and compliant couplings. */
AFX_API uint32_t afx_model_compliant_row_count(const AfxModel *model);
/** Number of distinct sets of body constants, which are interned: equal bodies share one. */
AFX_API uint32_t afx_model_class_count(const AfxModel *model);
/** Whether a body is dynamic, fixed or kinematic; AFX_BODY_FIXED when out of range. */
AFX_API AfxBodyKind afx_model_body_kind(const AfxModel *model, uint32_t body);
/** The principal frame (origin at the centre of mass) in the body's frame: the raw coordinates of
 * afx_sim_coordinates map points of this principal frame to the world. */
AFX_API AfxStatus afx_model_body_frame(const AfxModel *model, uint32_t body, AfxPose *out_frame);
/** True when a moment of inertia of the body was lifted to the floor of 1e-12 m L². */
AFX_API bool afx_model_body_floored(const AfxModel *model, uint32_t body);
/** A length that constraint violations are related to: the diagonal of the box around all bodies at the start. */
AFX_API double afx_model_size(const AfxModel *model);
/** A hash of structure and default parameters: equal scenes (compiled for the same solver) give equal hashes. */
AFX_API uint64_t afx_model_hash(const AfxModel *model);

/** Moving bodies that joints, drives, couplings and springs tie together, directly or through others. */
typedef struct AfxComponent {
    AfxStructure structure;
    AfxSolver solver;   /* what solves it by itself; never AUTO. While it touches another moving body, the two are one
                           island and are solved as a graph */
    uint32_t bodies;    /* moving ones */
    uint32_t joints;    /* joints, couplings and springs with constraint equations */
    uint32_t rows;      /* constraint equations of them, those of drives included */
    uint32_t loop_rows; /* those that close loops among the moving bodies */
} AfxComponent;

/** Number of components: first the ball chains that the chain kernel takes, then the others, each by their first body.
 * Bodies that nothing holds are in none. */
AFX_API uint32_t afx_model_component_count(const AfxModel *model);
/** Component `index`; AFX_E_ARGUMENT when out of range. */
AFX_API AfxStatus afx_model_component(const AfxModel *model, uint32_t index, AfxComponent *out_component);

typedef struct AfxModelCosts {
    double flops;         /* of factoring the dual system once, predicted; a step does that once per solver iteration */
    uint64_t model_bytes; /* of the model */
    uint64_t factor_bytes; /* of matrix and factor in each sim; ball chains have none to speak of */
} AfxModelCosts;

/** Predicted work and memory of the components by themselves, as they are where nothing touches; afx_sim_bytes has the
 * bytes of a sim. */
AFX_API AfxStatus afx_model_costs(const AfxModel *model, AfxModelCosts *out_costs);

#ifdef __cplusplus
}
#endif
#endif
