/* SPDX-License-Identifier: Apache-2.0 */
/* The loop: commands, steps as the clock asks for them, a frame sixty times a second. */
#include "view/session.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/status.h"
#include "view/message.h"

#define FRAME_PAUSE (1.0 / 60) /* s between frames */
#define BUDGET 0.012           /* s of steps before commands and frames get their turn */
#define SOURCE_PAUSE 0.5       /* s between looks at whether the source has changed */
#define IDLE 0.1               /* s to wait for commands when there is nothing to do */

static double worst(double a, double b) {
    return b <= a ? a : (isnan(a) ? a : b);
}

static void account(AfxiSession *session, const AfxStepReport *report, double seconds) {
    AfxStepReport *sum = &session->report;
    sum->flags |= report->flags;
    session->reason = report->solves > sum->solves ? afx_sim_trace_reason(session->sim) : session->reason;
    sum->solves = report->solves > sum->solves ? report->solves : sum->solves;
    sum->contacts = report->contacts > sum->contacts ? report->contacts : sum->contacts;
    sum->residual = worst(sum->residual, report->residual);
    sum->rotation_error = worst(sum->rotation_error, report->rotation_error);
    session->steps++;
    session->seconds += seconds;
    session->step++;
}

static void say_failure(AfxiSession *session, AfxStatus status, const AfxStepReport *report) {
    AfxError error = {.status = status};
    if (report->body != UINT32_MAX) {
        const char *name = afx_scene_body_name(session->scene, afx_scene_body(session->scene, report->body));
        snprintf(error.element, sizeof error.element, name && name[0] ? "body \"%.80s\"" : "body %.0s%u",
                 name ? name : "", report->body);
    }
    snprintf(error.text, sizeof error.text,
             "step %" PRIu64 " failed: the solver did not converge; the state before it was kept", session->step + 1);
    snprintf(error.cure, sizeof error.cure, "affix run of the same scene reports the cause");
    afxi_session_notice(session, &error, false);
}

static bool take_step(AfxiSession *session) {
    AfxStepReport report = {.body = UINT32_MAX};
    double begin = afxi_clock();
    afx_sim_trace_clear(session->sim);
    AfxStatus status = afx_step(session->sim, &report);
    if (status != AFX_OK) {
        say_failure(session, status, &report);
        session->playing = false;
        session->owed = 0;
        afxi_session_tell(session, false);
        return false;
    }
    account(session, &report, afxi_clock() - begin);
    return true;
}

/* Steps that are owed, and steps until the simulated time is where the clock says, or until the budget is used up. */
static void advance(AfxiSession *session) {
    double begin = afxi_clock(), dt = afx_sim_dt(session->sim);
    bool fine = true;
    if (session->owed) {
        while (session->owed > 0 && fine && afxi_clock() - begin < BUDGET) {
            fine = take_step(session);
            session->owed -= fine;
        }
        session->fresh = true;
        return;
    }
    session->goal += (begin - session->clock) * session->speed;
    session->clock = begin;
    while (fine && afx_sim_time(session->sim) + dt <= session->goal + 1e-9 * dt && afxi_clock() - begin < BUDGET) {
        fine = take_step(session);
    }
    if (afx_sim_time(session->sim) + dt < session->goal) {
        session->goal = afx_sim_time(session->sim) + dt; /* too slow for the speed that was asked for: no debts */
    }
}

static void publish_frame(AfxiSession *session) {
    AfxiFrameHead head = {
        .generation = session->generation,
        .colour = session->colour,
        .step = session->step,
        .residual = session->report.residual,
        .rotation_error = session->report.rotation_error,
        .seconds = session->steps ? session->seconds / session->steps : 0,
        .solves = session->report.solves,
        .flags = session->report.flags,
        .steps = session->steps,
        .playing = session->playing,
        .contacts = session->report.contacts,
        .reason = session->reason,
    };
    session->maker.drawing = &session->drawing;
    session->maker.contacts = session->def.live ? &session->contacts : NULL;
    AfxiBlob *blob = afxi_frame_make(&session->maker, session->sim, &head, session->parts);
    if (blob) {
        afxi_hub_publish(session->hub, 1, (AfxiSlot[]){AFXI_SLOT_FRAME}, &blob);
    }
    session->report = (AfxStepReport){0};
    session->reason = AFX_TRACE_FINE;
    session->steps = 0;
    session->seconds = 0;
    session->fresh = false;
}

/* Waits for a command, but not longer than until the next step or frame is due. */
static void wait_a_little(AfxiSession *session, bool running) {
    double pause = session->def.live ? FRAME_PAUSE : IDLE;
    if (running) {
        double dt = afx_sim_dt(session->sim);
        double due = session->clock + (afx_sim_time(session->sim) + dt - session->goal) / session->speed;
        pause = due - afxi_clock();
    }
    if (session->sim && (session->fresh || session->steps)) {
        pause = fmin(pause, session->next_frame - afxi_clock());
    }
    if (!(pause > 0)) {
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double seconds = (double)until.tv_nsec * 1e-9 + fmin(pause, IDLE);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec = (long)((seconds - floor(seconds)) * 1e9);
    AfxiHub *hub = session->hub;
    pthread_mutex_lock(&hub->mutex);
    if (hub->queue_count == 0 && !hub->stopping) {
        pthread_cond_timedwait(&hub->command, &hub->mutex, &until);
    }
    pthread_mutex_unlock(&hub->mutex);
}

/* Takes all commands at once, so that the mutex is not held while they are carried out. */
static uint32_t take_commands(AfxiHub *hub, AfxiCommand *out_commands, bool *out_stop, bool *out_watched) {
    pthread_mutex_lock(&hub->mutex);
    uint32_t count = hub->queue_count;
    memcpy(out_commands, hub->queue, count * sizeof *out_commands);
    hub->queue_count = 0;
    *out_stop = hub->stopping;
    *out_watched = hub->clients > 0;
    pthread_mutex_unlock(&hub->mutex);
    return count;
}

/* Builds the scene anew when its file was saved. */
static void look_at_source(AfxiSession *session) {
    const AfxiViewSource *source = session->def.source;
    double now = afxi_clock();
    if (source->changed && now >= session->next_look) {
        session->next_look = now + SOURCE_PAUSE;
        if (source->changed(source->user)) {
            afxi_session_build(session);
        }
    }
}

static void *run(void *user) {
    AfxiSession *session = user;
    AfxiCommand commands[AFXI_QUEUE];
    bool stop = false, watched = false, was_running = false;
    while (!stop) {
        uint32_t count = take_commands(session->hub, commands, &stop, &watched);
        for (uint32_t k = 0; k < count && !stop; k++) {
            afxi_session_obey(session, &commands[k]);
        }
        look_at_source(session);
        afxi_session_watch(session);
        bool running = session->sim && session->playing && watched && !session->def.live;
        if (running && !was_running) {
            session->clock = afxi_clock();
            session->goal = afx_sim_time(session->sim);
        }
        was_running = running && !session->owed;
        if (session->sim && (running || session->owed)) {
            advance(session);
        }
        double now = afxi_clock();
        if (session->sim && (session->fresh || session->steps) && now >= session->next_frame) {
            session->next_frame = now + FRAME_PAUSE;
            publish_frame(session);
        }
        if (!session->owed && !stop) {
            wait_a_little(session, running && session->playing);
        }
    }
    return NULL;
}

AfxStatus afxi_session_start(AfxiSession *session, const AfxiViewDef *def, AfxiHub *hub) {
    *session = (AfxiSession){.def = *def, .hub = hub, .playing = !def->paused, .speed = 1};
    session->maker.allocator = def->allocator;
    session->drawing = session->contacts = afxi_bytes_begin(&def->allocator);
    afxi_session_build(session);
    if (pthread_create(&session->thread, NULL, run, session) != 0) {
        afxi_session_clear(session);
        return AFX_E_SYSTEM;
    }
    return AFX_OK;
}

void afxi_session_join(AfxiSession *session) {
    pthread_mutex_lock(&session->hub->mutex);
    pthread_cond_signal(&session->hub->command);
    pthread_mutex_unlock(&session->hub->mutex);
    pthread_join(session->thread, NULL);
    afxi_session_clear(session);
    afxi_bytes_destroy(&session->drawing);
    afxi_bytes_destroy(&session->contacts);
}

/* FNV-1a over coordinates and velocities: what `affix run --json` calls state_hash. */
static uint64_t hash_state(const AfxSim *sim) {
    const unsigned char *parts[2] = {(const unsigned char *)afx_sim_coordinates(sim),
                                     (const unsigned char *)afx_sim_velocities(sim)};
    size_t size = 12 * sizeof(double) * (size_t)afx_model_body_count(afx_sim_model(sim));
    uint64_t hash = 0xcbf29ce484222325ull;
    for (int part = 0; part < 2; part++) {
        for (size_t k = 0; k < size; k++) {
            hash = (hash ^ parts[part][k]) * 0x100000001b3ull;
        }
    }
    return hash;
}

void afxi_session_tell(AfxiSession *session, bool hash) {
    char text[24];
    if (hash && session->sim) {
        snprintf(text, sizeof text, "%016" PRIx64, hash_state(session->sim));
    }
    AfxiBlob *blob = afxi_message_state(&session->def.allocator, session->playing, session->speed, session->step,
                                        hash && session->sim ? text : NULL);
    if (blob) {
        afxi_hub_publish(session->hub, 1, (AfxiSlot[]){AFXI_SLOT_STATE}, &blob);
    }
}

void afxi_session_notice(AfxiSession *session, const AfxError *error, bool parameter) {
    AfxiBlob *blob = afxi_message_notice(&session->def.allocator, error, parameter);
    if (blob) {
        afxi_hub_publish(session->hub, 1, (AfxiSlot[]){AFXI_SLOT_NOTICE}, &blob);
    }
}
