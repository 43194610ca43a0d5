/* SPDX-License-Identifier: Apache-2.0 */
/* Textures of a scene file: pictures in files beside it, patterns, or pictures in the text itself, as saved scenes and
 * trajectories have them. */
#include <string.h>

#include "base/memory.h"
#include "load/json.h"
#include "load/picture.h"

static bool add(AfxiJsonFile *file, const AfxiJsonNode *node, const void *data, size_t size, double tile) {
    AfxTextureDef def = afx_default_texture();
    AfxTextureId id;
    def.data = data;
    def.size = size;
    def.tile = tile;
    if (!afxi_load_work(file->load, size, file->path, node->line)) {
        return false;
    }
    if (afx_scene_add_texture(file->load->scene, &def, &id)) {
        return afxi_json_scene_error(file, node);
    }
    if (afxi_names_reserve(&file->texture_names, &file->load->allocator)) {
        return afxi_load_memory_error(file->load, file->path, node->line);
    }
    afxi_names_add(&file->texture_names, node->key, id.index);
    return true;
}

static bool read_file(AfxiJsonFile *file, const AfxiJsonNode *node, const AfxiJsonNode *name, double tile) {
    const char *text;
    char path[AFXI_PATH_SIZE];
    AfxiText content;
    if (!afxi_json_text_at(file, name, &text) || !afxi_load_path(file->load, file->path, text, path, sizeof path) ||
        !afxi_load_read(file->load, path, file->path, name->line, &content)) {
        return false;
    }
    bool fine = add(file, node, content.data, content.size, tile);
    afxi_load_release(file->load, &content);
    return fine;
}

static bool read_data(AfxiJsonFile *file, const AfxiJsonNode *node, const AfxiJsonNode *data, double tile) {
    const char *text;
    if (!afxi_json_text_at(file, data, &text)) {
        return false;
    }
    size_t length = strlen(text), room = afxi_base64_room(length), size = 0;
    unsigned char *bytes = afxi_allocate(&file->load->allocator, room);
    if (!bytes) {
        return afxi_load_memory_error(file->load, file->path, data->line);
    }
    bool fine = (afxi_base64_decode(text, length, bytes, &size) ||
                 afxi_json_error(file, data, "this is not base64", "give the bytes of a PNG or JPEG file")) &&
                add(file, node, bytes, size, tile);
    afxi_release(&file->load->allocator, bytes, room);
    return fine;
}

static bool read_checker(AfxiJsonFile *file, const AfxiJsonNode *node, const AfxiJsonNode *colours, double tile) {
    uint32_t colour[2];
    unsigned char picture[AFXI_PICTURE_SIZE];
    if (!json_is_array(colours->value) || colours->count != 2) {
        return afxi_json_error(file, colours, "these are not two colours", "write [\"#ffffff\", \"#333333\"]");
    }
    const AfxiJsonNode *first = afxi_json_first(colours);
    if (!afxi_json_color_at(file, first, &colour[0]) ||
        !afxi_json_color_at(file, afxi_json_next(colours, first), &colour[1])) {
        return false;
    }
    afxi_picture_make(AFXI_PATTERN_CHECKER, colour[0], colour[1], picture);
    return add(file, node, picture, sizeof picture, tile);
}

static bool read_texture(AfxiJsonFile *file, const AfxiJsonNode *node) {
    double tile = 0;
    if (!afxi_json_keys(file, node, "file checker data tile") ||
        !afxi_json_number(file, node, "tile", file->units.length, &tile)) {
        return false;
    }
    const AfxiJsonNode *from = afxi_json_get(node, "file"), *checker = afxi_json_get(node, "checker"),
                       *data = afxi_json_get(node, "data");
    if ((from != NULL) + (checker != NULL) + (data != NULL) != 1) {
        return afxi_json_error(file, node, "a texture has a file, a checker or data, one of them",
                               "write {\"file\": \"wood.png\"}");
    }
    return from      ? read_file(file, node, from, tile)
           : checker ? read_checker(file, node, checker, tile)
                     : read_data(file, node, data, tile);
}

bool afxi_json_read_textures(AfxiJsonFile *file, const AfxiJsonNode *top) {
    const AfxiJsonNode *list = afxi_json_get(top, "textures"), *materials = afxi_json_get(top, "materials");
    bool fine = !list || json_is_object(list->value) || afxi_json_keys(file, list, "");
    for (const AfxiJsonNode *node = afxi_json_first(list); node && fine; node = afxi_json_next(list, node)) {
        fine = read_texture(file, node);
    }
    for (const AfxiJsonNode *node = afxi_json_first(materials); node && fine;
         node = afxi_json_next(materials, node)) { /* those too that nothing uses */
        AfxTextureId unused = {0, 0};
        fine = !json_is_object(node->value) || afxi_json_texture(file, node, &unused);
    }
    return fine;
}

bool afxi_json_texture(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxTextureId *texture) {
    const AfxiJsonNode *node = afxi_json_look(file, object, "texture");
    const char *text;
    if (!node) {
        return true;
    }
    if (!afxi_json_text_at(file, node, &text)) {
        return false;
    }
    uint32_t index = afxi_names_find(&file->texture_names, text);
    *texture = afx_scene_texture(file->load->scene, index);
    return index != UINT32_MAX ||
           afxi_json_error(file, node, "there is no such texture", "describe it under \"textures\" of this file");
}
