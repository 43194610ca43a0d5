/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures on shapes: what is taken, what is refused, and that no model sees them. */
#include "tests.h"

#include "affix/model.h"

/** The beginning of a PNG file of a size. */
static AfxTextureDef png(unsigned char bytes[40], uint32_t width, uint32_t height) {
    static const unsigned char head[40] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    AfxTextureDef def = afx_default_texture();
    memcpy(bytes, head, 40);
    for (int k = 0; k < 4; k++) {
        bytes[16 + k] = (unsigned char)(width >> (24 - 8 * k));
        bytes[20 + k] = (unsigned char)(height >> (24 - 8 * k));
    }
    def.data = bytes;
    def.size = 40;
    return def;
}

static void textures_come_back_once_each(void **state) {
    (void)state;
    static const unsigned char jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0, 4,  9, 9, 0xff, 0xc0, 0,
                                         11,   8,    0,    16,   0, 32, 1, 1, 1,    1};
    unsigned char bytes[40];
    AfxScene *scene = make_scene();
    AfxTextureDef def = png(bytes, 64, 8192), found;
    AfxTextureId first, same, other, third;
    assert_ok(afx_scene_add_texture(scene, &def, &first));
    assert_ok(afx_scene_add_texture(scene, &def, &same));
    def.tile = 0.5;
    assert_ok(afx_scene_add_texture(scene, &def, &other));
    def.data = jpeg;
    def.size = sizeof jpeg;
    assert_ok(afx_scene_add_texture(scene, &def, &third));
    assert_int_equal(afx_scene_texture_count(scene), 3);
    assert_true(first.index == same.index && other.index == 1 && third.index == 2);
    assert_ok(afx_scene_get_texture(scene, other, &found));
    assert_true(found.tile == 0.5 && found.size == 40 && memcmp(found.data, bytes, 40) == 0);
    assert_int_equal(afx_scene_get_texture(scene, (AfxTextureId){3, other.scene}, &found), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_texture(scene, 3).index, UINT32_MAX);
    AfxBodyDef body = afx_default_body();
    AfxBodyId id;
    AfxShapeDef box = afx_default_box(1, 1, 1), read;
    AfxModel *plain, *painted;
    assert_ok(afx_scene_add_body(scene, &body, &id));
    assert_ok(afx_scene_add_shape(scene, id, &box));
    assert_ok(afx_model_create(scene, &plain, NULL));
    assert_ok(afx_scene_get_shape(scene, id, 0, &read));
    assert_int_equal(read.texture.scene, 0);
    box.texture = other;
    AfxScene *second = make_scene();
    assert_ok(afx_scene_add_body(second, &body, &id));
    assert_int_equal(afx_scene_add_shape(second, id, &box), AFX_E_ARGUMENT); /* of another scene */
    def = png(bytes, 1, 1);
    assert_ok(afx_scene_add_texture(second, &def, &box.texture));
    assert_ok(afx_scene_add_shape(second, id, &box));
    assert_ok(afx_scene_get_shape(second, id, 0, &read));
    assert_true(read.texture.index == 0 && read.texture.scene == box.texture.scene);
    assert_ok(afx_model_create(second, &painted, NULL));
    assert_true(afx_model_hash(plain) == afx_model_hash(painted));
    afx_scene_clear(second);
    assert_int_equal(afx_scene_texture_count(second), 0);
    afx_model_destroy(plain);
    afx_model_destroy(painted);
    afx_scene_destroy(scene);
    afx_scene_destroy(second);
}

static void others_are_refused(void **state) {
    (void)state;
    unsigned char bytes[40];
    AfxScene *scene = make_scene();
    AfxTextureId id;
    AfxTextureDef def = png(bytes, 8193, 1);
    assert_int_equal(afx_scene_add_texture(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "texture #0", "more than 8192");
    def = png(bytes, 0, 1);
    assert_int_equal(afx_scene_add_texture(scene, &def, &id), AFX_E_INPUT);
    def = png(bytes, 1, 1);
    def.tile = -1;
    assert_int_equal(afx_scene_add_texture(scene, &def, &id), AFX_E_INPUT);
    def = png(bytes, 1, 1);
    def.size = 32; /* cut */
    assert_int_equal(afx_scene_add_texture(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "texture #0", "no PNG or JPEG");
    def.size = AFX_TEXTURE_BYTES + 1; /* not looked at */
    assert_int_equal(afx_scene_add_texture(scene, &def, &id), AFX_E_LIMIT);
    def = png(bytes, 1, 1);
    def.cookie++;
    assert_int_equal(afx_scene_add_texture(scene, &def, &id), AFX_E_VERSION);
    def = png(bytes, 1, 1);
    def.data = NULL;
    assert_int_equal(afx_scene_add_texture(scene, &def, &id), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_add_texture(NULL, &def, &id), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_texture_count(scene), 0);
    afx_scene_destroy(scene);
}

int run_texture_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(textures_come_back_once_each),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests_name("texture", tests, NULL, NULL);
}
