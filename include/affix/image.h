/* SPDX-License-Identifier: Apache-2.0 */
/* affix/image.h: pictures of a sim as arrays (colour, depth, and which body each pixel shows), without a window, a
 * graphics card or a browser. Part of libaffix_io.
 *
 *     AfxImagerDef def = afx_default_imager();
 *     AfxImager *imager = NULL;
 *     afx_imager_create(&def, scene, &imager, &error);
 *     AfxView view = afx_view_look((AfxVec3){3, -3, 2}, (AfxVec3){0, 0, 1}, (AfxVec3){0, 0, 1}, 0.8);
 *     unsigned char color[64 * 64 * 3];
 *     float depth[64 * 64];
 *     afx_imager_draw(imager, sim, &view, &(AfxImage){.color = color, .depth = depth});
 *
 * Bodies look as in the viewer, without shadows and without the pictures of textures, whose shapes have their plain
 * colour. */
#ifndef AFFIX_IMAGE_H
#define AFFIX_IMAGE_H

#include "affix/io.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AFX_IMAGE_EDGE 4096u /* pixels along an edge at most */

/** Draws the sims of a scene's model; one for each thread. */
typedef struct AfxImager AfxImager;

typedef struct AfxImagerDef {
    uint32_t cookie; /* set by afx_default_imager */
    AfxAllocator allocator;
    uint32_t width, height; /* pixels; default 64 x 64 */
    uint32_t samples;       /* along an edge of a pixel, whose mean is its colour: 1, 3 or 5; default 3 */
    uint32_t background;    /* AFX_COLOR; default a light grey */
} AfxImagerDef;

/** From where a picture is taken. */
typedef struct AfxView {
    AfxPose pose;         /* of the camera, which looks along its -z axis and has y up */
    double field_of_view; /* rad, of the picture's height, in (0, pi) */
} AfxView;

/** Where a picture goes, row by row from the top left; what is NULL is not written. */
typedef struct AfxImage {
    unsigned char *color; /* [height][width][3] red, green, blue */
    float *depth;         /* [height][width] m along the direction of view, of a pixel's centre; INFINITY: background */
    int32_t *body;        /* [height][width] the body at a pixel's centre; -1: background */
} AfxImage;

/** 64 x 64 pixels of 3 x 3 samples. */
AFX_API AfxImagerDef afx_default_imager(void);
/** Makes what draws the shapes of a scene, which is not kept. AFX_E_ARGUMENT for sizes out of range. */
AFX_API AfxStatus afx_imager_create(const AfxImagerDef *def, const AfxScene *scene, AfxImager **out_imager,
                                    AfxError *out_error);
/** Frees it. NULL is allowed. */
AFX_API void afx_imager_destroy(AfxImager *imager);
/** A picture of a sim of that scene's model as it is now. Allocates nothing. AFX_E_ARGUMENT when the sim has another
 * number of bodies or the view is not one. */
AFX_API AfxStatus afx_imager_draw(AfxImager *imager, const AfxSim *sim, const AfxView *view, const AfxImage *image);

/** The view from a point towards another, `up` showing upwards in the picture as far as it can. */
AFX_API AfxView afx_view_look(AfxVec3 from, AfxVec3 to, AfxVec3 up, double field_of_view);
/** The view of a camera of a run, which goes along with the body that it follows; up is against gravity. AFX_E_ARGUMENT
 * when there is no such body. */
AFX_API AfxStatus afx_camera_view(const AfxCamera *camera, const AfxScene *scene, const AfxSim *sim, AfxView *out_view);
/** A view that has all bodies of a sim in it, obliquely from above. */
AFX_API AfxStatus afx_imager_overview(const AfxImager *imager, const AfxSim *sim, AfxView *out_view);
/** Writes red, green and blue, [height][width][3], as a PNG file: complete, or the old file stays. */
AFX_API AfxStatus afx_image_save(const unsigned char *color, uint32_t width, uint32_t height, const char *path,
                                 AfxError *out_error);

#ifdef __cplusplus
}
#endif
#endif
