/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer's page, which is part of the library where it was built with npm. */
#ifndef AFXI_OUT_PAGE_H
#define AFXI_OUT_PAGE_H

#include "out/bytes.h"

/** The page as it is sent: gzip. NULL and 0 when this build has none. */
const unsigned char *afxi_page_packed(size_t *out_size);
/** Adds the page's text to *bytes, and tells where in it the data of a replay goes. An error names what is missing. */
AfxStatus afxi_page_text(AfxiBytes *bytes, size_t *out_place, AfxError *out_error);
/** The error of a build without the page. */
AfxStatus afxi_page_missing(AfxError *out_error);

#endif
