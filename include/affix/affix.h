/* SPDX-License-Identifier: Apache-2.0 */
/* affix/affix.h: the whole public API. */
#ifndef AFFIX_AFFIX_H
#define AFFIX_AFFIX_H

#include "affix/base.h"
#include "affix/contact.h"
#include "affix/drive.h"
#include "affix/dynamics.h"
#include "affix/grad.h"
#include "affix/joint.h"
#include "affix/kinematics.h"
#include "affix/math.h"
#include "affix/model.h"
#include "affix/params.h"
#include "affix/ray.h"
#include "affix/robot.h"
#include "affix/scene.h"
#include "affix/sensor.h"
#include "affix/sim.h"
#include "affix/weights.h"

#endif
