/* SPDX-License-Identifier: Apache-2.0 */
/* Depth of two overlapping convex cores: a polytope inside the set of differences a - b that holds the origin grows
 * where its surface is nearest to the origin, until that is a piece of the set's own surface (van den Bergen 2001). For
 * smooth shapes this never ends; what is left is for afxi_polish. */
#include "contact/expand.h"

#include "contact/gjk.h"
#include "contact/inner.h"
#include "contact/support.h"
#include "contact/tuning.h"

#define CORNERS 72
#define FACES 144

typedef struct Face {
    uint32_t v[3];
    AfxVec3 n; /* outward */
    double d;  /* distance from the origin */
} Face;

typedef struct Polytope {
    uint32_t corner_count, face_count;
    AfxVec3 corner[CORNERS];
    Face face[FACES];
} Polytope;

/* A face without area to speak of keeps the surface closed, but is never seen and never the nearest. */
static bool add_face(Polytope *p, uint32_t a, uint32_t b, uint32_t c) {
    AfxVec3 u = vec3_sub(p->corner[b], p->corner[a]), w = vec3_sub(p->corner[c], p->corner[a]);
    AfxVec3 n = vec3_cross(u, w);
    double area = vec3_length(n);
    bool flat = !(area > 1e-12 * vec3_length(u) * vec3_length(w));
    if (p->face_count == FACES)
        return false;
    n = flat ? vec3(0, 0, 0) : vec3_scale(1 / area, n);
    p->face[p->face_count++] = (Face){{a, b, c}, n, flat ? INFINITY : vec3_dot(n, p->corner[a])};
    return true;
}

/* Adds the farthest corner along +d or -d if it is off by enough from what is there. */
static bool grow(const AfxiPlacedPair *pair, Polytope *p, AfxVec3 d, double size) {
    double level = vec3_dot(d, p->corner[0]);
    for (int side = 0; side < 2; side++) {
        AfxVec3 w = afxi_corner(pair, vec3_scale(side ? -1 : 1, d)).w;
        if (fabs(vec3_dot(d, w) - level) > 1e-10 * size) {
            p->corner[p->corner_count++] = w;
            return true;
        }
    }
    return false;
}

/* Completes the simplex to a tetrahedron. When the set of differences is flat (false), *out_flat is its normal. */
static bool complete(const AfxiPlacedPair *pair, Polytope *p, double size, AfxVec3 *out_flat) {
    static const AfxVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3 && p->corner_count == 1; k++)
        grow(pair, p, axes[k], size);
    *out_flat = vec3(0, 0, 1);
    if (p->corner_count < 2)
        return false;
    AfxVec3 line = unit_or(vec3_sub(p->corner[1], p->corner[0]), vec3(1, 0, 0));
    AfxVec3 u = any_normal_to(line), w = vec3_cross(line, u);
    *out_flat = u;
    if (p->corner_count == 2 && !grow(pair, p, u, size) && !grow(pair, p, w, size))
        return false;
    AfxVec3 n = vec3_cross(vec3_sub(p->corner[1], p->corner[0]), vec3_sub(p->corner[2], p->corner[0]));
    *out_flat = n = unit_or(n, u);
    return p->corner_count == 4 || grow(pair, p, n, size);
}

static bool start(Polytope *p) {
    AfxVec3 a = p->corner[0];
    AfxVec3 n = vec3_cross(vec3_sub(p->corner[1], a), vec3_sub(p->corner[2], a));
    if (vec3_dot(n, vec3_sub(p->corner[3], a)) > 0) { /* the fourth must be behind the first three */
        AfxVec3 keep = p->corner[1];
        p->corner[1] = p->corner[2];
        p->corner[2] = keep;
    }
    return add_face(p, 0, 1, 2) && add_face(p, 0, 3, 1) && add_face(p, 1, 3, 2) && add_face(p, 2, 3, 0);
}

static bool share_edge(const Face *f, const Face *g) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (f->v[i] == g->v[(j + 1) % 3] && f->v[(i + 1) % 3] == g->v[j])
                return true;
    return false;
}

/* The faces that w sees and that hang together with face `first`, put at the end of the list; the number of the others.
 * Rounding can make faces elsewhere look seen: left alone, they cannot tear the surface. */
static uint32_t part_seen(Polytope *p, uint32_t first, AfxVec3 w, double slack) {
    uint32_t rest = p->face_count, seen[FACES], count = 0;
    for (uint32_t f = 0; f < p->face_count; f++)
        if (f != first && vec3_dot(p->face[f].n, vec3_sub(w, p->corner[p->face[f].v[0]])) > slack)
            seen[count++] = f;
    /* seen[0 .. reached) hang together */
    uint32_t reached = 0;
    for (uint32_t i = 0; i <= reached; i++) {
        const Face *from = p->face + (i == 0 ? first : seen[i - 1]);
        for (uint32_t k = reached; k < count; k++)
            if (share_edge(from, p->face + seen[k])) {
                uint32_t keep = seen[k];
                seen[k] = seen[reached];
                seen[reached++] = keep;
            }
    }
    bool gone[FACES] = {false};
    gone[first] = true;
    for (uint32_t k = 0; k < reached; k++)
        gone[seen[k]] = true;
    for (uint32_t f = 0; f < rest;) {
        if (!gone[f]) {
            f++;
            continue;
        }
        Face keep = p->face[f];
        rest--;
        p->face[f] = p->face[rest];
        p->face[rest] = keep;
        gone[f] = gone[rest];
    }
    return rest;
}

/* Replaces the faces that the new corner sees by a cone over their border; false when it does not fit. */
static bool expand(Polytope *p, uint32_t nearest, AfxVec3 w, double slack) {
    uint32_t border[FACES][2], borders = 0, added = p->corner_count;
    if (added == CORNERS)
        return false;
    p->corner[p->corner_count++] = w;
    uint32_t rest = part_seen(p, nearest, w, slack);
    for (uint32_t f = rest; f < p->face_count; f++)
        for (int k = 0; k < 3; k++) {
            uint32_t from = p->face[f].v[k], to = p->face[f].v[(k + 1) % 3], e = 0;
            while (e < borders && !(border[e][0] == to && border[e][1] == from))
                e++;
            if (e < borders) { /* seen from both sides: inside */
                borders--;
                border[e][0] = border[borders][0];
                border[e][1] = border[borders][1];
            } else if (borders < FACES) {
                border[borders][0] = from;
                border[borders++][1] = to;
            } else {
                return false;
            }
        }
    p->face_count = rest;
    for (uint32_t e = 0; e < borders; e++)
        if (!add_face(p, border[e][0], border[e][1], added))
            return false;
    return true;
}

static uint32_t nearest_face(const Polytope *p) {
    uint32_t best = 0;
    for (uint32_t f = 1; f < p->face_count; f++)
        best = p->face[f].d < p->face[best].d ? f : best;
    return best;
}

AfxVec3 afxi_expand(const AfxiPlacedPair *pair, const AfxiSimplex *simplex) {
    Polytope p;
    double size = afxi_core_size(pair->a) + afxi_core_size(pair->b);
    AfxVec3 flat, best;
    p.face_count = 0;
    p.corner_count = simplex->count;
    for (uint32_t k = 0; k < simplex->count; k++)
        p.corner[k] = simplex->corner[k].w;
    if (!complete(pair, &p, size, &flat) || !start(&p))
        return flat;
    /* A face counts for no more than where the set ends along its normal: that bounds the depth from above. */
    double depth = INFINITY, left = (afxi_is_smooth(pair) ? 1e-5 : 1e-12) * size;
    best = vec3(0, 0, 1);
    for (int turn = 0; turn < AFXI_EXPAND_TURNS && p.face_count > 0; turn++) {
        uint32_t nearest = nearest_face(&p);
        Face face = p.face[nearest];
        AfxiCorner c = afxi_corner(pair, face.n);
        double end = vec3_dot(face.n, c.w);
        if (end < depth) {
            depth = end;
            best = face.n;
        }
        if (depth - face.d <= left || !expand(&p, nearest, c.w, 1e-13 * size))
            break;
    }
    return vec3_scale(-1, best);
}
