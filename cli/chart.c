/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing a chart as SVG 1.1. Curves with many points are reduced to the smallest and largest value of each column of
 * pixels, which looks the same. */
#include "cli/chart.h"

#include <math.h>
#include <string.h>

#define WIDTH 960
#define LEFT 86
#define RIGHT 190 /* room for the legend */
#define TOP 46
#define PANEL 300
#define GAP 34
#define BOTTOM 52
#define PLOT (WIDTH - LEFT - RIGHT)
#define LEGEND_MOST 14
#define PADDING 0.04 /* of the range, above and below */
#define NEAR 0.05    /* pixels: points so near to the last one are left out; half of what is written */

static const char *const colours[] = {"#2a6fb0", "#d9822b", "#1d9a6c", "#b23a48",
                                      "#6a51a3", "#5aa9d6", "#9c6b30", "#555555"};

#define COLOUR_COUNT (sizeof(colours) / sizeof(colours[0]))

static void put_text(FILE *file, const char *text) {
    for (; *text; ++text) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        default:
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, file);
        }
    }
}

/* A frame on the page, and what is drawn in it. */
typedef struct Frame {
    FILE *file;
    const CliChart *chart;
    const CliChartPanel *panel;
    CliAxis x, y;
    double top;
    bool last; /* the horizontal axis is labelled below it */
} Frame;

static double across(const Frame *frame, double value) {
    return LEFT + PLOT * cli_axis_place(&frame->x, value);
}

static double down(const Frame *frame, double value) {
    return frame->top + PANEL * (1 - cli_axis_place(&frame->y, value));
}

/* Range of all values that can be shown. */
static void range(const CliChartPanel *panel, double *out_low, double *out_high) {
    *out_low = INFINITY;
    *out_high = -INFINITY;
    for (uint32_t s = 0; s < panel->series_count; ++s) {
        for (uint64_t k = 0; k < panel->series[s].rows; ++k) {
            double value = panel->series[s].values[k];
            if (isfinite(value) && (!panel->log || value > 0)) {
                *out_low = fmin(*out_low, value);
                *out_high = fmax(*out_high, value);
            }
        }
    }
    if (!panel->log && *out_low < *out_high) {
        double room = PADDING * (*out_high - *out_low);
        *out_low -= room;
        *out_high += room;
    }
}

static void draw_tick_y(const Frame *frame, uint32_t k) {
    char label[40];
    double y = frame->top + PANEL * (1 - (frame->y.ticks[k] - frame->y.low) / (frame->y.high - frame->y.low));
    cli_axis_label(&frame->y, k, label, sizeof(label));
    fprintf(frame->file, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT, y, LEFT + PLOT,
            y);
    fprintf(frame->file, "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, y + 4);
    if (frame->y.log) {
        fprintf(frame->file, "10<tspan dy=\"-5\" font-size=\"9\">%s</tspan></text>\n", label);
    } else {
        fprintf(frame->file, "%s</text>\n", label);
    }
}

static void draw_tick_x(const Frame *frame, uint32_t k) {
    char label[40];
    double x = LEFT + PLOT * (frame->x.ticks[k] - frame->x.low) / (frame->x.high - frame->x.low);
    cli_axis_label(&frame->x, k, label, sizeof(label));
    fprintf(frame->file, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x, frame->top, x,
            frame->top + PANEL);
    if (frame->last) {
        fprintf(frame->file, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", x,
                frame->top + PANEL + 18, label);
    }
}

/* "×10^6", "+ 12.5": what the labels of an axis are to be read with. */
static void draw_scale(FILE *file, const CliAxis *axis, double x, double y, const char *anchor) {
    if (axis->log || (axis->exponent == 0 && axis->offset == 0)) {
        return;
    }
    fprintf(file, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    if (axis->exponent) {
        fprintf(file, "\xc3\x97 10<tspan dy=\"-5\" font-size=\"9\">%d</tspan><tspan dy=\"5\"> </tspan>",
                axis->exponent);
    }
    if (axis->offset != 0) {
        fprintf(file, "%s%.10g", axis->offset < 0 ? "\xe2\x88\x92 " : "+ ", fabs(axis->offset));
    }
    fputs("</text>\n", file);
}

static void draw_axes(const Frame *frame) {
    FILE *file = frame->file;
    double middle = frame->top + PANEL / 2.0;
    for (uint32_t k = 0; k < frame->x.count; ++k) {
        draw_tick_x(frame, k);
    }
    for (uint32_t k = 0; k < frame->y.count; ++k) {
        draw_tick_y(frame, k);
    }
    fprintf(file, "<rect class=\"frame\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n", LEFT, frame->top, PLOT,
            PANEL);
    fprintf(file, "<text class=\"label\" transform=\"translate(20 %.1f) rotate(-90)\" text-anchor=\"middle\">", middle);
    put_text(file, frame->panel->label);
    fputs("</text>\n", file);
    draw_scale(file, &frame->y, LEFT, frame->top - 6, "start");
    if (frame->last) {
        fprintf(file, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", LEFT + PLOT / 2.0,
                frame->top + PANEL + 40);
        put_text(file, frame->chart->label);
        fputs("</text>\n", file);
        draw_scale(file, &frame->x, LEFT + PLOT, frame->top + PANEL + 40, "end");
    }
}

/* The path of a curve while it is drawn: points of one column of pixels are gathered to their ends. */
typedef struct Pen {
    FILE *file;
    bool down;   /* the last point was drawn: go on by a line */
    long column; /* of the points gathered; -1: none */
    double first, low, high, last, x;
} Pen;

static void put_point(Pen *pen, double x, double y) {
    fprintf(pen->file, "%s%.1f %.1f", pen->down ? "L" : "M", x, y);
    pen->down = true;
}

static void put_column(Pen *pen) {
    if (pen->column < 0) {
        return;
    }
    put_point(pen, pen->x, pen->first);
    if (pen->high > pen->low) {
        bool rises = pen->last >= pen->first;
        put_point(pen, pen->x, rises ? pen->low : pen->high);
        put_point(pen, pen->x, rises ? pen->high : pen->low);
        put_point(pen, pen->x, pen->last);
    }
    pen->column = -1;
}

static void add_point(Pen *pen, double x, double y, bool gather) {
    long column = gather ? (long)(2 * x) : -2; /* half a pixel wide */
    if (!gather) {
        put_point(pen, x, y);
        return;
    }
    if (column != pen->column) {
        put_column(pen);
        *pen = (Pen){pen->file, pen->down, column, y, y, y, y, x};
    }
    pen->low = fmin(pen->low, y);
    pen->high = fmax(pen->high, y);
    pen->last = y;
}

static void draw_curve(const Frame *frame, const CliChartSeries *series, const char *colour) {
    Pen pen = {.file = frame->file, .column = -1};
    bool gather = !frame->chart->path && series->rows > 2 * PLOT;
    double last_x = INFINITY, last_y = INFINITY;
    fprintf(frame->file, "<path class=\"curve\" stroke=\"%s\" d=\"", colour);
    for (uint64_t k = 0; k < series->rows; ++k) {
        double x = across(frame, series->axis[k]), y = down(frame, series->values[k]);
        if (isfinite(x) && isfinite(y)) {
            bool near = pen.down && fabs(x - last_x) < NEAR && fabs(y - last_y) < NEAR;
            if (!near || gather || k + 1 == series->rows) {
                add_point(&pen, x, y, gather);
                last_x = x;
                last_y = y;
            }
        } else {
            put_column(&pen);
            pen.down = false;
        }
    }
    put_column(&pen);
    fputs("\"/>\n", frame->file);
}

static void draw_legend(const Frame *frame) {
    const CliChartPanel *panel = frame->panel;
    uint32_t shown = panel->series_count > LEGEND_MOST ? LEGEND_MOST - 1 : panel->series_count;
    for (uint32_t k = 0; k < shown; ++k) {
        double y = frame->top + 12 + 20.0 * k;
        char name[40];
        size_t length = strlen(panel->series[k].name);
        snprintf(name, sizeof(name), length > 26 ? "%.24s\xe2\x80\xa6" : "%s", panel->series[k].name);
        fprintf(frame->file, "<line class=\"curve\" stroke=\"%s\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
                colours[k % COLOUR_COUNT], LEFT + PLOT + 14, y, LEFT + PLOT + 36, y);
        fprintf(frame->file, "<text class=\"name\" x=\"%d\" y=\"%.1f\">", LEFT + PLOT + 43, y + 4);
        put_text(frame->file, name);
        fputs("</text>\n", frame->file);
    }
    if (shown < panel->series_count) {
        fprintf(frame->file, "<text class=\"name\" x=\"%d\" y=\"%.1f\">and %u more</text>\n", LEFT + PLOT + 43,
                frame->top + 16 + 20.0 * shown, panel->series_count - shown);
    }
}

static void draw_panel(const CliChart *chart, uint32_t k, const CliAxis *x, FILE *file) {
    double low, high;
    Frame frame = {.file = file, .chart = chart, .panel = &chart->panels[k], .x = *x, .top = TOP + k * (PANEL + GAP)};
    range(frame.panel, &low, &high);
    frame.y = cli_axis_make(low, high, frame.panel->log, 6);
    frame.last = k + 1 == chart->panel_count;
    draw_axes(&frame);
    fprintf(file, "<clipPath id=\"clip%u\"><rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\"/></clipPath>\n", k,
            LEFT, frame.top, PLOT, PANEL);
    fprintf(file, "<g clip-path=\"url(#clip%u)\">\n", k);
    for (uint32_t s = frame.panel->series_count; s > 0; --s) { /* the first one on top */
        draw_curve(&frame, &frame.panel->series[s - 1], colours[(s - 1) % COLOUR_COUNT]);
    }
    fputs("</g>\n", file);
    if (low > high) {
        fprintf(file, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">nothing to show</text>\n",
                LEFT + PLOT / 2.0, frame.top + PANEL / 2.0);
    }
    draw_legend(&frame);
}

void cli_chart_svg(const CliChart *chart, FILE *file) {
    uint32_t height = TOP + chart->panel_count * (PANEL + GAP) - GAP + BOTTOM;
    double low = INFINITY, high = -INFINITY;
    for (uint32_t p = 0; p < chart->panel_count; ++p) {
        for (uint32_t s = 0; s < chart->panels[p].series_count; ++s) {
            const CliChartSeries *series = &chart->panels[p].series[s];
            for (uint64_t k = 0; k < series->rows; ++k) {
                if (isfinite(series->axis[k])) {
                    low = fmin(low, series->axis[k]);
                    high = fmax(high, series->axis[k]);
                }
            }
        }
    }
    double room = chart->path && low < high ? PADDING * (high - low) : 0;
    CliAxis x = cli_axis_make(low - room, high + room, false, 8);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
            "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n",
            WIDTH, height, WIDTH, height);
    fputs("<style>.grid{stroke:#e3e5e8;stroke-width:1}.frame{fill:none;stroke:#8a9099;stroke-width:1}"
          ".tick{font-size:12px;fill:#4a5058}.label{font-size:13px;fill:#23272c}.name{font-size:12px;fill:#23272c}"
          ".title{font-size:16px;fill:#23272c}.curve{fill:none;stroke-width:1.6;stroke-linejoin:round}</style>\n",
          file);
    fprintf(file, "<rect width=\"%d\" height=\"%u\" fill=\"#ffffff\"/>\n", WIDTH, height);
    fprintf(file, "<text class=\"title\" x=\"%d\" y=\"26\">", LEFT);
    put_text(file, chart->title);
    fputs("</text>\n", file);
    for (uint32_t k = 0; k < chart->panel_count; ++k) {
        draw_panel(chart, k, &x, file);
    }
    fputs("</svg>\n", file);
}
