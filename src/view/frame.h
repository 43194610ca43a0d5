/* SPDX-License-Identifier: Apache-2.0 */
/* A state as bytes for the pages: a head, AFXI_LOOK_FLOATS floats for each body, then sections, each with four letters,
 * the number of its bytes, and the bytes. There are these kinds of sections, all numbers being floats, in world axes:
 *
 *   - "REAC": force and torque of every joint on its follower, 6 each;
 *   - "EFFO", with "REAC": force or torque of every drive along its axis;
 *   - "BOOK", where an energy book is kept: AFXI_LOOK_BOOK numbers of it, since it was opened;
 *   - "DRAW": own geometry (out/drawing.h), where there is some;
 *   - "CONT": points that touch, AFXI_LOOK_CONTACT each, at most AFXI_FRAME_CONTACTS; the head has their number in
 *     full.
 *
 * A page leaves out sections that it does not know, so that others can be added. */
#ifndef AFXI_VIEW_FRAME_H
#define AFXI_VIEW_FRAME_H

#include "out/look.h"
#include "view/hub.h"

#define AFXI_FRAME_CONTACTS 40000 /* more cannot be told apart in a picture */

typedef struct AfxiFrameHead {
    char magic[4];       /* "AFXF" */
    uint32_t generation; /* of the scene: rises when it is built anew */
    uint32_t bodies;
    uint32_t colour; /* AfxiColour: what the values of the bodies are */
    uint64_t step;
    double time;
    double energy[4];                /* kinetic, potential, elastic, total */
    double residual, rotation_error; /* largest since the last frame */
    double seconds;                  /* that a step took, mean since the last frame */
    uint32_t solves, flags;          /* largest; combined */
    uint32_t steps;                  /* since the last frame */
    uint32_t playing;
    uint32_t contacts; /* points that touch; most since the last frame */
    uint32_t reason;   /* AfxTraceReason of the step with most solves */
} AfxiFrameHead;

/** Joints as a frame needs them: the scene's, in an array. */
typedef struct AfxiFrameJoints {
    AfxJointDef *joints; /* [count] names are not kept */
    uint32_t count;
} AfxiFrameJoints;

/** Sections of a frame. */
typedef struct AfxiFrameParts {
    bool reactions, contacts, book;
} AfxiFrameParts;

typedef struct AfxiFrameMaker {
    AfxAllocator allocator;
    AfxiStiffness stiffness;
    AfxiFrameJoints joints;
    AfxPose *poses; /* [bodies] */
    uint32_t bodies, drives;
    const AfxiBytes *drawing;  /* the caller's; NULL: none */
    const AfxiBytes *contacts; /* the same, in place of those that the sim has */
} AfxiFrameMaker;

AfxStatus afxi_frame_prepare(const AfxAllocator *allocator, const AfxScene *scene, const AfxSim *sim,
                             AfxiFrameMaker *out_maker);
void afxi_frame_release(AfxiFrameMaker *maker);
/** The frame of a state; head has everything but magic, bodies, time and energy. NULL when there is no memory. */
AfxiBlob *afxi_frame_make(AfxiFrameMaker *maker, const AfxSim *sim, const AfxiFrameHead *head, AfxiFrameParts parts);

#endif
