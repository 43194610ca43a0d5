/* SPDX-License-Identifier: Apache-2.0 */
/* Textures of materials: MuJoCo's patterns, and pictures in PNG files. A picture is put on a shape from all sides, as
 * MuJoCo does with planes and boxes; its cube maps of several files and coordinates of meshes are not read. */
#include <math.h>
#include <string.h>

#include "load/mjcf.h"
#include "load/picture.h"

static uint32_t colour_of(const double rgb[3]) {
    uint32_t part[3];
    for (int k = 0; k < 3; k++) {
        part[k] = (uint32_t)(255 * fmin(fmax(rgb[k], 0), 1) + 0.5);
    }
    return AFX_COLOR(part[0], part[1], part[2]);
}

static bool add(AfxiMjcf *m, AfxiXmlNode *node, const void *data, size_t size, double tile, AfxTextureId *out_texture) {
    AfxTextureDef def = afx_default_texture();
    def.data = data;
    def.size = size;
    def.tile = tile;
    if (!afxi_load_work(m->load, size, node->file, node->line)) {
        return false;
    }
    if (afx_scene_add_texture(m->load->scene, &def, out_texture) == AFX_OK) {
        return true;
    }
    *out_texture = (AfxTextureId){0, 0}; /* a picture in another format, say */
    return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, afx_scene_error(m->load->scene)->text);
}

static bool add_pattern(AfxiMjcf *m, AfxiXmlNode *node, int pattern, double tile, AfxTextureId *out_texture) {
    double first[3] = {0.8, 0.8, 0.8}, second[3] = {0.5, 0.5, 0.5};
    unsigned char picture[AFXI_PICTURE_SIZE];
    if (!afxi_xml_numbers(m->load, node, "rgb1", 3, 3, first, NULL) ||
        !afxi_xml_numbers(m->load, node, "rgb2", 3, 3, second, NULL)) {
        return false;
    }
    afxi_picture_make(pattern == 2   ? AFXI_PATTERN_CHECKER
                      : pattern == 1 ? AFXI_PATTERN_GRADIENT
                                     : AFXI_PATTERN_FLAT,
                      colour_of(first), colour_of(second), picture);
    return add(m, node, picture, sizeof picture, tile, out_texture);
}

static bool add_file(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, const char *file, double tile,
                     AfxTextureId *out_texture) {
    char path[AFXI_PATH_SIZE];
    AfxiText content;
    if (!afxi_mjcf_asset_path(m, model, node, model->settings.texture_folder, file, path)) {
        return false;
    }
    if (!afxi_load_exists(m->load, path)) { /* looks can be done without */
        return afxi_xml_notice(m->load, AFX_NOTICE_MISSING, node, "file", "the picture cannot be read");
    }
    if (!afxi_load_read(m->load, path, node->file, node->line, &content)) {
        return false;
    }
    bool fine = add(m, node, content.data, content.size, tile, out_texture);
    afxi_load_release(m->load, &content);
    return fine;
}

/** Metres of a picture: what texuniform says; else it goes once over a shape. */
static bool read_tile(AfxiMjcf *m, AfxiXmlNode *look, double *out_tile) {
    static const char *const booleans[] = {"false", "true", NULL};
    double repeat[2] = {1, 1};
    uint32_t count = 0;
    int uniform = 0;
    *out_tile = 0;
    if (!afxi_xml_numbers(m->load, look, "texrepeat", 1, 2, repeat, &count) ||
        !afxi_xml_word(m->load, look, "texuniform", booleans, &uniform)) {
        return false;
    }
    if (repeat[0] > 0 && (uniform == 1 || repeat[0] != 1)) {
        *out_tile = 1 / repeat[0];
    }
    if (count == 2 && repeat[0] != repeat[1]) {
        return afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, look, "texrepeat",
                               "the first number holds along both axes");
    }
    if (*out_tile > 0 && uniform == 0) {
        return afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, look, "texrepeat",
                               "counts pictures in a metre, as with texuniform, not over a shape");
    }
    return true;
}

bool afxi_mjcf_texture(AfxiMjcf *m, AfxiMjcfModel *model, uint32_t look, AfxTextureId *out_texture) {
    static const char *const patterns[] = {"none", "gradient", "checker", "flat", NULL};
    AfxiXmlNode *node = model->looks[look];
    AfxTextureId *known = &model->look_textures[look];
    const char *name = afxi_xml_text(node, "texture");
    uint32_t index = name ? afxi_names_find(&model->texture_names, name) : AFXI_MJCF_NONE;
    double tile = 0;
    int pattern = 0;
    *out_texture = known->index == UINT32_MAX ? (AfxTextureId){0, 0} : *known;
    if (index == AFXI_MJCF_NONE || known->index != UINT32_MAX) {
        return true;
    }
    AfxiXmlNode *texture = model->textures[index];
    texture->used = true;
    for (uint32_t k = 0; k < texture->attribute_count; k++) {
        texture->attributes[k].used = true;
    }
    const char *file = afxi_xml_text(texture, "file");
    *known = (AfxTextureId){0, 0};
    if (!read_tile(m, node, &tile) || !afxi_xml_word(m->load, texture, "builtin", patterns, &pattern)) {
        return false;
    }
    bool fine = pattern ? add_pattern(m, texture, pattern, tile, known)
                : file  ? add_file(m, model, texture, file, tile, known)
                        : afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, texture, NULL,
                                          "of cube maps of several files nothing is read");
    *out_texture = *known;
    return fine;
}
