/* SPDX-License-Identifier: Apache-2.0 */
/* The shared part of the fuzz targets. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/save_scene.h"

#define MEMORY_MOST (48u * 1024u * 1024u)
#define BODIES_MOST 5u
#define ROWS_MOST 24u

void fuzz_expect(bool fine, const char *what) {
    if (!fine) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

static void *reallocate(void *user, void *ptr, size_t old_size, size_t new_size) {
    FuzzMemory *memory = user;
    fuzz_expect(!ptr || old_size <= memory->live, "a block is given back larger than it was");
    if (new_size == 0) {
        memory->live -= ptr ? old_size : 0;
        free(ptr);
        return NULL;
    }
    if (new_size > MEMORY_MOST || memory->live + new_size > MEMORY_MOST) {
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    if (block) {
        memory->live += new_size - (ptr ? old_size : 0);
    }
    return block;
}

AfxAllocator fuzz_allocator(FuzzMemory *memory) {
    return (AfxAllocator){reallocate, memory};
}

AfxScene *fuzz_scene(FuzzMemory *memory) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    def.allocator = fuzz_allocator(memory);
    fuzz_expect(afx_scene_create(&def, &scene) == AFX_OK, "no scene");
    return scene;
}

void fuzz_done(const FuzzMemory *memory) {
    fuzz_expect(memory->live == 0, "memory is left");
}

AfxLoadDef fuzz_limits(AfxFormat format) {
    AfxLoadDef def = afx_default_load();
    def.format = format;
    def.bytes_most = 1u << 20;
    def.items_most = 200;
    def.depth_most = 32;
    return def;
}

bool fuzz_finite(const AfxSim *sim) {
    size_t count = 12 * (size_t)afx_model_body_count(afx_sim_model(sim));
    const double *q = afx_sim_coordinates(sim), *v = afx_sim_velocities(sim);
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(q[k]) || !isfinite(v[k])) {
            return false;
        }
    }
    return true;
}

static void run(const AfxModel *model, FuzzMemory *memory) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    def.allocator = fuzz_allocator(memory);
    if (afx_sim_create(model, &def, &sim) == AFX_OK) {
        for (int step = 0; step < 2; step++) {
            AfxStatus status = afx_step(sim, NULL);
            fuzz_expect(status != AFX_OK || fuzz_finite(sim), "a step that says it is fine left a state that is not");
        }
    }
    afx_sim_destroy(sim);
}

void fuzz_use(const AfxScene *scene, FuzzMemory *memory) {
    AfxModel *model = NULL;
    AfxError error;
    AfxStatus status = afx_model_create(scene, &model, &error);
    if (status != AFX_OK) {
        fuzz_expect(!model && error.status == status, "a failed compilation says nothing");
        return;
    }
    if (afx_model_body_count(model) <= BODIES_MOST && afx_model_row_count(model) <= ROWS_MOST) {
        run(model, memory);
    }
    afx_model_destroy(model);
}

/* ---- files ---- */

static bool is_empty(const AfxScene *scene) {
    return afx_scene_body_count(scene) + afx_scene_joint_count(scene) + afx_scene_marker_count(scene) +
               afx_scene_wrench_count(scene) + afx_scene_drive_count(scene) + afx_scene_coupling_count(scene) +
               afx_scene_spring_count(scene) ==
           0;
}

/** The scene as text, in a block of malloc's; NULL when it is longer than a load may read. */
static char *save_text(const AfxScene *scene, size_t *out_size) {
    static char buffer[AFXI_SAVE_BUFFER];
    FILE *file = tmpfile();
    fuzz_expect(file != NULL, "no temporary file");
    AfxiSave save = {.fd = fileno(file), .buffer = buffer, .first = true};
    afxi_save_scene(&save, scene, NULL);
    afxi_save_flush(&save);
    long size = ftell(file);
    size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : size;
    char *text = !save.failure && !save.bad_text && size > 0 ? malloc((size_t)size) : NULL;
    rewind(file);
    *out_size = text ? fread(text, 1, (size_t)size, file) : 0;
    fclose(file);
    return text;
}

/** What is saved loads, and makes the same model. */
static void round_trip(const AfxScene *scene, FuzzMemory *memory) {
    AfxModel *model = NULL, *again = NULL;
    if (afx_model_create(scene, &model, NULL) != AFX_OK) {
        return;
    }
    size_t size = 0;
    char *text = save_text(scene, &size);
    AfxLoadDef def = afx_default_load();
    AfxScene *copy = fuzz_scene(memory);
    AfxError error = {0};
    def.format = AFX_FORMAT_JSON;
    AfxStatus status = text ? afx_scene_load_text(copy, text, size, NULL, &def, &error) : AFX_E_MEMORY;
    if (status == AFX_OK) {
        status = afx_model_create(copy, &again, &error);
        fuzz_expect(status == AFX_E_MEMORY || (again && afx_model_hash(again) == afx_model_hash(model)),
                    "a saved scene makes another model");
    } else if (status != AFX_E_MEMORY) {
        fprintf(stderr, "%d: %s: %s\n%.*s\n", error.line, error.element, error.text, (int)size, text);
        fuzz_expect(false, "a saved scene does not load");
    }
    free(text);
    afx_model_destroy(again);
    afx_model_destroy(model);
    afx_scene_destroy(copy);
}

void fuzz_load(AfxFormat format, const uint8_t *data, size_t size) {
    FuzzMemory memory = {0};
    AfxScene *scene = fuzz_scene(&memory);
    AfxLoadDef def = fuzz_limits(format);
    AfxRunDef run;
    AfxError error;
    def.run = &run;
    AfxStatus status = afx_scene_load_text(scene, (const char *)data, size, NULL, &def, &error);
    fuzz_expect(run.sim.dt > 0 && run.time >= 0, "a run that cannot be");
    if (status != AFX_OK) {
        fuzz_expect(is_empty(scene), "a failed load left something in the scene");
        fuzz_expect(error.status == status && error.text[0] && error.cure[0], "a failed load says nothing");
    } else {
        fuzz_use(scene, &memory);
        round_trip(scene, &memory);
    }
    afx_scene_destroy(scene);
    fuzz_done(&memory);
}
