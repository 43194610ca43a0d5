/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles into samples: a depth buffer, and the light on what is nearest.
 *
 * Camera axes here: x to the right, y up, z along the direction of view, so z is the depth. A point is seen at
 * (x, y) focal / z from the middle, and 1 / z is linear over the picture; so are attributes divided by z. */
#ifndef AFXI_RENDER_RASTER_H
#define AFXI_RENDER_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AFXI_SHADES 1024 /* entries of the table from light to what a screen takes */

typedef struct AfxiRaster {
    uint32_t width, height; /* samples */
    double focal;           /* samples per unit of x / z */
    double near;            /* what is nearer is cut away, m */
    float light[3];         /* unit, towards the light, camera axes */
    float up[3];            /* unit, camera axes */
    float turn[9];          /* by columns: normals of corners into camera axes */
    float *closeness;       /* [height][width] 1 / depth; 0: background */
    int32_t *body;          /* [height][width] */
    unsigned char *color;   /* [height][width][3] */
    unsigned char shades[AFXI_SHADES + 1];
} AfxiRaster;

/** A corner: in camera axes, with its normal (not 0, any length) in those of its mesh, and where it is seen. Few
 * samples show a normal: they are turned there, and not at every corner. */
typedef struct AfxiCorner {
    double at[3];    /* floats of a large plane are off by millimetres near the camera */
    double x, y;     /* samples, from the top left */
    float closeness; /* 1 / z; 0: before the near plane, x and y say nothing */
    float normal[3];
} AfxiCorner;

/** What all triangles of a mesh share. */
typedef struct AfxiSurface {
    float linear[3]; /* its colour, as light */
    int32_t body;
    bool closed; /* its inside is never seen: triangles that look away are left out */
    bool flat;   /* corners have no normals: triangles have their own */
} AfxiSurface;

/** The table of shades. */
void afxi_raster_start(AfxiRaster *raster);
/** Light of a colour as on a screen, 0 to 1. */
float afxi_linear_of(double screen);
/** Everything background, of that colour. */
void afxi_raster_clear(AfxiRaster *raster, const unsigned char background[3]);
/** Where a corner is seen, from corner->at. */
void afxi_raster_project(const AfxiRaster *raster, AfxiCorner *corner);
/** Draws a triangle, counter-clockwise where it looks at the camera. */
void afxi_raster_triangle(AfxiRaster *raster, const AfxiSurface *surface, const AfxiCorner *a, const AfxiCorner *b,
                          const AfxiCorner *c);

#endif
