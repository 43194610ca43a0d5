/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a tree that is being made. */
#ifndef AFXI_REDUCED_GROW_H
#define AFXI_REDUCED_GROW_H

#include "reduced/tree.h"

/** A body that stands still: joints on it begin in the world. */
void afxi_tree_add_fixed(AfxiTree *tree, uint32_t body);
/** A kinematic body: a node that is moved from outside. */
void afxi_tree_add_moved(AfxiTree *tree, uint32_t body);
/** The nodes of a joint, one side of which is in the tree already (`reversed`: its follower), and the body beyond. */
void afxi_tree_add_joint(AfxiTree *tree, uint32_t joint, bool reversed);
/** The translation and rotation of a body that begins a tree of its own. */
void afxi_tree_add_base(AfxiTree *tree, uint32_t body);

#endif
