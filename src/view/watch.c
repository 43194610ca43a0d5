/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other processes that a session shows: drawings, and runs. Who writes them renames them, so that they are
 * whole. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "out/drawing.h"
#include "out/live.h"
#include "out/look.h"
#include "view/message.h"
#include "view/session.h"

#define DRAW_PAUSE 0.05        /* s between looks at a drawing */
#define LIVE_PAUSE (1.0 / 120) /* s between looks at a run: its frames come sixty times a second */

/* Opens a file when it is time to look at it, and it has been written since the last time; else -1. */
static int open_if_new(AfxiWatched *watched, const char *path, double pause, struct stat *out_info) {
    double now = afxi_clock();
    if (!path || now < watched->next) {
        return -1;
    }
    watched->next = now + pause;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, out_info) == 0 && S_ISREG(out_info->st_mode) &&
        (out_info->st_ino != watched->inode || out_info->st_mtim.tv_sec != watched->written.tv_sec ||
         out_info->st_mtim.tv_nsec != watched->written.tv_nsec)) {
        watched->written = out_info->st_mtim;
        watched->inode = out_info->st_ino;
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static void set(AfxiBytes *bytes, const void *data, size_t size) {
    bytes->size = 0;
    bytes->status = AFX_OK;
    afxi_bytes_add(bytes, data, size);
}

static void look_at_drawing(AfxiSession *session) {
    struct stat info;
    int fd = open_if_new(&session->drawn, session->def.draw, DRAW_PAUSE, &info);
    if (fd < 0) {
        return;
    }
    AfxiBytes *bytes = &session->drawing;
    size_t size = (uint64_t)info.st_size <= AFXI_DRAWING_MOST ? (size_t)info.st_size : 0;
    set(&session->drawing, NULL, 0);
    void *room = size ? afxi_bytes_extend(bytes, size) : NULL;
    if (!room || read(fd, room, size) != (ssize_t)size || !afxi_drawing_check(room, size)) {
        bytes->size = 0;
        afxi_hub_log(session->hub, AFX_LOG_WARNING, "%s: is no drawing", session->def.draw);
    }
    session->fresh = true;
    close(fd);
}

static void say_failure(AfxiSession *session, AfxError *error, AfxStatus status) {
    error->status = status;
    afxi_hub_log(session->hub, AFX_LOG_WARNING, "%s: %s", session->def.live,
                 error->text[0] ? error->text : afx_status_text(status));
    afxi_session_notice(session, error, false);
}

static void take_report(AfxiSession *session, const AfxSnapshot *snapshot) {
    const void *data;
    size_t size;
    AfxiLiveReport report = {0};
    if (afx_snapshot_part(snapshot, AFXI_LIVE_REPORT, &data, &size) == AFX_OK && size == sizeof report) {
        memcpy(&report, data, sizeof report);
    }
    session->report = (AfxStepReport){.residual = report.residual,
                                      .rotation_error = report.rotation_error,
                                      .solves = report.solves,
                                      .flags = report.flags,
                                      .contacts = report.contacts};
    session->seconds = report.seconds * session->steps;
    session->reason = report.reason < AFX_TRACE_REASON_COUNT ? (AfxTraceReason)report.reason : AFX_TRACE_FINE;
    if (afx_snapshot_part(snapshot, AFXI_LIVE_DRAWING, &data, &size) == AFX_OK && afxi_drawing_check(data, size)) {
        set(&session->drawing, data, size);
    } else {
        set(&session->drawing, NULL, 0);
    }
}

/* Whole points of finite numbers, or none. */
static void take_contacts(AfxiSession *session, const AfxSnapshot *snapshot) {
    const void *data;
    size_t size = 0, point = AFXI_LOOK_CONTACT * sizeof(float);
    bool fine = afx_snapshot_part(snapshot, AFXI_LIVE_CONTACTS, &data, &size) == AFX_OK && size % point == 0 &&
                size <= AFXI_LIVE_CONTACTS_MOST * point;
    for (size_t k = 0; fine && k < size / sizeof(float); k++) {
        float number;
        memcpy(&number, (const char *)data + k * sizeof number, sizeof number);
        fine = isfinite(number);
    }
    set(&session->contacts, fine ? data : NULL, fine ? size : 0);
}

/* The state of a run. Where it is one of another model, its program was started anew: so is the scene. */
static void look_at_run(AfxiSession *session) {
    struct stat info;
    AfxSnapshot *snapshot = NULL;
    AfxError error = {0};
    int fd = open_if_new(&session->watched, session->def.live, LIVE_PAUSE, &info);
    if (fd < 0) {
        return;
    }
    close(fd);
    AfxStatus status = afx_snapshot_read(session->def.live, &session->def.allocator, &snapshot, &error);
    if (status == AFX_OK && (!session->model || afx_snapshot_model_hash(snapshot) != afx_model_hash(session->model))) {
        afxi_session_build(session);
    }
    if (status == AFX_OK && session->sim) {
        status = afx_snapshot_restore(snapshot, session->sim, &error);
    }
    if (status != AFX_OK) {
        say_failure(session, &error, status);
    } else if (session->sim) {
        uint64_t step = afx_snapshot_step(snapshot);
        session->steps = step > session->step ? (uint32_t)(step - session->step) : 0;
        session->step = step;
        take_report(session, snapshot);
        take_contacts(session, snapshot);
        session->fresh = true;
    }
    afx_snapshot_destroy(snapshot);
}

void afxi_session_watch(AfxiSession *session) {
    look_at_drawing(session);
    look_at_run(session);
}
