/* SPDX-License-Identifier: Apache-2.0 */
/* Several points of one touch. Both shapes' flat pieces that face each other are looked at along the common normal n;
 * the corners of their common part are the points, and the height between the pieces is the gap there. Nothing depends
 * on which of the two is called a. A corner is named by the two edges that meet in it, which do not change while the
 * shapes slide. */
#include "contact/manifold.h"

#include "contact/inner.h"
#include "contact/reduce.h"
#include "contact/support.h"
#include "contact/tuning.h"

#define CLIP_MAX AFXI_REDUCE_MAX /* two polygons */

typedef struct ClipCorner {
    AfxVec3 p;
    uint32_t before, after; /* names of the edges; clipping edges have CLIPPED set */
} ClipCorner;

#define CLIPPED 0x80000000u

static uint32_t name_of(uint32_t before, uint32_t after) {
    uint32_t low = before < after ? before : after, high = before < after ? after : before;
    uint32_t h = low * 0x9E3779B1u;
    h = ((h ^ h >> 15) + high) * 0x2C1B3C6Du;
    return h ^ h >> 13;
}

static double polygon_size(const AfxiPolygon *p) {
    double most = 0;
    for (uint32_t k = 1; k < p->count; k++)
        most = fmax(most, vec3_length(vec3_sub(p->p[k], p->p[0])));
    return most;
}

/* What AFXI_CLIP_INSIDE allows. A corner that is out is compared with the piece's plane where the piece has ended, so
 * for a tilted piece the allowance shrinks: gaps are off by 1e-10 of the size at most. */
static double slack_of(const AfxiPolygon *clip, AfxVec3 n) {
    double facing = fabs(vec3_dot(clip->normal, n)), tilt = sqrt(fmax(1 - facing * facing, 0));
    return AFXI_CLIP_INSIDE * polygon_size(clip) * fmin(1, 1e-3 * facing / (tilt + 1e-9));
}

/* Inward normal (not unit: it has the edge's length in the view) of the clipping polygon's edge k. */
static AfxVec3 inward(const AfxiPolygon *clip, uint32_t k, AfxVec3 n) {
    AfxVec3 edge = vec3_sub(clip->p[k + 1 < clip->count ? k + 1 : 0], clip->p[k]);
    AfxVec3 in = vec3_cross(n, edge);
    return vec3_dot(clip->normal, n) < 0 ? vec3_scale(-1, in) : in;
}

static AfxVec3 between(AfxVec3 p, AfxVec3 q, double at_p, double at_q) {
    return vec3_mad(p, clamp(at_p / (at_p - at_q), 0, 1), vec3_sub(q, p));
}

/* Sutherland and Hodgman: cuts the corners by one half-space. */
static uint32_t cut(const ClipCorner *from, uint32_t count, AfxVec3 on, AfxVec3 in, double slack, uint32_t edge,
                    ClipCorner *to) {
    uint32_t kept = 0;
    double first = vec3_dot(in, vec3_sub(from[0].p, on)), here = first;
    for (uint32_t k = 0; k < count && kept + 2 < CLIP_MAX; k++) {
        const ClipCorner *p = from + k, *q = from + (k + 1 < count ? k + 1 : 0);
        double there = k + 1 < count ? vec3_dot(in, vec3_sub(q->p, on)) : first;
        bool here_in = here >= -slack, there_in = there >= -slack;
        if (here_in)
            to[kept++] = *p;
        if (here_in != there_in) {
            AfxVec3 x = between(p->p, q->p, here, there);
            to[kept++] = here_in ? (ClipCorner){x, p->after, edge} : (ClipCorner){x, edge, p->after};
        }
        here = there;
    }
    return kept;
}

static uint32_t clip_polygon(const AfxiPolygon *subject, const AfxiPolygon *clip, AfxVec3 n, ClipCorner *out) {
    ClipCorner other[CLIP_MAX];
    ClipCorner *from = out, *to = other;
    uint32_t count = subject->count;
    for (uint32_t k = 0; k < count; k++)
        from[k] = (ClipCorner){subject->p[k], subject->edge[k ? k - 1 : count - 1], subject->edge[k]};
    double slack = slack_of(clip, n);
    for (uint32_t k = 0; k < clip->count && count > 0; k++) {
        AfxVec3 in = inward(clip, k, n);
        count = cut(from, count, clip->p[k], in, slack * vec3_length(in), clip->edge[k] | CLIPPED, to);
        ClipCorner *swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t k = 0; from != out && k < count; k++)
        out[k] = from[k];
    return count;
}

static uint32_t clip_segment(const AfxiPolygon *subject, const AfxiPolygon *clip, AfxVec3 n, ClipCorner *out) {
    for (uint32_t k = 0; k < 2; k++)
        out[k] = (ClipCorner){subject->p[k], subject->edge[k], subject->edge[k]};
    double slack = slack_of(clip, n);
    for (uint32_t k = 0; k < clip->count; k++) {
        AfxVec3 in = inward(clip, k, n);
        double limit = -slack * vec3_length(in), d[2];
        for (int e = 0; e < 2; e++)
            d[e] = vec3_dot(in, vec3_sub(out[e].p, clip->p[k]));
        if (d[0] < limit && d[1] < limit)
            return 0;
        for (int e = 0; e < 2; e++)
            if (d[e] < limit)
                out[e] = (ClipCorner){between(out[e].p, out[1 - e].p, d[e], d[1 - e]), subject->edge[e],
                                      clip->edge[k] | CLIPPED};
    }
    return 2;
}

/* Two edges: where they cross or, when they are nearly parallel, the ends of their common length. */
static uint32_t meet_segments(const AfxiPolygon *a, const AfxiPolygon *b, AfxVec3 n, AfxVec3 out_a[2], AfxVec3 out_b[2],
                              uint32_t names[2]) {
    AfxVec3 da = vec3_sub(a->p[1], a->p[0]), db = vec3_sub(b->p[1], b->p[0]), o = vec3_sub(b->p[0], a->p[0]);
    double cross = vec3_dot(n, vec3_cross(da, db)), la = vec3_length(da), lb = vec3_length(db);
    if (fabs(cross) > 0.02 * la * lb) {
        double s = vec3_dot(n, vec3_cross(o, db)) / cross, t = vec3_dot(n, vec3_cross(o, da)) / cross;
        out_a[0] = vec3_mad(a->p[0], clamp(s, 0, 1), da);
        out_b[0] = vec3_mad(b->p[0], clamp(t, 0, 1), db);
        names[0] = 0;
        return 1;
    }
    /* Parameters along a of b's ends, then the part that both have. */
    double s0 = vec3_dot(o, da) / (la * la), s1 = vec3_dot(vec3_sub(b->p[1], a->p[0]), da) / (la * la);
    double low = fmax(0, fmin(s0, s1)), high = fmin(1, fmax(s0, s1));
    if (low > high)
        return 0;
    for (int k = 0; k < 2; k++) {
        double s = k ? high : low;
        out_a[k] = vec3_mad(a->p[0], s, da);
        out_b[k] = vec3_mad(b->p[0], clamp((s - s0) / (s1 - s0), 0, 1), db);
        names[k] = 1 + (uint32_t)k + (s == 0 || s == 1 ? 0 : 2);
    }
    return 2;
}

typedef struct Collect {
    AfxVec3 n;
    double ra, rb, margin; /* radii around the cores */
    double same;           /* points nearer than this are one */
    uint32_t count;
    AfxiTouch *points; /* [CLIP_MAX] */
} Collect;

static void collect(Collect *c, AfxVec3 a, AfxVec3 b, uint32_t name) {
    double gap = vec3_dot(c->n, vec3_sub(a, b)) - c->ra - c->rb;
    if (!(gap < c->margin))
        return;
    a = vec3_mad(a, -c->ra, c->n);
    for (uint32_t k = 0; k < c->count; k++)
        if (vec3_length(vec3_sub(a, vec3_load(c->points[k].point_a))) <= c->same)
            return;
    touch_set(c->points + c->count++, a, vec3_mad(b, c->rb, c->n), c->n, gap, name);
}

/* The corners of the subject's part, each with the point of the other piece below or above it. */
static void collect_clipped(Collect *c, const AfxiPolygon *subject, const AfxiPolygon *clip, bool subject_is_a) {
    ClipCorner corners[CLIP_MAX];
    double facing = vec3_dot(clip->normal, c->n);
    if (fabs(facing) < 1e-3)
        return;
    c->same = 4 * AFXI_CLIP_INSIDE * polygon_size(clip);
    uint32_t count =
        subject->count == 2 ? clip_segment(subject, clip, c->n, corners) : clip_polygon(subject, clip, c->n, corners);
    for (uint32_t k = 0; k < count; k++) {
        AfxVec3 p = corners[k].p;
        double up = vec3_dot(clip->normal, vec3_sub(clip->p[0], p)) / facing;
        AfxVec3 q = vec3_mad(p, up, c->n);
        uint32_t before = corners[k].before, after = corners[k].after;
        if (!subject_is_a) { /* the mark is for b's edges */
            before ^= CLIPPED;
            after ^= CLIPPED;
        }
        collect(c, subject_is_a ? p : q, subject_is_a ? q : p, name_of(before, after));
    }
}

uint32_t afxi_manifold(const AfxiPlacedPair *pair, AfxVec3 n, uint32_t limit, AfxiTouch out[AFXI_TOUCH_MAX]) {
    AfxiPolygon a, b;
    AfxiTouch points[CLIP_MAX];
    Collect c = {n, core_radius(pair->a), core_radius(pair->b), pair->margin, 0, 0, points};
    afxi_polygon(pair->a, &pair->pa, vec3_scale(-1, n), &a);
    afxi_polygon(pair->b, &pair->pb, n, &b);
    if (a.count >= 2 && b.count >= 3) {
        collect_clipped(&c, &a, &b, true);
    } else if (a.count >= 3 && b.count == 2) {
        collect_clipped(&c, &b, &a, false);
    } else if (a.count == 2 && b.count == 2) {
        AfxVec3 pa[2], pb[2];
        uint32_t names[2], count = meet_segments(&a, &b, n, pa, pb, names);
        for (uint32_t k = 0; k < count; k++)
            collect(&c, pa[k], pb[k], names[k]);
    }
    c.count = afxi_reduce(c.points, c.count, limit);
    for (uint32_t k = 0; k < c.count; k++)
        out[k] = c.points[k];
    return c.count;
}
