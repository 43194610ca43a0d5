/* SPDX-License-Identifier: Apache-2.0 */
/* From the source to a simulation and its first messages, and what pages ask for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "out/text.h"
#include "view/message.h"
#include "view/session.h"

#define OWED_MOST 100000u
#define TRACE_EVENTS 1024u /* of a step, for the main reason of its iterations */

void afxi_session_clear(AfxiSession *session) {
    afxi_release(&session->def.allocator, session->start, session->start_size);
    afxi_frame_release(&session->maker);
    afx_sim_destroy(session->sim);
    afx_model_destroy(session->model);
    afx_scene_destroy(session->scene);
    session->start = NULL;
    session->sim = NULL;
    session->model = NULL;
    session->scene = NULL;
    memset(session->hand, 0, sizeof session->hand);
    session->owed = 0;
    session->steps = 0;
    session->step = 0;
}

static double moving_mass(const AfxScene *scene) {
    double sum = 0;
    for (uint32_t k = 0; k < afx_scene_body_count(scene); k++) {
        AfxBodyDef def;
        AfxMass mass;
        AfxBodyId id = afx_scene_body(scene, k);
        if (afx_scene_get_body(scene, id, &def) == AFX_OK && def.kind == AFX_BODY_DYNAMIC &&
            afx_scene_body_mass(scene, id, &mass) == AFX_OK) {
            sum += mass.mass;
        }
    }
    return sum;
}

static AfxStatus make_sim(AfxiSession *session, AfxError *out_error) {
    AfxSceneDef scene_def = afx_default_scene();
    const AfxiViewSource *source = session->def.source;
    scene_def.allocator = session->def.allocator;
    AfxStatus status = source->build(source->user, &scene_def, &session->scene, out_error);
    AfxSimDef sim_def = source->run ? source->run->sim : session->def.sim;
    AfxModelDef model_def = source->run ? source->run->model : session->def.model;
    sim_def.allocator = session->def.allocator;
    sim_def.error = out_error;
    if (status == AFX_OK) {
        status = afx_model_create_with(session->scene, &model_def, &session->model, out_error);
    }
    if (status == AFX_OK && source->check) {
        status = source->check(source->user, session->model, out_error);
    }
    return status == AFX_OK ? afx_sim_create(session->model, &sim_def, &session->sim) : status;
}

/* A new energy book from now on, where a page shows it. Formulations and integrators without one have none to show. */
static void open_book(AfxiSession *session) {
    if (session->sim) {
        afx_sim_set_energy_book(session->sim, false);
        afx_sim_set_energy_book(session->sim, session->parts.book);
    }
}

static AfxStatus make_rest(AfxiSession *session) {
    const AfxAllocator *allocator = &session->def.allocator;
    AfxStatus status = afxi_frame_prepare(allocator, session->scene, session->sim, &session->maker);
    session->start_size = afx_sim_snapshot_size(session->sim);
    session->start = afxi_allocate(allocator, session->start_size);
    if (status == AFX_OK && !session->start) {
        status = AFX_E_MEMORY;
    }
    session->moving_mass = moving_mass(session->scene);
    open_book(session);
    afx_sim_trace(session->sim, TRACE_EVENTS); /* without memory for it, pages show no reasons */
    return status == AFX_OK ? afx_sim_snapshot(session->sim, session->start, session->start_size) : status;
}

static AfxiBlob *make_look(AfxiSession *session) {
    AfxiBytes bytes = afxi_bytes_begin(&session->def.allocator), more = afxi_bytes_begin(&session->def.allocator);
    afxi_text_print(&more, "\"generation\":%u,", session->generation);
    afxi_look_cameras(&more, session->scene, session->def.source->run);
    afxi_bytes_add(&more, "", 1);
    AfxStatus status = more.status ? more.status
                                   : afxi_look_write(&bytes, session->scene, session->sim, session->def.source->title,
                                                     (const char *)more.data);
    afxi_bytes_destroy(&more);
    bytes.status = bytes.status == AFX_OK ? status : bytes.status;
    return afxi_blob_create(&bytes);
}

static void say_failure(AfxiSession *session, const AfxError *error) {
    char place[200] = "";
    if (error->file[0]) {
        snprintf(place, sizeof place, error->line > 0 ? "%s:%d: " : "%s: ", error->file, error->line);
    }
    afxi_hub_log(session->hub, AFX_LOG_ERROR, "%s%s%s%s", place, error->element, error->element[0] ? ": " : "",
                 error->text[0] ? error->text : afx_status_text(error->status));
}

void afxi_session_build(AfxiSession *session) {
    AfxError error = {0};
    afxi_session_clear(session);
    session->generation++;
    AfxStatus status = make_sim(session, &error);
    if (status == AFX_OK) {
        status = make_rest(session);
    }
    AfxiBlob *look = status == AFX_OK ? make_look(session) : NULL;
    if (status == AFX_OK && !look) {
        status = AFX_E_MEMORY;
    }
    AfxiBlob *failure = NULL;
    if (status != AFX_OK) {
        error.status = status;
        failure = afxi_message_error(&session->def.allocator, &error);
        afxi_session_clear(session);
        say_failure(session, &error);
    }
    AfxiBlob *hello = afxi_message_hello(&session->def.allocator, session->def.source);
    const AfxiSlot slots[] = {AFXI_SLOT_HELLO, AFXI_SLOT_ERROR, AFXI_SLOT_LOOK, AFXI_SLOT_FRAME};
    afxi_hub_publish(session->hub, 4, slots, (AfxiBlob *[]){hello, failure, look, NULL});
    session->goal = 0;
    session->fresh = true;
    session->next_frame = 0;
    afxi_session_tell(session, false);
}

static void release(AfxiSession *session, AfxiHand *hand) {
    if (hand->active) {
        afx_sim_release(session->sim, hand->body);
        hand->active = false;
    }
}

static void reset(AfxiSession *session) {
    if (session->sim) {
        for (uint32_t k = 0; k < AFX_HOLDS_MOST; k++) {
            release(session, &session->hand[k]);
        }
        afx_sim_restore(session->sim, session->start, session->start_size);
        open_book(session);
        session->step = 0;
        session->steps = 0;
        session->owed = 0;
        session->goal = afx_sim_time(session->sim);
        session->fresh = true;
    }
}

/* The hand of a page: the one it has, else one that is free; NULL when there is none. */
static AfxiHand *hand_of(AfxiSession *session, uint32_t client, bool take) {
    AfxiHand *idle = NULL;
    for (uint32_t k = 0; k < AFX_HOLDS_MOST; k++) {
        AfxiHand *hand = &session->hand[k];
        if (hand->active && hand->client == client) {
            return hand;
        }
        idle = hand->active || idle ? idle : hand;
    }
    return take ? idle : NULL;
}

static bool held_by_another(const AfxiSession *session, uint32_t body, uint32_t client) {
    for (uint32_t k = 0; k < AFX_HOLDS_MOST; k++) {
        const AfxiHand *hand = &session->hand[k];
        if (hand->active && hand->body == body && hand->client != client) {
            return true;
        }
    }
    return false;
}

static void drag(AfxiSession *session, const AfxiCommand *command) {
    AfxiHand *hand = hand_of(session, command->client, true);
    if (!session->sim || !hand || held_by_another(session, command->body, command->client)) {
        return;
    }
    bool fine = true;
    if (!hand->active || hand->body != command->body) {
        release(session, hand);
        fine = afxi_hand_grab(hand, session->scene, session->model, session->moving_mass, command->body);
    }
    if (!fine || afxi_hand_hold(hand, session->sim, command->point, command->target) != AFX_OK) {
        afxi_hub_log(session->hub, AFX_LOG_WARNING, "page %u: body %u cannot be dragged", command->client,
                     command->body);
        return;
    }
    hand->active = true;
    hand->client = command->client;
}

static void set(AfxiSession *session, const AfxiCommand *command) {
    AfxError error = {0};
    const AfxiViewSource *source = session->def.source;
    AfxStatus status = source->set(source->user, command->name, command->text, &error);
    if (status == AFX_OK) {
        afxi_session_build(session);
    } else {
        error.status = status;
        afxi_session_notice(session, &error, true);
    }
}

/* Places a joint, or sets a drive's target. */
static void place(AfxiSession *session, const AfxiCommand *command) {
    bool joint = command->kind == AFXI_COMMAND_JOINT;
    AfxError error = {.status = AFX_E_ARGUMENT};
    AfxStatus status = AFX_E_ARGUMENT;
    if (session->sim && joint) {
        status = afx_sim_set_joint_coordinate(session->sim, command->body, command->count, command->value, NULL);
    } else if (session->sim) {
        status = afx_sim_set_drive_target(session->sim, command->body, command->value, 0);
    }
    if (status != AFX_OK) {
        snprintf(error.element, sizeof error.element, joint ? "joint %u" : "drive %u", command->body);
        snprintf(error.text, sizeof error.text, "cannot be set to %g: %s", command->value, afx_status_text(status));
        afxi_session_notice(session, &error, false);
    }
    session->fresh = true;
}

static void play(AfxiSession *session, bool playing) {
    session->playing = playing;
    session->owed = 0;
    session->goal = session->sim ? afx_sim_time(session->sim) : 0;
    session->fresh = true;
    afxi_session_tell(session, false);
}

/* Steps that are asked for while others are still to be taken come after them. */
static void owe(AfxiSession *session, uint32_t count) {
    uint32_t owed = session->owed;
    play(session, false);
    session->owed = session->sim && owed < OWED_MOST ? owed + count : owed;
}

/* Whether a page asks for what only who simulates can do. */
static bool is_out_of_reach(const AfxiSession *session, AfxiCommandKind kind) {
    return session->def.live && kind != AFXI_COMMAND_SHOW && kind != AFXI_COMMAND_HASH && kind != AFXI_COMMAND_RELOAD;
}

void afxi_session_obey(AfxiSession *session, const AfxiCommand *command) {
    if (is_out_of_reach(session, command->kind)) {
        return;
    }
    switch (command->kind) {
    case AFXI_COMMAND_PLAY:
    case AFXI_COMMAND_PAUSE:
        play(session, command->kind == AFXI_COMMAND_PLAY);
        break;
    case AFXI_COMMAND_STEP:
        owe(session, command->count);
        break;
    case AFXI_COMMAND_RESET:
        reset(session);
        break;
    case AFXI_COMMAND_RELOAD:
        afxi_session_build(session);
        break;
    case AFXI_COMMAND_SPEED:
        session->speed = command->value;
        afxi_session_tell(session, false);
        break;
    case AFXI_COMMAND_SET:
        set(session, command);
        break;
    case AFXI_COMMAND_SHOW:
        session->colour = command->colour >= 0 ? (uint32_t)command->colour : session->colour;
        session->parts.reactions = command->reactions >= 0 ? command->reactions > 0 : session->parts.reactions;
        session->parts.contacts = command->contacts >= 0 ? command->contacts > 0 : session->parts.contacts;
        if (command->book >= 0 && session->parts.book != (command->book > 0)) {
            session->parts.book = command->book > 0;
            open_book(session);
        }
        session->fresh = true;
        break;
    case AFXI_COMMAND_DRAG:
        drag(session, command);
        break;
    case AFXI_COMMAND_RELEASE:
        if (hand_of(session, command->client, false)) {
            release(session, hand_of(session, command->client, false));
        }
        break;
    case AFXI_COMMAND_JOINT:
    case AFXI_COMMAND_DRIVE:
        place(session, command);
        break;
    case AFXI_COMMAND_HASH:
        afxi_session_tell(session, true);
        break;
    }
}
