/* SPDX-License-Identifier: Apache-2.0 */
/* Deflate (zlib) and base64, as pages need them. */
#ifndef AFXI_OUT_SQUEEZE_H
#define AFXI_OUT_SQUEEZE_H

#include "out/bytes.h"
#include "out/sink.h"

/** Adds a zlib stream of `data` to *bytes. */
AfxStatus afxi_squeeze(AfxiBytes *bytes, const void *data, size_t size);
/** Adds what a gzip or zlib stream holds to *bytes; AFX_E_INPUT when it is damaged or holds more than `most` bytes. */
AfxStatus afxi_unsqueeze(AfxiBytes *bytes, const void *data, size_t size, size_t most);
/** Writes data in base64. */
void afxi_sink_base64(AfxiSink *sink, const unsigned char *data, size_t size);

#endif
