/* SPDX-License-Identifier: Apache-2.0 */
/* cli/chart.h: curves as an SVG picture: panels below each other, each with its own axis and legend.
 */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct CliChartSeries {
    const char *name;
    const double *values; /* [rows]; what is not finite makes a gap */
    const double *axis;   /* [rows], across */
    uint64_t rows;
} CliChartSeries;

typedef struct CliChartPanel {
    const char *label; /* of the vertical axis */
    bool log;          /* logarithmic: what is not positive makes a gap */
    const CliChartSeries *series;
    uint32_t series_count;
} CliChartPanel;

typedef struct CliChart {
    const char *title;
    const char *label; /* of the horizontal axis */
    bool path;         /* curves may go back and forth; else their axes rise, as times do */
    const CliChartPanel *panels;
    uint32_t panel_count;
} CliChart;

/** Writes the picture; the caller looks for errors of the file. */
void cli_chart_svg(const CliChart *chart, FILE *file);

#define CLI_AXIS_TICKS 16

/** Marks of an axis from low to high. */
typedef struct CliAxis {
    double low, high; /* the ends of the axis; logarithms where it is logarithmic */
    bool log;
    double ticks[CLI_AXIS_TICKS]; /* [count], in the same measure */
    uint32_t count;
    int exponent;  /* labels are given in units of 10^exponent */
    double offset; /* and from here on */
    int decimals;  /* of labels */
} CliAxis;

/** An axis for values from low to high (low > high: there are none), with about `wanted` marks at round numbers. */
CliAxis cli_axis_make(double low, double high, bool log, uint32_t wanted);
/** 0 at the low end, 1 at the high one; not finite where a value has no place. */
double cli_axis_place(const CliAxis *axis, double value);
/** The text at a mark. Of a logarithmic axis only the exponent of ten. */
void cli_axis_label(const CliAxis *axis, uint32_t tick, char *out_text, size_t size);

#endif
