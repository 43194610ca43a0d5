/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures on shapes: files that are kept as they are. A browser decodes them, so that only what it would take for it
 * is looked at here: whether they are PNG or JPEG, and how many pixels they have. */
#include "scene/texture.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"

static const AfxTextureId no_texture = {UINT32_MAX, 0};

AfxTextureDef afx_default_texture(void) {
    return (AfxTextureDef){.cookie = AFXI_COOKIE};
}

AfxStatus afxi_check_texture(const AfxScene *scene, const AfxiErrorPlace *place, AfxTextureId texture) {
    bool none = texture.index == 0 && texture.scene == 0;
    if (none || (texture.scene == scene->id && texture.index < scene->texture_count)) {
        return AFX_OK;
    }
    return afxi_fail(place, AFX_E_ARGUMENT, "its texture is not one of this scene",
                     "use an id that afx_scene_add_texture gave for this scene");
}

static uint32_t big_endian(const unsigned char *at, int bytes) {
    uint32_t value = 0;
    for (int k = 0; k < bytes; k++) {
        value = value << 8 | at[k];
    }
    return value;
}

/* Width and height of a PNG file: the first chunk has them. */
static bool png_size(const unsigned char *data, size_t size, uint32_t out[2]) {
    static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    if (size < 33 || memcmp(data, magic, 8) != 0 || memcmp(data + 12, "IHDR", 4) != 0) {
        return false;
    }
    out[0] = big_endian(data + 16, 4);
    out[1] = big_endian(data + 20, 4);
    return true;
}

/* Of a JPEG file: in the segment that begins a frame. */
static bool jpeg_size(const unsigned char *data, size_t size, uint32_t out[2]) {
    size_t at = 2;
    if (size < 4 || data[0] != 0xff || data[1] != 0xd8) {
        return false;
    }
    while (at + 9 < size && data[at] == 0xff) {
        unsigned char kind = data[at + 1];
        if (kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc) {
            out[0] = big_endian(data + at + 7, 2);
            out[1] = big_endian(data + at + 5, 2);
            return true;
        }
        at += 2 + (size_t)big_endian(data + at + 2, 2); /* a segment has at least the two bytes of its length */
    }
    return false;
}

static AfxStatus check_picture(const AfxiErrorPlace *place, const AfxTextureDef *d) {
    uint32_t pixels[2] = {0, 0};
    if (d->size > AFX_TEXTURE_BYTES) {
        return afxi_fail(place, AFX_E_LIMIT, "it has more than 16 MiB", "use a smaller picture");
    }
    if (!png_size(d->data, d->size, pixels) && !jpeg_size(d->data, d->size, pixels)) {
        return afxi_fail(place, AFX_E_INPUT, "it is no PNG or JPEG file", "convert it to one of them");
    }
    for (int k = 0; k < 2; k++) {
        if (pixels[k] == 0 || pixels[k] > AFX_TEXTURE_PIXELS) {
            return afxi_fail(place, AFX_E_INPUT, "it has no pixels, or more than 8192 along an edge",
                             "use a smaller picture");
        }
    }
    return afxi_check_amount(place, d->tile, "its tile");
}

/* The texture that is equal, or AFXI_NONE; and the bytes of all. */
static uint32_t find_equal(const AfxScene *scene, const AfxTextureDef *d, size_t *out_bytes) {
    *out_bytes = 0;
    for (uint32_t k = 0; k < scene->texture_count; k++) {
        const AfxiSceneTexture *other = scene->textures + k;
        if (other->size == d->size && other->tile == d->tile && memcmp(other->data, d->data, d->size) == 0) {
            return k;
        }
        *out_bytes += other->size;
    }
    return AFXI_NONE;
}

static AfxStatus add(AfxScene *scene, const AfxTextureDef *d) {
    void *textures = scene->textures;
    AfxStatus status = afxi_array_reserve(&scene->allocator, &textures, &scene->texture_capacity,
                                          scene->texture_count + 1, sizeof *scene->textures);
    scene->textures = textures;
    unsigned char *data = status ? NULL : afxi_allocate(&scene->allocator, d->size);
    if (!data) {
        return status ? status : AFX_E_MEMORY;
    }
    memcpy(data, d->data, d->size);
    scene->textures[scene->texture_count++] = (AfxiSceneTexture){data, d->size, d->tile};
    return AFX_OK;
}

AfxStatus afx_scene_add_texture(AfxScene *scene, const AfxTextureDef *def, AfxTextureId *out_texture) {
    if (out_texture) {
        *out_texture = no_texture;
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "texture", NULL, scene->texture_count, AFXI_NONE};
    if (!def || !out_texture || !def->data) {
        return afxi_fail_null(&place, !def ? "def" : !out_texture ? "out_texture" : "its data");
    }
    size_t bytes = 0;
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_texture");
    status = status ? status : check_picture(&place, def);
    if (status) {
        return status;
    }
    uint32_t index = find_equal(scene, def, &bytes);
    if (index == AFXI_NONE) {
        if (bytes + def->size > AFX_TEXTURE_BYTES_ALL) {
            return afxi_fail(&place, AFX_E_LIMIT, "all textures together have more than 64 MiB",
                             "use smaller pictures");
        }
        index = scene->texture_count;
        status = add(scene, def);
        if (status) {
            return afxi_fail_memory(&place, status);
        }
    }
    *out_texture = (AfxTextureId){index, scene->id};
    return AFX_OK;
}

uint32_t afx_scene_texture_count(const AfxScene *scene) {
    return scene ? scene->texture_count : 0;
}

AfxTextureId afx_scene_texture(const AfxScene *scene, uint32_t index) {
    return scene && index < scene->texture_count ? (AfxTextureId){index, scene->id} : no_texture;
}

AfxStatus afx_scene_get_texture(const AfxScene *scene, AfxTextureId texture, AfxTextureDef *out_def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "texture", NULL, texture.index, AFXI_NONE};
    if (!out_def) {
        return afxi_fail_null(&place, "out_def");
    }
    if (texture.scene != scene->id || texture.index >= scene->texture_count) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no such texture in this scene",
                         "use an id that afx_scene_add_texture gave for this scene");
    }
    const AfxiSceneTexture *own = scene->textures + texture.index;
    *out_def = afx_default_texture();
    out_def->data = own->data;
    out_def->size = own->size;
    out_def->tile = own->tile;
    return AFX_OK;
}
