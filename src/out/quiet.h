/* SPDX-License-Identifier: Apache-2.0 */
/* For programs of our own. */
#ifndef AFXI_OUT_QUIET_H
#define AFXI_OUT_QUIET_H

/** HDF5 prints nothing from now on. By itself it would print its own errors, and when the program ends, that it could
 * not free what it had lost over a damaged file. */
void afxi_out_quiet(void);

#endif
