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

bool cli_names_create(const AfxScene *scene, CliNames *out_names) {
    uint32_t scene_bodies = afx_scene_body_count(scene);
    uint32_t scene_markers = afx_scene_marker_count(scene);
    size_t size = 1;
    uint32_t named = 0;
    for (uint32_t k = 0; k < scene_bodies; ++k) {
        size_t length = strlen(body_name(scene, k));
        named += length > 0;
        size += length ? length + 1 : 0;
    }
    for (uint32_t k = 0; k < scene_markers; ++k) {
        size += strlen(marker_name(scene, k)) + 1;
    }
    *out_names = (CliNames){
        .text = malloc(size),
        .bodies = malloc((named + 1) * sizeof(CliName)),
        .markers = malloc((scene_markers + 1) * sizeof(CliName)),
    };
    if (!out_names->text || !out_names->bodies || !out_names->markers) {
        cli_names_destroy(out_names);
        return false;
    }
    char *at = out_names->text;
    for (uint32_t k = 0; k < scene_bodies; ++k) {
        const char *name = body_name(scene, k);
        if (name[0]) {
            out_names->bodies[out_names->body_count++] = copy(&at, k, name);
        }
    }
    for (uint32_t k = 0; k < scene_markers; ++k) {
        out_names->markers[out_names->marker_count++] = copy(&at, k, marker_name(scene, k));
    }
    return true;
}

void cli_names_destroy(CliNames *names) {
    free(names->text);
    free(names->bodies);
    free(names->markers);
    *names = (CliNames){0};
}

void cli_names_body(const CliNames *names, uint32_t body, char *out_text, size_t size) {
    for (uint32_t k = 0; k < names->body_count; ++k) {
        if (names->bodies[k].index == body) {
            snprintf(out_text, size, "body \"%s\"", names->bodies[k].text);
            return;
        }
    }
    snprintf(out_text, size, "body %u", body);
}
