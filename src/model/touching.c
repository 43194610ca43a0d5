/* SPDX-License-Identifier: Apache-2.0 */
/* Who may touch whom: which shapes can touch anything, which pairs of bodies are excluded, and whether any pair is
 * left.
 */
#include "model/touching.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "model/model.h"
#include "model/pins.h"
#include "model/tuning.h"
#include "scene/scene.h"

AfxiContactFilter afxi_contact_filter(const AfxScene *scene) {
    AfxiContactFilter filter = {0, 0};
    for (uint32_t s = 0; s < scene->shapes.count; s++) {
        const AfxiSceneShape *shape = (const AfxiSceneShape *)scene->shapes.items + s;
        if (!shape->visual) {
            filter.groups |= shape->contact_group;
            filter.masks |= shape->contact_mask;
        }
    }
    return filter;
}

bool afxi_contact_able(const AfxiContactFilter *filter, const AfxiSceneShape *shape) {
    return !shape->visual && ((shape->contact_group & filter->masks) || (shape->contact_mask & filter->groups));
}

/* ---- excluded pairs ---- */

typedef struct Pairs {
    uint32_t (*pair)[2]; /* [capacity] */
    uint32_t count, capacity;
} Pairs;

/* Adds a pair unless it would not touch anyway. `able`: bodies with a shape that can touch something. */
static void add_pair(Pairs *pairs, const AfxScene *scene, const uint8_t *able, uint32_t a, uint32_t b) {
    if (a == AFXI_NONE || b == AFXI_NONE || !able[a] || !able[b] ||
        (afxi_scene_matter(scene, a)->kind != AFX_BODY_DYNAMIC &&
         afxi_scene_matter(scene, b)->kind != AFX_BODY_DYNAMIC)) {
        return;
    }
    pairs->pair[pairs->count][0] = a < b ? a : b;
    pairs->pair[pairs->count++][1] = a < b ? b : a;
}

/* A counting sort by member `which`, from one array to another; equal ones keep their order. */
static void sort_by(const uint32_t (*from)[2], uint32_t (*to)[2], uint32_t count, int which, uint32_t *start,
                    uint32_t bodies) {
    memset(start, 0, ((size_t)bodies + 1) * sizeof *start);
    for (uint32_t k = 0; k < count; k++) {
        start[from[k][which] + 1]++;
    }
    for (uint32_t k = 0; k < bodies; k++) {
        start[k + 1] += start[k];
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = start[from[k][which]]++;
        to[at][0] = from[k][0];
        to[at][1] = from[k][1];
    }
}

static AfxStatus sort_pairs(const AfxAllocator *allocator, Pairs *pairs, uint32_t bodies) {
    size_t copy_size = pairs->count * sizeof *pairs->pair, start_size = ((size_t)bodies + 1) * sizeof(uint32_t);
    uint32_t(*copy)[2] = afxi_allocate(allocator, copy_size);
    uint32_t *start = afxi_allocate(allocator, start_size);
    AfxStatus status = copy && start ? AFX_OK : AFX_E_MEMORY;
    if (status == AFX_OK) {
        sort_by((const uint32_t(*)[2])pairs->pair, copy, pairs->count, 1, start, bodies);
        sort_by((const uint32_t(*)[2])copy, pairs->pair, pairs->count, 0, start, bodies);
        uint32_t kept = 0;
        for (uint32_t k = 0; k < pairs->count; k++) {
            if (kept == 0 || memcmp(pairs->pair[kept - 1], pairs->pair[k], sizeof *pairs->pair) != 0) {
                memmove(pairs->pair[kept++], pairs->pair[k], sizeof *pairs->pair);
            }
        }
        pairs->count = kept;
    }
    afxi_release(allocator, start, start_size);
    afxi_release(allocator, copy, copy_size);
    return status;
}

/* Bodies that reach the same of a pin; `pairs` NULL: how many there are, with those found twice. Gives up where there
 * are more than may be. */
static uint64_t add_pins(Pairs *pairs, const AfxScene *scene, const uint8_t *able, const AfxiPins *pins) {
    uint64_t count = 0, looks = 0;
    for (uint32_t i = 0; i < pins->count; i++) {
        for (uint32_t k = i + 1; k < pins->count && afxi_pins_meet(&pins->end[i], &pins->end[k]); k++) {
            const AfxiPinEnd *a = &pins->end[i], *b = &pins->end[k];
            if (++looks > AFXI_PIN_PAIRS_MOST) {
                return UINT64_MAX;
            }
            count += a->body != b->body;
            if (pairs && a->body != b->body) {
                add_pair(pairs, scene, able, a->body, b->body);
            }
        }
    }
    return count;
}

/* Exclusions of the scene, bodies that a joint without contact ties together, and those on one pin. */
static AfxStatus collect_with(AfxModel *model, const AfxScene *scene, const uint8_t *able, const AfxiPins *pins,
                              AfxError *out_error) {
    AfxiContacts *contacts = &model->contacts;
    uint64_t on_pins = add_pins(NULL, scene, able, pins);
    if (on_pins == UINT64_MAX) {
        return afxi_error(out_error, AFX_E_LIMIT, "model", "too many bodies meet on one pin: millions of pairs",
                          "let fewer bodies meet there, or let those of its joints collide (contact)");
    }
    uint64_t most = (uint64_t)scene->exclusion_count + scene->joint_count + on_pins;
    if (most == 0) {
        return AFX_OK;
    }
    if (most > UINT32_MAX) {
        return afxi_error(out_error, AFX_E_LIMIT, "model", afx_status_text(AFX_E_LIMIT), "use fewer joints");
    }
    Pairs pairs = {.capacity = (uint32_t)most};
    pairs.pair = afxi_allocate(&model->allocator, pairs.capacity * sizeof *pairs.pair);
    if (!pairs.pair) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < scene->exclusion_count; k++) {
        add_pair(&pairs, scene, able, scene->exclusions[k].a, scene->exclusions[k].b);
    }
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        if (!scene->joints[k].contact) {
            add_pair(&pairs, scene, able, scene->joints[k].base, scene->joints[k].follower);
        }
    }
    add_pins(&pairs, scene, able, pins);
    AfxStatus status = pairs.count ? sort_pairs(&model->allocator, &pairs, scene->body_count) : AFX_OK;
    contacts->excluded = pairs.pair;
    contacts->excluded_capacity = pairs.capacity;
    contacts->excluded_count = pairs.count;
    return status;
}

static AfxStatus collect(AfxModel *model, const AfxScene *scene, const uint8_t *able, AfxError *out_error) {
    AfxiPins pins;
    AfxStatus status = afxi_pins_find(scene, &model->allocator, able, &pins);
    status = status ? status : collect_with(model, scene, able, &pins, out_error);
    afxi_pins_release(&model->allocator, &pins);
    return status;
}

bool afxi_contacts_excluded(const AfxiContacts *contacts, uint32_t a, uint32_t b) {
    uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    uint32_t low = 0, high = contacts->excluded_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t there = (uint64_t)contacts->excluded[middle][0] << 32 | contacts->excluded[middle][1];
        if (there == key) {
            return true;
        }
        if (there < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

/* ---- whether anything can touch ---- */

/* Whether a shape can touch one of another body. Groups and masks first: they are cheap. */
static bool shapes_match(const AfxScene *scene, const AfxiSceneShape *shape, uint32_t other) {
    for (uint32_t s = scene->bodies[other].first_shape; s != AFXI_NONE; s = scene->uses[s].next) {
        const AfxiSceneShape *b = afxi_scene_shape(scene, s);
        if (!b->visual && ((shape->contact_group & b->contact_mask) || (b->contact_group & shape->contact_mask))) {
            return true;
        }
    }
    return false;
}

/* Searches for a pair that may touch; gives up, with true, when there are too many that may not. */
static bool any_pair(const AfxiContacts *contacts, const AfxScene *scene, const uint8_t *able) {
    uint64_t looks = 0;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        if (!able[body] || afxi_scene_matter(scene, body)->kind != AFX_BODY_DYNAMIC) {
            continue;
        }
        for (uint32_t s = scene->bodies[body].first_shape; s != AFXI_NONE; s = scene->uses[s].next) {
            for (uint32_t other = 0; other < scene->body_count && !afxi_scene_shape(scene, s)->visual; other++) {
                if (++looks > AFXI_SHAPE_PAIRS_MOST ||
                    (other != body && able[other] && shapes_match(scene, afxi_scene_shape(scene, s), other) &&
                     !afxi_contacts_excluded(contacts, body, other))) {
                    return true;
                }
            }
        }
    }
    return false;
}

AfxStatus afxi_compile_touching(AfxModel *model, const AfxScene *scene, AfxError *out_error) {
    AfxiContacts *contacts = &model->contacts;
    contacts->on = scene->contact;
    if (!contacts->on || scene->use_count < 2) {
        return AFX_OK;
    }
    uint8_t *able = afxi_allocate(&model->allocator, scene->body_count);
    if (!able) {
        return AFX_E_MEMORY;
    }
    AfxiContactFilter filter = afxi_contact_filter(scene);
    uint32_t count = 0;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        for (uint32_t s = scene->bodies[body].first_shape; s != AFXI_NONE; s = scene->uses[s].next) {
            bool can = afxi_contact_able(&filter, afxi_scene_shape(scene, s));
            able[body] |= can;
            count += can;
        }
    }
    AfxStatus status = collect(model, scene, able, out_error);
    contacts->possible = status == AFX_OK && any_pair(contacts, scene, able);
    afxi_release(&model->allocator, able, scene->body_count);
    if (contacts->possible) {
        contacts->shape_count = count;
        contacts->material_count = afx_scene_material_count(scene);
    } else {
        afxi_release(&model->allocator, contacts->excluded, contacts->excluded_capacity * sizeof *contacts->excluded);
        *contacts = (AfxiContacts){.on = true};
    }
    return status;
}
