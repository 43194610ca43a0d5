/* SPDX-License-Identifier: Apache-2.0 */
/* Short calls for scenes: the first failure is remembered, and every call after it does nothing. */
#ifndef AFX_TEST_GOLDEN_MAKE_H
#define AFX_TEST_GOLDEN_MAKE_H

#include "affix/affix.h"

typedef struct Maker {
    AfxScene *scene;
    AfxStatus status;
} Maker;

Maker make_begin(bool contact);
/** Hands the scene over, or destroys it after a failure. */
AfxStatus make_end(Maker *maker, AfxScene **out_scene);

/** A fixed plane z = height, with friction and restitution. */
AfxBodyId make_plane(Maker *maker, double height, double friction, double restitution);
/** A dynamic body of Young's modulus `young` with one shape, its frame at `at`. */
AfxBodyId make_body(Maker *maker, AfxVec3 at, const AfxShapeDef *shape, double young);
/** A link: a capsule from a to b, its frame in the middle with z along it. */
AfxBodyId make_link(Maker *maker, AfxVec3 a, AfxVec3 b, double young);
/** A joint whose coordinates are 0 as the bodies stand; x of its frame is along `axis`. */
AfxJointId make_joint(Maker *maker, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxVec3 at, AfxVec3 axis);
/** A ball chain of `count` links of 0.1 m along +x from `from` on; `base` holds the first, unless the chain is free.
 * The links are written to out_links (may be NULL). */
void make_chain(Maker *maker, AfxBodyId base, bool is_free, AfxVec3 from, uint32_t count, double young,
                AfxBodyId *out_links);
/** A tree of links of 0.15 m, `depth` levels above its root, three branches at the end of every second one, from `from`
 * on along +x. The first `most` joints are written to out_joints (may be NULL), their number to *out_count. */
void make_tree(Maker *maker, AfxJointKind kind, AfxBodyId base, AfxVec3 from, uint32_t depth, double young,
               AfxJointId *out_joints, uint32_t *out_count, uint32_t most);
void make_drive(Maker *maker, const AfxDriveDef *def);

#endif
