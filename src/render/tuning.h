/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of pictures, and what they rest on. */
#ifndef AFXI_RENDER_TUNING_H
#define AFXI_RENDER_TUNING_H

/* From a colour as on a screen to light: the usual approximation of sRGB's curve. */
#define AFXI_SCREEN_GAMMA 2.2

/* Shares of light. A white surface that looks at sky, lamp and camera at once has 1.05: nearly white, not burnt out;
 * one that is turned away from all keeps a fifth of its colour, so that its shape is still seen. */
#define AFXI_LIGHT_AMBIENT 0.20f
#define AFXI_LIGHT_SKY 0.25f
#define AFXI_LIGHT_SIDE 0.45f
#define AFXI_LIGHT_HEAD 0.15f

/* The near plane, as a share of the distance to the farthest body: floats tell depths apart to 1e-7 of 1 / z there. */
#define AFXI_NEAR_SHARE 1e-4

/* Sine of the angle between up and the direction of view below which up says nothing of the picture's. */
#define AFXI_UP_LEAST 1e-6

/* Of an overview: how far beyond the bodies' sphere the picture goes, and its angle, as the viewer starts. */
#define AFXI_OVERVIEW_MARGIN 1.1
#define AFXI_OVERVIEW_ANGLE 0.8

#endif
