/* SPDX-License-Identifier: Apache-2.0 */
/* Affix as an engine of the comparison (affix_engine.c). */
#ifndef PEER_AFFIX_ENGINE_H
#define PEER_AFFIX_ENGINE_H

#include "peer.h"

PeerEngine peer_affix_engine(void);

#endif
