/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of drives (joint/law.h), one drive per lane, all of one kind, for *_wide.c files. */
#ifndef AFXI_CONSTRAINT_GROUP_LAW_WIDE_H
#define AFXI_CONSTRAINT_GROUP_LAW_WIDE_H

#include "constraint/drive.h"
#include "constraint/group_lane_wide.h"

/* Value, compliance and activity of rows, and what their multipliers are fixed to where they are not active. */
typedef struct Law {
    Wide value, compliance, fixed;
    WideMask active;
} Law;

WIDE_INLINE void put_lanes(double *to, const AfxiRowGroup *group, uint32_t sub, Wide in) {
    WideView view = {.wide = in};
    for (int l = 0; l < AFXI_LANES; l++) {
        to[group->row[sub + l]] = view.lane[l];
    }
}

/* The first four numbers of each drive: stiffness, damping, rest, effort; or with `further` four more, from lower on.
 */
WIDE_INLINE void load_law(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, bool further, Wide out[4]) {
    const double *base = afxi_world_param(rows->world, AFX_PARAM_DRIVE, 0) + (further ? AFXI_DRIVE_LOWER : 0);
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + (size_t)AFXI_DRIVE_SIZE * group->drive[sub + l];
    }
    wide_gather(row, 1, out);
}

/* -1 where a drive is on the low branch, 1 on the high one, 0 on neither. */
WIDE_INLINE Wide branch_of(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub) {
    const uint8_t *branch = rows->world->state.drive_branch;
    WideView side;
    for (int l = 0; l < AFXI_LANES; l++) {
        uint8_t own = branch[group->drive[sub + l]];
        side.lane[l] = own == AFXI_BRANCH_FREE ? 0 : own == AFXI_BRANCH_LOW ? -1 : 1;
    }
    return side.wide;
}

WIDE_INLINE void load_target(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, Wide out[2]) {
    for (int k = 0; k < 2; k++) {
        WideView target;
        for (int l = 0; l < AFXI_LANES; l++) {
            target.lane[l] = rows->world->drive_target[2 * (size_t)group->drive[sub + l] + (size_t)k];
        }
        out[k] = target.wide;
    }
}

/* k (x - p) + d (x' - p') as a compliant row. */
WIDE_INLINE Law compliant(const AfxiRows *rows, const Wide numbers[4], Wide off, Wide rate) {
    Wide k = numbers[AFXI_DRIVE_STIFFNESS], d = numbers[AFXI_DRIVE_DAMPING], zero = wide_all(0);
    Wide total = k + d / wide_all(rows->h_rate);
    WideMask acts = wide_less(zero, total);
    total = wide_select(acts, total, wide_all(1));
    return (Law){wide_select(acts, (k * off + d * rate) / total, zero), wide_select(acts, wide_all(1) / total, zero),
                 zero, acts};
}

/* What sliding friction comes to, where a drive slides. */
static __attribute__((noinline)) Wide friction_of(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub) {
    WideView most = {.wide = wide_all(0)};
    for (int l = 0; l < AFXI_LANES; l++) {
        if (rows->world->state.drive_branch[group->drive[sub + l]] != AFXI_BRANCH_FREE) {
            most.lane[l] = afxi_friction_limit(rows->world, group->drive[sub + l]);
        }
    }
    return most.wide;
}

/* A multiplier that is given on the branches of a law, which `law` is without them. */
WIDE_INLINE Law given(Law law, Wide side, Wide most) {
    WideMask bound = ~wide_equal(side, wide_all(0));
    law.value = wide_select(bound, wide_all(0), law.value);
    law.compliance = wide_select(bound, wide_all(0), law.compliance);
    law.fixed = wide_select(bound, side * most, law.fixed);
    law.active &= ~bound;
    return law;
}

/* Springs with tables: pieces of a table are looked for one by one. `at` is what they measure where they are
 * linearised. */
static __attribute__((noinline)) Law tables_of(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, Wide at,
                                               Wide x, Wide rate) {
    WideView value, compliance, fixed, active;
    for (int l = 0; l < AFXI_LANES; l++) {
        double from = wide_lane(x, l);
        AfxiLawRow law = afxi_row_law(rows, group->row[sub + l], from, wide_lane(rate, l), wide_lane(at, l) - from);
        value.lane[l] = law.value;
        compliance.lane[l] = law.compliance;
        fixed.lane[l] = law.fixed;
        active.lane[l] = law.active;
    }
    return (Law){value.wide, compliance.wide, fixed.wide, ~wide_equal(active.wide, wide_all(0))};
}

/* afxi_law_row of all lanes. */
WIDE_INLINE Law law_of(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, Wide at, Wide x, Wide rate) {
    const Wide zero = wide_all(0);
    Wide numbers[4], ends[4], target[2], side;
    WideMask bound;
    Law law = {x, zero, zero, ~wide_mask_none()};
    if (group->rows == AFXI_GROUP_SCREW) {
        return law;
    }
    if (group->law == AFXI_LAW_TABLES) {
        return tables_of(rows, group, sub, at, x, rate);
    }
    switch ((AfxDriveKind)group->law) {
    case AFX_DRIVE_POSITION:
    case AFX_DRIVE_VELOCITY:
        load_target(rows, group, sub, target);
        law.value = x - target[0];
        return law;
    case AFX_DRIVE_FORCE:
        load_law(rows, group, sub, false, numbers);
        load_target(rows, group, sub, target);
        side = numbers[AFXI_DRIVE_EFFORT];
        target[0] = wide_select(wide_less(side, target[0]), side, target[0]);
        target[0] = wide_select(wide_less(target[0], -side), -side, target[0]);
        return (Law){zero, zero, -target[0], wide_mask_none()};
    case AFX_DRIVE_SERVO:
        load_law(rows, group, sub, false, numbers);
        load_target(rows, group, sub, target);
        law = compliant(rows, numbers, x - target[0], rate - target[1]);
        return given(law, branch_of(rows, group, sub), numbers[AFXI_DRIVE_EFFORT]);
    case AFX_DRIVE_SPRING:
        load_law(rows, group, sub, false, numbers);
        return compliant(rows, numbers, x - numbers[AFXI_DRIVE_REST], rate);
    case AFX_DRIVE_LIMIT:
        load_law(rows, group, sub, true, ends);
        side = branch_of(rows, group, sub);
        bound = ~wide_equal(side, zero);
        law.value = wide_select(bound, x - wide_select(wide_less(side, zero), ends[0], ends[1]), zero);
        law.active = bound;
        return law;
    case AFX_DRIVE_FRICTION:
        law.value = rate * wide_all(rows->h_rate);
        side = branch_of(rows, group, sub);
        return wide_any(~wide_equal(side, zero)) ? given(law, side, friction_of(rows, group, sub)) : law;
    }
    return law;
}

/* The law of a group into its rows; those of joints that are switched off are not active, and nothing acts there. */
WIDE_INLINE void put_law(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, Wide at, Wide x, Wide rate) {
    Law law = law_of(rows, group, sub, at, x, rate);
    unsigned active = wide_bits(law.active);
    WideView fixed = {.wide = law.fixed};
    put_lanes(rows->value, group, sub, law.value);
    put_lanes(rows->compliance, group, sub, law.compliance);
    for (int l = 0; l < AFXI_LANES; l++) {
        bool on = rows->world->state.joint_active[group->joint[sub + l]];
        rows->active[group->row[sub + l]] = on && (active >> l & 1u);
        rows->fixed[group->row[sub + l]] = on ? fixed.lane[l] : 0;
    }
}

#endif
