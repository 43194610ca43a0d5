/* SPDX-License-Identifier: Apache-2.0 */
/* Names out of a scene: one pass to count, one to copy. */
#include "cli/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *body_name(const AfxScene *scene, uint32_t k) {
    const char *name = afx_scene_body_name(scene, afx_scene_body(scene, k));
    return name ? name : "";
}

static const char *joint_name(const AfxScene *scene, uint32_t k) {
    const char *name = afx_scene_joint_name(scene, afx_scene_joint(scene, k));
    return name ? name : "";
}

static const char *marker_name(const AfxScene *scene, uint32_t k) {
    const char *name = NULL;
    AfxBodyId body;
    AfxVec3 point;
    return afx_scene_get_marker(scene, k, &name, &body, &point) == AFX_OK && name ? name : "";
}

static CliName copy(char **at, uint32_t index, const char *name) {
    size_t size = strlen(name) + 1;
    CliName result = {index, *at};
    memcpy(*at, name, size);
    *at += size;
    return result;
}

/* Counts those that have a name, and adds the room that they take. */
static uint32_t count_named(const AfxScene *scene, uint32_t count, const char *(*name)(const AfxScene *, uint32_t),
                            size_t *size) {
    uint32_t named = 0;
    for (uint32_t k = 0; k < count; ++k) {
        size_t length = strlen(name(scene, k));
        named += length > 0;
        *size += length ? length + 1 : 0;
    }
    return named;
}

static uint32_t copy_named(const AfxScene *scene, uint32_t count, const char *(*name)(const AfxScene *, uint32_t),
                           char **at, CliName *out_names) {
    uint32_t named = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (name(scene, k)[0]) {
            out_names[named++] = copy(at, k, name(scene, k));
        }
    }
    return named;
}

bool cli_names_create(const AfxScene *scene, CliNames *out_names) {
    uint32_t scene_bodies = afx_scene_body_count(scene), scene_joints = afx_scene_joint_count(scene);
    uint32_t scene_markers = afx_scene_marker_count(scene);
    size_t size = 1;
    uint32_t bodies = count_named(scene, scene_bodies, body_name, &size);
    uint32_t joints = count_named(scene, scene_joints, joint_name, &size);
    for (uint32_t k = 0; k < scene_markers; ++k) {
        size += strlen(marker_name(scene, k)) + 1;
    }
    *out_names = (CliNames){
        .text = malloc(size),
        .bodies = malloc((bodies + 1) * sizeof(CliName)),
        .joints = malloc((joints + 1) * sizeof(CliName)),
        .markers = malloc((scene_markers + 1) * sizeof(CliName)),
    };
    if (!out_names->text || !out_names->bodies || !out_names->joints || !out_names->markers) {
        cli_names_destroy(out_names);
        return false;
    }
    char *at = out_names->text;
    out_names->body_count = copy_named(scene, scene_bodies, body_name, &at, out_names->bodies);
    out_names->joint_count = copy_named(scene, scene_joints, joint_name, &at, out_names->joints);
    for (uint32_t k = 0; k < scene_markers; ++k) {
        out_names->markers[out_names->marker_count++] = copy(&at, k, marker_name(scene, k));
    }
    return true;
}

void cli_names_destroy(CliNames *names) {
    free(names->text);
    free(names->bodies);
    free(names->joints);
    free(names->markers);
    *names = (CliNames){0};
}

/* NULL: it has none. */
static const char *find(const CliName *list, uint32_t count, uint32_t index) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle].index == index) {
            return list[middle].text;
        }
        *(list[middle].index < index ? &low : &high) = middle + (list[middle].index < index);
    }
    return NULL;
}

static void put(const char *text, const char *kind, uint32_t index, char *out_text, size_t size) {
    if (text) {
        snprintf(out_text, size, "%s \"%s\"", kind, text);
    } else {
        snprintf(out_text, size, "%s %u", kind, index);
    }
}

const char *cli_names_text(const CliNames *names, uint32_t body) {
    return find(names->bodies, names->body_count, body);
}

void cli_names_body(const CliNames *names, uint32_t body, char *out_text, size_t size) {
    put(cli_names_text(names, body), "body", body, out_text, size);
}

void cli_names_joint(const CliNames *names, uint32_t joint, char *out_text, size_t size) {
    put(find(names->joints, names->joint_count, joint), "joint", joint, out_text, size);
}
