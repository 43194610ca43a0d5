/* SPDX-License-Identifier: Apache-2.0 */
/* The values of scene JSON as text. */
#include "load/save.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/point.h"

void afxi_save_flush(AfxiSave *save) {
    size_t done = 0;
    if (save->take) {
        if (!save->failure && save->used && !save->take(save->user, save->buffer, save->used)) {
            save->failure = EIO;
        }
        done = save->used;
    }
    while (done < save->used && !save->failure) {
        ssize_t wrote = write(save->fd, save->buffer + done, save->used - done);
        if (wrote < 0 && errno != EINTR) {
            save->failure = errno;
        } else if (wrote > 0) {
            done += (size_t)wrote;
        }
    }
    save->used = 0;
}

static void put(AfxiSave *save, char c) {
    if (save->used == AFXI_SAVE_BUFFER) {
        afxi_save_flush(save);
    }
    save->buffer[save->used++] = c;
}

void afxi_save_raw(AfxiSave *save, const char *text) {
    while (*text) {
        put(save, *text++);
    }
}

/** Bytes of the UTF-8 character at p; 0 when it is none. Forms that are too long and surrogates are none. */
static int character(const unsigned char *p) {
    if (p[0] < 0x80) {
        return 1;
    }
    int length = p[0] >= 0xc2 && p[0] < 0xe0   ? 2
                 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                               : 0;
    for (int k = 1; k < length; k++) {
        if ((p[k] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
               (p[0] == 0xf4 && p[1] >= 0x90);
    return bad ? 0 : length;
}

static void put_text(AfxiSave *save, const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    put(save, '"');
    while (*p) {
        int length = character(p);
        if (!length) {
            save->bad_text = true;
            break;
        }
        if (*p < 0x20) {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04x", *p);
            afxi_save_raw(save, escape);
        } else {
            if (*p == '"' || *p == '\\') {
                put(save, '\\');
            }
            for (int k = 0; k < length; k++) {
                put(save, (char)p[k]);
            }
        }
        p += length;
    }
    put(save, '"');
}

void afxi_save_key(AfxiSave *save, const char *key) {
    if (!save->first) {
        afxi_save_raw(save, ", ");
    }
    save->first = false;
    if (key) {
        put_text(save, key);
        afxi_save_raw(save, ": ");
    }
}

void afxi_save_open(AfxiSave *save, const char *key, char bracket) {
    afxi_save_key(save, key);
    put(save, bracket);
    save->first = true;
}

void afxi_save_close(AfxiSave *save, char bracket) {
    put(save, bracket);
    save->first = false;
}

void afxi_save_text(AfxiSave *save, const char *key, const char *text) {
    afxi_save_key(save, key);
    put_text(save, text);
}

void afxi_save_boolean(AfxiSave *save, const char *key, bool value) {
    afxi_save_key(save, key);
    afxi_save_raw(save, value ? "true" : "false");
}

void afxi_save_number(AfxiSave *save, const char *key, double value) {
    char text[64] = "\"infinite\"";
    if (isfinite(value)) {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value) {
                break;
            }
        }
        afxi_decimal_point(text);
    }
    afxi_save_key(save, key);
    afxi_save_raw(save, text);
}

void afxi_save_whole(AfxiSave *save, const char *key, uint32_t value) {
    char text[16];
    snprintf(text, sizeof text, "%lu", (unsigned long)value);
    afxi_save_key(save, key);
    afxi_save_raw(save, text);
}

void afxi_save_vec3(AfxiSave *save, const char *key, AfxVec3 value) {
    afxi_save_open(save, key, '[');
    afxi_save_number(save, NULL, value.x);
    afxi_save_number(save, NULL, value.y);
    afxi_save_number(save, NULL, value.z);
    afxi_save_close(save, ']');
}

static bool same_bits(double a, double b) {
    return a == b && signbit(a) == signbit(b); /* nothing here is NaN */
}

void afxi_save_number_unless(AfxiSave *save, const char *key, double value, double absent) {
    if (!same_bits(value, absent)) {
        afxi_save_number(save, key, value);
    }
}

static bool is_zero(AfxVec3 v) {
    return same_bits(v.x, 0) && same_bits(v.y, 0) && same_bits(v.z, 0);
}

void afxi_save_vec3_unless_zero(AfxiSave *save, const char *key, AfxVec3 value) {
    if (!is_zero(value)) {
        afxi_save_vec3(save, key, value);
    }
}

static bool is_unturned(AfxQuat q) {
    return same_bits(q.w, 1) && is_zero((AfxVec3){q.x, q.y, q.z});
}

bool afxi_save_is_identity(AfxPose pose) {
    return is_zero(pose.position) && is_unturned(pose.rotation);
}

void afxi_save_pose(AfxiSave *save, AfxPose pose) {
    afxi_save_vec3_unless_zero(save, "position", pose.position);
    afxi_save_rotation(save, "rotation", pose.rotation);
}

void afxi_save_rotation(AfxiSave *save, const char *key, AfxQuat q) {
    if (!is_unturned(q)) {
        afxi_save_open(save, key, '[');
        afxi_save_number(save, NULL, q.w);
        afxi_save_number(save, NULL, q.x);
        afxi_save_number(save, NULL, q.y);
        afxi_save_number(save, NULL, q.z);
        afxi_save_close(save, ']');
    }
}

static void save_numbers(AfxiSave *save, const char *key, const double *values, uint32_t count) {
    afxi_save_open(save, key, '[');
    for (uint32_t k = 0; k < count; k++) {
        afxi_save_number(save, NULL, values[k]);
    }
    afxi_save_close(save, ']');
}

void afxi_save_table(AfxiSave *save, const char *key, const char *over, const AfxForceTable *table) {
    if (table->count) {
        afxi_save_open(save, key, '{');
        save_numbers(save, over, table->positions, table->count);
        save_numbers(save, "forces", table->forces, table->count);
        afxi_save_close(save, '}');
    }
}

void afxi_save_signal(AfxiSave *save, const char *key, const AfxSignal *signal) {
    const double *c = signal->coefficients;
    uint32_t count = AFX_SIGNAL_COEFFICIENTS;
    switch (signal->kind) {
    case AFX_SIGNAL_CONSTANT:
        afxi_save_number(save, key, c[0]);
        return;
    case AFX_SIGNAL_POLYNOMIAL:
        while (count > 1 && same_bits(c[count - 1], 0)) {
            count--;
        }
        afxi_save_open(save, key, '{');
        save_numbers(save, "polynomial", c, count);
        break;
    case AFX_SIGNAL_SINE:
        afxi_save_open(save, key, '{');
        afxi_save_open(save, "sine", '{');
        afxi_save_number_unless(save, "offset", c[0], 0);
        afxi_save_number(save, "amplitude", c[1]);
        afxi_save_number(save, "frequency", c[2]);
        afxi_save_number_unless(save, "phase", c[3], 0);
        afxi_save_close(save, '}');
        break;
    case AFX_SIGNAL_TABLE:
        afxi_save_open(save, key, '{');
        afxi_save_open(save, "table", '{');
        save_numbers(save, "times", signal->times, signal->sample_count);
        save_numbers(save, "values", signal->values, signal->sample_count);
        afxi_save_close(save, '}');
        break;
    case AFX_SIGNAL_FORMULA:
        afxi_save_open(save, key, '{');
        afxi_save_text(save, "formula", signal->formula);
        break;
    }
    afxi_save_close(save, '}');
}
