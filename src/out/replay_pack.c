/* SPDX-License-Identifier: Apache-2.0 */
/* From the spool of a replay to its page: bounds first, then numbers and chunks of frames. */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/memory.h"
#include "out/file.h"
#include "out/page.h"
#include "out/replay_code.h"
#include "out/squeeze.h"

#define POSITIONS 65535.0 /* steps over the longest edge of the box around everything */
#define CHUNK_FRAMES 64u
#define CHUNK_BODIES 700000u /* in the frames of a chunk: what a page unpacks for a jump */

typedef struct Packer {
    const AfxiReplay *replay;
    int fd;
    AfxiReplayGrid grid;
    uint32_t chunk;        /* frames of a chunk */
    float *frame;          /* [bodies][AFXI_LOOK_FLOATS] */
    float *touches;        /* [chunk][afxi_replay_touches(contacts)] */
    float *reactions;      /* [chunk][joints][AFXI_LOOK_REACTION] */
    unsigned char *planes; /* [2][AFXI_LOOK_FLOATS][bodies][chunk] low bytes, then high bytes */
    uint16_t *scales;      /* [bodies] of quaternions */
    AfxiReplayCoder coder;
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

static size_t reaction_bytes(const AfxiReplay *replay) {
    return AFXI_LOOK_REACTION * sizeof(float) * (size_t)replay->joints;
}

static bool read_touches(const Packer *packer, uint64_t frame, float *out) {
    size_t size = afxi_replay_touches(packer->replay->contacts) * sizeof(float);
    uint64_t end = (frame + 1) * afxi_replay_record(packer->replay) - reaction_bytes(packer->replay);
    return read_at(packer->fd, out, size, end - size);
}

static bool read_reactions(const Packer *packer, uint64_t frame, float *out) {
    size_t size = reaction_bytes(packer->replay);
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
        if (!read_frame(packer, frame, packer->frame) || !read_touches(packer, frame, packer->touches)) {
            return false;
        }
        widen(grid, packer->frame, packer->replay->bodies, AFXI_LOOK_FLOATS);
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
            status = read_frame(packer, first + k, packer->frame) ? AFX_OK : AFX_E_SYSTEM;
            afxi_replay_code(&packer->coder, packer->frame, k, count, packer->planes);
        }
        if (status == AFX_OK) {
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

static AfxStatus put_reactions(Packer *packer, AfxiSink *sink) {
    AfxStatus status = AFX_OK;
    uint64_t frames = packer->replay->frames;
    uint32_t joints = packer->replay->joints;
    AfxiBytes bytes = afxi_bytes_begin(&packer->replay->allocator);
    afxi_sink_print(sink, ",\"joints\":%u,\"load\":%d,\"reactions\":[", joints, (int)AFXI_REPLAY_LOAD);
    for (uint64_t first = 0; first < frames && status == AFX_OK; first += packer->chunk) {
        uint32_t count = frames - first < packer->chunk ? (uint32_t)(frames - first) : packer->chunk;
        for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
            float *to = packer->reactions + k * AFXI_LOOK_REACTION * (size_t)joints;
            status = read_reactions(packer, first + k, to) ? AFX_OK : AFX_E_SYSTEM;
        }
        bytes.size = 0;
        if (status == AFX_OK) {
            status = afxi_replay_load(joints, count, packer->reactions, &bytes);
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

/* All drawings at once: pages with many of them are few. */
static AfxStatus put_drawings(Packer *packer, AfxiSink *sink) {
    const AfxiReplay *replay = packer->replay;
    AfxiBytes bytes = afxi_bytes_begin(&replay->allocator);
    uint32_t count = afxi_drawings_count(&replay->drawings);
    afxi_bytes_add(&bytes, &count, sizeof count);
    afxi_bytes_add(&bytes, replay->drawings.sizes.data, replay->drawings.sizes.size);
    afxi_bytes_add(&bytes, replay->drawings.data.data, replay->drawings.data.size);
    afxi_sink_text(sink, ",\"drawings\":");
    AfxStatus status = bytes.status ? bytes.status : put_packed(packer, sink, bytes.data, bytes.size);
    afxi_bytes_destroy(&bytes);
    return status;
}

static AfxStatus put_guides(Packer *packer, AfxiSink *sink) {
    uint32_t bodies = packer->replay->bodies;
    afxi_sink_text(sink, ",\"scales\":");
    AfxStatus status = put_packed(packer, sink, packer->scales, bodies * sizeof *packer->scales);
    if (status == AFX_OK && packer->replay->ties) {
        afxi_sink_text(sink, ",\"ties\":");
        status = put_packed(packer, sink, packer->replay->ties, bodies * sizeof *packer->replay->ties);
    }
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
    afxi_replay_scales(&packer->grid, replay->reach, replay->bodies, packer->scales);
    afxi_sink_print(sink,
                    "<script id=\"affix-data\" type=\"application/json\">{\"version\":2,\"frames\":%llu,\"bodies\":%u,"
                    "\"chunk\":%u,\"octave\":%d,\"low\":[",
                    (unsigned long long)replay->frames, replay->bodies, packer->chunk, (int)AFXI_REPLAY_STRESS);
    put_three(sink, packer->grid.low);
    afxi_sink_text(sink, "],\"high\":[");
    put_three(sink, packer->grid.high);
    afxi_sink_text(sink, "],\"step\":");
    afxi_sink_number(sink, packer->grid.step, 17);
    afxi_sink_text(sink, ",\"look\":");
    AfxStatus status = put_packed(packer, sink, replay->look.data, replay->look.size);
    if (status == AFX_OK) {
        status = put_guides(packer, sink);
    }
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
    if (status == AFX_OK && replay->joints) {
        status = put_reactions(packer, sink);
    }
    if (status == AFX_OK && afxi_drawings_count(&replay->drawings)) {
        status = put_drawings(packer, sink);
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

/* One block for all that packing needs. */
static AfxStatus take_room(Packer *packer, void **out_block, size_t *out_size) {
    const AfxiReplay *replay = packer->replay;
    size_t bodies = replay->bodies ? replay->bodies : 1, floats = AFXI_LOOK_FLOATS * bodies;
    for (int pass = 0; pass < 2; pass++) {
        AfxiArena arena = {.base = pass ? *out_block : NULL};
        packer->frame = afxi_arena_take(&arena, floats, sizeof(float));
        packer->touches = afxi_arena_take(&arena, packer->chunk * afxi_replay_touches(replay->contacts), sizeof(float));
        packer->reactions = afxi_arena_take(&arena, packer->chunk * reaction_bytes(replay), 1);
        packer->coder.last = afxi_arena_take(&arena, floats, sizeof(int32_t));
        packer->coder.before = afxi_arena_take(&arena, floats, sizeof(int32_t));
        packer->scales = afxi_arena_take(&arena, bodies, sizeof(uint16_t));
        packer->planes = afxi_arena_take(&arena, packer->chunk * floats, 2);
        if (pass == 0) {
            *out_size = arena.used;
            *out_block = arena.overflow ? NULL : afxi_allocate(&replay->allocator, arena.used);
        }
        if (!*out_block) {
            return AFX_E_MEMORY;
        }
    }
    return AFX_OK;
}

AfxStatus afxi_replay_pack(const AfxiReplay *replay, int fd, AfxError *out_error) {
    uint32_t fit = CHUNK_BODIES / (replay->bodies ? replay->bodies : 1);
    Packer packer = {.replay = replay, .fd = fd, .packed = afxi_bytes_begin(&replay->allocator)};
    packer.chunk = fit < 4 ? 4 : fit > CHUNK_FRAMES ? CHUNK_FRAMES : fit;
    packer.coder = (AfxiReplayCoder){.ties = replay->ties, .grid = &packer.grid, .bodies = replay->bodies};
    void *block = NULL;
    size_t size = 0;
    AfxStatus status = take_room(&packer, &block, &size);
    packer.coder.scales = packer.scales;
    status = status == AFX_OK ? write_page(&packer, out_error)
                              : afxi_file_error(out_error, status, replay->path, afx_status_text(status), "");
    afxi_release(&replay->allocator, block, size);
    afxi_bytes_destroy(&packer.packed);
    return status;
}
