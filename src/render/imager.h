/* SPDX-License-Identifier: Apache-2.0 */
/* What an imager keeps of a scene. */
#ifndef AFXI_RENDER_IMAGER_H
#define AFXI_RENDER_IMAGER_H

#include "affix/image.h"
#include "math/vec3.h"
#include "out/geometry.h"
#include "render/raster.h"

/** x -> turn x + shift; `turn` may stretch. */
typedef struct AfxiAffine {
    AfxiMat3 turn;
    AfxVec3 shift;
} AfxiAffine;

/** A mesh on its body. */
typedef struct AfxiPart {
    AfxiAffine place;
    AfxiSurface surface;
    uint32_t mesh;
} AfxiPart;

struct AfxImager {
    AfxAllocator allocator;
    AfxImagerDef def;
    uint32_t bodies;
    AfxiSceneGeometry geometry;
    AfxiPart *parts;     /* [geometry.worn_count] */
    AfxiCorner *corners; /* [corner_count] of the mesh that is being drawn */
    uint32_t corner_count;
    uint32_t *welded; /* [geometry.mesh_count] vertices of each in different places, the first ones */
    double *radii;    /* [bodies] of the ball about a body's origin that its meshes are in; planes left out */
    AfxVec3 up;       /* of the scene */
    AfxiRaster raster;
    size_t sample_count;
};

/** Against gravity; z without any. */
AfxVec3 afxi_scene_up(const AfxScene *scene);

#endif
