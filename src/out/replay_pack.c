/* SPDX-License-Identifier: Apache-2.0 */
/* From the spool of a replay to its page: bounds first, then numbers and chunks of frames. */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/memory.h"
#include "out/file.h"
#include "out/page.h"
#include "out/replay.h"
#include "out/squeeze.h"

#define POSITIONS 65535.0 /* steps over the longest edge of the box around everything */
#define QUATERNION 8191.0 /* steps over 1 */
#define OCTAVE 8.0        /* steps of a stress over an octave, from 1 Pa on */
#define CHUNK_FRAMES 64u
#define CHUNK_BYTES (64u << 20)

typedef struct Packer {
    const AfxiReplay *replay;
    int fd;
    AfxiReplayGrid grid;
    uint32_t chunk;        /* frames of a chunk */
    float *frames;         /* [chunk][bodies][AFXI_LOOK_FLOATS] */
    float *touches;        /* [chunk][afxi_replay_touches(contacts)] */
    unsigned char *planes; /* [2][AFXI_LOOK_FLOATS][bodies][chunk] low bytes, then high bytes */
    AfxiBytes packed;
} Packer;

static size_t frame_floats(const Packer *packer) {
    return AFXI_LOOK_FLOATS * (size_t)packer->replay->bodies;
}

static bool read_at(int fd, void *out, size_t size, uint64_t at) {
    unsigned char *to = out;
    while (size > 0) {
        ssize_t got = pread(fd, to, size, (off_t)at);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        if (got > 0) {
            to += got;
            size -= (size_t)got;
            at += (uint64_t)got;
        }
    }
    return true;
}

static bool read_frame(const Packer *packer, uint64_t frame, float *out) {
    uint64_t at = frame * afxi_replay_record(packer->replay) + sizeof(AfxiReplayNumbers);
    return read_at(packer->fd, out, frame_floats(packer) * sizeof(float), at);
}

static bool read_touches(const Packer *packer, uint64_t frame, float *out) {
    size_t size = afxi_replay_touches(packer->replay->contacts) * sizeof(float);
    return read_at(packer->fd, out, size, (frame + 1) * afxi_replay_record(packer->replay) - size);
}

/* Widens the grid by points that stand `stride` floats apart. */
static void widen(AfxiReplayGrid *grid, const float *points, size_t count, size_t stride) {
    for (size_t k = 0; k < count; k++) {
        for (size_t axis = 0; axis < 3; axis++) {
            grid->low[axis] = fmin(grid->low[axis], points[k * stride + axis]);
            grid->high[axis] = fmax(grid->high[axis], points[k * stride + axis]);
        }
    }
}

static bool find_bounds(Packer *packer) {
    double edge = 0;
    AfxiReplayGrid *grid = &packer->grid;
    *grid = (AfxiReplayGrid){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 1};
    for (uint64_t frame = 0; frame < packer->replay->frames; frame++) {
        if (!read_frame(packer, frame, packer->frames) || !read_touches(packer, frame, packer->touches)) {
            return false;
        }
        widen(grid, packer->frames, packer->replay->bodies, AFXI_LOOK_FLOATS);
        if (packer->replay->contacts) {
            widen(grid, packer->touches + 1, (size_t)packer->touches[0], AFXI_LOOK_CONTACT);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        edge = fmax(edge, grid->high[axis] - grid->low[axis]);
        grid->low[axis] = isfinite(grid->low[axis]) ? grid->low[axis] : 0;
        grid->high[axis] = isfinite(grid->high[axis]) ? grid->high[axis] : 0;
    }
    grid->step = isfinite(edge) && edge > 0 ? edge / POSITIONS : 1;
    return true;
}

/* The whole number of a component; `flip` is -1 where the quaternion's sign is turned. */
static uint16_t whole(const Packer *packer, int component, double value, double flip) {
    double number = component < 3    ? (value - packer->grid.low[component]) / packer->grid.step
                    : component == 3 ? OCTAVE * log2(1 + fmax(value, 0))
                                     : flip * value * QUATERNION;
    number = isfinite(number) ? fmin(fmax(number, -32768), 65535) : 0;
    return (uint16_t)(int32_t)lrint(number);
}

/* A quaternion and its negative are one rotation: the one nearer to the last frame's compresses. */
static double sign_of(const float *quaternion, const float *last, double sign) {
    double dot = 0;
    for (int k = 0; k < 4; k++) {
        dot += (double)quaternion[k] * last[k];
    }
    return dot < 0 ? -sign : sign;
}

static void take_apart(Packer *packer, uint32_t count) {
    uint32_t bodies = packer->replay->bodies;
    size_t plane = AFXI_LOOK_FLOATS * (size_t)bodies * count;
    for (uint32_t body = 0; body < bodies; body++) {
        uint16_t last[AFXI_LOOK_FLOATS] = {0}, before[AFXI_LOOK_FLOATS] = {0};
        double sign = 1;
        for (uint32_t frame = 0; frame < count; frame++) {
            const float *at = packer->frames + frame * frame_floats(packer) + AFXI_LOOK_FLOATS * (size_t)body;
            sign = frame ? sign_of(at + 4, at + 4 - frame_floats(packer), sign) : 1;
            for (int component = 0; component < AFXI_LOOK_FLOATS; component++) {
                uint16_t now = whole(packer, component, at[component], sign);
                uint16_t guess = frame > 1 ? (uint16_t)(2 * last[component] - before[component]) : last[component];
                uint16_t zigzag = afxi_replay_fold((uint16_t)(now - guess));
                size_t place = ((size_t)component * bodies + body) * count + frame;
                packer->planes[place] = (unsigned char)zigzag;
                packer->planes[plane + place] = (unsigned char)(zigzag >> 8);
                before[component] = last[component];
                last[component] = now;
            }
        }
    }
}

/* Deflates and writes a text in quotes. */
static AfxStatus put_packed(Packer *packer, AfxiSink *sink, const void *data, size_t size) {
    packer->packed.size = 0;
    AfxStatus status = afxi_squeeze(&packer->packed, data, size);
    if (status == AFX_OK) {
        afxi_sink_text(sink, "\"");
        afxi_sink_base64(sink, packer->packed.data, packer->packed.size);
        afxi_sink_text(sink, "\"");
    }
    return status;
}

static AfxStatus put_numbers(Packer *packer, AfxiSink *sink) {
    uint64_t frames = packer->replay->frames;
    size_t size = (size_t)frames * sizeof(AfxiReplayNumbers);
    double *columns = afxi_allocate(&packer->replay->allocator, size);
    AfxStatus status = columns ? AFX_OK : AFX_E_MEMORY;
    for (uint64_t frame = 0; frame < frames && status == AFX_OK; frame++) {
        double row[AFXI_REPLAY_NUMBERS];
        if (!read_at(packer->fd, row, sizeof row, frame * afxi_replay_record(packer->replay))) {
            status = AFX_E_SYSTEM;
        }
        for (size_t k = 0; k < AFXI_REPLAY_NUMBERS; k++) {
            columns[k * frames + frame] = row[k];
        }
    }
    if (status == AFX_OK) {
        status = put_packed(packer, sink, columns, size);
    }
    afxi_release(&packer->replay->allocator, columns, size);
    return status;
}

static AfxStatus put_chunks(Packer *packer, AfxiSink *sink) {
    AfxStatus status = AFX_OK;
    uint64_t frames = packer->replay->frames;
    for (uint64_t first = 0; first < frames && status == AFX_OK; first += packer->chunk) {
        uint32_t count = frames - first < packer->chunk ? (uint32_t)(frames - first) : packer->chunk;
        for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
            status = read_frame(packer, first + k, packer->frames + k * frame_floats(packer)) ? AFX_OK : AFX_E_SYSTEM;
        }
        if (status == AFX_OK) {
            take_apart(packer, count);
            afxi_sink_text(sink, first ? ",\n" : "");
            status = put_packed(packer, sink, packer->planes, 2 * frame_floats(packer) * count);
        }
    }
    return status;
}

static AfxStatus put_touches(Packer *packer, AfxiSink *sink) {
    AfxStatus status = AFX_OK;
    uint64_t frames = packer->replay->frames;
    uint32_t most = packer->replay->contacts;
    AfxiBytes bytes = afxi_bytes_begin(&packer->replay->allocator);
    afxi_sink_print(sink, ",\"normal\":%d,\"force\":%d,\"touches\":[", (int)AFXI_TOUCH_NORMAL, (int)AFXI_TOUCH_FORCE);
    for (uint64_t first = 0; first < frames && status == AFX_OK; first += packer->chunk) {
        uint32_t count = frames - first < packer->chunk ? (uint32_t)(frames - first) : packer->chunk;
        for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
            float *to = packer->touches + k * afxi_replay_touches(most);
            status = read_touches(packer, first + k, to) ? AFX_OK : AFX_E_SYSTEM;
        }
        bytes.size = 0;
        if (status == AFX_OK) {
            status = afxi_replay_touch(&packer->grid, most, count, packer->touches, &bytes);
        }
        if (status == AFX_OK) {
            afxi_sink_text(sink, first ? ",\n" : "");
            status = put_packed(packer, sink, bytes.data, bytes.size);
        }
    }
    afxi_sink_text(sink, "]");
    afxi_bytes_destroy(&bytes);
    return status;
}

static void put_three(AfxiSink *sink, const double *numbers) {
    for (int axis = 0; axis < 3; axis++) {
        afxi_sink_text(sink, axis ? "," : "");
        afxi_sink_number(sink, numbers[axis], 17);
    }
}

static AfxStatus put_data(Packer *packer, AfxiSink *sink) {
    const AfxiReplay *replay = packer->replay;
    if (!find_bounds(packer)) {
        return AFX_E_SYSTEM;
    }
    afxi_sink_print(sink,
                    "<script id=\"affix-data\" type=\"application/json\">{\"version\":1,\"frames\":%llu,\"bodies\":%u,"
                    "\"chunk\":%u,\"quaternion\":%d,\"octave\":%d,\"low\":[",
                    (unsigned long long)replay->frames, replay->bodies, packer->chunk, (int)QUATERNION, (int)OCTAVE);
    put_three(sink, packer->grid.low);
    afxi_sink_text(sink, "],\"high\":[");
    put_three(sink, packer->grid.high);
    afxi_sink_text(sink, "],\"step\":");
    afxi_sink_number(sink, packer->grid.step, 17);
    afxi_sink_text(sink, ",\"look\":");
    AfxStatus status = put_packed(packer, sink, replay->look.data, replay->look.size);
    if (status == AFX_OK) {
        afxi_sink_text(sink, ",\"numbers\":");
        status = put_numbers(packer, sink);
    }
    if (status == AFX_OK) {
        afxi_sink_text(sink, ",\"chunks\":[");
        status = put_chunks(packer, sink);
        afxi_sink_text(sink, "]");
    }
    if (status == AFX_OK && replay->contacts) {
        status = put_touches(packer, sink);
    }
    afxi_sink_text(sink, "}</script>\n");
    return status;
}

static AfxStatus write_page(Packer *packer, AfxError *out_error) {
    const AfxiReplay *replay = packer->replay;
    AfxiBytes page = afxi_bytes_begin(&replay->allocator);
    AfxiReplace file;
    size_t place = 0;
    AfxStatus status = afxi_page_text(&page, &place, NULL);
    if (status != AFX_OK) {
        afxi_file_error(out_error, status, replay->path, afx_status_text(status), "");
    } else {
        status = afxi_replace_open(&replay->allocator, replay->path, &file, out_error);
        if (status == AFX_OK) {
            afxi_sink_write(&file.sink, page.data, place);
            status = put_data(packer, &file.sink);
            afxi_sink_write(&file.sink, page.data + place, page.size - place);
            if (status == AFX_OK) {
                status = afxi_replace_commit(&file, NULL, out_error);
            } else {
                afxi_replace_abandon(&file);
                afxi_file_error(out_error, status, replay->path, afx_status_text(status), "");
            }
        }
    }
    afxi_bytes_destroy(&page);
    return status;
}

AfxStatus afxi_replay_pack(const AfxiReplay *replay, int fd, AfxError *out_error) {
    size_t body_bytes = AFXI_LOOK_FLOATS * sizeof(float) * (replay->bodies ? (size_t)replay->bodies : 1);
    size_t fit = CHUNK_BYTES / body_bytes;
    Packer packer = {.replay = replay, .fd = fd, .packed = afxi_bytes_begin(&replay->allocator)};
    packer.chunk = fit < 4 ? 4 : fit > CHUNK_FRAMES ? CHUNK_FRAMES : (uint32_t)fit;
    size_t frames_size = packer.chunk * body_bytes, planes_size = frames_size / 2;
    packer.frames = afxi_allocate(&replay->allocator, frames_size);
    packer.planes = afxi_allocate(&replay->allocator, planes_size);
    size_t touches_size = packer.chunk * afxi_replay_touches(replay->contacts) * sizeof(float);
    packer.touches = afxi_allocate(&replay->allocator, touches_size);
    AfxStatus status = packer.frames && packer.planes && (packer.touches || !touches_size)
                           ? write_page(&packer, out_error)
                           : afxi_file_error(out_error, AFX_E_MEMORY, replay->path, afx_status_text(AFX_E_MEMORY), "");
    afxi_release(&replay->allocator, packer.frames, frames_size);
    afxi_release(&replay->allocator, packer.planes, planes_size);
    afxi_release(&replay->allocator, packer.touches, touches_size);
    afxi_bytes_destroy(&packer.packed);
    return status;
}
