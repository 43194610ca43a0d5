/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the scenes of the comparison (affix_scene.c). */
#ifndef PEER_AFFIX_SCENE_H
#define PEER_AFFIX_SCENE_H

/** Prints a case (its name and arguments) or a model file (a path with a slash) as a scene file. */
int peer_write_scene(int argc, char **argv);

#endif
