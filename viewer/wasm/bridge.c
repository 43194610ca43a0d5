/* SPDX-License-Identifier: Apache-2.0 */
/* The engine and the built-in cases for a page without a server (viewer/src/local.js): one simulation at a time. What a
 * function returns stays until the next call. */
#include <emscripten.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cases/cases.h"
#include "out/text.h"
#include "view/frame.h"
#include "view/hand.h"

typedef struct Bridge {
    AfxAllocator allocator;
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxiFrameMaker maker;
    void *start; /* [start_size] snapshot of the start */
    size_t start_size;
    double moving_mass;
    uint32_t generation;
    uint64_t step;
    AfxiHand hand;
    /* since the last frame */
    AfxStepReport report;
    uint32_t steps;
    double seconds;
    /* what was returned last */
    AfxiBytes text, look;
    AfxiBlob *frame;
} Bridge;

static Bridge bridge;

static const char *finish_text(void) {
    afxi_bytes_add(&bridge.text, "", 1);
    return bridge.text.status == AFX_OK ? (const char *)bridge.text.data : "";
}

static AfxiBytes *begin_text(void) {
    bridge.allocator = afx_default_allocator();
    afxi_bytes_destroy(&bridge.text);
    bridge.text = afxi_bytes_begin(&bridge.allocator);
    return &bridge.text;
}

static void put_member(AfxiBytes *text, const char *name, const char *value, const char *end) {
    afxi_text_print(text, "\"%s\":", name);
    afxi_text_string(text, value);
    afxi_text_raw(text, end);
}

static void put_parameter(AfxiBytes *text, const AfxiCaseParameter *one) {
    char allowed[96];
    afxi_case_allowed(one, allowed, sizeof allowed);
    afxi_text_raw(text, "{");
    put_member(text, "name", one->name, ",");
    put_member(text, "help", one->help, ",");
    put_member(text, "allowed", allowed, ",");
    if (one->kind == AFXI_CASE_CHOICE) {
        afxi_text_raw(text, "\"choices\":[");
        for (uint32_t k = 0; one->choices[k]; k++) {
            afxi_text_raw(text, k ? "," : "");
            afxi_text_string(text, one->choices[k]);
        }
        afxi_text_raw(text, "],");
    }
    put_member(text, "value", one->fallback, "}");
}

/** All cases with their parameters, as JSON. */
EMSCRIPTEN_KEEPALIVE const char *bridge_cases(void) {
    AfxiBytes *text = begin_text();
    afxi_text_raw(text, "[");
    for (uint32_t k = 0; k < afxi_case_count(); k++) {
        const AfxiCase *one = afxi_case_at(k);
        afxi_text_raw(text, k ? ",{" : "{");
        put_member(text, "name", one->name, ",");
        put_member(text, "summary", one->summary, ",");
        afxi_text_raw(text, "\"parameters\":[");
        for (uint32_t n = 0; n < one->parameter_count; n++) {
            afxi_text_raw(text, n ? "," : "");
            put_parameter(text, &one->parameters[n]);
        }
        afxi_text_raw(text, "]}");
    }
    afxi_text_raw(text, "]");
    return finish_text();
}

static void clear(void) {
    if (bridge.frame) {
        afxi_blob_drop(bridge.frame);
    }
    afxi_bytes_destroy(&bridge.look);
    afxi_release(&bridge.allocator, bridge.start, bridge.start_size);
    bridge.maker.allocator = bridge.allocator;
    afxi_frame_release(&bridge.maker);
    afx_sim_destroy(bridge.sim);
    afx_model_destroy(bridge.model);
    afx_scene_destroy(bridge.scene);
    bridge = (Bridge){.allocator = bridge.allocator, .generation = bridge.generation, .text = bridge.text};
}

static double moving_mass(void) {
    double sum = 0;
    for (uint32_t k = 0; k < afx_scene_body_count(bridge.scene); k++) {
        AfxMass mass;
        bool moves = afx_model_body_kind(bridge.model, k) == AFX_BODY_DYNAMIC;
        sum += moves && afx_scene_body_mass(bridge.scene, afx_scene_body(bridge.scene, k), &mass) == AFX_OK ? mass.mass
                                                                                                            : 0;
    }
    return sum;
}

static AfxStatus build(const AfxiCase *from, const AfxiCaseArguments *arguments, AfxError *error) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxSimDef sim_def = afx_default_sim();
    sim_def.dt = from->dt;
    sim_def.error = error;
    AfxStatus status = from->build(arguments, &scene_def, &bridge.scene, error);
    if (status == AFX_OK) {
        status = afx_model_create(bridge.scene, &bridge.model, error);
    }
    if (status == AFX_OK) {
        status = afx_sim_create(bridge.model, &sim_def, &bridge.sim);
    }
    if (status == AFX_OK) {
        status = afxi_frame_prepare(&bridge.allocator, bridge.scene, bridge.sim, &bridge.maker);
    }
    if (status == AFX_OK) {
        bridge.start_size = afx_sim_snapshot_size(bridge.sim);
        bridge.start = afxi_allocate(&bridge.allocator, bridge.start_size);
        status = bridge.start ? afx_sim_snapshot(bridge.sim, bridge.start, bridge.start_size) : AFX_E_MEMORY;
        bridge.moving_mass = moving_mass();
    }
    return status;
}

static const char *tell(const AfxError *error, AfxStatus status) {
    AfxiBytes *text = begin_text();
    afxi_text_raw(text, "{");
    put_member(text, "element", error->element, ",");
    put_member(text, "text", error->text[0] ? error->text : afx_status_text(status), ",");
    put_member(text, "cure", error->cure, "}");
    return finish_text();
}

#define WORDS_MOST AFXI_CASE_PARAMETER_LIMIT

/** Builds a case; `words` are its arguments, name=value, with line ends between. Returns why it cannot be, as JSON, or
 * "". When arguments are wrong, what was there stays. */
EMSCRIPTEN_KEEPALIVE const char *bridge_open(const char *name, const char *words, const char *title) {
    static char copy[2048];
    const char *list[WORDS_MOST];
    uint32_t count = 0;
    AfxError error = {0};
    AfxiCaseArguments arguments;
    const AfxiCase *from = afxi_case_find(name);
    bridge.allocator = afx_default_allocator();
    snprintf(copy, sizeof copy, "%s", words);
    for (char *at = strtok(copy, "\n"); at && count < WORDS_MOST; at = strtok(NULL, "\n")) {
        list[count++] = at;
    }
    AfxStatus status = from ? afxi_case_arguments(from, count, list, &arguments, &error) : AFX_E_INPUT;
    if (status != AFX_OK) {
        return tell(&error, status);
    }
    clear();
    bridge.generation++;
    status = build(from, &arguments, &error);
    if (status == AFX_OK) {
        char more[40];
        snprintf(more, sizeof more, "\"generation\":%u,", bridge.generation);
        bridge.look = afxi_bytes_begin(&bridge.allocator);
        status = afxi_look_write(&bridge.look, bridge.scene, bridge.sim, title, more);
    }
    if (status != AFX_OK) {
        clear();
        return tell(&error, status);
    }
    return "";
}

EMSCRIPTEN_KEEPALIVE const unsigned char *bridge_look(void) {
    return bridge.look.data;
}

EMSCRIPTEN_KEEPALIVE uint32_t bridge_look_size(void) {
    return (uint32_t)bridge.look.size;
}

EMSCRIPTEN_KEEPALIVE double bridge_time(void) {
    return bridge.sim ? afx_sim_time(bridge.sim) : 0;
}

EMSCRIPTEN_KEEPALIVE double bridge_dt(void) {
    return bridge.sim ? afx_sim_dt(bridge.sim) : 0;
}

/** One step; 0 when it failed. */
EMSCRIPTEN_KEEPALIVE int bridge_step(void) {
    AfxStepReport report;
    double begin = afxi_clock();
    if (!bridge.sim || afx_step(bridge.sim, &report) != AFX_OK) {
        return 0;
    }
    AfxStepReport *sum = &bridge.report;
    bridge.seconds += afxi_clock() - begin;
    sum->residual = fmax(sum->residual, report.residual);
    sum->rotation_error = fmax(sum->rotation_error, report.rotation_error);
    sum->solves = report.solves > sum->solves ? report.solves : sum->solves;
    sum->contacts = report.contacts > sum->contacts ? report.contacts : sum->contacts;
    sum->flags |= report.flags;
    bridge.steps++;
    bridge.step++;
    return 1;
}

/** The state as view/frame.h has it; NULL without one or without memory. */
EMSCRIPTEN_KEEPALIVE const unsigned char *bridge_frame(uint32_t colour, int reactions, int contacts, int book) {
    if (!bridge.sim) {
        return NULL;
    }
    AfxEnergyBook kept;
    if ((afx_sim_energy_book(bridge.sim, NULL, &kept) == AFX_OK) != (book != 0)) {
        afx_sim_set_energy_book(bridge.sim, book != 0);
    }
    AfxiFrameHead head = {
        .generation = bridge.generation,
        .colour = colour < AFXI_COLOUR_COUNT ? colour : AFXI_COLOUR_OWN,
        .step = bridge.step,
        .residual = bridge.report.residual,
        .rotation_error = bridge.report.rotation_error,
        .seconds = bridge.steps ? bridge.seconds / bridge.steps : 0,
        .solves = bridge.report.solves,
        .flags = bridge.report.flags,
        .steps = bridge.steps,
        .contacts = bridge.report.contacts,
    };
    if (bridge.frame) {
        afxi_blob_drop(bridge.frame);
    }
    bridge.frame =
        afxi_frame_make(&bridge.maker, bridge.sim, &head, (AfxiFrameParts){reactions != 0, contacts != 0, book != 0});
    bridge.report = (AfxStepReport){0};
    bridge.steps = 0;
    bridge.seconds = 0;
    return bridge.frame ? bridge.frame->bytes.data : NULL;
}

EMSCRIPTEN_KEEPALIVE uint32_t bridge_frame_size(void) {
    return bridge.frame ? (uint32_t)bridge.frame->size : 0;
}

EMSCRIPTEN_KEEPALIVE void bridge_release(void) {
    if (bridge.hand.active) {
        afx_sim_release(bridge.sim, bridge.hand.body);
        bridge.hand.active = false;
    }
}

/** Pulls a point of a body (p, in its frame) to a target (t, in the world). */
EMSCRIPTEN_KEEPALIVE void bridge_drag(uint32_t body, double px, double py, double pz, double tx, double ty, double tz) {
    bool fine = bridge.sim != NULL;
    if (fine && (!bridge.hand.active || bridge.hand.body != body)) {
        bridge_release();
        fine = afxi_hand_grab(&bridge.hand, bridge.scene, bridge.model, bridge.moving_mass, body);
    }
    bridge.hand.active =
        fine && afxi_hand_hold(&bridge.hand, bridge.sim, (AfxVec3){px, py, pz}, (AfxVec3){tx, ty, tz}) == AFX_OK;
}

EMSCRIPTEN_KEEPALIVE void bridge_reset(void) {
    if (bridge.sim) {
        bridge_release();
        afx_sim_restore(bridge.sim, bridge.start, bridge.start_size);
        bridge.step = 0;
        bridge.steps = 0;
    }
}

/** Places a joint by one of its coordinates; 0 when that is not possible. */
EMSCRIPTEN_KEEPALIVE int bridge_joint(uint32_t joint, uint32_t axis, double value) {
    return bridge.sim && afx_sim_set_joint_coordinate(bridge.sim, joint, axis, value, NULL) == AFX_OK;
}

/** Sets the target of a drive that takes it from input; 0 when that is not possible. */
EMSCRIPTEN_KEEPALIVE int bridge_drive(uint32_t drive, double value) {
    return bridge.sim && afx_sim_set_drive_target(bridge.sim, drive, value, 0) == AFX_OK;
}
