/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to a sim in the middle of a run. All of them work on any scene. */
#ifndef AFX_TEST_GOLDEN_ACT_H
#define AFX_TEST_GOLDEN_ACT_H

#include "golden/run.h"

/** Holds the last dynamic body from step 5 on, moves the target, lets go at step 30. */
GoldenAct golden_act_hold;
/** Switches a joint in the middle off at step 10 and on again at step 14, with the state repaired. */
GoldenAct golden_act_switch;
/** Changes mass, stiffness and damping of some bodies, and gravity. */
GoldenAct golden_act_params;
/** Remembers step 12 and goes back to it at step 24. */
GoldenAct golden_act_snapshot;
/** Wrenches on bodies from outside, another dt, and an edited state. */
GoldenAct golden_act_push;
/** Throws the last dynamic body beyond all bounds at step 6, and goes back to step 5 two steps later. */
GoldenAct golden_act_wild;
/** Now and then bodies are made to spin so fast that they turn far in a step. */
GoldenAct golden_act_whip;
/** Turns the last dynamic body inside out at step 4, and stretches the first body at step 8. */
GoldenAct golden_act_stretch;

#endif
