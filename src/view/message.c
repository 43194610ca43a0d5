/* SPDX-License-Identifier: Apache-2.0 */
/* JSON in and out. Whatever is not exactly as it must be is refused. */
#include "view/message.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPEED_MOST 1e9
#define STEPS_MOST 10000
#define FAR 1e9 /* m */

static const char *const colours[AFXI_COLOUR_COUNT] = {
#define NAME(colour, name) [colour] = (name),
    AFXI_COLOUR_TABLE(NAME)
#undef NAME
};

static bool read_number(const json_t *value, double low, double high, double *out) {
    *out = json_number_value(value);
    return json_is_number(value) && isfinite(*out) && *out >= low && *out <= high;
}

static bool read_vec3(const json_t *value, AfxVec3 *out) {
    return json_is_array(value) && json_array_size(value) == 3 &&
           read_number(json_array_get(value, 0), -FAR, FAR, &out->x) &&
           read_number(json_array_get(value, 1), -FAR, FAR, &out->y) &&
           read_number(json_array_get(value, 2), -FAR, FAR, &out->z);
}

static bool read_text(const json_t *value, char *out, size_t size) {
    size_t length = json_string_length(value);
    if (!json_is_string(value) || length >= size || strlen(json_string_value(value)) != length) {
        return false;
    }
    memcpy(out, json_string_value(value), length + 1);
    return true;
}

static bool read_step(const json_t *root, AfxiCommand *command) {
    const json_t *count = json_object_get(root, "count");
    double number = 1;
    bool fine = !count || (json_is_integer(count) && read_number(count, 1, STEPS_MOST, &number));
    command->count = (uint32_t)number;
    return fine;
}

static bool read_speed(const json_t *root, AfxiCommand *command) {
    return read_number(json_object_get(root, "value"), 1e-6, SPEED_MOST, &command->value);
}

static bool read_set(const json_t *root, AfxiCommand *command) {
    return read_text(json_object_get(root, "name"), command->name, sizeof command->name) &&
           read_text(json_object_get(root, "value"), command->text, sizeof command->text);
}

/* Whether a member is not there, or true or false. */
static bool read_switch(const json_t *value, int *out) {
    *out = json_is_boolean(value) ? json_is_true(value) : -1;
    return !value || json_is_boolean(value);
}

static bool read_show(const json_t *root, AfxiCommand *command) {
    const json_t *colour = json_object_get(root, "colour");
    for (int k = 0; k < AFXI_COLOUR_COUNT && json_is_string(colour); k++) {
        command->colour = strcmp(json_string_value(colour), colours[k]) == 0 ? k : command->colour;
    }
    bool fine = read_switch(json_object_get(root, "reactions"), &command->reactions) &&
                read_switch(json_object_get(root, "contacts"), &command->contacts) &&
                read_switch(json_object_get(root, "book"), &command->book);
    return fine && (!colour || command->colour >= 0);
}

static bool read_index(const json_t *value, double most, uint32_t *out) {
    double number = 0;
    bool fine = json_is_integer(value) && read_number(value, 0, most, &number);
    *out = (uint32_t)number;
    return fine;
}

static bool read_drag(const json_t *root, AfxiCommand *command) {
    return read_index(json_object_get(root, "body"), UINT32_MAX - 1.0, &command->body) &&
           read_vec3(json_object_get(root, "point"), &command->point) &&
           read_vec3(json_object_get(root, "target"), &command->target);
}

static bool read_joint(const json_t *root, AfxiCommand *command) {
    return read_index(json_object_get(root, "joint"), UINT32_MAX - 1.0, &command->body) &&
           read_index(json_object_get(root, "axis"), 5, &command->count) &&
           read_number(json_object_get(root, "value"), -FAR, FAR, &command->value);
}

static bool read_drive(const json_t *root, AfxiCommand *command) {
    return read_index(json_object_get(root, "drive"), UINT32_MAX - 1.0, &command->body) &&
           read_number(json_object_get(root, "value"), -FAR, FAR, &command->value);
}

static bool read_nothing(const json_t *root, AfxiCommand *command) {
    (void)root;
    (void)command;
    return true;
}

static const struct {
    const char *name;
    AfxiCommandKind kind;
    bool (*read)(const json_t *root, AfxiCommand *command);
} commands[] = {
    {"play", AFXI_COMMAND_PLAY, read_nothing},     {"pause", AFXI_COMMAND_PAUSE, read_nothing},
    {"step", AFXI_COMMAND_STEP, read_step},        {"reset", AFXI_COMMAND_RESET, read_nothing},
    {"reload", AFXI_COMMAND_RELOAD, read_nothing}, {"speed", AFXI_COMMAND_SPEED, read_speed},
    {"set", AFXI_COMMAND_SET, read_set},           {"show", AFXI_COMMAND_SHOW, read_show},
    {"drag", AFXI_COMMAND_DRAG, read_drag},        {"release", AFXI_COMMAND_RELEASE, read_nothing},
    {"joint", AFXI_COMMAND_JOINT, read_joint},     {"drive", AFXI_COMMAND_DRIVE, read_drive},
    {"hash", AFXI_COMMAND_HASH, read_nothing},
};

static AfxiMessage read_command(const json_t *root, AfxiCommand *command, const char **out_reason) {
    const char *type = json_string_value(json_object_get(root, "type"));
    *out_reason = type ? "there is no such type" : "it is no object with a type";
    if (type && strcmp(type, "ack") == 0) {
        return AFXI_MESSAGE_ACK;
    }
    for (size_t k = 0; type && k < sizeof commands / sizeof commands[0]; k++) {
        if (strcmp(type, commands[k].name) == 0) {
            *out_reason = "a member is missing or not allowed";
            command->kind = commands[k].kind;
            return commands[k].read(root, command) ? AFXI_MESSAGE_COMMAND : AFXI_MESSAGE_BAD;
        }
    }
    return AFXI_MESSAGE_BAD;
}

AfxiMessage afxi_message_read(const char *text, size_t size, AfxiCommand *out_command, const char **out_reason) {
    *out_command = (AfxiCommand){.colour = -1, .reactions = -1, .contacts = -1, .book = -1};
    *out_reason = "it is too long";
    if (size > AFXI_MESSAGE_MOST) {
        return AFXI_MESSAGE_BAD;
    }
    *out_reason = "it is no JSON";
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    AfxiMessage message = root ? read_command(root, out_command, out_reason) : AFXI_MESSAGE_BAD;
    json_decref(root);
    return message;
}

/* ---- to the pages ---- */

/* A text, with what is no UTF-8 left out. */
static json_t *text_of(const char *text) {
    json_t *value = json_string(text);
    return value ? value : json_string("?");
}

static AfxiBlob *blob_of(const AfxAllocator *allocator, json_t *root) {
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    AfxiBytes bytes = afxi_bytes_begin(allocator);
    AfxiBlob *blob = NULL;
    if (text) {
        afxi_bytes_add(&bytes, text, strlen(text));
        blob = afxi_blob_create(&bytes);
    }
    free(text);
    json_decref(root);
    return blob;
}

AfxiBlob *afxi_message_hello(const AfxAllocator *allocator, const AfxiViewSource *source) {
    json_t *list = json_array();
    for (uint32_t k = 0; k < source->parameter_count; k++) {
        const AfxiViewParameter *p = &source->parameters[k];
        json_t *one = json_pack("{s:s, s:o, s:o, s:o}", "name", p->name, "help", text_of(p->help), "allowed",
                                text_of(p->allowed), "value", text_of(p->value));
        if (one && p->choices) {
            json_t *choices = json_array();
            for (uint32_t n = 0; p->choices[n]; n++) {
                json_array_append_new(choices, text_of(p->choices[n]));
            }
            json_object_set_new(one, "choices", choices);
        }
        json_array_append_new(list, one);
    }
    return blob_of(allocator,
                   json_pack("{s:s, s:i, s:s, s:o, s:b, s:o}", "type", "hello", "protocol", 1, "version", afx_version(),
                             "title", text_of(source->title), "watched", source->watched, "parameters", list));
}

static json_t *error_of(const char *type, const AfxError *error) {
    return json_pack("{s:s, s:o, s:i, s:o, s:o, s:o}", "type", type, "file", text_of(error->file), "line", error->line,
                     "element", text_of(error->element), "text",
                     text_of(error->text[0] ? error->text : afx_status_text(error->status)), "cure",
                     text_of(error->cure));
}

AfxiBlob *afxi_message_error(const AfxAllocator *allocator, const AfxError *error) {
    return blob_of(allocator, error_of("error", error));
}

AfxiBlob *afxi_message_notice(const AfxAllocator *allocator, const AfxError *error, bool parameter) {
    json_t *root = error_of("notice", error);
    if (root) {
        json_object_set_new(root, "parameter", json_boolean(parameter));
    }
    return blob_of(allocator, root);
}

AfxiBlob *afxi_message_state(const AfxAllocator *allocator, bool playing, double speed, uint64_t step,
                             const char *hash) {
    json_t *root = json_pack("{s:s, s:b, s:f, s:I}", "type", "state", "playing", playing, "speed", speed, "step",
                             (json_int_t)step);
    if (root && hash) {
        json_object_set_new(root, "hash", text_of(hash));
    }
    return blob_of(allocator, root);
}
