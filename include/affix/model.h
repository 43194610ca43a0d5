/* SPDX-License-Identifier: Apache-2.0 */
/* affix/model.h: the compiled structure: dense, constant, without names. One model serves many sims and
 * threads. Body k of the model is body k of the scene in authoring order. */
#ifndef AFFIX_MODEL_H
#define AFFIX_MODEL_H

#include "affix/joint.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AfxModel AfxModel;

/** Compiles a scene. On failure *out_model is NULL, nothing is left to free, and *out_error (may be NULL) says
 * which body or element is wrong and what would cure it. The model does not refer to the scene afterwards. */
AFX_API AfxStatus afx_model_create(const AfxScene *scene, AfxModel **out_model, AfxError *out_error);
/** Frees the model; every sim made from it must be gone. NULL is allowed. */
AFX_API void afx_model_destroy(AfxModel *model);

AFX_API uint32_t afx_model_body_count(const AfxModel *model);
AFX_API uint32_t afx_model_marker_count(const AfxModel *model);
AFX_API uint32_t afx_model_wrench_count(const AfxModel *model);
AFX_API uint32_t afx_model_joint_count(const AfxModel *model);
/** Joint coordinates of all joints, and the first of one joint's. */
AFX_API uint32_t afx_model_coordinate_count(const AfxModel *model);
AFX_API uint32_t afx_model_joint_coordinate(const AfxModel *model, uint32_t joint);
/** Rows of all joints (equality rows), and rows that only drives, springs and compliant couplings bring. */
AFX_API uint32_t afx_model_row_count(const AfxModel *model);
AFX_API uint32_t afx_model_compliant_row_count(const AfxModel *model);
/** Number of distinct sets of body constants: equal bodies share one. */
AFX_API uint32_t afx_model_class_count(const AfxModel *model);
AFX_API AfxBodyKind afx_model_body_kind(const AfxModel *model, uint32_t body);
/** The principal frame (origin at the centre of mass) in the body's frame: the raw coordinates of
 * afx_sim_coordinates map points of this principal frame to the world. */
AFX_API AfxStatus afx_model_body_frame(const AfxModel *model, uint32_t body, AfxPose *out_frame);
/** True when a rotary inertia of the body was lifted to the floor of 1e-12 m L². */
AFX_API bool afx_model_body_floored(const AfxModel *model, uint32_t body);
/** A length that residuals are related to: the diagonal of the box around all bodies at the start. */
AFX_API double afx_model_size(const AfxModel *model);
/** A hash of structure and default parameters: equal scenes give equal hashes. */
AFX_API uint64_t afx_model_hash(const AfxModel *model);

#ifdef __cplusplus
}
#endif
#endif
