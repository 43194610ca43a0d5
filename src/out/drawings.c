/* SPDX-License-Identifier: Apache-2.0 */
/* The drawings of an output, in memory until they are written. */
#include "out/drawings.h"

#include <string.h>

#include "out/file.h"

/* How a mark has them: this, then their sizes, then their bytes. */
typedef struct DrawingMark {
    uint32_t shown, count;
    uint64_t bytes;
} DrawingMark;

AfxiDrawings afxi_drawings_begin(const AfxAllocator *allocator) {
    return (AfxiDrawings){.data = afxi_bytes_begin(allocator), .sizes = afxi_bytes_begin(allocator)};
}

void afxi_drawings_destroy(AfxiDrawings *drawings) {
    afxi_bytes_destroy(&drawings->data);
    afxi_bytes_destroy(&drawings->sizes);
}

uint32_t afxi_drawings_count(const AfxiDrawings *drawings) {
    return (uint32_t)(drawings->sizes.size / sizeof(uint32_t));
}

/* Whether the last drawing, bytes [before - last, before), is the one that was put behind it. */
static bool is_repeated(const AfxiDrawings *drawings, size_t before, uint32_t size) {
    uint32_t count = afxi_drawings_count(drawings), last = 0;
    if (count) {
        memcpy(&last, drawings->sizes.data + (count - 1) * sizeof last, sizeof last);
    }
    return count && last == size &&
           memcmp(drawings->data.data + before - last, drawings->data.data + before, size) == 0;
}

AfxStatus afxi_drawings_show(AfxiDrawings *drawings, const void *data, size_t size) {
    uint32_t items = 0, bytes = (uint32_t)size;
    size_t before = drawings->data.size;
    if (size >= sizeof items) {
        memcpy(&items, data, sizeof items);
    }
    if (items == 0) {
        drawings->shown = 0;
        return AFX_OK;
    }
    if (size > AFXI_DRAWINGS_MOST - before) {
        return AFX_E_LIMIT;
    }
    afxi_bytes_add(&drawings->data, data, size);
    if (drawings->data.status == AFX_OK && is_repeated(drawings, before, bytes)) {
        drawings->data.size = before;
    } else {
        afxi_bytes_add(&drawings->sizes, &bytes, sizeof bytes);
    }
    if (drawings->data.status || drawings->sizes.status) {
        drawings->data.status = drawings->sizes.status = AFX_OK;
        drawings->data.size = before;
        return AFX_E_MEMORY;
    }
    drawings->shown = afxi_drawings_count(drawings);
    return AFX_OK;
}

AfxStatus afxi_drawings_draw(AfxiDrawings *drawings, const AfxOutput *output, const AfxDrawing *drawing,
                             AfxError *out_error) {
    AfxiBytes bytes = afxi_bytes_begin(&output->allocator);
    afxi_drawing_put(drawing, &bytes);
    AfxStatus status = bytes.status ? bytes.status : afxi_drawings_show(drawings, bytes.data, bytes.size);
    afxi_bytes_destroy(&bytes);
    if (status == AFX_E_LIMIT) {
        return afxi_file_error(out_error, status, output->path, "all drawings have more than 256 MiB",
                               "draw less, or in fewer frames");
    }
    return status == AFX_OK ? AFX_OK : afxi_output_memory(output, out_error);
}

AfxStatus afxi_drawings_mark(const AfxiDrawings *drawings, AfxOutput *output) {
    DrawingMark head = {drawings->shown, afxi_drawings_count(drawings), drawings->data.size};
    AfxStatus status = afxi_mark_put(output, &head, sizeof head);
    status = status ? status : afxi_mark_put(output, drawings->sizes.data, drawings->sizes.size);
    return status ? status : afxi_mark_put(output, drawings->data.data, drawings->data.size);
}

AfxStatus afxi_drawings_resume(AfxiDrawings *drawings, const AfxOutput *output, AfxiMark *mark, AfxError *out_error) {
    DrawingMark head;
    if (!afxi_mark_get(mark, &head, sizeof head) || head.shown > head.count || head.bytes > AFXI_DRAWINGS_MOST ||
        mark->size < head.bytes || (mark->size - head.bytes) / sizeof(uint32_t) < head.count) {
        return afxi_mark_damaged(output, out_error);
    }
    void *sizes = head.count ? afxi_bytes_extend(&drawings->sizes, head.count * sizeof(uint32_t)) : NULL;
    void *bytes = head.bytes ? afxi_bytes_extend(&drawings->data, (size_t)head.bytes) : NULL;
    if (drawings->sizes.status || drawings->data.status) {
        return afxi_output_memory(output, out_error);
    }
    if ((sizes && !afxi_mark_get(mark, sizes, head.count * sizeof(uint32_t))) ||
        (bytes && !afxi_mark_get(mark, bytes, (size_t)head.bytes))) {
        return afxi_mark_damaged(output, out_error);
    }
    drawings->shown = head.shown;
    return AFX_OK;
}
